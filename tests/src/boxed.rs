//! A monitor behind a pointer: sessions, replays and comparisons are compiled once, and not again for each contract that is
//! compiled.

use contract_runtime::private::Note;
use contract_runtime::{
    CallView, ContractInfo, Departed, Effect, EventView, Finding, Flight, Monitor, OutcomeView, Posture, Report,
    RestoreError, Retired, Rewriting, Ruling, Seed, Settlement, Time, Verdict, Version,
};
use serde_json::Value;

/// Any monitor.
#[expect(missing_debug_implementations, reason = "what a monitor remembers is shown by `save`")]
pub struct Boxed(Box<dyn Erased>);

impl Boxed {
    /// Puts a monitor behind a pointer.
    pub fn new(monitor: impl Monitor + 'static) -> Self {
        Self(Box::new(monitor))
    }
}

/// What a monitor keeps of a call in flight, however many rules it has.
#[derive(Clone, Debug)]
pub struct Kept {
    effect: Effect,
    notes: Vec<Note>,
}

impl Flight for Kept {
    fn effect(&self) -> Effect {
        self.effect
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn new(effect: Effect, notes: &[Note]) -> Self {
        Self { effect, notes: notes.to_vec() }
    }
}

/// [`Monitor`] without the type of its flights.
trait Erased: Send {
    fn before(&mut self, call: &CallView<'_>, rewriting: &Rewriting, posture: Posture) -> Ruling<Kept>;
    fn after(&mut self, call: &CallView<'_>, kept: Kept, outcome: OutcomeView<'_>, posture: Posture) -> Settlement;
    fn info(&self) -> &ContractInfo;
    fn effect(&self, call: &CallView<'_>) -> Effect;
    fn rewrite(&self, call: &CallView<'_>, posture: Posture) -> Rewriting;
    fn shields(&self, call: &CallView<'_>) -> bool;
    fn event(&mut self, event: &EventView<'_>) -> Report;
    fn advance(&mut self, now: Time) -> Report;
    fn end(&mut self) -> Vec<Finding>;
    fn verdict(&self, rule: usize) -> Verdict;
    fn seed(&mut self, seed: Seed);
    fn retired(&self, rule: usize) -> Retired;
    fn watch_departures(&mut self);
    fn departures(&mut self) -> Vec<Departed>;
    fn save(&self) -> Value;
    fn restore(&mut self, saved: &Value, version: Version) -> Result<Vec<Finding>, RestoreError>;
}

impl<M: Monitor> Erased for M {
    fn before(&mut self, call: &CallView<'_>, rewriting: &Rewriting, posture: Posture) -> Ruling<Kept> {
        let Ruling { decision, would, effect, findings, flight } = Monitor::before(self, call, rewriting, posture);
        let flight = flight.map(|flight| Kept::new(flight.effect(), flight.notes()));
        Ruling { decision, would, effect, findings, flight }
    }

    fn after(&mut self, call: &CallView<'_>, kept: Kept, outcome: OutcomeView<'_>, posture: Posture) -> Settlement {
        Monitor::after(self, call, M::Flight::new(kept.effect, &kept.notes), outcome, posture)
    }

    fn info(&self) -> &ContractInfo {
        Monitor::info(self)
    }

    fn effect(&self, call: &CallView<'_>) -> Effect {
        Monitor::effect(self, call)
    }

    fn rewrite(&self, call: &CallView<'_>, posture: Posture) -> Rewriting {
        Monitor::rewrite(self, call, posture)
    }

    fn shields(&self, call: &CallView<'_>) -> bool {
        Monitor::shields(self, call)
    }

    fn event(&mut self, event: &EventView<'_>) -> Report {
        Monitor::event(self, event)
    }

    fn advance(&mut self, now: Time) -> Report {
        Monitor::advance(self, now)
    }

    fn end(&mut self) -> Vec<Finding> {
        Monitor::end(self)
    }

    fn verdict(&self, rule: usize) -> Verdict {
        Monitor::verdict(self, rule)
    }

    fn seed(&mut self, seed: Seed) {
        Monitor::seed(self, seed);
    }

    fn retired(&self, rule: usize) -> Retired {
        Monitor::retired(self, rule)
    }

    fn watch_departures(&mut self) {
        Monitor::watch_departures(self);
    }

    fn departures(&mut self) -> Vec<Departed> {
        Monitor::departures(self)
    }

    fn save(&self) -> Value {
        Monitor::save(self)
    }

    fn restore(&mut self, saved: &Value, version: Version) -> Result<Vec<Finding>, RestoreError> {
        Monitor::restore(self, saved, version)
    }
}

impl Monitor for Boxed {
    type Flight = Kept;

    fn info(&self) -> &ContractInfo {
        self.0.info()
    }

    fn effect(&self, call: &CallView<'_>) -> Effect {
        self.0.effect(call)
    }

    fn rewrite(&self, call: &CallView<'_>, posture: Posture) -> Rewriting {
        self.0.rewrite(call, posture)
    }

    fn before(&mut self, call: &CallView<'_>, rewriting: &Rewriting, posture: Posture) -> Ruling<Kept> {
        self.0.before(call, rewriting, posture)
    }

    fn after(&mut self, call: &CallView<'_>, kept: Kept, outcome: OutcomeView<'_>, posture: Posture) -> Settlement {
        self.0.after(call, kept, outcome, posture)
    }

    fn shields(&self, call: &CallView<'_>) -> bool {
        self.0.shields(call)
    }

    fn event(&mut self, event: &EventView<'_>) -> Report {
        self.0.event(event)
    }

    fn advance(&mut self, now: Time) -> Report {
        self.0.advance(now)
    }

    fn end(&mut self) -> Vec<Finding> {
        self.0.end()
    }

    fn verdict(&self, rule: usize) -> Verdict {
        self.0.verdict(rule)
    }

    fn seed(&mut self, seed: Seed) {
        self.0.seed(seed);
    }

    fn retired(&self, rule: usize) -> Retired {
        self.0.retired(rule)
    }

    fn watch_departures(&mut self) {
        self.0.watch_departures();
    }

    fn departures(&mut self) -> Vec<Departed> {
        self.0.departures()
    }

    fn save(&self) -> Value {
        self.0.save()
    }

    fn restore(&mut self, saved: &Value, version: Version) -> Result<Vec<Finding>, RestoreError> {
        self.0.restore(saved, version)
    }
}
