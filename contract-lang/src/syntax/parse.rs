//! From the text of an expression to its tree.
//!
//! INVARIANT: whatever the text, parsing ends soon and needs little stack: length and nesting are bounded before the parser
//! sees the text, and the depth of the tree while it is built.

use std::ops::Range;

use pest::Parser as _;
use pest::iterators::Pair;

use super::expr::Expr;
use super::flaw::Flaw;
use super::formula::{self, Formula};
use super::pattern::{Alternative, Pattern, Phase};
use super::precedence;
use super::wording;
use crate::diagnostic::{Code, nearest};

/// The longest expression, in bytes.
pub const MAX_LENGTH: usize = 64 * 1024;

/// How deep brackets may nest.
pub const MAX_NESTING: usize = 64;

/// The parser that is generated from the grammar.
mod generated {
    #[derive(pest_derive::Parser)]
    #[grammar = "syntax/grammar.pest"]
    pub(super) struct Grammar;
}

pub(super) use generated::Rule;

/// Parses a predicate, a value or a key path.
pub fn expression(text: &str) -> Result<Expr, Flaw> {
    let pair = parse(Rule::predicate, text)?;
    match pair.into_inner().find(|inner| inner.as_rule() == Rule::expression) {
        Some(inner) => precedence::build(inner),
        None => Err(Flaw::new(0..text.len(), "expected a value")),
    }
}

/// Parses a pattern.
pub fn pattern(text: &str) -> Result<Pattern, Flaw> {
    let pair = parse(Rule::pattern, text)?;
    let alternatives = pair.into_inner().filter(|inner| inner.as_rule() == Rule::alternative);
    Ok(Pattern { alternatives: alternatives.map(alternative).collect::<Result<_, _>>()? })
}

/// Parses a formula.
pub fn formula(text: &str) -> Result<Formula, Flaw> {
    let pair = parse(Rule::formula, text)?;
    match pair.into_inner().find(|inner| inner.as_rule() == Rule::temporal) {
        Some(inner) => formula::read(inner),
        None => Err(Flaw::new(0..text.len(), "expected a name or an operator")),
    }
}

fn parse(entry: Rule, text: &str) -> Result<Pair<'_, Rule>, Flaw> {
    bounds(text)?;
    let pairs = generated::Grammar::parse(entry, text);
    let mut pairs = pairs.map_err(|error| wording::explain(entry, text, &error))?;
    pairs.next().ok_or_else(|| Flaw::new(0..text.len(), "expected a value"))
}

fn alternative(pair: Pair<'_, Rule>) -> Result<Alternative, Flaw> {
    let parts = pair.into_inner().flat_map(Pair::into_inner);
    let mut phase = None;
    let mut name = None;
    let mut condition = None;
    for part in parts {
        match part.as_rule() {
            Rule::phase => phase = Some(phase_of(&part)?),
            Rule::name => name = Some(precedence::word(&part)),
            Rule::condition => {
                let inner = part.into_inner().find(|inner| inner.as_rule() == Rule::expression);
                condition = inner.map(precedence::build).transpose()?;
            }
            _ => {}
        }
    }
    let name = name.ok_or_else(|| Flaw::new(0..0, "expected a tool name"))?;
    Ok(Alternative { phase, name, condition })
}

fn phase_of(word: &Pair<'_, Rule>) -> Result<Phase, Flaw> {
    Phase::from_spelling(word.as_str()).ok_or_else(|| {
        let range = precedence::range(word);
        let flaw = Flaw::new(range.clone(), format!("`{}` is not a phase", word.as_str())).code(Code::UnknownName);
        match nearest(&word.as_str().to_lowercase(), Phase::ALL.map(Phase::as_str)) {
            Some(known) => flaw.suggest(format!("did you mean `{known}`?"), range, known),
            None => {
                flaw.help("the phases are `call`, `ok`, `failed`, `unknown` and `done`; `event(…)` is a host event")
            }
        }
    })
}

/// Refuses texts that are too long or nest too deeply.
fn bounds(text: &str) -> Result<(), Flaw> {
    if text.len() > MAX_LENGTH {
        return Err(Flaw::new(0..0, format!("an expression is at most {MAX_LENGTH} bytes long")));
    }
    let mut open = 0_usize;
    for (at, bracket) in brackets(text) {
        match bracket {
            b'(' | b'[' => open = open.saturating_add(1),
            _ => open = open.saturating_sub(1),
        }
        if open > MAX_NESTING {
            return Err(Flaw::new(at..at.saturating_add(1), format!("brackets nest deeper than {MAX_NESTING} levels"))
                .help("split the expression, or name parts of it in `patterns`"));
        }
    }
    Ok(())
}

/// The brackets of a text that do not stand in a string, with their places.
pub(super) fn brackets(text: &str) -> impl Iterator<Item = (usize, u8)> {
    let mut quote = Quote::Outside;
    let mut previous = b' ';
    text.bytes().enumerate().filter(move |(_, byte)| {
        let outside = matches!(quote, Quote::Outside);
        quote = quote.after(previous, *byte);
        previous = *byte;
        outside && matches!(byte, b'(' | b')' | b'[' | b']')
    })
}

#[derive(Clone, Copy)]
enum Quote {
    Outside,
    /// In `"…"`.
    Text,
    /// In `"…"`, after a backslash.
    Escaped,
    /// In `r"…"`.
    Raw,
}

impl Quote {
    fn after(self, previous: u8, byte: u8) -> Self {
        match (self, byte) {
            (Self::Outside, b'"') if previous == b'r' => Self::Raw,
            (Self::Outside, b'"') => Self::Text,
            (Self::Text, b'\\') => Self::Escaped,
            (Self::Text | Self::Raw, b'"' | b'\n') | (Self::Escaped, b'\n') => Self::Outside,
            (Self::Escaped, _) => Self::Text,
            (same, _) => same,
        }
    }
}

/// The character at a place, as a range.
pub(super) fn one_char(text: &str, at: usize) -> Range<usize> {
    let length = text.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    at..at.saturating_add(length)
}

#[cfg(test)]
mod tests;
