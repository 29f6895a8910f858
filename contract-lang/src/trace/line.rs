//! What a line of a trace says.

use contract_runtime::{Call, CallView, Context, Outcome, Status, Time};
use serde_json::{Map, Value};

/// A line of a trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The session.
    pub session: String,
    /// When, if the line says so.
    pub at: Option<Time>,
    /// What.
    pub body: Body,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// A call, perhaps followed at once by its result.
    Call(RecordedCall, Option<Recorded>),
    /// The result of an earlier call, by the call's id.
    Result(String, Recorded),
    /// A host event.
    Event {
        /// Its name.
        name: String,
        /// Its value.
        value: Value,
    },
    /// The session's trusted facts.
    Context(Value),
    /// The session ends.
    End,
}

/// A recorded call.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedCall {
    /// The id that its result names.
    pub id: String,
    /// What the session knows it by, where its id may be another call's.
    pub key: Option<String>,
    /// The tool.
    pub tool: String,
    /// Its arguments: an object.
    pub args: Value,
    /// The server.
    pub server: Option<String>,
    /// The sub-agent.
    pub agent: Option<String>,
    /// How many calls the same model turn made.
    pub batch: Option<u32>,
    /// Whether a person allowed it.
    pub approved: bool,
}

impl RecordedCall {
    /// The call, to be decided at a time.
    #[must_use]
    pub fn at(&self, at: Time) -> Call<'_> {
        let mut call = Call::new(self.tool.as_str(), &self.args).id(self.key()).at(at);
        if let Some(server) = &self.server {
            call = call.server(server.as_str());
        }
        if let Some(agent) = &self.agent {
            call = call.agent(agent.as_str());
        }
        if let Some(batch) = self.batch {
            call = call.batch(batch);
        }
        if self.approved { call.approved() } else { call }
    }

    /// The call as a monitor reads it, with the arguments that it runs with.
    #[must_use]
    pub fn view<'v>(&'v self, args: &'v Value, now: Time, context: &'v Context) -> CallView<'v> {
        CallView {
            tool: &self.tool,
            server: self.server.as_deref(),
            args,
            batch: self.batch,
            agent: self.agent.as_deref(),
            now,
            context,
        }
    }

    /// What the session knows it by.
    #[must_use]
    pub fn key(&self) -> &str {
        self.key.as_deref().unwrap_or(&self.id)
    }
}

/// A recorded result.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// How it ended, as the host says.
    pub status: Status,
    /// What it is.
    pub value: Option<Value>,
}

impl Recorded {
    /// The outcome, taken at a time.
    #[must_use]
    pub fn at(self, at: Time) -> Outcome<'static> {
        Outcome::new(self.status, self.value).at(at)
    }
}

/// The members of an object that are not yet read.
struct Fields {
    object: Map<String, Value>,
    /// What the object is, for messages: `the line`, `` `call` ``.
    of: &'static str,
}

/// What a value is, for messages.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

impl Fields {
    fn new(value: Value, of: &'static str) -> Result<Self, String> {
        match value {
            Value::Object(object) => Ok(Self { object, of }),
            other => Err(format!("{of} is {}; expected an object", kind(&other))),
        }
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        self.object.remove(name)
    }

    fn need(&mut self, name: &str) -> Result<Value, String> {
        self.take(name).ok_or_else(|| format!("{} has no `{name}`", self.of))
    }

    fn text(&mut self, name: &str) -> Result<Option<String>, String> {
        self.take(name).map(|value| text(value, name)).transpose()
    }

    fn object(&mut self, name: &'static str) -> Result<Value, String> {
        match self.need(name)? {
            value @ Value::Object(_) => Ok(value),
            other => Err(format!("`{name}` is {}; expected an object", kind(&other))),
        }
    }

    /// Nothing else may be there.
    fn finish(self, known: &[&str]) -> Result<(), String> {
        let Some(name) = self.object.keys().next() else { return Ok(()) };
        let hint = match nearest(name, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("expected {}", listed(known)),
        };
        Err(format!("{} has an unknown field `{name}`; {hint}", self.of))
    }
}

/// The known name that is meant. A name of more than 64 bytes is no slip of the pen, and costly to compare.
fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    if name.len() > 64 { None } else { crate::diagnostic::nearest(name, known.iter().copied()) }
}

fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn text(value: Value, name: &str) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(format!("`{name}` is {}; expected a text", kind(&other))),
    }
}

