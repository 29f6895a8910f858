//! Traps in valid YAML: a value that ended early, and the pieces that came of it.

use super::scan::{Scan, extent};
use super::{indicator_trap, trap};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::source::Span;
use crate::syntax::tree::{Entry, Kind, Node, Scalar, Style};

/// A plain value that YAML cut at ` #`.
pub(in crate::syntax::yaml) fn check_cut(text: &str, node: Node, flow: bool, diagnostics: &mut Diagnostics) -> Node {
    let Kind::Scalar(scalar) = &node.kind else { return node };
    if scalar.style != Style::Plain || scalar.text.is_empty() {
        return node;
    }
    let end = node.span.end as usize;
    let after = text.get(end..).unwrap_or_default();
    let comment = after.trim_start_matches([' ', '\t']);
    if !comment.starts_with('#') || comment.len() == after.len() {
        return node;
    }
    let unfinished = Scan::is_unfinished(&scalar.text);
    let glued = comment.chars().nth(1).is_some_and(|c| !c.is_whitespace() && c != '#');
    if !unfinished && !glued {
        return node;
    }
    let start = node.span.start as usize;
    let stop = match unfinished {
        true => extent(text, start, flow),
        false => {
            comment.find('\n').map_or(text.len(), |at| text.len().saturating_sub(comment.len()).saturating_add(at))
        }
    };
    let stop = start.saturating_add(text.get(start..stop).unwrap_or_default().trim_end().len());
    let message = "an unquoted value ends at ` #`: the rest is a comment".to_owned();
    let mut diagnostic = trap(text, start..stop, message);
    if let Some(help) = diagnostic.help.first_mut().filter(|_| !unfinished) {
        help.text.push_str("; or, if it is a comment, write a space after the `#`");
    }
    diagnostics.push(diagnostic);
    Node::broken(node.span)
}

/// The end of a plain value in flow style, read as an expression, where YAML ended it earlier.
fn split_end(text: &str, scalar: &Scalar) -> Option<usize> {
    if scalar.style != Style::Plain || !Scan::is_unfinished(&scalar.text) {
        return None;
    }
    let start = scalar.span.start as usize;
    let end = extent(text, start, true);
    let whole = text.get(start..end)?;
    (end > scalar.span.end as usize && !Scan::is_unfinished(whole)).then_some(end)
}

fn split_trap(text: &str, start: usize, end: usize) -> Diagnostic {
    trap(text, start..end, "the `,` splits this value: inside `{ }` and `[ ]` an unquoted value ends there".to_owned())
}

/// Finds items of a flow list that are pieces of one expression. `None`: nothing is left to read.
pub(in crate::syntax::yaml) fn rejoin_items(
    text: &str,
    items: Vec<Node>,
    flow: bool,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<Node>> {
    if !flow {
        return Some(items);
    }
    let mut kept = Vec::with_capacity(items.len());
    let mut skip_to = 0;
    for item in items {
        if (item.span.start as usize) < skip_to {
            continue;
        }
        let end = match &item.kind {
            Kind::Scalar(scalar) => split_end(text, scalar),
            _ => None,
        };
        if let Some(end) = end {
            diagnostics.push(split_trap(text, item.span.start as usize, end));
            skip_to = end;
            kept.push(Node::broken(item.span));
        } else {
            kept.push(item);
        }
    }
    Some(kept)
}

/// Finds entries of a `{ … }` that are pieces of one expression. `None`: it was never a mapping. Where it holds names, a name
/// alone is one that lacks its value, and no piece.
pub(in crate::syntax::yaml) fn rejoin_entries(
    text: &str,
    span: Span,
    entries: Vec<Entry>,
    braces: bool,
    names: bool,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<Entry>> {
    if !braces {
        return Some(entries);
    }
    let mut kept: Vec<Entry> = Vec::with_capacity(entries.len());
    let mut skip_to = 0;
    for mut entry in entries {
        if (entry.key.span.start as usize) < skip_to {
            continue;
        }
        if is_bare(text, &entry) && !(names && is_name(&entry.key.text)) {
            let start = kept.last().map(|last| last.value.span.start as usize);
            let Some(start) = start else {
                // `{a|b}`: meant as a pattern or an expression from its first character.
                let start = span.start as usize;
                diagnostics.push(indicator_trap(text, start, true));
                return None;
            };
            let end = extent(text, entry.key.span.start as usize, true);
            diagnostics.push(split_trap(text, start, end));
            if let Some(last) = kept.last_mut() {
                last.value = Node::broken(last.value.span);
            }
            skip_to = end;
            continue;
        }
        let end = match &entry.value.kind {
            Kind::Scalar(scalar) => split_end(text, scalar),
            _ => None,
        };
        if let Some(end) = end {
            diagnostics.push(split_trap(text, entry.value.span.start as usize, end));
            entry.value = Node::broken(entry.value.span);
            skip_to = end;
        }
        kept.push(entry);
    }
    Some(kept)
}

/// Whether an entry of `{ … }` is a key alone, without a colon.
fn is_bare(text: &str, entry: &Entry) -> bool {
    let Kind::Scalar(value) = &entry.value.kind else { return false };
    let after = text.get(entry.key.span.end as usize..).unwrap_or_default();
    value.text.is_empty() && value.style == Style::Plain && !after.trim_start().starts_with(':')
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|each| each.is_ascii_alphanumeric() || each == '_')
}
