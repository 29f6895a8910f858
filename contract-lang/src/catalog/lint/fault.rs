//! What in an expression cannot be as it is written, by what one tool says of its arguments.

use std::ops::Range;

use serde_json::Value;

use super::site::{Site, Use};
use super::truth::Wrong;
use super::view::{Type, View, taken};
use crate::catalog::{Kinds, Place, Schema};
use crate::decode::shorten;
use crate::diagnostic::nearest;
use crate::resolve::functions::Signature;
use crate::syntax::expr::{Expr, Kind, Operator, Path, Step, StepKind};
use crate::syntax::print::is_identifier;

/// A fault, and the part of the expression where it is.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fault {
    pub(super) range: Range<usize>,
    pub(super) what: What,
    /// What is never established for it; `None` if it only never holds.
    pub(super) wrong: Option<Wrong>,
    /// What was probably meant, to be written there.
    pub(super) near: Option<(Range<usize>, String)>,
}

/// What is at fault. Tools with the same fault are named together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum What {
    /// The tool has no such argument.
    Unlisted {
        /// The path up to it.
        path: String,
        /// Its name.
        name: String,
    },
    /// The tool can be called without it.
    Optional {
        /// The path up to it.
        path: String,
    },
    /// It is of another type than is needed.
    Type(String),
    /// It never has this value.
    Value(String),
}

/// What is found, and what is known to be certain of it.
pub(super) struct Faults<'s> {
    site: &'s Site<'s>,
    pub(super) found: Vec<Fault>,
    /// Those of `found` of which the schema forbids that they are otherwise.
    pub(super) forbidden: Vec<usize>,
}

/// Most faults of one expression.
const MOST: usize = 32;

impl<'s> Faults<'s> {
    /// The faults of an expression, for one tool.
    pub(super) fn of(site: &'s Site<'s>, view: &View<'_>) -> Self {
        let mut faults = Self { site, found: Vec::new(), forbidden: Vec::new() };
        match site.of {
            Use::Target => faults.place(&site.tree, view),
            Use::Condition | Use::Clause => faults.condition(&site.tree, view),
            Use::Key { .. } => {
                faults.expr(&site.tree, view);
                let scalar = Kinds::STRING.or(Kinds::NUMBER).or(Kinds::BOOL);
                faults.needs(&site.tree, scalar, "a key is a string, a number or a truth value", view);
            }
            Use::Amount => {
                faults.expr(&site.tree, view);
                faults.needs(&site.tree, Kinds::NUMBER, "only numbers are added up", view);
            }
            Use::Argument => {
                faults.expr(&site.tree, view);
                faults.argument(view);
            }
            Use::Other => faults.expr(&site.tree, view),
        }
        faults
    }

    fn push(&mut self, range: &Range<usize>, what: What, wrong: Option<Wrong>) {
        self.push_near(range, what, wrong, None);
    }

    fn push_near(
        &mut self,
        range: &Range<usize>,
        what: What,
        wrong: Option<Wrong>,
        near: Option<(Range<usize>, String)>,
    ) {
        if self.found.len() < MOST {
            self.found.push(Fault { range: range.clone(), what, wrong, near });
        }
    }

    /// An expression that must be true or false.
    fn condition(&mut self, expr: &Expr, view: &View<'_>) {
        match &expr.kind {
            Kind::Not(inner) => self.condition(inner, view),
            Kind::And(items) | Kind::Or(items) => items.iter().for_each(|item| self.condition(item, view)),
            Kind::Implies(left, right) => [left, right].into_iter().for_each(|side| self.condition(side, view)),
            Kind::Path(_) => {
                self.path(expr, view);
                self.needs(expr, Kinds::BOOL, "a condition is true or false", view);
            }
            _ => self.expr(expr, view),
        }
    }

    fn expr(&mut self, expr: &Expr, view: &View<'_>) {
        match &expr.kind {
            Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Duration(_) | Kind::Text(_) => {}
            Kind::Not(_) | Kind::And(_) | Kind::Or(_) | Kind::Implies(..) => self.condition(expr, view),
            Kind::Path(_) => self.path(expr, view),
            Kind::List(items) => items.iter().for_each(|item| self.expr(item, view)),
            Kind::Select(value, _) => self.expr(value, view),
            Kind::Binary(operator, left, right) => {
                self.expr(left, view);
                self.expr(right, view);
                self.binary(expr, *operator, left, right, view);
            }
            Kind::Call(name, arguments) => self.call(&name.text, arguments, view),
            Kind::Quantified { variable, list, body, .. } => {
                self.expr(list, view);
                self.needs(list, Kinds::LIST, "a quantifier goes through a list", view);
                self.condition(body, &view.within(&variable.text, list));
            }
        }
    }

