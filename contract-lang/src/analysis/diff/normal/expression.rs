//! Expressions as texts that equal expressions share.
//!
//! Only laws are used that hold whatever the operands are, also where one is not established: `a != b` is `not a == b`, `a <= b`
//! is `not b < a`, `a in [x, y]` is `a == x or a == y`. A predicate past its budget of evaluation steps is not looked at.

use std::fmt::Write as _;

use super::form::Form;
use crate::mir::{Comparison, Contract, Expr, Literal, Path, Quantifier, Root, Step};

/// Writes the expressions of one contract.
#[derive(Clone, Copy)]
pub(super) struct Words<'c>(pub(super) &'c Contract);

impl Words<'_> {
    /// A predicate.
    pub(super) fn predicate(self, expr: &Expr) -> Form {
        match expr {
            Expr::Literal(Literal::Bool(value)) => Form::Constant(*value),
            Expr::Not(inner) => self.predicate(inner).negated(),
            Expr::And(parts) => Form::all(parts.iter().map(|part| self.predicate(part))),
            Expr::Or(parts) => Form::any(parts.iter().map(|part| self.predicate(part))),
            Expr::Implies(when, then) => Form::any([self.predicate(when).negated(), self.predicate(then)]),
            Expr::Compare(comparison, left, right) => self.compare(*comparison, left, right),
            Expr::In(item, list) => self.member(item, list),
            Expr::Has(path) => definite(format!("has {}", self.path(path))),
            Expr::Is(kind, inner) => definite(format!("{kind:?} {}", self.value(inner))),
            Expr::Quantified { quantifier, list, body, .. } if *quantifier != Quantifier::Count => {
                let body = self.predicate(body);
                let every = |body: Form| Form::atom(format!("every {} {}", self.value(list), body.key()));
                match quantifier {
                    Quantifier::All => every(body),
                    Quantifier::Any => every(body.negated()).negated(),
                    Quantifier::None | Quantifier::Count => every(body.negated()),
                }
            }
            other => Form::atom(self.value(other)),
        }
    }

    fn compare(self, comparison: Comparison, left: &Expr, right: &Expr) -> Form {
        let (left, right) = (self.value(left), self.value(right));
        let less = |left: &str, right: &str| Form::atom(format!("{left} < {right}"));
        match comparison {
            Comparison::Equal => equal(left, right),
            Comparison::NotEqual => equal(left, right).negated(),
            Comparison::Less => less(&left, &right),
            Comparison::LessOrEqual => less(&right, &left).negated(),
            Comparison::Greater => less(&right, &left),
            Comparison::GreaterOrEqual => less(&left, &right).negated(),
        }
    }

    fn member(self, item: &Expr, list: &Expr) -> Form {
        let of = || self.value(item);
        match list {
            Expr::Literal(Literal::List(items)) => Form::any(items.iter().map(|item| equal(of(), literal(item)))),
            Expr::List(items) => Form::any(items.iter().map(|item| equal(of(), self.value(item)))),
            other => Form::atom(format!("{} in {}", of(), self.value(other))),
        }
    }

    /// A value.
    pub(super) fn value(self, expr: &Expr) -> String {
        match expr {
            Expr::Literal(value) => literal(value),
            Expr::List(items) => format!("[{}]", self.listed(items)),
            Expr::Path(path) => self.path(path),
            Expr::Select(inner, steps) => self.steps(format!("({})", self.value(inner)), steps),
            Expr::Now => "now".to_owned(),
            Expr::Arithmetic(operator, left, right) => {
                format!("({operator:?} {} {})", self.value(left), self.value(right))
            }
            Expr::Like(text, glob) => format!("({} like {glob:?})", self.value(text)),
            Expr::Matches(text, pattern) => format!("({} matches {pattern:?})", self.value(text)),
            Expr::Call(function, arguments) => format!("{function:?}({})", self.listed(arguments)),
            Expr::Quantified { quantifier: Quantifier::Count, list, body, .. } => {
                format!("(count {} {})", self.value(list), self.predicate(body).key())
            }
            predicate => format!("({})", self.predicate(predicate).key()),
        }
    }

    fn listed(self, items: &[Expr]) -> String {
        items.iter().map(|item| self.value(item)).collect::<Vec<_>>().join(", ")
    }

    /// A path. Cells and facts of the context are named, so that their order does not matter.
    fn path(self, path: &Path) -> String {
        let named = |kind: &str, name: Option<&str>| format!("{kind}.{:?}", name.unwrap_or_default());
        let root = match path.root {
            Root::State(cell) => named("state", self.0.cells.get(cell).map(|cell| cell.name.as_str())),
            Root::Context(fact) => named("context", self.0.context.get(fact).map(|(name, _)| name.as_str())),
            root => format!("{root:?}"),
        };
        self.steps(root, &path.steps)
    }

    /// A path goes on.
    pub(super) fn steps(self, mut text: String, steps: &[Step]) -> String {
        for step in steps {
            // Writing to a string does not fail.
            let _ = match step {
                Step::Field(name) => write!(text, ".{name:?}"),
                Step::Index(index) => write!(text, "[{index}]"),
                Step::Dynamic(expr) => write!(text, "[({})]", self.value(expr)),
                Step::Each => write!(text, "[]"),
                Step::Deep => write!(text, ".**"),
            };
        }
        text
    }
}

fn definite(text: String) -> Form {
    Form::Atom { text, definite: true, holds: true }
}

fn equal(left: String, right: String) -> Form {
    let (left, right) = if left <= right { (left, right) } else { (right, left) };
    Form::atom(format!("{left} == {right}"))
}

fn literal(literal: &Literal) -> String {
    format!("{literal:?}")
}
