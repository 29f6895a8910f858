//! Moore machines over letters, and the letters that one event may have.

use crate::{Colour, Truth};

/// A complete Moore machine. Bit i of a letter says that pattern i of the rule holds for the event.
///
/// INVARIANT: fewer than 65 states, a width of at most 8, and `delta` has `colours.len() << width` entries, each a state.
/// Compiled contracts hold such machines as constants.
#[derive(Clone, Copy, Debug)]
pub struct Machine<'m> {
    /// How many patterns make a letter.
    pub width: u8,
    /// The state of an empty trace.
    pub initial: u8,
    /// The colour of each state.
    pub colours: &'m [Colour],
    /// The successor of state `s` under letter `l`, at `(s << width) | l`.
    pub delta: &'m [u8],
    /// For each state `b`, the set of the states from which being taken for `b` is only stricter.
    pub stricter: &'m [u64],
}

impl Machine<'_> {
    /// The successor of a state. Letter 0 stays.
    #[inline]
    pub(crate) fn next(&self, state: u8, letter: u8) -> u8 {
        if letter == 0 {
            return state;
        }
        let at = (usize::from(state) << self.width) | usize::from(letter);
        self.delta.get(at).copied().unwrap_or(state)
    }

    /// The colour of a state.
    #[inline]
    pub(crate) fn colour(&self, state: u8) -> Colour {
        self.colours.get(usize::from(state)).copied().unwrap_or(Colour::Violated)
    }
}

/// The letters that an event may have in one reading of it: all patterns of `must`, and any of `may`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Letters {
    must: u8,
    may: u8,
}

impl Letters {
    /// No pattern holds.
    pub const NONE: Self = Self { must: 0, may: 0 };

    /// Exactly this letter.
    #[must_use]
    #[inline]
    pub const fn certain(letter: u8) -> Self {
        Self { must: letter, may: 0 }
    }

    /// These letters, with pattern `bit` holding as far as `truth` says.
    #[must_use]
    #[inline]
    pub fn with(self, bit: u8, truth: Truth) -> Self {
        let mask = 1u8.checked_shl(u32::from(bit)).unwrap_or(0);
        match truth {
            Truth::True => Self { must: self.must | mask, may: self.may & !mask },
            Truth::False => self,
            Truth::Unknown => Self { must: self.must, may: self.may | (mask & !self.must) },
        }
    }

    /// Any of the first `width` patterns may hold.
    pub(crate) fn with_all(self, width: u8) -> Self {
        (0..width).fold(self, |letters, bit| letters.with(bit, Truth::Unknown))
    }

    /// Whether no pattern can hold.
    #[must_use]
    #[inline]
    pub const fn is_none(self) -> bool {
        self.must == 0 && self.may == 0
    }

    /// The one letter, where there is only one.
    #[inline]
    pub(crate) const fn single(self) -> Option<u8> {
        if self.may == 0 { Some(self.must) } else { None }
    }

    /// Calls `each` with every possible letter: the subsets of `may`, by the standard descent, each joined with `must`.
    pub(crate) fn for_each(self, mut each: impl FnMut(u8)) {
        let mut subset = self.may;
        loop {
            each(self.must | subset);
            if subset == 0 {
                return;
            }
            subset = subset.wrapping_sub(1) & self.may;
        }
    }
}

/// What an event may mean for a rule: the letters of one reading, or of two (an unknown outcome was a success or a failure).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub(crate) first: Letters,
    pub(crate) second: Option<Letters>,
}

impl Step {
    /// One reading.
    #[must_use]
    #[inline]
    pub const fn one(letters: Letters) -> Self {
        Self { first: letters, second: None }
    }

    /// Either of two readings.
    #[must_use]
    #[inline]
    pub fn either(first: Letters, second: Letters) -> Self {
        Self { first, second: (first != second).then_some(second) }
    }

    /// Whether no pattern can hold.
    #[must_use]
    #[inline]
    pub fn is_none(&self) -> bool {
        self.first.is_none() && self.second.is_none_or(Letters::is_none)
    }
}
