//! Key paths: paths into the arguments, the result or the value of a host event, perhaps in normalisers; `ids[]` makes one
//! key of each element, `*` is every key.

use std::ops::Range;

use super::expr;
use super::scope::{Roots, Scope};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::mir;
use crate::syntax::expr::{Expr, Kind, Path, Step, StepKind, Word};
use crate::syntax::written::Written;

/// The functions that may stand around a key path.
const WRAPPERS: [&str; 5] = ["lower", "trim", "path_norm", "host", "digest"];

const HELP: &str =
    "write a path such as `args.id`, perhaps in `lower(…)`, `trim(…)`, `path_norm(…)`, `host(…)` or `digest(…)`";

/// Every key. The text form keeps the quotes that YAML needs.
const BROADCAST: [&str; 2] = ["*", "\"*\""];

/// What an element of a fan-out is called. No variable of a contract can have this name.
const ELEMENT: &str = "[]";

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

impl Of {
    fn roots(self) -> Roots {
        match self {
            Self::Calls => Roots::ARGS,
            Self::Results => Roots::ARGS | Roots::RESULT,
            Self::Event => Roots::EVENT,
        }
    }

    fn described(self) -> &'static str {
        match self {
            Self::Calls => "the key of a call",
            Self::Results => "the key of a result",
            Self::Event => "the key of a host event",
        }
    }
}

/// One part of a key.
#[derive(Clone, Debug, PartialEq)]
pub enum Component {
    /// One value.
    One(mir::Expr),
    /// One for each element of a list, which `component` reads as the variable in slot 0.
    Each {
        /// The list.
        list: mir::Expr,
        /// The value that an element makes.
        component: mir::Expr,
    },
    /// `*`: every key.
    All,
}

/// Reads and checks one part of a key.
pub fn component(written: Written<'_>, of: Of, scope: &Scope<'_>, diagnostics: &mut Diagnostics) -> Option<Component> {
    if BROADCAST.contains(&written.text.trim()) {
        return Some(Component::All);
    }
    let tree = expr::tree(written, diagnostics)?;
    let before = diagnostics.len();
    let mut reader = Reader { of, written, fans: Vec::new(), diagnostics };
    reader.shape(&tree, false);
    if let [_, second, ..] = reader.fans.as_slice() {
        let second = second.clone();
        reader.refuse(second, "a key fans out at one place", "make one of the lists a rule of its own");
    }
    let fans = !reader.fans.is_empty();
    if diagnostics.len() > before {
        return None;
    }
    let scope = scope.reading(of.roots());
    match split(&tree).filter(|_| fans) {
        Some((list, component)) => {
            let list = expr::check(&list, written, &scope, diagnostics);
            let component = expr::check_over(ELEMENT, &component, written, &scope, diagnostics);
            Some(Component::Each { list: list?.expr, component: component?.expr })
        }
        None => expr::check(&tree, written, &scope, diagnostics).map(|checked| Component::One(checked.expr)),
    }
}

/// Reads and checks a path in the shape of a key that leads to one value.
pub fn check(written: Written<'_>, of: Of, scope: &Scope<'_>, diagnostics: &mut Diagnostics) -> Option<mir::Expr> {
    let message = match component(written, of, scope, diagnostics)? {
        Component::One(expr) => return Some(expr),
        Component::Each { .. } => "the path leads to one value, not to many",
        Component::All => "`*` is not a path",
    };
    diagnostics.push(Diagnostic::new(Code::BadValue, written.whole(), message).help(HELP));
    None
}

