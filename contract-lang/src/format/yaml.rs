//! A contract as YAML.

use super::item::{Block, Comment, Item, Value, WIDTH, is_typed};
use crate::diagnostic::render::is_hidden;
use crate::source::Span;
use crate::syntax::text::section::{Adds, Section};
use crate::syntax::tree::{Resolved, Scalar, Style};

/// Prints a contract.
pub(super) fn print(mut root: Block) -> String {
    let mut printer = Printer { out: String::new() };
    let top = root.items.first_mut().map(|first| std::mem::take(&mut first.before)).unwrap_or_default();
    printer.comments(&top, 0);
    // What a file begins with.
    begin(&mut root, &["version", "name"]);
    if let Some(first) = root.items.first_mut() {
        first.blank = first.blank && !top.is_empty();
    }
    for item in &mut root.items {
        let section = item.key.as_ref().and_then(|key| Section::of_field(&key.text));
        if let (Some(Adds::Named(name)), Some(block)) = (section.map(|section| section.adds), item.value.block_mut()) {
            block.items.iter_mut().filter_map(|each| each.value.block_mut()).for_each(|each| begin(each, &[name]));
        }
        let open = section.map_or(0, |section| match section.adds {
            Adds::Named(_) | Adds::Item => 2,
            Adds::Entry | Adds::Definition => 1,
        });
        printer.before(item, 0);
        printer.value(&head(item), 0, item, open);
    }
    printer.comments(&root.tail, 0);
    printer.out
}

/// Puts what has these keys before everything else.
fn begin(block: &mut Block, keys: &[&str]) {
    let first: Vec<_> = keys.iter().filter_map(|key| block.take(key)).collect();
    block.items.splice(0..0, first);
}

struct Printer {
    out: String,
}

impl Printer {
    fn line(&mut self, indent: usize, text: &str, after: Option<&Comment>) {
        self.out.extend(std::iter::repeat_n(' ', indent));
        self.out.push_str(text);
        if let Some(comment) = after {
            self.out.push_str("  #");
            self.out.push_str(&comment.text);
        }
        self.out.push('\n');
    }

    fn blank(&mut self, blank: bool) {
        if blank && !self.out.is_empty() && !self.out.ends_with(":\n") {
            self.out.push('\n');
        }
    }

    fn comments(&mut self, comments: &[Comment], indent: usize) {
        for comment in comments {
            self.blank(comment.blank);
            self.line(indent, &format!("#{}", comment.text), None);
        }
    }

    fn before(&mut self, item: &Item, indent: usize) {
        self.comments(&item.before, indent);
        self.blank(item.blank);
    }

    /// An item after its key or dash. So many levels of lists and mappings from here on are never put on one line.
    fn value(&mut self, head: &str, indent: usize, item: &Item, open: usize) {
        let Some(block) = item.value.block() else {
            return self.scalar(head, indent, item);
        };
        let spread = |inner: &Item| inner.value.block().is_some_and(|block| !block.items.is_empty());
        let lines = |inner: &Item| literal(&inner.value).is_some();
        let must =
            open > 0 || item.value.has_comments() || block.items.iter().any(|inner| spread(inner) || lines(inner));
        let line = if must && !block.items.is_empty() { None } else { Some(format!("{head} {}", flow(&item.value))) };
        let fits = |line: &String| block.items.is_empty() || line.chars().count().saturating_add(indent) <= WIDTH;
        if let Some(line) = line.filter(fits) {
            self.line(indent, &line, item.after.as_ref());
            return self.comments(&block.tail, indent);
        }
        let inner = indent.saturating_add(2);
        match &item.value {
            Value::Mapping(_) if head == "-" => {
                // The first entry shares its line with the dash.
                self.comments(item.after.as_slice(), indent);
                let mut block = block.clone();
                if let Some(first) = block.items.first_mut() {
                    self.comments(&std::mem::take(&mut first.before), indent);
                    first.blank = false;
                }
                let dash = self.out.len().saturating_add(indent);
                self.block(&block, false, inner, open);
                if self.out.get(dash..).is_some_and(|rest| rest.starts_with(' ')) {
                    self.out.replace_range(dash..dash.saturating_add(1), "-");
                }
            }
            value => {
                // Behind the key it would be read as being about the first item.
                self.comments(item.after.as_slice(), indent);
                self.line(indent, head, None);
                self.block(block, matches!(value, Value::List(_)), inner, open);
            }
        }
    }

