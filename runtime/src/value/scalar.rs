//! Values that have an identity of their own: members of sets, keys of maps, parts of instance keys.

use std::borrow::{Borrow, Cow};
use std::cmp::Ordering;

use super::{Decimal, Time, Val};

/// A scalar in canonical form, owned. Ordered by type, then by value; "1" and 1 differ, 1 and 1.0 do not.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// A truth value.
    Bool(bool),
    /// An exact number.
    Number(Decimal),
    /// A point in time.
    Time(Time),
    /// A string.
    Text(Box<str>),
}

/// A scalar in canonical form, borrowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ScalarRef<'a> {
    /// A truth value.
    Bool(bool),
    /// An exact number.
    Number(Decimal),
    /// A point in time.
    Time(Time),
    /// A string.
    Text(&'a str),
}

impl Scalar {
    /// The same scalar, borrowed.
    #[must_use]
    pub fn as_ref(&self) -> ScalarRef<'_> {
        match self {
            Self::Bool(value) => ScalarRef::Bool(*value),
            Self::Number(number) => ScalarRef::Number(*number),
            Self::Time(time) => ScalarRef::Time(*time),
            Self::Text(text) => ScalarRef::Text(text),
        }
    }

    /// The scalar as a value.
    #[must_use]
    pub fn as_val(&self) -> Val<'_> {
        self.as_ref().as_val()
    }
}

impl<'a> ScalarRef<'a> {
    /// The scalar that a value is. `None` for null, inexact numbers, durations, and everything that has parts.
    #[must_use]
    pub fn of(value: &'a Val<'_>) -> Option<Self> {
        match value {
            Val::Bool(value) => Some(Self::Bool(*value)),
            Val::Number(number) => Some(Self::Number(*number)),
            Val::Time(time) => Some(Self::Time(*time)),
            Val::Text(text) => Some(Self::Text(text)),
            _ => None,
        }
    }

    /// The scalar as a value.
    #[must_use]
    pub fn as_val(self) -> Val<'a> {
        match self {
            Self::Bool(value) => Val::Bool(value),
            Self::Number(number) => Val::Number(number),
            Self::Time(time) => Val::Time(time),
            Self::Text(text) => Val::Text(Cow::Borrowed(text)),
        }
    }

    /// The same scalar, owned.
    #[must_use]
    pub fn to_scalar(self) -> Scalar {
        match self {
            Self::Bool(value) => Scalar::Bool(value),
            Self::Number(number) => Scalar::Number(number),
            Self::Time(time) => Scalar::Time(time),
            Self::Text(text) => Scalar::Text(text.into()),
        }
    }

    /// Whether the other is of the same type, so that the two can be compared.
    #[must_use]
    pub fn is_like(self, other: Self) -> bool {
        std::mem::discriminant(&self) == std::mem::discriminant(&other)
    }

    /// How many bytes it takes to keep.
    #[must_use]
    pub fn bytes(self) -> usize {
        match self {
            Self::Bool(_) => 1,
            Self::Number(_) | Self::Time(_) => 16,
            Self::Text(text) => text.len(),
        }
    }
}

impl Ord for Scalar {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_ref().cmp(&other.as_ref())
    }
}

impl PartialOrd for Scalar {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// What owned and borrowed scalars have in common: ordered collections of [`Scalar`] are searched through it, so that a
/// look-up needs no owned key.
pub(super) trait AsScalar {
    fn scalar(&self) -> ScalarRef<'_>;
}

impl AsScalar for Scalar {
    fn scalar(&self) -> ScalarRef<'_> {
        self.as_ref()
    }
}

impl AsScalar for ScalarRef<'_> {
    fn scalar(&self) -> ScalarRef<'_> {
        *self
    }
}

impl<'a> Borrow<dyn AsScalar + 'a> for Scalar {
    fn borrow(&self) -> &(dyn AsScalar + 'a) {
        self
    }
}

impl Ord for dyn AsScalar + '_ {
    fn cmp(&self, other: &Self) -> Ordering {
        self.scalar().cmp(&other.scalar())
    }
}

impl PartialOrd for dyn AsScalar + '_ {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for dyn AsScalar + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.scalar() == other.scalar()
    }
}

impl Eq for dyn AsScalar + '_ {}
