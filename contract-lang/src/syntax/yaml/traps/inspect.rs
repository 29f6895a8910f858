//! Traps behind a syntax error: the text around it is read again.

use super::scan::{extent, has_tail, quoted_end};
use super::{indicator_trap, trap};
use crate::diagnostic::Diagnostic;

/// What the author probably meant where the YAML parser gave up.
pub(in crate::syntax::yaml) fn behind_syntax_error(
    text: &str,
    at: usize,
    flow_start: Option<usize>,
) -> Option<Diagnostic> {
    if let Some(found) = flow_start.and_then(|start| inspect_collection(text, start, &mut Look::default()).1) {
        return Some(found);
    }
    // The parser often notices only at the start of the next line.
    let mut end = text.get(..at).map_or(0, str::len);
    end = text.get(end..).and_then(|rest| rest.find('\n')).map_or(text.len(), |newline| end.saturating_add(newline));
    let mut lines = text.get(..end)?.rsplit('\n');
    let mut stop = end;
    for _ in 0..3 {
        let line = lines.next()?;
        let start = stop.saturating_sub(line.len());
        if let Some(found) = inspect_line(text, start, line) {
            return Some(found);
        }
        stop = start.saturating_sub(1);
    }
    None
}

/// Looks at a line of block YAML: `- key: value`, `key: value` or `- value`.
fn inspect_line(text: &str, start: usize, line: &str) -> Option<Diagnostic> {
    let mut rest = line.trim_start_matches([' ', '\t']);
    let mut item = false;
    while let Some(after) = rest.strip_prefix("- ") {
        rest = after.trim_start_matches(' ');
        item = true;
    }
    let value = match key_length(rest) {
        Some(length) => rest.get(length..)?.trim_start_matches(' '),
        None if item => rest,
        None => return None,
    };
    inspect_value(text, start.saturating_add(line.len().saturating_sub(value.len())), false, &mut Look::default())
}

/// The length of `key:` at the start of a text.
fn key_length(text: &str) -> Option<usize> {
    let start = text.len().saturating_sub(text.strip_prefix(['"', '\'']).unwrap_or(text).len());
    let quote = (start > 0).then(|| text.chars().next()).flatten();
    let mut end = start;
    for (at, c) in text.char_indices().skip(start).take(1024) {
        match (quote, c) {
            (Some(quote), c) if c == quote => {
                end = at.saturating_add(1);
                break;
            }
            (None, ':') | (None, '\n' | ',' | '{' | '}' | '[' | ']' | '"' | '#') => {
                end = at;
                break;
            }
            _ => {}
        }
    }
    let after = text.get(end..)?.trim_start_matches(' ');
    let colon = after.strip_prefix(':')?;
    let ends = colon.is_empty() || colon.starts_with([' ', '\n', '\r', '\t']) || quote.is_some();
    ends.then(|| text.len().saturating_sub(colon.len()))
}

/// How much is looked at: brackets that are never closed would be looked at again and again.
struct Look {
    depth: usize,
    entries: usize,
}

impl Default for Look {
    fn default() -> Self {
        Self { depth: 8, entries: 2_000 }
    }
}

/// Looks at a value.
fn inspect_value(text: &str, start: usize, flow: bool, look: &mut Look) -> Option<Diagnostic> {
    let rest = text.get(start..)?;
    let end = extent(text, start, flow);
    let first = rest.chars().next()?;
    match first {
        '#' | '|' | '>' | '\n' | '\r' => None,
        '!' if rest.starts_with("!!") => None,
        '*' | '&' | '!' | '%' | '@' | '`' => Some(indicator_trap(text, start, flow)),
        '"' | '\'' => {
            let close = quoted_end(text, start)?;
            has_tail(text, close, flow).then(|| indicator_trap(text, start, flow))
        }
        '[' | '{' => {
            let (close, found) = inspect_collection(text, start, look);
            match close {
                Some(close) if !flow && has_tail(text, close, flow) => Some(indicator_trap(text, start, flow)),
                _ => found,
            }
        }
        _ => {
            let written = text.get(start..end)?;
            let breaks = written.find([',', '[', ']', '{', '}']).filter(|_| flow);
            if let Some(c) = breaks.and_then(|at| written.get(at..)?.chars().next()) {
                let message = format!("an unquoted value inside `{{ }}` or `[ ]` ends at `{c}`");
                return Some(trap(text, start..end, message));
            }
            let colon = !flow && (written.contains(": ") || written.ends_with(':'));
            colon.then(|| trap(text, start..end, "an unquoted value must not contain `: `".to_owned()))
        }
    }
}

/// Looks at the entries of `{ … }` or `[ … ]`. Gives where it ends, if it does, and the first trap.
fn inspect_collection(text: &str, start: usize, look: &mut Look) -> (Option<usize>, Option<Diagnostic>) {
    let mapping = text.get(start..).is_some_and(|rest| rest.starts_with('{'));
    let mut at = start.saturating_add(1);
    let mut found = None;
    while let Some(rest) = text.get(at..).filter(|_| look.entries > 0) {
        look.entries = look.entries.saturating_sub(1);
        let content = rest.trim_start();
        at = text.len().saturating_sub(content.len());
        match content.chars().next() {
            None => return (None, found),
            Some('}' | ']') => return (Some(at.saturating_add(1)), found),
            Some(',') => {
                at = at.saturating_add(1);
                continue;
            }
            Some('#') => {
                at = content.find('\n').map_or(text.len(), |newline| at.saturating_add(newline));
                continue;
            }
            Some(_) => {}
        }
        if let Some(length) = key_length(content).filter(|_| mapping) {
            at = at.saturating_add(length);
            let value = text.get(at..).unwrap_or_default();
            at = at.saturating_add(value.len().saturating_sub(value.trim_start().len()));
        }
        if look.depth > 0 && found.is_none() {
            look.depth = look.depth.saturating_sub(1);
            found = inspect_value(text, at, true, look);
            look.depth = look.depth.saturating_add(1);
        }
        // At least one character, so that this ends.
        let one = text.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
        at = extent(text, at, true).max(at.saturating_add(one));
    }
    (None, found)
}
