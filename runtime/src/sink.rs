//! Where a session writes down what happens in it: the interface of a record.
//!
//! A session hands over an entry for each thing that happens, in order and under its lock ([`Sink::record`]), and waits outside
//! of the lock until it is safe ([`Sink::commit`]): a call waits for its own entry, not for those of others.
//!
//! INVARIANT: a call is recorded, and the record committed, before its permit is given. Where that fails, `on_error` decides by
//! the call's effect; whatever runs all the same is counted.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::call::Status;
use crate::finding::Finding;
use crate::refusal::RefusalKind;
use crate::session::Summary;
use crate::{ContractInfo, Decision, Effect, Mode, NoticeKind, Time};

/// Takes the entries of sessions. `contract_runtime::journal::Journal` is one that writes them to a file. One that panics counts
/// as one that failed.
pub trait Sink: Send + Sync {
    /// Takes an entry. Entries of one session come one at a time, in the order in which things happened. A session waits for
    /// this with its lock held, so it should not wait for a disk.
    ///
    /// # Errors
    /// If the entry is not recorded. It is not handed over again, except the start of a session, which is before its next entry.
    fn record(&self, entry: &Entry<'_>) -> Result<Ticket, SinkError>;

    /// What tells the sink from others: a session that is taken up again, with another one, starts a new record there.
    fn name(&self) -> String {
        String::new()
    }

    /// Waits until the entry of a ticket, and all before it, are as safe as the sink promises.
    ///
    /// # Errors
    /// If nobody knows that they are.
    fn commit(&self, ticket: Ticket) -> Result<(), SinkError>;
}

impl<S: Sink + ?Sized> Sink for Arc<S> {
    fn record(&self, entry: &Entry<'_>) -> Result<Ticket, SinkError> {
        (**self).record(entry)
    }

    fn name(&self) -> String {
        (**self).name()
    }

    fn commit(&self, ticket: Ticket) -> Result<(), SinkError> {
        (**self).commit(ticket)
    }
}

/// An entry that a sink has taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// The number of the entry in the sink: entries refer to each other by it.
    pub seq: u64,
    /// Whether there is anything to wait for.
    pub waits: bool,
}

/// Why an entry was not recorded. For the host, not for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SinkError {
    why: String,
}

impl SinkError {
    /// `why` in words: "the disk is full".
    #[must_use]
    pub fn new(why: impl Into<String>) -> Self {
        Self { why: why.into() }
    }
}

impl fmt::Display for SinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

impl std::error::Error for SinkError {}

/// One thing that happened in a session.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// The name of the session. `None` at the start of one that its host did not name: it is called `s` and the number of that
    /// entry.
    pub session: Option<&'a str>,
    /// The contract, by which findings name their rules.
    pub contract: &'a ContractInfo,
    /// When it happened.
    pub at: Time,
    /// What happened.
    pub what: Happening<'a>,
}

