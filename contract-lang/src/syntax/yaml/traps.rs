//! Places where YAML reads something else than the author meant.
//!
//! Expressions are strings, and people write them without quotes. YAML then ends some of them early, at `, ` or ` #`, or
//! takes their first character for punctuation of its own. Some of these are syntax errors with an unhelpful message,
//! others are valid YAML that means something else. Both are found here by reading the text again as an expression, with
//! its own strings and brackets, and comparing where it would have ended. The answer is always the same: quotes.

mod inspect;
mod scan;
mod split;

pub(super) use inspect::behind_syntax_error;
use scan::extent;
pub(super) use split::{check_cut, rejoin_entries, rejoin_items};

use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;

/// A text as a YAML scalar in single quotes.
pub(crate) fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Characters that mean something to YAML where a value starts, and what.
const INDICATORS: &[(char, &str)] = &[
    ('*', "the start of an alias"),
    ('&', "the start of an anchor"),
    ('!', "the start of a tag"),
    ('%', "reserved"),
    ('@', "reserved"),
    ('`', "reserved"),
    ('{', "the start of a mapping"),
    ('[', "the start of a list"),
    ('"', "the start of a quoted string"),
    ('\'', "the start of a quoted string"),
];

/// A refusal of a part of YAML that contracts do without.
pub(super) fn feature(span: Span, message: &str, help: &str) -> Diagnostic {
    Diagnostic::new(Code::YamlFeature, span, message).help(help)
}

fn trap(text: &str, range: std::ops::Range<usize>, message: String) -> Diagnostic {
    let span = Span::new(range.start, range.end);
    let written = text.get(range).unwrap_or_default();
    let diagnostic = Diagnostic::new(Code::YamlTrap, span, message);
    match written.contains('\n') {
        true => diagnostic.help("put the whole value in single quotes, on one line"),
        false => diagnostic.correct("put the whole value in quotes", span, quote(written)),
    }
}

fn indicator_trap(text: &str, start: usize, flow: bool) -> Diagnostic {
    let first = text.get(start..).and_then(|rest| rest.chars().next()).unwrap_or(' ');
    let meaning =
        INDICATORS.iter().find(|(character, _)| *character == first).map_or("special", |(_, meaning)| meaning);
    let end = extent(text, start, flow);
    trap(
        text,
        start..end,
        format!("a value that starts with `{first}` is not a plain string: in YAML this is {meaning}"),
    )
}

/// An alias, which may have been meant as a pattern: `*_delete`.
pub(super) fn alias(text: &str, span: Span, flow: bool) -> Diagnostic {
    let diagnostic = indicator_trap(text, span.start as usize, flow);
    Diagnostic { code: Code::YamlFeature, message: "YAML aliases are not accepted".to_owned(), ..diagnostic }
}

/// A scalar with a tag or an anchor, which may have been meant as an expression: `!state.done`.
pub(super) fn property(text: &str, span: Span, flow: bool) -> Diagnostic {
    match text.get(span.range()).unwrap_or_default() {
        written if written.starts_with("!!") || written.starts_with("!<") => {
            let help = "write the value without; put it in quotes to make it a string";
            feature(span, "YAML tags are not accepted", help)
        }
        _ => indicator_trap(text, span.start as usize, flow),
    }
}
