//! Scalars: their value, their type by the YAML 1.2 core schema, and the way back from the value to the file.

use super::super::origin::Origin;
use crate::source::Span;

/// How a scalar was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Without quotes.
    Plain,
    /// `'…'`
    SingleQuoted,
    /// `"…"`
    DoubleQuoted,
    /// `|`
    Literal,
    /// `>`
    Folded,
}

/// A scalar.
#[derive(Clone, Debug, PartialEq)]
pub struct Scalar {
    /// Its value. For a plain scalar this is the source text: `0755`, `1_000` and long integers are kept as written.
    pub text: String,
    /// How it was written.
    pub style: Style,
    /// Where, quotes included.
    pub span: Span,
    /// Where the parts of its value stand.
    pub origin: Origin,
    /// Whether YAML joined several lines into one, so that columns of the value are not columns of the file.
    pub joined: bool,
}

/// The type of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// No value at all, or one of the spellings of null.
    Null,
    /// `true` or `false`, in one of the core schema's spellings.
    Bool,
    /// Something the core schema reads as a number.
    Number,
    /// Everything else.
    Text,
}

impl Scalar {
    /// A scalar whose value is `text` and that stands at `span` of `source`.
    pub(super) fn new(source: &str, text: String, style: Style, span: Span) -> Self {
        let (origin, joined) = match style {
            Style::Plain => plain(source, &text, span),
            Style::SingleQuoted | Style::DoubleQuoted => quoted(source, &text, span, style),
            Style::Literal => (literal(source, &text, span).unwrap_or_default(), false),
            Style::Folded => (Origin::default(), true),
        };
        Self { text, style, span, origin, joined }
    }

    /// Its type.
    #[must_use]
    pub fn resolve(&self) -> Resolved {
        match self.text.as_str() {
            _ if self.style != Style::Plain => Resolved::Text,
            "" | "~" | "null" | "Null" | "NULL" => Resolved::Null,
            "true" | "True" | "TRUE" | "false" | "False" | "FALSE" => Resolved::Bool,
            text if is_number(text) => Resolved::Number,
            _ => Resolved::Text,
        }
    }

    /// What it is, in words, with an article.
    #[must_use]
    pub fn what(&self) -> &'static str {
        match self.resolve() {
            Resolved::Null => "no value",
            Resolved::Bool => "a truth value",
            Resolved::Number => "a number",
            Resolved::Text => "a string",
        }
    }
}

/// Whether the core schema reads a plain scalar as a number.
fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    let all = |digits: &str, is: fn(&char) -> bool| !digits.is_empty() && digits.chars().all(|c| is(&c));
    if let Some(digits) = text.strip_prefix("0x") {
        return all(digits, char::is_ascii_hexdigit);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return all(digits, |c| matches!(c, '0'..='7'));
    }
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |part: &str| part.chars().all(|c| c.is_ascii_digit());
    (!whole.is_empty() || !fraction.is_empty())
        && digits(whole)
        && digits(fraction)
        && exponent.is_none_or(|exponent| all(exponent, char::is_ascii_digit))
}

fn plain(source: &str, text: &str, span: Span) -> (Origin, bool) {
    // The span of a scalar with a tag or an anchor starts at that; such files are refused, so the origin may be coarse.
    match source.get(span.range()) {
        Some(written) if written == text => (Origin::verbatim(span), false),
        written => (Origin::default(), written.is_some_and(|written| written.contains('\n'))),
    }
}

fn quoted(source: &str, text: &str, span: Span, style: Style) -> (Origin, bool) {
    let written = source.get(span.range()).unwrap_or_default();
    if written.contains('\n') {
        return (Origin::default(), true);
    }
    let inner = written.get(1..written.len().saturating_sub(1)).unwrap_or_default();
    let base = (span.start as usize).saturating_add(1);
    let mut origin = Origin::default();
    let mut rest = inner;
    for value in text.chars() {
        let length = escape_length(rest, style);
        let start = base.saturating_add(inner.len().saturating_sub(rest.len()));
        origin.push(value.len_utf8(), start..start.saturating_add(length));
        rest = rest.get(length..).unwrap_or_default();
    }
    if rest.is_empty() { (origin, false) } else { (Origin::default(), false) }
}

/// How many bytes of a quoted scalar make its next character.
fn escape_length(rest: &str, style: Style) -> usize {
    let mut chars = rest.chars();
    let first = chars.next();
    match (style, first, chars.next()) {
        (Style::SingleQuoted, Some('\''), _) => 2,
        (Style::DoubleQuoted, Some('\\'), Some('x')) => 4,
        (Style::DoubleQuoted, Some('\\'), Some('u')) => 6,
        (Style::DoubleQuoted, Some('\\'), Some('U')) => 10,
        (Style::DoubleQuoted, Some('\\'), Some(escaped)) => escaped.len_utf8().saturating_add(1),
        (_, first, _) => first.map_or(0, char::len_utf8),
    }
}

/// The lines of a `|` scalar are those of the file without their indentation.
fn literal(source: &str, text: &str, span: Span) -> Option<Origin> {
    let start = span.start as usize;
    let mut at = source.get(..start)?.rfind('\n').map_or(0, |newline| newline.saturating_add(1));
    let mut origin = Origin::default();
    let mut started = false;
    for line in text.split_inclusive('\n') {
        let value = line.strip_suffix('\n').unwrap_or(line);
        let rest = source.get(at..)?;
        let file = rest.split_inclusive('\n').next().unwrap_or(rest);
        let written = file.trim_end_matches(['\n', '\r']);
        if value.is_empty() && !started && !written.trim().is_empty() {
            // Blank lines before the span; they have no place of their own.
            origin.push(line.len(), at..at);
            continue;
        }
        started = true;
        let indent = written.len().checked_sub(value.len());
        let indent = if value.is_empty() { written.len() } else { indent? };
        if !value.is_empty() && written.get(indent..)? != value {
            return None;
        }
        let content = at.saturating_add(indent);
        let end = content.saturating_add(value.len());
        origin.push(value.len(), content..end);
        at = at.saturating_add(file.len());
        if line.len() > value.len() {
            origin.push(1, end..at.max(end));
        }
    }
    Some(origin)
}
