//! A contract as text.

use super::item::{Block, Comment, Item, Key, Value, WIDTH, is_typed};
use crate::syntax::print::quoted;
use crate::syntax::text::section::{Adds, Section};

/// Prints a contract.
pub(super) fn print(mut root: Block) -> String {
    let mut printer = Printer { out: String::new(), depth: 0 };
    let mut top = root.items.first_mut().map(|first| std::mem::take(&mut first.before)).unwrap_or_default();
    let name = root.take("name");
    let mut header = String::from("contract ");
    let mut after = None;
    if let Some(name) = name {
        top.extend(name.before);
        header.push_str(&name_text(&name.value));
        after = name.after;
    }
    printer.comments(&top);
    let version = root.take("version");
    root.items.splice(0..0, version);
    // The first item has nothing before it that could be told from it.
    if let Some(first) = root.items.first_mut() {
        first.blank = false;
    }
    printer.line(&format!("{header} {{"), after.as_ref());
    printer.depth = 1;
    printer.contract(root);
    printer.depth = 0;
    printer.line("}", None);
    printer.out
}

struct Printer {
    out: String,
    depth: usize,
}

impl Printer {
    fn line(&mut self, text: &str, after: Option<&Comment>) {
        self.out.extend(std::iter::repeat_n("  ", self.depth));
        self.out.push_str(text);
        if let Some(comment) = after {
            self.out.push_str(" //");
            self.out.push_str(&comment.text);
        }
        self.out.push('\n');
    }

    fn blank(&mut self, blank: bool) {
        // None at the start of the file or of a block.
        if blank && !self.out.is_empty() && !self.out.ends_with("{\n") && !self.out.ends_with("[\n") {
            self.out.push('\n');
        }
    }

    fn comments(&mut self, comments: &[Comment]) {
        for comment in comments {
            self.blank(comment.blank);
            self.line(&format!("//{}", comment.text), None);
        }
    }

    /// What stands before an item.
    fn before(&mut self, item: &Item) {
        self.comments(&item.before);
        self.blank(item.blank);
    }

    fn contract(&mut self, root: Block) {
        for item in &root.items {
            let section = item.key.as_ref().and_then(|key| Section::of_field(&key.text));
            match (section, item.value.block()) {
                (Some(section), Some(block)) => self.sections(section, item, block),
                _ => self.item(item, ""),
            }
        }
        self.comments(&root.tail);
    }

    /// A list or mapping as sections. An empty line tells a comment on all of them from one on the first.
    fn sections(&mut self, section: &Section, whole: &Item, block: &Block) {
        self.comments(&whole.before);
        self.comments(whole.after.as_slice());
        let apart = whole.blank || !whole.before.is_empty() || whole.after.is_some();
        for (index, inner) in block.items.iter().enumerate() {
            let first = index == 0;
            self.blank(first && (apart || inner.before.first().is_some_and(|comment| comment.blank)));
            for comment in &inner.before {
                self.comments(&[Comment { blank: comment.blank && !first, ..comment.clone() }]);
            }
            self.blank(inner.blank && !first);
            self.section(section, inner);
        }
        self.comments(&block.tail);
    }

    fn section(&mut self, section: &Section, item: &Item) {
        let key = item.key.as_ref().map(|key| key_text(&key.text)).unwrap_or_default();
        match section.adds {
            Adds::Definition => self.value(&format!("{} {key} =", section.word), &item.value, item.after.as_ref(), ""),
            Adds::Entry => self.value(&format!("{} {key}", section.word), &item.value, item.after.as_ref(), ""),
            Adds::Item => self.block(section.word, item.value.block(), item.after.as_ref(), None),
            Adds::Named(field) => {
                let mut block = item.value.block().cloned().unwrap_or_default();
                let name = block.take(field);
                let mut head = section.word.to_owned();
                if let Some(name) = &name {
                    self.comments(&name.before);
                    head = format!("{head} {}", name_text(&name.value));
                }
                let behind = name.and_then(|name| name.after);
                self.block(&head, Some(&block), item.after.as_ref(), behind.as_ref());
            }
        }
    }

