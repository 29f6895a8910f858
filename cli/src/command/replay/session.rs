//! One session of a trace, with its calls in flight.

use std::collections::BTreeMap;

use contract_lang::interpret::{Interpreted, Interpreter};
use contract_runtime::journal::Journal;
use contract_runtime::{
    Decision, Finding, Mode, OnError, Outcome, Permit, RefusalKind, Retired, Seed, Session, Status, Summary, Time,
    Verdict,
};
use serde_json::Value;

use crate::trace::{Recorded, RecordedCall};

/// What a session begins with.
pub(in crate::command) struct Terms<'t> {
    pub(in crate::command) contract: &'t Interpreted,
    pub(in crate::command) mode: Option<Mode>,
    pub(in crate::command) on_error: Option<OnError>,
    pub(in crate::command) context: Option<Value>,
    pub(in crate::command) seed: Seed,
    /// When.
    pub(in crate::command) at: Time,
    /// The journal that is written of it, and what the trace calls it.
    pub(in crate::command) recorded: Option<(&'t Journal, &'t str)>,
}

/// A session that runs.
pub(in crate::command) struct Running {
    session: Session<Interpreter>,
    /// How many sessions of the trace began before this one.
    pub(in crate::command) order: u64,
    latest: Time,
    calls: u64,
    open: BTreeMap<String, Open>,
}

/// A call whose result has not come.
enum Open {
    /// It runs.
    Admitted { index: u64, permit: Permit<Interpreter> },
    /// It was stopped: a result of it is what happened without the contract, and is ignored.
    Stopped,
}

/// A decision about a call.
pub(in crate::command) struct Decided {
    /// The position among the session's calls.
    pub(in crate::command) index: u64,
    pub(in crate::command) decision: Decision,
    /// Whether the call runs.
    pub(in crate::command) runs: bool,
    pub(in crate::command) after_divergence: bool,
    /// Whether the contract was evaluated; if not, `on_error` decided.
    pub(in crate::command) evaluated: bool,
    /// What the call runs with, if that is not what the trace gives.
    pub(in crate::command) rewritten: Option<Value>,
    pub(in crate::command) findings: Vec<Finding>,
    /// The text for the model, if the call does not run.
    pub(in crate::command) refusal: Option<String>,
}

/// What came of a result.
pub(in crate::command) struct Came {
    pub(in crate::command) index: u64,
    pub(in crate::command) id: String,
    pub(in crate::command) status: Status,
    pub(in crate::command) shown: Shown,
    pub(in crate::command) findings: Vec<Finding>,
}

/// How much of a result the agent sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::command) enum Shown {
    All,
    Redacted,
    Nothing,
}

impl Running {
    pub(in crate::command) fn start(terms: Terms<'_>, order: u64) -> Result<Self, String> {
        let Terms { contract, mode, on_error, context, seed, at, recorded } = terms;
        // Every line has a time, so nobody asks for another.
        let mut builder = Session::builder(contract.monitor()).clock(move || at).seed(seed);
        if let Some(mode) = mode {
            builder = builder.mode(mode);
        }
        if let Some(on_error) = on_error {
            builder = builder.on_error(on_error);
        }
        if let Some(facts) = context {
            builder = builder.context(facts);
        }
        if let Some((journal, name)) = recorded {
            // The journal names the session: it may hold others of that name already.
            builder = builder.journal(journal.clone()).surface("replay").parent(name);
        }
        let session = builder.start().map_err(|error| error.to_string())?;
        Ok(Self { session, order, latest: Time::MIN, calls: 0, open: BTreeMap::new() })
    }

    /// The time that counts for a line: never before the session's latest.
    pub(in crate::command) fn advance(&mut self, at: Time) -> Time {
        self.latest = self.latest.max(at);
        self.latest
    }

