//! From the pieces of a text to the tree: the contract and its sections.
//!
//! INVARIANT: a mistake ends with its statement, or with the block that has no end; what follows is read. Recursion is
//! bounded by the depth that is allowed, and the work is linear in the file for each level.

use std::collections::HashMap;

use super::mask::Mask;
use super::pieces::{Pieces, Rule};
use super::section::{Adds, Section};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::{SourceFile, Span};
use crate::syntax::file::duplicate;
use crate::syntax::tree::{Entry, Kind, Mapping, Node, Scalar, Style};

/// Reads a file.
pub(super) fn read(file: &SourceFile, diagnostics: &mut Diagnostics) -> Option<Node> {
    let mut mask = Mask::new(file.text());
    for flaw in std::mem::take(&mut mask.flaws) {
        diagnostics.push(flaw);
    }
    if mask.too_deep {
        return None;
    }
    let mut reader = Reader {
        pieces: Pieces::new(&mask.text),
        unfinished: &mask.unfinished,
        diagnostics,
        nodes: 0,
        depth: 0,
        gave_up: false,
        indent: None,
        unclosed: None,
    };
    let node = reader.contract();
    node.filter(|_| !reader.gave_up)
}

/// What reads.
pub(super) struct Reader<'a, 'd> {
    pub(super) pieces: Pieces<'a>,
    /// Strings without an end, which were reported.
    pub(super) unfinished: &'a [Span],
    pub(super) diagnostics: &'d mut Diagnostics,
    pub(super) nodes: usize,
    pub(super) depth: usize,
    /// Whether a limit was passed: nothing more is read.
    pub(super) gave_up: bool,
    /// How far the section that is being read is indented, if its word is the first of a line.
    pub(super) indent: Option<usize>,
    /// Where a block was found to have no end, so that those around it do not say it again.
    pub(super) unclosed: Option<usize>,
}

/// The entries of a mapping while they are read.
#[derive(Default)]
pub(super) struct Fields {
    pub(super) entries: Vec<Entry>,
    seen: HashMap<String, Span>,
}

impl Fields {
    /// Adds an entry; one whose key is there already is reported and dropped.
    pub(super) fn add(&mut self, entry: Entry, diagnostics: &mut Diagnostics) {
        if let Some(first) = self.seen.get(&entry.key.text) {
            diagnostics.push(duplicate(&entry.key.text, *first, entry.key.span));
            return;
        }
        self.seen.insert(entry.key.text.clone(), entry.key.span);
        self.entries.push(entry);
    }

    /// The mapping.
    pub(super) fn node(self, start: usize, end: usize, flow: bool) -> Node {
        let kind = Kind::Mapping(Mapping { entries: self.entries, flow });
        Node { span: Span::new(start, end), kind }
    }
}

/// The contract while it is read.
struct Contract {
    /// Where its `{` is.
    brace: usize,
    fields: Fields,
    added: Vec<Added>,
}

/// What the sections of one word have added so far.
struct Added {
    section: &'static Section,
    span: Span,
    items: Vec<Node>,
    entries: Fields,
}

impl Added {
    fn entry(self) -> Entry {
        let key = Scalar::verbatim(self.section.field, Style::DoubleQuoted, self.span);
        let value = match self.section.adds {
            Adds::Named(_) | Adds::Item => {
                let kind = Kind::Sequence { items: self.items, flow: false, expression: None };
                Node { span: self.span, kind }
            }
            Adds::Entry | Adds::Definition => {
                self.entries.node(self.span.start as usize, self.span.end as usize, false)
            }
        };
        Entry { key, value }
    }
}

/// A field whose value is the name of a section.
fn name_field(field: &str, word: Span, name: &Scalar) -> Entry {
    let value = Node { span: name.span, kind: Kind::Scalar(name.clone()) };
    Entry { key: Scalar::verbatim(field, Style::DoubleQuoted, word), value }
}

impl Reader<'_, '_> {
    pub(super) fn push(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.diagnostics.push(Diagnostic::new(Code::TextSyntax, span, message).help(help));
    }

    fn contract(&mut self) -> Option<Node> {
        let start = self.pieces.space(0);
        let word = self.pieces.key(start).filter(|word| self.pieces.slice(*word) == "contract");
        let Some(word) = word else {
            self.no_contract(start);
            return None;
        };
        let (name, brace) = self.header(word, "contract")?;
        let mut contract = Contract { brace, fields: Fields::default(), added: Vec::new() };
        contract.fields.add(name_field("name", word, &name), self.diagnostics);
        let mut at = brace.saturating_add(1);
        let mut end;
        loop {
            end = self.sections(at, &mut contract);
            at = self.pieces.space(end);
            if self.pieces.rest(at).is_empty() || self.gave_up {
                break;
            }
            // What follows is probably more of the contract.
            let help = "remove this `}`, or what follows it; a file holds one contract";
            self.push(Span::new(end.saturating_sub(1), end), "the contract ends here, and more follows", help);
        }
        let Contract { mut fields, added, .. } = contract;
        for added in added {
            fields.add(added.entry(), self.diagnostics);
        }
        Some(fields.node(start, end, false))
    }

