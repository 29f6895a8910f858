//! `rewrite: { path: value, … }` with `call: c`: calls run with changed arguments.
//!
//! ```yaml
//! call: search
//! rewrite:
//!   args.limit: min(default(args.limit, 20), 100)
//! ```
//! ```text
//! search {"limit": 500}   | allow | open
//! search                  | allow | open
//! search {"limit": "x"}   | block | open
//! end                     |       | satisfied
//! ```
//!
//! Pattern: calls alone. The changes are made before anything else, once, and all values read the original arguments;
//! every rule then sees the changed ones. A field that is not there is made; what leads to it must be there. Where it is
//! not established whether the pattern matches or what a value is, nothing is changed and the rule is unestablished for
//! the call.

use super::words::quoted;
use super::{Lack, REMEMBERS_NOTHING, Template, Words};
use crate::ast::{Rewrite, Rule, Source};
use crate::diagnostic::{Code, Diagnostic};
use crate::mir::{self, Kind, Pattern, Step};
use crate::resolve::lowering::{Lowering, only, readable};
use crate::resolve::role::Role;
use crate::resolve::scope::Roots;
use crate::resolve::text;
use crate::source::Span;

const NEVER_VIOLATED: &str =
    "a rewrite is never violated: write `decide: { unestablished: … }` for a call that cannot be changed";

impl Rewrite {
    fn changes(&self, readable: Roots, lowering: &mut Lowering<'_, '_>) -> Option<Vec<mir::Rewrite>> {
        let mut seen: Vec<(Vec<Step>, Span)> = Vec::new();
        let mut changes = Vec::new();
        for (target, value) in &self.rewrite {
            let path = lowering.argument_path(target);
            let value_read = lowering.json(value, readable);
            let Some(path) = path else { continue };
            let overlap = |(other, _): &&(Vec<Step>, Span)| other.starts_with(&path) || path.starts_with(other);
            if let Some((_, first)) = seen.iter().find(overlap) {
                let message = format!("`{}` is changed twice", text(target));
                lowering.report(
                    Diagnostic::new(Code::DuplicateKey, target.span, message)
                        .related(*first, "this changes it, too")
                        .help("change each place once: a path and what lies below it overlap"),
                );
            }
            seen.push((path.clone(), target.span));
            changes.extend(value_read.map(|expr| mir::Rewrite { path, value: expr, text: text(value) }));
        }
        (changes.len() == self.rewrite.entries.len() && self.rewrite.broken.is_empty()).then_some(changes)
    }
}

impl Template for Rewrite {
    fn patterns(&self) -> Vec<(&Source, Role)> {
        vec![(&self.call, Role::DECIDED)]
    }

    fn names(&self) -> Vec<&str> {
        vec!["call"]
    }

    fn lower(&self, patterns: Option<Vec<Pattern>>, lowering: &mut Lowering<'_, '_>) -> Option<Kind> {
        if self.rewrite.is_empty() {
            let message = "the rule changes nothing";
            let help = "write a path and its value, such as `args.limit: min(args.limit, 100)`";
            let span = lowering.rule().kind_span;
            lowering.report(Diagnostic::new(Code::BadValue, span, message).help(help));
            return None;
        }
        lowering.refuse_rows(&["satisfied", "open", "pending", "violated"], NEVER_VIOLATED);
        let changes = self.changes(readable(patterns.as_deref()), lowering);
        Some(Kind::Rewrite { pattern: only(patterns)?, changes: changes? })
    }

    fn words(&self, _: &Rule) -> Words {
        let each: Vec<String> =
            self.rewrite.iter().map(|(target, value)| format!("{} = {}", quoted(target), quoted(value))).collect();
        Words {
            says: format!("{} runs with {}", quoted(&self.call), each.join(" and ")),
            advice: "give arguments of which the new values can be made".to_owned(),
        }
    }

    fn lacks(&self) -> Vec<Lack> {
        [REMEMBERS_NOTHING, &[("action", NEVER_VIOLATED)]].concat()
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnostic::Code;
    use crate::mir::{Kind, Step};
    use crate::rule::fixture::{assert_mistake, mistakes, rule};

    const LIST: &str = "expected an expression, found a list: in YAML a value that starts with `[` is one";

    fn rewrite(changes: &str) -> String {
        format!("call: a\nrewrite: {{ {changes} }}")
    }

    #[test]
    fn places_in_the_arguments_get_values() {
        let Kind::Rewrite { changes, .. } = rule(&rewrite("args.a.b: args.x + 1, 'args.list[0]': '\"t\"'")).kind else {
            panic!()
        };
        let field = |name: &str| Step::Field(name.to_owned());
        let paths: Vec<_> = changes.iter().map(|change| change.path.clone()).collect();
        assert_eq!(paths, [vec![field("a"), field("b")], vec![field("list"), Step::Index(0)]]);
        assert_eq!(changes[0].text, "args.x + 1");
    }

    #[test]
    fn a_target_is_one_place() {
        for target in ["args", "args[]", "args.**", "args[args.x]", "lower(args.x)"] {
            let message = format!("`{target}` is not a path to one place in the arguments");
            assert_mistake(&rewrite(&format!("'{target}': 1")), Code::BadValue, &format!("'{target}'"), &message);
        }
        assert_eq!(mistakes(&rewrite("limit: 1")).first().map(|(code, ..)| *code), Some(Code::UnknownName));
        assert_eq!(mistakes(&rewrite("result.x: 1")).first().map(|(code, ..)| *code), Some(Code::NotReadable));
    }

    #[test]
    fn each_place_is_changed_once() {
        for second in ["args.a.b", "args.a", "'args.a[\"b\"].c'"] {
            let found = mistakes(&rewrite(&format!("args.a.b: 1, {second}: 2")));
            assert!(found.iter().any(|(code, ..)| *code == Code::DuplicateKey), "{second}: {found:?}");
        }
        assert_mistake(&rewrite("args.x: [1, 2]"), Code::YamlTrap, "[1, 2]", LIST);
        assert_mistake("call: a\nrewrite: {}", Code::BadValue, "rewrite", "the rule changes nothing");
    }

    #[test]
    fn a_value_is_json() {
        let message = "arguments are JSON, and this is a duration";
        assert_mistake(&rewrite("args.x: 10m"), Code::TypeMismatch, "10m", message);
    }
}
