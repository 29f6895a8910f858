//! Plays recorded sessions: each with its calls, results and events, and the calls in flight; and all sessions of a trace
//! ([`Player`]).

mod player;

pub use player::{Player, Stage, Step};

use std::collections::BTreeMap;
use std::sync::Arc;

use contract_runtime::{
    Decision, Finding, Mode, OnError, Outcome, Permit, RefusalKind, Retired, Seed, Session, Sink, Status, Summary,
    Time, Verdict,
};
use serde_json::Value;

use crate::interpret::{Interpreted, Interpreter};
use crate::trace::{Recorded, RecordedCall};

/// What a session begins with.
#[expect(missing_debug_implementations, reason = "a sink has none")]
pub struct Terms<'t> {
    /// The contract.
    pub contract: &'t Interpreted,
    /// Instead of the contract's mode.
    pub mode: Option<Mode>,
    /// Instead of what the contract says of calls that cannot be decided.
    pub on_error: Option<OnError>,
    /// The trusted facts: an object.
    pub context: Option<Value>,
    /// The secret of its filters.
    pub seed: Seed,
    /// When.
    pub at: Time,
    /// The journal that is written of it, and what the trace calls it.
    pub recorded: Option<(Arc<dyn Sink>, &'t str)>,
}

/// A session that runs.
#[derive(Debug)]
pub struct Running {
    session: Session<Interpreter>,
    /// How many sessions of the trace began before this one.
    pub order: u64,
    latest: Time,
    calls: u64,
    open: BTreeMap<String, Open>,
}

/// A call whose result has not come.
#[derive(Debug)]
enum Open {
    /// It runs.
    Admitted { index: u64, permit: Permit<Interpreter> },
    /// It was stopped: a result of it is what happened without the contract, and is ignored.
    Stopped,
}

/// A decision about a call.
#[derive(Debug)]
pub struct Decided {
    /// The position among the session's calls.
    pub index: u64,
    /// What the contract says.
    pub decision: Decision,
    /// Whether the call runs.
    pub runs: bool,
    /// Whether the session has gone another way than under enforcement.
    pub after_divergence: bool,
    /// Whether the contract was evaluated; if not, `on_error` decided.
    pub evaluated: bool,
    /// What the call runs with, if that is not what the trace gives.
    pub rewritten: Option<Value>,
    /// What the rules say.
    pub findings: Vec<Finding>,
    /// The text for the model, if the call does not run.
    pub refusal: Option<String>,
}

/// What came of a result.
#[derive(Debug)]
pub struct Came {
    /// The position of the call among the session's calls.
    pub index: u64,
    /// The id of the call.
    pub id: String,
    /// How it ended, as the contract sees it.
    pub status: Status,
    /// How much the agent sees.
    pub shown: Shown,
    /// What it sees.
    pub seen: Value,
    /// What the rules say.
    pub findings: Vec<Finding>,
}

/// How much of a result the agent sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// All of it.
    All,
    /// Parts are masked.
    Redacted,
    /// It is withheld.
    Nothing,
}

impl Running {
    /// Begins.
    ///
    /// # Errors
    /// If the context is not what the contract declares.
    pub fn start(terms: Terms<'_>, order: u64) -> Result<Self, String> {
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
            builder = builder.journal(journal).surface("replay").parent(name);
        }
        let session = builder.start().map_err(|error| error.to_string())?;
        Ok(Self { session, order, latest: Time::MIN, calls: 0, open: BTreeMap::new() })
    }

    /// The time that counts for a line: never before the session's latest.
    pub fn advance(&mut self, at: Time) -> Time {
        self.latest = self.latest.max(at);
        self.latest
    }

    /// Decides a call.
    ///
    /// # Errors
    /// If a call with its id is in flight.
    pub fn call(&mut self, call: &RecordedCall, at: Time) -> Result<Decided, String> {
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
    pub fn number(&mut self, call: u64) {
        self.calls = call;
    }

    /// Whether a call runs and has no result.
    pub fn runs(&self, key: &str) -> bool {
        matches!(self.open.get(key), Some(Open::Admitted { .. }))
    }

    /// Expects no result of a call that was stopped.
    pub fn forget_stopped(&mut self, key: &str) {
        if !self.runs(key) {
            self.open.remove(key);
        }
    }

    /// Takes the result of a call; `None` if the call did not run.
    ///
    /// # Errors
    /// If no call with the id waits for one.
    pub fn result(&mut self, id: &str, result: Recorded, at: Time) -> Result<Option<Came>, String> {
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
        let (status, seen, findings) = (settled.status, settled.value.into_owned(), settled.findings);
        Ok(Came { index, id, status, shown, seen, findings })
    }

    /// Takes a host event.
    ///
    /// # Errors
    /// If the session does not take it.
    pub fn event(&self, name: &str, value: &Value, at: Time) -> Result<Vec<Finding>, String> {
        self.session.event(name, value, Some(at)).map_err(|error| error.to_string())
    }

    /// Ends the session. Nobody knows how the calls in flight ended. What the time until then brought to light comes last.
    pub fn end(mut self) -> (Vec<Came>, Summary) {
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
    pub fn verdicts(&self) -> Vec<(String, Verdict)> {
        self.session.verdicts()
    }

    /// How many calls each rule has stopped so far.
    pub fn blocked(&self) -> Vec<(String, u64)> {
        self.session.blocked()
    }

    /// How many instances each rule has let go so far.
    pub fn retired(&self) -> Vec<(String, Retired)> {
        self.session.retired()
    }
}
