//! Rules without a key, and what every rule remembers of its past violations.

use crate::instances::Cell;
use crate::register::Register;
use crate::{Truth, Verdict};

/// What became of the rule's past violations. Only verdicts of the rule as a whole show it; it never decides a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Latch {
    /// None.
    #[default]
    Clear,
    /// One possible reading of the trace violates.
    Maybe,
    /// The rule was violated by something that ran.
    Violated,
}

impl Latch {
    pub(crate) fn raise(&mut self, verdict: Verdict) {
        *self = (*self).max(match verdict {
            Verdict::Violated => Self::Violated,
            Verdict::Unestablished => Self::Maybe,
            Verdict::Satisfied | Verdict::Open | Verdict::Pending => Self::Clear,
        });
    }

    pub(crate) fn verdict(self) -> Verdict {
        match self {
            Self::Clear => Verdict::Satisfied,
            Self::Maybe => Verdict::Unestablished,
            Self::Violated => Verdict::Violated,
        }
    }
}

/// A rule that remembers nothing but whether it was violated.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stateless {
    latch: Latch,
}

impl Stateless {
    /// The fresh rule.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes an admitted call about which `verdict` was given.
    #[inline]
    pub fn admit(&mut self, verdict: Verdict, admission: Admission) {
        if admission.latches {
            self.latch.raise(verdict);
        }
    }

    /// The rule's verdict.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        Verdict::Open.max(self.latch.verdict())
    }
}

/// What admission means for a rule's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admission {
    /// Whether a violation that runs is remembered: not when a person approved it.
    pub latches: bool,
    /// Whether registers count it: not what shadow mode lets run although it would have been stopped.
    pub counts: bool,
}

/// A rule without a key.
#[derive(Clone, Debug)]
pub struct Single<C> {
    cell: C,
    latch: Latch,
}

impl<C: Cell> Single<C> {
    /// The fresh rule.
    pub fn new(rule: C::Rule<'_>) -> Self {
        Self { cell: C::fresh(rule), latch: Latch::Clear }
    }

    /// The verdict that the step would produce.
    #[inline]
    pub fn look(&self, rule: C::Rule<'_>, step: &C::Step) -> Verdict {
        self.cell.look(rule, step)
    }

    /// Takes the step of an admitted call about which `verdict` was given.
    #[inline]
    pub fn admit(&mut self, rule: C::Rule<'_>, step: &C::Step, verdict: Verdict, admission: Admission) {
        if admission.latches && verdict >= Verdict::Unestablished {
            self.latch.raise(verdict);
        }
        if admission.counts {
            self.cell.step(rule, step);
        }
    }

    /// Takes the step of a result or host event. Returns the verdict that it produced.
    pub fn observe(&mut self, rule: C::Rule<'_>, step: &C::Step) -> Verdict {
        let verdict = self.cell.look(rule, step);
        self.latch.raise(verdict);
        self.cell.step(rule, step);
        verdict
    }

    /// The rule's verdict.
    pub fn verdict(&self, rule: C::Rule<'_>) -> Verdict {
        self.cell.verdict(rule).max(self.latch.verdict())
    }

    /// Whether an obligation is pending.
    pub fn pending(&self, rule: C::Rule<'_>) -> bool {
        self.cell.verdict(rule) == Verdict::Pending
    }

    /// Raises the latch: the session ended with the obligation open.
    pub fn fail(&mut self) {
        self.latch.raise(Verdict::Violated);
    }
}

impl<C: Register> Single<C> {
    /// Returns an occurrence.
    pub fn give_back(&mut self, step: &C::Step, failed: Truth) {
        self.cell.give_back(step, failed);
    }
}
