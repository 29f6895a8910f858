//! Which comment belongs to which item, and where empty lines stand.
//!
//! A comment behind something on its line belongs to that; any other belongs to the item that follows in its block, or to the
//! end of the block.

use std::collections::HashMap;

use super::item::{Block, Comment, Item, Value};
use crate::source::{SourceFile, Span};
use crate::syntax::file::Form;
use crate::syntax::text::Mask;
use crate::syntax::text::section::{SECTIONS, Section};
use crate::syntax::tree::{Kind, Node};

/// Attaches the comments of a file to what was made of it.
pub(super) fn attach(root: &mut Block, file: &SourceFile, form: Form, node: &Node) {
    let text = file.text();
    let spans = match form {
        Form::Text => Mask::new(text).comments,
        Form::Yaml => yaml_comments(text, node),
    };
    mark_blanks(root, text);
    let places = Places::new(root, text, form);
    let attached: Vec<_> = spans.iter().map(|span| (places.home(*span), comment(text, *span, form))).collect();
    for (home, comment) in attached {
        home.put(root, comment);
    }
    if form == Form::Text {
        root.items.iter_mut().for_each(head);
    }
}

/// Leaves to the sections of a word the empty line before them: one below a comment on all of them is no part of them, and
/// one above a comment on the first is theirs.
fn head(whole: &mut Item) {
    let section = whole.key.as_ref().is_some_and(|key| Section::of_field(&key.text).is_some());
    let first = whole.value.block_mut().and_then(|block| block.items.first_mut()).filter(|_| section);
    let blank = first.and_then(|first| first.before.first_mut()).is_some_and(|first| std::mem::take(&mut first.blank));
    whole.blank = whole.before.is_empty() && (whole.blank || blank);
}

fn comment(text: &str, span: Span, form: Form) -> Comment {
    let marker = if form == Form::Text { "//" } else { "#" };
    let written = text.get(span.range()).unwrap_or_default();
    Comment {
        text: written.strip_prefix(marker).unwrap_or(written).trim_end().to_owned(),
        blank: starts_line(text, span.start as usize, &[]) && follows_blank(text, span.start as usize),
    }
}

/// The comments of a YAML file: what begins with `#`, at the start of a line or after a space, outside of scalars.
fn yaml_comments(text: &str, node: &Node) -> Vec<Span> {
    let mut scalars = Vec::new();
    scalar_spans(node, &mut scalars);
    scalars.sort_unstable();
    let mut found = Vec::new();
    let mut at = 0;
    let mut scalars = scalars.into_iter().peekable();
    while let Some(next) = text.get(at..).and_then(|rest| rest.find('#')) {
        let start = at.saturating_add(next);
        at = start.saturating_add(1);
        while scalars.peek().is_some_and(|scalar| scalar.end as usize <= start) {
            scalars.next();
        }
        let inside = scalars.peek().is_some_and(|scalar| scalar.range().contains(&start));
        let before = text.get(..start).and_then(|before| before.chars().next_back());
        if !inside && before.is_none_or(char::is_whitespace) {
            let rest = text.get(start..).unwrap_or_default();
            let line = rest.lines().next().unwrap_or_default().trim_end();
            at = start.saturating_add(line.len()).max(at);
            found.push(Span::new(start, start.saturating_add(line.len())));
        }
    }
    found
}

fn scalar_spans(node: &Node, spans: &mut Vec<Span>) {
    match &node.kind {
        Kind::Scalar(scalar) => spans.push(scalar.span),
        Kind::Sequence { items, .. } => items.iter().for_each(|item| scalar_spans(item, spans)),
        Kind::Mapping(mapping) => {
            for entry in &mapping.entries {
                spans.push(entry.key.span);
                scalar_spans(&entry.value, spans);
            }
        }
        Kind::Broken => {}
    }
}

