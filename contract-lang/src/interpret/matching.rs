//! Which patterns and commits an event matches, asked from outside: analysis and coverage want to know what happened, not only
//! what was decided.

use contract_runtime::{CallView, EventView, OutcomeView, Status, Truth};

use super::evaluate::{Moment, Scope};
use super::{Flight, Interpreter};

/// What happened.
#[derive(Clone, Copy, Debug)]
pub enum Happened<'a> {
    /// A call is made.
    Call(CallView<'a>),
    /// A call that ran has ended.
    Result(CallView<'a>, &'a Flight, OutcomeView<'a>),
    /// A host event.
    Event(EventView<'a>),
}

impl Interpreter {
    /// Which of the patterns that a rule steps on hold, as the bits of a letter; with them, above, those that `guards`.
    /// Asked before the monitor takes the event. What is not established does not hold.
    #[must_use]
    pub fn matched(&self, rule: usize, what: Happened<'_>) -> u16 {
        let Some(rule) = self.program.contract.rules.get(rule) else { return 0 };
        let scope = self.scope(what);
        let patterns = rule.patterns().iter().chain(&rule.guards);
        let bits = (0u32..).zip(patterns).filter(|(_, pattern)| scope.occurs(pattern) == Truth::True);
        bits.fold(0, |all, (bit, _)| all | 1u16.checked_shl(bit).unwrap_or(0))
    }

    /// Whether a commit changes the state at an event. Asked before the monitor takes the event.
    #[must_use]
    pub fn commits(&self, commit: usize, what: Happened<'_>) -> bool {
        let Some(commit) = self.program.contract.commits.get(commit) else { return false };
        let scope = self.scope(what);
        scope.occurs(&commit.after) == Truth::True
            && commit.when.as_ref().is_none_or(|when| scope.condition(when) == Truth::True)
    }

    fn scope<'a>(&'a self, what: Happened<'a>) -> Scope<'a> {
        let at = |context, now, subject| Scope {
            regexes: &self.program.regexes,
            state: &self.state,
            context,
            now,
            position: self.position,
            subject,
            watch: None,
        };
        match what {
            Happened::Call(call) => {
                Scope { watch: None, ..self.program.call_scope(&self.state, self.position, &call).0 }
            }
            Happened::Event(event) => {
                at(event.context, event.now, Moment::Event { name: event.name, value: event.value })
            }
            Happened::Result(call, flight, outcome) => {
                let effect = flight.effect;
                let moment = |status| Moment::Result { call, effect, status, value: outcome.value };
                let scope = at(call.context, call.now, moment(Status::Ok));
                let status = self.program.status(&call, &scope, &outcome);
                Scope { subject: moment(status).settled(), ..scope }
            }
        }
    }
}
