//! Values as fields of records: written in canonical form, read back strictly.

use std::borrow::Cow;
use std::fmt;

use serde_json::{Map, Value};

use super::shape::Shape;
use crate::call::Status;
use crate::journal::base64;
use crate::journal::canonical::{self, MAX_INTEGER};
use crate::{Decision, Effect, Mode, RefusalKind, Severity, Time, Verdict};

/// A text that is borrowed where a record is written, and owned where it was read.
pub type Text<'a> = Cow<'a, str>;

/// A value that a record can hold.
pub trait Field: Sized {
    /// What its JSON may be.
    const SHAPE: Shape;

    /// Appends its canonical JSON.
    fn write(&self, out: &mut Vec<u8>);

    /// Reads it.
    ///
    /// # Errors
    /// If the value is not of the shape.
    fn read(value: &Value) -> Result<Self, Wrong>;
}

/// A value that is not of its shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// Where it is, from the record: names and positions.
    path: Vec<Cow<'static, str>>,
    expected: &'static str,
}

impl Wrong {
    /// What was expected, such as `a string`.
    #[must_use]
    pub fn new(expected: &'static str) -> Self {
        Self { path: Vec::new(), expected }
    }

    /// The same, one level further out.
    #[must_use]
    pub fn within(mut self, step: impl Into<Cow<'static, str>>) -> Self {
        self.path.insert(0, step.into());
        self
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            write!(f, "expected {}", self.expected)
        } else {
            write!(f, "`{}`: expected {}", self.path.join("."), self.expected)
        }
    }
}

impl std::error::Error for Wrong {}

/// Reads a member of an object.
pub(super) fn member<T: Field>(object: &Map<String, Value>, name: &'static str) -> Result<T, Wrong> {
    let value = object.get(name).ok_or_else(|| Wrong::new("this field").within(name))?;
    T::read(value).map_err(|wrong| wrong.within(name))
}

impl Field for bool {
    const SHAPE: Shape = Shape::Bool;

    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(if *self { b"true" } else { b"false" });
    }

    fn read(value: &Value) -> Result<Self, Wrong> {
        value.as_bool().ok_or(Wrong::new("`true` or `false`"))
    }
}

impl Field for u64 {
    const SHAPE: Shape = Shape::Integer;

    fn write(&self, out: &mut Vec<u8>) {
        // Counters stop where other readers would.
        canonical::write_integer(out, (*self).min(MAX_INTEGER));
    }

    fn read(value: &Value) -> Result<Self, Wrong> {
        value.as_u64().filter(|integer| *integer <= MAX_INTEGER).ok_or(Wrong::new("an integer from 0 to 2^53−1"))
    }
}

impl Field for Text<'_> {
    const SHAPE: Shape = Shape::Text;

    fn write(&self, out: &mut Vec<u8>) {
        canonical::write_string(out, self);
    }

    fn read(value: &Value) -> Result<Self, Wrong> {
        value.as_str().map(|text| Cow::Owned(text.to_owned())).ok_or(Wrong::new("a string"))
    }
}

impl Field for Time {
    const SHAPE: Shape = Shape::Time;

    fn write(&self, out: &mut Vec<u8>) {
        use std::io::Write as _;
        // Writing to a vector does not fail.
        let _ = write!(out, "\"{self}\"");
    }

    fn read(value: &Value) -> Result<Self, Wrong> {
        let text = value.as_str().unwrap_or_default();
        Self::parse(text)
            .filter(|time| time.to_string() == text)
            .ok_or(Wrong::new("a time such as `2026-01-01T10:00:00.000Z`"))
    }
}

impl<T: Field> Field for Option<T> {
    const SHAPE: Shape = Shape::Nullable(&T::SHAPE);

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Some(value) => value.write(out),
            None => out.extend_from_slice(b"null"),
        }
    }

    fn read(value: &Value) -> Result<Self, Wrong> {
        if value.is_null() { Ok(None) } else { T::read(value).map(Some) }
    }
}

impl<T: Field> Field for Vec<T> {
    const SHAPE: Shape = Shape::List(&T::SHAPE);

