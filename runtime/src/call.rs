//! Calls, results and host events, owned by hosts and as monitors see them.

use std::borrow::Cow;
use std::ops::Deref;
use std::sync::Arc;

use serde_json::Value;

use crate::Time;
use crate::context::Context;

/// A tool call that a host wants to make.
#[derive(Clone, Debug)]
pub struct Call<'a> {
    pub(crate) tool: Cow<'a, str>,
    pub(crate) server: Option<Cow<'a, str>>,
    pub(crate) args: Args<'a>,
    pub(crate) bytes: Option<Cow<'a, [u8]>>,
    pub(crate) id: Option<Cow<'a, str>>,
    pub(crate) agent: Option<Cow<'a, str>>,
    pub(crate) batch: Option<u32>,
    pub(crate) at: Option<Time>,
    pub(crate) approved: bool,
}

impl<'a> Call<'a> {
    /// A call of a tool with a JSON object of arguments. `server::tool` names a tool of a server, as in patterns.
    #[must_use]
    pub fn new(tool: impl Into<Cow<'a, str>>, args: &'a Value) -> Self {
        Self::with(tool.into(), Args::Lent(args))
    }

    /// The same, with arguments that the call may keep: a session shares them instead of copying them.
    #[must_use]
    pub fn owned(tool: impl Into<Cow<'a, str>>, args: Value) -> Self {
        Self::with(tool.into(), Args::Shared(Arc::new(args)))
    }

    fn with(tool: Cow<'a, str>, args: Args<'a>) -> Self {
        Self { tool, server: None, args, bytes: None, id: None, agent: None, batch: None, at: None, approved: false }
    }

    /// The server that has the tool.
    #[must_use]
    pub fn server(mut self, server: impl Into<Cow<'a, str>>) -> Self {
        self.server = Some(server.into());
        self
    }

    /// What the host received as the arguments, byte for byte: a record has the digest of these rather than of the value.
    /// Never part of a decision.
    #[must_use]
    pub fn bytes(mut self, received: impl Into<Cow<'a, [u8]>>) -> Self {
        self.bytes = Some(received.into());
        self
    }

    /// The host's id of the call. While a call is in flight, a second one with its id is refused.
    #[must_use]
    pub fn id(mut self, id: impl Into<Cow<'a, str>>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// The sub-agent that calls.
    #[must_use]
    pub fn agent(mut self, agent: impl Into<Cow<'a, str>>) -> Self {
        self.agent = Some(agent.into());
        self
    }

    /// How many calls the same model turn made.
    #[must_use]
    pub fn batch(mut self, calls: u32) -> Self {
        self.batch = Some(calls);
        self
    }

    /// When. Without it the session's clock says. A time before the latest one counts as the latest.
    #[must_use]
    pub fn at(mut self, at: Time) -> Self {
        self.at = Some(at);
        self
    }

    /// A person has allowed exactly this call: lifts `ask`, never `block`.
    #[must_use]
    pub fn approved(mut self) -> Self {
        self.approved = true;
        self
    }

    /// The tool.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    pub(crate) fn into_owned(self) -> Call<'static> {
        Call {
            tool: Cow::Owned(self.tool.into_owned()),
            server: self.server.map(|text| Cow::Owned(text.into_owned())),
            args: Args::Shared(self.args.share()),
            bytes: self.bytes.map(|bytes| Cow::Owned(bytes.into_owned())),
            id: self.id.map(|text| Cow::Owned(text.into_owned())),
            agent: self.agent.map(|text| Cow::Owned(text.into_owned())),
            batch: self.batch,
            at: self.at,
            approved: self.approved,
        }
    }

    /// The server and the tool, as patterns read them.
    #[inline]
    pub(crate) fn names(&self) -> (Option<&str>, &str) {
        // A host may pass `server::tool` as the name; patterns read it so too. Few do: a search for one byte costs next to
        // nothing, one for a text does not.
        let names_server = self.server.is_none() && self.tool.as_bytes().contains(&b':');
        match names_server.then(|| self.tool.split_once("::")).flatten() {
            Some((server, tool)) => (Some(server), tool),
            None => (self.server.as_deref(), self.tool.as_ref()),
        }
    }

