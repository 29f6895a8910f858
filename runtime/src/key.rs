//! Keys: type-tagged scalars that name an instance, borrowed while deciding, owned and canonical in the table.
//!
//! `"1"` and `1` are different keys, `1` and `1.0` are the same. A text longer than 256 bytes is kept as its SHA-256 digest,
//! so that the bytes of an instance are bounded.

use std::borrow::Cow;
use std::hash::{BuildHasher, Hash, Hasher};

use serde_json::Value;

use crate::exact::{Saved, read_nanos};
use crate::value::{Est, Val};
use crate::{Decimal, Time};

/// The longest text that is kept as it is, in bytes.
const LONGEST_TEXT: usize = 256;

/// One component of a key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    /// Nothing, for rules with `missing: skip`: an event whose key has such a component is left out.
    Absent,
    /// Known with the result of the call: until then it may be any key, and needs a slot.
    Later,
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

    /// The component that a value makes, for rules with `missing: skip`.
    ///
    /// What is not established counts as absent, so this is for paths as they are: in a path that an operation wraps, a
    /// value of the wrong type is not absent.
    #[must_use]
    #[inline]
    pub fn new_or_skip(value: Est<'a>) -> Option<Self> {
        match value {
            None | Some(Val::Null) => Some(Self::Absent),
            value => Self::new(value),
        }
    }

    /// The component that an operation makes of the value at a path, for rules with `missing: skip`: absent is what the path
    /// does not lead to, whatever the operation says.
    #[must_use]
    pub fn wrapped_or_skip(path: &Est<'_>, value: Est<'a>) -> Option<Self> {
        match path {
            None | Some(Val::Null) => Some(Self::Absent),
            Some(_) => Self::new(value),
        }
    }

    /// The component that a JSON value makes, likewise.
    #[must_use]
    #[inline]
    pub fn json_or_skip(value: Option<&'a Value>) -> Option<Self> {
        match value {
            None | Some(Value::Null) => Some(Self::Absent),
            value => Self::json(value),
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
            Self::Digest(digest) => Value::from(format!("sha256:{}", hex(digest))),
            Self::Number(number) => number.to_json().map_or_else(|| Value::from(number.to_string()), Value::Number),
            Self::Bool(value) => Value::from(*value),
            Self::Time(time) => Value::from(time.to_string()),
            Self::Absent | Self::Later => Value::Null,
        }
    }

    pub(crate) fn into_owned(self) -> Part<'static> {
        match self {
            Self::Text(text) => Part::Text(Cow::Owned(text.into_owned())),
            Self::Digest(digest) => Part::Digest(digest),
            Self::Number(number) => Part::Number(number),
            Self::Bool(value) => Part::Bool(value),
            Self::Time(time) => Part::Time(time),
            Self::Absent => Part::Absent,
            Self::Later => Part::Later,
        }
    }
}

impl Saved for Part<'static> {
    /// A text of one letter for the type, a colon, and the component: unlike [`Part::to_json`], it can be read back.
    fn save(&self) -> Value {
        Value::from(match self {
            Self::Text(text) => format!("t:{text}"),
            Self::Digest(digest) => format!("d:{}", hex(digest)),
            Self::Number(number) => format!("n:{number}"),
            Self::Bool(value) => format!("b:{value}"),
            Self::Time(time) => format!("w:{}", time.as_nanos()),
            Self::Absent | Self::Later => String::new(),
        })
    }

    fn load(saved: &Value) -> Option<Self> {
        let (tag, text) = saved.as_str()?.split_once(':')?;
        match tag {
            "t" => (text.len() <= LONGEST_TEXT).then(|| Self::Text(Cow::Owned(text.to_owned()))),
            "d" => read_hex(text).map(Self::Digest),
            "n" => Decimal::parse(text).map(Self::Number),
            "b" => text.parse().ok().map(Self::Bool),
            "w" => read_nanos(text).map(Self::Time),
            _ => None,
        }
    }
}

