//! The pieces of a text at a place: keys, strings, values, and what stands between them.

use pest::Parser as _;

use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::escape;
use crate::syntax::origin::Origin;
use crate::syntax::written::Written;

/// The parser that is generated from the grammar.
mod generated {
    #[derive(pest_derive::Parser)]
    #[grammar = "syntax/text/grammar.pest"]
    pub(super) struct Grammar;
}

pub(super) use generated::Rule;

/// A text without comments, which is read at places.
#[derive(Clone, Copy)]
pub(super) struct Pieces<'a> {
    text: &'a str,
}

impl<'a> Pieces<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text }
    }

    pub(super) fn length(self) -> usize {
        self.text.len()
    }

    pub(super) fn slice(self, span: Span) -> &'a str {
        self.text.get(span.range()).unwrap_or_default()
    }

    pub(super) fn rest(self, at: usize) -> &'a str {
        self.text.get(at..).unwrap_or_default()
    }

    pub(super) fn starts(self, at: usize, with: char) -> bool {
        self.rest(at).starts_with(with)
    }

    /// The next place that is none of these characters.
    fn after(self, at: usize, skipped: &[char]) -> usize {
        self.text.len().saturating_sub(self.rest(at).trim_start_matches(skipped).len())
    }

    /// After blanks.
    pub(super) fn blank(self, at: usize) -> usize {
        self.after(at, &[' ', '\t', '\r'])
    }

    /// After blanks and line breaks.
    pub(super) fn space(self, at: usize) -> usize {
        self.after(at, &[' ', '\t', '\r', '\n'])
    }

    /// After blanks and what stands between statements.
    pub(super) fn separators(self, at: usize) -> usize {
        self.after(at, &[' ', '\t', '\r', '\n', ';', ','])
    }

    /// What a rule of the grammar takes here, without white space at its end; `None` if that is nothing.
    pub(super) fn take(self, rule: Rule, at: usize) -> Option<Span> {
        let pair = generated::Grammar::parse(rule, self.rest(at)).ok()?.next()?;
        let length = pair.as_str().trim_end().len();
        (length > 0).then(|| Span::new(at, at.saturating_add(length)))
    }

    /// The key that begins here.
    pub(super) fn key(self, at: usize) -> Option<Span> {
        self.take(Rule::key, at)
    }

    /// What to point at where something else was expected: the word or character here.
    pub(super) fn token(self, at: usize) -> Span {
        let first = self.rest(at).chars().next().map_or(0, char::len_utf8);
        self.key(at).unwrap_or_else(|| Span::new(at, at.saturating_add(first)))
    }

    /// The content of a span that is one string, and where its parts stand; `None` if it is something else.
    pub(super) fn string(self, span: Span) -> Option<Result<(String, Origin), Box<Diagnostic>>> {
        let written = self.slice(span);
        let start = span.start as usize;
        if !written.ends_with('"') || written.len() < 2 || self.take(Rule::quoted, start) != Some(span) {
            return None;
        }
        if let Some(raw) = written.strip_prefix("r\"") {
            let content = Span::new(start.saturating_add(2), (span.end as usize).saturating_sub(1));
            return Some(Ok((raw.trim_end_matches('"').to_owned(), Origin::verbatim(content))));
        }
        let content = Span::new(start.saturating_add(1), (span.end as usize).saturating_sub(1));
        // Behind an escape columns are those of the whole.
        let origin = if written.contains('\\') { Origin::default() } else { Origin::verbatim(content) };
        let place = |range: std::ops::Range<usize>| {
            Span::new(start.saturating_add(range.start), start.saturating_add(range.end))
        };
        let decoded = escape::decode(written, 0).map(|text| (text, origin));
        Some(decoded.map_err(|flaw| Box::new(flaw.at(Written::new(written, &place)))))
    }

    /// How far a line is indented, if this is the first of it that can be seen.
    pub(super) fn indent(self, at: usize) -> Option<usize> {
        let before = self.text.get(..at)?;
        let line = before.trim_end_matches([' ', '\t']);
        (line.is_empty() || line.ends_with('\n')).then(|| before.len().saturating_sub(line.len()))
    }

    /// The end of a statement that cannot be read: of its line, or before the `;`, or the bracket of the block around it.
    /// Blocks in it are passed over.
    pub(super) fn after_statement(self, at: usize) -> usize {
        let mut depth = 0_usize;
        let mut at = at;
        while let Some(next) = self.rest(at).chars().next() {
            if let Some(string) = matches!(next, '"' | 'r').then(|| self.take(Rule::quoted, at)).flatten() {
                at = string.end as usize;
                continue;
            }
            match next {
                '{' => depth = depth.saturating_add(1),
                '}' if depth == 0 => return at,
                '}' => depth = depth.saturating_sub(1),
                '\n' | ';' if depth == 0 => return at,
                _ => {}
            }
            at = at.saturating_add(next.len_utf8());
        }
        at
    }

    /// The operator here, if a statement before it ended with its line.
    pub(super) fn going_on(self, at: usize) -> Option<Span> {
        let operator = self.take(Rule::begins, at)?;
        let before = self.text.get(..at)?.trim_end_matches([' ', '\t', '\r']);
        (before.ends_with('\n') && !before.trim_end().ends_with(['{', '}', ';', ','])).then_some(operator)
    }

    /// The operator at the end of a value that ends with its line.
    pub(super) fn unfinished(self, value: Span) -> Option<Span> {
        let (_, last) = self.slice(value).rsplit_once([' ', '\t'])?;
        let start = (value.end as usize).saturating_sub(last.len());
        let line = self.rest(self.blank(value.end as usize)).starts_with('\n');
        (line && generated::Grammar::parse(Rule::ends, last).is_ok()).then(|| Span::new(start, value.end as usize))
    }

    /// The end of the lines that go on with a statement: those that begin with an operator.
    pub(super) fn after_lines(self, at: usize) -> usize {
        let mut end = at;
        loop {
            end = self.after_statement(end);
            let next = self.space(end);
            if self.take(Rule::begins, next).is_none() {
                return end;
            }
            end = next;
        }
    }

    /// The end of the line after this one, if it can only be the operand of an operator: what is a key and a value is none.
    pub(super) fn after_operand(self, at: usize) -> usize {
        let next = self.space(at);
        let Some(key) = self.key(next) else { return self.after_lines(at.max(next)) };
        let value = self.blank(key.end as usize);
        let ends = self.rest(value).starts_with(['\n', ';', '}']) || self.take(Rule::begins, value).is_some();
        if ends { self.after_lines(next) } else { at }
    }

    /// The end of an item of a list that cannot be read.
    pub(super) fn after_item(self, at: usize) -> usize {
        let rest = self.rest(at);
        at.saturating_add(rest.find([',', ']', '}', ';']).unwrap_or(rest.len()))
    }
}
