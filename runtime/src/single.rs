//! Rules without a key, and what every rule remembers of its past violations.

use serde_json::Value;

use crate::exact::Saved;
use crate::finding::States;
use crate::instances::Cell;
use crate::register::Register;
use crate::repair::{Repair, Wanted};
use crate::{Time, Truth, Verdict};

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

    /// What may be owed goes, or may go, and may not have been met.
    pub(crate) fn doubt_obligation(&mut self, owes: Truth) {
        if owes != Truth::False {
            self.raise(Verdict::Unestablished);
        }
    }

    pub(crate) fn verdict(self) -> Verdict {
        match self {
            Self::Clear => Verdict::Satisfied,
            Self::Maybe => Verdict::Unestablished,
            Self::Violated => Verdict::Violated,
        }
    }
}

impl Saved for Latch {
    fn save(&self) -> Value {
        Value::from(match self {
            Self::Clear => "clear",
            Self::Maybe => "maybe",
            Self::Violated => "violated",
        })
    }

    fn load(saved: &Value) -> Option<Self> {
        match saved.as_str()? {
            "clear" => Some(Self::Clear),
            "maybe" => Some(Self::Maybe),
            "violated" => Some(Self::Violated),
            _ => None,
        }
    }
}

/// When a rule's memory was made and remade, so that what a call counted is returned only to memory that holds it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Epoch {
    /// Grows with whatever makes memory.
    pub(crate) now: u64,
    /// When everything was made fresh for the last time.
    pub(crate) fresh: u64,
}

impl Epoch {
    /// The next epoch.
    pub(crate) fn advance(&mut self) -> u64 {
        self.now = self.now.saturating_add(1);
        self.now
    }

    /// Everything is fresh: what was counted before is returned to nobody.
    pub(crate) fn renew(&mut self) {
        self.fresh = self.advance();
    }
}

impl Saved for Epoch {
    fn save(&self) -> Value {
        (self.now, self.fresh).save()
    }

    fn load(saved: &Value) -> Option<Self> {
        let (now, fresh) = Saved::load(saved)?;
        (fresh <= now).then_some(Self { now, fresh })
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

    /// Takes the verdict about a result.
    #[inline]
    pub fn observe(&mut self, verdict: Verdict) {
        self.latch.raise(verdict);
    }

    /// The rule's verdict.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        Verdict::Open.max(self.latch.verdict())
    }

    /// What it remembers.
    #[must_use]
    pub fn save(&self) -> Value {
        self.latch.save()
    }

    /// The rule that remembers this; `None` if none could have saved it.
    #[must_use]
    pub fn load(saved: &Value) -> Option<Self> {
        Latch::load(saved).map(|latch| Self { latch })
    }

    /// The rule is of another version of the contract: what it would have said of the past, nobody knows.
    pub fn doubt(&mut self) {
        self.latch.raise(Verdict::Unestablished);
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
    epoch: Epoch,
}

impl<C: Cell> Single<C> {
    /// The fresh rule.
    pub fn new(rule: C::Rule<'_>) -> Self {
        Self { cell: C::fresh(rule), latch: Latch::Clear, epoch: Epoch::default() }
    }

    /// Forgets what time has made irrelevant. The verdict says whether an obligation ran out.
    #[inline]
    pub fn retire(&mut self, rule: C::Rule<'_>, now: Time) -> Verdict {
        if self.cell.expires(rule).is_none_or(|expires| expires >= now) {
            return Verdict::Satisfied;
        }
        let verdict = self.cell.expire(rule, now);
        self.latch.raise(verdict);
        verdict
    }

    /// The verdict that the step would produce.
    #[inline]
    pub fn look(&self, rule: C::Rule<'_>, step: &C::Step<'_>) -> Verdict {
        self.cell.look(rule, step)
    }

