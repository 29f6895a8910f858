//! What an event means for a rule that steps.

use contract_runtime::private::{self as rt, Est, Holds};
use contract_runtime::{Time, Truth};

use super::evaluate::Scope;
use crate::mir::{Clock, Kind, Rule};

/// What an event means for a rule that steps.
#[derive(Clone)]
pub(super) enum Event<'a> {
    /// For an automaton.
    Letters(rt::Step),
    /// For a register.
    Register {
        /// Which patterns hold.
        holds: Holds,
        /// When, by the clock of the rule.
        at: Time,
        /// What the register reads besides; `None` if it reads nothing.
        operand: Option<Est<'a>>,
    },
}

impl<'a> Event<'a> {
    /// The event of a scope; `None` for rules that do not step.
    pub(super) fn of(rule: &'a Rule, scope: &Scope<'a>) -> Option<Self> {
        match &rule.kind {
            Kind::Automaton { patterns, .. } => Some(Self::Letters(scope.step(patterns))),
            Kind::Register { patterns, clock, operand, .. } => {
                let mut holds = Holds::NOTHING;
                for (slot, pattern) in holds.0.iter_mut().zip(patterns) {
                    *slot = scope.occurs(pattern);
                }
                let operand = operand.as_ref().filter(|_| holds.any()).map(|operand| scope.operand(operand));
                Some(Self::Register { holds, at: scope.clock(*clock), operand })
            }
            _ => None,
        }
    }

    /// Whether some pattern of the rule may hold.
    pub(super) fn concerns(&self) -> bool {
        match self {
            Self::Letters(step) => !step.is_none(),
            Self::Register { holds, .. } => holds.any(),
        }
    }
}

impl Scope<'_> {
    /// The time of the event, by a rule's clock.
    pub(super) fn clock(&self, clock: Clock) -> Time {
        match clock {
            Clock::Time => self.now,
            Clock::Calls => rt::position(self.position),
        }
    }
}

/// Whether something holds at all.
pub(super) fn may(truth: Truth) -> bool {
    truth != Truth::False
}
