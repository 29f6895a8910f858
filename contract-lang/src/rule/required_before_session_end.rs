//! `required_before_session_end: p` or `[p, q, …]`: each pattern occurs before the session ends.
//!
//! ```yaml
//! required_before_session_end: [write_summary, close_ticket]
//! ```
//! ```text
//! close_ticket            | allow | pending
//! write_summary → failed  | allow | pending
//! write_summary           | allow | satisfied
//! end                     |       | satisfied
//! ```
//!
//! Patterns: as listed, at least one. Formula: `and_i F p_i`. Pending until the last of them has occurred, then
//! satisfied; a session that ends while the rule is pending violates it. No single call can violate it, so it never
//! blocks one, unless it `guards` it. An event that matches several patterns is an occurrence of each. Every subset of
//! patterns is a state, so seven patterns of different tools are too many for one rule; they can be two rules.

use super::words::proof;
use super::{Template, Words};
use crate::ast::{RequiredBeforeSessionEnd, Rule, Source};
use crate::formula::Formula;
use crate::mir::{Kind, Pattern};
use crate::resolve::lowering::Lowering;
use crate::resolve::role::Role;

/// The formula over this many patterns.
#[must_use]
pub fn formula(patterns: u8) -> Formula {
    Formula::all((0..patterns).map(|index| Formula::eventually(Formula::name(index))))
}

impl Template for RequiredBeforeSessionEnd {
    fn patterns(&self) -> Vec<(&Source, Role)> {
        self.required_before_session_end.iter().map(|source| (source, Role::PROOF)).collect()
    }

    fn lower(&self, patterns: Option<Vec<Pattern>>, lowering: &mut Lowering<'_, '_>) -> Option<Kind> {
        let patterns = patterns?;
        let width = lowering.width(&patterns)?;
        lowering.automaton(&formula(width), patterns)
    }

    fn owes(&self) -> bool {
        true
    }

    fn violating(&self) -> std::ops::Range<usize> {
        0..0
    }

    fn words(&self, _: &Rule) -> Words {
        let each: Vec<String> = self.required_before_session_end.iter().map(proof).collect();
        Words {
            says: format!("before the session ends, {}", each.join(" and ")),
            advice: "do what is required first".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use contract_runtime::Colour::{Pending, Satisfied};

    use super::*;
    use crate::automaton::{TooLarge, construct, walk::colour_after};

    #[test]
    fn one_is_pending_until_it_occurs() {
        let machine = construct(&formula(1), 1, &[1]).unwrap();
        assert_eq!(machine.colours, [Pending, Satisfied]);
        assert_eq!(machine.delta, [0, 1, 1, 1]);
    }

    #[test]
    fn all_must_occur_in_any_order() {
        let machine = construct(&formula(2), 2, &[1, 2]).unwrap();
        assert_eq!(machine.colours, [Pending, Pending, Pending, Satisfied]);
        assert_eq!(colour_after(&machine, &[2, 2]), Pending);
        assert_eq!(colour_after(&machine, &[2, 1]), Satisfied);
    }

    #[test]
    fn seven_of_different_tools_are_too_many() {
        let one_hot: Vec<u8> = (0..7).map(|bit| 1 << bit).collect();
        assert_eq!(construct(&formula(7), 7, &one_hot), Err(TooLarge::States));
    }
}
