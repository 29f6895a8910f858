//! Predicates whose truth does not depend on what happens, and parts of predicates that make no difference.
//!
//! A predicate is looked at where it stands: a clause of `require` on the calls that its pattern selects, a branch of an `or`
//! beside the other branches. It is constant if no combination of what its parts can say gives another truth, see the
//! [theory](super::model::theory). The theory leaves no combination out, so what is claimed is proved. Nothing escapes it where all
//! parts compare paths with constants; parts that compare two paths, quantify or read collections may say whatever they like.

use contract_runtime::Truth;

use super::context::Context;
use super::model::Bounded;
use super::model::theory::truths;
use super::predicates::{Site, sites};
use crate::ast::Source;
use crate::diagnostic::{Certainty, Code, Diagnostic, Diagnostics};
use crate::mir::{Contract, Expr, Literal, Root};
use crate::source::Span;
use crate::syntax::{expr, parse};

/// Most parts of one predicate that are looked at.
const MOST_PARTS: usize = 16;

/// Looks at every predicate of a contract.
pub(super) fn check(context: &Context<'_>, diagnostics: &mut Diagnostics) {
    let contract = context.contract();
    for site in sites(context) {
        if !is_about_something(site.predicate, contract) {
            continue;
        }
        let Some(rows) = rows(contract, &site, site.predicate) else {
            context.gave_up(Some(site.span), "whether the predicate is constant");
            continue;
        };
        let found = whole(&site, &rows).or_else(|| part(contract, &site));
        if let Some(mut diagnostic) = found {
            diagnostic.rule = site.rule.map(str::to_owned);
            diagnostic.goal = site.goal.map(Box::new);
            diagnostics.push(diagnostic);
        }
    }
}

/// What is written as a constant is meant as one; and of a cell that nothing writes another lint speaks.
fn is_about_something(predicate: &Expr, contract: &Contract) -> bool {
    let unwritten = |root: Root| match root {
        Root::State(cell) => {
            let changes = || contract.commits.iter().flat_map(|commit| &commit.changes);
            let has_initial = contract.cells.get(cell).is_some_and(|cell| cell.initial.is_some());
            !has_initial && !changes().any(|change| change.cell == cell)
        }
        _ => false,
    };
    predicate.reads(|_| true) && !predicate.reads(unwritten)
}

/// What the predicate, and another in its place, can say together. `None`: too much to tell.
fn rows(contract: &Contract, site: &Site<'_>, other: &Expr) -> Option<Vec<(Truth, Truth)>> {
    let mut all = Vec::new();
    for (known, besides) in &site.asked {
        let predicates: Vec<&Expr> = [site.predicate, other].into_iter().chain(*besides).collect();
        let Bounded::Exhausted(truths) = truths(contract, *known, &predicates) else { return None };
        all.extend(truths.rows.iter().filter_map(|(row, _)| match row.as_slice() {
            [one, other] | [one, other, Truth::True] => Some((*one, *other)),
            _ => None,
        }));
    }
    Some(all)
}

/// The whole predicate is constant.
fn whole(site: &Site<'_>, rows: &[(Truth, Truth)]) -> Option<Diagnostic> {
    let may = |wanted| rows.iter().any(|(truth, _)| *truth == wanted);
    let (holds, fails, unknown) = (may(Truth::True), may(Truth::False), may(Truth::Unknown));
    let says = match (holds, fails, unknown) {
        (true, false, false) => "always true",
        (false, true, false) => "always false",
        (false, false, true) => "never established",
        (true, false, true) => "never false",
        (false, true, true) => "never true",
        _ => return None,
    };
    let help = match (site.demanded, holds) {
        (true, true) => "see what it was meant to compare; if the pattern says it already, leave the clause out",
        (true, false) => "no event meets it: see what it was meant to compare, or write `forbid` if that is meant",
        (false, true) => "it selects every event: see what it was meant to compare, or leave the condition out",
        (false, false) => "it selects no event: see which of its parts exclude each other",
    };
    let message = format!("{} is {says}", site.what);
    Some(Diagnostic::new(Code::ConstantPredicate, site.span, message).help(help).certainty(Certainty::Proved))
}

/// A part of it makes no difference: the predicate says the same without it.
fn part(contract: &Contract, site: &Site<'_>) -> Option<Diagnostic> {
    let (Expr::And(parts) | Expr::Or(parts)) = site.predicate else { return None };
    let spans = site.source.map(|source| spans(source, parts.len())).unwrap_or_default();
    for at in (0..parts.len().min(MOST_PARTS)).rev() {
        let without = Expr::clone(site.predicate).without(at)?;
        let differs = rows(contract, site, &without)?.iter().any(|(with, without)| with != without);
        if differs || !parts.get(at).is_some_and(|part| is_about_something(part, contract)) {
            continue;
        }
        let number = at.saturating_add(1);
        let (span, what) = match spans.get(at) {
            Some((span, text)) => (*span, format!("`{text}`")),
            None => (site.span, format!("part {number} of {}", site.what)),
        };
        let message = format!("{what} makes no difference: the predicate says the same without it");
        let help = "leave it out, or see what it was meant to compare";
        return Some(Diagnostic::new(Code::ConstantPredicate, span, message).help(help).certainty(Certainty::Proved));
    }
    None
}

/// Where the parts of an `and` or `or` are written.
fn spans(source: &Source, count: usize) -> Vec<(Span, String)> {
    let Ok(tree) = parse::expression(&source.text) else { return Vec::new() };
    let (expr::Kind::And(parts) | expr::Kind::Or(parts)) = &tree.kind else { return Vec::new() };
    let place = |part: &expr::Expr| {
        let text = source.text.get(part.range.clone()).unwrap_or_default();
        (source.span_in(part.range.clone()), text.trim().to_owned())
    };
    if parts.len() == count { parts.iter().map(place).collect() } else { Vec::new() }
}

impl Expr {
    /// A conjunction or disjunction without one of its parts.
    fn without(mut self, at: usize) -> Option<Self> {
        let neutral = matches!(self, Self::And(_));
        let (Self::And(parts) | Self::Or(parts)) = &mut self else { return None };
        *parts.get_mut(at)? = Self::Literal(Literal::Bool(neutral));
        Some(self)
    }
}
