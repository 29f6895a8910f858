//! What an expression can come to where one thing in it is wrong, and all else may be either way.

use std::ops::Range;

use super::view::{Trail, Type, View};
use crate::catalog::Kinds;
use crate::syntax::expr::{Expr, Kind, Quantifier};

/// What is wrong.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Wrong {
    /// Nothing is where this leads, nor below.
    Missing(Trail),
    /// This part is never established.
    Part(Range<usize>),
}

/// A set of truth values. A value that is no truth value is established if it may be true or false.
pub(super) type Truths = u8;

const TRUE: Truths = 1;
const FALSE: Truths = 2;
pub(super) const UNKNOWN: Truths = 4;
const EITHER: Truths = TRUE | FALSE;

/// What an expression can come to.
pub(super) fn truths(expr: &Expr, wrong: &Wrong, view: &View<'_>) -> Truths {
    if matches!(wrong, Wrong::Part(range) if *range == expr.range) {
        return UNKNOWN;
    }
    let each = |expr: &Expr| truths(expr, wrong, view);
    match &expr.kind {
        Kind::Bool(true) => TRUE,
        Kind::Bool(false) => FALSE,
        Kind::Null | Kind::Number(_) | Kind::Duration(_) | Kind::Text(_) => EITHER,
        Kind::Path(_) => {
            if is_missing(expr, wrong, view) {
                UNKNOWN
            } else {
                EITHER
            }
        }
        Kind::List(items) => strict(items.iter().map(each)),
        Kind::Select(value, _) => strict(std::iter::once(each(value))),
        Kind::Not(inner) => not(each(inner)),
        Kind::And(items) => items.iter().map(each).reduce(and).unwrap_or(TRUE),
        Kind::Or(items) => items.iter().map(each).reduce(or).unwrap_or(FALSE),
        Kind::Implies(left, right) => or(not(each(left)), each(right)),
        Kind::Binary(_, left, right) => strict([each(left), each(right)].into_iter()),
        Kind::Call(name, arguments) => {
            let given = || arguments.iter().map(each);
            match name.text.as_str() {
                "has" => {
                    if arguments.iter().any(|path| is_missing(path, wrong, view)) {
                        FALSE
                    } else {
                        EITHER
                    }
                }
                "is_string" => is(Kinds::STRING, arguments, given(), view),
                "is_object" => is(Kinds::OBJECT, arguments, given(), view),
                "is_list" => is(Kinds::LIST, arguments, given(), view),
                "is_number" => is(Kinds::NUMBER, arguments, given(), view),
                "is_bool" => is(Kinds::BOOL, arguments, given(), view),
                "default" => EITHER,
                _ => strict(given()),
            }
        }
        Kind::Quantified { quantifier, variable, list, body } => {
            let elements = each(list);
            let inner = view.within(&variable.text, list);
            let body = truths(body, wrong, &inner);
            match quantifier {
                _ if elements & UNKNOWN != 0 => elements,
                Quantifier::Count => strict(std::iter::once(body)) | EITHER,
                Quantifier::All | Quantifier::Any | Quantifier::None => body | EITHER,
            }
        }
    }
}

/// Whether a path leads to what is missing, or below.
fn is_missing(expr: &Expr, wrong: &Wrong, view: &View<'_>) -> bool {
    match (&expr.kind, wrong) {
        (Kind::Path(path), Wrong::Missing(trail)) => view.trail(path).is_some_and(|found| found.starts_with(trail)),
        _ => false,
    }
}

/// A test of a value's kind, which is never in doubt: it fails where there is no value.
fn is(kinds: Kinds, arguments: &[Expr], given: impl Iterator<Item = Truths>, view: &View<'_>) -> Truths {
    let known = arguments.first().map_or(Type::Unknown, |argument| view.ty(argument));
    let established = match known {
        Type::Json(known) if !known.meets(kinds) => FALSE,
        Type::Json(known) if known.without(kinds) == Kinds::NONE => TRUE,
        _ => EITHER,
    };
    let of = |truths: Truths| {
        (if truths & UNKNOWN != 0 { FALSE } else { 0 }) | if truths & EITHER != 0 { established } else { 0 }
    };
    given.fold(0, |all, truths| all | of(truths))
}

/// What is established only if all of its parts are.
fn strict(parts: impl Iterator<Item = Truths>) -> Truths {
    let (mut doubted, mut certain) = (0, true);
    for part in parts {
        doubted |= part & UNKNOWN;
        certain = certain && part & EITHER != 0;
    }
    doubted | if certain { EITHER } else { 0 }
}

fn not(truths: Truths) -> Truths {
    (truths & UNKNOWN) | if truths & TRUE != 0 { FALSE } else { 0 } | if truths & FALSE != 0 { TRUE } else { 0 }
}

fn and(left: Truths, right: Truths) -> Truths {
    not(or(not(left), not(right)))
}

fn or(left: Truths, right: Truths) -> Truths {
    let both = left & right & FALSE;
    let one = (left | right) & TRUE;
    // In doubt: one is, and the other is not true.
    let doubt =
        |one: Truths, other: Truths| if one & UNKNOWN != 0 && other & (UNKNOWN | FALSE) != 0 { UNKNOWN } else { 0 };
    both | one | doubt(left, right) | doubt(right, left)
}