    /// An entry or item, with what stands around it. `end` follows it.
    fn item(&mut self, item: &Item, end: &str) {
        self.before(item);
        let head = item.key.as_ref().map(head).unwrap_or_default();
        self.value(&head, &item.value, item.after.as_ref(), end);
    }

    fn value(&mut self, head: &str, value: &Value, after: Option<&Comment>, end: &str) {
        let space = if head.is_empty() { "" } else { " " };
        if !value.has_comments() {
            let line = format!("{head}{space}{}{end}", inline(value));
            let width = line.chars().count().saturating_add(self.depth.saturating_mul(2));
            if width <= WIDTH || value.block().is_none_or(|block| block.items.is_empty()) {
                return self.line(&line, after);
            }
        }
        let Some(block) = value.block() else { return };
        let (open, close, separator) = match value {
            Value::List(_) => ('[', ']', ","),
            _ => ('{', '}', ""),
        };
        self.line(&format!("{head}{space}{open}"), None);
        self.inside(block, separator);
        self.line(&format!("{close}{end}"), after);
    }

    /// A block that is never on one line, unless it is empty.
    fn block(&mut self, head: &str, block: Option<&Block>, after: Option<&Comment>, behind: Option<&Comment>) {
        let Some(block) = block.filter(|block| !block.items.is_empty() || block.has_comments() || behind.is_some())
        else {
            return self.line(&format!("{head} {{}}"), after);
        };
        self.line(&format!("{head} {{"), behind);
        self.inside(block, "");
        self.line("}", after);
    }

    fn inside(&mut self, block: &Block, separator: &str) {
        self.depth = self.depth.saturating_add(1);
        for item in &block.items {
            self.item(item, separator);
        }
        self.comments(&block.tail);
        self.depth = self.depth.saturating_sub(1);
    }
}

/// A key with what stands between it and its value.
fn head(key: &Key) -> String {
    format!("{}{}", key_text(&key.text), if key.pattern { ":" } else { "" })
}

/// A key, in quotes where it needs them.
fn key_text(key: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let is_name = |name: &str| name.split("::").all(|part| !part.is_empty() && part.chars().all(bare));
    let event = key.strip_suffix(')').and_then(|key| key.split_once('('));
    match event {
        _ if is_name(key) => key.to_owned(),
        Some((phase, name)) if is_name(phase) && is_name(name) => key.to_owned(),
        _ => quoted(key),
    }
}

/// A name after a word.
fn name_text(value: &Value) -> String {
    match value {
        Value::Scalar { text, .. } => key_text(text),
        _ => inline(value),
    }
}

/// A value on one line.
fn inline(value: &Value) -> String {
    match value {
        Value::Expression { text, list: true } => format!("({text})"),
        Value::Expression { text, .. } => text.clone(),
        Value::Scalar { .. } => scalar_text(value),
        Value::List(block) => format!("[{}]", items(block, ", ")),
        Value::Mapping(block) if block.items.is_empty() => "{}".to_owned(),
        Value::Mapping(block) => format!("{{ {} }}", items(block, "; ")),
    }
}

fn items(block: &Block, separator: &str) -> String {
    let each = block.items.iter().map(|item| match &item.key {
        Some(key) => format!("{} {}", head(key), inline(&item.value)),
        None => inline(&item.value),
    });
    each.collect::<Vec<_>>().join(separator)
}

/// A scalar that is no expression.
fn scalar_text(value: &Value) -> String {
    match value {
        Value::Scalar { text, plain } if is_bare(text, *plain) => text.clone(),
        Value::Scalar { text, .. } => quoted(text),
        _ => inline(value),
    }
}

/// Whether a scalar is read as it is without quotes: a word, a number, a type, a duration.
fn is_bare(text: &str, plain: bool) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '+' | '<' | '>' | '~');
    let count = text.starts_with(|first: char| first.is_ascii_digit());
    (plain || !is_typed(text, true))
        && !text.is_empty()
        && text.chars().all(|c| word(c) || (c == ' ' && count))
        && !text.ends_with(' ')
}