    /// Decides a call.
    pub(in crate::command) fn call(&mut self, call: &RecordedCall, at: Time) -> Result<Decided, String> {
        if let Some(Open::Admitted { .. }) = self.open.get(call.key()) {
            return Err(format!(
                "the call `{}` is in flight already; expected its result first, or another id",
                call.id
            ));
        }
        let index = self.calls;
        self.calls = self.calls.saturating_add(1);
        let decided = match self.session.before(&call.at(at)) {
            Ok(permit) => {
                let decided = Decided {
                    index,
                    decision: permit.decision(),
                    runs: true,
                    after_divergence: permit.after_divergence(),
                    evaluated: permit.evaluated(),
                    rewritten: Some(permit.args()).filter(|args| *args != permit.original_args()).cloned(),
                    findings: permit.findings().to_vec(),
                    refusal: None,
                };
                self.open.insert(call.key().to_owned(), Open::Admitted { index, permit });
                decided
            }
            Err(refusal) => {
                self.open.insert(call.key().to_owned(), Open::Stopped);
                Decided {
                    index,
                    decision: match refusal.kind() {
                        RefusalKind::NeedsApproval => Decision::Ask,
                        _ => Decision::Block,
                    },
                    runs: false,
                    after_divergence: refusal.after_divergence(),
                    evaluated: refusal.evaluated(),
                    rewritten: None,
                    refusal: Some(refusal.text().to_owned()),
                    findings: refusal.findings().to_vec(),
                }
            }
        };
        Ok(decided)
    }

    /// The next call has this number.
    pub(in crate::command) fn number(&mut self, call: u64) {
        self.calls = call;
    }

    /// Whether a call runs and has no result.
    pub(in crate::command) fn runs(&self, key: &str) -> bool {
        matches!(self.open.get(key), Some(Open::Admitted { .. }))
    }

    /// Expects no result of a call that was stopped.
    pub(in crate::command) fn forget_stopped(&mut self, key: &str) {
        if !self.runs(key) {
            self.open.remove(key);
        }
    }

    /// Takes the result of a call; `None` if the call did not run.
    pub(in crate::command) fn result(&mut self, id: &str, result: Recorded, at: Time) -> Result<Option<Came>, String> {
        match self.open.remove(id) {
            Some(Open::Admitted { index, permit }) => {
                self.settle(id.to_owned(), index, permit, result.at(at)).map(Some)
            }
            Some(Open::Stopped) => Ok(None),
            None => Err(format!("no call `{id}` of this session is waiting for a result")),
        }
    }

    fn settle(
        &self,
        id: String,
        index: u64,
        permit: Permit<Interpreter>,
        outcome: Outcome<'_>,
    ) -> Result<Came, String> {
        let settled = self.session.settle(permit, outcome).map_err(|error| error.to_string())?;
        let shown = match (settled.withheld(), settled.redacted()) {
            (true, _) => Shown::Nothing,
            (false, true) => Shown::Redacted,
            (false, false) => Shown::All,
        };
        Ok(Came { index, id, status: settled.status, shown, findings: settled.findings })
    }

    /// Takes a host event.
    pub(in crate::command) fn event(&self, name: &str, value: &Value, at: Time) -> Result<Vec<Finding>, String> {
        self.session.event(name, value, Some(at)).map_err(|error| error.to_string())
    }

    /// Ends the session. Nobody knows how the calls in flight ended. What the time until then brought to light comes last.
    pub(in crate::command) fn end(mut self) -> (Vec<Came>, Summary) {
        let expired = self.session.advance(self.latest).unwrap_or_default();
        let mut flights: Vec<_> = std::mem::take(&mut self.open)
            .into_iter()
            .filter_map(|(id, open)| match open {
                Open::Admitted { index, permit } => Some((index, id, permit)),
                Open::Stopped => None,
            })
            .collect();
        flights.sort_unstable_by_key(|(index, ..)| *index);
        let unknown = |(index, id, permit)| self.settle(id, index, permit, Outcome::unknown().at(self.latest)).ok();
        let came = flights.into_iter().filter_map(unknown).collect();
        let mut summary = self.session.end();
        summary.findings.extend(expired);
        (came, summary)
    }

    /// The verdicts so far.
    pub(in crate::command) fn verdicts(&self) -> Vec<(String, Verdict)> {
        self.session.verdicts()
    }

    /// How many calls each rule has stopped so far.
    pub(in crate::command) fn blocked(&self) -> Vec<(String, u64)> {
        self.session.blocked()
    }

    /// How many instances each rule has let go so far.
    pub(in crate::command) fn retired(&self) -> Vec<(String, Retired)> {
        self.session.retired()
    }
}
