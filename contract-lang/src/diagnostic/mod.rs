//! Diagnostics: what is wrong, where, and what to write instead. Data, collected by every pass and rendered at the edge.
//!
//! INVARIANT: a pass never stops at its first error; it pushes into [`Diagnostics`] and goes on with what it can.

mod code;
pub mod json;
pub mod render;

pub use code::Code;

use crate::source::Span;

/// How bad a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Worth knowing.
    Note,
    /// Probably a mistake.
    Warning,
    /// The contract is refused.
    Error,
}

/// A place with a few words about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The words; may be empty.
    pub text: String,
}

/// What to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Help {
    /// The advice.
    pub text: String,
    /// Text to put in place of a span, where the advice is that exact.
    pub replacement: Option<(Span, String)>,
}

/// One thing that is wrong with a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What kind of mistake; has a page.
    pub code: Code,
    /// How bad.
    pub level: Level,
    /// What is wrong: lower case, no full stop, user text in backticks.
    pub message: String,
    /// Where.
    pub primary: Label,
    /// Other places that matter.
    pub related: Vec<Label>,
    /// What to write instead.
    pub help: Vec<Help>,
    /// The id of the rule concerned.
    pub rule: Option<String>,
}

impl Diagnostic {
    /// A diagnostic with the level of its code.
    #[must_use]
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            level: code.level(),
            message: message.into(),
            primary: Label { span, text: String::new() },
            related: Vec::new(),
            help: Vec::new(),
            rule: None,
        }
    }

    /// Adds words at the primary place.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }

    /// Adds another place.
    #[must_use]
    pub fn related(mut self, span: Span, text: impl Into<String>) -> Self {
        self.related.push(Label { span, text: text.into() });
        self
    }

    /// Adds advice.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(Help { text: text.into(), replacement: None });
        self
    }

    /// Adds advice with the exact text to write.
    #[must_use]
    pub fn suggest(mut self, text: impl Into<String>, span: Span, replacement: impl Into<String>) -> Self {
        self.help.push(Help { text: text.into(), replacement: Some((span, replacement.into())) });
        self
    }
}

/// The diagnostics of a run, in the order in which they were found.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    errors: bool,
}

/// Most diagnostics of a run that are kept: a hostile file of 1 MiB could have hundreds of thousands.
pub const MOST: usize = 1_000;

impl Diagnostics {
    /// None yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one. Past [`MOST`] only the first error is kept.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let is_first_error = diagnostic.level == Level::Error && !self.errors;
        self.errors |= is_first_error;
        if is_first_error || self.list.len() < MOST {
            self.list.push(diagnostic);
        }
    }

    /// Whether any is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.errors
    }

    /// All of them, by place and then by order of discovery.
    #[must_use]
    pub fn into_sorted(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(|diagnostic| diagnostic.primary.span);
        self.list
    }

    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Those found so far.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    /// Adds the rule's id to every diagnostic from index `from` on that has none.
    pub fn attribute(&mut self, from: usize, rule: &str) {
        for diagnostic in self.list.iter_mut().skip(from) {
            diagnostic.rule.get_or_insert_with(|| rule.to_owned());
        }
    }
}

/// The nearest of some known names, for "did you mean".
#[must_use]
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let budget = (name.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= budget)
        .min()
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod pages_tests;
