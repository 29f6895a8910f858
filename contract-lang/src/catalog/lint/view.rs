//! What the schemas of one tool say of the parts of an expression.

use crate::catalog::{Kinds, Place, Schema, Tool};
use crate::resolve::functions::{self, Accepts, Meaning, Signature};
use crate::resolve::types::Static;
use crate::syntax::expr::{Expr, Kind, Operator, Path, Step, StepKind};

/// What a path is, whatever the names of elements on its way: `args.files[].path` for `f.path` of `f in args.files`.
pub(super) type Trail = Vec<String>;

/// What is known of a value's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    /// A JSON value of these kinds.
    Json(Kinds),
    /// A time or a duration, which JSON has not.
    Time,
    /// Nothing.
    Unknown,
}

/// The element of a list, by name.
#[derive(Clone)]
struct Element<'t> {
    name: String,
    trail: Option<Trail>,
    schema: Option<&'t Schema>,
}

/// The schemas of a tool, and the elements that a quantifier is about.
#[derive(Clone)]
pub(super) struct View<'t> {
    tool: &'t Tool,
    elements: Vec<Element<'t>>,
}

impl<'t> View<'t> {
    pub(super) fn new(tool: &'t Tool) -> Self {
        Self { tool, elements: Vec::new() }
    }

    /// The same within a quantifier over a list.
    pub(super) fn within(&self, name: &str, list: &Expr) -> Self {
        let schema = match self.place(list) {
            Some(Place::Known { schema, .. }) if !schema.kinds.meets(Kinds::OBJECT) => schema.items.as_deref(),
            _ => None,
        };
        let trail = match &list.kind {
            Kind::Path(path) => self.trail(path).map(|mut trail| {
                trail.push("[]".to_owned());
                trail
            }),
            _ => None,
        };
        let mut elements = self.elements.clone();
        elements.push(Element { name: name.to_owned(), trail, schema });
        Self { tool: self.tool, elements }
    }

    fn element(&self, name: &str) -> Option<&Element<'t>> {
        self.elements.iter().rev().find(|element| element.name == name)
    }

    /// What a path leads to; `None` if it is not one into arguments, result or elements of them.
    pub(super) fn place(&self, expr: &Expr) -> Option<Place<'t>> {
        let Kind::Path(path) = &expr.kind else { return None };
        let root = match self.element(&path.root.text) {
            Some(element) => element.schema?,
            None => match path.root.text.as_str() {
                "args" => &self.tool.input,
                "result" => self.tool.output.as_ref()?,
                _ => return None,
            },
        };
        Some(root.at(&path.steps))
    }

    /// What a path is, where it is one into arguments, result or elements of them.
    pub(super) fn trail(&self, path: &Path) -> Option<Trail> {
        let mut trail = match self.element(&path.root.text) {
            Some(element) => element.trail.clone()?,
            None if matches!(path.root.text.as_str(), "args" | "result") => vec![path.root.text.clone()],
            None => return None,
        };
        trail.extend(path.steps.iter().map(spelled));
        Some(trail)
    }

    /// The type of an expression.
    pub(super) fn ty(&self, expr: &Expr) -> Type {
        match &expr.kind {
            Kind::Null => Type::Json(Kinds::NULL),
            Kind::Bool(_) => Type::Json(Kinds::BOOL),
            Kind::Number(_) => Type::Json(Kinds::NUMBER),
            Kind::Text(_) => Type::Json(Kinds::STRING),
            Kind::Duration(_) => Type::Time,
            Kind::List(_) => Type::Json(Kinds::LIST),
            Kind::Not(_) | Kind::And(_) | Kind::Or(_) | Kind::Implies(..) => Type::Json(Kinds::BOOL),
            Kind::Binary(operator, left, right) => match operator {
                Operator::Add | Operator::Subtract | Operator::Multiply => {
                    let number = |expr: &Expr| matches!(self.ty(expr), Type::Json(kinds) if kinds.without(Kinds::NUMBER) == Kinds::NONE);
                    if number(left) && number(right) { Type::Json(Kinds::NUMBER) } else { Type::Unknown }
                }
                _ => Type::Json(Kinds::BOOL),
            },
            Kind::Path(path) if path.root.text == "now" && path.steps.is_empty() => Type::Time,
            Kind::Path(_) => match self.place(expr) {
                // Any number may be whole: `1.0` is.
                Some(Place::Known { schema, .. }) if schema.kinds.meets(Kinds::NUMBER) => {
                    Type::Json(schema.kinds.or(Kinds::NUMBER))
                }
                Some(Place::Known { schema, .. }) => Type::Json(schema.kinds),
                _ => Type::Unknown,
            },
            Kind::Call(name, _) => {
                Signature::find(&name.text).map_or(Type::Unknown, |signature| match signature.meaning {
                    Meaning::Has | Meaning::Is(_) => Type::Json(Kinds::BOOL),
                    Meaning::Function(function) => of(&functions::returns(function, &[Static::Any, Static::Any])),
                })
            }
            Kind::Select(..) | Kind::Quantified { .. } => Type::Unknown,
        }
    }

    /// The schema of a value that is a path.
    pub(super) fn schema(&self, expr: &Expr) -> Option<&'t Schema> {
        match self.place(expr)? {
            Place::Known { schema, .. } => Some(schema),
            _ => None,
        }
    }
}

fn of(ty: &Static) -> Type {
    match ty {
        Static::Any | Static::Map(_) => Type::Unknown,
        Static::Null => Type::Json(Kinds::NULL),
        Static::Bool => Type::Json(Kinds::BOOL),
        Static::Number => Type::Json(Kinds::NUMBER),
        Static::Text => Type::Json(Kinds::STRING),
        Static::Time | Static::Duration => Type::Time,
        Static::List(_) => Type::Json(Kinds::LIST),
    }
}

/// The kinds that a parameter of a function takes.
pub(super) fn taken(parameter: Accepts) -> Kinds {
    let kinds = [
        (Kinds::NULL, Static::Null),
        (Kinds::BOOL, Static::Bool),
        (Kinds::NUMBER, Static::Number),
        (Kinds::STRING, Static::Text),
        (Kinds::LIST, Static::list(Static::Any)),
        (Kinds::OBJECT, Static::Map(Box::new(Static::Any))),
    ];
    kinds.iter().filter(|(_, ty)| parameter.admits(ty)).fold(Kinds::NONE, |all, (kinds, _)| all.or(*kinds))
}

fn spelled(step: &Step) -> String {
    match &step.kind {
        StepKind::Field(name) => name.clone(),
        StepKind::Index(_) | StepKind::Each => "[]".to_owned(),
        StepKind::Dynamic(_) | StepKind::Deep => "**".to_owned(),
    }
}
