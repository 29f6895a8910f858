//! Walks over the tree of a contract and collects the changes of its parts.
//!
//! What is written at a place is known from the keys on the way to it, as the language has them; names that the author chose
//! are never taken for fields.

use super::edit::{Change, Edit};
use super::operator::Operator;
use super::{expression, pattern};
use crate::source::Span;
use crate::syntax::parse;
use crate::syntax::tree::{Entry, Kind, Node};

/// A change, and where it is.
pub(super) struct Place {
    pub(super) operator: Operator,
    pub(super) span: Span,
    pub(super) edit: Edit,
}

/// All changes of a contract, in the order of its fields.
pub(super) fn of(root: &Node) -> Vec<Place> {
    let mut walk = Walk { path: Vec::new(), places: Vec::new() };
    walk.entries(root, |walk, key, value| match key {
        "default" | "undeclared" | "on_error" | "decide" => walk.decisions(value),
        "patterns" => walk.entries(value, |walk, _, pattern| walk.pattern(pattern)),
        "tools" => walk.entries(value, |walk, _, tool| walk.tool(tool)),
        "state" => walk.entries(value, |walk, _, cell| walk.cell(cell)),
        "commit" => walk.items(value, Some(Operator::Commit), Walk::commit),
        "instances" => walk.instances(value),
        "rules" => walk.items(value, Some(Operator::Rule), Walk::rule),
        _ => {}
    });
    walk.places
}

/// Fields of kinds of rules that are patterns.
const PATTERNS: [&str; 13] = [
    "first", "then", "call", "without", "after", "second", "open", "close", "forbid", "needs", "void_on", "from", "to",
];

/// Fields that are numbers, durations or numbers of calls.
const BOUNDS: [&str; 7] = ["n", "limit", "window", "within", "gap", "expires", "min_length"];

/// Fields without which a rule says something else.
const DROPPED: [&str; 9] =
    ["consume", "restart", "expires", "void_on", "within", "window", "forbid", "needs", "values"];

/// Two patterns of one kind that may be taken for each other.
const PAIRS: [(&str, &str); 7] = [
    ("first", "then"),
    ("call", "without"),
    ("call", "after"),
    ("after", "then"),
    ("first", "second"),
    ("open", "close"),
    ("from", "to"),
];

struct Walk {
    path: Vec<usize>,
    places: Vec<Place>,
}

fn text(node: &Node) -> Option<&str> {
    match &node.kind {
        Kind::Scalar(scalar) => Some(&scalar.text),
        _ => None,
    }
}

/// The text of an expression.
fn source(node: &Node) -> Option<String> {
    match &node.kind {
        Kind::Scalar(scalar) => Some(scalar.expression().0.to_owned()),
        Kind::Sequence { expression, .. } => expression.clone(),
        _ => None,
    }
}

fn has(node: &Node, key: &str) -> bool {
    matches!(&node.kind, Kind::Mapping(mapping) if mapping.get(key).is_some())
}

fn length(node: &Node) -> usize {
    match &node.kind {
        Kind::Sequence { items, .. } => items.len(),
        _ => 0,
    }
}

impl Walk {
    fn add(&mut self, operator: Operator, span: Span, change: Change) {
        self.places.push(Place { operator, span, edit: Edit { path: self.path.clone(), change } });
    }

    /// Goes through the entries of a mapping.
    fn entries(&mut self, node: &Node, mut each: impl FnMut(&mut Self, &str, &Node)) {
        self.entries_with_keys(node, |walk, Entry { key, value }| each(walk, &key.text, value));
    }

    fn entries_with_keys(&mut self, node: &Node, mut each: impl FnMut(&mut Self, &Entry)) {
        let Kind::Mapping(mapping) = &node.kind else { return };
        for (index, entry) in mapping.entries.iter().enumerate() {
            self.path.push(index);
            each(self, entry);
            self.path.pop();
        }
    }

    /// Goes through the items of a list, each of which may be dropped. One alone may stand without a list.
    fn items(&mut self, node: &Node, drop: Option<Operator>, mut each: impl FnMut(&mut Self, &Node)) {
        let Kind::Sequence { items, expression: None, .. } = &node.kind else {
            each(self, node);
            return;
        };
        for (index, item) in items.iter().enumerate() {
            self.path.push(index);
            if let Some(operator) = drop {
                self.add(operator, item.span, Change::Remove);
            }
            each(self, item);
            self.path.pop();
        }
    }

