//! From the tree of a file to what is printed.

use std::collections::HashSet;

use super::item::{Block, Item, Key, Value};
use crate::diagnostic::Diagnostics;
use crate::source::Span;
use crate::syntax::expr;
use crate::syntax::origin::Origin;
use crate::syntax::parse;
use crate::syntax::tree::{Entry, Kind, Node, Style};
use crate::syntax::written::Written;

/// Builds the contract. Expressions that cannot be parsed are reported; some of them are formulas.
pub(super) fn build(
    root: &Node,
    expressions: &HashSet<Span>,
    formulas: &HashSet<Span>,
    diagnostics: &mut Diagnostics,
) -> Block {
    let mut builder = Builder { expressions, formulas, diagnostics };
    match builder.value(root) {
        Value::Mapping(block) | Value::List(block) => block,
        Value::Expression { .. } | Value::Scalar { .. } => Block::default(),
    }
}

struct Builder<'a> {
    expressions: &'a HashSet<Span>,
    formulas: &'a HashSet<Span>,
    diagnostics: &'a mut Diagnostics,
}

impl Builder<'_> {
    fn value(&mut self, node: &Node) -> Value {
        let expression = self.expressions.contains(&node.span);
        match &node.kind {
            Kind::Scalar(scalar) if expression => {
                let (text, origin) = scalar.expression();
                self.expression(text, &origin, node.span)
            }
            Kind::Sequence { expression: Some(text), .. } if expression => {
                match self.expression(text, &Origin::verbatim(node.span), node.span) {
                    Value::Expression { text, .. } => Value::Expression { text, list: false },
                    other => other,
                }
            }
            Kind::Scalar(scalar) => Value::Scalar { text: scalar.text.clone(), plain: scalar.style == Style::Plain },
            Kind::Sequence { items, .. } => Value::List(block(items.iter().map(|item| self.item(item)))),
            Kind::Mapping(mapping) => Value::Mapping(block(mapping.entries.iter().map(|entry| self.entry(entry)))),
            // Files with errors are not printed.
            Kind::Broken => Value::Mapping(Block::default()),
        }
    }

    fn item(&mut self, node: &Node) -> Item {
        new(None, self.value(node), node.span, node.span)
    }

    fn entry(&mut self, entry: &Entry) -> Item {
        let key = Key { text: entry.key.text.clone(), pattern: self.expressions.contains(&entry.key.span) };
        new(Some(key), self.value(&entry.value), entry.key.span.to(entry.value.span), entry.value.span)
    }

    /// The one spelling of an expression. What can be read as a pattern is one: `validate-record` is no subtraction.
    fn expression(&mut self, text: &str, origin: &Origin, whole: Span) -> Value {
        let printed = match parse::pattern(text) {
            _ if self.formulas.contains(&whole) => parse::formula(text).map(|formula| (formula.to_string(), false)),
            Ok(pattern) => Ok((pattern.to_string(), false)),
            Err(_) => parse::expression(text)
                .map(|expression| (expression.to_string(), matches!(expression.kind, expr::Kind::List(_)))),
        };
        match printed {
            Ok((text, list)) => Value::Expression { text, list },
            Err(flaw) => {
                let place = |range| origin.span(range, whole);
                self.diagnostics.push(flaw.at(Written::new(text, &place)));
                Value::Expression { text: String::new(), list: false }
            }
        }
    }
}

fn block(items: impl Iterator<Item = Item>) -> Block {
    Block { items: items.collect(), tail: Vec::new() }
}

fn new(key: Option<Key>, value: Value, span: Span, at: Span) -> Item {
    Item { key, value, span, start: at.start as usize, before: Vec::new(), after: None, blank: false }
}
