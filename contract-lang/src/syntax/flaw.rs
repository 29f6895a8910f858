//! A mistake in the text of one expression, before it is known where the text stands in its file.

use std::ops::Range;

use super::written::Written;
use crate::diagnostic::{Applicability, Code, Diagnostic};

/// A mistake in an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// What kind of mistake.
    pub code: Code,
    /// Where, in bytes of the expression's text.
    pub range: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: Vec<Advice>,
}

/// What to do about a mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// The advice.
    pub text: String,
    /// Text to put in place of a range, where the advice is that exact.
    pub replacement: Option<(Range<usize>, String)>,
    /// Whether that is what must have been meant.
    pub applicability: Applicability,
}

impl Flaw {
    /// A mistake of syntax.
    #[must_use]
    pub fn new(range: Range<usize>, message: impl Into<String>) -> Self {
        Self { code: Code::ExpressionSyntax, range, message: message.into(), help: Vec::new() }
    }

    /// The same with another code.
    #[must_use]
    pub fn code(mut self, code: Code) -> Self {
        self.code = code;
        self
    }

    /// Adds advice.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(Advice { text: text.into(), replacement: None, applicability: Applicability::Guess });
        self
    }

    /// Adds advice with a text that was probably meant.
    #[must_use]
    pub fn suggest(self, text: impl Into<String>, range: Range<usize>, replacement: impl Into<String>) -> Self {
        self.replace(text.into(), (range, replacement.into()), Applicability::Guess)
    }

    /// Adds advice with the text that must have been meant.
    #[must_use]
    pub fn correct(self, text: impl Into<String>, range: Range<usize>, replacement: impl Into<String>) -> Self {
        self.replace(text.into(), (range, replacement.into()), Applicability::Certain)
    }

    fn replace(mut self, text: String, replacement: (Range<usize>, String), applicability: Applicability) -> Self {
        self.help.push(Advice { text, replacement: Some(replacement), applicability });
        self
    }

    /// The diagnostic, at its place in the file.
    #[must_use]
    pub fn at(self, written: Written<'_>) -> Diagnostic {
        let diagnostic = Diagnostic::new(self.code, written.span(&self.range), self.message);
        self.help.into_iter().fold(diagnostic, |diagnostic, advice| match advice.replacement {
            Some((range, replacement)) => {
                diagnostic.replace(advice.text, written.span(&range), replacement, advice.applicability)
            }
            None => diagnostic.help(advice.text),
        })
    }
}
