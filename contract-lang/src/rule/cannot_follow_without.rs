//! `cannot_follow_without: { call, without }`: `must_precede`, read from the dependent action.
//!
//! Patterns: `[without, call]`. Formula: `!call W (without and !call)`. An event that is both violates where nothing
//! that is only `without` came before.
//!
//! | trace | verdict |
//! |---|---|
//! | *(empty)* | open |
//! | `ok(review)` | satisfied |
//! | `ok(review) call(merge)` | satisfied |
//! | `call(merge)` | violated |

use super::must_precede;
use crate::formula::Formula;

/// The formula over `[without, call]`.
#[must_use]
pub fn formula() -> Formula {
    must_precede::formula()
}

#[cfg(test)]
mod tests {
    use contract_runtime::Colour::{Open, Satisfied, Violated};

    use super::*;
    use crate::automaton::{construct, walk::colour_after};

    const WITHOUT: u8 = 1;
    const CALL: u8 = 2;

    #[test]
    fn the_call_needs_what_it_cannot_go_without() {
        let machine = construct(&formula(), 2, &[WITHOUT, CALL]).unwrap();
        assert_eq!(machine.colours.len(), 3);
        assert_eq!(colour_after(&machine, &[]), Open);
        assert_eq!(colour_after(&machine, &[CALL]), Violated);
        assert_eq!(colour_after(&machine, &[WITHOUT, CALL, CALL]), Satisfied);
    }
}
