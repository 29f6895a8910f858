//! What is left of a line, and how its values are taken off.

use super::flaw::Flaw;
use super::time;
use crate::journal::canonical::MAX_INTEGER;
use crate::journal::record::{Member, Shape};

/// What is left of a line.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'a> {
    length: usize,
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(super) fn new(line: &'a [u8]) -> Self {
        Self { length: line.len(), rest: line }
    }

    /// How far it is.
    pub(super) fn at(&self) -> usize {
        // What is left is a part of the line.
        self.length.saturating_sub(self.rest.len())
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// A flaw at this place.
    pub(super) fn flaw(&self, expected: &str) -> Flaw {
        Flaw::NotCanonical { at: self.at(), expected: expected.to_owned(), found: None }
    }

    /// Takes these bytes off.
    pub(super) fn expect(&mut self, bytes: &[u8], what: &str) -> Result<(), Flaw> {
        if self.eat(bytes) {
            return Ok(());
        }
        Err(if what.starts_with('`') { self.flaw(what) } else { self.flaw(&format!("the field `{what}`")) })
    }

    fn eat(&mut self, bytes: &[u8]) -> bool {
        match self.rest.strip_prefix(bytes) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Takes a value of this shape off.
    pub(super) fn value(&mut self, shape: &Shape) -> Result<(), Flaw> {
        match *shape {
            Shape::Bool if self.eat(b"true") || self.eat(b"false") => Ok(()),
            Shape::Bool => Err(self.flaw("`true` or `false`")),
            Shape::Integer => self.integer().map(drop),
            Shape::Text => self.string().map(drop),
            Shape::Time => self.checked("a time such as `2026-01-01T10:00:00.000Z`", time::is_canonical),
            Shape::Hex(bytes) => {
                let digits = bytes.saturating_mul(2);
                self.checked("lower-case hexadecimal digits of the right number", |text| {
                    text.len() == digits && text.iter().all(|byte| nibble(*byte).is_some())
                })
            }
            Shape::Base64(bytes) => self.checked("base64 of the right length", |text| is_base64(text, bytes)),
            Shape::Word(words) => self.checked("one of the words that the format has here", |text| {
                words.iter().any(|word| word.as_bytes() == text)
            }),
            Shape::Nullable(_) if self.eat(b"null") => Ok(()),
            Shape::Nullable(inner) => self.value(inner),
            Shape::List(inner) => self.list(inner),
            Shape::Object(members) => self.object(members),
        }
    }

    fn list(&mut self, inner: &Shape) -> Result<(), Flaw> {
        self.expect(b"[", "`[`")?;
        if self.eat(b"]") {
            return Ok(());
        }
        loop {
            self.value(inner)?;
            if self.eat(b"]") {
                return Ok(());
            }
            self.expect(b",", "`,` or `]`")?;
        }
    }

    fn object(&mut self, members: &[Member]) -> Result<(), Flaw> {
        let mut before: &[u8] = b"{\"";
        for member in members {
            if !(self.eat(before) && self.eat(member.name.as_bytes()) && self.eat(b"\":")) {
                return Err(self.flaw(&format!("the field `{}`", member.name)));
            }
            before = b",\"";
            self.value(&member.shape)?;
        }
        self.expect(b"}", "`}`")
    }

    /// Takes an integer off.
    pub(super) fn integer(&mut self) -> Result<u64, Flaw> {
        let digits = self.rest.iter().take(17).take_while(|byte| byte.is_ascii_digit()).count();
        let (text, rest) = self.rest.split_at_checked(digits).unwrap_or_default();
        let number = text.iter().fold(0_u64, |number, digit| {
            // At most 17 digits.
            number.wrapping_mul(10).wrapping_add(u64::from(digit.wrapping_sub(b'0')))
        });
        let canonical = !text.is_empty() && (text == b"0" || !text.starts_with(b"0"));
        if !canonical || number > MAX_INTEGER {
            return Err(self.flaw("an integer from 0 to 2^53−1"));
        }
        self.rest = rest;
        Ok(number)
    }

    /// Takes a string off that stands for bytes.
    pub(super) fn hex<const N: usize>(&mut self) -> Result<[u8; N], Flaw> {
        let before = self.clone();
        let text = self.string()?;
        let mut bytes = [0; N];
        let (pairs, odd) = text.as_chunks::<2>();
        let read = pairs.iter().zip(&mut bytes).all(|([high, low], byte)| match (nibble(*high), nibble(*low)) {
            (Some(high), Some(low)) => {
                *byte = high << 4 | low;
                true
            }
            _ => false,
        });
        if read && odd.is_empty() && pairs.len() == N {
            return Ok(bytes);
        }
        Err(before.flaw("lower-case hexadecimal digits of the right number"))
    }

    fn checked(&mut self, expected: &str, is: impl FnOnce(&[u8]) -> bool) -> Result<(), Flaw> {
        let before = self.clone();
        let text = self.string()?;
        if is(text) { Ok(()) } else { Err(before.flaw(expected)) }
    }

    /// Takes a string off; what is between its quotation marks, as it is spelled.
    pub(super) fn string(&mut self) -> Result<&'a [u8], Flaw> {
        self.expect(b"\"", "`\"`, a string")?;
        let begin = self.rest;
        loop {
            let plain = plain(self.rest);
            let (_, rest) = self.rest.split_at_checked(plain).unwrap_or_default();
            self.rest = rest;
            match rest {
                [b'"', after @ ..] => {
                    let length = begin.len().saturating_sub(rest.len());
                    self.rest = after;
                    return Ok(begin.get(..length).unwrap_or_default());
                }
                [b'\\', after @ ..] => match escape(after) {
                    Some(rest) => self.rest = rest,
                    None => return Err(self.flaw("a character as itself, or its shortest escape")),
                },
                _ => return Err(self.flaw("`\"`, the end of a string")),
            }
        }
    }
}

