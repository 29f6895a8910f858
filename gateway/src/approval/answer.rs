//! What a person answers.

use contract_runtime::Time;
use contract_runtime::journal::record::Signature;
use contract_runtime::journal::{PublicKey, SigningKey, canonical};
use serde_json::{Value, json};

use super::problem::Problem;

/// What the file of an answer says of itself, and what a signature begins with: a signature of something else is none of this.
const FORMAT: &str = "interlock-approval-answer/1";

/// Most bytes of an answer.
pub(super) const MOST: u64 = 16 * 1024;

/// Most characters of a name, and of a reason.
const LONGEST: (usize, usize) = (200, 1_000);

/// A person's answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The [digest](super::Request::digest) of the request.
    pub request: String,
    /// Whether the call may run, once.
    pub is_approved: bool,
    /// Who answers, as they call themselves.
    pub by: Option<String>,
    /// Why not: words for the model.
    pub reason: Option<String>,
    /// When.
    pub at: Time,
}

impl Answer {
    /// The bytes of its file, signed where there is a key.
    ///
    /// # Errors
    /// If a text is too long.
    pub fn to_file(&self, key: Option<&SigningKey>) -> Result<Vec<u8>, Problem> {
        self.check()?;
        let mut file = self.value();
        if let (Some(fields), Some(key)) = (file.as_object_mut(), key) {
            fields.insert("key".to_owned(), json!(key.public().to_string()));
            fields.insert("signature".to_owned(), json!(key.sign(&self.statement()).to_string()));
        }
        let mut bytes = Vec::new();
        canonical::write(&mut bytes, &file);
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// Reads the file of an answer to a request. Where there are approvers, one of them must have signed it: who answers is then
    /// said with that key.
    pub(super) fn read(bytes: &[u8], request: &str, approvers: &[PublicKey]) -> Result<Self, Problem> {
        let malformed = || Problem::new("it is no answer to a request for approval");
        let Ok(Value::Object(fields)) = serde_json::from_slice::<Value>(bytes) else { return Err(malformed()) };
        let text = |key: &str| fields.get(key).and_then(Value::as_str).map(str::to_owned);
        if text("format").as_deref() != Some(FORMAT) {
            return Err(malformed());
        }
        let is_approved = match text("answer").as_deref() {
            Some("approved") => true,
            Some("denied") => false,
            _ => return Err(malformed()),
        };
        let read = || {
            let at = Time::parse(&text("at")?)?;
            Some(Self { request: text("request")?, is_approved, by: text("by"), reason: text("reason"), at })
        };
        let mut answer = read().ok_or_else(malformed)?;
        answer.check()?;
        if answer.request != request {
            return Err(Problem::new("it answers another request, or the request was changed"));
        }
        if approvers.is_empty() {
            return Ok(answer);
        }
        let signature = text("signature").and_then(|text| Signature::parse(&text));
        let Some(signature) = signature else { return Err(Problem::new("it is not signed by an approver")) };
        let statement = answer.statement();
        let signed = approvers.iter().find(|key| key.verify(&statement, &signature));
        let Some(key) = signed else { return Err(Problem::new("it is not signed by an approver")) };
        let by = answer.by.take();
        answer.by = Some(by.map_or_else(|| format!("key {key}"), |by| format!("{by} (key {key})")));
        Ok(answer)
    }

    fn check(&self) -> Result<(), Problem> {
        let is_long =
            |text: &Option<String>, most: usize| text.as_ref().is_some_and(|text| text.chars().count() > most);
        if is_long(&self.by, LONGEST.0) || is_long(&self.reason, LONGEST.1) {
            let (by, reason) = LONGEST;
            return Err(Problem::new(format!("a name has at most {by} characters, a reason {reason}")));
        }
        Ok(())
    }

    fn value(&self) -> Value {
        json!({
            "format": FORMAT,
            "request": self.request,
            "answer": if self.is_approved { "approved" } else { "denied" },
            "by": self.by,
            "reason": self.reason,
            "at": self.at.to_string(),
        })
    }

    /// What is signed.
    fn statement(&self) -> Vec<u8> {
        let mut statement = format!("{FORMAT}\n").into_bytes();
        canonical::write(&mut statement, &self.value());
        statement
    }
}
