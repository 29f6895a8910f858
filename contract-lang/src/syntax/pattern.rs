//! The syntax tree of patterns.

use super::expr::{Expr, Word};

/// A pattern: at least one alternative.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// The alternatives, in order.
    pub alternatives: Vec<Alternative>,
}

/// One alternative: `name where p`, or `phase(name where p)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Alternative {
    /// The word before the parentheses.
    pub phase: Option<Phase>,
    /// A group, a tool, a glob, a host event or an effect.
    pub name: Word,
    /// Its own condition.
    pub condition: Option<Expr>,
}

/// The word before the parentheses of an alternative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// `call(t)`
    Call,
    /// `ok(t)`
    Ok,
    /// `failed(t)`
    Failed,
    /// `unknown(t)`
    Unknown,
    /// `done(t)`
    Done,
    /// `event(name)`
    Event,
    /// `effect(irreversible)`
    Effect,
}

impl Phase {
    /// All.
    pub const ALL: [Self; 7] =
        [Self::Call, Self::Ok, Self::Failed, Self::Unknown, Self::Done, Self::Event, Self::Effect];

    /// The phase of a spelling.
    #[must_use]
    pub fn from_spelling(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| phase.as_str() == text)
    }

    /// Its spelling.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
            Self::Done => "done",
            Self::Event => "event",
            Self::Effect => "effect",
        }
    }
}
