//! Checks expressions: names, arguments and types, and lowers them into [`mir::Expr`].
//!
//! INVARIANT: a mistake in one part does not hide mistakes in the others; every part is looked at once.

use std::ops::Range;

use contract_runtime::{Decimal, Duration, Type};

use super::operators;
use super::scope::{Roots, Scope};
use super::types::Static;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::mir;
use crate::syntax::expr::{Expr, Kind, Operator, Quantifier, Word};
use crate::syntax::parse;
use crate::syntax::written::Written;

/// A checked expression and what is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// The expression.
    pub expr: mir::Expr,
    /// Its static type.
    pub ty: Static,
    /// The roots it reads.
    pub reads: Roots,
}

/// Reads and checks a predicate.
pub fn predicate(written: Written<'_>, scope: &Scope<'_>, diagnostics: &mut Diagnostics) -> Option<Checked> {
    let tree = tree(written, diagnostics)?;
    check_predicate(&tree, written, scope, diagnostics)
}

/// Reads and checks a value of any type.
pub fn value(written: Written<'_>, scope: &Scope<'_>, diagnostics: &mut Diagnostics) -> Option<Checked> {
    let tree = tree(written, diagnostics)?;
    check(&tree, written, scope, diagnostics)
}

/// Reads and checks a value that is to be stored in a cell (or as a member, or at a key) of this type.
pub fn value_for(
    expected: &Type,
    written: Written<'_>,
    scope: &Scope<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Checked> {
    let checked = value(written, scope, diagnostics)?;
    if checked.ty.fits(expected) {
        return Some(checked);
    }
    let message = format!("expected a value of type `{expected}`, found {}", checked.ty.described());
    let help = format!("write a value of type `{expected}`, or declare the cell with another type");
    diagnostics.push(Diagnostic::new(Code::TypeMismatch, written.whole(), message).help(help));
    None
}

/// Reads an expression; a mistake of syntax is reported.
pub fn tree(written: Written<'_>, diagnostics: &mut Diagnostics) -> Option<Expr> {
    parse::expression(written.text).map_err(|flaw| diagnostics.push(flaw.at(written))).ok()
}

/// Checks a tree that has been read from the text.
pub fn check(tree: &Expr, written: Written<'_>, scope: &Scope<'_>, diagnostics: &mut Diagnostics) -> Option<Checked> {
    let mut checker = Checker::new(written, scope, diagnostics);
    let typed = checker.expr(tree)?;
    Some(Checked { expr: typed.expr, ty: typed.ty, reads: checker.reads })
}

/// The same for a tree in which a name stands for a value of any type: the variable in slot 0.
pub fn check_over(
    variable: &str,
    tree: &Expr,
    written: Written<'_>,
    scope: &Scope<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Checked> {
    let mut checker = Checker::new(written, scope, diagnostics);
    checker.variables.push((variable.to_owned(), Static::Any));
    let typed = checker.expr(tree)?;
    Some(Checked { expr: typed.expr, ty: typed.ty, reads: checker.reads })
}

/// Checks a tree that has been read from the text and must be a predicate.
pub fn check_predicate(
    tree: &Expr,
    written: Written<'_>,
    scope: &Scope<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Checked> {
    let mut checker = Checker::new(written, scope, diagnostics);
    let expr = checker.condition(tree)?;
    Some(Checked { expr, ty: Static::Bool, reads: checker.reads })
}

/// An expression and its type.
pub(super) struct Typed {
    pub(super) expr: mir::Expr,
    pub(super) ty: Static,
}

impl Typed {
    pub(super) fn new(expr: mir::Expr, ty: Static) -> Self {
        Self { expr, ty }
    }

    pub(super) fn literal(&self) -> Option<&mir::Literal> {
        match &self.expr {
            mir::Expr::Literal(literal) => Some(literal),
            _ => None,
        }
    }
}

/// The state of checking one expression.
pub(super) struct Checker<'a> {
    pub(super) written: Written<'a>,
    pub(super) scope: &'a Scope<'a>,
    pub(super) variables: Vec<(String, Static)>,
    pub(super) reads: Roots,
    diagnostics: &'a mut Diagnostics,
}

impl<'a> Checker<'a> {
    fn new(written: Written<'a>, scope: &'a Scope<'a>, diagnostics: &'a mut Diagnostics) -> Self {
        Self { written, scope, variables: Vec::new(), reads: Roots::NONE, diagnostics }
    }

    /// Starts a diagnostic at a range of the text.
    pub(super) fn error(&self, code: Code, range: &Range<usize>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, self.written.span(range), message)
    }

    /// Reports a diagnostic. There is no value then.
    pub(super) fn report<T>(&mut self, diagnostic: Diagnostic) -> Option<T> {
        self.diagnostics.push(diagnostic);
        None
    }

    /// Checks an expression of any type.
    pub(super) fn expr(&mut self, expr: &Expr) -> Option<Typed> {
        match &expr.kind {
            Kind::Null => Some(Typed::new(mir::Expr::Literal(mir::Literal::Null), Static::Null)),
            Kind::Bool(value) => Some(Typed::new(mir::Expr::Literal(mir::Literal::Bool(*value)), Static::Bool)),
            Kind::Text(text) => Some(Typed::new(mir::Expr::Literal(mir::Literal::Text(text.clone())), Static::Text)),
            Kind::Number(text) => match Decimal::parse(text) {
                Some(number) => Some(Typed::new(mir::Expr::Literal(mir::Literal::Number(number)), Static::Number)),
                None => self.report(
                    self.error(Code::BadValue, &expr.range, "the number does not fit")
                        .help("numbers have at most 38 digits, 30 of them after the point; ids are strings"),
                ),
            },
            Kind::Duration(text) => match Duration::parse(text) {
                Some(length) => Some(Typed::new(mir::Expr::Literal(mir::Literal::Duration(length)), Static::Duration)),
                None => self.report(
                    self.error(Code::BadValue, &expr.range, "the duration does not fit")
                        .help("write a larger unit: `ms`, `s`, `m`, `h` or `d`"),
                ),
            },
            Kind::List(items) => self.list(items),
            Kind::Path(path) => self.path(path),
            Kind::Select(value, steps) => self.select(value, steps),
            Kind::Not(inner) => {
                let inner = self.condition(inner)?;
                Some(Typed::new(mir::Expr::Not(Box::new(inner)), Static::Bool))
            }
            Kind::And(items) => {
                let flat = self.conditions(items)?.into_iter().flat_map(|item| match item {
                    mir::Expr::And(inner) => inner,
                    other => vec![other],
                });
                Some(Typed::new(mir::Expr::And(flat.collect()), Static::Bool))
            }
            Kind::Or(items) => {
                let flat = self.conditions(items)?.into_iter().flat_map(|item| match item {
                    mir::Expr::Or(inner) => inner,
                    other => vec![other],
                });
                Some(Typed::new(mir::Expr::Or(flat.collect()), Static::Bool))
            }
            Kind::Implies(left, right) => {
                let (left, right) = (self.condition(left), self.condition(right));
                Some(Typed::new(mir::Expr::Implies(Box::new(left?), Box::new(right?)), Static::Bool))
            }
            Kind::Binary(operator, left, right) => self.binary(*operator, left, right),
            Kind::Call(name, arguments) => self.call(name, arguments),
            Kind::Quantified { quantifier, variable, list, body } => self.quantified(*quantifier, variable, list, body),
        }
    }

    /// Checks an expression that is used as a condition.
    pub(super) fn condition(&mut self, expr: &Expr) -> Option<mir::Expr> {
        let typed = self.expr(expr)?;
        if matches!(typed.ty, Static::Bool | Static::Any) {
            return Some(typed.expr);
        }
        let error = self.error(
            Code::TypeMismatch,
            &expr.range,
            format!("a condition is true or false, this is {}", typed.ty.described()),
        );
        self.report(match typed.ty {
            Static::List(_) => error.help("write `size(list) > 0`, or `x in list`"),
            _ => error.help("compare it with something: `a == b`"),
        })
    }

    fn conditions(&mut self, items: &[Expr]) -> Option<Vec<mir::Expr>> {
        let checked: Vec<_> = items.iter().map(|item| self.condition(item)).collect();
        checked.into_iter().collect()
    }

    /// Checks several expressions.
    pub(super) fn all(&mut self, items: &[Expr]) -> Option<Vec<Typed>> {
        let checked: Vec<_> = items.iter().map(|item| self.expr(item)).collect();
        checked.into_iter().collect()
    }

    fn list(&mut self, items: &[Expr]) -> Option<Typed> {
        let items = self.all(items)?;
        let member = items.iter().map(|item| item.ty.clone()).reduce(Static::join).unwrap_or(Static::Any);
        let literals: Option<Vec<_>> = items.iter().map(|item| item.literal().cloned()).collect();
        let expr = match literals {
            Some(literals) => mir::Expr::Literal(mir::Literal::List(literals)),
            None => mir::Expr::List(items.into_iter().map(|item| item.expr).collect()),
        };
        Some(Typed::new(expr, Static::list(member)))
    }

    fn binary(&mut self, operator: Operator, left: &Expr, right: &Expr) -> Option<Typed> {
        let (at_left, at_right) = (self.expr(left), self.expr(right));
        let (at_left, at_right) = (at_left?, at_right?);
        match operators::apply(operator, at_left, at_right) {
            Ok(typed) => Some(typed),
            Err(refused) => {
                let range = match refused.side {
                    operators::Side::Both => left.range.start..right.range.end,
                    operators::Side::Left => left.range.clone(),
                    operators::Side::Right => right.range.clone(),
                };
                let error = self.error(refused.code, &range, refused.message);
                self.report(refused.help.into_iter().fold(error, Diagnostic::help))
            }
        }
    }

    fn quantified(&mut self, quantifier: Quantifier, variable: &Word, list: &Expr, body: &Expr) -> Option<Typed> {
        let at_list = self.expr(list);
        let member = match at_list.as_ref().map(|list| &list.ty) {
            None | Some(Static::Any) => Some(Static::Any),
            Some(Static::List(member)) => Some((**member).clone()),
            Some(other) => {
                let error = self.error(
                    Code::TypeMismatch,
                    &list.range,
                    format!("`{}` goes through a list, this is {}", quantifier.as_str(), other.described()),
                );
                let error = match other {
                    Static::Map(_) => error.help("write `keys(…)` or `values(…)`"),
                    _ => error.help("write a list, or a path that leads to one, such as `args.items`"),
                };
                self.report(error)
            }
        };
        let slot = self.variables.len();
        let named = self.free_name(variable);
        self.variables.push((variable.text.clone(), member.clone().unwrap_or(Static::Any)));
        let body = self.condition(body);
        self.variables.truncate(slot);
        named?;
        member?;
        let (quantifier, ty) = match quantifier {
            Quantifier::All => (mir::Quantifier::All, Static::Bool),
            Quantifier::Any => (mir::Quantifier::Any, Static::Bool),
            Quantifier::None => (mir::Quantifier::None, Static::Bool),
            Quantifier::Count => (mir::Quantifier::Count, Static::Number),
        };
        let (list, body) = (Box::new(at_list?.expr), Box::new(body?));
        Some(Typed::new(mir::Expr::Quantified { quantifier, slot, list, body }, ty))
    }

    /// A variable must not hide a root or another variable.
    fn free_name(&mut self, variable: &Word) -> Option<()> {
        let taken = if Roots::from_name(&variable.text).is_some() {
            format!("`{}` is a root", variable.text)
        } else if self.variables.iter().any(|(name, _)| *name == variable.text) {
            format!("`{}` is already the name of an outer element", variable.text)
        } else {
            return Some(());
        };
        let error = self.error(Code::BadValue, &variable.range, taken).help("give the element another name");
        self.report(error)
    }
}

#[cfg(test)]
mod tests;
