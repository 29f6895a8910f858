//! Records: what a line of a journal says.
//!
//! INVARIANT: a line is the canonical JSON (RFC 8785) of a flat object with exactly the fields of its kind, so each record has
//! one spelling, and its hash is that of its own bytes without the member `hash`. What agents chose is inside strings.

mod field;
mod kinds;
mod object;
mod parts;
mod shape;

#[cfg(test)]
pub(super) mod tests;

use std::fmt;

use serde_json::Value;

pub use self::field::{Base64, Field, Hex, Text, Wrong};
pub use self::kinds::*;
pub use self::parts::*;
pub use self::shape::{Kind, Member, Shape};

use self::object::{COMMON, Members};
use crate::Time;
use crate::value::sha256;

/// The version of the format.
pub const VERSION: u64 = 1;

/// The random name of a journal.
pub type Id = Hex<8>;

/// The hash before the first record.
pub const NO_HASH: Hash = Hex([0; 32]);

/// What all records have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head<'a> {
    /// When, by the clock of the session.
    pub at: Time,
    /// In which journal.
    pub journal: Id,
    /// The hash of the record before; [`NO_HASH`] in the first.
    pub prev: Hash,
    /// How many records there were before, in all segments.
    pub seq: u64,
    /// Of which session; `None` for a record about the journal itself.
    pub session: Option<Text<'a>>,
}

/// A record that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// What all records have.
    pub head: Head<'static>,
    /// Its own hash, as it says.
    pub hash: Hash,
    /// What it says.
    pub body: Body<'static>,
}

/// Appends a record as a line, with its line end. Returns its hash.
pub fn encode(head: &Head<'_>, body: &Body<'_>, out: &mut Vec<u8>) -> Hash {
    let start = out.len();
    let mut members = Members::of_record(out, head, body.kind());
    body.members(&mut members);
    let hash_at = members.end();
    let hash = Hex(sha256(out.get(start..).unwrap_or_default()));
    let mut member = Vec::with_capacity(HASH_MEMBER);
    member.extend_from_slice(b",\"hash\":");
    hash.write(&mut member);
    out.splice(hash_at..hash_at, member);
    out.push(b'\n');
    hash
}

/// The length of the member `hash`, with the comma before it.
pub const HASH_MEMBER: usize = 74;

/// The fields that every record has, in canonical order.
pub const COMMON_FIELDS: &[Member] = &[
    Member { name: "at", shape: Shape::Time, about: " When, by the clock of the session." },
    Member { name: "hash", shape: Shape::Hex(32), about: " SHA-256 of the line without this field." },
    Member { name: "journal", shape: Shape::Hex(8), about: " The random name of the journal." },
    Member { name: "kind", shape: Shape::Text, about: " The kind of record." },
    Member { name: "prev", shape: Shape::Hex(32), about: " The `hash` of the record before; zeros in the first." },
    Member { name: "seq", shape: Shape::Integer, about: " How many records there were before, in all segments." },
    Member {
        name: "session",
        shape: Shape::Nullable(&Shape::Text),
        about: " The session; `null` for a record about the journal itself.",
    },
    Member { name: "v", shape: Shape::Integer, about: " The version of the format, 1." },
];

/// Why a line is no record.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecodeError {
    /// It is no JSON.
    Syntax(String),
    /// It is of another version of the format.
    Version,
    /// It is not what its kind says.
    Wrong(Wrong),
    /// It says the same as a record, in another spelling.
    NotCanonical,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(error) => write!(f, "not JSON: {error}"),
            Self::Version => write!(f, "of another version of the format than {VERSION}"),
            Self::Wrong(wrong) => wrong.fmt(f),
            Self::NotCanonical => f.write_str("not in canonical form (RFC 8785)"),
        }
    }
}

impl std::error::Error for DecodeError {}

impl From<Wrong> for DecodeError {
    fn from(wrong: Wrong) -> Self {
        Self::Wrong(wrong)
    }
}

impl Record {
    /// Reads a line, without its line end. Whether its hash is right is for `verify` to say.
    ///
    /// # Errors
    /// If the line is no record in canonical form.
    pub fn decode(line: &[u8]) -> Result<Self, DecodeError> {
        let value: Value = serde_json::from_slice(line).map_err(|error| DecodeError::Syntax(error.to_string()))?;
        let object = value.as_object().ok_or(Wrong::new("an object"))?;
        if object.get("v").and_then(Value::as_u64) != Some(VERSION) {
            return Err(DecodeError::Version);
        }
        let kind = object.get("kind").and_then(Value::as_str).unwrap_or_default();
        let body = Body::read(kind, object)?;
        let own = KINDS.iter().find(|known| known.name == kind).map_or(0, |known| known.fields.len());
        if object.len() != own.saturating_add(COMMON.len()) {
            return Err(Wrong::new("no other fields than those of its kind").into());
        }
        let head = Head {
            at: field::member(object, "at")?,
            journal: field::member(object, "journal")?,
            prev: field::member(object, "prev")?,
            seq: field::member(object, "seq")?,
            session: field::member(object, "session")?,
        };
        let hash = field::member(object, "hash")?;
        let record = Self { head, hash, body };
        // Reading is lenient where writing is not: duplicate names, spaces, other spellings.
        if record.line() == line { Ok(record) } else { Err(DecodeError::NotCanonical) }
    }

    /// The line that says this, with the hash that the record has, without a line end.
    #[must_use]
    pub fn line(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut members = Members::of_record(&mut out, &self.head, self.body.kind());
        self.body.members(&mut members);
        let hash_at = members.end();
        let mut member = b",\"hash\":".to_vec();
        self.hash.write(&mut member);
        out.splice(hash_at..hash_at, member);
        out
    }

    /// The hash that the record should have.
    #[must_use]
    pub fn expected_hash(&self) -> Hash {
        let mut out = Vec::new();
        encode(&self.head, &self.body, &mut out)
    }
}