    fn drop(&mut self, operator: Operator, span: Span) {
        self.add(operator, span, Change::Remove);
    }

    fn say(&mut self, operator: Operator, node: &Node, text: impl Into<String>) {
        self.add(operator, node.span, Change::Say(text.into()));
    }

    fn pattern(&mut self, node: &Node) {
        let variants = source(node).and_then(|text| parse::pattern(&text).ok()).map(|read| pattern::variants(&read));
        variants.into_iter().flatten().for_each(|(operator, text)| self.say(operator, node, text));
    }

    fn predicate(&mut self, node: &Node) {
        let read = source(node).and_then(|text| parse::expression(&text).ok());
        let variants = read.map(|read| expression::predicate(&read));
        variants.into_iter().flatten().for_each(|(operator, expr)| self.say(operator, node, expr.to_string()));
    }

    fn value(&mut self, node: &Node) {
        let read = source(node).and_then(|text| parse::expression(&text).ok());
        let variants = read.map(|read| expression::value(&read));
        variants.into_iter().flatten().for_each(|(operator, expr)| self.say(operator, node, expr.to_string()));
    }

    /// One decision looser, wherever there is one.
    fn decisions(&mut self, node: &Node) {
        match &node.kind {
            Kind::Mapping(_) => self.entries(node, |walk, _, value| walk.decisions(value)),
            _ => {
                let looser = match text(node) {
                    Some("block") => "ask",
                    Some("ask") => "alert",
                    Some("alert") => "allow",
                    _ => return,
                };
                self.say(Operator::Decide, node, looser);
                // `on_error` knows two words.
                if looser == "ask" {
                    self.say(Operator::Decide, node, "allow");
                }
            }
        }
    }

    fn tool(&mut self, node: &Node) {
        self.entries(node, |walk, key, value| match key {
            "effect" if length(value) > 0 => walk.items(value, Some(Operator::Clause), |walk, case| {
                walk.entries(case, |walk, key, value| {
                    if key == "when" {
                        walk.drop(Operator::Clause, value.span);
                        walk.predicate(value);
                    }
                });
            }),
            "succeeds_when" => {
                walk.drop(Operator::Clause, value.span);
                walk.predicate(value);
            }
            _ => {}
        });
    }

    fn cell(&mut self, node: &Node) {
        self.entries(node, |walk, key, value| {
            if key == "fresh" {
                walk.drop(Operator::Field, value.span);
                walk.bound(value);
            }
        });
    }

    fn commit(&mut self, node: &Node) {
        self.entries_with_keys(node, |walk, Entry { key, value }| match key.text.as_str() {
            "after" => walk.pattern(value),
            "when" => {
                walk.drop(Operator::Clause, value.span);
                walk.predicate(value);
            }
            verb @ ("set" | "bind") => {
                let other = if verb == "set" { "bind" } else { "set" };
                walk.add(Operator::Bind, key.span, Change::Rename(other.to_owned()));
                walk.changes(value);
            }
            "insert" | "remove" | "put" => walk.changes(value),
            "clear" if length(value) > 1 => walk.items(value, Some(Operator::Commit), |_, _| {}),
            _ => {}
        });
    }

    /// The changes of cells.
    fn changes(&mut self, node: &Node) {
        self.entries(node, |walk, _, change| {
            walk.drop(Operator::Commit, change.span);
            match &change.kind {
                Kind::Mapping(_) => walk.entries(change, |walk, _, part| walk.value(part)),
                _ => walk.value(change),
            }
        });
    }

    fn instances(&mut self, node: &Node) {
        self.entries(node, |walk, key, value| match key {
            "close_on" => {
                walk.drop(Operator::Field, value.span);
                walk.pattern(value);
            }
            "when_full" => walk.drop(Operator::Field, value.span),
            "idle" => {
                walk.drop(Operator::Field, value.span);
                walk.bound(value);
            }
            _ => {}
        });
    }