/// What happened.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Happening<'a> {
    /// The session began, or was taken up again.
    Start(Start<'a>),
    /// A call was decided. If it runs, it has not begun to.
    Decided(Decided<'a>),
    /// A call that ran has ended.
    Completed(Completed<'a>),
    /// A host event.
    Event {
        /// Its name.
        name: &'a str,
        /// Its value.
        value: &'a Value,
        /// What rules found in it.
        findings: &'a [Finding],
    },
    /// Something was found by the time that went by, or in the state that was taken up.
    Time {
        /// What.
        findings: &'a [Finding],
    },
    /// A rule let instances go.
    Retired {
        /// The rule, by index.
        rule: u16,
        /// Why.
        by: Cause,
        /// How many.
        count: u64,
        /// The keys of the first of them, [`crate::Departed::MOST`] at most.
        keys: &'a [Vec<Value>],
    },
    /// A request for approval was answered.
    Answered {
        /// The entry of the decision that asked, where it is known.
        request: Option<u64>,
        /// The answer.
        answer: Answer,
        /// Who gave it.
        by: Option<&'a str>,
        /// Why.
        reason: Option<&'a str>,
    },
    /// A guard saw something that is no call.
    Notice {
        /// What kind of thing.
        kind: NoticeKind,
        /// In words, without anything that came from the other side but names, escaped and short.
        text: &'a str,
        /// The bytes that it is about; only their digest and length are for anybody to keep.
        about: Option<&'a [u8]>,
        /// For how many it stands: more than one where there were too many for an entry each.
        count: u64,
    },
    /// The session has ended.
    End(&'a Summary),
}

/// The start of a session.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// The agent's name and version.
    pub agent: Option<(&'a str, &'a str)>,
    /// Where the session runs.
    pub surface: Option<&'a str>,
    /// The session that this one is a part of.
    pub parent: Option<&'a str>,
    /// The host's facts.
    pub context: Option<&'a Value>,
    /// Whether decisions are carried out.
    pub mode: Mode,
    /// Whether an earlier session was taken up again.
    pub resumed: bool,
}

/// A decision about a call.
#[derive(Clone, Copy, Debug)]
pub struct Decided<'a> {
    /// The number of the call in its session, from 0; refused ones count.
    pub call: u64,
    /// The tool.
    pub tool: &'a str,
    /// The server that has it.
    pub server: Option<&'a str>,
    /// The host's id of the call.
    pub id: Option<&'a str>,
    /// The sub-agent that calls.
    pub agent: Option<&'a str>,
    /// How many calls the same model turn made.
    pub batch: Option<u32>,
    /// The arguments that it runs with, or would run with. Of a call that is refused for it, they are nested too deeply for recursion.
    pub args: &'a Value,
    /// The arguments as the agent gave them, if the contract changed them.
    pub original: Option<&'a Value>,
    /// What the host received for the arguments as the agent gave them.
    pub bytes: Option<&'a [u8]>,
    /// What the tool does.
    pub effect: Effect,
    /// Whether a person has approved it.
    pub approved: bool,
    /// The decision that is carried out.
    pub decision: Decision,
    /// Why it does not run; `None` if it runs.
    pub refusal: Option<RefusalKind>,
    /// What rules had to say.
    pub findings: &'a [Finding],
    /// Whether the contract was evaluated.
    pub evaluated: bool,
    /// Whether a call of the session ran in shadow mode although it would have been stopped.
    pub after_divergence: bool,
}

/// How a call ended.
#[derive(Clone, Copy, Debug)]
pub struct Completed<'a> {
    /// The number of the call in its session.
    pub call: u64,
    /// The entry of its decision; `None` if the call runs unrecorded.
    pub decision: Option<u64>,
    /// The tool.
    pub tool: &'a str,
    /// How it ended, after the contract's `succeeds_when`.
    pub status: Status,
    /// The result as it came; only its digest is for anybody to keep where the agent may not see all of it.
    pub result: Option<&'a Value>,
    /// What the host received for it.
    pub bytes: Option<&'a [u8]>,
    /// How much of it the agent may see.
    pub shown: Shown<'a>,
    /// What rules found.
    pub findings: &'a [Finding],
    /// Whether the result was scored.
    pub evaluated: bool,
}

/// How much of a result the agent may see.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shown<'a> {
    /// All of it.
    All,
    /// This instead.
    Redacted(&'a Value),
    /// Nothing.
    Withheld,
}

/// Why an instance was let go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// Its key had no event for a while.
    Idle,
    /// To make room.
    Evicted,
    /// Its key was closed.
    Closed,
}

impl Cause {
    /// The spelling used in formats.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Evicted => "evicted",
            Self::Closed => "closed",
        }
    }
}

/// What became of a request for approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// A person said yes.
    Approved,
    /// A person said no.
    Denied,
    /// The answer came too late.
    Expired,
    /// The request is not open: another session's, or answered before.
    NotOpen,
}

impl Answer {
    /// The spelling used in formats.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Denied => "denied",
            Self::Expired => "expired",
            Self::NotOpen => "not_open",
        }
    }
}
