//! `alternate: { first, second }`: the two take turns.
//!
//! ```yaml
//! alternate: { first: check_in, second: check_out }
//! ```
//! ```text
//! check_out           | block | open
//! check_in            | allow | open
//! check_in            | block | open
//! check_out → failed  | allow | open
//! check_out           | block | open
//! check_in            | allow | open
//! end                 |       | satisfied
//! ```
//!
//! Patterns: `[first, second]`. Formula: `!second and G(!(first and second) and (first -> WX !first) and (second -> WX
//! !second))`: each event of the rule is one of the two, so what is not `first` is `second`. An event that is both violates.
//! A session may end after `first`: the rule is open as long as it is not violated.

use super::words::{quoted, same_key};
use super::{Template, Words};
use crate::ast::{Alternate, Rule, Source};
use crate::formula::Formula;
use crate::mir::{Kind, Pattern};
use crate::resolve::lowering::Lowering;
use crate::resolve::role::Role;

/// The formula over `[first, second]`.
#[must_use]
pub fn formula() -> Formula {
    let (first, second) = (|| Formula::name(0), || Formula::name(1));
    let turns = |this: Formula| this.clone().implies(Formula::weak_next(!this));
    let apart = !Formula::all([first(), second()]);
    Formula::all([!second(), Formula::always(Formula::all([apart, turns(first()), turns(second())]))])
}

impl Template for Alternate {
    fn patterns(&self) -> Vec<(&Source, Role)> {
        vec![(&self.first, Role::GUARDED), (&self.second, Role::GUARDED)]
    }

    fn names(&self) -> Vec<&str> {
        vec!["first", "second"]
    }

    fn lower(&self, patterns: Option<Vec<Pattern>>, lowering: &mut Lowering<'_, '_>) -> Option<Kind> {
        lowering.automaton(&formula(), patterns?)
    }

    fn violating(&self) -> std::ops::Range<usize> {
        0..2
    }

    fn words(&self, rule: &Rule) -> Words {
        let (first, second) = (quoted(&self.first), quoted(&self.second));
        Words {
            says: format!("{first} and {second} take turns, and {first} is first"),
            advice: format!("it is the turn of the other one of {first} and {second}{}", same_key(rule)),
        }
    }
}

#[cfg(test)]
mod tests {
    use contract_runtime::Colour::{Open, Violated};

    use super::*;
    use crate::automaton::construct;
    use crate::automaton::walk::colour_after;
    use crate::formula::oracle::words;
    use crate::mir::Phases;
    use crate::rule::fixture::phases;

    #[test]
    fn a_turn_of_each_and_a_violation() {
        let machine = construct(&formula(), 2, &[1, 2]).unwrap();
        assert_eq!(machine.colours, [Open, Open, Violated]);
        assert_eq!(machine.delta, [0, 1, 2, 0, 1, 2, 0, 1, 2, 2, 2, 2]);
    }

    #[test]
    fn every_word_is_judged_by_its_turns() {
        let letters = [1, 2, 3];
        let machine = construct(&formula(), 2, &letters).unwrap();
        for word in words(&letters, 7) {
            let in_turn = word.iter().zip([1, 2].into_iter().cycle()).all(|(letter, turn)| *letter == turn);
            assert_eq!(colour_after(&machine, &word), if in_turn { Open } else { Violated }, "{word:?}");
        }
    }

    #[test]
    fn bare_tools_are_calls() {
        let call = Phases { call: true, ..Phases::default() };
        assert_eq!(phases("alternate: { first: a, second: b }"), [vec![call], vec![call]]);
    }
}
