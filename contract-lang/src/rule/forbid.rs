//! `forbid: p`: never happens.
//!
//! ```yaml
//! forbid: bash where args.command like "*rm -rf*"
//! ```
//! ```text
//! bash {"command": "ls"}         | allow | open
//! bash {"command": "rm -rf /"}   | block | open
//! end                            |       | satisfied
//! ```
//!
//! Patterns: `[p]`. Formula: `G !p`. Open as long as the session lasts.

use super::words::quoted;
use super::{Template, Words};
use crate::ast::{Forbid, Rule, Source};
use crate::formula::Formula;
use crate::mir::{Kind, Pattern};
use crate::resolve::lowering::Lowering;
use crate::resolve::role::Role;

/// The formula over `[p]`.
#[must_use]
pub fn formula() -> Formula {
    Formula::always(!Formula::name(0))
}

impl Template for Forbid {
    fn patterns(&self) -> Vec<(&Source, Role)> {
        vec![(&self.forbid, Role::GUARDED)]
    }

    fn lower(&self, patterns: Option<Vec<Pattern>>, lowering: &mut Lowering<'_, '_>) -> Option<Kind> {
        lowering.automaton(&formula(), patterns?)
    }

    fn words(&self, _: &Rule) -> Words {
        Words {
            says: format!("{} is never allowed", quoted(&self.forbid)),
            advice: "nothing; this is never allowed".to_owned(),
        }
    }
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
