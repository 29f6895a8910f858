//! One pass over the bytes of a line: is it a record, in the one spelling that a record has?
//!
//! INVARIANT: what is accepted is exactly what [`Record::encode`](super::Record) can write. A record has one spelling
//! (RFC 8785), so its hash can be taken of the bytes as they are, and two readers cannot see two different records in a line.
//! The format is closed: the scanner follows the declared fields, needs no tree, and its depth is theirs.

mod cursor;
mod flaw;
mod plan;
mod time;

use std::ops::Range;

use sha2::{Digest as _, Sha256};

use super::record::{Hash, Id};
use cursor::{Cursor, decoded};
use plan::Plan;

pub use flaw::Flaw;

/// The longest line that is read, with its newline.
pub const MAX_LINE: usize = 16 << 20;

/// The most fields that a record has.
const FIELDS: usize = 32;

/// A line that is a record, and where its fields are.
#[derive(Clone, Debug)]
pub struct Scanned<'a> {
    line: &'a str,
    plan: &'static Plan,
    /// Where the value of each field begins and ends, in the order of the plan.
    values: [(usize, usize); FIELDS],
    /// The member `hash` with its comma.
    cut: (usize, usize),
    /// What the record says that its hash is.
    pub hash: Hash,
    /// The hash of the record before.
    pub prev: Hash,
    /// The journal that the record is of.
    pub journal: Id,
    /// The place of the record in its journal.
    pub seq: u64,
}

impl<'a> Scanned<'a> {
    /// The line, without its newline.
    #[must_use]
    pub fn line(&self) -> &'a str {
        self.line
    }

    /// The kind of record.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.plan.kind
    }

    /// The canonical JSON of a field's value.
    #[must_use]
    pub fn raw(&self, field: &str) -> Option<&'a str> {
        self.line.get(self.span(field)?)
    }

    /// Where the value of a field is in the line.
    #[must_use]
    pub fn span(&self, field: &str) -> Option<Range<usize>> {
        let at = self.plan.members.iter().position(|member| member.name == field)?;
        self.values.get(at).map(|(from, to)| *from..*to)
    }

    /// A field that is a number.
    #[must_use]
    pub fn integer(&self, field: &str) -> Option<u64> {
        self.raw(field)?.parse().ok()
    }

    /// Whether a field is `true`.
    #[must_use]
    pub fn is_true(&self, field: &str) -> bool {
        self.raw(field) == Some("true")
    }

    /// The hash that the record has: SHA-256 of its canonical JSON without the member `hash`.
    #[must_use]
    pub fn computed(&self) -> Hash {
        let (from, to) = self.cut;
        let bytes = self.line.as_bytes();
        let mut hasher = Sha256::new();
        hasher.update(bytes.get(..from).unwrap_or_default());
        hasher.update(bytes.get(to..).unwrap_or_default());
        super::record::Hex(hasher.finalize().into())
    }
}

/// Scans a line, given without its newline. The hash is not compared: see [`Scanned::computed`].
///
/// # Errors
/// If the line is anything but the canonical JSON of one record.
pub fn scan(line: &[u8]) -> Result<Scanned<'_>, Flaw> {
    let text = std::str::from_utf8(line).map_err(|error| Flaw::NotUtf8 { at: error.valid_up_to() })?;
    match walk(text) {
        Ok(scanned) => Ok(scanned),
        // A carriage return or a space explains more than the field that it is in the way of.
        Err(flaw) => Err(flaw.explained(line)),
    }
}

fn walk(text: &str) -> Result<Scanned<'_>, Flaw> {
    let line = text.as_bytes();
    let mut cursor = Cursor::new(line);
    cursor.expect(b"{", "`{`")?;
    let plan = plan::of(text).ok_or_else(|| cursor.flaw("a record of a known kind"))?;
    let mut scanned = Scanned {
        line: text,
        plan,
        values: [(0, 0); FIELDS],
        cut: (0, 0),
        hash: super::record::Hex([0; 32]),
        prev: super::record::Hex([0; 32]),
        journal: super::record::Hex([0; 8]),
        seq: 0,
    };
    for (member, value) in plan.members.iter().zip(&mut scanned.values) {
        let before = cursor.at();
        cursor.expect(&member.opening, member.name)?;
        let from = cursor.at();
        match member.name {
            "hash" => {
                scanned.hash = super::record::Hex(cursor.hex()?);
                scanned.cut = (before, cursor.at());
            }
            "prev" => scanned.prev = super::record::Hex(cursor.hex()?),
            "journal" => scanned.journal = super::record::Hex(cursor.hex()?),
            "seq" => scanned.seq = cursor.integer()?,
            "kind" => cursor.expect(&plan.quoted, "`kind` as it was found")?,
            "v" => cursor.expect(b"1", "`1`, the version of the format")?,
            _ => cursor.value(&member.shape)?,
        }
        *value = (from, cursor.at());
    }
    cursor.expect(b"}", "`}`, the end of the record")?;
    match cursor.rest() {
        [] => Ok(scanned),
        [b'{', ..] => Err(Flaw::Glued { at: cursor.at() }),
        _ => Err(cursor.flaw("a newline")),
    }
}

/// The text that a canonical JSON string stands for.
#[must_use]
pub fn unescaped(raw: &str) -> Option<String> {
    decoded(raw)
}

#[cfg(test)]
mod tests;
