//! What the register rules share: occurrences that may or may not count, and how they are returned.

use crate::instances::Cell;
use crate::{Truth, Verdict};

/// A cell that counts occurrences of calls in flight and can return them.
pub trait Register: Cell {
    /// Takes an occurrence back: certainly (the call failed) or perhaps (nobody knows how it ended).
    fn give_back(&mut self, step: &Self::Step, failed: Truth);
}

/// The verdict about one more occurrence of which it is known whether it exceeds the limit at least and at most.
#[inline]
pub(crate) fn weigh(occurs: Truth, surely_exceeds: bool, may_exceed: bool) -> Verdict {
    match (occurs, surely_exceeds, may_exceed) {
        (Truth::True, true, _) => Verdict::Violated,
        (Truth::False, ..) | (_, _, false) => Verdict::Open,
        _ => Verdict::Unestablished,
    }
}

/// The same occurrence, if it is known no better than that it may have been one.
#[inline]
pub(crate) fn perhaps(occurs: Truth) -> Truth {
    if occurs == Truth::False { Truth::False } else { Truth::Unknown }
}
