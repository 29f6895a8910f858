//! `mutually_exclusive: [p, q, …]`: at most one of the patterns ever occurs, however often.
//!
//! ```yaml
//! mutually_exclusive: [approve, reject]
//! ```
//! ```text
//! approve → failed  | allow | open
//! approve           | allow | open
//! reject            | block | open
//! end               |       | satisfied
//! ```
//!
//! Patterns: as listed, two to eight. Formula: for some pattern, all others never occur, `or_i and_{j≠i} G !p_j`. An
//! event that matches two of them violates.

use super::words::listed;
use super::{Template, Words};
use crate::ast::{MutuallyExclusive, Rule, Source};
use crate::formula::Formula;
use crate::mir::{Kind, Pattern};
use crate::resolve::lowering::Lowering;
use crate::resolve::role::Role;

/// The formula over this many patterns.
#[must_use]
pub fn formula(patterns: u8) -> Formula {
    let never = |index| Formula::always(!Formula::name(index));
    Formula::any((0..patterns).map(|only| Formula::all((0..patterns).filter(|&other| other != only).map(never))))
}

impl Template for MutuallyExclusive {
    fn patterns(&self) -> Vec<(&Source, Role)> {
        self.mutually_exclusive.items.iter().map(|source| (source, Role::TRIGGER)).collect()
    }

    fn lower(&self, patterns: Option<Vec<Pattern>>, lowering: &mut Lowering<'_, '_>) -> Option<Kind> {
        let patterns = patterns?;
        let width = lowering.width(&patterns)?;
        lowering.automaton(&formula(width), patterns)
    }

    fn violating(&self) -> std::ops::Range<usize> {
        0..self.mutually_exclusive.items.len()
    }

    fn words(&self, _: &Rule) -> Words {
        Words {
            says: format!("at most one of {} happens", listed(&self.mutually_exclusive.items)),
            advice: "nothing in this session: one of the others has happened".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use contract_runtime::Colour::{Open, Violated};

    use super::*;
    use crate::automaton::{construct, walk::colour_after};

    #[test]
    fn two_exclude_each_other() {
        let machine = construct(&formula(2), 2, &[1, 2]).unwrap();
        assert_eq!(machine.colours, [Open, Open, Open, Violated]);
        assert_eq!(machine.delta, [0, 1, 2, 0, 1, 1, 3, 1, 2, 3, 2, 2, 3, 3, 3, 3]);
    }

    #[test]
    fn an_event_that_matches_two_violates() {
        let machine = construct(&formula(2), 2, &[1, 2, 3]).unwrap();
        assert_eq!(colour_after(&machine, &[3]), Violated);
        assert_eq!(colour_after(&machine, &[1, 3]), Violated);
    }

    #[test]
    fn eight_patterns_with_all_letters_are_within_the_limits() {
        let letters: Vec<u8> = (1..=255).collect();
        let machine = construct(&formula(8), 8, &letters).unwrap();
        assert_eq!(machine.colours.len(), 10);
        assert_eq!(colour_after(&machine, &[64, 64, 64]), Open);
        assert_eq!(colour_after(&machine, &[64, 128]), Violated);
    }
}
