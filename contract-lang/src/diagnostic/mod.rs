//! Diagnostics: what is wrong, where, and what to write instead. Data, collected by every pass and rendered at the edge.
//!
//! INVARIANT: a pass never stops at its first error; it pushes into [`Diagnostics`] and goes on with what it can.

mod code;
pub mod github;
mod goal;
pub mod json;
mod levels;
pub mod render;
pub mod sarif;
mod witness;

pub use code::Code;
pub use goal::{Goal, Standing};
pub use levels::{Levels, Setting, Unsettable};
pub use witness::{Certainty, Shows, Witness};

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
    /// Whether that is what must have been meant.
    pub applicability: Applicability,
}

/// How sure it is that a replacement is what was meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Applicability {
    /// A person has to look at it.
    #[default]
    Guess,
    /// It says the same as what was written, or the only thing that can have been meant: `lint --fix` applies it.
    Certain,
}

impl Help {
    /// The advice, with the text to write where it does not name it.
    #[must_use]
    pub fn with_replacement(&self) -> String {
        match &self.replacement {
            Some((_, text)) if !self.text.contains(text.as_str()) => format!("{}: {text}", self.text),
            _ => self.text.clone(),
        }
    }
}

/// One thing that is wrong with a contract.
#[derive(Clone, Debug, PartialEq)]
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
    /// How sure it is, for findings of static analysis; others are certain.
    pub certainty: Option<Certainty>,
    /// A session that shows it.
    pub witness: Option<Box<Witness>>,
    /// What a session has to come to that shows it, where none has been looked for yet.
    pub goal: Option<Box<Goal>>,
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
            certainty: None,
            witness: None,
            goal: None,
        }
    }

    /// Says how sure it is. Only what is proved is an error.
    #[must_use]
    pub fn certainty(mut self, certainty: Certainty) -> Self {
        self.certainty = Some(certainty);
        if certainty != Certainty::Proved {
            self.level = self.level.min(Level::Warning);
        }
        self
    }

    /// Adds a session that shows it.
    #[must_use]
    pub fn witness(mut self, witness: Witness) -> Self {
        self.witness = Some(Box::new(witness));
        self
    }

    /// What is wrong, and how sure that is: one line.
    #[must_use]
    pub fn headline(&self) -> String {
        let message = render::escape(&self.message);
        match self.certainty {
            Some(certainty) => format!("{message} ({})", certainty.as_str()),
            None => message,
        }
    }

    /// Says what shows it. Static analysis looks for such a session.
    #[must_use]
    pub fn goal(mut self, goal: Goal) -> Self {
        self.goal = Some(Box::new(goal));
        self
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
        self.help.push(Help { text: text.into(), replacement: None, applicability: Applicability::Guess });
        self
    }

    /// Adds advice with a text that was probably meant.
    #[must_use]
    pub fn suggest(self, text: impl Into<String>, span: Span, replacement: impl Into<String>) -> Self {
        self.replace(text, span, replacement, Applicability::Guess)
    }

    /// Adds advice with the text that must have been meant.
    #[must_use]
    pub fn correct(self, text: impl Into<String>, span: Span, replacement: impl Into<String>) -> Self {
        self.replace(text, span, replacement, Applicability::Certain)
    }

    /// Adds advice with the text to write, and how sure that is.
    #[must_use]
    pub fn replace(
        mut self,
        text: impl Into<String>,
        span: Span,
        replacement: impl Into<String>,
        applicability: Applicability,
    ) -> Self {
        self.help.push(Help { text: text.into(), replacement: Some((span, replacement.into())), applicability });
        self
    }
}

/// The diagnostics of a run, in the order in which they were found.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    levels: Levels,
    switched_off: usize,
    errors: bool,
    expressions: Vec<Span>,
    formulas: Vec<Span>,
}

/// Most diagnostics of a run that are kept: a hostile file of 1 MiB could have hundreds of thousands.
pub const MOST: usize = 1_000;

impl Diagnostics {
    /// None yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the levels of what is added from now on.
    pub fn set_levels(&mut self, levels: Levels) {
        self.levels = levels;
    }