/// Notes which items have an empty line before them.
fn mark_blanks(block: &mut Block, text: &str) {
    let words: Vec<_> = SECTIONS.iter().map(|section| section.word).collect();
    for item in &mut block.items {
        let start = item.span.start as usize;
        item.blank = starts_line(text, start, &words) && follows_blank(text, start);
        if let Some(block) = item.value.block_mut() {
            mark_blanks(block, text);
        }
    }
}

/// The line of an offset up to it.
fn line_before(text: &str, at: usize) -> &str {
    let before = text.get(..at).unwrap_or_default();
    before.rsplit('\n').next().unwrap_or_default()
}

/// Whether an offset is the first of its line, but for the dashes of lists and one of some words.
fn starts_line(text: &str, at: usize, words: &[&str]) -> bool {
    let line = line_before(text, at).trim_matches([' ', '\t', '-']);
    line.is_empty() || words.contains(&line)
}

/// Whether the line before that of an offset is empty.
fn follows_blank(text: &str, at: usize) -> bool {
    let start = at.saturating_sub(line_before(text, at).len());
    let mut lines = text.get(..start).unwrap_or_default().rsplit('\n');
    lines.next();
    start > 0 && lines.next().is_some_and(|line| line.trim().is_empty())
}

/// Where the last empty line before an offset is.
fn last_blank(text: &str, at: usize) -> usize {
    let mut before = text.get(..at).unwrap_or_default();
    while let Some((rest, _)) = before.rsplit_once('\n') {
        before = rest;
        if line_before(before, before.len()).trim().is_empty() {
            break;
        }
    }
    before.len()
}

/// Where a comment belongs: the way to a block or item, by indexes, and on which side of it.
struct Home {
    path: Vec<usize>,
    side: Side,
}

enum Side {
    Before,
    After,
    Tail,
}

impl Home {
    fn put(self, root: &mut Block, comment: Comment) {
        let mut block = root;
        let mut path = self.path.as_slice();
        if matches!(self.side, Side::Tail) {
            for index in path {
                match block.items.get_mut(*index).and_then(|item| item.value.block_mut()) {
                    Some(inner) => block = inner,
                    None => return,
                }
            }
            return block.tail.push(comment);
        }
        while let [index, rest @ ..] = path {
            let Some(item) = block.items.get_mut(*index) else { return };
            if rest.is_empty() {
                match self.side {
                    Side::After if item.after.is_none() => item.after = Some(comment),
                    _ => item.before.push(comment),
                }
                return;
            }
            let Some(inner) = item.value.block_mut() else { return };
            (block, path) = (inner, rest);
        }
    }
}

/// An item where it stands.
struct Place {
    span: Span,
    path: Vec<usize>,
}

/// What tells whether something stands in a block.
#[derive(Clone, Copy)]
enum Extent {
    /// Brackets around it.
    Brackets(Span),
    /// How far its items are indented.
    Column(usize),
}

/// Everything that a comment can belong to.
struct Places<'a> {
    text: &'a str,
    form: Form,
    /// By start, outer ones first.
    starts: Vec<Place>,
    /// By end, outer ones first.
    ends: Vec<Place>,
    blocks: HashMap<Vec<usize>, Extent>,
    /// Lists and mappings that are written as sections of a text, each with the place of the last empty line before it.
    sections: HashMap<Vec<usize>, usize>,
}

impl<'a> Places<'a> {
    fn new(root: &Block, text: &'a str, form: Form) -> Self {
        let whole = match form {
            Form::Yaml => Extent::Column(0),
            Form::Text => Extent::Brackets(Span::new(0, text.len().saturating_add(1))),
        };
        let blocks = HashMap::from([(Vec::new(), whole)]);
        let mut places = Self { text, form, starts: Vec::new(), ends: Vec::new(), blocks, sections: HashMap::new() };
        places.add(root, &[]);
        places.starts.sort_by_key(|place| (place.span.start, place.path.len()));
        places.ends.sort_by_key(|place| (place.span.end, place.path.len()));
        places
    }

