//! Values of every shape, each with its place.

use super::scalar::Scalar;
use crate::source::Span;

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// From its first to its last character, without white space around it.
    pub span: Span,
    /// What it is.
    pub kind: Kind,
}

/// What a node is.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A scalar.
    Scalar(Scalar),
    /// A sequence.
    Sequence {
        /// Its items.
        items: Vec<Node>,
        /// Whether it was written in brackets, or inside something that was.
        flow: bool,
        /// Its text, where the form lets the same characters stand for one expression.
        expression: Option<String>,
    },
    /// A mapping.
    Mapping(Mapping),
    /// A value about which an error was already reported: whoever reads it passes over it in silence.
    Broken,
}

/// A mapping with string keys, in file order, without duplicates.
#[derive(Clone, Debug, PartialEq)]
pub struct Mapping {
    /// Its entries.
    pub entries: Vec<Entry>,
    /// Whether it was written in braces, or inside something that was.
    pub flow: bool,
}

/// A key and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: Scalar,
    /// The value.
    pub value: Node,
}

impl Node {
    /// A node about which an error was already reported.
    #[must_use]
    pub fn broken(span: Span) -> Self {
        Self { span, kind: Kind::Broken }
    }

    /// What it is, in words, with an article.
    #[must_use]
    pub fn what(&self) -> &'static str {
        match &self.kind {
            Kind::Scalar(scalar) => scalar.what(),
            Kind::Sequence { .. } => "a list",
            Kind::Mapping(_) => "a mapping",
            Kind::Broken => "an error",
        }
    }
}

impl Mapping {
    /// The entry of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key.text == key)
    }
}
