//! The JSON lines of a replay.

use std::io;

use contract_runtime::{ContractInfo, Finding, Retired, Verdict, message, what_helps};
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::Value;

use super::{Close, Recorded, Reporter, Tally, Undecided, costs};
use crate::output::Console;
use contract_lang::replay::{Came, Decided, Shown};
use contract_lang::trace::RecordedCall;

#[derive(serde::Serialize)]
struct DecisionLine<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<&'a str>,
    session: &'a str,
    index: u64,
    id: &'a str,
    tool: &'a str,
    decision: &'static str,
    after_divergence: bool,
    evaluated: bool,
    /// What the call runs with, where that is not what the trace gives.
    #[serde(skip_serializing_if = "Option::is_none")]
    rewritten: Option<&'a Value>,
    findings: Vec<FindingObject<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recorded: Option<RecordedObject>,
}

/// What was decided when the call was made.
#[derive(serde::Serialize)]
struct RecordedObject {
    decision: &'static str,
    ran: bool,
}

impl From<Recorded> for RecordedObject {
    fn from(recorded: Recorded) -> Self {
        Self { decision: recorded.decision.as_str(), ran: recorded.ran }
    }
}

/// A call that cannot be decided.
#[derive(serde::Serialize)]
struct UndecidedLine<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<&'a str>,
    session: &'a str,
    index: u64,
    id: &'a str,
    tool: &'a str,
    decision: &'static str,
    why: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    recorded: Option<RecordedObject>,
}

#[derive(serde::Serialize)]
struct ResultLine<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<&'a str>,
    session: &'a str,
    index: u64,
    id: &'a str,
    /// The same as `id`, where the agent does not see the result as it came.
    #[serde(skip_serializing_if = "Option::is_none")]
    result_of: Option<&'a str>,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    withheld: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    redacted: Option<bool>,
    findings: Vec<FindingObject<'a>>,
}

#[derive(serde::Serialize)]
struct EventLine<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<&'a str>,
    session: &'a str,
    event: &'a str,
    findings: Vec<FindingObject<'a>>,
}

#[derive(serde::Serialize)]
struct EndLine<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<&'a str>,
    session: &'a str,
    end: bool,
    findings: Vec<FindingObject<'a>>,
    verdicts: InOrder<'a, Verdict>,
    blocked: InOrder<'a, u64>,
    /// How many instances each rule let go to make room, or because they were idle.
    #[serde(skip_serializing_if = "InOrder::is_empty")]
    retired: InOrder<'a, Retired>,
}

#[derive(serde::Serialize)]
struct SummaryLine {
    summary: bool,
    sessions: u64,
    calls: u64,
    allow: u64,
    alert: u64,
    ask: u64,
    block: u64,
    end_violations: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    undecided: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    differ: Option<u64>,
}

#[derive(serde::Serialize)]
struct FindingObject<'a> {
    rule: String,
    verdict: &'static str,
    /// What the finding asks the host to do; at the end there is nothing to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<&'static str>,
    #[serde(skip_serializing_if = "<[Value]>::is_empty")]
    key: &'a [Value],
    message: String,
    /// What would make the call allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
}

/// An object with its keys in the order of the contract.
struct InOrder<'a, T>(&'a [(String, T)]);

/// How a value is written.
trait Written {
    type As: Serialize;
    fn written(&self) -> Self::As;
}

impl Written for Verdict {
    type As = &'static str;
    fn written(&self) -> &'static str {
        self.as_str()
    }
}

/// How many instances a rule let go.
#[derive(serde::Serialize)]
struct RetiredObject {
    evicted: u64,
    idle: u64,
    closed: u64,
    filter_full: bool,
}

impl Written for Retired {
    type As = RetiredObject;
    fn written(&self) -> RetiredObject {
        let Self { evicted, idle, closed, filter_full } = *self;
        RetiredObject { evicted, idle, closed, filter_full }
    }
}

