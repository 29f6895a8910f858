//! Comments and strings that do not end, found before anything else is read.

use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::syntax::file::{MAX_DEPTH, too_deep};
use crate::syntax::parse::MAX_NESTING;

/// A text in which spaces stand for comments, so that every other character keeps its place.
#[derive(Debug, Default)]
pub(crate) struct Mask {
    /// The text, as long as the file.
    pub(crate) text: String,
    /// The comments, in order; without the line break.
    pub(crate) comments: Vec<Span>,
    /// Lines with a string that does not end, in order, to the end of the line. Spaces stand for the string, too.
    pub(super) unfinished: Vec<Span>,
    /// What is wrong.
    pub(super) flaws: Vec<Diagnostic>,
    /// Whether brackets nest so deeply that the rest must not be read.
    pub(super) too_deep: bool,
    /// Where the `/* … */` ends that was found last.
    foreign: usize,
}

/// Deepest nesting of brackets of all kinds: those of blocks and lists, and in them those of an expression.
const DEEPEST: usize = MAX_DEPTH.saturating_add(MAX_NESTING);

impl Mask {
    /// Masks the text of a file.
    pub(crate) fn new(text: &str) -> Self {
        let mut mask = Self { text: String::with_capacity(text.len()), ..Self::default() };
        let mut depth = 0_usize;
        let closed = text.rfind("*/").and_then(|last| text.get(..last.saturating_add(2))).unwrap_or_default();
        for line in text.split_inclusive('\n') {
            mask.line(line, closed, &mut depth);
        }
        mask
    }

    /// Masks a line. In the part of the file that is `closed` there is a `*/` to come.
    fn line(&mut self, line: &str, closed: &str, depth: &mut usize) {
        let mut rest = line;
        let line = self.text.len();
        let mut previous = '\n';
        while let Some(next) = rest.chars().next() {
            let at = self.text.len();
            let length = if let Some(length) = self.foreign(at, rest, previous, closed) {
                length
            } else if rest.starts_with("//") {
                self.comment(at, rest, previous)
            } else if let Some(length) = string(rest, previous) {
                self.string(at, rest, length, line)
            } else {
                *depth = match next {
                    '(' | '[' | '{' => depth.saturating_add(1),
                    ')' | ']' | '}' => depth.saturating_sub(1),
                    _ => *depth,
                };
                if *depth > DEEPEST && !self.too_deep {
                    self.too_deep = true;
                    self.flaws.push(too_deep(Span::new(at, at.saturating_add(1))));
                }
                self.text.push(next);
                next.len_utf8()
            };
            previous = rest.get(..length).and_then(|read| read.chars().next_back()).unwrap_or(next);
            rest = rest.get(length..).unwrap_or_default();
        }
    }

    fn comment(&mut self, at: usize, rest: &str, previous: char) -> usize {
        let line = rest.trim_end_matches(['\r', '\n']);
        let span = Span::new(at, at.saturating_add(line.trim_end().len()));
        self.comments.push(span);
        // After a colon it is a URL without quotes, of which the reader says more.
        if !(is_between(previous) || matches!(previous, ':' | '"')) {
            let message = "a comment begins in the middle of a word";
            self.flaws.push(
                Diagnostic::new(Code::TextSyntax, Span::new(at, at.saturating_add(2)), message)
                    .help("put a space before the `//`, or the whole value in quotes"),
            );
        }
        self.blank(line.len())
    }

    /// Takes what is a comment elsewhere and none here, up to the end of its line.
    fn foreign(&mut self, at: usize, rest: &str, previous: char, closed: &str) -> Option<usize> {
        let line = rest.trim_end_matches(['\r', '\n']);
        if at >= self.foreign && is_between(previous) {
            let content = at.saturating_add(2);
            if line.starts_with('#') {
                self.foreign = at.saturating_add(line.len());
                let flaw = foreign(at, "#").correct("write `//`", Span::new(at, at.saturating_add(1)), "//");
                self.flaws.push(flaw.help("a text with a `#` in it is written in quotes"));
            } else if line.starts_with("/*")
                && let Some(length) = closed.get(content..).and_then(|rest| rest.find("*/"))
            {
                self.foreign = content.saturating_add(length).saturating_add(2);
                let help = "begin each of its lines with `//`; a glob that begins with `/*` is written in quotes";
                self.flaws.push(foreign(at, "/*").help(help));
            }
        }
        let length = self.foreign.saturating_sub(at).min(line.len());
        (length > 0).then(|| self.blank(length))
    }

    /// Takes a string of so many bytes; `None` if it does not end.
    fn string(&mut self, at: usize, rest: &str, length: Option<usize>, start: usize) -> usize {
        if let Some(length) = length {
            self.text.push_str(rest.get(..length).unwrap_or_default());
            return length;
        }
        let line = rest.trim_end_matches(['\r', '\n']);
        let span = Span::new(at, at.saturating_add(line.trim_end().len()));
        self.unfinished.push(Span::new(start, span.end as usize));
        self.flaws.push(
            Diagnostic::new(Code::TextSyntax, span, "the string does not end on its line")
                .help("end it with `\"`; a line break in a string is written `\\n`"),
        );
        self.blank(line.len())
    }

    fn blank(&mut self, bytes: usize) -> usize {
        self.text.extend(std::iter::repeat_n(' ', bytes));
        bytes
    }
}

/// A comment of another language.
fn foreign(at: usize, mark: &str) -> Diagnostic {
    let span = Span::new(at, at.saturating_add(mark.len()));
    Diagnostic::new(Code::TextSyntax, span, format!("a comment begins with `//`, not with `{mark}`"))
}

/// Whether a character is none of a word.
fn is_between(c: char) -> bool {
    c.is_whitespace() || matches!(c, ';' | ',' | '{' | '}' | '[' | ']' | '(' | ')')
}

/// Whether a string begins here, and how long it is: `Some(None)` if it does not end on its line.
fn string(line: &str, previous: char) -> Option<Option<usize>> {
    let in_word = previous.is_alphanumeric() || previous == '_';
    let (start, raw) = match line.strip_prefix('r').filter(|_| !in_word) {
        Some(rest) if rest.starts_with('"') => (2, true),
        _ if line.starts_with('"') => (1, false),
        _ => return None,
    };
    let mut escaped = false;
    let end = line.char_indices().skip(start).find(|(_, c)| {
        let ends = *c == '"' && !escaped;
        escaped = *c == '\\' && !escaped && !raw;
        ends
    });
    Some(end.map(|(at, _)| at.saturating_add(1)))
}
