//! Diagnostics for people: as rustc shows them, or one a line.

use std::fmt::Write as _;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Origin, Patch, Renderer, Snippet};

use super::{Diagnostic, Level};
use crate::source::{Position, SourceFile, Span};

/// All diagnostics with the lines that they are about, and what to write instead.
#[must_use]
pub fn human(file: &SourceFile, diagnostics: &[Diagnostic], color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let mut out = String::new();
    for diagnostic in diagnostics {
        out.push_str(&one(file, diagnostic, &renderer));
        out.push_str("\n\n");
    }
    out
}

/// One line for each: `file:line:col: level[code]: message`, and after it in parentheses how sure it is.
#[must_use]
pub fn short(file: &SourceFile, diagnostics: &[Diagnostic]) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        let position = file.position(diagnostic.primary.span.start);
        let level = diagnostic.level.as_str();
        let code = diagnostic.code.as_str();
        let message = diagnostic.headline();
        let name = escape(file.name());
        // Writing to a string does not fail.
        let _ = writeln!(out, "{name}:{}:{}: {level}[{code}]: {message}", position.line, position.column);
    }
    out
}

/// A text in which control characters, and characters that turn the direction of writing, can be seen.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            _ if is_hidden(c) => out.extend(c.escape_unicode()),
            _ => out.push(c),
        }
    }
    out
}

/// Whether a character cannot be seen, changes how others are shown, or is shown by every font as it likes: controls, format
/// characters (Unicode's category Cf), and what is for private use or no character.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}')
        || matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..='\u{10ffff}')
}

/// A character of the same length that can be seen, for source lines, in which offsets must stay.
fn visible(window: &str) -> String {
    let mut out = String::with_capacity(window.len());
    for c in window.chars() {
        match (c, c.len_utf8()) {
            ('\n' | '\t', _) => out.push(c),
            (c, length) if is_hidden(c) => out.push(match length {
                1 => '?',
                2 => '\u{00bf}',
                3 => '\u{fffd}',
                _ => '\u{1fbc4}',
            }),
            (c, _) => out.push(c),
        }
    }
    out
}

fn one(file: &SourceFile, diagnostic: &Diagnostic, renderer: &Renderer) -> String {
    let level = match diagnostic.level {
        Level::Error => annotate_snippets::Level::ERROR,
        Level::Warning => annotate_snippets::Level::WARNING,
        Level::Note => annotate_snippets::Level::NOTE,
    };
    let title = level.primary_title(diagnostic.headline()).id(diagnostic.code.as_str());
    let mut groups = vec![places(file, diagnostic, title)];
    for help in &diagnostic.help {
        let text = escape(&help.text);
        match help.replacement.as_ref().and_then(|(span, new)| Some((Window::around(file, [*span])?, *span, new))) {
            Some((window, span, new)) => {
                let patch = Patch::new(window.range(span), escape(new));
                let snippet = Snippet::source(window.text).line_start(window.line).patch(patch);
                groups.push(Group::with_title(annotate_snippets::Level::HELP.secondary_title(text)).element(snippet));
            }
            None => {
                let main = groups.remove(0).element(annotate_snippets::Level::HELP.message(text));
                groups.insert(0, main);
            }
        }
    }
    if let Some(witness) = &diagnostic.witness {
        let told: Vec<String> = witness.told().iter().map(|line| format!("  {}", escape(line))).collect();
        let text = format!("a session that shows it:\n{}", told.join("\n"));
        let main = groups.remove(0).element(annotate_snippets::Level::NOTE.message(text));
        groups.insert(0, main);
    }
    renderer.render(&groups)
}

/// The message with the places that it is about.
fn places<'a>(file: &SourceFile, diagnostic: &'a Diagnostic, title: annotate_snippets::Title<'a>) -> Group<'a> {
    let primary = &diagnostic.primary;
    let all = std::iter::once(primary).chain(&diagnostic.related).map(|label| label.span);
    let (window, related) = match Window::around(file, all) {
        Some(window) => (Some(window), diagnostic.related.as_slice()),
        None => (Window::around(file, [primary.span]), &[][..]),
    };
    let name = escape(file.name());
    let mut group = match window {
        Some(window) => {
            let mark = AnnotationKind::Primary.span(window.range(primary.span)).label(escape(&primary.text));
            let marks = related
                .iter()
                .map(|label| AnnotationKind::Context.span(window.range(label.span)).label(escape(&label.text)));
            let marks: Vec<_> = std::iter::once(mark).chain(marks).collect();
            title.element(Snippet::source(window.text).line_start(window.line).path(name).annotations(marks))
        }
        None => {
            let position = file.position(primary.span.start);
            title.element(Origin::path(name).line(position.line as usize).char_column(position.column as usize))
        }
    };
    if related.is_empty() {
        for label in &diagnostic.related {
            let Position { line, column } = file.position(label.span.start);
            let text = format!("{} (line {line}, column {column})", escape(&label.text));
            group = group.element(annotate_snippets::Level::NOTE.message(text));
        }
    }
    group
}

/// The lines around some places. The renderer reads all that it is given, so it is given no more than it shows.
struct Window {
    text: String,
    /// The number of the first line.
    line: usize,
    /// Where the text starts in the file.
    start: usize,
}

impl Window {
    /// `None` if that is more than people would read: places far apart, or a very long line.
    fn around(file: &SourceFile, spans: impl IntoIterator<Item = Span>) -> Option<Self> {
        const MOST: usize = 8 * 1024;
        let text = file.text();
        let (mut low, mut high) = (text.len(), 0);
        for span in spans {
            low = low.min(span.start as usize);
            high = high.max(span.end as usize);
        }
        let low = floor(text, low.min(high));
        let high = floor(text, high);
        let start = text.get(..low).and_then(|before| before.rfind('\n')).map_or(0, |at| at.saturating_add(1));
        let end = text.get(high..).and_then(|after| after.find('\n')).map_or(text.len(), |at| high.saturating_add(at));
        let shown = text.get(start..end).filter(|shown| shown.len() <= MOST)?;
        let line = file.position(u32::try_from(start).unwrap_or(u32::MAX)).line;
        Some(Self { text: visible(shown), line: line as usize, start })
    }

    fn range(&self, span: Span) -> Range<usize> {
        let clamp = |at: u32| floor(&self.text, (at as usize).saturating_sub(self.start));
        clamp(span.start)..clamp(span.end)
    }
}

/// The nearest character boundary at or before an offset.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at = at.saturating_sub(1);
    }
    at
}

#[cfg(test)]
mod tests;
