//! Changes of expressions.
//!
//! INVARIANT: each variant is the whole expression with one change. Expressions are at most [`MAX_DEPTH`] deep, so that
//! recursion over them is safe; past [`MOST`] variants of one expression no more are made.
//!
//! [`MAX_DEPTH`]: crate::syntax::expr::MAX_DEPTH

use super::operator::Operator;
use crate::syntax::expr::{Expr, Kind, Operator as Binary, Quantifier};

/// The most variants of one expression.
pub(super) const MOST: usize = 200;

/// Functions of one text, or of one list, that make different ones equal.
const NORMALISERS: [&str; 8] = ["lower", "upper", "trim", "path_norm", "host", "scheme", "digest", "distinct"];

/// A variant of an expression.
pub(super) type Variant = (Operator, Expr);

/// The variants of a predicate.
pub(super) fn predicate(expr: &Expr) -> Vec<Variant> {
    let negated = match &expr.kind {
        Kind::Not(inner) => (**inner).clone(),
        _ => of(Kind::Not(Box::new(expr.clone()))),
    };
    let mut variants = vec![(Operator::Negate, negated)];
    variants.extend(value(expr));
    variants.truncate(MOST);
    variants
}

/// The variants of a value.
pub(super) fn value(expr: &Expr) -> Vec<Variant> {
    let mut variants = own(expr);
    let mut inside = |parts: Vec<&Expr>, rebuild: &dyn Fn(usize, Expr) -> Kind| {
        for (index, part) in parts.into_iter().enumerate() {
            if variants.len() >= MOST {
                return;
            }
            variants.extend(value(part).into_iter().map(|(operator, part)| (operator, of(rebuild(index, part)))));
        }
    };
    match &expr.kind {
        Kind::List(items) => inside(items.iter().collect(), &|index, part| Kind::List(replaced(items, index, part))),
        Kind::And(items) => inside(items.iter().collect(), &|index, part| Kind::And(replaced(items, index, part))),
        Kind::Or(items) => inside(items.iter().collect(), &|index, part| Kind::Or(replaced(items, index, part))),
        Kind::Call(name, items) => {
            inside(items.iter().collect(), &|index, part| Kind::Call(name.clone(), replaced(items, index, part)));
        }
        Kind::Not(inner) => inside(vec![inner], &|_, part| Kind::Not(Box::new(part))),
        Kind::Select(inner, steps) => inside(vec![inner], &|_, part| Kind::Select(Box::new(part), steps.clone())),
        Kind::Implies(left, right) => inside(vec![left, right], &|index, part| {
            let (left, right) = pair(left, right, index, part);
            Kind::Implies(left, right)
        }),
        Kind::Binary(operator, left, right) => inside(vec![left, right], &|index, part| {
            let (left, right) = pair(left, right, index, part);
            Kind::Binary(*operator, left, right)
        }),
        Kind::Quantified { quantifier, variable, list, body } => inside(vec![list, body], &|index, part| {
            let (list, body) = pair(list, body, index, part);
            Kind::Quantified { quantifier: *quantifier, variable: variable.clone(), list, body }
        }),
        Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Duration(_) | Kind::Text(_) | Kind::Path(_) => {}
    }
    variants.truncate(MOST);
    variants
}

/// The variants that change the outermost operator.
fn own(expr: &Expr) -> Vec<Variant> {
    match &expr.kind {
        Kind::Bool(value) => vec![(Operator::Constant, of(Kind::Bool(!value)))],
        Kind::Number(text) => {
            steps(text).into_iter().map(|text| (Operator::Constant, of(Kind::Number(text)))).collect()
        }
        Kind::Duration(text) => {
            durations(text).into_iter().map(|text| (Operator::Constant, of(Kind::Duration(text)))).collect()
        }
        Kind::Text(text) => vec![(Operator::Constant, of(Kind::Text(format!("{text}~"))))],
        Kind::List(items) => dropped(items).map(|items| (Operator::Clause, of(Kind::List(items)))).collect(),
        Kind::And(items) => joined(items, Kind::And, Kind::Or),
        Kind::Or(items) => joined(items, Kind::Or, Kind::And),
        Kind::Implies(left, right) => {
            let or = Kind::Or(vec![of(Kind::Not(left.clone())), of(Kind::Not(right.clone()))]);
            vec![(Operator::Clause, (**right).clone()), (Operator::Negate, of(or))]
        }
        Kind::Not(inner) => vec![(Operator::Negate, (**inner).clone())],
        Kind::Binary(operator, left, right) => {
            let other = compared(*operator);
            other
                .map(|other| (Operator::Comparison, of(Kind::Binary(other, left.clone(), right.clone()))))
                .into_iter()
                .collect()
        }
        Kind::Call(name, items) => match &items[..] {
            [only] if NORMALISERS.contains(&name.text.as_str()) => vec![(Operator::Normaliser, only.clone())],
            _ => Vec::new(),
        },
        Kind::Quantified { quantifier, variable, list, body } => {
            let other = match quantifier {
                Quantifier::All => Quantifier::Any,
                Quantifier::Any => Quantifier::All,
                Quantifier::None => Quantifier::All,
                Quantifier::Count => return Vec::new(),
            };
            let (variable, list, body) = (variable.clone(), list.clone(), body.clone());
            vec![(Operator::Connective, of(Kind::Quantified { quantifier: other, variable, list, body }))]
        }
        Kind::Null | Kind::Path(_) | Kind::Select(..) => Vec::new(),
    }
}

