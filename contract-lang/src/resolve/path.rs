//! Paths: where they start and what they walk through.

use std::ops::Range;

use super::expr::{Checker, Typed};
use super::scope::Roots;
use super::types::Static;
use crate::diagnostic::{Code, nearest};
use crate::mir::{CallFact, Expr, Literal, Path, Root, Step};
use crate::syntax::expr as syntax;
use crate::syntax::expr::StepKind;

/// What other languages and earlier drafts call the roots and constants.
const FOREIGN: [(&str, &str); 18] = [
    ("arg", "args"),
    ("arguments", "args"),
    ("params", "args"),
    ("parameters", "args"),
    ("input", "args"),
    ("output", "result"),
    ("response", "result"),
    ("results", "result"),
    ("ctx", "context"),
    ("session", "context"),
    ("payload", "event"),
    ("tool", "call.tool"),
    ("server", "call.server"),
    ("none", "null"),
    ("nil", "null"),
    ("undefined", "null"),
    ("true", "true"),
    ("false", "false"),
];

const FACTS: [(&str, CallFact, Static); 4] = [
    ("tool", CallFact::Tool, Static::Text),
    ("server", CallFact::Server, Static::Text),
    ("batch", CallFact::Batch, Static::Number),
    ("agent", CallFact::Agent, Static::Text),
];