    #[inline]
    pub(crate) fn view<'v>(&'v self, now: Time, context: &'v Context) -> CallView<'v> {
        let (server, tool) = self.names();
        CallView { tool, server, args: &self.args, batch: self.batch, agent: self.agent.as_deref(), now, context }
    }
}

/// The arguments of a call: lent by the host, or shared by all who keep the call.
#[derive(Clone, Debug)]
pub(crate) enum Args<'a> {
    Lent(&'a Value),
    Shared(Arc<Value>),
}

impl Args<'_> {
    /// The arguments to keep: copied only if they are lent.
    pub(crate) fn share(self) -> Arc<Value> {
        match self {
            Self::Lent(args) => Arc::new(args.clone()),
            Self::Shared(args) => args,
        }
    }
}

impl Deref for Args<'_> {
    type Target = Value;

    fn deref(&self) -> &Value {
        match self {
            Self::Lent(args) => args,
            Self::Shared(args) => args,
        }
    }
}

/// A call as a monitor sees it.
#[derive(Clone, Copy, Debug)]
pub struct CallView<'a> {
    /// The tool.
    pub tool: &'a str,
    /// The server, where there is one.
    pub server: Option<&'a str>,
    /// The arguments, a JSON object.
    pub args: &'a Value,
    /// How many calls the same model turn made.
    pub batch: Option<u32>,
    /// The sub-agent, where there is one.
    pub agent: Option<&'a str>,
    /// The time of the event: the call, or its result.
    pub now: Time,
    /// The host's trusted facts.
    pub context: &'a Context,
}

/// How a call ended, as far as the host knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// It returned. Whether that was a success, the contract's `succeeds_when` has the last word.
    Ok,
    /// It failed.
    Failed,
    /// Nobody knows: crash, cancellation, time-out.
    Unknown,
}

impl Status {
    /// The spelling used in formats.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
        }
    }
}

/// How a call ended, with its value.
#[derive(Clone, Debug)]
pub struct Outcome<'a> {
    pub(crate) status: Status,
    pub(crate) value: Option<Cow<'a, Value>>,
    pub(crate) bytes: Option<&'a [u8]>,
    pub(crate) at: Option<Time>,
}

impl<'a> Outcome<'a> {
    /// It returned this value.
    #[must_use]
    pub fn ok(value: &'a Value) -> Self {
        Self::with(Status::Ok, Some(Cow::Borrowed(value)))
    }

    /// It failed with this value.
    #[must_use]
    pub fn failed(value: &'a Value) -> Self {
        Self::with(Status::Failed, Some(Cow::Borrowed(value)))
    }

    /// Nobody knows how it ended.
    #[must_use]
    pub fn unknown() -> Self {
        Self::with(Status::Unknown, None)
    }

    /// An outcome from its parts.
    #[must_use]
    pub fn new(status: Status, value: Option<Value>) -> Self {
        Self::with(status, value.map(Cow::Owned))
    }

    fn with(status: Status, value: Option<Cow<'a, Value>>) -> Self {
        Self { status, value, bytes: None, at: None }
    }

    /// What the host received as the result, byte for byte: a record has the digest of these rather than of the value. Never
    /// part of a decision.
    #[must_use]
    pub fn bytes(mut self, received: &'a [u8]) -> Self {
        self.bytes = Some(received);
        self
    }

    /// When. Without it the session's clock says.
    #[must_use]
    pub fn at(mut self, at: Time) -> Self {
        self.at = Some(at);
        self
    }
}

/// An outcome as a monitor sees it.
#[derive(Clone, Copy, Debug)]
pub struct OutcomeView<'a> {
    /// What the host says.
    pub status: Status,
    /// The value, where there is one.
    pub value: Option<&'a Value>,
}

/// A host event as a monitor sees it.
#[derive(Clone, Copy, Debug)]
pub struct EventView<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its value.
    pub value: &'a Value,
    /// When.
    pub now: Time,
    /// The host's trusted facts.
    pub context: &'a Context,
}
