//! One rule at run time: how its kind steps, judges, and gives back.

use contract_runtime::private::{
    self as rt, Admission, Belief, Count, Note, Parts, Payment, Rate, RateLimit, Register, Room, Tick, Total,
};
use contract_runtime::{Reason, Status, Time, Truth, Verdict};
use serde_json::Value;

use super::evaluate::Scope;
use super::slot::{Look, Slot};
use crate::mir::{Counting, Kind, Machine, Rule};

/// The state of a rule.
#[derive(Debug)]
pub(super) enum RuleState {
    Automaton(Slot<Belief>),
    Count(Slot<Count>),
    Total(Slot<Total>),
    Rate(Slot<Rate>),
    /// `require` remembers whether it was violated.
    Require(rt::Stateless),
    /// `permit` remembers nothing.
    Permit,
}

/// What an event means for a rule that remembers something.
#[derive(Clone, Copy)]
pub(super) enum Event {
    Letters(rt::Step),
    Occurrence(Truth),
    Payment(Payment),
    Tick(Tick),
}

impl Machine {
    /// The machine as the runtime steps it.
    #[must_use]
    pub fn view(&self) -> rt::Machine<'_> {
        rt::Machine { width: self.width, initial: self.initial, colours: &self.colours, delta: &self.delta }
    }
}

/// Runs code for the slot of a rule that remembers something, with what its kind fixes and its step.
macro_rules! with_slot {
    ($state:expr, $kind:expr, $event:expr, $slot:ident, $rule:ident, $step:ident => $body:expr, else $other:expr) => {
        match ($state, $kind, $event) {
            (RuleState::Automaton($slot), Kind::Automaton { machine, .. }, Event::Letters($step)) => {
                let $rule = machine.view();
                $body
            }
            (RuleState::Count($slot), Kind::Count { limit, .. }, Event::Occurrence($step)) => {
                let $rule = *limit;
                $body
            }
            (RuleState::Total($slot), Kind::Total { limit, .. }, Event::Payment($step)) => {
                let $rule = *limit;
                $body
            }
            (RuleState::Rate($slot), Kind::Rate { limit, window, .. }, Event::Tick($step)) => {
                let $rule = RateLimit { limit: *limit, window: *window };
                $body
            }
            _ => $other,
        }
    };
}

/// The same where no step is needed.
macro_rules! with_state {
    ($state:expr, $kind:expr, $slot:ident, $rule:ident => $body:expr, else $other:expr) => {
        match ($state, $kind) {
            (RuleState::Automaton($slot), Kind::Automaton { machine, .. }) => {
                let $rule = machine.view();
                $body
            }
            (RuleState::Count($slot), Kind::Count { limit, .. }) => {
                let $rule = *limit;
                $body
            }
            (RuleState::Total($slot), Kind::Total { limit, .. }) => {
                let $rule = *limit;
                $body
            }
            (RuleState::Rate($slot), Kind::Rate { limit, window, .. }) => {
                let $rule = RateLimit { limit: *limit, window: *window };
                $body
            }
            _ => $other,
        }
    };
}

impl Event {
    /// What the event of a scope means for a rule; `None` if nothing.
    pub(super) fn of<'a>(rule: &'a Rule, scope: &Scope<'a>) -> Option<Self> {
        let occurs = |pattern| match scope.occurs(pattern) {
            Truth::False => None,
            occurs => Some(occurs),
        };
        match &rule.kind {
            Kind::Automaton { patterns, .. } => {
                let step = scope.step(patterns);
                (!step.is_none()).then_some(Self::Letters(step))
            }
            Kind::Count { pattern, .. } => occurs(pattern).map(Self::Occurrence),
            Kind::Total { pattern, amount, .. } => {
                occurs(pattern).map(|occurs| Self::Payment(Payment::new(occurs, scope.value(amount))))
            }
            Kind::Rate { pattern, .. } => occurs(pattern).map(|occurs| Self::Tick(Tick { occurs, at: scope.now })),
            Kind::Permit { .. } | Kind::Require { .. } => None,
        }
    }

    /// Whether the event is an occurrence, for rules that count.
    fn occurs(&self) -> Truth {
        match self {
            Self::Letters(_) => Truth::False,
            Self::Occurrence(occurs) => *occurs,
            Self::Payment(payment) => payment.occurs(),
            Self::Tick(tick) => tick.occurs,
        }
    }

    /// The amount of the occurrence, for rules that sum.
    fn amount(&self) -> Option<rt::Decimal> {
        match self {
            Self::Payment(payment) => payment.amount(),
            Self::Letters(_) | Self::Occurrence(_) | Self::Tick(_) => None,
        }
    }
}

