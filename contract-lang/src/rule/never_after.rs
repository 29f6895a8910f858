//! `never_after: { call, after }`: once `after` has happened, `call` may not.
//!
//! ```yaml
//! never_after: { call: send, after: freeze }
//! ```
//! ```text
//! send             | allow | open
//! freeze → failed  | allow | open
//! send             | block | open
//! end              |       | satisfied
//! ```
//!
//! Patterns: `[after, call]`. Formula: `G(after -> G !call)`. An event that is both comes after itself, and violates.
//! The rule is never satisfied for good: it stays open as long as the session lasts.

use super::words::quoted;
use super::{Template, Words};
use crate::ast::{NeverAfter, Rule, Source};
use crate::formula::Formula;
use crate::mir::{Kind, Pattern};
use crate::resolve::lowering::Lowering;
use crate::resolve::role::Role;

/// The formula over `[after, call]`.
#[must_use]
pub fn formula() -> Formula {
    let (after, call) = (Formula::name(0), Formula::name(1));
    Formula::always(after.implies(Formula::always(!call)))
}

impl Template for NeverAfter {
    fn patterns(&self) -> Vec<(&Source, Role)> {
        vec![(&self.after, Role::TRIGGER), (&self.call, Role::GUARDED)]
    }

    fn names(&self) -> Vec<&str> {
        vec!["after", "call"]
    }

    fn lower(&self, patterns: Option<Vec<Pattern>>, lowering: &mut Lowering<'_, '_>) -> Option<Kind> {
        lowering.automaton(&formula(), patterns?)
    }

    fn violating(&self) -> std::ops::Range<usize> {
        1..2
    }

    fn words(&self, _: &Rule) -> Words {
        let (call, after) = (quoted(&self.call), quoted(&self.after));
        Words {
            says: format!("{call} is not allowed after {after}"),
            advice: format!("nothing in this session: it is banned after {after}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use contract_runtime::Colour::{Open, Violated};

    use super::*;
    use crate::automaton::construct;

    const AFTER: u8 = 1;
    const CALL: u8 = 2;

    #[test]
    fn the_ban_begins_with_its_trigger() {
        let machine = construct(&formula(), 2, &[AFTER, CALL]).unwrap();
        assert_eq!(machine.colours, [Open, Open, Violated]);
        assert_eq!(machine.delta, [0, 1, 0, 0, 1, 1, 2, 1, 2, 2, 2, 2]);
    }

    #[test]
    fn an_event_that_is_both_violates() {
        let machine = construct(&formula(), 2, &[AFTER, CALL, AFTER | CALL]).unwrap();
        assert_eq!(machine.colours, [Open, Open, Violated]);
        assert_eq!(machine.delta, [0, 1, 0, 2, 1, 1, 2, 2, 2, 2, 2, 2]);
    }
}
