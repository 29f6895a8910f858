//! From the pieces of a text to the tree: blocks, fields and values of any shape.

use super::pieces::Rule;
use super::read::{Fields, Reader};
use super::section::{Adds, Section};
use crate::source::Span;
use crate::syntax::file::{MAX_DEPTH, MAX_NODES, too_deep, too_many};
use crate::syntax::parse::MAX_LENGTH;
use crate::syntax::tree::{Entry, Kind, Node, Scalar, Style};

const PARENTHESES: &str = "put an expression over several lines in parentheses, `( … )`";

impl Reader<'_, '_> {
    /// Reads the block whose `{` is at a place, into fields. Gives where it ends.
    pub(super) fn block(&mut self, brace: usize, fields: &mut Fields) -> usize {
        if !self.enter(brace) {
            return self.pieces.length();
        }
        let mut at = brace.saturating_add(1);
        loop {
            at = self.pieces.separators(at);
            match self.pieces.rest(at).chars().next() {
                _ if self.gave_up => break,
                Some(_) if self.is_outside(at) => {
                    self.report_unclosed(brace, at);
                    break;
                }
                Some('}') => {
                    at = at.saturating_add(1);
                    break;
                }
                None => {
                    self.report_unclosed(brace, at);
                    break;
                }
                Some(_) => at = self.field(at, fields),
            }
        }
        self.depth = self.depth.saturating_sub(1);
        at
    }

    fn enter(&mut self, at: usize) -> bool {
        if self.depth >= MAX_DEPTH {
            self.diagnostics.push(too_deep(Span::new(at, at.saturating_add(1))));
            self.gave_up = true;
            return false;
        }
        self.depth = self.depth.saturating_add(1);
        self.count(Span::new(at, at.saturating_add(1)))
    }

    fn count(&mut self, span: Span) -> bool {
        self.nodes = self.nodes.saturating_add(1);
        if self.nodes > MAX_NODES && !self.gave_up {
            self.diagnostics.push(too_many(span));
            self.gave_up = true;
        }
        !self.gave_up
    }

    /// Whether a place in a block must be outside of it: there the next section begins, or the contract ends, no further
    /// indented than the section of the block.
    fn is_outside(&self, at: usize) -> bool {
        let Some(section) = self.indent else { return false };
        let Some(indent) = self.pieces.indent(at).filter(|indent| *indent <= section) else { return false };
        if self.pieces.starts(at, '}') {
            return indent < section;
        }
        let Some(word) = self.pieces.key(at) else { return false };
        let next = self.pieces.blank(word.end as usize);
        Section::of_word(self.pieces.slice(word)).is_some_and(|section| match section.adds {
            Adds::Item => self.pieces.starts(next, '{'),
            _ => self.pieces.key(next).is_some_and(|name| {
                let at = self.pieces.blank(name.end as usize);
                self.pieces.starts(at, if section.adds == Adds::Definition { '=' } else { '{' })
            }),
        })
    }

    /// Reports a block without an end; those around it end at the same place and say nothing.
    pub(super) fn report_unclosed(&mut self, brace: usize, at: usize) {
        if self.unclosed != Some(at) {
            let help = "write its `}` before what does not belong to it";
            self.push(Span::new(brace, brace.saturating_add(1)), "this `{` is not closed", help);
        }
        self.unclosed = Some(at);
    }

    /// Reads a field: a key and its value. Gives where it ends.
    pub(super) fn field(&mut self, at: usize, fields: &mut Fields) -> usize {
        if let Some(operator) = self.pieces.going_on(at) {
            self.push(operator, "the statement before this ended with its line", PARENTHESES);
            return self.pieces.after_lines(at);
        }
        let Some(span) = self.pieces.key(at) else {
            let end = self.pieces.after_statement(at);
            if !self.is_unfinished(at) {
                let found = self.pieces.slice(self.pieces.token(at)).to_owned();
                let help = "a statement is a name and a value; other keys than names are written in quotes";
                self.push(self.pieces.token(at), format!("expected the name of a field, found `{found}`"), help);
            }
            // At least one character, so that this ends.
            return end.max(at.saturating_add(self.pieces.rest(at).chars().next().map_or(0, char::len_utf8)));
        };
        let key = self.key_scalar(span);
        let mut next = self.pieces.blank(span.end as usize);
        if self.pieces.starts(next, ':') && !self.pieces.rest(next).starts_with("::") {
            next = self.pieces.blank(next.saturating_add(1));
        }
        let (value, mut end) = self.value(next, span, Rule::value);
        let after = self.pieces.blank(end);
        let ends = self.pieces.rest(after).starts_with(['\n', ';', ',', '}']) || after == self.pieces.length();
        if !ends && !self.gave_up && matches!(value.kind, Kind::Sequence { .. }) {
            self.push(self.pieces.token(after), "expected the end of the statement", "write a new line or `;`");
            end = self.pieces.after_statement(after);
        }
        if let Some(key) = key {
            self.count(span);
            fields.add(Entry { key, value }, self.diagnostics);
        }
        end
    }

    /// A key without its quotes.
    pub(super) fn key_scalar(&mut self, span: Span) -> Option<Scalar> {
        match self.pieces.string(span) {
            Some(Ok((text, origin))) => Some(Scalar { origin, ..Scalar::verbatim(text, Style::DoubleQuoted, span) }),
            Some(Err(diagnostic)) => {
                self.diagnostics.push(*diagnostic);
                None
            }
            None => Some(Scalar::verbatim(self.pieces.slice(span), Style::DoubleQuoted, span)),
        }
    }

