//! What is known of the state of an automaton: the set of states it may be in.
//!
//! A set with one member is the ordinary case. Unknown outcomes, conditions that are not established and events whose key
//! cannot be read make it larger; synchronising events make it small again. The true state is always a member, so a
//! violation is never mistaken for something certainly fine.

use std::borrow::Cow;

use serde_json::Value;

use crate::exact::Saved;
use crate::finding::{StateSet, States};
use crate::instances::{Aside, Cell, Kept};
use crate::machine::{Letters, Machine, Step};
use crate::repair::{Repair, Wanted};
use crate::{Colour, Truth, Verdict};

/// A set of states of a machine with at most 64 states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Belief(u64);

/// Collects successors of members and what they say together.
struct Successors {
    next: u64,
    worst: Colour,
    violated: bool,
    sound: bool,
}

impl Successors {
    const NONE: Self = Self { next: 0, worst: Colour::Satisfied, violated: false, sound: false };

    #[inline]
    fn add(&mut self, machine: &Machine<'_>, state: u8, letter: u8) {
        let next = machine.next(state, letter);
        let colour = machine.colour(next);
        if colour == Colour::Violated {
            // The violated state is never entered: the rule stays where it was, so that the next violation is seen by itself.
            self.violated = true;
            self.next |= mask(state);
        } else {
            self.sound = true;
            self.worst = self.worst.max(colour);
            self.next |= mask(next);
        }
    }

    #[inline]
    fn verdict(&self) -> Verdict {
        match (self.violated, self.sound) {
            (true, false) => Verdict::Violated,
            (true, true) => Verdict::Unestablished,
            (false, _) => self.worst.into(),
        }
    }
}

#[inline]
pub(crate) fn mask(state: u8) -> u64 {
    1u64.checked_shl(u32::from(state)).unwrap_or(0)
}

impl Belief {
    #[inline]
    fn successors(self, machine: &Machine<'_>, step: &Step) -> Successors {
        let mut found = Successors::NONE;
        if self.0.is_power_of_two()
            && let (Some(letter), None) = (step.first.single(), step.second)
        {
            found.add(machine, self.0.trailing_zeros() as u8, letter);
            return found;
        }
        self.each_successor(machine, step.first, &mut found);
        if let Some(second) = step.second {
            self.each_successor(machine, second, &mut found);
        }
        found
    }

    #[cold]
    fn each_successor(self, machine: &Machine<'_>, letters: Letters, found: &mut Successors) {
        let mut rest = self.0;
        while rest != 0 {
            let state = rest.trailing_zeros() as u8;
            rest &= rest.wrapping_sub(1);
            letters.for_each(|letter| found.add(machine, state, letter));
        }
    }
}

/// The state of an instance in one byte, if it is known.
#[derive(Clone, Copy, Debug)]
pub struct State(u8);

impl State {
    /// The set of its possible states is kept aside.
    const UNKNOWN: Self = Self(64);
}

impl Kept<Belief> for State {
    #[inline]
    fn new(belief: Belief, born: u64, aside: &mut Aside<Belief>) -> Self {
        if belief.0.is_power_of_two() {
            return Self(belief.0.trailing_zeros() as u8);
        }
        aside.insert(born, belief);
        Self::UNKNOWN
    }

    #[inline]
    fn read<'k>(&'k self, born: u64, aside: &'k Aside<Belief>) -> Cow<'k, Belief> {
        Cow::Owned(if self.0 < Self::UNKNOWN.0 { Belief(mask(self.0)) } else { unknown(born, aside) })
    }

    #[inline]
    fn change<R>(&mut self, born: u64, aside: &mut Aside<Belief>, change: impl FnOnce(&mut Belief) -> R) -> R {
        let mut belief = self.read(born, aside).into_owned();
        let done = change(&mut belief);
        if self.0 == Self::UNKNOWN.0 {
            aside.remove(&born);
        }
        *self = Self::new(belief, born, aside);
        done
    }
}

/// What is kept aside. Anything would be possible of what is not there.
#[cold]
fn unknown(born: u64, aside: &Aside<Belief>) -> Belief {
    aside.get(&born).copied().unwrap_or(Belief(u64::MAX))
}

impl Cell for Belief {
    type Kept = State;
    type Rule<'r> = Machine<'r>;
    type Step<'s> = Step;

    fn fresh(machine: Machine<'_>) -> Self {
        Self(mask(machine.initial))
    }

