//! From the YAML tree to the contract as written, with every error of the file.
//!
//! INVARIANT: what this accepts is exactly what the JSON schema accepts, as far as JSON can say it. Both come from one
//! declaration, the `record!` macro: a struct, its decoder, and its schema.

mod canonical;
mod fields;
mod leaf;
mod record;
mod rule;

pub use canonical::Canonical;
pub(crate) use fields::{Fields, field_name, plain_text};
pub use leaf::{Leaf, Refusal, digits};
pub(crate) use leaf::{shorten, string, word};
pub(crate) use record::{record, rule_record, spread_record};
pub use rule::RuleKind;
pub(crate) use rule::{InRule, Record};

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::{Span, Spanned};
use crate::syntax::yaml::{Kind, Mapping, Node, Resolved, Scalar};

/// What can be read from a YAML node.
pub trait Decode: Sized {
    /// Reads it. `None` after an error was reported.
    fn decode(node: &Node, diagnostics: &mut Diagnostics) -> Option<Self>;

    /// The value of a field that is not there. `None`: the field is required.
    #[must_use]
    fn absent() -> Option<Self> {
        None
    }

    /// What stands in for a required value that is missing or wrong, once that was reported, so that the rest of the
    /// record is still checked. `None`: nothing sensible.
    #[must_use]
    fn recover(span: Span) -> Option<Self> {
        let _ = span;
        Self::absent()
    }
}

/// Something else was expected here.
pub(crate) fn wrong_type(node: &Node, expected: &str) -> Diagnostic {
    let found = node.what();
    let message = match found {
        "no value" => format!("expected {expected}, but there is no value"),
        _ => format!("expected {expected}, found {found}"),
    };
    Diagnostic::new(Code::WrongType, node.span, message)
}

/// The scalar of a node, or an error.
pub(crate) fn scalar<'n>(node: &'n Node, expected: &str, diagnostics: &mut Diagnostics) -> Option<&'n Scalar> {
    match &node.kind {
        Kind::Scalar(scalar) if scalar.resolve() != Resolved::Null || scalar.text == "null" => Some(scalar),
        Kind::Broken => None,
        _ => {
            diagnostics.push(wrong_type(node, expected));
            None
        }
    }
}

/// The mapping of a node, or an error.
pub(crate) fn mapping<'n>(node: &'n Node, expected: &str, diagnostics: &mut Diagnostics) -> Option<&'n Mapping> {
    match &node.kind {
        Kind::Mapping(mapping) => Some(mapping),
        Kind::Broken => None,
        _ => {
            diagnostics.push(wrong_type(node, expected));
            None
        }
    }
}

impl<T: Decode> Decode for Option<T> {
    fn decode(node: &Node, diagnostics: &mut Diagnostics) -> Option<Self> {
        T::decode(node, diagnostics).map(Some)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

impl<T: Leaf> Decode for Spanned<T> {
    fn decode(node: &Node, diagnostics: &mut Diagnostics) -> Option<Self> {
        let read = T::read(scalar(node, T::EXPECTED, diagnostics)?);
        match read {
            Ok(value) => Some(Self::new(value, node.span)),
            Err(refusal) => {
                diagnostics.push(refusal.at(node.span));
                None
            }
        }
    }

    fn recover(span: Span) -> Option<Self> {
        T::recover().map(|value| Self::new(value, span))
    }
}

/// A list. One that is not there is empty.
impl<T: Decode> Decode for Vec<T> {
    fn decode(node: &Node, diagnostics: &mut Diagnostics) -> Option<Self> {
        match &node.kind {
            Kind::Sequence { items, .. } => {
                Some(items.iter().filter_map(|item| T::decode(item, diagnostics)).collect())
            }
            Kind::Broken => None,
            _ => {
                diagnostics.push(wrong_type(node, "a list").help("write the items in `[ ]`, or one a line after `- `"));
                None
            }
        }
    }

    fn absent() -> Option<Self> {
        Some(Self::new())
    }
}

/// What can be read from a key.
pub trait Key: Sized {
    /// Reads it. `None` after an error was reported.
    fn read_key(key: &Scalar, diagnostics: &mut Diagnostics) -> Option<Self>;

    /// The schema of the names of the mapping's properties, if there is more to say than that they are strings.
    #[cfg(feature = "schema")]
    fn names(generator: &mut schemars::SchemaGenerator) -> Option<schemars::Schema>;
}

impl<T: Leaf> Key for Spanned<T> {
    fn read_key(key: &Scalar, diagnostics: &mut Diagnostics) -> Option<Self> {
        match T::read(key) {
            Ok(value) => Some(Self::new(value, key.span)),
            Err(refusal) => {
                diagnostics.push(refusal.at(key.span));
                None
            }
        }
    }

    #[cfg(feature = "schema")]
    fn names(generator: &mut schemars::SchemaGenerator) -> Option<schemars::Schema> {
        Some(generator.subschema_for::<Self>())
    }
}

/// A mapping from names that the author chose, in file order. One that is not there is empty.
#[derive(Clone, Debug, PartialEq)]
pub struct Map<K, V> {
    /// The entries; no two keys have the same text.
    pub entries: Vec<(K, V)>,
    /// The names of further entries, which could not be read. That was reported, so the names count as declared.
    pub broken: Vec<String>,
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Self { entries: Vec::new(), broken: Vec::new() }
    }
}

impl<K, V> Map<K, V> {
    /// The entries in file order, without the broken ones.
    pub fn iter(&self) -> std::slice::Iter<'_, (K, V)> {
        self.entries.iter()
    }