    fn bound(&mut self, node: &Node) {
        let Some(written) = text(node) else { return };
        let is_number = written.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.' || byte == b'-');
        let steps = if is_number { expression::steps(written) } else { expression::durations(written) };
        steps.into_iter().for_each(|step| self.say(Operator::Bound, node, step));
    }

    fn rule(&mut self, node: &Node) {
        let of_results = has(node, "ensure");
        if !has(node, "action") && !of_results {
            self.add(Operator::Action, node.span, Change::With("action", "alert"));
        }
        if of_results && !has(node, "otherwise") {
            self.add(Operator::Action, node.span, Change::With("otherwise", "alert"));
        }
        if has(node, "per") {
            self.add(Operator::Key, node.span, Change::Without(&["per", "instances", "missing"]));
        }
        self.pairs(node);
        self.entries(node, |walk, key, value| match key {
            "action" if text(value) != Some("alert") => walk.say(Operator::Action, value, "alert"),
            "otherwise" if text(value) == Some("withhold") => walk.say(Operator::Action, value, "alert"),
            "decide" => walk.decisions(value),
            "where" | "unless" => {
                walk.drop(Operator::Clause, value.span);
                walk.predicate(value);
            }
            "guards" | "reset_on" => {
                walk.drop(Operator::Field, value.span);
                walk.pattern(value);
            }
            "count" | "missing" => walk.drop(Operator::Field, value.span),
            "per" => walk.key(value),
            "instances" => walk.instances(value),
            "require" | "ensure" => {
                let drop = (length(value) > 1).then_some(Operator::Clause);
                walk.items(value, drop, Self::predicate);
            }
            "redact" => {
                let drop = (length(value) > 1).then_some(Operator::Clause);
                walk.items(value, drop, |_, _| {});
            }
            "rewrite" => walk.entries(value, |walk, _, value| {
                walk.drop(Operator::Clause, value.span);
                walk.value(value);
            }),
            "mutually_exclusive" | "required_before_session_end" => {
                let drop = (length(value) > 1).then_some(Operator::Clause);
                walk.items(value, drop, Self::pattern);
            }
            "let" => walk.entries(value, |walk, _, pattern| walk.pattern(pattern)),
            "formula" => {
                let read = source(value).and_then(|text| parse::formula(&text).ok());
                let variants = read.map(|read| pattern::formulas(&read));
                variants.into_iter().flatten().for_each(|(operator, text)| walk.say(operator, value, text));
            }
            "call" | "after" | "forbid" | "permit" => walk.pattern(value),
            _ => walk.kind(value),
        });
    }

    /// The record of a kind of rule.
    fn kind(&mut self, node: &Node) {
        if !matches!(node.kind, Kind::Mapping(_)) {
            return;
        }
        self.pairs(node);
        self.entries(node, |walk, key, value| {
            if DROPPED.contains(&key) {
                walk.drop(Operator::Field, value.span);
            }
            match key {
                key if PATTERNS.contains(&key) => walk.pattern(value),
                key if BOUNDS.contains(&key) => walk.bound(value),
                "sum" => walk.value(value),
                "of" => match &value.kind {
                    Kind::Mapping(_) => walk.entries(value, |walk, _, value| walk.value(value)),
                    _ => walk.value(value),
                },
                "steps" => {
                    for index in 1..length(value) {
                        walk.add(Operator::Swap, value.span, Change::SwapItems(index.saturating_sub(1)));
                    }
                    let drop = (length(value) > 2).then_some(Operator::Clause);
                    walk.items(value, drop, Self::pattern);
                }
                _ => {}
            }
        });
    }

    fn pairs(&mut self, node: &Node) {
        for (one, other) in PAIRS {
            if has(node, one) && has(node, other) {
                self.add(Operator::Swap, node.span, Change::Swap(one, other));
            }
        }
    }

    /// A key: its normalisers, and its components.
    fn key(&mut self, node: &Node) {
        match &node.kind {
            Kind::Mapping(_) => self.entries(node, |walk, _, key| walk.key(key)),
            Kind::Sequence { expression: None, .. } => {
                let drop = (length(node) > 1).then_some(Operator::Key);
                self.items(node, drop, Self::value);
            }
            _ => self.value(node),
        }
    }
}
