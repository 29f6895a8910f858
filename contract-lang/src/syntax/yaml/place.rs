//! Where the value of a YAML scalar stands in its file: through quotes, escapes and indentation.

use crate::source::Span;
use crate::syntax::origin::Origin;
use crate::syntax::tree::{Scalar, Style};

/// A scalar whose value is `text` and that stands at `span` of `source`.
pub(super) fn scalar(source: &str, text: String, style: Style, span: Span) -> Scalar {
    let (origin, joined) = match style {
        Style::Plain => plain(source, &text, span),
        Style::SingleQuoted | Style::DoubleQuoted => quoted(source, &text, span, style),
        Style::Literal => (literal(source, &text, span).unwrap_or_default(), false),
        Style::Folded => (Origin::default(), true),
    };
    Scalar { text, style, span, origin, joined, expression: None }
}

/// The part of a span from the opening to the closing quote of a scalar.
pub(super) fn quoted_span(source: &str, span: Span, style: Style) -> Span {
    let written = source.get(span.range()).unwrap_or_default();
    let quote = if style == Style::SingleQuoted { '\'' } else { '"' };
    let mut at = 1;
    while let Some(rest) = written.get(at..).filter(|rest| !rest.is_empty()) {
        let doubled = style == Style::SingleQuoted && rest.starts_with("''");
        if rest.starts_with(quote) && !doubled {
            let start = span.start as usize;
            return Span::new(start, start.saturating_add(at).saturating_add(1));
        }
        at = at.saturating_add(escape_length(rest, style).max(1));
    }
    span
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
