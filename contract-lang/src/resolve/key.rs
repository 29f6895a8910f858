//! Key paths: paths into the arguments (or the value of a host event), perhaps in normalisers.

use super::expr;
use super::scope::{Roots, Scope};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::mir;
use crate::syntax::expr::{Expr, Kind, Path, StepKind};
use crate::syntax::written::Written;

/// The functions that may stand around a key path.
const WRAPPERS: [&str; 5] = ["lower", "trim", "path_norm", "host", "digest"];

const HELP: &str =
    "write a path such as `args.id`, perhaps in `lower(…)`, `trim(…)`, `path_norm(…)`, `host(…)` or `digest(…)`";

/// Whose key a path is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// Calls, and perhaps their results: the path reads `args`.
    Calls,
    /// Results alone: the path reads `args` or `result`.
    Results,
    /// Host events: the path reads `event`.
    Event,
}

/// Reads and checks one part of a key.
pub fn check(written: Written<'_>, of: Of, scope: &Scope<'_>, diagnostics: &mut Diagnostics) -> Option<mir::Expr> {
    if written.text.trim() == "*" {
        let message = "`*` is not a path";
        diagnostics.push(Diagnostic::new(Code::BadValue, written.whole(), message).help(HELP));
        return None;
    }
    let tree = expr::tree(written, diagnostics)?;
    let before = diagnostics.len();
    shape(&tree, of, false, written, diagnostics);
    if diagnostics.len() > before {
        return None;
    }
    let roots = match of {
        Of::Calls => Roots::ARGS,
        Of::Results => Roots::ARGS | Roots::RESULT,
        Of::Event => Roots::EVENT,
    };
    expr::check(&tree, written, &scope.reading(roots), diagnostics).map(|checked| checked.expr)
}

/// Checks that an expression has the shape of a key path.
fn shape(tree: &Expr, of: Of, in_digest: bool, written: Written<'_>, diagnostics: &mut Diagnostics) {
    let mut refuse = |range, message: String, help: &str| {
        diagnostics.push(Diagnostic::new(Code::BadValue, written.span(range), message).help(help));
    };
    match &tree.kind {
        Kind::Call(function, arguments) if WRAPPERS.contains(&function.text.as_str()) => {
            let digest = function.text == "digest";
            for argument in arguments {
                shape(argument, of, digest, written, diagnostics);
            }
        }
        Kind::Path(Path { root, steps }) => {
            let wanted = if of == Of::Event { "event" } else { "args" };
            let result = of == Of::Results && root.text == "result";
            let wanted = if result { "result" } else { wanted };
            if root.text != wanted {
                let whose = if of == Of::Event { "a host event" } else { "a call" };
                refuse(&root.range, format!("the key of {whose} is a path into `{wanted}`"), HELP);
            } else if steps.is_empty() && !in_digest && !result {
                let help = format!("write a field such as `{wanted}.id`, or `digest({wanted})` for all of it");
                refuse(&root.range, format!("`{wanted}` is not one value"), &help);
            }
            for step in steps {
                let message = match step.kind {
                    StepKind::Field(_) | StepKind::Index(_) => continue,
                    StepKind::Each | StepKind::Deep => "a key path leads to one value, not to many",
                    StepKind::Dynamic(_) => "a key path has fixed steps",
                };
                refuse(&step.range, message.to_owned(), HELP);
            }
        }
        _ => refuse(&tree.range, "this is not a key path".to_owned(), HELP),
    }
}

#[cfg(test)]
mod tests {
    use super::super::scope::fixture::{found, with_scope, written};
    use super::*;

    fn mistakes(text: &str, of: Of) -> Vec<(Code, String, String)> {
        let mut diagnostics = Diagnostics::new();
        let checked =
            with_scope(Roots::OF_CALL, |scope| written(text, |written| check(written, of, scope, &mut diagnostics)));
        assert_eq!(checked.is_none(), diagnostics.has_errors(), "{text}");
        found(text, diagnostics)
    }

    #[test]
    fn keys_are_paths_perhaps_normalised() {
        for text in [
            "args.id",
            "args.a[0][\"x-y\"].b",
            "lower(trim(args.email))",
            "host(args.url)",
            "path_norm(args.p)",
            "digest(args)",
            "digest(args.x)",
        ] {
            assert_eq!(mistakes(text, Of::Calls), [], "{text}");
        }
        assert_eq!(mistakes("event.id", Of::Event), []);
    }

    #[test]
    fn nothing_else_is_a_key() {
        for (text, at, message) in [
            ("*", "*", "`*` is not a path"),
            ("args", "args", "`args` is not one value"),
            ("lower(args)", "args", "`args` is not one value"),
            ("args.ids[]", "[]", "a key path leads to one value, not to many"),
            ("args.**.id", ".**", "a key path leads to one value, not to many"),
            ("args.m[args.k]", "[args.k]", "a key path has fixed steps"),
            ("result.id", "result", "the key of a call is a path into `args`"),
            ("state.account", "state", "the key of a call is a path into `args`"),
            ("upper(args.x)", "upper(args.x)", "this is not a key path"),
            ("args.x + 1", "args.x + 1", "this is not a key path"),
            ("\"x\"", "\"x\"", "this is not a key path"),
        ] {
            assert_eq!(mistakes(text, Of::Calls), [(Code::BadValue, at.to_owned(), message.to_owned())], "{text}");
        }
        assert_eq!(mistakes("lower()", Of::Calls).len(), 1);
        assert_eq!(mistakes("args.x", Of::Event).len(), 1);
    }
}