/// The list that a path with `[]` goes through, and what is made of an element.
fn split(tree: &Expr) -> Option<(Expr, Expr)> {
    let at = |kind| Expr::new(kind, tree.range.clone());
    match &tree.kind {
        Kind::Call(function, arguments) => {
            let [argument] = arguments.as_slice() else { return None };
            let (list, element) = split(argument)?;
            Some((list, at(Kind::Call(function.clone(), vec![element]))))
        }
        Kind::Path(Path { root, steps }) => {
            let fan = steps.iter().position(|step| step.kind == StepKind::Each)?;
            let (before, after) = steps.split_at_checked(fan)?;
            let (_, after) = after.split_first()?;
            let element = Word { text: ELEMENT.to_owned(), range: root.range.clone() };
            let list = at(Kind::Path(Path { root: root.clone(), steps: before.to_vec() }));
            Some((list, at(Kind::Path(Path { root: element, steps: after.to_vec() }))))
        }
        _ => None,
    }
}

/// Whether a path leads to something that is never a key: all arguments, or all of a host event. A result may be one value.
fn is_whole(root: &str, steps: &[Step]) -> bool {
    match steps.first() {
        None => root != "result",
        Some(step) => root == "args" && step.kind == StepKind::Each,
    }
}

/// Checks that an expression has the shape of a key path.
struct Reader<'a> {
    of: Of,
    written: Written<'a>,
    /// Where the key fans out.
    fans: Vec<Range<usize>>,
    diagnostics: &'a mut Diagnostics,
}

impl Reader<'_> {
    fn refuse(&mut self, range: Range<usize>, message: impl Into<String>, help: &str) {
        let diagnostic = Diagnostic::new(Code::BadValue, self.written.span(&range), message);
        self.diagnostics.push(diagnostic.help(help));
    }

    fn shape(&mut self, tree: &Expr, in_digest: bool) {
        match &tree.kind {
            Kind::Call(function, arguments) if WRAPPERS.contains(&function.text.as_str()) => {
                let digest = function.text == "digest";
                arguments.iter().for_each(|argument| self.shape(argument, digest));
            }
            Kind::Path(path) => self.path(path, in_digest),
            _ => self.refuse(tree.range.clone(), "this is not a key path", HELP),
        }
    }

    fn path(&mut self, Path { root, steps }: &Path, in_digest: bool) {
        let name = root.text.as_str();
        let readable = Roots::from_name(name).is_some_and(|root| self.of.roots().contains(root));
        if name == "result" && self.of == Of::Calls {
            let help = "give the call a path of its own: `call(tool): args.id` beside `ok(tool): result.id`";
            self.refuse(root.range.clone(), "the key of a call is read before there is a result", help);
        } else if !readable {
            let wanted = self.of.roots().listed();
            let help = match name {
                "event" => "the key of a host event has its own entry: `event(name): event.id`",
                _ => HELP,
            };
            self.refuse(root.range.clone(), format!("{} is a path into {wanted}", self.of.described()), help);
        } else if is_whole(name, steps) && !(in_digest && steps.is_empty()) {
            let help = format!("write a field such as `{name}.id`, or `digest({name})` for all of it");
            self.refuse(root.range.clone(), format!("`{name}` is not one value"), &help);
        }
        steps.iter().for_each(|step| self.step(step));
    }

    fn step(&mut self, step: &Step) {
        let range = step.range.clone();
        let (message, help) = match step.kind {
            StepKind::Field(_) | StepKind::Index(_) => return,
            StepKind::Each if self.written.text.get(range.clone()).is_some_and(|text| text.starts_with('[')) => {
                return self.fans.push(range);
            }
            StepKind::Each => ("a key fans out over the elements of a list", "write `[]` in place of `.*`"),
            StepKind::Deep => ("a key path leads to one value, or to the elements of a list", HELP),
            StepKind::Dynamic(_) => ("a key path has fixed steps", HELP),
        };
        self.refuse(range, message, help);
    }
}

#[cfg(test)]
mod tests {
    use super::super::scope::fixture::{found, with_scope, written};
    use super::*;

