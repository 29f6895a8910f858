//! Which conditions cannot hold together: as far as two of their parts, over one expression, tell.

use std::cmp::Ordering;

use crate::mir::{Comparison, Expr, JsonType, Literal};

/// Whether each is false where the other is true. "No" is no proof that both can be true.
///
/// It is not enough that both cannot be true: what is not established where the other is true acts, too.
pub(super) fn exclude(one: &[&Expr], other: &[&Expr]) -> bool {
    let others = parts(other);
    parts(one).into_iter().any(|part| others.iter().any(|other| apart(part, other) || apart(other, part)))
}

/// What must hold each by itself.
fn parts<'a>(all: &[&'a Expr]) -> Vec<&'a Expr> {
    let mut parts = Vec::new();
    let mut rest: Vec<&Expr> = all.to_vec();
    while let Some(part) = rest.pop() {
        match part {
            Expr::And(inner) => rest.extend(inner),
            part => parts.push(part),
        }
    }
    parts
}

fn apart(one: &Expr, other: &Expr) -> bool {
    if matches!(other, Expr::Not(inner) if **inner == *one) {
        return true;
    }
    let (Some(one), Some(other)) = (Said::of(one), Said::of(other)) else { return false };
    one.of == other.of && one.what.excludes(&other.what)
}

/// What a part says of an expression.
struct Said<'a> {
    of: &'a Expr,
    what: What<'a>,
}

/// What may be said of a value.
enum What<'a> {
    /// It has this type.
    Type(JsonType),
    /// It compares so with a literal.
    Is(Comparison, &'a Literal),
    /// It is one of these.
    OneOf(&'a [Literal]),
}

impl<'a> Said<'a> {
    fn of(part: &'a Expr) -> Option<Self> {
        let (of, what) = match part {
            Expr::Is(json, of) => (of, What::Type(*json)),
            Expr::Compare(comparison, left, right) => match (&**left, &**right) {
                (_, Expr::Literal(literal)) => (left, What::Is(*comparison, literal)),
                (Expr::Literal(literal), _) => (right, What::Is(comparison.mirrored(), literal)),
                _ => return None,
            },
            Expr::In(of, list) => match &**list {
                Expr::Literal(Literal::List(members)) => (of, What::OneOf(members)),
                _ => return None,
            },
            _ => return None,
        };
        Some(Self { of, what })
    }
}

impl What<'_> {
    fn excludes(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Type(one), Self::Type(other)) => one != other,
            (Self::Type(_), Self::Is(Comparison::Equal, literal)) => **literal == Literal::Null,
            (Self::OneOf(members), Self::Is(comparison, literal)) => {
                members.iter().all(|member| never((Comparison::Equal, member), (*comparison, literal)))
            }
            (Self::OneOf(members), Self::OneOf(others)) => {
                members.iter().all(|member| others.iter().all(|other| differ(member, other)))
            }
            (Self::Is(comparison, literal), Self::Is(other, another)) => {
                never((*comparison, literal), (*other, another))
            }
            _ => false,
        }
    }
}

/// Whether no value compares with both literals as is said: the one comparison is false where the other is true.
fn never((one, literal): (Comparison, &Literal), (other, another): (Comparison, &Literal)) -> bool {
    use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
    match (one, other) {
        (Equal, Equal) => return differ(literal, another),
        (Equal, NotEqual) | (NotEqual, Equal) => return literal == another,
        _ => {}
    }
    let (Literal::Number(bound), Literal::Number(limit)) = (literal, another) else { return false };
    let order = bound.cmp(limit);
    match (one, other) {
        (Greater, Less | LessOrEqual | Equal) | (Equal | GreaterOrEqual, Less) => order != Ordering::Less,
        (GreaterOrEqual, LessOrEqual | Equal) | (Equal, LessOrEqual) => order == Ordering::Greater,
        (Less, Greater | GreaterOrEqual | Equal) | (Equal | LessOrEqual, Greater) => order != Ordering::Greater,
        (LessOrEqual, GreaterOrEqual | Equal) | (Equal, GreaterOrEqual) => order == Ordering::Less,
        _ => false,
    }
}

/// Whether a value that equals the one certainly does not equal the other: of different types that is not established.
fn differ(one: &Literal, other: &Literal) -> bool {
    match (one, other) {
        (Literal::Null, other) | (other, Literal::Null) => *other != Literal::Null,
        (Literal::Number(one), Literal::Number(other)) => one != other,
        (Literal::Text(one), Literal::Text(other)) => one != other,
        (Literal::Bool(one), Literal::Bool(other)) => one != other,
        _ => false,
    }
}
