//! `forbid: p`: never happens.
//!
//! Patterns: `[p]`. Formula: `G !p`. Open as long as the session lasts.
//!
//! | trace | verdict |
//! |---|---|
//! | *(empty)* | open |
//! | `call(bash)` | violated |

use crate::formula::Formula;

/// The formula over `[p]`.
#[must_use]
pub fn formula() -> Formula {
    Formula::always(!Formula::name(0))
}

#[cfg(test)]
mod tests {
    use contract_runtime::Colour::{Open, Violated};

    use super::*;
    use crate::automaton::construct;

    #[test]
    fn the_first_occurrence_violates() {
        let machine = construct(&formula(), 1, &[1]).unwrap();
        assert_eq!(machine.colours, [Open, Violated]);
        assert_eq!(machine.delta, [0, 1, 1, 1]);
    }
}
