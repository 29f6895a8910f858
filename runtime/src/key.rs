//! Keys: type-tagged scalars that name an instance, borrowed while deciding, owned and canonical in the table.
//!
//! `"1"` and `1` are different keys, `1` and `1.0` are the same. A text longer than 256 bytes is kept as its SHA-256 digest,
//! so that the bytes of an instance are bounded.

use std::borrow::Cow;
use std::hash::{BuildHasher, Hash, Hasher};

use serde_json::Value;

use crate::value::{Est, Val};
use crate::{Decimal, Time};

/// The longest text that is kept as it is, in bytes.
const LONGEST_TEXT: usize = 256;

/// One component of a key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Part<'a> {
    /// A text of at most 256 bytes.
    Text(Cow<'a, str>),
    /// The SHA-256 digest of a longer text.
    Digest([u8; 32]),
    /// An exact number.
    Number(Decimal),
    /// A truth value.
    Bool(bool),
    /// A point in time.
    Time(Time),
}

/// The components of a key as evaluated. A component that is `None` (missing, null, not a scalar, not exact) makes the key
/// unreadable.
pub type Parts<'p> = &'p [Option<Part<'p>>];

impl<'a> Part<'a> {
    /// The component that a value makes.
    #[must_use]
    #[inline]
    pub fn new(value: Est<'a>) -> Option<Self> {
        match value? {
            Val::Text(text) => Self::text(text),
            Val::Number(number) => Some(Self::Number(number)),
            Val::Bool(value) => Some(Self::Bool(value)),
            Val::Time(time) => Some(Self::Time(time)),
            _ => None,
        }
    }

    /// The component that a JSON value makes.
    #[must_use]
    #[inline]
    pub fn json(value: Option<&'a Value>) -> Option<Self> {
        match value? {
            Value::String(text) => Self::text(Cow::Borrowed(text)),
            Value::Number(number) => Decimal::from_json(number).map(Self::Number),
            Value::Bool(value) => Some(Self::Bool(*value)),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        }
    }

    #[inline]
    fn text(text: Cow<'a, str>) -> Option<Self> {
        if text.len() <= LONGEST_TEXT { Some(Self::Text(text)) } else { Self::digest(&text) }
    }

    #[cfg(feature = "digest")]
    fn digest(text: &str) -> Option<Self> {
        Some(Self::Digest(crate::value::sha256(text.as_bytes())))
    }

    /// Without the feature `digest` a long text is no key; its rule is unestablished.
    #[cfg(not(feature = "digest"))]
    fn digest(_: &str) -> Option<Self> {
        None
    }

    /// The component for people and formats.
    fn to_json(&self) -> Value {
        match self {
            Self::Text(text) => Value::from(text.as_ref()),
            Self::Digest(digest) => {
                let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
                Value::from(format!("sha256:{hex}"))
            }
            Self::Number(number) => number.to_json().map_or_else(|| Value::from(number.to_string()), Value::Number),
            Self::Bool(value) => Value::from(*value),
            Self::Time(time) => Value::from(time.to_string()),
        }
    }

    fn into_owned(self) -> Part<'static> {
        match self {
            Self::Text(text) => Part::Text(Cow::Owned(text.into_owned())),
            Self::Digest(digest) => Part::Digest(digest),
            Self::Number(number) => Part::Number(number),
            Self::Bool(value) => Part::Bool(value),
            Self::Time(time) => Part::Time(time),
        }
    }
}

/// A key in the table of instances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    /// The common case: one text, one allocation.
    Text(Box<str>),
    /// Anything else.
    Parts(Box<[Part<'static>]>),
}

impl Key {
    /// The owned form of a readable key.
    pub(crate) fn new(parts: Parts<'_>) -> Self {
        if let [Some(Part::Text(text))] = parts {
            return Self::Text(text.as_ref().into());
        }
        Self::Parts(parts.iter().flatten().map(|part| part.clone().into_owned()).collect())
    }

    #[inline]
    pub(crate) fn is(&self, parts: Parts<'_>) -> bool {
        match (self, parts) {
            (Self::Text(own), [Some(Part::Text(text))]) => **own == **text,
            (Self::Text(_), _) => false,
            (Self::Parts(own), parts) => {
                own.len() == parts.len() && own.iter().zip(parts).all(|(own, part)| Some(own) == part.as_ref())
            }
        }
    }
}

/// The hash of a readable key; `None` where a component is missing.
#[inline]
pub(crate) fn hash(hasher: &impl BuildHasher, parts: Parts<'_>) -> Option<u64> {
    let mut state = hasher.build_hasher();
    for part in parts {
        hash_part(part.as_ref()?, &mut state);
    }
    Some(state.finish())
}

/// The same hash, of the owned form.
pub(crate) fn hash_owned(hasher: &impl BuildHasher, key: &Key) -> u64 {
    let mut state = hasher.build_hasher();
    match key {
        Key::Text(text) => hash_text(text, &mut state),
        Key::Parts(parts) => parts.iter().for_each(|part| hash_part(part, &mut state)),
    }
    state.finish()
}

#[inline]
fn hash_part(part: &Part<'_>, state: &mut impl Hasher) {
    match part {
        Part::Text(text) => hash_text(text, state),
        other => other.hash(state),
    }
}

#[inline]
fn hash_text(text: &str, state: &mut impl Hasher) {
    state.write(text.as_bytes());
    state.write_u8(0xff);
}

/// The components for people and formats; empty where the key cannot be read.
pub(crate) fn to_json(parts: Parts<'_>) -> Vec<Value> {
    if parts.iter().any(Option::is_none) {
        return Vec::new();
    }
    parts.iter().flatten().map(Part::to_json).collect()
}

/// The components of an owned key, likewise.
pub(crate) fn owned_to_json(key: &Key) -> Vec<Value> {
    match key {
        Key::Text(text) => vec![Value::from(text.as_ref())],
        Key::Parts(parts) => parts.iter().map(Part::to_json).collect(),
    }
}
