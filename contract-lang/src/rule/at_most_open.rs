//! `at_most_open: { open, close, n, of? }`: at most `n` are open at once.
//!
//! ```yaml
//! at_most_open: { open: begin, close: end_work, n: 1, of: args.id }
//! ```
//! ```text
//! begin {"id": 1} → failed    | allow | open
//! begin {"id": 2}             | allow | open
//! begin {"id": 2}             | allow | open
//! begin {"id": 3}             | block | open
//! end_work {"id": 2} → failed | allow | open
//! begin {"id": 3}             | block | open
//! end_work {"id": 7}          | allow | open
//! end_work {"id": 2}          | allow | open
//! begin {"id": 3}             | allow | open
//! end                         |       | satisfied
//! ```
//!
//! Patterns: `[open, close]`. Register: the ids that are open, at most `n` of them. One is open from the call on, so that
//! parallel calls cannot overshoot, and closed again if that very call fails. Opening an open id counts once; closing an
//! unknown id does nothing; an event that is both opens first. Without `of` every call opens one of its own, and closing
//! closes one.

use super::words::{proof, quoted};
use super::{Template, Words};
use crate::ast::{AtMostOpen, Rule, Source};
use crate::mir::{Clock, Kind, Pattern, Register};
use crate::resolve::lowering::Lowering;
use crate::resolve::role::Role;

impl Template for AtMostOpen {
    fn patterns(&self) -> Vec<(&Source, Role)> {
        vec![(&self.open, Role::COUNTED), (&self.close, Role::PROOF)]
    }

    fn names(&self) -> Vec<&str> {
        vec!["open", "close"]
    }

    fn lower(&self, patterns: Option<Vec<Pattern>>, lowering: &mut Lowering<'_, '_>) -> Option<Kind> {
        let of = self.of.as_ref().map(|of| lowering.id(of, patterns.as_deref()));
        let limit = u32::try_from(self.n.value.get()).ok()?;
        let of = match of {
            None => None,
            Some(of) => Some(of?),
        };
        // Its clock is the position in the session: it tells which call opened an id.
        Some(lowering.register(patterns?, Register::OpenIds { limit }, Clock::Calls, of))
    }

    fn words(&self, _: &Rule) -> Words {
        let (open, n) = (quoted(&self.open), self.n.value.get());
        Words {
            says: format!("at most {n} of {open} at once, each until {}", proof(&self.close)),
            advice: format!("close one first: {}", quoted(&self.close)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::mir::{Clock, Counting, Kind, Operand, Phases, Register};
    use crate::rule::fixture::{phases, rule};

    #[test]
    fn calls_open_and_successes_close() {
        let none = Phases::default();
        let found = phases("at_most_open: { open: a, close: b, n: 2 }");
        assert_eq!(found, [[Phases { call: true, ..none }], [Phases { ok: true, ..none }]]);
    }

    #[test]
    fn an_id_is_a_path_or_one_for_each_tool_or_none() {
        let operand = |of: &str| match rule(&format!("at_most_open:\n  open: a\n  close: b\n  n: 2\n{of}")).kind {
            Kind::Register {
                register: Register::OpenIds { limit: 2 },
                clock: Clock::Calls,
                counting: Counting::Succeeded,
                operand,
                ..
            } => operand,
            other => panic!("{other:?}"),
        };
        assert_eq!(operand(""), None);
        assert!(matches!(operand("  of: args.id"), Some(Operand::Same(_))));
        let by_tool = operand("  of: { a: args.id, b: result.closed }");
        assert!(matches!(by_tool, Some(Operand::ByTool(routes)) if routes.len() == 2));
    }
}
