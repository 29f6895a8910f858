//! What a rule remembers of one key.

use std::fmt;

use serde_json::Value;

use super::kept::Kept;

use crate::finding::States;
use crate::repair::{Repair, Wanted};
use crate::{Time, Truth, Verdict};

/// The state of one instance of a rule.
///
/// INVARIANT: a state that is not known exactly stands for at least all states that the instance may be in. So `Violated` is
/// said only where it is true of all of them, and nothing is said to be fine that is not fine in all of them.
pub trait Cell: Clone + PartialEq + fmt::Debug {
    /// What the table keeps of an instance: the whole, or a short form.
    type Kept: Kept<Self> + Send;
    /// What the rule fixes: its machine or its limit.
    type Rule<'r>: Copy;
    /// What an event means for the rule.
    type Step<'s>;

    /// The state before any event.
    fn fresh(rule: Self::Rule<'_>) -> Self;
    /// Any state that can be reached and is not violated: what is known after a change of the contract.
    fn any(rule: Self::Rule<'_>) -> Self;
    /// The verdict at rest.
    fn verdict(&self, rule: Self::Rule<'_>) -> Verdict;
    /// The verdict that the step would produce. A step in which no pattern holds produces the verdict at rest, at its time.
    fn look(&self, rule: Self::Rule<'_>, step: &Self::Step<'_>) -> Verdict;
    /// Takes the step.
    fn step(&mut self, rule: Self::Rule<'_>, step: &Self::Step<'_>);
    /// Whether an obligation is pending. What only some readings of the trace owe is not established.
    fn owes(&self, _rule: Self::Rule<'_>) -> Truth {
        Truth::False
    }
    /// Takes the step, or not: nobody knows.
    fn perhaps(&mut self, rule: Self::Rule<'_>, step: &Self::Step<'_>) {
        let mut stepped = self.clone();
        stepped.step(rule, step);
        self.join(rule, &stepped);
    }
    /// May as well be in the other state.
    fn join(&mut self, rule: Self::Rule<'_>, other: &Self);
    /// The same, where this speaks of all the keys that were let go: it stays as small as one of them, and what it costs does not
    /// grow with them.
    fn absorb(&mut self, rule: Self::Rule<'_>, other: &Self) {
        self.join(rule, other);
    }
    /// Whether all is known of an event that decides the verdict, but for the state.
    fn is_read(step: &Self::Step<'_>) -> bool;
    /// What would make the step lead to what is wanted.
    fn repair(&self, _rule: Self::Rule<'_>, step: &Self::Step<'_>, _wanted: Wanted<'_>) -> Repair {
        if Self::is_read(step) { Repair::Unknown } else { Repair::Unread }
    }
    /// The states around the step, if this is an automaton.
    fn states(&self, _rule: Self::Rule<'_>, _step: &Self::Step<'_>) -> Option<States> {
        None
    }
    /// Whether to be taken for one that is in `base` is only stricter: whatever would be violated is violated then, too.
    fn is_lenient(&self, _rule: Self::Rule<'_>, _base: &Self) -> bool {
        false
    }
    /// The last moment before the state is to be looked at again, for rules about time.
    fn expires(&self, _rule: Self::Rule<'_>) -> Option<Time> {
        None
    }
    /// Forgets what time has made irrelevant. The verdict says whether an obligation ran out: violated if certainly, not
    /// established if perhaps.
    fn expire(&mut self, _rule: Self::Rule<'_>, _now: Time) -> Verdict {
        Verdict::Satisfied
    }
    /// The state, for a snapshot.
    fn save(&self) -> Value;
    /// The state that was saved; `None` if no run of this rule could have saved it.
    fn load(rule: Self::Rule<'_>, saved: &Value) -> Option<Self>;
}
