//! What an atom asks of one variable, answered with the runtime's own operations.

use contract_runtime::Truth;
use contract_runtime::private::{self as rt, Est, Fuel};
use regex::Regex;

use crate::info::constant;
use crate::interpret::{compare, is};
use crate::mir::{Comparison, Function, JsonType, Literal};

/// What an atom asks of its variable.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Question {
    /// Whether it is true.
    Holds,
    /// Whether it leads to a value.
    Has,
    /// Whether it has a type.
    Is(JsonType),
    /// How it compares with a scalar constant: `==`, `<`, `<=`, `>`, `>=`.
    Compare(Comparison, Literal),
    /// Whether a text is like a glob.
    Like(String),
    /// Whether a regular expression is found in a text.
    Matches(String),
    /// `starts_with`, `ends_with` or `contains` with a constant text.
    Text(Function, String),
}

impl Question {
    /// The answer for a value.
    pub(super) fn ask(&self, value: Est<'_>) -> Truth {
        let fuel = &Fuel::new();
        match self {
            Self::Holds => rt::truth(value),
            Self::Has => Truth::of(rt::walk::has(value)),
            Self::Is(kind) => is(*kind, value),
            Self::Compare(comparison, literal) => compare(*comparison, fuel, value, Some(constant(literal))),
            Self::Like(glob) => rt::like(fuel, value, glob),
            Self::Matches(pattern) => {
                Regex::new(pattern).map_or(Truth::Unknown, |regex| rt::matches(fuel, value, &regex))
            }
            Self::Text(function, text) => {
                let text = Some(rt::text(text));
                match function {
                    Function::StartsWith => rt::starts_with(fuel, value, text),
                    Function::EndsWith => rt::ends_with(fuel, value, text),
                    _ => rt::contains(fuel, value, text),
                }
            }
        }
    }

    /// Whether its answer for a text depends on more than which constant it is, so that it is free for other texts.
    pub(super) fn reads_text(&self) -> bool {
        match self {
            Self::Like(_) | Self::Matches(_) | Self::Text(..) => true,
            Self::Compare(comparison, Literal::Text(_)) => {
                !matches!(comparison, Comparison::Equal | Comparison::NotEqual)
            }
            _ => false,
        }
    }

    /// Whether its answer for a list depends on what is in it.
    pub(super) fn reads_list(&self) -> bool {
        matches!(self, Self::Text(Function::Contains, _))
    }

    /// The constant that it compares with.
    pub(super) fn constant(&self) -> Option<&Literal> {
        if let Self::Compare(_, literal) = self { Some(literal) } else { None }
    }
}