    /// Reads the value at a place, of the key at another. Gives where it ends. `rule` says how far it goes.
    pub(super) fn value(&mut self, at: usize, key: Span, rule: Rule) -> (Node, usize) {
        if !self.count(key) {
            return (Node::broken(key), self.pieces.length());
        }
        if self.pieces.starts(at, '{') {
            let mut fields = Fields::default();
            let end = self.block(at, &mut fields);
            return (fields.node(at, end, true), end);
        }
        let taken = self.pieces.take(rule, at);
        if self.pieces.starts(at, '[') {
            let list = self.pieces.take(Rule::bracketed, at);
            if taken == list {
                return self.list(at, list);
            }
        }
        self.raw(taken, at, key, rule)
    }

    /// A value that is the text of an expression, or a word, number or string.
    fn raw(&mut self, taken: Option<Span>, at: usize, key: Span, rule: Rule) -> (Node, usize) {
        let end = taken.map_or(at, |taken| taken.end as usize);
        let span = taken.unwrap_or(key);
        let next = self.pieces.blank(end);
        if let Some(bad) = self.pieces.rest(next).chars().next().and_then(|next| unexpected(next, rule)) {
            let place = Span::new(next, next.saturating_add(1));
            self.push(place, bad.0, bad.1);
            let end = if rule == Rule::item { self.pieces.after_item(next) } else { self.pieces.after_statement(next) };
            return (Node::broken(span), end);
        }
        if self.is_unfinished(end) {
            return (Node::broken(span), end);
        }
        if let Some(operator) = taken.and_then(|taken| self.pieces.unfinished(taken)).filter(|_| rule == Rule::value) {
            self.push(operator, "the statement ends with its line, and not with an operator", PARENTHESES);
            return (Node::broken(span), self.pieces.after_operand(end));
        }
        let kind = match taken.and_then(|taken| self.pieces.string(taken)) {
            Some(Ok((content, origin))) => {
                let expression = Some(self.pieces.slice(span).to_owned());
                Kind::Scalar(Scalar { origin, expression, ..Scalar::verbatim(content, Style::DoubleQuoted, span) })
            }
            Some(Err(diagnostic)) => {
                self.diagnostics.push(*diagnostic);
                Kind::Broken
            }
            None => {
                let text = taken.map_or("", |taken| self.pieces.slice(taken));
                if text.ends_with(':') {
                    self.push(span, "the value ends with `:`", "write a text in quotes: `//` begins a comment");
                    return (Node::broken(span), end);
                }
                Kind::Scalar(Scalar::verbatim(text, Style::Plain, span))
            }
        };
        (Node { span, kind }, end)
    }

    /// Reads the list whose `[` is at a place.
    fn list(&mut self, bracket: usize, whole: Option<Span>) -> (Node, usize) {
        let mut items = Vec::new();
        let mut at = bracket.saturating_add(1);
        if !self.enter(bracket) {
            return (Node::broken(Span::new(bracket, at)), self.pieces.length());
        }
        let mut separated = true;
        let end = loop {
            at = self.pieces.space(at);
            let here = self.pieces.token(at);
            match self.pieces.rest(at).chars().next() {
                _ if self.gave_up => break None,
                Some(']') => break Some(at.saturating_add(1)),
                Some(',') if !separated => {
                    separated = true;
                    at = at.saturating_add(1);
                }
                Some(',') => {
                    self.push(here, "there is no item before this `,`", "remove the `,`");
                    at = at.saturating_add(1);
                }
                None | Some('}' | ';') => break None,
                Some(_) if !separated => break None,
                Some(_) => {
                    let (item, end) = self.value(at, here, Rule::item);
                    items.push(item);
                    at = end.max(at);
                    separated = false;
                }
            }
        };
        self.depth = self.depth.saturating_sub(1);
        let Some(end) = end else {
            let span = Span::new(bracket, bracket.saturating_add(1));
            if !self.gave_up {
                self.push(span, "this `[` is not closed", "write its `]`; items are separated by `,`");
            }
            return (Node::broken(span), self.pieces.after_statement(at));
        };
        let expression = whole.map(|whole| self.pieces.slice(whole)).filter(|text| text.len() <= MAX_LENGTH);
        let kind = Kind::Sequence { items, flow: true, expression: expression.map(str::to_owned) };
        (Node { span: Span::new(bracket, end), kind }, end)
    }

    /// Whether a string on the line of a place has no end, which was reported.
    pub(super) fn is_unfinished(&self, at: usize) -> bool {
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        let after = self.unfinished.partition_point(|line| line.end < at);
        self.unfinished.get(after).is_some_and(|line| line.start <= at)
    }
}

/// What is wrong with a character after a value, and what to do.
fn unexpected(next: char, rule: Rule) -> Option<(String, &'static str)> {
    match next {
        '(' | '[' => Some((format!("this `{next}` is not closed"), "write its closing bracket")),
        '{' => Some((
            format!("unexpected `{next}`"),
            "a block follows the name of its field at once, and expressions have no braces",
        )),
        ']' if rule == Rule::item => None,
        ')' | ']' => Some((format!("this `{next}` closes nothing"), "remove it, or write the opening bracket")),
        _ => None,
    }
}
