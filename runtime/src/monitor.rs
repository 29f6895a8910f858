//! The interface of a monitor: what generated code and the interpreter implement, and sessions use.

use std::fmt;

use serde_json::Value;

use crate::finding::{Finding, Report};
use crate::flight::Flight;
use crate::instances::{Departed, Retired, Seed};
use crate::rewriting::Rewriting;
use crate::settlement::Settlement;
use crate::{CallView, ContractInfo, Effect, EventView, OutcomeView, Posture, Ruling, Time, Verdict};

/// The monitor of one contract for one session.
///
/// A monitor is deterministic: the same calls, results, events, context and times give the same answers. It never blocks,
/// does no I/O, and does not panic on anything an agent sends.
pub trait Monitor: Send {
    /// What the monitor keeps of a call in flight.
    type Flight: Flight;

    /// What the contract says of itself.
    fn info(&self) -> &ContractInfo;

    /// The effect of a call.
    fn effect(&self, call: &CallView<'_>) -> Effect;

    /// The arguments that the call runs with, where the contract changes them. `call` has the original ones.
    fn rewrite(&self, call: &CallView<'_>, posture: Posture) -> Rewriting;

    /// Decides a call, and if it runs, commits to it: counters and slots are reserved before this returns. `call` has the
    /// arguments after `rewriting`.
    fn before(&mut self, call: &CallView<'_>, rewriting: &Rewriting, posture: Posture) -> Ruling<Self::Flight>;

    /// Takes the outcome of a call that ran.
    fn after(
        &mut self,
        call: &CallView<'_>,
        flight: Self::Flight,
        outcome: OutcomeView<'_>,
        posture: Posture,
    ) -> Settlement;

    /// Whether a rule may withhold or redact the result of this call. Asked where a result could not be scored: then what
    /// nobody looked at is withheld.
    fn shields(&self, call: &CallView<'_>) -> bool {
        let _ = call;
        true
    }

    /// Takes a host event.
    fn event(&mut self, event: &EventView<'_>) -> Report;

    /// Time goes by: obligations run out, and facts go stale. What is found can only be reported. Called with the time of an
    /// event before any other question about it: [`Self::rewrite`] reads what is established then.
    fn advance(&mut self, now: Time) -> Report;

    /// Ends the session: every pending obligation is a violation. Calls in flight have been completed before.
    fn end(&mut self) -> Vec<Finding>;

    /// The verdict of a rule, by index, over the trace so far.
    fn verdict(&self, rule: usize) -> Verdict;

    /// Takes the secret of the session. Asked before its first event; a monitor of a session that is taken up again has the one
    /// that was saved.
    fn seed(&mut self, seed: Seed) {
        let _ = seed;
    }

    /// How many instances of a rule, by index, were let go.
    fn retired(&self, rule: usize) -> Retired {
        let _ = rule;
        Retired::default()
    }

    /// From now on, remembers which instances it lets go until [`Self::departures`] asks.
    fn watch_departures(&mut self) {}

    /// Which instances were let go since this was last asked, in the order of the rules.
    fn departures(&mut self) -> Vec<Departed> {
        Vec::new()
    }

    /// All that the monitor remembers, as JSON: rules by id, state cells by index, the position.
    fn save(&self) -> Value;

    /// Takes up what a monitor of the same contract, or of another version of it, saved. Returns which rules and cells are in
    /// doubt: with another version all of them, because nothing is known of what led there.
    ///
    /// # Errors
    /// If no run of the contract could have saved this. The monitor is then not to be used.
    fn restore(&mut self, saved: &Value, version: Version) -> Result<Vec<Finding>, RestoreError>;
}

/// Of which contract saved state is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Version {
    /// The very same.
    Same,
    /// Another version.
    Other,
}

/// Why saved state cannot be taken up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestoreError {
    what: String,
}

impl RestoreError {
    /// `what` says what is wrong, in the form "the state of the rule `x` …".
    #[must_use]
    pub fn new(what: impl Into<String>) -> Self {
        Self { what: what.into() }
    }
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the saved session cannot be taken up: {}", self.what)
    }
}

impl std::error::Error for RestoreError {}