    fn call(&mut self, name: &str, arguments: &[Expr], view: &View<'_>) {
        if name == "has" {
            arguments.iter().for_each(|path| self.place(path, view));
            return;
        }
        arguments.iter().for_each(|argument| self.expr(argument, view));
        let Some(signature) = Signature::find(name) else { return };
        for (position, argument) in arguments.iter().enumerate() {
            let words = format!("`{name}` takes something else: `{}`", signature.usage);
            self.needs(argument, taken(signature.parameter(position)), &words, view);
        }
    }

    /// A path that is looked for, or written to: whether the tool has it at all.
    fn place(&mut self, expr: &Expr, view: &View<'_>) {
        let Kind::Path(path) = &expr.kind else { return };
        match view.place(expr) {
            Some(Place::Unlisted { step, forbidden, of }) => {
                let Some(Step { kind: StepKind::Field(name), range }) = path.steps.get(step) else { return };
                let names = of.properties.keys().map(String::as_str);
                let near = nearest(name, names)
                    .filter(|near| is_identifier(near))
                    .map(|near| (range.clone(), format!(".{near}")));
                if forbidden {
                    self.forbidden.push(self.found.len());
                }
                let what = What::Unlisted { path: until(path, step), name: name.clone() };
                self.push_near(range, what, self.missing(path, step, view), near);
            }
            Some(Place::NoParts { step, of }) => {
                let Some(at) = path.steps.get(step) else { return };
                let before = step.checked_sub(1).map_or_else(|| path.root.text.clone(), |step| until(path, step));
                let message = format!("`{before}` is {}, which has no such part", of.kinds.described());
                self.push(&at.range, What::Type(message), self.missing(path, step, view));
            }
            _ => {}
        }
    }

    /// A path that is read.
    fn path(&mut self, expr: &Expr, view: &View<'_>) {
        self.place(expr, view);
        let (Kind::Path(path), Some(Place::Known { optional: Some(step), .. })) = (&expr.kind, view.place(expr)) else {
            return;
        };
        // A result need not have what it may have; that is what conditions over it are for.
        if view.trail(path).is_some_and(|trail| trail.first().is_some_and(|root| root == "args")) {
            self.push(&expr.range, What::Optional { path: until(path, step) }, self.missing(path, step, view));
        }
    }

    /// What leads nowhere if a step of the path does.
    fn missing(&self, path: &Path, step: usize, view: &View<'_>) -> Option<Wrong> {
        let mut trail = view.trail(path)?;
        let after = path.steps.len().saturating_sub(step.saturating_add(1));
        trail.truncate(trail.len().saturating_sub(after));
        Some(Wrong::Missing(trail))
    }

    /// Reports a value that is never of a kind that is needed.
    fn needs(&mut self, expr: &Expr, kinds: Kinds, words: &str, view: &View<'_>) {
        if let Type::Json(found) = view.ty(expr)
            && found != Kinds::NONE
            && !found.meets(kinds)
        {
            let message = format!("`{expr}` is {}: {words}", found.described());
            self.push(&expr.range, What::Type(message), Some(Wrong::Part(expr.range.clone())));
        }
    }

    fn binary(&mut self, whole: &Expr, operator: Operator, left: &Expr, right: &Expr, view: &View<'_>) {
        match operator {
            Operator::Equal | Operator::NotEqual => self.equal(whole, left, right, view),
            Operator::In => {
                self.needs(right, Kinds::LIST.or(Kinds::OBJECT), "`in` looks into a list", view);
                if let Kind::List(items) = &right.kind {
                    items.iter().for_each(|item| self.is_value(left, item, view));
                }
            }
            Operator::Like | Operator::Matches => {
                let words = format!("`{}` needs a string", operator.as_str());
                self.needs(left, Kinds::STRING, &words, view);
            }
            Operator::Less | Operator::LessOrEqual | Operator::Greater | Operator::GreaterOrEqual => {
                let ordered = Kinds::NUMBER.or(Kinds::STRING);
                self.needs(left, ordered, "it has no order", view);
                self.needs(right, ordered, "it has no order", view);
                self.comparable(whole, left, right, view);
            }
            Operator::Add | Operator::Subtract | Operator::Multiply => {
                self.needs(left, Kinds::NUMBER, "only numbers are computed with", view);
                self.needs(right, Kinds::NUMBER, "only numbers are computed with", view);
            }
        }
    }

    fn equal(&mut self, whole: &Expr, left: &Expr, right: &Expr, view: &View<'_>) {
        if self.comparable(whole, left, right, view) {
            self.is_value(left, right, view);
            self.is_value(right, left, view);
        }
    }

