//! What other people's tools read: spans, security events and metrics made of a journal.
//!
//! INVARIANT: memory does not grow with the journal. What an agent chose is a value, with what cannot be seen made visible and
//! of bounded length; arguments and results are left out unless they are asked for.

mod facts;
#[cfg(test)]
mod fixture;
mod join;
mod ocsf;
mod otlp;
mod prometheus;
mod text;

use std::io;

use contract_runtime::Time;
use contract_runtime::journal::record::{Approval, Decided, Finding, Notice, Outcome, Retirement};
use contract_runtime::journal::{Hash, Head};

use self::join::Session;
pub(crate) use self::join::{Joiner, Lost};
pub(crate) use self::ocsf::Ocsf;
#[cfg(feature = "http")]
pub(crate) use self::otlp::Collector;
pub(crate) use self::otlp::{Lines, Otlp};
pub(crate) use self::prometheus::Prometheus;

/// A form to export to.
pub(crate) trait Target {
    /// Takes what is next. Calls come when they have ended, or are given up.
    ///
    /// # Errors
    /// If it cannot be written.
    fn take(&mut self, item: &Item<'_>) -> io::Result<()>;

    /// Writes what is left.
    ///
    /// # Errors
    /// If it cannot be written.
    fn finish(&mut self) -> io::Result<()>;
}

/// What a journal says of a session.
#[derive(Debug)]
pub(crate) enum Item<'a> {
    /// A session began.
    Started(&'a Session),
    /// A call, with its outcome where there is one.
    Call(&'a Session, &'a Call),
    /// Something was found that concerns no call: by time, in an event of the host, at the end.
    Found(&'a Session, &'a Found<'a>),
    /// Instances were let go.
    Retired(&'a Session, &'a Retirement<'static>),
    /// A request was answered.
    Answered(&'a Session, &'a Approval<'static>),
    /// A guard saw something that is no call.
    Noticed(&'a Session, &'a Notice<'static>),
    /// The host reported a fact.
    Event(&'a Session),
    /// Records are missing.
    Missing(u64),
    /// A session ended, or is given up.
    Ended(&'a Session),
}

/// Where something is in the journal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) at: Time,
    pub(crate) seq: u64,
    pub(crate) hash: Hash,
}

impl Place {
    fn of(head: &Head<'_>, hash: Hash) -> Self {
        Self { at: head.at, seq: head.seq, hash }
    }
}

/// A call: its decision and what became of it.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) place: Place,
    /// The name of its session.
    pub(crate) session: String,
    pub(crate) decided: Decided<'static>,
    pub(crate) outcome: Option<(Place, Outcome<'static>)>,
    /// The bytes of the record of its decision.
    bytes: usize,
}

impl Call {
    /// The findings of both, the decision's first.
    fn findings(&self) -> impl Iterator<Item = (&Place, &Finding<'static>)> {
        let decided = self.decided.findings.iter().map(|finding| (&self.place, finding));
        let outcome = self.outcome.iter().flat_map(|(place, outcome)| outcome.findings.iter().map(move |f| (place, f)));
        decided.chain(outcome)
    }
}

/// What was found outside of calls.
#[derive(Debug)]
pub(crate) struct Found<'a> {
    pub(crate) place: Place,
    /// The kind of the record.
    pub(crate) kind: &'static str,
    pub(crate) findings: &'a [Finding<'static>],
}

/// Whether the finding says that a rule is violated, or stopped something.
fn is_alarm(finding: &Finding<'_>) -> bool {
    use contract_runtime::{Decision, Verdict};
    finding.verdict == Verdict::Violated || finding.action >= Decision::Ask
}

/// Words of the format that the runtime has no type for.
const KIND_DECISION: &str = "decision";
