//! From the events of the YAML parser to the tree.
//!
//! INVARIANT: no recursion, and work linear in the file, so that hostile input is refused quickly.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError};

use super::{place, traps};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::{SourceFile, Span};
use crate::syntax::file::{MAX_DEPTH, MAX_NODES, duplicate, too_deep, too_many};
use crate::syntax::tree::{Entry, Kind, Mapping, Node, Resolved, Scalar, Style};

/// Parses and builds the tree.
pub(super) fn load(file: &SourceFile, diagnostics: &mut Diagnostics) -> Option<Node> {
    let text = file.text();
    refuse_directive(text, diagnostics)?;
    let mut loader = Loader {
        text,
        offsets: Offsets::new(text),
        stack: Vec::new(),
        root: None,
        documents: 0,
        nodes: 0,
        diagnostics,
    };
    let mut parser = Parser::new_from_str(text);
    loop {
        match parser.next_event() {
            Some(Ok((event, span))) => {
                let span = loader.offsets.span(span);
                loader.event(event, span)?;
            }
            Some(Err(error)) => {
                loader.syntax_error(&error);
                return None;
            }
            None => break,
        }
    }
    if loader.root.is_none() {
        let message = "the file is empty: it holds no contract";
        let help = "write at least `version: 1` and `name: …`";
        loader.diagnostics.push(Diagnostic::new(Code::YamlSyntax, Span::default(), message).help(help));
    }
    loader.root
}

/// `%YAML` and `%TAG` change how the rest is read.
fn refuse_directive(text: &str, diagnostics: &mut Diagnostics) -> Option<()> {
    let mut at = 0_usize;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end();
        match content.trim_start_matches('\u{feff}').chars().next() {
            Some('%') => {
                let span = Span::new(at, at.saturating_add(content.len()));
                let help = "remove the line; contracts are YAML 1.2";
                diagnostics
                    .push(Diagnostic::new(Code::YamlFeature, span, "YAML directives are not accepted").help(help));
                return None;
            }
            None | Some('#') => at = at.saturating_add(line.len()),
            Some(_) => break,
        }
    }
    Some(())
}

/// Character indexes to byte offsets: the YAML parser counts characters.
struct Offsets(Option<Vec<u32>>);

impl Offsets {
    fn new(text: &str) -> Self {
        let end = std::iter::once(text.len());
        Self((!text.is_ascii()).then(|| {
            text.char_indices().map(|(at, _)| at).chain(end).map(|at| u32::try_from(at).unwrap_or(u32::MAX)).collect()
        }))
    }

    fn byte(&self, index: usize) -> u32 {
        match &self.0 {
            None => u32::try_from(index).unwrap_or(u32::MAX),
            Some(table) => table.get(index).or(table.last()).copied().unwrap_or(0),
        }
    }

    fn span(&self, span: saphyr_parser::Span) -> Span {
        let start = self.byte(span.start.index());
        Span { start, end: self.byte(span.end.index()).max(start) }
    }
}

/// A list or mapping whose end was not seen yet.
struct Open {
    start: u32,
    flow: bool,
    /// Whether it must not be there, which was reported.
    broken: bool,
    kind: OpenKind,
}

enum OpenKind {
    Sequence(Vec<Node>),
    Mapping {
        entries: Vec<Entry>,
        /// Where each key was first seen.
        seen: HashMap<String, Span>,
        key: Option<PendingKey>,
    },
}

/// A key whose value was not seen yet.
enum PendingKey {
    Good(Scalar),
    /// Reported; the value is dropped.
    Bad,
}

struct Loader<'a, 'd> {
    text: &'a str,
    offsets: Offsets,
    stack: Vec<Open>,
    root: Option<Node>,
    documents: usize,
    nodes: usize,
    diagnostics: &'d mut Diagnostics,
}