    fn block(&mut self, block: &Block, list: bool, indent: usize, open: usize) {
        for item in &block.items {
            self.before(item, indent);
            let head = if list { "-".to_owned() } else { head(item) };
            self.value(&head, indent, item, open.saturating_sub(1));
        }
        self.comments(&block.tail, indent);
    }

    fn scalar(&mut self, head: &str, indent: usize, item: &Item) {
        let Some((marker, text)) = literal(&item.value) else {
            return self.line(indent, &format!("{head} {}", scalar(&item.value, false)), item.after.as_ref());
        };
        self.line(indent, &format!("{head} {marker}"), item.after.as_ref());
        for line in text.lines() {
            self.line(if line.is_empty() { 0 } else { indent.saturating_add(2) }, line, None);
        }
    }
}

/// A key and its colon.
fn head(item: &Item) -> String {
    let key = item.key.as_ref().map(|key| key.text.as_str()).unwrap_or_default();
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let first = key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let name = first && key.split("::").all(|part| !part.is_empty() && part.chars().all(word));
    if name && is_text(key) { format!("{key}:") } else { format!("{}:", double(key)) }
}

/// A value on one line.
fn flow(value: &Value) -> String {
    let items = |block: &Block| {
        let each = block.items.iter().map(|item| match &item.key {
            Some(_) => format!("{} {}", head(item), flow(&item.value)),
            None => flow(&item.value),
        });
        each.collect::<Vec<_>>().join(", ")
    };
    match value {
        Value::List(block) => format!("[{}]", items(block)),
        Value::Mapping(block) if block.items.is_empty() => "{}".to_owned(),
        Value::Mapping(block) => format!("{{ {} }}", items(block)),
        _ => scalar(value, true),
    }
}

/// A text over several lines as a block after `|`, if it can be one: the mark, and the text.
fn literal(value: &Value) -> Option<(&'static str, &str)> {
    let Value::Scalar { text, plain: false } = value else { return None };
    let body = text.strip_suffix('\n');
    let (mark, body) = body.map_or(("|-", text.as_str()), |body| ("|", body));
    let fits = |line: &str| !line.ends_with([' ', '\t']) && !line.chars().any(is_hidden);
    let lines = body.contains('\n') && !body.starts_with([' ', '\t', '\n']) && !body.ends_with('\n');
    (lines && body.split('\n').all(fits)).then_some((mark, text.as_str()))
}

/// A scalar on one line.
fn scalar(value: &Value, flow: bool) -> String {
    let (text, plain) = match value {
        // An expression is read by its text, whatever YAML takes it for.
        Value::Expression { text, .. } => (text, is_plain(text, flow) && (is_text(text) || is_literal(text))),
        // However it was written, a text has one spelling.
        Value::Scalar { text, plain } => (text, is_plain(text, flow) && (is_text(text) || is_typed(text, *plain))),
        Value::List(_) | Value::Mapping(_) => return self::flow(value),
    };
    match text {
        text if plain => text.clone(),
        text if text.chars().any(is_hidden) => double(text),
        text => crate::syntax::yaml::quote(text),
    }
}

/// Whether YAML reads a text without quotes as a string.
fn is_text(text: &str) -> bool {
    let resolved = Scalar::verbatim(text, Style::Plain, Span::default()).resolve();
    let word = text.starts_with(|first: char| first.is_ascii_alphabetic() || matches!(first, '_' | '('));
    // What begins with a digit is a number to some reader, unless it is a duration.
    let digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
    resolved == Resolved::Text && (word || matches!(digits, "ms" | "s" | "m" | "h" | "d" | " calls" | " call"))
}

/// Whether all readers of YAML read a text as the same number or constant.
fn is_literal(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let number = digits.split('.').all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit()));
    let short = digits.len() <= 15 && digits.split('.').count() <= 2;
    let leading = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
    matches!(text, "true" | "false" | "null") || (number && short && !leading)
}

/// Whether a text needs no quotes to be one scalar.
fn is_plain(text: &str, flow: bool) -> bool {
    let first = text.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '(' | '-' | '.' | '+'));
    let breaks = |c: char| is_hidden(c) || (flow && matches!(c, ',' | '[' | ']' | '{' | '}'));
    let ends = text.ends_with([' ', ':']) || text.contains(": ") || text.contains(" #");
    let dash = text == "-" || text.starts_with("- ") || text.starts_with("---") || text.starts_with("...");
    first && !ends && !dash && !text.chars().any(breaks)
}

/// A text in double quotes.
fn double(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            hidden if is_hidden(hidden) => out.push_str(&format!("\\U{:08x}", u32::from(hidden))),
            plain => out.push(plain),
        }
    }
    out.push('"');
    out
}
