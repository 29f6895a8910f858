//! `at_most_distinct: { call, of, n }`: the calls happen with at most `n` different values of a path.
//!
//! ```yaml
//! at_most_distinct: { call: send, of: args.to, n: 2 }
//! ```
//! ```text
//! send {"to": "a"}  | allow | open
//! send {"to": "b"}  | allow | open
//! send {"to": "a"}  | allow | open
//! send {"to": "c"}  | block | open
//! send              | block | open
//! end               |       | satisfied
//! ```
//!
//! Patterns: `[call]`. Register: the values, at most `n` of them. A value that is there already never violates. One that
//! is missing, or that is no text, number, truth value or time, is not established, like a key. A value stays, whatever
//! becomes of its call: there is no `count: succeeded`.

use super::words::quoted;
use super::{Template, Words};
use crate::ast::{AtMostDistinct, PerTool, Rule, Source};
use crate::mir::{Clock, Kind, Pattern, Register};
use crate::resolve::lowering::Lowering;
use crate::resolve::role::Role;

impl Template for AtMostDistinct {
    fn patterns(&self) -> Vec<(&Source, Role)> {
        vec![(&self.call, Role::COUNTED)]
    }

    fn names(&self) -> Vec<&str> {
        vec!["call"]
    }

    fn lower(&self, patterns: Option<Vec<Pattern>>, lowering: &mut Lowering<'_, '_>) -> Option<Kind> {
        let of = lowering.id(&self.of, patterns.as_deref());
        let limit = u32::try_from(self.n.value.get()).ok()?;
        Some(lowering.register(patterns?, Register::Distinct { limit }, Clock::Time, Some(of?)))
    }

    fn words(&self, _: &Rule) -> Words {
        let n = self.n.value.get();
        let values = if n == 1 { "one value".to_owned() } else { format!("{n} different values") };
        let of = match &self.of {
            PerTool::Same(path) => format!(" of {}", quoted(path)),
            PerTool::ByTool(_) => String::new(),
        };
        Words {
            says: format!("{} happens with at most {values}{of}", quoted(&self.call)),
            advice: format!("use a value{of} that was used before"),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnostic::Code;
    use crate::mir::{Glob, Kind, Operand, Subject};
    use crate::rule::fixture::{assert_mistake, mistakes, rule};

    const BOTH: &str = "at_most_distinct:\n  call: a | get_*\n  n: 3\n  of: ";

    #[test]
    fn each_tool_can_have_a_path_of_its_own() {
        let rule = rule(&format!("{BOTH}{{ get_*: args.x, a: lower(args.y), get_it: args.z }}"));
        let Kind::Register { operand: Some(Operand::ByTool(routes)), .. } = rule.kind else { panic!() };
        let exact = |subject: &Subject| matches!(subject, Subject::Tools(names) if names.tool.is_literal());
        let order: Vec<bool> = routes.iter().map(|(subject, _)| exact(subject)).collect();
        assert_eq!(order, [true, true, false]);
        assert!(matches!(&routes[2].0, Subject::Tools(names) if names.tool == Glob::new("get_*")));
    }

    #[test]
    fn every_tool_has_a_path() {
        let found = mistakes(&format!("{BOTH}{{ a: args.x }}"));
        let [(code, _, message)] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((*code, message.as_str()), (Code::KeyMissing, "`of` gives no path for `get_*`"));
        let twice = format!("{BOTH}{{ a: args.x, 'a ': args.y, get_*: args.z }}");
        assert_eq!(mistakes(&twice).first().map(|(code, ..)| *code), Some(Code::DuplicateKey));
    }

    #[test]
    fn a_value_is_single() {
        let list = format!("{BOTH}[args.x]");
        assert!(!mistakes(&list).is_empty());
        let message = "the value is a text, number, truth value or time, and this is a list";
        assert_mistake(&format!("{BOTH}keys(args.x)"), Code::TypeMismatch, "keys(args.x)", message);
        let early = format!("{BOTH}result.x");
        assert_eq!(mistakes(&early).first().map(|(code, ..)| *code), Some(Code::NotReadable));
    }
}