/// What follows an escape, if it is the shortest of its character (RFC 8785 §3.2.2.2).
fn escape(after: &[u8]) -> Option<&[u8]> {
    match after {
        [b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't', rest @ ..] => Some(rest),
        [b'u', b'0', b'0', b'0', b'0'..=b'7' | b'b' | b'e' | b'f', rest @ ..] => Some(rest),
        [b'u', b'0', b'0', b'1', low, rest @ ..] if nibble(*low).is_some() => Some(rest),
        _ => None,
    }
}

/// How many bytes of a string stand for themselves, from here on. Eight at a time.
fn plain(bytes: &[u8]) -> usize {
    let (words, tail) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let marks = special(u64::from_le_bytes(*word));
        if marks != 0 {
            let within = usize::try_from(marks.trailing_zeros() / 8).unwrap_or_default();
            return index.saturating_mul(8).saturating_add(within);
        }
    }
    let whole = words.len().saturating_mul(8);
    let within = tail.iter().position(|byte| crate::journal::canonical::needs_escape(*byte));
    whole.saturating_add(within.unwrap_or(tail.len()))
}

/// The highest bit of each byte that is a control character, a quotation mark or a backslash; above the first such byte,
/// others may be marked as well. (Warren, Hacker's Delight, §6-1.)
const fn special(word: u64) -> u64 {
    const ONES: u64 = u64::MAX / 255;
    const HIGH: u64 = ONES << 7;
    const QUOTES: u64 = ONES.wrapping_mul(b'"' as u64);
    const BACKSLASHES: u64 = ONES.wrapping_mul(b'\\' as u64);
    const SPACES: u64 = ONES.wrapping_mul(b' ' as u64);
    let control = word.wrapping_sub(SPACES) & !word;
    let quote = word ^ QUOTES;
    let quote = quote.wrapping_sub(ONES) & !quote;
    let backslash = word ^ BACKSLASHES;
    let backslash = backslash.wrapping_sub(ONES) & !backslash;
    (control | quote | backslash) & HIGH
}

fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => digit.checked_sub(b'0'),
        b'a'..=b'f' => digit.checked_sub(b'a' - 10),
        _ => None,
    }
}

fn is_base64(text: &[u8], bytes: usize) -> bool {
    use base64ct::{Base64, Encoding as _};
    let text = std::str::from_utf8(text).unwrap_or_default();
    // One spelling for each value.
    Base64::decode_vec(text).is_ok_and(|decoded| decoded.len() == bytes && Base64::encode_string(&decoded) == text)
}

/// The text that a canonical JSON string stands for.
pub(super) fn decoded(raw: &str) -> Option<String> {
    serde_json::from_str(raw).ok()
}