    /// What would make the step lead to what is wanted.
    #[cold]
    pub fn repair(&self, rule: C::Rule<'_>, step: &C::Step<'_>, wanted: Wanted<'_>) -> Repair {
        self.cell.repair(rule, step, wanted)
    }

    /// Takes the step of an admitted call about which `verdict` was given.
    #[inline]
    pub fn admit(&mut self, rule: C::Rule<'_>, step: &C::Step<'_>, verdict: Verdict, admission: Admission) {
        if admission.latches && verdict >= Verdict::Unestablished {
            self.latch.raise(verdict);
        }
        if admission.counts {
            self.cell.step(rule, step);
        }
    }

    /// The states around the step, if this is an automaton.
    #[cold]
    pub fn states(&self, rule: C::Rule<'_>, step: &C::Step<'_>) -> Option<States> {
        self.cell.states(rule, step)
    }

    /// Takes the step of a result or host event. Returns the verdict that it produced, and the states around it where that is
    /// to be reported.
    pub fn observe(&mut self, rule: C::Rule<'_>, step: &C::Step<'_>) -> (Verdict, Option<States>) {
        let verdict = self.cell.look(rule, step);
        let states = if verdict >= Verdict::Unestablished { self.states(rule, step) } else { None };
        self.latch.raise(verdict);
        self.cell.step(rule, step);
        (verdict, states)
    }

    /// The rule's verdict.
    pub fn verdict(&self, rule: C::Rule<'_>) -> Verdict {
        self.cell.verdict(rule).max(self.latch.verdict())
    }

    /// Ends the session. Returns whether an obligation is left open: a violation.
    pub fn end(&mut self, rule: C::Rule<'_>) -> bool {
        self.leave(self.cell.owes(rule))
    }

    /// What is owed is gone. Returns whether that is a violation.
    fn leave(&mut self, owes: Truth) -> bool {
        self.latch.doubt_obligation(owes);
        if owes == Truth::True {
            self.latch.raise(Verdict::Violated);
        }
        owes == Truth::True
    }

    /// Makes the rule fresh, as far as `matches` says. Returns whether an obligation was pending that is gone now: a violation.
    pub fn reset(&mut self, rule: C::Rule<'_>, matches: Truth) -> bool {
        if matches == Truth::False {
            return false;
        }
        let owes = self.cell.owes(rule);
        if matches == Truth::Unknown {
            self.latch.doubt_obligation(owes);
            self.cell.join(rule, &C::fresh(rule));
            return false;
        }
        self.cell = C::fresh(rule);
        self.epoch.renew();
        self.leave(owes)
    }

    /// When the memory is what it is, for [`Self::give_back`].
    pub fn epoch(&self) -> u64 {
        self.epoch.now
    }

    /// What the rule remembers.
    pub fn save(&self) -> Value {
        Value::Array(vec![self.latch.save(), self.epoch.save(), self.cell.save()])
    }

    /// The rule that remembers this; `None` if no run of this rule could have saved it.
    pub fn load(rule: C::Rule<'_>, saved: &Value) -> Option<Self> {
        let [latch, epoch, cell] = saved.as_array()?.as_slice() else { return None };
        Some(Self { latch: Latch::load(latch)?, epoch: Epoch::load(epoch)?, cell: C::load(rule, cell)? })
    }

    /// The rule is of another version of the contract: it may be in any state that is not violated, and what it would have
    /// said of the past, nobody knows.
    pub fn doubt(&mut self, rule: C::Rule<'_>) {
        self.cell = C::any(rule);
        self.latch.raise(Verdict::Unestablished);
        self.epoch.renew();
    }
}

impl<C: Register> Single<C> {
    /// Returns an occurrence that was counted in this epoch, unless the rule was made fresh since.
    pub fn give_back(&mut self, rule: C::Rule<'_>, step: &C::Step<'_>, failed: Truth, epoch: u64) {
        if epoch >= self.epoch.fresh {
            self.cell.give_back(rule, step, failed);
        }
    }
}