impl Loader<'_, '_> {
    fn push(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Takes one event; `None` ends the parse.
    fn event(&mut self, event: Event<'_>, span: Span) -> Option<()> {
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
            Event::DocumentStart(_) => {
                self.documents = self.documents.saturating_add(1);
                if self.documents > 1 {
                    let message = "the file holds more than one YAML document";
                    let help = "remove the `---`, or put the second contract into a file of its own";
                    self.push(Diagnostic::new(Code::YamlFeature, span, message).help(help));
                    return None;
                }
            }
            Event::Alias(_) => {
                self.count(span)?;
                let diagnostic = traps::alias(self.text, span, self.in_flow());
                self.push(diagnostic);
                self.complete(Node::broken(span));
            }
            Event::Scalar(value, style, anchor, tag) => {
                self.count(span)?;
                let style = match style {
                    ScalarStyle::Plain => Style::Plain,
                    ScalarStyle::SingleQuoted => Style::SingleQuoted,
                    ScalarStyle::DoubleQuoted => Style::DoubleQuoted,
                    ScalarStyle::Literal => Style::Literal,
                    ScalarStyle::Folded => Style::Folded,
                };
                let has_property = anchor != 0 || tag.is_some();
                self.scalar(value.into_owned(), style, span, has_property);
            }
            Event::SequenceStart(anchor, tag) => {
                let broken = self.property(span, anchor != 0 || tag.is_some());
                self.open(span, broken, OpenKind::Sequence(Vec::new()))?;
            }
            Event::MappingStart(anchor, tag) => {
                let broken = self.property(span, anchor != 0 || tag.is_some());
                let kind = OpenKind::Mapping { entries: Vec::new(), seen: HashMap::new(), key: None };
                self.open(span, broken, kind)?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(span),
        }
        Some(())
    }

    fn in_flow(&self) -> bool {
        self.stack.last().is_some_and(|open| open.flow)
    }

    fn count(&mut self, span: Span) -> Option<()> {
        self.nodes = self.nodes.saturating_add(1);
        if self.nodes > MAX_NODES {
            self.push(too_many(span));
            return None;
        }
        Some(())
    }

    /// Reports a tag or an anchor on a list or mapping.
    fn property(&mut self, span: Span, present: bool) -> bool {
        if present {
            let place = Span { start: span.start, end: span.start.saturating_add(1) };
            self.push(traps::feature(place, "tags and anchors are not accepted", "write the value without"));
        }
        present
    }

    fn open(&mut self, span: Span, broken: bool, kind: OpenKind) -> Option<()> {
        self.count(span)?;
        if self.stack.len() >= MAX_DEPTH {
            self.push(too_deep(span));
            return None;
        }
        let bracket = self.text.get(span.range()).is_some_and(|text| text.starts_with(['[', '{']));
        let flow = bracket || self.in_flow();
        self.stack.push(Open { start: span.start, flow, broken, kind });
        Some(())
    }

    fn close(&mut self, end: Span) {
        let Some(open) = self.stack.pop() else { return };
        let bracket = open.flow && self.text.get(end.range()).is_some_and(|text| text.starts_with([']', '}']));
        let stop = if bracket { end.start.saturating_add(1) } else { end.start };
        let range = open.start as usize..stop as usize;
        let length = self.text.get(range.clone()).map_or(0, |text| text.trim_end().len());
        // A block list or mapping ends where its last child ends; comments after it are not part of it.
        let last = match &open.kind {
            OpenKind::Sequence(items) => items.last().map(|item| item.span.end),
            OpenKind::Mapping { entries, .. } => entries.last().map(|entry| entry.value.span.end),
        };
        let end = Span::new(range.start, range.start.saturating_add(length)).end;
        let span = Span { start: open.start, end: if bracket { end } else { last.unwrap_or(end) } };
        let kind = match open.kind {
            _ if open.broken => Kind::Broken,
            OpenKind::Sequence(items) => match traps::rejoin_items(self.text, items, open.flow, self.diagnostics) {
                Some(items) => Kind::Sequence { items, flow: open.flow, expression: None },
                None => Kind::Broken,
            },
            OpenKind::Mapping { entries, .. } => {
                let names = self.is_value_of("let");
                match traps::rejoin_entries(self.text, span, entries, bracket, names, self.diagnostics) {
                    Some(entries) => Kind::Mapping(Mapping { entries, flow: open.flow }),
                    None => Kind::Broken,
                }
            }
        };
        self.complete(Node { span, kind });
    }

    /// Whether what comes next is the value of a key.
    fn is_value_of(&self, name: &str) -> bool {
        let Some(Open { kind: OpenKind::Mapping { key: Some(PendingKey::Good(key)), .. }, .. }) = self.stack.last()
        else {
            return false;
        };
        key.text == name
    }

    fn scalar(&mut self, value: String, style: Style, span: Span, has_property: bool) {
        if has_property {
            let diagnostic = traps::property(self.text, span, self.in_flow());
            self.push(diagnostic);
            return self.complete(Node::broken(span));
        }
        let span = match style {
            // The parser gives a missing value the span of whatever comes next.
            Style::Plain if value.is_empty() => Span { start: span.start, end: span.start },
            Style::Literal | Style::Folded => {
                let length = self.text.get(span.range()).map_or(0, |text| text.trim_end().len());
                Span::new(span.start as usize, (span.start as usize).saturating_add(length))
            }
            // The parser may count a comment after a quoted scalar as a part of it.
            Style::SingleQuoted | Style::DoubleQuoted => place::quoted_span(self.text, span, style),
            Style::Plain => span,
        };
        let scalar = place::scalar(self.text, value, style, span);
        self.complete(Node { span, kind: Kind::Scalar(scalar) });
    }

    /// Puts a finished node where it belongs.
    fn complete(&mut self, node: Node) {
        let text = self.text;
        match self.stack.last_mut().map(|open| (&mut open.kind, open.flow)) {
            None => self.root = Some(node),
            Some((OpenKind::Sequence(items), flow)) => {
                items.push(traps::check_cut(text, node, flow, self.diagnostics));
            }
            Some((OpenKind::Mapping { entries, seen, key }, flow)) => match key.take() {
                None => *key = Some(read_key(node, seen, self.diagnostics)),
                Some(PendingKey::Bad) => {}
                Some(PendingKey::Good(key)) => {
                    let mut value = traps::check_cut(text, node, flow, self.diagnostics);
                    if value.span.start == value.span.end && matches!(value.kind, Kind::Scalar(_)) {
                        value.span = key.span;
                    }
                    entries.push(Entry { key, value });
                }
            },
        }
    }

    fn syntax_error(&mut self, error: &ScanError) {
        let at = self.offsets.byte(error.marker().index());
        let end = self.text.get(at as usize..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        let span = Span::new(at as usize, (at as usize).saturating_add(end));
        if error.info().contains("recursion limit") {
            return self.push(too_deep(span));
        }
        let flow_start = self.stack.iter().find(|open| open.flow).map(|open| open.start as usize);
        let diagnostic = traps::behind_syntax_error(self.text, at as usize, flow_start)
            .unwrap_or_else(|| Diagnostic::new(Code::YamlSyntax, span, format!("this is not YAML: {}", error.info())));
        // A trap may have been seen before the parser gave up over it.
        if !self.diagnostics.iter().any(|known| known.code == diagnostic.code && known.primary == diagnostic.primary) {
            self.push(diagnostic);
        }
    }
}

/// Keys are strings, and each stands once.
fn read_key(node: Node, seen: &mut HashMap<String, Span>, diagnostics: &mut Diagnostics) -> PendingKey {
    let scalar = match node.kind {
        Kind::Broken => return PendingKey::Bad,
        Kind::Scalar(scalar) => scalar,
        Kind::Sequence { .. } | Kind::Mapping(_) => {
            let message = format!("{} is no key", node.what());
            diagnostics.push(Diagnostic::new(Code::YamlFeature, node.span, message).help("keys are strings"));
            return PendingKey::Bad;
        }
    };
    if scalar.style == Style::Plain && scalar.text == "<<" {
        let help = "write the fields out where they are needed";
        diagnostics.push(traps::feature(scalar.span, "merge keys are not accepted", help));
        return PendingKey::Bad;
    }
    if scalar.resolve() != Resolved::Text {
        let message = format!("keys are strings, and `{}` is {}", scalar.text, scalar.what());
        let quoted = traps::quote(&scalar.text);
        diagnostics.push(Diagnostic::new(Code::YamlFeature, scalar.span, message).correct(
            "put it in quotes",
            scalar.span,
            quoted,
        ));
        return PendingKey::Bad;
    }
    if let Some(first) = seen.get(&scalar.text) {
        diagnostics.push(duplicate(&scalar.text, *first, scalar.span));
        return PendingKey::Bad;
    }
    seen.insert(scalar.text.clone(), scalar.span);
    PendingKey::Good(scalar)
}
