//! `sequence: { steps, restart? }`: the steps happen in their order.
//!
//! ```yaml
//! sequence: { steps: [plan, build, ship], restart: true }
//! ```
//! ```text
//! build          | block | open
//! plan → failed  | allow | open
//! plan           | allow | open
//! ship           | block | open
//! build          | allow | open
//! plan           | block | open
//! ship           | allow | open
//! build          | block | open
//! plan           | allow | open
//! end            |       | satisfied
//! ```
//!
//! Patterns: the steps, two to eight. From the step reached last, that step may be repeated and the next may begin; any other
//! is a violation, and so is any but the first before that. After the last step the first may begin again, with `restart`.
//! Formula, where an event is *at* a step if it is that step and none before it: no step but the first, `and_i G(at i -> WX
//! and_j !j)` for all j that are neither i nor next to it. An event that is several steps violates unless each of them is
//! allowed; then it is at the first of them. A sequence need not be finished: the rule is open as long as it is not violated.

use super::must_precede::is_set;
use super::words::{listed, same_key};
use super::{Template, Words};
use crate::ast::{Rule, Sequence, Source};
use crate::formula::Formula;
use crate::mir::{Kind, Pattern};
use crate::resolve::lowering::Lowering;
use crate::resolve::role::Role;

/// The formula over so many steps.
#[must_use]
pub fn formula(steps: u8, restart: bool) -> Formula {
    let none_of = |steps: &mut dyn Iterator<Item = u8>| Formula::all(steps.map(|step| !Formula::name(step)));
    let at = |step| Formula::all([Formula::name(step), none_of(&mut (0..step))]);
    let next = |step: u8| match step.saturating_add(1) {
        next if next < steps => Some(next),
        _ => restart.then_some(0),
    };
    let after = |step| none_of(&mut (0..steps).filter(|other| *other != step && Some(*other) != next(step)));
    let goes_on = |step| at(step).implies(Formula::weak_next(after(step)));
    Formula::all([none_of(&mut (1..steps)), Formula::always(Formula::all((0..steps).map(goes_on)))])
}

impl Template for Sequence {
    fn patterns(&self) -> Vec<(&Source, Role)> {
        self.steps.items.iter().map(|step| (step, Role::GUARDED)).collect()
    }

    fn lower(&self, patterns: Option<Vec<Pattern>>, lowering: &mut Lowering<'_, '_>) -> Option<Kind> {
        let patterns = patterns?;
        let width = lowering.width(&patterns)?;
        lowering.automaton(&formula(width, is_set(self.restart)), patterns)
    }

    fn violating(&self) -> std::ops::Range<usize> {
        0..self.steps.items.len()
    }

    fn words(&self, rule: &Rule) -> Words {
        let again = if is_set(self.restart) { ", over and over" } else { "" };
        Words {
            says: format!("{} happen in this order, and none is skipped{again}", listed(&self.steps.items)),
            advice: format!("make the steps in their order{}", same_key(rule)),
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::arithmetic_side_effects, reason = "test code")]

    use contract_runtime::Colour::{Open, Satisfied, Violated};

    use super::*;
    use crate::automaton::walk::colour_after;
    use crate::automaton::{construct, satisfiable};
    use crate::formula::oracle::words;
    use crate::rule::fixture::rule;

    /// Goes through a word step by step.
    fn judge(word: &[u8], steps: u32, restart: bool) -> bool {
        let mut reached: Option<u32> = None;
        word.iter().all(|letter| {
            let is_allowed = |step: u32| match reached {
                None => step == 0,
                Some(last) => step == last || step == last + 1 || (restart && last + 1 == steps && step == 0),
            };
            let fine = (0..steps).filter(|step| letter >> step & 1 == 1).all(is_allowed);
            reached = Some(letter.trailing_zeros());
            fine
        })
    }

    #[test]
    fn every_word_is_judged_by_its_steps() {
        // Two steps over and over are in any order, once the first has come.
        for (steps, restart, states) in [(2, false, 4), (2, true, 3), (3, false, 5), (3, true, 5), (4, true, 6)] {
            let letters: Vec<u8> = (1..1 << steps).collect();
            let machine = construct(&formula(steps, restart), steps, &letters).unwrap();
            assert_eq!(machine.colours.len(), states);
            for word in words(&letters, if steps == 4 { 4 } else { 6 }) {
                let fine = judge(&word, u32::from(steps), restart);
                assert_eq!(colour_after(&machine, &word) != Violated, fine, "{word:?}");
            }
        }
    }

    #[test]
    fn eight_steps_with_all_letters_are_within_the_limits() {
        let letters: Vec<u8> = (1..=255).collect();
        for restart in [false, true] {
            assert_eq!(construct(&formula(8, restart), 8, &letters).unwrap().colours.len(), 10);
        }
    }

    #[test]
    fn a_sequence_whose_steps_cannot_come_out_of_order_is_satisfied() {
        let machine = construct(&formula(2, true), 2, &[1]).unwrap();
        assert_eq!(machine.colours, [Satisfied]);
    }

    #[test]
    fn what_is_written_decides_what_may_come_after_the_last_step() {
        let after_the_last = |text: &str| match rule(text).kind {
            Kind::Automaton { machine, patterns, .. } => {
                assert_eq!(satisfiable(&patterns), [1, 2, 4]);
                colour_after(&machine, &[1, 1, 2, 2, 4, 1])
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(after_the_last("sequence: { steps: [a, b, c] }"), Violated);
        assert_eq!(after_the_last("sequence: { steps: [a, b, c], restart: false }"), Violated);
        assert_eq!(after_the_last("sequence: { steps: [a, b, c], restart: true }"), Open);
    }
}
