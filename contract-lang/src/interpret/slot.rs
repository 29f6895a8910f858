//! The state of one rule at run time, whatever its kind and whether or not it is keyed.

use contract_runtime::private::{self as rt, Judged, Parts, Room};
use contract_runtime::{Reason, Truth, Verdict};

use rt::{Admission, Cell};

/// The instances of a rule.
#[derive(Debug)]
pub(super) enum Slot<C> {
    /// A rule without a key.
    Single(rt::Single<C>),
    /// A keyed rule.
    Keyed(rt::Keyed<C>),
}

/// A verdict about a step, with what is needed to take it.
#[derive(Clone, Copy)]
pub(super) enum Look {
    Single(Verdict),
    Keyed(Judged),
}

impl Look {
    pub(super) fn verdict(self) -> Verdict {
        match self {
            Self::Single(verdict) => verdict,
            Self::Keyed(judged) => judged.verdict,
        }
    }
}

impl<C: Cell> Slot<C> {
    pub(super) fn new(rule: C::Rule<'_>, max: Option<usize>) -> Self {
        match max {
            None => Self::Single(rt::Single::new(rule)),
            Some(max) => Self::Keyed(rt::Keyed::new(rule, max)),
        }
    }

    pub(super) fn look(&self, rule: C::Rule<'_>, key: Parts<'_>, step: &C::Step) -> Look {
        match self {
            Self::Single(single) => Look::Single(single.look(rule, step)),
            Self::Keyed(keyed) => Look::Keyed(keyed.judge(rule, key, step)),
        }
    }

    pub(super) fn admit(
        &mut self,
        rule: C::Rule<'_>,
        key: Parts<'_>,
        step: &C::Step,
        look: Look,
        admission: Admission,
    ) {
        match (self, look) {
            (Self::Single(single), look) => single.admit(rule, step, look.verdict(), admission),
            (Self::Keyed(keyed), Look::Keyed(judged)) => keyed.admit(rule, key, step, judged, admission),
            (Self::Keyed(_), Look::Single(_)) => {}
        }
    }

    pub(super) fn observe(&mut self, rule: C::Rule<'_>, key: Parts<'_>, step: &C::Step) -> (Verdict, Reason) {
        match self {
            Self::Single(single) => (single.observe(rule, step), Reason::Rule),
            Self::Keyed(keyed) => {
                let observed = keyed.observe(rule, key, step);
                (observed.verdict, observed.reason())
            }
        }
    }

    pub(super) fn retire(&mut self, rule: C::Rule<'_>, now: contract_runtime::Time) {
        if let Self::Keyed(keyed) = self {
            keyed.retire(rule, now);
        }
    }

    pub(super) fn room(&self, key: Parts<'_>) -> Room {
        match self {
            Self::Single(_) => Room::NotNeeded,
            Self::Keyed(keyed) => keyed.room(key),
        }
    }

    pub(super) fn reserve(&mut self, key: Parts<'_>, room: Room) -> bool {
        match self {
            Self::Single(_) => false,
            Self::Keyed(keyed) => keyed.reserve(key, room),
        }
    }

    pub(super) fn release(&mut self, taken: bool) {
        if let Self::Keyed(keyed) = self {
            keyed.release(taken);
        }
    }

    pub(super) fn close(&mut self, rule: C::Rule<'_>, key: Parts<'_>, matches: Truth) -> bool {
        match self {
            Self::Single(_) => false,
            Self::Keyed(keyed) => keyed.close(rule, key, matches),
        }
    }

    pub(super) fn verdict(&self, rule: C::Rule<'_>) -> Verdict {
        match self {
            Self::Single(single) => single.verdict(rule),
            Self::Keyed(keyed) => keyed.verdict(rule),
        }
    }

    /// Ends the session: the keys whose obligation is left open, an empty key for a rule without one.
    pub(super) fn end(&mut self, rule: C::Rule<'_>) -> Vec<Vec<serde_json::Value>> {
        let open = match self {
            Self::Single(single) if single.pending(rule) => vec![Vec::new()],
            Self::Single(_) => Vec::new(),
            Self::Keyed(keyed) => keyed.pending(rule),
        };
        if !open.is_empty() {
            match self {
                Self::Single(single) => single.fail(),
                Self::Keyed(keyed) => keyed.fail(),
            }
        }
        open
    }
}

impl<C: rt::Register> Slot<C> {
    pub(super) fn incarnation(&self, key: Parts<'_>) -> u64 {
        match self {
            Self::Single(_) => 0,
            Self::Keyed(keyed) => keyed.incarnation(key),
        }
    }

    pub(super) fn give_back(&mut self, key: Parts<'_>, step: &C::Step, failed: Truth, incarnation: u64) {
        match self {
            Self::Single(single) => single.give_back(step, failed),
            Self::Keyed(keyed) => keyed.give_back(key, step, failed, incarnation),
        }
    }
}
