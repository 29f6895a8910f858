//! Sessions write to a journal: entries become records.
//!
//! INVARIANT: what an entry says in the agent's words becomes a digest, a captured value with its fields redacted, or a name of
//! bounded length. Messages of contracts, which may quote arguments, are left out.

use std::borrow::Cow;

use serde_json::Value;

use super::content::{Contents, shorten};
use super::record::{self, Agent, Body, Contract, ContractId, Counts, Hash, Hex, RuleEnd, Seen, Text, Why};
use super::{Journal, JournalError};
use crate::sink::{Completed, Decided, Entry, Happening, Shown, Sink, SinkError, Start, Ticket};
use crate::value::sha256;
use crate::{ContractInfo, Finding, Reason, StateSet, States};

impl Sink for Journal {
    fn record(&self, entry: &Entry<'_>) -> Result<Ticket, SinkError> {
        let session = entry.session.map(shorten);
        let recorded = self.write(session.as_deref(), entry);
        recorded.map_err(|error| refused(&error))
    }

    fn name(&self) -> String {
        self.id().to_string()
    }

    fn commit(&self, ticket: Ticket) -> Result<(), SinkError> {
        Self::commit(self, ticket).map_err(|error| refused(&error))
    }
}

fn refused(error: &JournalError) -> SinkError {
    SinkError::new(error.to_string())
}

/// A part of a record: names are bounded.
fn text(name: &str) -> Text<'_> {
    shorten(name)
}

impl Journal {
    fn contents(&self) -> Contents<'_> {
        Contents { digests: self.digests(), capture: self.content(), fields: self.fields() }
    }

    fn start(&self, session: Option<&str>, entry: &Entry<'_>, start: &Start<'_>) -> Result<Ticket, JournalError> {
        let ContractInfo { name, source, .. } = entry.contract;
        let sha256 = Hex(sha256(source.as_bytes()));
        let contract = Contract { name: name.as_ref().into(), sha256, source: source.as_ref().into() };
        let start = record::SessionStart {
            agent: start.agent.map(|(name, version)| Agent { name: text(name), version: text(version) }),
            context: start.context.map(|facts| self.contents().of(facts, None)),
            contract: ContractId { name: name.as_ref().into(), sha256 },
            key: self.key(),
            mode: start.mode,
            parent: start.parent.map(text),
            program: concat!("contract-runtime ", env!("CARGO_PKG_VERSION")).into(),
            resumed: start.resumed,
            surface: start.surface.map(text),
        };
        self.begin(session, entry.at, &contract, &start).map(|(_, ticket)| ticket)
    }

    fn write<'e>(&self, session: Option<&str>, entry: &Entry<'e>) -> Result<Ticket, JournalError> {
        let contract = entry.contract;
        let contents = self.contents();
        let found =
            |findings: &'e [Finding]| findings.iter().map(|found| finding(&contents, contract, found)).collect();
        let body: Body<'_> = match &entry.what {
            Happening::Start(start) => return self.start(session, entry, start),
            Happening::Decided(decided) => decision(&contents, decided, found(decided.findings)).into(),
            Happening::Completed(completed) => outcome(&contents, completed, found(completed.findings)).into(),
            Happening::Event { name, value, findings } => {
                record::Event { findings: found(findings), name: text(name), value: contents.of(value, None) }.into()
            }
            Happening::Time { findings } => record::Passed { findings: found(findings) }.into(),
            Happening::Retired { rule, by, count, keys } => {
                let rule = contract.rules.get(usize::from(*rule));
                record::Retirement {
                    by: *by,
                    count: *count,
                    keys: keys.iter().map(|key| contents.key(key)).collect(),
                    rule: rule.map(|rule| rule.id.as_ref()).unwrap_or_default().into(),
                }
                .into()
            }
            Happening::Answered { request, answer, by, reason } => record::Approval {
                answer: *answer,
                by: by.map(text),
                reason: reason.map(|reason| contents.of(&Value::from(reason), None)),
                request: *request,
            }
            .into(),
            Happening::Notice { kind, text: said, about, count } => record::Notice {
                bytes: about.map(|bytes| u64::try_from(bytes.len()).unwrap_or(u64::MAX)),
                count: *count,
                digest: about.map(|bytes| self.digests().digest(bytes)),
                text: text(said),
                what: *kind,
            }
            .into(),
            Happening::End(summary) => {
                let crate::Counts { allow, alert, ask, block } = summary.counts;
                let blocked =
                    |id: &str| summary.blocked.iter().find(|(rule, _)| rule == id).map_or(0, |(_, count)| *count);
                let rules = summary.verdicts.iter().map(|(id, verdict)| RuleEnd {
                    blocked: blocked(id),
                    rule: id.as_str().into(),
                    verdict: *verdict,
                });
                record::SessionEnd {
                    counts: Counts { alert, allow, ask, block },
                    findings: found(&summary.findings),
                    rules: rules.collect(),
                }
                .into()
            }
        };
        self.append(session, entry.at, &body)
    }
}

