//! `must_precede: { first, then }`: the dependent action may run only after its prerequisite.
//!
//! Patterns: `[first, then]`. Formula: `!then W (first and !then)`. Once `first` has happened the rule is satisfied for
//! good: one occurrence allows any number of `then`. An event that is both is a `then` without a `first` before it, and
//! violates; it does not vouch for itself.
//!
//! | trace | verdict |
//! |---|---|
//! | *(empty)* | open |
//! | `ok(validate)` | satisfied |
//! | `ok(validate) call(delete)` | satisfied |
//! | `call(delete)` | violated |

use crate::formula::Formula;

/// The formula over `[first, then]`.
#[must_use]
pub fn formula() -> Formula {
    let (first, then) = (Formula::name(0), Formula::name(1));
    (!then.clone()).weak_until(Formula::all([first, !then]))
}

#[cfg(test)]
mod tests {
    use contract_runtime::Colour::{Open, Satisfied, Violated};

    use super::*;
    use crate::automaton::construct;

    const FIRST: u8 = 1;
    const THEN: u8 = 2;

    #[test]
    fn one_prerequisite_satisfies_for_good() {
        let machine = construct(&formula(), 2, &[FIRST, THEN]).unwrap();
        assert_eq!(machine.colours, [Open, Satisfied, Violated]);
        assert_eq!(machine.delta, [0, 1, 2, 0, 1, 1, 1, 1, 2, 2, 2, 2]);
    }

    #[test]
    fn an_event_that_is_both_does_not_vouch_for_itself() {
        let machine = construct(&formula(), 2, &[FIRST, THEN, FIRST | THEN]).unwrap();
        assert_eq!(machine.colours, [Open, Satisfied, Violated]);
        assert_eq!(machine.delta, [0, 1, 2, 2, 1, 1, 1, 1, 2, 2, 2, 2]);
    }
}