    fn add(&mut self, block: &Block, path: &[usize]) {
        for (index, item) in block.items.iter().enumerate() {
            let path: Vec<_> = path.iter().copied().chain([index]).collect();
            // The sections of a text have no brackets around them all, and end where the last of them does.
            let key = item.key.as_ref().filter(|_| path.len() == 1 && self.form == Form::Text);
            let sections = key.is_some_and(|key| Section::of_field(&key.text).is_some());
            self.starts.push(Place { span: item.span, path: path.clone() });
            if sections {
                self.sections.insert(path.clone(), last_blank(self.text, item.span.start as usize));
            } else {
                self.ends.push(Place { span: item.span, path: path.clone() });
            }
            let Some(inner) = item.value.block() else { continue };
            if !sections {
                let first = inner.items.first().map(|first| first.span.start as usize);
                let bracket = self.text.get(item.start..).is_some_and(|text| text.starts_with(['{', '[']));
                let extent = match first.filter(|_| self.form == Form::Yaml && !bracket) {
                    Some(first) => Extent::Column(self.column(first, &item.value)),
                    None => Extent::Brackets(item.span),
                };
                self.blocks.insert(path.clone(), extent);
            }
            self.add(inner, &path);
        }
    }

    /// The column of an item of a block; of an item of a list that of its dash.
    fn column(&self, start: usize, value: &Value) -> usize {
        let before = line_before(self.text, start);
        let dash = before.rfind('-').filter(|_| matches!(value, Value::List(_)));
        before.get(..dash.unwrap_or(before.len())).map_or(0, |before| before.chars().count())
    }

    fn home(&self, comment: Span) -> Home {
        let at = comment.start;
        let line = line_before(self.text, at as usize);
        let line_start = at.saturating_sub(u32::try_from(line.len()).unwrap_or(u32::MAX));
        let next = self.starts.partition_point(|place| place.span.start < at);
        let previous = next.checked_sub(1).and_then(|previous| self.starts.get(previous));
        // Behind the item that ended last on this line, if none has begun since.
        let ended = self.ends.partition_point(|place| place.span.end <= at);
        let last = ended.checked_sub(1).and_then(|last| self.ends.get(last)).map(|place| place.span.end);
        if let Some(last) = last.filter(|last| *last > line_start)
            && previous.is_none_or(|previous| previous.span.start < last)
        {
            let first = self.ends.partition_point(|place| place.span.end < last);
            let mut tied = self.ends.get(first..ended).unwrap_or_default().iter();
            let whole = tied.clone().find(|place| place.span.start >= line_start);
            if let Some(place) = whole.or_else(|| tied.next_back()) {
                return Home { path: place.path.clone(), side: Side::After };
            }
        }
        let path = previous.map(|previous| previous.path.as_slice()).unwrap_or_default();
        let block = self.block(at, line.chars().count(), path);
        match self.starts.get(next).filter(|next| next.path.starts_with(block)) {
            Some(next) => Home { path: self.about(comment, next), side: Side::Before },
            None => Home { path: block.to_owned(), side: Side::Tail },
        }
    }

    /// The item that a comment before it is about. In front of the first section of its kind that is this one, unless an
    /// empty line is between them: then it is about all of them.
    fn about(&self, comment: Span, next: &Place) -> Vec<usize> {
        let near = self.sections.get(&next.path).is_some_and(|blank| *blank <= comment.start as usize);
        next.path.iter().copied().chain(near.then_some(0)).collect()
    }

    /// The innermost block that a comment stands in: between its brackets, or no less indented than the items before it.
    fn block<'p>(&self, at: u32, column: usize, previous: &'p [usize]) -> &'p [usize] {
        let mut path = previous;
        while let Some((_, outer)) = path.split_last() {
            let inside = match self.blocks.get(path) {
                Some(Extent::Column(items)) => *items <= column,
                Some(Extent::Brackets(span)) => span.start < at && at < span.end,
                None => false,
            };
            if inside {
                return path;
            }
            path = outer;
        }
        path
    }
}
