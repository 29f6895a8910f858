//! How much lints compare everything with everything: a hostile contract is no reason to go on for minutes.

use crate::diagnostic::{Certainty, Code, Diagnostic, Diagnostics, Level};
use crate::source::Span;

/// How many pairs a lint compares in one contract. A comparison of two globs takes some microseconds.
const MOST: usize = 250_000;

/// The pairs that may still be compared.
pub(super) struct Pairs {
    left: usize,
}

impl Pairs {
    pub(super) fn new() -> Self {
        Self { left: MOST }
    }

    /// Whether one more may be compared.
    pub(super) fn take(&mut self) -> bool {
        match self.left.checked_sub(1) {
            Some(left) => {
                self.left = left;
                true
            }
            None => false,
        }
    }

    /// Says so where not all were compared.
    pub(super) fn report(&self, code: Code, span: Span, diagnostics: &mut Diagnostics) {
        if self.left == 0 {
            let message = format!("more than {MOST} pairs of patterns would have to be compared");
            let help = "split the contract, or write globs and effects for lists of tools";
            let diagnostic = Diagnostic::new(code, span, message).help(help).certainty(Certainty::Inconclusive);
            diagnostics.push(Diagnostic { level: Level::Note, ..diagnostic });
        }
    }
}