    fn read(text: &str, of: Of) -> Result<Component, Vec<(Code, String, String)>> {
        let mut diagnostics = Diagnostics::new();
        let checked = with_scope(Roots::OF_CALL, |scope| {
            written(text, |written| component(written, of, scope, &mut diagnostics))
        });
        assert_eq!(checked.is_none(), diagnostics.has_errors(), "{text}");
        checked.ok_or_else(|| found(text, diagnostics))
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
            assert!(matches!(read(text, Of::Calls), Ok(Component::One(_))), "{text}");
            assert!(matches!(read(text, Of::Results), Ok(Component::One(_))), "{text}");
        }
        assert!(matches!(read("lower(result.id)", Of::Results), Ok(Component::One(_))));
        assert!(matches!(read("result", Of::Results), Ok(Component::One(_))));
        assert!(matches!(read("event.id", Of::Event), Ok(Component::One(_))));
        for text in [" * ", " \"*\" "] {
            assert_eq!(read(text, Of::Event), Ok(Component::All));
        }
    }

    #[test]
    fn a_fan_out_is_a_list_and_what_each_element_makes() {
        let path = |root, fields: &[&str]| {
            let steps = fields.iter().map(|field| mir::Step::Field((*field).to_owned())).collect();
            mir::Expr::Path(mir::Path { root, steps })
        };
        let element = |fields| path(mir::Root::Variable(0), fields);
        let lower = |inner| mir::Expr::Call(mir::Function::Lower, vec![inner]);
        let each = |list, component| Ok(Component::Each { list, component });
        assert_eq!(read("args.ids[]", Of::Calls), each(path(mir::Root::Args, &["ids"]), element(&[])));
        let items = path(mir::Root::Args, &["items"]);
        assert_eq!(read("lower(args.items[].id)", Of::Calls), each(items, lower(element(&["id"]))));
        assert_eq!(read("result[].id", Of::Results), each(path(mir::Root::Result, &[]), element(&["id"])));
        assert_eq!(read("event.ids[]", Of::Event), each(path(mir::Root::Event, &["ids"]), element(&[])));
    }

    #[test]
    fn nothing_else_is_a_key() {
        let calls = "the key of a call is a path into `args`";
        for (text, at, message) in [
            ("args", "args", "`args` is not one value"),
            ("lower(args)", "args", "`args` is not one value"),
            ("args[].id", "args", "`args` is not one value"),
            ("args.ids[].parts[]", "[]", "a key fans out at one place"),
            ("args.ids.*", ".*", "a key fans out over the elements of a list"),
            ("args.**.id", ".**", "a key path leads to one value, or to the elements of a list"),
            ("args.m[args.k]", "[args.k]", "a key path has fixed steps"),
            ("result.id", "result", "the key of a call is read before there is a result"),
            ("state.account", "state", calls),
            ("event.id", "event", calls),
            ("upper(args.x)", "upper(args.x)", "this is not a key path"),
            ("args.x + 1", "args.x + 1", "this is not a key path"),
            ("\"x\"", "\"x\"", "this is not a key path"),
        ] {
            assert_eq!(read(text, Of::Calls), Err(vec![(Code::BadValue, at.to_owned(), message.to_owned())]), "{text}");
        }
        let mut diagnostics = Diagnostics::new();
        let of_event = with_scope(Roots::OF_CALL, |scope| {
            written("event.id", |text| check(text, Of::Calls, scope, &mut diagnostics))
        });
        assert!(
            of_event.is_none()
                && diagnostics.iter().all(|found| found.help[0].text.contains("`event(name): event.id`"))
        );
        assert_eq!(read("lower()", Of::Calls).unwrap_err().len(), 1);
        assert_eq!(read("lower(args.a, args.ids[])", Of::Calls).unwrap_err().len(), 1);
        assert_eq!(read("args.x", Of::Event).unwrap_err().len(), 1);
    }

    #[test]
    fn some_places_take_one_value_only() {
        for text in ["*", "args.ids[]"] {
            let mut diagnostics = Diagnostics::new();
            let checked = with_scope(Roots::OF_CALL, |scope| {
                written(text, |written| check(written, Of::Calls, scope, &mut diagnostics))
            });
            assert_eq!((checked, diagnostics.len()), (None, 1), "{text}");
        }
    }
}