/// Variants of `and` and `or`: without one operand, and the other connective.
fn joined(items: &[Expr], same: fn(Vec<Expr>) -> Kind, other: fn(Vec<Expr>) -> Kind) -> Vec<Variant> {
    let fewer = dropped(items).filter_map(|mut items| match items.len() {
        0 => None,
        1 => items.pop(),
        _ => Some(of(same(items))),
    });
    let fewer = fewer.map(|expr| (Operator::Clause, expr));
    fewer.chain(std::iter::once((Operator::Connective, of(other(items.to_vec()))))).collect()
}

/// The list without each of its items.
fn dropped<T: Clone>(items: &[T]) -> impl Iterator<Item = Vec<T>> + '_ {
    (0..items.len()).take(MOST).map(|at| {
        let mut fewer = items.to_vec();
        fewer.remove(at);
        fewer
    })
}

fn replaced(items: &[Expr], index: usize, part: Expr) -> Vec<Expr> {
    let mut items = items.to_vec();
    if let Some(item) = items.get_mut(index) {
        *item = part;
    }
    items
}

fn pair(left: &Expr, right: &Expr, index: usize, part: Expr) -> (Box<Expr>, Box<Expr>) {
    if index == 0 { (Box::new(part), Box::new(right.clone())) } else { (Box::new(left.clone()), Box::new(part)) }
}

fn of(kind: Kind) -> Expr {
    Expr::new(kind, 0..0)
}

fn compared(operator: Binary) -> Option<Binary> {
    Some(match operator {
        Binary::Equal => Binary::NotEqual,
        Binary::NotEqual => Binary::Equal,
        Binary::Less => Binary::LessOrEqual,
        Binary::LessOrEqual => Binary::Less,
        Binary::Greater => Binary::GreaterOrEqual,
        Binary::GreaterOrEqual => Binary::Greater,
        _ => return None,
    })
}

/// A number, one more and one less: in its last digit, where it is no integer.
pub(super) fn steps(text: &str) -> Vec<String> {
    let (digits, places) = match text.split_once('.') {
        Some((whole, fraction)) => (format!("{whole}{fraction}"), fraction.len()),
        None => (text.to_owned(), 0),
    };
    let Ok(number) = digits.parse::<i128>() else { return Vec::new() };
    let print = |number: i128| {
        let sign = if number < 0 { "-" } else { "" };
        let digits = format!("{:0>width$}", number.unsigned_abs(), width = places.saturating_add(1));
        match digits.split_at_checked(digits.len().saturating_sub(places)) {
            Some((whole, fraction)) if places > 0 => format!("{sign}{whole}.{fraction}"),
            _ => format!("{sign}{digits}"),
        }
    };
    vec![print(number.saturating_add(1)), print(number.saturating_sub(1))]
}

/// A duration, or a number of calls, one more and one less.
pub(super) fn durations(text: &str) -> Vec<String> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let Some((digits, unit)) = text.split_at_checked(end) else { return Vec::new() };
    let Ok(number) = digits.parse::<u64>() else { return Vec::new() };
    let less = number.checked_sub(1).filter(|less| *less > 0);
    std::iter::once(number.saturating_add(1)).chain(less).map(|number| format!("{number}{unit}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::parse;

    fn variants(text: &str) -> Vec<String> {
        let expr = parse::expression(text).unwrap();
        predicate(&expr).into_iter().map(|(operator, expr)| format!("{}: {expr}", operator.as_str())).collect()
    }

    #[test]
    fn every_part_of_a_predicate_is_changed() {
        assert_eq!(
            variants("args.n <= 5 and lower(args.x) in [\"a\", \"b\"]"),
            [
                "negate: not (args.n <= 5 and lower(args.x) in [\"a\", \"b\"])",
                "clause: lower(args.x) in [\"a\", \"b\"]",
                "clause: args.n <= 5",
                "connective: args.n <= 5 or lower(args.x) in [\"a\", \"b\"]",
                "comparison: args.n < 5 and lower(args.x) in [\"a\", \"b\"]",
                "constant: args.n <= 6 and lower(args.x) in [\"a\", \"b\"]",
                "constant: args.n <= 4 and lower(args.x) in [\"a\", \"b\"]",
                "normaliser: args.n <= 5 and args.x in [\"a\", \"b\"]",
                "clause: args.n <= 5 and lower(args.x) in [\"b\"]",
                "clause: args.n <= 5 and lower(args.x) in [\"a\"]",
                "constant: args.n <= 5 and lower(args.x) in [\"a~\", \"b\"]",
                "constant: args.n <= 5 and lower(args.x) in [\"a\", \"b~\"]",
            ]
        );
        assert_eq!(variants("not args.x")[0], "negate: args.x");
    }

    #[test]
    fn numbers_step_in_their_last_digit() {
        for (text, expected) in
            [("5", ["6", "4"]), ("0.25", ["0.26", "0.24"]), ("0", ["1", "-1"]), ("0.0", ["0.1", "-0.1"])]
        {
            assert_eq!(steps(text), expected);
        }
        assert_eq!(durations("5 calls"), ["6 calls", "4 calls"]);
        assert_eq!(durations("1h"), ["2h"]);
    }
}
