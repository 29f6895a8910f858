//! The syntax tree of formulas: temporal operators over the names of patterns. What they mean is in [`crate::formula`].
//!
//! INVARIANT: trees are at most [`MAX_DEPTH`] deep, so that recursion over them is safe. Two trees are equal if they say
//! the same; ranges do not take part.

mod print;
mod read;
#[cfg(test)]
mod tests;

use std::ops::Range;

use super::expr::MAX_DEPTH;
use super::flaw::Flaw;

pub(super) use read::read;

/// A formula and where it was written.
#[derive(Clone, Debug)]
pub struct Formula {
    /// What it is.
    pub kind: Kind,
    /// Where, in bytes of the formula's text.
    pub range: Range<usize>,
    depth: usize,
}

impl PartialEq for Formula {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl Formula {
    /// A formula.
    ///
    /// # Errors
    /// The tree would be deeper than [`MAX_DEPTH`].
    pub fn new(kind: Kind, range: Range<usize>) -> Result<Self, Flaw> {
        let depth = kind.parts().map(|part| part.depth).max().unwrap_or(0).saturating_add(1);
        if depth > MAX_DEPTH {
            return Err(Flaw::new(range, format!("the formula has more than {MAX_DEPTH} levels"))
                .help("make it several rules, one for each part that is joined with `and`"));
        }
        Ok(Self { kind, range, depth })
    }

    /// The names in it with their places, in the order of the text.
    #[must_use]
    pub fn names(&self) -> Vec<(&str, Range<usize>)> {
        match &self.kind {
            Kind::Name(name) => vec![(name, self.range.clone())],
            kind => kind.parts().flat_map(Self::names).collect(),
        }
    }
}

/// What a formula is.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// `true`, `false`
    Bool(bool),
    /// The name of a pattern.
    Name(String),
    /// `not p`, `always p`, …
    Unary(Unary, Box<Formula>),
    /// `p until q`, `p implies q`, …
    Binary(Binary, Box<Formula>, Box<Formula>),
    /// `p and q and r`: at least two.
    And(Vec<Formula>),
    /// `p or q or r`: at least two.
    Or(Vec<Formula>),
}

impl Kind {
    /// The formulas that it is made of.
    pub(crate) fn parts(&self) -> Box<dyn Iterator<Item = &Formula> + '_> {
        match self {
            Self::Bool(_) | Self::Name(_) => Box::new(std::iter::empty()),
            Self::Unary(_, inner) => Box::new(std::iter::once(&**inner)),
            Self::Binary(_, left, right) => Box::new([&**left, &**right].into_iter()),
            Self::And(members) | Self::Or(members) => Box::new(members.iter()),
        }
    }
}

/// Operators that are words.
macro_rules! operators {
    ($($(#[$doc:meta])* enum $name:ident { $($variant:ident = $text:literal,)* })*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $(#[doc = concat!("`", $text, "`")] $variant,)* }

        impl $name {
            /// All.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Its spelling.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),* }
            }

            /// The operator of a spelling.
            #[must_use]
            pub fn from_spelling(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|operator| operator.as_str() == text)
            }
        }
    )* };
}

operators! {
    /// An operator before one formula.
    enum Unary {
        Not = "not",
        Always = "always",
        Eventually = "eventually",
        Next = "next",
        WeakNext = "weak_next",
        Once = "once",
        Historically = "historically",
        Previous = "previous",
        WeakPrevious = "weak_previous",
    }

    /// An operator between two formulas.
    enum Binary {
        Until = "until",
        WeakUntil = "weak_until",
        Release = "release",
        Since = "since",
        Implies = "implies",
    }
}

/// The words that are no names.
pub(crate) fn words() -> impl Iterator<Item = &'static str> {
    let unary = Unary::ALL.iter().map(|operator| operator.as_str());
    let binary = Binary::ALL.iter().map(|operator| operator.as_str());
    unary.chain(binary).chain(["and", "or", "true", "false"])
}
