//! The fields of a mapping while it is read: which are there, which are missing, which were meant.

use std::collections::HashSet;

use super::{Decode, RuleKind, mapping, wrong_type};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, nearest_of_all};
use crate::source::Span;
use crate::syntax::yaml::{Entry, Kind, Mapping, Node};

/// The name of a field as it is written in a contract: without the `r#` of a Rust keyword.
pub(crate) const fn field_name(name: &'static str) -> &'static str {
    match name.as_bytes() {
        [b'r', b'#', rest @ ..] => match std::str::from_utf8(rest) {
            Ok(rest) => rest,
            Err(_) => name,
        },
        _ => name,
    }
}

/// The text of a scalar node.
pub(crate) fn plain_text(node: &Node) -> Option<&str> {
    match &node.kind {
        Kind::Scalar(scalar) => Some(&scalar.text),
        _ => None,
    }
}

/// The fields of a mapping that is being read as a record.
pub(crate) struct Fields<'n> {
    what: &'static str,
    known: &'static [&'static str],
    mapping: &'n Mapping,
    /// Where to point when something is missing: the first key.
    place: Span,
}

impl<'n> Fields<'n> {
    /// Opens a record.
    pub(crate) fn open(
        node: &'n Node,
        what: &'static str,
        known: &'static [&'static str],
        diagnostics: &mut Diagnostics,
    ) -> Option<Self> {
        let mapping = match &node.kind {
            Kind::Scalar(_) | Kind::Sequence { .. } => {
                let found = wrong_type(node, &format!("the fields of {what}"));
                diagnostics.push(found.help(shape(node, what, known)));
                return None;
            }
            _ => mapping(node, &format!("the fields of {what}"), diagnostics)?,
        };
        let place = mapping.entries.first().map_or(node.span, |entry| entry.key.span);
        Some(Self { what, known, mapping, place })
    }

    /// The value of a field.
    pub(crate) fn get(&self, name: &'static str) -> Option<&'n Node> {
        self.mapping.get(field_name(name)).map(|entry| &entry.value)
    }

    /// The name of the first of some fields that is written, and where.
    pub(crate) fn entry(&self, name: &str) -> Option<&'n Entry> {
        self.mapping.get(name)
    }

    /// Where to point when something is missing.
    pub(crate) fn place(&self) -> Span {
        self.place
    }

    /// Reads a field. `None` only if it is required and nothing can stand in for it.
    pub(crate) fn take<T: Decode>(&self, name: &'static str, diagnostics: &mut Diagnostics) -> Option<T> {
        let name = field_name(name);
        let Some(entry) = self.mapping.get(name) else {
            return T::absent().or_else(|| {
                if !self.is_misspelt(name) {
                    let message = format!("{} needs the field `{name}`", self.what);
                    diagnostics.push(Diagnostic::new(Code::MissingField, self.place, message));
                }
                T::recover(self.place)
            });
        };
        T::decode(&entry.value, diagnostics).or_else(|| T::recover(entry.value.span))
    }

    /// Reads a field that a rule of this kind has.
    pub(crate) fn beside<T: Decode>(
        &self,
        kind: &'static str,
        name: &'static str,
        diagnostics: &mut Diagnostics,
    ) -> Option<T> {
        match self.mapping.get(field_name(name)) {
            Some(_) => self.take(name, diagnostics),
            None => T::absent().or_else(|| {
                let span = self.mapping.get(kind).map_or(self.place, |entry| entry.key.span);
                let message = format!("a rule with `{kind}` needs the field `{}`", field_name(name));
                diagnostics.push(Diagnostic::new(Code::MissingField, span, message));
                None
            }),
        }
    }

    /// Reports fields that the record does not have; `more` names further ones that it does.
    pub(crate) fn refuse_unknown(&self, more: &[&str], diagnostics: &mut Diagnostics) {
        for (at, entry) in self.mapping.entries.iter().enumerate() {
            let name = entry.key.text.as_str();
            if !self.known.contains(&name) && !more.contains(&name) {
                diagnostics.push(self.unknown(at, entry, more));
            }
        }
    }

    /// Whether "did you mean" was already said of this missing field.
    fn is_misspelt(&self, name: &str) -> bool {
        let unknown = |entry: &&Entry| !self.known.contains(&entry.key.text.as_str());
        let free = || self.known.iter().copied().filter(|known| self.mapping.get(known).is_none());
        let mut names =
            self.mapping.entries.iter().take(MOST_ADVISED).filter(unknown).map(|entry| entry.key.text.as_str());
        names.any(|written| {
            misplaced(written, self.what).is_none()
                && nearest_of_all(written, free()).is_some_and(|(near, _)| near == name)
        })
    }

    fn unknown(&self, at: usize, entry: &Entry, more: &[&str]) -> Diagnostic {
        let name = entry.key.text.as_str();
        let message = format!("`{}` is no field of {}", super::leaf::shorten(name), self.what);
        let diagnostic = Diagnostic::new(Code::UnknownField, entry.key.span, message);
        if at >= MOST_ADVISED {
            return diagnostic;
        }
        if let Some(home) = misplaced(name, self.what) {
            return diagnostic.help(home);
        }
        let free = self.known.iter().chain(more).copied().filter(|known| self.mapping.get(known).is_none());
        match nearest_of_all(name, free) {
            Some((known, applicability)) => {
                diagnostic.replace(format!("did you mean `{known}`?"), entry.key.span, known, applicability)
            }
            None => {
                let mut seen = HashSet::new();
                let known = self.known.iter().chain(more).filter(|known| seen.insert(**known));
                let known: Vec<_> = known.map(|known| format!("`{known}`")).collect();
                diagnostic.help(format!("{} has the fields {}", self.what, known.join(", ")))
            }
        }
    }

    /// The one kind of a rule, among the fields; reports unknown fields with the kinds in mind.
    pub(crate) fn kind(&self, kinds: &[RuleKind], diagnostics: &mut Diagnostics) -> Option<&'n Entry> {
        let written: Vec<_> =
            self.mapping.entries.iter().filter(|entry| kinds.iter().any(|kind| kind.name == entry.key.text)).collect();
        let more: Vec<_> =
            kinds.iter().flat_map(|kind| std::iter::once(kind.name).chain(kind.beside.iter().copied())).collect();
        let mut misspelt = false;
        for (at, entry) in self.mapping.entries.iter().enumerate() {
            let name = entry.key.text.as_str();
            if self.known.contains(&name) || more.contains(&name) {
                continue;
            }
            let advised = written.is_empty() && !misspelt && at < MOST_ADVISED;
            let meant = advised.then(|| nearest_of_all(name, kinds.iter().map(|kind| kind.name))).flatten();
            diagnostics.push(match meant {
                Some((kind, applicability)) => {
                    misspelt = true;
                    Diagnostic::new(Code::RuleKind, entry.key.span, format!("`{name}` is no kind of rule")).replace(
                        format!("did you mean `{kind}`?"),
                        entry.key.span,
                        kind,
                        applicability,
                    )
                }
                None => self.unknown(at, entry, &more),
            });
        }
        let all = || kinds.iter().map(|kind| format!("`{}`", kind.name)).collect::<Vec<_>>().join(", ");
        let Some((first, others)) = written.split_first() else {
            if !misspelt {
                let message = "the rule says nothing: it has no kind";
                let help = format!("write exactly one of {}", all());
                diagnostics.push(Diagnostic::new(Code::RuleKind, self.place, message).help(help));
            }
            return None;
        };
        for other in others {
            let message =
                format!("a rule has one kind, and this one has `{}` and `{}`", first.key.text, other.key.text);
            diagnostics.push(
                Diagnostic::new(Code::RuleKind, other.key.span, message)
                    .related(first.key.span, "the first kind")
                    .help("make it two rules"),
            );
        }
        if let Some(kind) = kinds.iter().find(|kind| kind.name == first.key.text) {
            self.refuse_foreign(kind, kinds, diagnostics);
        }
        Some(first)
    }

    /// Reports fields that only rules of other kinds have.
    fn refuse_foreign(&self, kind: &RuleKind, kinds: &[RuleKind], diagnostics: &mut Diagnostics) {
        for entry in &self.mapping.entries {
            let name = entry.key.text.as_str();
            let homes: Vec<_> = kinds.iter().filter(|kind| kind.name != name && kind.has(name)).collect();
            if homes.is_empty() || kind.has(name) {
                continue;
            }
            let homes: Vec<_> = homes.iter().map(|kind| format!("`{}`", kind.name)).collect();
            let message = format!("a rule with `{}` has no field `{name}`", kind.name);
            let help = format!("`{name}` is for rules with {}", homes.join(", "));
            diagnostics.push(Diagnostic::new(Code::UnknownField, entry.key.span, message).help(help));
        }
    }
}