impl<T> InOrder<'_, T> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Written for u64 {
    type As = Self;
    fn written(&self) -> Self {
        *self
    }
}

impl<T: Written> Serialize for InOrder<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in self.0 {
            object.serialize_entry(key, &value.written())?;
        }
        object.end()
    }
}

/// Whether a finding may still stop something.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moment {
    Underway,
    End,
}

fn objects<'f>(contract: &'f ContractInfo, findings: &'f [Finding], moment: Moment) -> Vec<FindingObject<'f>> {
    let object = |finding: &'f Finding| FindingObject {
        rule: finding.id(contract),
        verdict: finding.verdict.as_str(),
        action: (moment == Moment::Underway).then(|| finding.action.as_str()),
        key: &finding.key,
        message: message(contract, finding),
        help: what_helps(contract, finding),
    };
    findings.iter().map(object).collect()
}

impl Reporter<'_, '_> {
    pub(super) fn decision_line(
        &mut self,
        session: &str,
        call: &RecordedCall,
        decided: &Decided,
        then: Option<Recorded>,
    ) -> io::Result<()> {
        self.console.out.json(&DecisionLine {
            trace: self.file,
            session,
            index: decided.index,
            id: &call.id,
            tool: &call.tool,
            decision: decided.decision.as_str(),
            after_divergence: decided.after_divergence,
            evaluated: decided.evaluated,
            rewritten: decided.rewritten.as_ref(),
            findings: objects(self.contract, &decided.findings, Moment::Underway),
            recorded: then.map(RecordedObject::from),
        })
    }

    pub(super) fn undecided_line(
        &mut self,
        session: &str,
        call: &RecordedCall,
        Undecided { index, why, then }: Undecided<'_>,
    ) -> io::Result<()> {
        self.console.out.json(&UndecidedLine {
            trace: self.file,
            session,
            index,
            id: &call.id,
            tool: &call.tool,
            decision: "undecided",
            why,
            recorded: then.map(RecordedObject::from),
        })
    }

    pub(super) fn result_line(&mut self, session: &str, came: &Came) -> io::Result<()> {
        self.console.out.json(&ResultLine {
            trace: self.file,
            session,
            index: came.index,
            id: &came.id,
            result_of: (came.shown != Shown::All).then_some(came.id.as_str()),
            status: came.status.as_str(),
            withheld: (came.shown == Shown::Nothing).then_some(true),
            redacted: (came.shown == Shown::Redacted).then_some(true),
            findings: objects(self.contract, &came.findings, Moment::Underway),
        })
    }

    pub(super) fn event_line(&mut self, session: &str, event: &str, findings: &[Finding]) -> io::Result<()> {
        let findings = objects(self.contract, findings, Moment::Underway);
        self.console.out.json(&EventLine { trace: self.file, session, event, findings })
    }

    pub(super) fn end_line(&mut self, session: &str, close: &Close<'_>) -> io::Result<()> {
        let retired: Vec<_> = close.retired.iter().filter(|(_, retired)| costs(retired)).cloned().collect();
        self.console.out.json(&EndLine {
            trace: self.file,
            session,
            end: close.ended,
            findings: objects(self.contract, close.findings, Moment::End),
            verdicts: InOrder(close.verdicts),
            blocked: InOrder(close.blocked),
            retired: InOrder(&retired),
        })
    }
}

pub(super) fn summary(tally: &Tally, console: &mut Console<'_>) -> io::Result<()> {
    let Tally { sessions, calls, allow, alert, ask, block, end_violations, .. } = *tally;
    let (undecided, differ) = (tally.journals.map(|of| of.undecided), tally.journals.map(|of| of.differ));
    let summary = true;
    console.out.json(&SummaryLine {
        summary,
        sessions,
        calls,
        allow,
        alert,
        ask,
        block,
        end_violations,
        undecided,
        differ,
    })
}