    /// Whether there are none, not even broken ones.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.broken.is_empty()
    }
}

impl<'a, K, V> IntoIterator for &'a Map<K, V> {
    type Item = &'a (K, V);
    type IntoIter = std::slice::Iter<'a, (K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<K: Key, V: Decode> Decode for Map<K, V> {
    fn decode(node: &Node, diagnostics: &mut Diagnostics) -> Option<Self> {
        let mapping = mapping(node, "a mapping", diagnostics)?;
        let mut entries = Vec::with_capacity(mapping.entries.len());
        let mut broken = Vec::new();
        for entry in &mapping.entries {
            let key = K::read_key(&entry.key, diagnostics);
            let value = V::decode(&entry.value, diagnostics);
            match key.zip(value) {
                Some(entry) => entries.push(entry),
                None => broken.push(entry.key.text.clone()),
            }
        }
        Some(Self { entries, broken })
    }

    fn absent() -> Option<Self> {
        Some(Self::default())
    }
}

/// One value, or a list of at least one.
#[derive(Clone, Debug, PartialEq)]
pub struct OneOrMany<T> {
    /// At least one.
    pub items: Vec<T>,
    /// Where.
    pub span: Span,
}

impl<T> OneOrMany<T> {
    /// The values.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }
}

impl<T: Decode> Decode for OneOrMany<T> {
    fn decode(node: &Node, diagnostics: &mut Diagnostics) -> Option<Self> {
        let items = match &node.kind {
            Kind::Sequence { items, .. } if items.is_empty() => {
                let message = "the list is empty, and needs at least one item";
                diagnostics.push(Diagnostic::new(Code::BadValue, node.span, message));
                return None;
            }
            Kind::Sequence { .. } => Vec::decode(node, diagnostics)?,
            _ => vec![T::decode(node, diagnostics)?],
        };
        (!items.is_empty()).then_some(Self { items, span: node.span })
    }
}

/// A list of at least two.
#[derive(Clone, Debug, PartialEq)]
pub struct TwoOrMore<T> {
    /// At least two, unless an error was reported.
    pub items: Vec<T>,
    /// Where.
    pub span: Span,
}

impl<T: Decode> Decode for TwoOrMore<T> {
    fn decode(node: &Node, diagnostics: &mut Diagnostics) -> Option<Self> {
        let items = Vec::decode(node, diagnostics)?;
        if let Kind::Sequence { items, .. } = &node.kind
            && items.len() < 2
        {
            let message = format!("the list has {} of at least two items", items.len());
            diagnostics.push(Diagnostic::new(Code::BadValue, node.span, message));
            return None;
        }
        Some(Self { items, span: node.span })
    }
}

#[cfg(test)]
mod tests;