fn hex(digest: &[u8; 32]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn read_hex(text: &str) -> Option<[u8; 32]> {
    let mut digest = [0; 32];
    if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    for (byte, at) in digest.iter_mut().zip((0..64_usize).step_by(2)) {
        *byte = u8::from_str_radix(text.get(at..at.saturating_add(2))?, 16).ok()?;
    }
    Some(digest)
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

impl Saved for Key {
    fn save(&self) -> Value {
        match self {
            Self::Text(text) => Value::Array(vec![Value::from(format!("t:{text}"))]),
            Self::Parts(parts) => parts.iter().map(Saved::save).collect(),
        }
    }

    fn load(saved: &Value) -> Option<Self> {
        let parts: Vec<Option<Part<'static>>> =
            saved.as_array()?.iter().map(|part| Part::load(part).map(Some)).collect::<Option<_>>()?;
        if parts.is_empty() { None } else { Some(Self::new(&parts)) }
    }
}

/// The hash of a key that names an instance; `None` where a component is missing.
#[inline]
pub(crate) fn hash(hasher: &impl BuildHasher, parts: Parts<'_>) -> Option<u64> {
    let mut state = hasher.build_hasher();
    for part in parts {
        match part {
            None | Some(Part::Absent | Part::Later) => return None,
            Some(part) => hash_part(part, &mut state),
        }
    }
    Some(state.finish())
}

/// Feeds a key that names an instance to a hash that must not change from build to build or from machine to machine.
pub(crate) fn feed(parts: Parts<'_>, hasher: &mut impl Hasher) {
    parts.iter().flatten().for_each(|part| feed_part(part, hasher));
}

/// The same, of the owned form.
pub(crate) fn feed_owned(key: &Key, hasher: &mut impl Hasher) {
    match key {
        Key::Text(text) => feed_text(text, hasher),
        Key::Parts(parts) => parts.iter().for_each(|part| feed_part(part, hasher)),
    }
}

/// A letter for the type, then the component. A text ends with a byte that no text has; all else is of one length.
fn feed_part(part: &Part<'_>, hasher: &mut impl Hasher) {
    match part {
        Part::Text(text) => feed_text(text, hasher),
        Part::Digest(digest) => {
            hasher.write(b"d");
            hasher.write(digest);
        }
        Part::Number(number) => {
            hasher.write(b"n");
            hasher.write(&number.mantissa().to_le_bytes());
            hasher.write(&[number.scale()]);
        }
        Part::Bool(value) => hasher.write(&[b'b', u8::from(*value)]),
        Part::Time(time) => {
            hasher.write(b"w");
            hasher.write(&time.as_nanos().to_le_bytes());
        }
        Part::Absent | Part::Later => {}
    }
}

fn feed_text(text: &str, hasher: &mut impl Hasher) {
    hasher.write(b"t");
    hasher.write(text.as_bytes());
    hasher.write(&[0xff]);
}

/// Whether the key is known only with the result.
pub(crate) fn is_later(parts: Parts<'_>) -> bool {
    parts.iter().any(|part| matches!(part, Some(Part::Later)))
}

/// Whether an event with this key is left out of its rule.
pub(crate) fn is_skipped(parts: Parts<'_>) -> bool {
    parts.iter().any(|part| matches!(part, Some(Part::Absent)))
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

/// The components for people and formats; empty where the key cannot be read or is left out.
pub(crate) fn to_json(parts: Parts<'_>) -> Vec<Value> {
    if parts.iter().any(|part| matches!(part, None | Some(Part::Absent | Part::Later))) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_read_back_as_they_were_saved() {
        let parts = [
            Part::Text(Cow::Borrowed("n:1")),
            Part::Text(Cow::Borrowed("")),
            Part::Digest([171; 32]),
            Part::Number(Decimal::parse("-1.25").unwrap()),
            Part::Bool(true),
            Part::Time(Time::MIN),
        ];
        for part in parts {
            assert_eq!(Part::load(&part.save()), Some(part));
        }
        for wrong in ["x:1", "n:01", "d:ab", "w:1e3", "b:yes", "1", ""] {
            assert_eq!(Part::load(&Value::from(wrong)), None, "{wrong}");
        }
        assert_eq!(Part::load(&Value::from(format!("t:{}", "x".repeat(257)))), None);
        assert_eq!(Part::load(&Value::from(1)), None);
    }

    #[test]
    fn only_what_is_not_there_is_left_out() {
        assert_eq!(Part::json_or_skip(None), Some(Part::Absent));
        assert_eq!(Part::json_or_skip(Some(&Value::Null)), Some(Part::Absent));
        assert_eq!(Part::json_or_skip(Some(&Value::from(Vec::<Value>::new()))), None);
        assert_eq!(Part::new_or_skip(Some(Val::Inexact)), None);
        assert!(is_skipped(&[None, Some(Part::Absent)]));
        assert!(to_json(&[Some(Part::Absent)]).is_empty());
    }
}