impl RuleState {
    pub(super) fn new(rule: &Rule) -> Self {
        let max = rule.per.as_ref().map(|keyed| keyed.max);
        match &rule.kind {
            Kind::Automaton { machine, .. } => Self::Automaton(Slot::new(machine.view(), max)),
            Kind::Count { limit, .. } => Self::Count(Slot::new(*limit, max)),
            Kind::Total { limit, .. } => Self::Total(Slot::new(*limit, max)),
            Kind::Rate { limit, window, .. } => {
                Self::Rate(Slot::new(RateLimit { limit: *limit, window: *window }, max))
            }
            Kind::Permit { .. } => Self::Permit,
            Kind::Require { .. } => Self::Require(rt::Stateless::new()),
        }
    }

    pub(super) fn look(&self, rule: &Rule, key: Parts<'_>, event: &Event) -> Look {
        with_slot!(self, &rule.kind, event, slot, fixed, step => slot.look(fixed, key, step),
            else Look::Single(Verdict::Open))
    }

    pub(super) fn admit(&mut self, rule: &Rule, key: Parts<'_>, event: &Event, look: Look, admission: Admission) {
        with_slot!(self, &rule.kind, event, slot, fixed, step => slot.admit(fixed, key, step, look, admission),
            else ());
    }

    pub(super) fn observe(&mut self, rule: &Rule, key: Parts<'_>, event: &Event) -> (Verdict, Reason) {
        with_slot!(self, &rule.kind, event, slot, fixed, step => slot.observe(fixed, key, step), else (Verdict::Open, Reason::Rule))
    }

    /// Frees the instances that time has made fresh, for rules about time.
    pub(super) fn retire(&mut self, rule: &Rule, now: Time) {
        if let (Self::Rate(slot), Kind::Rate { limit, window, .. }) = (self, &rule.kind) {
            slot.retire(RateLimit { limit: *limit, window: *window }, now);
        }
    }

    pub(super) fn room(&self, rule: &Rule, key: Parts<'_>) -> Room {
        with_state!(self, &rule.kind, slot, _fixed => slot.room(key), else Room::NotNeeded)
    }

    pub(super) fn reserve(&mut self, rule: &Rule, key: Parts<'_>, room: Room) -> bool {
        with_state!(self, &rule.kind, slot, _fixed => slot.reserve(key, room), else false)
    }

    pub(super) fn release(&mut self, rule: &Rule, taken: bool) {
        with_state!(self, &rule.kind, slot, _fixed => slot.release(taken), else ());
    }

    pub(super) fn close(&mut self, rule: &Rule, key: Parts<'_>, matches: Truth) -> bool {
        with_state!(self, &rule.kind, slot, fixed => slot.close(fixed, key, matches), else false)
    }

    pub(super) fn verdict(&self, rule: &Rule) -> Verdict {
        if let Self::Require(stateless) = self {
            return stateless.verdict();
        }
        with_state!(self, &rule.kind, slot, fixed => slot.verdict(fixed), else Verdict::Open)
    }

    pub(super) fn end(&mut self, rule: &Rule) -> Vec<Vec<Value>> {
        with_state!(self, &rule.kind, slot, fixed => slot.end(fixed), else Vec::new())
    }

    /// What to remember of an admitted call that a rule may have to give back.
    pub(super) fn note(&self, rule: &Rule, key: Parts<'_>, event: &Event, now: Time) -> Note {
        if rule.counting() != Some(Counting::Succeeded) {
            return Note::NOTHING;
        }
        let incarnation = match self {
            Self::Count(slot) => slot.incarnation(key),
            Self::Total(slot) => slot.incarnation(key),
            Self::Rate(slot) => slot.incarnation(key),
            Self::Automaton(_) | Self::Require(_) | Self::Permit => 0,
        };
        Note { counted: event.occurs(), incarnation, at: now, amount: event.amount(), slot: false }
    }

    /// Gives back what a call counted that failed, or of which nobody knows whether it failed.
    pub(super) fn give_back(&mut self, key: Parts<'_>, note: Note, status: Status) {
        let failed = rt::failed(status);
        if failed == Truth::False {
            return;
        }
        match self {
            Self::Count(slot) => give_back(slot, key, &note.counted, failed, note),
            Self::Total(slot) => give_back(slot, key, &Payment::noted(note.counted, note.amount), failed, note),
            Self::Rate(slot) => give_back(slot, key, &Tick { occurs: note.counted, at: note.at }, failed, note),
            _ => {}
        }
    }
}

fn give_back<C: Register>(slot: &mut Slot<C>, key: Parts<'_>, step: &C::Step, failed: Truth, note: Note) {
    slot.give_back(key, step, failed, note.incarnation);
}

/// The preconditions of a call; `None` if the rule does not apply.
pub(super) fn require<'a>(rule: &'a Rule, scope: &Scope<'a>) -> Option<rt::Requirement> {
    let Kind::Require { pattern, clauses } = &rule.kind else { return None };
    let applies = scope.occurs(pattern);
    if applies == Truth::False {
        return None;
    }
    let mut required = rt::Requirement::new(applies);
    for (index, clause) in (0u16..).zip(clauses) {
        required.clause(index, scope.truth(&clause.predicate));
    }
    Some(required)
}
