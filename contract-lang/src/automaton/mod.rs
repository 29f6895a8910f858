//! From formulas to machines: the automata of the rules.
//!
//! [`satisfiable`] says which letters events can have, [`construct()`] makes the minimal machine of a formula over
//! these, [`construct_steps`] that of a rule that is given by its steps. Machines are relative to the letters on purpose: patterns of different tools exclude each other, so
//! violations are seen earlier, tables are smaller, and a rule that cannot be violated shows itself as one satisfied
//! state.

use std::fmt;

use crate::formula::Intractable;

mod colour;
mod construct;
mod globs;
mod letters;
mod minimize;
#[cfg(test)]
mod properties;
mod stricter;
#[cfg(test)]
pub(crate) mod walk;

pub use construct::{Steps, construct, construct_steps};
#[cfg(feature = "interpret")]
pub(crate) use globs::matched_together;
pub use letters::{may_meet, overlap, same_events, satisfiable};

/// Most states of a machine: a belief is a set of states in 64 bits.
pub const MAX_STATES: usize = 64;

/// Most patterns of a rule: a letter is a byte.
pub const MAX_PATTERNS: usize = 8;

/// Why a formula has no machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TooLarge {
    /// The minimal machine has more than [`MAX_STATES`] states.
    States,
    /// More than [`MAX_PATTERNS`] patterns.
    Letters,
    /// The construction would need too many states or too large ones before it gets to the minimal machine.
    Construction,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::States => "the rule needs more than 64 states",
            Self::Letters => "the rule has more than 8 patterns, that is more than 256 letters",
            Self::Construction => "the rule is too large to be compiled",
        })
    }
}

impl std::error::Error for TooLarge {}

impl From<Intractable> for TooLarge {
    fn from(_: Intractable) -> Self {
        Self::Construction
    }
}