    fn no_contract(&mut self, start: usize) {
        let span = self.pieces.token(start);
        let first = self.pieces.rest(start).lines().next().unwrap_or_default();
        match first {
            "" => self.push(span, "the file is empty: it holds no contract", "write `contract NAME { version 1 … }`"),
            yaml if yaml.contains(": ") && !yaml.contains('{') => {
                self.push(span, "expected `contract NAME {`", "a contract in YAML is in a file `*.yaml`");
            }
            _ => self.push(span, "expected `contract NAME {`", "write the contract as `contract NAME { version 1 … }`"),
        }
    }

    /// Reads fields and sections of the contract up to its end. Gives where that is.
    fn sections(&mut self, from: usize, contract: &mut Contract) -> usize {
        let mut at = from;
        loop {
            at = self.pieces.separators(at);
            if self.gave_up {
                return at;
            }
            match self.pieces.rest(at).chars().next() {
                Some('}') => return at.saturating_add(1),
                None => {
                    self.report_unclosed(contract.brace, at);
                    return at;
                }
                Some(_) => {}
            }
            let word = self.pieces.key(at);
            match word.and_then(|word| Some((word, Section::of_word(self.pieces.slice(word))?))) {
                Some((word, section)) => {
                    self.indent = self.pieces.indent(at);
                    at = self.section(word, section, contract);
                    self.indent = None;
                }
                None => at = self.contract_field(at, word, contract),
            }
        }
    }

    /// A field of the contract that is no section.
    fn contract_field(&mut self, at: usize, word: Option<Span>, contract: &mut Contract) -> usize {
        let Some(word) = word else { return self.field(at, &mut contract.fields) };
        let Some(section) = Section::of_field(self.pieces.slice(word)) else {
            return self.field(at, &mut contract.fields);
        };
        let message = format!("`{}` is not written as a list", section.field);
        self.push(word, message, format!("write `{}`, one for each", section.shape()));
        // What it holds is read for its own mistakes.
        self.field(at, &mut Fields::default())
    }

    /// Reads one section. Gives where it ends.
    fn section(&mut self, word: Span, section: &'static Section, contract: &mut Contract) -> usize {
        let (start, mut fields) = (word.start as usize, Fields::default());
        let (name, brace) = match section.adds {
            Adds::Item => (None, self.pieces.blank(word.end as usize)),
            Adds::Named(_) | Adds::Entry | Adds::Definition => {
                let Some((name, at)) = self.name(word, section.word) else {
                    return self.pieces.after_statement(word.end as usize);
                };
                (Some(name), at)
            }
        };
        let opens = if section.adds == Adds::Definition { '=' } else { '{' };
        if !self.pieces.starts(brace, opens) {
            let help = format!("write `{}`", section.shape());
            self.push(self.pieces.token(brace), format!("expected `{opens}`"), help);
            return self.pieces.after_statement(brace);
        }
        let (node, end) = if section.adds == Adds::Definition {
            let key = name.as_ref().map_or(word, |name| name.span);
            self.value(self.pieces.blank(brace.saturating_add(1)), key, Rule::value)
        } else {
            if let (Adds::Named(field), Some(name)) = (section.adds, &name) {
                fields.add(name_field(field, word, name), self.diagnostics);
            }
            let end = self.block(brace, &mut fields);
            (fields.node(start, end, false), end)
        };
        let index = contract.added.iter().position(|known| known.section.word == section.word);
        let index = index.unwrap_or_else(|| {
            contract.added.push(Added { section, span: word, items: Vec::new(), entries: Fields::default() });
            contract.added.len().saturating_sub(1)
        });
        if let Some(known) = contract.added.get_mut(index) {
            known.span = known.span.to(node.span);
            match (section.adds, name) {
                (Adds::Entry | Adds::Definition, Some(key)) => {
                    known.entries.add(Entry { key, value: node }, self.diagnostics);
                }
                _ => known.items.push(node),
            }
        }
        end
    }

    /// The name after a word, and where the `{` after it is.
    fn header(&mut self, word: Span, what: &str) -> Option<(Scalar, usize)> {
        let (name, at) = self.name(word, what)?;
        if !self.pieces.starts(at, '{') {
            let help = format!("write `{what} {} {{ … }}`", self.pieces.slice(name.span));
            self.push(self.pieces.token(at), "expected `{`", help);
            return None;
        }
        Some((name, at))
    }

    /// The name after a word, and where what follows it is.
    fn name(&mut self, word: Span, what: &str) -> Option<(Scalar, usize)> {
        let at = self.pieces.blank(word.end as usize);
        let Some(span) = self.pieces.key(at) else {
            if !self.is_unfinished(at) {
                let help = "write letters, digits, `_`, `.` and `-`, or a string in quotes";
                self.push(self.pieces.token(at), format!("expected a name after `{what}`"), help);
            }
            return None;
        };
        let name = self.key_scalar(span)?;
        Some((name, self.pieces.blank(span.end as usize)))
    }
}