const WHAT: [&str; 5] = ["call", "result_of", "event", "context", "end"];
const LINE: [&str; 8] = ["session", "at", "call", "result", "result_of", "event", "context", "end"];
const CALL: [&str; 7] = ["id", "tool", "args", "server", "batch", "agent", "approved"];

impl Line {
    /// Reads a line from its JSON value.
    ///
    /// # Errors
    /// What is wrong with it, and what was expected.
    pub fn decode(value: Value) -> Result<Self, String> {
        let mut fields = Fields::new(value, "the line")?;
        let session = fields.text("session")?.unwrap_or_else(|| "default".to_owned());
        let at = fields.text("at")?.map(|text| time(&text)).transpose()?;
        let body = Body::decode(&mut fields)?;
        fields.finish(&LINE)?;
        Ok(Self { session, at, body })
    }
}

fn time(text: &str) -> Result<Time, String> {
    Time::parse(text)
        .ok_or_else(|| "`at` is not a time; expected RFC 3339, such as `2026-01-01T10:00:00.000Z`".to_owned())
}

impl Body {
    fn decode(fields: &mut Fields) -> Result<Self, String> {
        let mut said = WHAT.into_iter().filter(|name| fields.object.contains_key(*name));
        let (Some(what), None) = (said.next(), said.next()) else {
            // A misspelt field is more likely than a line that says nothing.
            if WHAT.iter().all(|name| !fields.object.contains_key(*name))
                && let Some(odd) = fields.object.keys().find(|name| !LINE.contains(&name.as_str()))
                && let Some(near) = nearest(odd, &LINE)
            {
                return Err(format!("the line has an unknown field `{odd}`; did you mean `{near}`?"));
            }
            return Err(format!("expected exactly one of {} in the line", listed(&WHAT)));
        };
        let result = fields.take("result").map(Recorded::decode).transpose()?;
        match (what, result) {
            ("call", result) => Ok(Self::Call(RecordedCall::decode(fields.need("call")?)?, result)),
            ("result_of", Some(result)) => Ok(Self::Result(text(fields.need("result_of")?, "result_of")?, result)),
            ("result_of", None) => Err("the line has `result_of` but no `result`".to_owned()),
            (_, Some(_)) => Err(format!("a `result` goes with `call` or `result_of`, not with `{what}`")),
            ("event", None) => Self::event(fields.need("event")?),
            ("context", None) => Ok(Self::Context(fields.object("context")?)),
            (_, None) => match fields.need("end")? {
                Value::Bool(true) => Ok(Self::End),
                _ => Err("`end` is not true; leave it out of lines that do not end the session".to_owned()),
            },
        }
    }

    fn event(value: Value) -> Result<Self, String> {
        let mut fields = Fields::new(value, "`event`")?;
        let name = text(fields.need("name")?, "name")?;
        let value = fields.take("value").unwrap_or(Value::Null);
        fields.finish(&["name", "value"])?;
        Ok(Self::Event { name, value })
    }
}

impl RecordedCall {
    fn decode(value: Value) -> Result<Self, String> {
        let mut fields = Fields::new(value, "`call`")?;
        let call = Self {
            id: text(fields.need("id")?, "id")?,
            key: None,
            tool: text(fields.need("tool")?, "tool")?,
            args: fields.object("args")?,
            server: fields.text("server")?,
            agent: fields.text("agent")?,
            batch: fields.take("batch").map(batch).transpose()?,
            approved: match fields.take("approved") {
                None => false,
                Some(Value::Bool(approved)) => approved,
                Some(other) => return Err(format!("`approved` is {}; expected true or false", kind(&other))),
            },
        };
        fields.finish(&CALL)?;
        Ok(call)
    }
}

fn batch(value: Value) -> Result<u32, String> {
    let calls = value.as_u64().and_then(|calls| u32::try_from(calls).ok()).filter(|calls| *calls > 0);
    calls.ok_or_else(|| "`batch` is not a number of calls; expected a whole number from 1".to_owned())
}

impl Recorded {
    fn decode(value: Value) -> Result<Self, String> {
        let mut fields = Fields::new(value, "`result`")?;
        let status = match fields.text("status")?.as_deref() {
            // The contract's `succeeds_when` has the last word on both.
            None | Some("ok") => Status::Ok,
            Some("failed") => Status::Failed,
            Some("unknown") => Status::Unknown,
            Some(other) => {
                return Err(format!("`status` is `{other}`; expected `ok`, `failed` or `unknown`"));
            }
        };
        let value = fields.take("value");
        fields.finish(&["status", "value"])?;
        Ok(Self { status, value })
    }
}