impl Checker<'_> {
    /// Checks a path used as a value.
    pub(super) fn path(&mut self, path: &syntax::Path) -> Option<Typed> {
        if path.root.text == "now" && self.variable("now").is_none() {
            self.readable(&path.root, Roots::NOW)?;
            return match path.steps.first() {
                None => Some(Typed::new(Expr::Now, Static::Time)),
                Some(step) => self.report(
                    self.error(Code::TypeMismatch, &step.range, "a time has no parts").help("write `now` alone"),
                ),
            };
        }
        let (path, ty) = self.walk(path)?;
        Some(Typed::new(Expr::Path(path), ty))
    }

    /// Checks steps into the value of a function.
    pub(super) fn select(&mut self, value: &syntax::Expr, steps: &[syntax::Step]) -> Option<Typed> {
        let value = self.expr(value);
        let ty = value.as_ref().map_or(Static::Any, |value| value.ty.clone());
        let (steps, ty) = self.steps(steps, ty)?;
        Some(Typed::new(Expr::Select(Box::new(value?.expr), steps), ty))
    }

    /// Checks a path that is not `now`.
    pub(super) fn walk(&mut self, path: &syntax::Path) -> Option<(Path, Static)> {
        let (root, ty, taken) = self.root(path)?;
        let (steps, ty) = self.steps(path.steps.get(taken..).unwrap_or_default(), ty)?;
        Some((Path { root, steps }, ty))
    }

    fn variable(&self, name: &str) -> Option<(usize, &Static)> {
        self.variables.iter().enumerate().rev().find(|(_, (known, _))| known == name).map(|(slot, (_, ty))| (slot, ty))
    }

    /// Where a path starts, the type there, and how many steps that took.
    fn root(&mut self, path: &syntax::Path) -> Option<(Root, Static, usize)> {
        if let Some((slot, ty)) = self.variable(&path.root.text) {
            return Some((Root::Variable(slot), ty.clone(), 0));
        }
        let Some(root) = Roots::from_name(&path.root.text) else {
            return self.unknown_root(&path.root);
        };
        self.readable(&path.root, root)?;
        match path.root.text.as_str() {
            "args" => Some((Root::Args, Static::Any, 0)),
            "result" => Some((Root::Result, Static::Any, 0)),
            "event" => Some((Root::Event, Static::Any, 0)),
            "call" => {
                let names = FACTS.iter().map(|(name, ..)| *name).collect();
                let index = self.member(path, "fact about the call", names, &[])?;
                let (_, fact, ty) = FACTS.get(index)?;
                Some((Root::Call(*fact), ty.clone(), 1))
            }
            "state" => {
                let names = self.scope.cells.iter().map(|cell| cell.name.as_str()).collect();
                let index = self.member(path, "state cell", names, self.scope.broken.cells)?;
                Some((Root::State(index), Static::of(&self.scope.cells.get(index)?.ty), 1))
            }
            _ => {
                let names = self.scope.context.iter().map(|(name, _)| name.as_str()).collect();
                let index = self.member(path, "context fact", names, self.scope.broken.context)?;
                Some((Root::Context(index), Static::of(&self.scope.context.get(index)?.1), 1))
            }
        }
    }

    fn readable(&mut self, word: &syntax::Word, root: Roots) -> Option<()> {
        self.reads = self.reads | root;
        if self.scope.roots.contains(root) {
            return Some(());
        }
        let error = self.error(Code::NotReadable, &word.range, format!("`{}` cannot be read here", word.text));
        let error = match root {
            Roots::RESULT => error.help("there is no result before the call has run"),
            Roots::EVENT => error.help("only `event(…)` patterns have an event"),
            _ => error,
        };
        self.report(error.help(format!("{} can be read here", self.scope.roots.listed())))
    }

    /// The declared thing that the first step names; without a word, if it is broken.
    fn member(&mut self, path: &syntax::Path, what: &str, names: Vec<&str>, broken: &[String]) -> Option<usize> {
        let root = &path.root.text;
        let Some((first, name)) = path.steps.first().and_then(|step| match &step.kind {
            StepKind::Field(name) => Some((step, name)),
            _ => None,
        }) else {
            let range = path.steps.first().map_or_else(|| path.root.range.clone(), |step| step.range.clone());
            let error = self.error(Code::UnknownName, &range, format!("`{root}` is followed by the name of a {what}"));
            return self.report(match names.first() {
                Some(name) => error.help(format!("write `{root}.{name}`")),
                None => error.help(format!("the contract declares no {what}")),
            });
        };
        if let Some(index) = names.iter().position(|known| known == name) {
            return Some(index);
        }
        if broken.contains(name) {
            return None;
        }
        let near = nearest(name, names.iter().copied()).map(str::to_owned);
        let error = self.error(Code::UnknownName, &first.range, format!("there is no {what} `{name}`"));
        let span = self.written.span(&first.range);
        let error = match (near, names.as_slice()) {
            (Some(near), _) => error.suggest(format!("did you mean `{near}`?"), span, format!(".{near}")),
            (None, []) => error.help(format!("the contract declares no {what}")),
            (None, known) => {
                let shown: Vec<_> = known.iter().take(8).map(|name| format!("`{name}`")).collect();
                error.help(format!("known: {}", shown.join(", ")))
            }
        };
        self.report(error)
    }

    fn unknown_root<T>(&mut self, root: &syntax::Word) -> Option<T> {
        let name = root.text.as_str();
        let error = self.error(Code::UnknownName, &root.range, format!("unknown name `{name}`"));
        let span = self.written.span(&root.range);
        let lower = name.to_ascii_lowercase();
        let foreign = FOREIGN.into_iter().find(|(foreign, _)| *foreign == lower).map(|(_, ours)| ours);
        let variables = self.variables.iter().map(|(name, _)| name.as_str());
        let roots = Roots::NAMES.into_iter().filter(|(_, root)| self.scope.roots.contains(*root)).map(|(name, _)| name);
        let near = foreign.or_else(|| nearest(name, roots.chain(variables)));
        let owner = self.owner(name);
        let error = if self.follows_hyphen(&root.range) {
            error.help(format!("a field whose name has `-` is written in brackets: `args[\"…-{name}\"]`"))
        } else if let Some(owner) = owner {
            error.suggest(format!("write `{owner}.{name}`"), span, format!("{owner}.{name}"))
        } else if let Some(near) = near {
            error.suggest(format!("did you mean `{near}`?"), span, near)
        } else {
            error
                .help(format!("values start with {}", self.scope.roots.listed()))
                .help(format!("a string is written in double quotes: `\"{name}\"`"))
        };
        self.report(error)
    }

    /// The root under which a bare name is declared.
    fn owner(&self, name: &str) -> Option<&'static str> {
        if self.scope.cells.iter().any(|cell| cell.name == name) {
            Some("state")
        } else if self.scope.context.iter().any(|(known, _)| known == name) {
            Some("context")
        } else {
            None
        }
    }

    fn follows_hyphen(&self, range: &Range<usize>) -> bool {
        let before = self.written.text.get(..range.start).and_then(|before| before.strip_suffix('-'));
        before.is_some_and(|before| before.ends_with(|last: char| last.is_ascii_alphanumeric() || last == '_'))
    }

    /// Checks steps from a value of some type; the type of what they lead to.
    fn steps(&mut self, steps: &[syntax::Step], from: Static) -> Option<(Vec<Step>, Static)> {
        let mut checked = Vec::with_capacity(steps.len());
        let mut ty = from;
        let mut many = false;
        for step in steps {
            let (lowered, next) = self.step(step, ty)?;
            many = many || matches!(lowered, Step::Each | Step::Deep);
            checked.push(lowered);
            ty = next;
        }
        Some((checked, if many { Static::list(ty) } else { ty }))
    }

    fn step(&mut self, step: &syntax::Step, from: Static) -> Option<(Step, Static)> {
        let lowered = match &step.kind {
            StepKind::Field(name) => Step::Field(name.clone()),
            // A map of the state has keys, not positions: `state.m[1]` asks for the key 1.
            StepKind::Index(index) if matches!(from, Static::Map(_)) => {
                let number = contract_runtime::Decimal::parse(&index.to_string())?;
                Step::Dynamic(Box::new(Expr::Literal(Literal::Number(number))))
            }
            StepKind::Index(index) => Step::Index(*index),
            StepKind::Each => Step::Each,
            StepKind::Deep => Step::Deep,
            StepKind::Dynamic(inner) => {
                let key = self.expr(inner)?;
                if !key.ty.may_be_scalar() {
                    let message = format!("{} cannot be a key", key.ty.described());
                    let error = self.error(Code::TypeMismatch, &inner.range, message);
                    return self.report(error.help("write a string or a number, or a path that leads to one"));
                }
                Step::Dynamic(Box::new(key.expr))
            }
        };
        let next = match (from, &step.kind) {
            (Static::Any, _) => Static::Any,
            (Static::Map(value), StepKind::Field(_) | StepKind::Index(_) | StepKind::Dynamic(_) | StepKind::Each) => {
                *value
            }
            (Static::List(member), StepKind::Index(_) | StepKind::Dynamic(_) | StepKind::Each) => *member,
            (Static::Map(_) | Static::List(_), StepKind::Deep) => Static::Any,
            (list @ Static::List(_), StepKind::Field(name)) => {
                let error =
                    self.error(Code::TypeMismatch, &step.range, format!("{} has no field `{name}`", list.described()));
                return self.report(error.help("`[]` goes to each element, `size(list)` is the length"));
            }
            (scalar, _) => {
                let error = self.error(Code::TypeMismatch, &step.range, format!("{} has no parts", scalar.described()));
                return self.report(error.help("end the path before it"));
            }
        };
        Some((lowered, next))
    }
}

#[cfg(test)]
mod tests;
