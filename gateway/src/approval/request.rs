//! What a person is asked.

use contract_runtime::journal::{Hex, canonical};
use contract_runtime::value::sha256;
use contract_runtime::{Seed, Time};
use serde_json::{Map, Value, json};

use super::problem::Problem;
use crate::mcp::Sought;

/// What the file of a request says of itself.
const FORMAT: &str = "interlock-approval-request/1";

/// Most bytes of a request: more than that nobody reads.
pub(super) const MOST: u64 = 256 * 1024;

/// How many hexadecimal digits of its digest name a request.
const NAME: usize = 16;

/// A call that waits for a person's answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// What it is called.
    pub name: String,
    /// SHA-256 of its file: what an answer is for.
    pub digest: String,
    /// The session, by the name that it has in records; empty if it has none.
    pub session: String,
    /// The name of the contract.
    pub contract: String,
    /// SHA-256 of the contract, in hexadecimal digits.
    pub contract_digest: String,
    /// The server that has the tool.
    pub server: Option<String>,
    /// The sub-agent that calls.
    pub agent: Option<String>,
    /// The tool.
    pub tool: String,
    /// The arguments that the call would run with.
    pub args: Value,
    /// Which rules ask, in words.
    pub why: String,
    /// Since when it waits.
    pub since: Time,
    /// Until when it may be answered.
    pub expires: Time,
    /// The public keys of those who may answer; empty: whoever can write to the folder.
    pub approvers: Vec<String>,
}

impl Request {
    /// A new request, and the bytes of its file.
    pub(super) fn new(sought: &Sought<'_>, now: Time, approvers: &[String]) -> (Self, Vec<u8>) {
        let call = sought.request;
        let mut request = Self {
            name: String::new(),
            digest: String::new(),
            session: sought.session.to_owned(),
            contract: sought.name.to_owned(),
            contract_digest: sought.contract.to_owned(),
            server: call.server().map(str::to_owned),
            agent: call.agent().map(str::to_owned),
            tool: call.tool().to_owned(),
            args: call.args().clone(),
            why: sought.why.to_owned(),
            since: now,
            expires: call.expires(),
            approvers: approvers.to_vec(),
        };
        let mut bytes = Vec::new();
        // Two requests for one call are two requests.
        canonical::write(&mut bytes, &request.value(&Hex(Seed::random().0).to_string()));
        bytes.push(b'\n');
        request.identify(&bytes);
        (request, bytes)
    }

    /// Reads the file of a request.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, Problem> {
        let malformed = || Problem::new("it is no request for approval");
        let Ok(Value::Object(fields)) = serde_json::from_slice::<Value>(bytes) else { return Err(malformed()) };
        if fields.get("format").and_then(Value::as_str) != Some(FORMAT) {
            return Err(malformed());
        }
        let text = |key: &str| fields.get(key).and_then(Value::as_str).map(str::to_owned);
        let time = |key: &str| text(key).and_then(|time| Time::parse(&time));
        let read = || {
            let approvers = fields.get("approvers")?.as_array()?;
            Some(Self {
                name: String::new(),
                digest: String::new(),
                session: text("session")?,
                contract: text("contract")?,
                contract_digest: text("contract_digest")?,
                server: text("server"),
                agent: text("agent"),
                tool: text("tool")?,
                args: fields.get("args")?.clone(),
                why: text("why")?,
                since: time("since")?,
                expires: time("expires")?,
                approvers: approvers.iter().map(|key| key.as_str().map(str::to_owned)).collect::<Option<_>>()?,
            })
        };
        let mut request = read().ok_or_else(malformed)?;
        request.identify(bytes);
        Ok(request)
    }

    /// As JSON, for programs.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut fields = self.fields();
        fields.insert("name".to_owned(), json!(self.name));
        fields.insert("digest".to_owned(), json!(self.digest));
        Value::Object(fields)
    }

    fn value(&self, nonce: &str) -> Value {
        let mut fields = self.fields();
        fields.insert("format".to_owned(), json!(FORMAT));
        fields.insert("nonce".to_owned(), json!(nonce));
        Value::Object(fields)
    }

    fn fields(&self) -> Map<String, Value> {
        let fields = [
            ("session", json!(self.session)),
            ("contract", json!(self.contract)),
            ("contract_digest", json!(self.contract_digest)),
            ("server", json!(self.server)),
            ("agent", json!(self.agent)),
            ("tool", json!(self.tool)),
            ("args", self.args.clone()),
            ("why", json!(self.why)),
            ("since", json!(self.since.to_string())),
            ("expires", json!(self.expires.to_string())),
            ("approvers", json!(self.approvers)),
        ];
        fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
    }

    fn identify(&mut self, bytes: &[u8]) {
        self.digest = Hex(sha256(bytes)).to_string();
        self.name = self.digest.chars().take(NAME).collect();
    }

    /// Whether a text can be the name of a request: nothing else becomes part of a path.
    pub(super) fn is_name(text: &str) -> bool {
        text.len() == NAME && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    }
}
