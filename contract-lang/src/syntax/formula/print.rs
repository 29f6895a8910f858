//! Canonical printing: one spelling for every tree, with no bracket that is not needed.
//!
//! INVARIANT: parsing what is printed gives an equal tree.

use std::fmt::{self, Display, Formatter};

use super::{Binary, Formula, Kind};

/// How tightly a formula binds; one that binds less tightly than its place asks is put in brackets.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Implies,
    Or,
    And,
    Between,
    Before,
}

impl Level {
    fn of(kind: &Kind) -> Self {
        match kind {
            Kind::Binary(Binary::Implies, ..) => Self::Implies,
            Kind::Or(_) => Self::Or,
            Kind::And(_) => Self::And,
            Kind::Binary(..) => Self::Between,
            Kind::Unary(..) | Kind::Bool(_) | Kind::Name(_) => Self::Before,
        }
    }
}

impl Display for Formula {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Bool(value) => write!(f, "{value}"),
            Kind::Name(name) => f.write_str(name),
            Kind::Unary(operator, inner) => {
                f.write_str(operator.as_str())?;
                // `always(p and q)` and `always p`: brackets stand where a blank would.
                if Level::of(&inner.kind) < Level::Before { write!(f, "({inner})") } else { write!(f, " {inner}") }
            }
            Kind::Binary(operator, left, right) => {
                let (at_left, at_right) = match operator {
                    Binary::Implies => (Level::Or, Level::Implies),
                    _ => (Level::Before, Level::Between),
                };
                part(f, left, at_left)?;
                write!(f, " {} ", operator.as_str())?;
                part(f, right, at_right)
            }
            Kind::And(members) => joined(f, members, " and ", Level::Between),
            Kind::Or(members) => joined(f, members, " or ", Level::And),
        }
    }
}

fn part(f: &mut Formatter<'_>, formula: &Formula, place: Level) -> fmt::Result {
    if Level::of(&formula.kind) < place { write!(f, "({formula})") } else { write!(f, "{formula}") }
}

fn joined(f: &mut Formatter<'_>, members: &[Formula], word: &str, place: Level) -> fmt::Result {
    for (index, member) in members.iter().enumerate() {
        if index > 0 {
            f.write_str(word)?;
        }
        part(f, member, place)?;
    }
    Ok(())
}