/// How to write the fields of a record, where something else stands.
fn shape(node: &Node, what: &str, known: &[&str]) -> String {
    if let Kind::Sequence { items, .. } = &node.kind
        && known.contains(&"steps")
    {
        let steps: Vec<_> = items.iter().filter_map(plain_text).map(super::leaf::shorten).collect();
        let are_few = steps.len() == items.len() && (2..=MOST_SHOWN).contains(&steps.len());
        let steps = if are_few { steps.join(", ") } else { "…".to_owned() };
        return format!("write the list as the field `steps`: `{}: {{ steps: [{steps}] }}`", what.trim_matches('`'));
    }
    let names: Vec<_> = known.iter().take(MOST_SHOWN).map(|name| format!("`{name}`")).collect();
    let more = if known.len() > MOST_SHOWN { ", …" } else { "" };
    format!("write them in `{{ }}`: {}{more}", names.join(", "))
}

/// How many fields are named where there is none.
const MOST_SHOWN: usize = 6;

/// How many fields of one mapping get advice: a hostile file may have a hundred thousand.
const MOST_ADVISED: usize = 64;

/// Where a field belongs that was written in the wrong place of a rule.
fn misplaced(name: &str, what: &str) -> Option<String> {
    let homes = crate::ast::HOMES;
    homes.iter().find(|(home, _)| *home == what)?;
    let found: Vec<_> =
        homes.iter().filter(|(home, fields)| *home != what && fields.contains(&name)).map(|(home, _)| *home).collect();
    let rule = crate::ast::Rule::WHAT;
    match found.as_slice() {
        [] => None,
        // A name that many records have says nothing about where it was meant.
        [_, _, _, _, ..] => None,
        found if found.contains(&rule) => {
            Some(format!("it is a field of the rule: write it beside {what}, not inside"))
        }
        found => Some(format!("it is a field of {}", found.join(" and of "))),
    }
}