    /// Whether two values may be compared; reports that they never can.
    fn comparable(&mut self, whole: &Expr, left: &Expr, right: &Expr, view: &View<'_>) -> bool {
        let (one, other) = (view.ty(left), view.ty(right));
        let (Some(one), Some(other)) = (words(one), words(other)) else { return true };
        let meets = match (view.ty(left), view.ty(right)) {
            (Type::Json(one), Type::Json(other)) => one.meets(other),
            (Type::Time, Type::Time) => true,
            _ => false,
        };
        // Whether something is null is always established.
        let is_null = |expr: &Expr| expr.kind == Kind::Null;
        if meets || is_null(left) || is_null(right) {
            return true;
        }
        let (at, is, what) = match &left.kind {
            Kind::Path(_) => (left, one, other),
            _ => (right, other, one),
        };
        let message = format!("`{at}` is {is}, which is never comparable with {what}");
        self.push(&whole.range, What::Type(message), Some(Wrong::Part(whole.range.clone())));
        false
    }

    /// Reports a literal that a value never is.
    fn is_value(&mut self, at: &Expr, literal: &Expr, view: &View<'_>) {
        let Some(schema) = view.schema(at) else { return };
        let Some(value) = value(literal) else { return };
        if schema.kinds == Kinds::NONE || is_never(schema, &value) != Some(true) {
            return;
        }
        let texts = schema.values.iter().flatten().filter_map(Value::as_str);
        let near = value.as_str().and_then(|text| nearest(text, texts)).and_then(|near| within_quotes(literal, near));
        let message = match &value {
            Value::Null => format!("`{at}` is never null: whether it is there says `has({at})`"),
            _ => format!("`{at}` is never `{literal}`: it is {}", listed(schema)),
        };
        self.push_near(&literal.range, What::Value(message), None, near);
    }

    /// A new value of an argument, as the tool takes it.
    fn argument(&mut self, view: &View<'_>) {
        let Some(schema) = self.site.target.as_ref().and_then(|target| view.schema(target)) else { return };
        let tree = &self.site.tree;
        if let Some(value) = value(tree) {
            if is_never(schema, &value) == Some(true) {
                self.push(
                    &tree.range,
                    What::Value(format!("the argument is never `{tree}`: it is {}", listed(schema))),
                    None,
                );
            }
        } else if let Type::Json(kinds) = view.ty(tree)
            && !kinds.meets(schema.kinds)
        {
            let message = format!("the argument is {}, and this is {}", schema.kinds.described(), kinds.described());
            self.push(&tree.range, What::Value(message), None);
        }
    }
}

/// A path up to a step, as it is written.
fn until(path: &Path, step: usize) -> String {
    let steps = path.steps.iter().take(step.saturating_add(1)).cloned().collect();
    Expr::new(Kind::Path(Path { root: path.root.clone(), steps }), 0..0).to_string()
}

fn words(ty: Type) -> Option<String> {
    match ty {
        Type::Json(Kinds::NONE) | Type::Unknown => None,
        Type::Json(kinds) => Some(kinds.described()),
        Type::Time => Some("a time or a duration".to_owned()),
    }
}

/// The JSON value of a literal.
fn value(expr: &Expr) -> Option<Value> {
    match &expr.kind {
        Kind::Null => Some(Value::Null),
        Kind::Bool(value) => Some(Value::Bool(*value)),
        Kind::Text(text) => Some(Value::String(text.clone())),
        Kind::Number(text) => serde_json::from_str(text).ok().filter(Value::is_number),
        _ => None,
    }
}

/// Whether a value is excluded; `None` where that cannot be told.
fn is_never(schema: &Schema, value: &Value) -> Option<bool> {
    let number =
        |value: &Value| value.as_number().and_then(|number| contract_runtime::Decimal::parse(&number.to_string()));
    let kind = Kinds::of(value);
    let kinds = if kind.meets(Kinds::NUMBER) { Kinds::NUMBER } else { kind };
    if !schema.kinds.meets(kinds) {
        return Some(true);
    }
    let values = schema.values.as_ref()?;
    if !value.is_number() {
        return Some(!values.contains(value));
    }
    let wanted = number(value)?;
    let known: Option<Vec<_>> = values.iter().filter(|value| value.is_number()).map(number).collect();
    Some(!known?.contains(&wanted))
}

/// What a value may be, in words.
fn listed(schema: &Schema) -> String {
    let Some(values) = &schema.values else { return schema.kinds.described() };
    let mut shown: Vec<String> =
        values.iter().take(8).map(|value| format!("`{}`", shorten(&value.to_string()))).collect();
    let last = if values.len() > shown.len() { Some("…".to_owned()) } else { shown.pop() };
    match (last, shown.as_slice()) {
        (None, _) => "nothing".to_owned(),
        (Some(last), []) => last,
        (Some(last), shown) => format!("{} or {last}", shown.join(", ")),
    }
}

/// The place of a string's text within its quotes, where another can be put there whatever quotes are around it in the file.
fn within_quotes(literal: &Expr, text: &str) -> Option<(Range<usize>, String)> {
    let Kind::Text(written) = &literal.kind else { return None };
    let is_plain = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "_-. /".contains(c));
    let range = literal.range.start.checked_add(1)?..literal.range.end.checked_sub(1)?;
    (is_plain(text) && is_plain(written) && range.len() == written.len()).then(|| (range, text.to_owned()))
}