    /// The states that are reachable through states that are not violated, which is never entered.
    fn any(machine: Machine<'_>) -> Self {
        let letters = Letters::NONE.with_all(machine.width);
        let mut known = Self::fresh(machine);
        loop {
            let mut found = Successors::NONE;
            known.each_successor(&machine, letters, &mut found);
            if known.0 | found.next == known.0 {
                return known;
            }
            known.0 |= found.next;
        }
    }

    fn verdict(&self, machine: Machine<'_>) -> Verdict {
        let mut found = Successors::NONE;
        self.each_successor(&machine, Letters::NONE, &mut found);
        found.verdict()
    }

    fn owes(&self, machine: Machine<'_>) -> Truth {
        let pending = (0u8..).zip(machine.colours).filter(|(_, colour)| **colour == Colour::Pending);
        let pending = pending.fold(0, |states, (state, _)| states | mask(state));
        match (self.0 & pending, self.0 & !pending) {
            (0, _) => Truth::False,
            (_, 0) => Truth::True,
            _ => Truth::Unknown,
        }
    }

    #[inline]
    fn look(&self, machine: Machine<'_>, step: &Step) -> Verdict {
        self.successors(&machine, step).verdict()
    }

    #[inline]
    fn step(&mut self, machine: Machine<'_>, step: &Step) {
        self.0 = self.successors(&machine, step).next;
    }

    fn is_read(step: &Step) -> bool {
        step.first.single().is_some() && step.second.is_none()
    }

    /// An event of which not everything is known is not one that other events would make allowed.
    fn repair(&self, machine: Machine<'_>, step: &Step, wanted: Wanted<'_>) -> Repair {
        match (step.first.single(), step.second) {
            (Some(letter), None) => machine.repair(self.0, letter, wanted),
            _ => Repair::Unread,
        }
    }

    fn states(&self, machine: Machine<'_>, step: &Step) -> Option<States> {
        let mut after = 0;
        let mut rest = self.0;
        while rest != 0 {
            let state = rest.trailing_zeros() as u8;
            rest &= rest.wrapping_sub(1);
            for letters in std::iter::once(step.first).chain(step.second) {
                letters.for_each(|letter| after |= mask(machine.next(state, letter)));
            }
        }
        Some(States { before: StateSet(self.0), after: StateSet(after) })
    }

    fn join(&mut self, _: Machine<'_>, other: &Self) {
        self.0 |= other.0;
    }

    /// Each pair of members is compared.
    fn is_lenient(&self, machine: Machine<'_>, base: &Self) -> bool {
        let lenient = (0u8..).zip(machine.stricter).filter(|(state, _)| base.0 & mask(*state) != 0);
        let lenient = lenient.fold(u64::MAX, |all, (_, states)| all & states);
        self.0 & !lenient == 0
    }

    /// The mask, as a decimal text.
    fn save(&self) -> Value {
        self.0.save()
    }

    fn load(machine: Machine<'_>, saved: &Value) -> Option<Self> {
        let mask = u64::load(saved)?;
        (mask != 0 && mask & !Self::any(machine).0 == 0).then_some(Self(mask))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `first` (bit 0) before `then` (bit 1): open, satisfied, violated.
    const PRECEDE: Machine<'static> = Machine {
        width: 2,
        initial: 0,
        colours: &[Colour::Open, Colour::Satisfied, Colour::Violated],
        delta: &[0, 1, 2, 2, 1, 1, 1, 1, 2, 2, 2, 2],
        stricter: &[0b011, 0b010, 0b111],
    };

    #[test]
    fn any_state_is_one_that_can_be_reached_and_is_not_violated() {
        assert_eq!(Belief::any(PRECEDE), Belief(0b011));
        let judged = Belief::any(PRECEDE).look(PRECEDE, &Step::one(Letters::certain(2)));
        assert_eq!(judged, Verdict::Unestablished);
    }

    #[test]
    fn what_no_run_could_have_saved_is_refused() {
        let mut belief = Belief::fresh(PRECEDE);
        belief.step(PRECEDE, &Step::one(Letters::NONE.with(0, Truth::Unknown)));
        assert_eq!(Belief::load(PRECEDE, &belief.save()), Some(belief));
        for wrong in ["0", "4", "5", "8", "-1", ""] {
            assert_eq!(Belief::load(PRECEDE, &Value::from(wrong)), None, "{wrong}");
        }
        assert_eq!(Belief::load(PRECEDE, &Value::from(1)), None);
    }
}
