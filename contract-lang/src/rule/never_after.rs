//! `never_after: { call, after }`: once `after` has happened, `call` may not.
//!
//! Patterns: `[after, call]`. Formula: `G(after -> G !call)`. An event that is both comes after itself, and violates.
//! The rule is never satisfied for good: it stays open as long as the session lasts.
//!
//! | trace | verdict |
//! |---|---|
//! | *(empty)* | open |
//! | `call(send)` | open |
//! | `call(freeze)` | open |
//! | `call(freeze) call(send)` | violated |

use crate::formula::Formula;

/// The formula over `[after, call]`.
#[must_use]
pub fn formula() -> Formula {
    let (after, call) = (Formula::name(0), Formula::name(1));
    Formula::always(after.implies(Formula::always(!call)))
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
