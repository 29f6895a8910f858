//! One change of the tree of a contract.

use crate::source::Span;
use crate::syntax::tree::{Entry, Kind, Mapping, Node, Scalar, Style};

/// What is done to a node.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Change {
    /// It is taken out of its list or mapping.
    Remove,
    /// It says something else: a scalar without quotes.
    Say(String),
    /// Its entry has another key.
    Rename(String),
    /// These entries are taken out of it.
    Without(&'static [&'static str]),
    /// It gets an entry.
    With(&'static str, &'static str),
    /// The values of two entries change places.
    Swap(&'static str, &'static str),
    /// An item of it changes its place with the next one.
    SwapItems(usize),
}

/// A change of a node, which is found by the positions of its ancestors and its own, from the root.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Edit {
    pub(super) path: Vec<usize>,
    pub(super) change: Change,
}

impl Edit {
    /// The tree with the change; `None` if the change has no place in it.
    pub(super) fn apply(&self, root: &Node) -> Option<Node> {
        let mut root = root.clone();
        let (last, above) = match self.path.split_last() {
            Some((last, above)) => (Some(*last), above),
            None => (None, &[][..]),
        };
        let mut parent = &mut root;
        for index in above {
            parent = child(parent, *index)?;
        }
        match (&self.change, last, &mut parent.kind) {
            (Change::Remove, Some(index), Kind::Sequence { items, .. }) if index < items.len() => {
                items.remove(index);
            }
            (Change::Remove, Some(index), Kind::Mapping(Mapping { entries, .. })) if index < entries.len() => {
                entries.remove(index);
            }
            (Change::Rename(key), Some(index), Kind::Mapping(Mapping { entries, .. })) => {
                let old = &mut entries.get_mut(index)?.key;
                *old = Scalar::verbatim(key.as_str(), old.style, old.span);
            }
            (change, Some(index), _) => within(child(parent, index)?, change)?,
            (change, None, _) => within(parent, change)?,
        }
        Some(root)
    }
}

/// A child by position.
fn child(node: &mut Node, index: usize) -> Option<&mut Node> {
    match &mut node.kind {
        Kind::Sequence { items, .. } => items.get_mut(index),
        Kind::Mapping(mapping) => mapping.entries.get_mut(index).map(|entry| &mut entry.value),
        Kind::Scalar(_) | Kind::Broken => None,
    }
}

fn within(node: &mut Node, change: &Change) -> Option<()> {
    let span = node.span;
    match (change, &mut node.kind) {
        (Change::Say(text), kind) => *kind = Kind::Scalar(Scalar::verbatim(text.as_str(), Style::Plain, span)),
        (Change::Without(keys), Kind::Mapping(mapping)) => {
            mapping.entries.retain(|entry| !keys.contains(&entry.key.text.as_str()));
        }
        (Change::With(key, word), Kind::Mapping(mapping)) => {
            let end = Span { start: span.end, end: span.end };
            let value = Node { span: end, kind: Kind::Scalar(Scalar::verbatim(*word, Style::Plain, end)) };
            mapping.entries.push(Entry { key: Scalar::verbatim(*key, Style::Plain, end), value });
        }
        (Change::Swap(one, other), Kind::Mapping(mapping)) => {
            let at = |key: &str| mapping.entries.iter().position(|entry| entry.key.text == key);
            let (one, other) = (at(one)?, at(other)?);
            let first = mapping.entries.get(one)?.value.clone();
            let second = mapping.entries.get(other)?.value.clone();
            mapping.entries.get_mut(one)?.value = second;
            mapping.entries.get_mut(other)?.value = first;
        }
        (Change::SwapItems(index), Kind::Sequence { items, .. }) => {
            let next = index.checked_add(1).filter(|next| *next < items.len())?;
            items.swap(*index, next);
        }
        _ => return None,
    }
    Some(())
}
