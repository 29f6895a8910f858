//! What is said of mistakes in formulas.

use super::{Flaw, Spot};
use crate::diagnostic::nearest;
use crate::syntax::formula;

/// Spellings of other notations of temporal logic, and ours.
const FOREIGN: [(&str, &str); 23] = [
    ("->", "implies"),
    ("=>", "implies"),
    ("&", "and"),
    ("|", "or"),
    ("globally", "always"),
    ("henceforth", "always"),
    ("finally", "eventually"),
    ("sometime", "eventually"),
    ("wnext", "weak_next"),
    ("yesterday", "previous"),
    ("prev", "previous"),
    ("unless", "weak_until"),
    ("releases", "release"),
    ("G", "always"),
    ("F", "eventually"),
    ("X", "next"),
    ("N", "weak_next"),
    ("U", "until"),
    ("W", "weak_until"),
    ("R", "release"),
    ("S", "since"),
    ("O", "once"),
    ("H", "historically"),
];

/// Operators that there are not, and what says the same; a word that looks like them says something else.
const WRITTEN_OUT: [(&[&str], &str); 4] = [
    (&["xor", "^"], "(p and not q) or (q and not p)"),
    (&["iff", "<->", "<=>"], "(p implies q) and (q implies p)"),
    (&["nand"], "not (p and q)"),
    (&["nor"], "not (p or q)"),
];

fn written_out(found: &str) -> Option<&'static str> {
    WRITTEN_OUT.iter().find(|(operators, _)| operators.contains(&found)).map(|(_, meaning)| *meaning)
}

fn ours(found: &str) -> Option<&'static str> {
    FOREIGN.iter().find(|(foreign, _)| *foreign == found).map(|(_, ours)| *ours)
}

impl Spot<'_> {
    /// Where an operand was expected.
    pub(super) fn formula(&self) -> Flaw {
        if self.text.trim().is_empty() {
            return Flaw::new(0..self.text.len(), "expected a formula, but the text is empty");
        }
        if let Some(flaw) = self.unopened().filter(|_| self.rest.starts_with([')', ']'])) {
            return flaw;
        }
        let (found, range) = self.found();
        let plain = self.plain("expected a name or an operator");
        match found {
            "[" if self.rest.starts_with("[]") => {
                let end = range.end.saturating_add(1);
                Flaw::new(range.start..end, "`[]` is not an operator").correct(
                    "write `always`",
                    range.start..end,
                    "always",
                )
            }
            "<>" => {
                Flaw::new(range.clone(), "`<>` is not an operator").correct("write `eventually`", range, "eventually")
            }
            "[" => plain.help("several formulas are one, joined with `and`"),
            "\"" | "'" => plain.help("a formula is about the names in `let`, which are written without quotes"),
            word if formula::words().any(|known| known == word) => {
                plain.help(format!("`{word}` needs a formula on its left"))
            }
            _ => plain,
        }
    }

    /// Where an operator or the end was expected.
    pub(super) fn after_formula(&self) -> Flaw {
        let (found, range) = self.found();
        if self.rest.is_empty() {
            return self.unclosed().unwrap_or_else(|| self.plain("expected an operator"));
        }
        if let Some(flaw) = self.unopened().filter(|_| self.rest.starts_with([')', ']'])) {
            return flaw;
        }
        let between = ours(found).filter(|ours| formula::Unary::from_spelling(ours).is_none());
        if let Some(ours) = between {
            let flaw = Flaw::new(range.clone(), format!("`{found}` is not an operator"));
            return flaw.correct(format!("write `{ours}`"), range, ours);
        }
        if let Some(meaning) = written_out(&found.to_lowercase()) {
            return Flaw::new(range, format!("`{found}` is not an operator")).help(format!("write `{meaning}`"));
        }
        // The word before may have been meant to be an operator: `G(p)`, `alwys p`.
        let before = self.before.trim_end();
        let word = |each: char| each.is_ascii_alphanumeric() || each == '_';
        let start = before.len().saturating_sub(before.chars().rev().take_while(|each| word(*each)).count());
        let last = before.get(start..).unwrap_or_default();
        let meant = ours(last).or_else(|| nearest(last, formula::Unary::ALL.iter().map(|unary| unary.as_str())));
        if let Some(meant) = meant.filter(|_| self.rest.starts_with(|next: char| next == '(' || word(next))) {
            let range = start..before.len();
            let flaw = Flaw::new(range.clone(), format!("`{last}` is not an operator"));
            return flaw.suggest(format!("write `{meant}`"), range, meant);
        }
        let plain = self.plain("expected an operator or the end");
        match found {
            "(" => plain.help(format!("a formula is about names: write `{last}: …(…)` in `let`, and `{last}` here")),
            "where" => plain.help("conditions stand in the patterns of `let`"),
            "==" | "!=" | "<" | "<=" | ">" | ">=" | "." => {
                plain.help("a formula is about events: compare values after `where` in the patterns of `let`")
            }
            word => {
                let lower = word.to_lowercase();
                match nearest(&lower, formula::words().filter(|known| formula::Unary::from_spelling(known).is_none())) {
                    Some(known) => plain.suggest(format!("did you mean `{known}`?"), range, known),
                    None => plain.help("formulas are joined with `and`, `or`, `implies`, `until`, `since`, …"),
                }
            }
        }
    }
}
