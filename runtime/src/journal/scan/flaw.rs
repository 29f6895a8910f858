//! What can be wrong with a line by itself.

use std::fmt;

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// Not the canonical JSON of a record.
    NotCanonical {
        /// The first byte that is not as it must be, counted from 0.
        at: usize,
        /// What would have to be there.
        expected: String,
        /// What is there instead, where that explains something.
        found: Option<&'static str>,
    },
    /// Not UTF-8.
    NotUtf8 {
        /// The first byte that is not.
        at: usize,
    },
    /// Another record follows on the same line.
    Glued {
        /// Where it begins.
        at: usize,
    },
    /// The line is longer than records are.
    TooLong,
    /// The last line has no newline: a write that was cut off.
    Torn,
    /// The record is not what its hash was made of.
    Edited,
}

impl Flaw {
    /// Names what is at the place of the flaw.
    pub(super) fn explained(self, line: &[u8]) -> Self {
        let Self::NotCanonical { at, expected, .. } = self else { return self };
        let found = match line.get(at..).unwrap_or_default() {
            [] if at == 0 => Some("an empty line"),
            [] => Some("the end of the line"),
            [b'\r'] => Some("a carriage return: lines end in a newline alone"),
            [0xef, 0xbb, 0xbf, ..] => Some("a byte order mark"),
            [b' ' | b'\t' | b'\r', ..] => Some("white space"),
            [b'\\', b'u', ..] => Some("an escape that is not the shortest"),
            [b'.' | b'e' | b'E' | b'-' | b'+', ..] => Some("a number in another spelling"),
            [0..0x20, ..] => Some("a control character"),
            _ => None,
        };
        Self::NotCanonical { at, expected, found }
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotCanonical { at, expected, found } => {
                write!(f, "not a record in canonical JSON: at byte {at}, expected {expected}")?;
                found.map_or(Ok(()), |found| write!(f, ", found {found}"))
            }
            Self::NotUtf8 { at } => write!(f, "not UTF-8 at byte {at}"),
            Self::Glued { at } => write!(f, "two records on one line: another begins at byte {at}"),
            Self::TooLong => f.write_str("longer than a record can be"),
            Self::Torn => f.write_str("the last line has no newline: its write was cut off"),
            Self::Edited => f.write_str("the record does not have the hash that it states"),
        }
    }
}

impl std::error::Error for Flaw {}