    /// Adds one with the level that was set for it, or counts it if that is off. Past [`MOST`] only the first error is kept.
    pub fn push(&mut self, mut diagnostic: Diagnostic) {
        let Some(level) = self.levels.of(&diagnostic) else {
            self.switched_off = self.switched_off.saturating_add(1);
            return;
        };
        let is_error = diagnostic.level == Level::Error && level == Level::Error;
        diagnostic.level = level;
        let is_first_error = is_error && !self.errors;
        self.errors |= is_first_error;
        if is_first_error || self.list.len() < MOST {
            self.list.push(diagnostic);
        }
    }

    /// Notes that the value at a place is read as an expression: what a value is, only its reader knows.
    pub fn note_expression(&mut self, span: Span) {
        self.expressions.push(span);
    }

    /// Where expressions were read, in the order in which that was.
    #[must_use]
    pub fn expressions(&self) -> &[Span] {
        &self.expressions
    }

    /// Notes that the expression at a place is a formula.
    pub fn note_formula(&mut self, span: Span) {
        self.formulas.push(span);
    }

    /// Which expressions are formulas.
    #[must_use]
    pub fn formulas(&self) -> &[Span] {
        &self.formulas
    }

    /// Whether any is an error by itself: one that is not has only the level of one.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.errors
    }

    /// Whether every error leaves it clear what the contract means.
    #[must_use]
    pub fn keep_meaning(&self) -> bool {
        let errors = self.list.iter().filter(|diagnostic| diagnostic.level == Level::Error);
        errors.map(|error| error.code).all(Code::keeps_meaning)
    }

    /// All of them, by place and then by order of discovery.
    #[must_use]
    pub fn into_sorted(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(|diagnostic| diagnostic.primary.span);
        self.list
    }

    /// How many were found and are switched off.
    #[must_use]
    pub fn switched_off(&self) -> usize {
        self.switched_off
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

    /// Those found so far, to be completed.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, Diagnostic> {
        self.list.iter_mut()
    }

    /// Adds the rule's id to every diagnostic from index `from` on that has none.
    pub fn attribute(&mut self, from: usize, rule: &str) {
        for diagnostic in self.list.iter_mut().skip(from) {
            diagnostic.rule.get_or_insert_with(|| rule.to_owned());
        }
    }
}

/// The longest name for which a nearest one is looked for, and the most names that are looked at: a distance costs the
/// product of both lengths, and a hostile file has many names.
const NEAR_LENGTH: usize = 48;
const NEAR_NAMES: usize = 500;

/// The nearest of some known names, for "did you mean". A name that is too long has none.
#[must_use]
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    nearest_of_all(name, known).map(|(candidate, _)| candidate)
}

/// The same of names that are all there can be: where only one is near, it must have been meant.
#[must_use]
pub fn nearest_of_all<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<(&'a str, Applicability)> {
    if name.len() > NEAR_LENGTH {
        return None;
    }
    let length = name.chars().count();
    let budget = (length / 3).max(1);
    let mut near: Vec<_> = known
        .into_iter()
        .take(NEAR_NAMES)
        .filter(|candidate| candidate.len() <= NEAR_LENGTH && candidate.chars().count().abs_diff(length) <= budget)
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= budget)
        .collect();
    near.sort_unstable();
    near.dedup();
    let (_, candidate) = near.first()?;
    Some((*candidate, if near.len() == 1 { Applicability::Certain } else { Applicability::Guess }))
}

#[cfg(test)]
mod pages_tests;

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn what_alone_is_near_is_meant() {
        use super::{Applicability, nearest_of_all};
        assert_eq!(nearest_of_all("reslt", ["args", "result"]), Some(("result", Applicability::Certain)));
        assert_eq!(nearest_of_all("reslt", ["reset", "result"]), Some(("reset", Applicability::Guess)));
    }

    #[test]
    fn a_near_name_is_found_and_a_hostile_one_costs_nothing() {
        assert_eq!(nearest("reslt", ["args", "result"]), Some("result"));
        assert_eq!(nearest("x", ["args", "result"]), None);
        let long = "a".repeat(100_000);
        assert_eq!(nearest(&long, [long.as_str()]), None);
        assert_eq!(nearest("aaaa", [long.as_str(), "aaab"]), Some("aaab"));
        let many: Vec<String> = (0..100_000).map(|n| format!("name_{n:040}")).collect();
        assert_eq!(nearest("something_else", many.iter().map(String::as_str)), None);
    }
}