fn decision<'e>(
    contents: &Contents<'_>,
    decided: &Decided<'e>,
    findings: Vec<record::Finding<'e>>,
) -> record::Decided<'e> {
    // What the host received is what the agent gave.
    let (bytes, given) = match decided.original {
        Some(_) => (None, decided.bytes),
        None => (decided.bytes, None),
    };
    record::Decided {
        after_divergence: decided.after_divergence,
        agent: decided.agent.map(text),
        approved: decided.approved,
        args: contents.of(decided.args, bytes),
        batch: decided.batch.map(u64::from),
        call: decided.call,
        decision: decided.decision,
        effect: decided.effect,
        evaluated: decided.evaluated,
        findings,
        id: decided.id.map(text),
        original: decided.original.map(|args| contents.of(args, given)),
        ran: decided.refusal.is_none(),
        refusal: decided.refusal,
        server: decided.server.map(text),
        tool: text(decided.tool),
    }
}

fn outcome<'e>(
    contents: &Contents<'_>,
    completed: &Completed<'e>,
    findings: Vec<record::Finding<'e>>,
) -> record::Outcome<'e> {
    let (shown, seen) = match completed.shown {
        Shown::All => (completed.result, Seen::All),
        Shown::Redacted(value) => (Some(value), Seen::Redacted),
        Shown::Withheld => (None, Seen::Withheld),
    };
    record::Outcome {
        call: completed.call,
        decision: completed.decision,
        evaluated: completed.evaluated,
        findings,
        result: match (completed.result, completed.bytes) {
            (None, None) => None,
            (result, bytes) => Some(contents.shown(result.unwrap_or(&Value::Null), bytes, shown)),
        },
        shown: seen,
        status: completed.status,
        tool: text(completed.tool),
    }
}

fn finding<'e>(contents: &Contents<'_>, contract: &ContractInfo, found: &'e Finding) -> record::Finding<'e> {
    let set = |states: StateSet| states.iter().map(u64::from).collect();
    let key = |key: &[Value]| -> Option<Hash> { (!key.is_empty()).then(|| contents.key(key)) };
    record::Finding {
        action: found.action,
        clause: match found.reason {
            Reason::Clause(clause) => Some(u64::from(clause)),
            _ => None,
        },
        help: found.help.as_deref().map(text),
        key: key(&found.key),
        reason: why(found.reason),
        rule: Cow::Owned(found.id(contract)),
        source: found.source.as_deref().map(text),
        states: found.states.map(|States { before, after }| record::States { after: set(after), before: set(before) }),
        verdict: found.verdict,
    }
}

fn why(reason: Reason) -> Why {
    match reason {
        Reason::Rule => Why::Rule,
        Reason::UnreadableKey => Why::UnreadableKey,
        Reason::InstancesFull => Why::InstancesFull,
        Reason::Forgotten => Why::Forgotten,
        Reason::FilterFull => Why::FilterFull,
        Reason::Clause(_) => Why::Clause,
        Reason::NoPermit => Why::NoPermit,
        Reason::UnknownTool => Why::UnknownTool,
        Reason::Ended => Why::Ended,
        Reason::Expired => Why::Expired,
        Reason::Guarded => Why::Guarded,
        Reason::Rewrite => Why::Rewrite,
        Reason::Rewritten => Why::Rewritten,
        Reason::Redacted => Why::Redacted,
        Reason::Flow { .. } => Why::Flow,
        Reason::Full => Why::Full,
        Reason::CellFull => Why::CellFull,
        Reason::BadValue => Why::BadValue,
        Reason::Changed => Why::Changed,
    }
}
