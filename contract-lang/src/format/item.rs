//! What is printed: the tree of a contract with comments, whatever form it had.

use crate::source::Span;
use crate::syntax::tree::{Resolved, Scalar, Style};

/// Longest line that is not broken, where there is a choice.
pub(super) const WIDTH: usize = 100;

/// A comment, without its `#` or `//`.
#[derive(Clone, Debug)]
pub(super) struct Comment {
    pub(super) text: String,
    /// Whether an empty line stood before it.
    pub(super) blank: bool,
}

/// An entry of a mapping, or an item of a list.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) key: Option<Key>,
    pub(super) value: Value,
    /// Where it stood, with its key.
    pub(super) span: Span,
    /// Where its value began.
    pub(super) start: usize,
    /// Comments on lines of their own before it.
    pub(super) before: Vec<Comment>,
    /// A comment at the end of its line.
    pub(super) after: Option<Comment>,
    /// Whether an empty line stood before it.
    pub(super) blank: bool,
}

/// A key.
#[derive(Clone, Debug)]
pub(super) struct Key {
    pub(super) text: String,
    /// Whether it is a pattern.
    pub(super) pattern: bool,
}

/// A value.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// An expression, in its canonical spelling.
    Expression {
        text: String,
        /// Whether it is a list that was not written as one: as a list it might be read as a list of expressions.
        list: bool,
    },
    /// Another scalar.
    Scalar {
        text: String,
        /// Whether it was written without quotes, so that it may be a number or a truth value.
        plain: bool,
    },
    /// A list.
    List(Block),
    /// A mapping.
    Mapping(Block),
}

/// Whether a scalar that was written in this way is a number, a truth value or null.
pub(super) fn is_typed(text: &str, plain: bool) -> bool {
    plain && Scalar::verbatim(text, Style::Plain, Span::default()).resolve() != Resolved::Text
}

/// What is in a list or mapping.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    pub(super) items: Vec<Item>,
    /// Comments after the last item.
    pub(super) tail: Vec<Comment>,
}

impl Value {
    pub(super) fn block(&self) -> Option<&Block> {
        match self {
            Self::List(block) | Self::Mapping(block) => Some(block),
            Self::Expression { .. } | Self::Scalar { .. } => None,
        }
    }

    pub(super) fn block_mut(&mut self) -> Option<&mut Block> {
        match self {
            Self::List(block) | Self::Mapping(block) => Some(block),
            Self::Expression { .. } | Self::Scalar { .. } => None,
        }
    }

    /// Whether there is a comment inside.
    pub(super) fn has_comments(&self) -> bool {
        self.block().is_some_and(Block::has_comments)
    }
}

impl Block {
    pub(super) fn has_comments(&self) -> bool {
        let commented = |item: &Item| !item.before.is_empty() || item.after.is_some() || item.value.has_comments();
        !self.tail.is_empty() || self.items.iter().any(commented)
    }

    /// Takes out the entry of a key.
    pub(super) fn take(&mut self, key: &str) -> Option<Item> {
        let at = self.items.iter().position(|item| item.key.as_ref().is_some_and(|known| known.text == key))?;
        Some(self.items.remove(at))
    }
}