    fn write(&self, out: &mut Vec<u8>) {
        out.push(b'[');
        for (index, element) in self.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            element.write(out);
        }
        out.push(b']');
    }

    fn read(value: &Value) -> Result<Self, Wrong> {
        let list = value.as_array().ok_or(Wrong::new("a list"))?;
        let element = |(index, element)| T::read(element).map_err(|wrong: Wrong| wrong.within(format!("{index}")));
        list.iter().enumerate().map(element).collect()
    }
}

/// Bytes in lower-case hexadecimal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hex<const N: usize>(pub [u8; N]);

impl<const N: usize> Hex<N> {
    /// Reads lower-case hexadecimal digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => byte.checked_sub(b'0'),
            b'a'..=b'f' => byte.checked_sub(b'a' - 10),
            _ => None,
        };
        let mut bytes = [0; N];
        let pairs = text.as_bytes().chunks_exact(2);
        if Some(text.len()) != N.checked_mul(2) {
            return None;
        }
        for (byte, pair) in bytes.iter_mut().zip(pairs) {
            let &[high, low] = pair else { return None };
            *byte = digit(high)? << 4 | digit(low)?;
        }
        Some(Self(bytes))
    }
}

impl<const N: usize> fmt::Display for Hex<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl<const N: usize> fmt::Debug for Hex<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<const N: usize> Field for Hex<N> {
    const SHAPE: Shape = Shape::Hex(N);

    fn write(&self, out: &mut Vec<u8>) {
        out.push(b'"');
        canonical::push_hex(out, &self.0);
        out.push(b'"');
    }

    fn read(value: &Value) -> Result<Self, Wrong> {
        value.as_str().and_then(Self::parse).ok_or(Wrong::new("lower-case hexadecimal digits of the right number"))
    }
}

/// Bytes in base64: keys and signatures.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Base64<const N: usize>(pub [u8; N]);

impl<const N: usize> Base64<N> {
    /// Reads padded base64.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        base64::decode(text)?.try_into().ok().map(Self)
    }
}

impl<const N: usize> fmt::Display for Base64<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&base64::encode(&self.0))
    }
}

impl<const N: usize> fmt::Debug for Base64<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<const N: usize> Field for Base64<N> {
    const SHAPE: Shape = Shape::Base64(N);

    fn write(&self, out: &mut Vec<u8>) {
        canonical::write_string(out, &self.to_string());
    }

    fn read(value: &Value) -> Result<Self, Wrong> {
        value.as_str().and_then(Self::parse).ok_or(Wrong::new("base64 of the right length"))
    }
}

/// Lets an enum with `as_str` stand in records as one of its words.
macro_rules! spelled {
    ($type:ty: $($variant:ident)+) => {
        impl $crate::journal::record::field::Field for $type {
            const SHAPE: $crate::journal::record::shape::Shape = $crate::journal::record::shape::Shape::Word(const {
                &[$(<$type>::$variant.as_str()),+]
            });

            fn write(&self, out: &mut Vec<u8>) {
                $crate::journal::canonical::write_string(out, self.as_str());
            }

            fn read(value: &serde_json::Value) -> Result<Self, $crate::journal::record::field::Wrong> {
                let text = value.as_str().unwrap_or_default();
                [$(<$type>::$variant),+]
                    .into_iter()
                    .find(|word| word.as_str() == text)
                    .ok_or($crate::journal::record::field::Wrong::new("one of the words that the format has here"))
            }
        }
    };
}

/// Declares an enum that stands in records as one of its words.
macro_rules! words {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$about:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$about])* $variant,)+ }

        impl $name {
            /// The spelling used in records.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        $crate::journal::record::field::spelled!($name: $($variant)+);
    };
}

pub(super) use {spelled, words};

spelled!(Decision: Allow Alert Ask Block);
spelled!(Effect: Read Write Irreversible);
spelled!(Mode: Enforce Shadow);
spelled!(Severity: Info Low Medium High Critical);
spelled!(Status: Ok Failed Unknown);
spelled!(Verdict: Satisfied Open Pending Unestablished Violated);
spelled!(RefusalKind: Blocked NeedsApproval ApprovalDenied ApprovalExpired NobodyToAsk NoSuchRequest DuplicateId Ended);
