//! Values of predicates, and one function for each operation on them. The interpreter and generated code call the same
//! functions, so they cannot differ in what an operator means.
//!
//! Conventions. A value that may be "not established" is an [`Est`]. Operations take the [`Fuel`] of the evaluation first and
//! their operands by value; operations that yield a value return an [`Est`], predicates a Kleene [`Truth`]. Operands borrow
//! from the call where they can: reading and comparing arguments does not allocate.
//!
//! INVARIANT: no operation panics, recurses without bound, or costs more than its fuel, whatever its operands. Where the
//! answer is in doubt (a type mismatch, an overflow, a text that two readers may take differently) it is "not established",
//! never a guess.

mod address;
mod canonical;
mod compare;
mod container;
mod datum;
mod decimal;
mod digest;
mod duration;
mod file_path;
mod fuel;
mod glob;
mod json;
mod kind;
#[cfg(test)]
pub(crate) mod lcg;
mod list;
mod number;
mod quantifier;
mod scalar;
mod text;
mod time;
mod url;
pub mod walk;

use std::borrow::Cow;

use serde_json::Value;

use crate::Truth;

pub use address::cidr_contains;
pub use canonical::canonical;
pub use compare::{eq, ge, gt, is_in, le, lt, max, min, ne};
pub use container::{Map, Set};
pub use datum::{Datum, Unfit};
pub use decimal::Decimal;
pub use digest::digest;
#[cfg(feature = "digest")]
pub use digest::{sha256, sha256_hex};
pub use duration::Duration;
pub use file_path::{path_norm, path_within};
pub use fuel::Fuel;
pub use glob::glob_matches;
pub(crate) use json::is_shallow;
pub use json::json;
pub use kind::Type;
pub use list::{Items, distinct, intersects, keys, size, strings, subset, values};
pub use number::{add, multiply, subtract, sum};
pub use quantifier::{all, any, count, none};
pub use scalar::{Scalar, ScalarRef};
pub use text::{contains, ends_with, like, lower, matches, starts_with, trim, upper};
pub use time::{Time, Zone, time};
pub use url::{domain_in, host, scheme};
pub use walk::get;

/// How deep values are followed by operations that recurse: deeper than any JSON text that `serde_json` reads (128), and far
/// from the end of the stack. Deeper values, which a host can build, are not established.
pub(crate) const MAX_DEPTH: usize = 200;

/// A value, or `None`: not established.
pub type Est<'a> = Option<Val<'a>>;

/// A value of a predicate.
///
/// `PartialEq` compares representations; what `==` means in a contract is [`eq()`].
#[derive(Clone, Debug, PartialEq)]
pub enum Val<'a> {
    /// `null`.
    Null,
    /// A truth value.
    Bool(bool),
    /// An exact number.
    Number(Decimal),
    /// A JSON number that cannot be read exactly: it is a number, and nothing else about it is established.
    Inexact,
    /// A string.
    Text(Cow<'a, str>),
    /// A point in time.
    Time(Time),
    /// A length of time.
    Duration(Duration),
    /// A JSON array or object.
    Json(Cow<'a, Value>),
    /// A list that an expression made. An element that is not established is `None`.
    List(Vec<Est<'a>>),
    /// A set of the trusted state.
    Set(&'a Set),
    /// A map of the trusted state.
    Map(&'a Map),
}

impl<'a> Val<'a> {
    /// The value of a JSON value, borrowed from it.
    #[must_use]
    #[inline]
    pub fn from_json(value: &'a Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(number) => Decimal::from_json(number).map_or(Self::Inexact, Self::Number),
            Value::String(text) => Self::Text(Cow::Borrowed(text)),
            Value::Array(_) | Value::Object(_) => Self::Json(Cow::Borrowed(value)),
        }
    }

    /// The value of a JSON value that nobody else keeps.
    #[must_use]
    pub fn from_owned_json(value: Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(value),
            Value::Number(number) => Decimal::from_json(&number).map_or(Self::Inexact, Self::Number),
            Value::String(text) => Self::Text(Cow::Owned(text)),
            Value::Array(_) | Value::Object(_) => Self::Json(Cow::Owned(value)),
        }
    }

    /// A string, borrowed.
    #[must_use]
    pub const fn text(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }

    /// The same value, borrowed from this one: cheap, also where this one owns its parts.
    #[must_use]
    pub fn view(&self) -> Val<'_> {
        match self {
            Self::Null => Val::Null,
            Self::Bool(value) => Val::Bool(*value),
            Self::Number(number) => Val::Number(*number),
            Self::Inexact => Val::Inexact,
            Self::Text(text) => Val::Text(Cow::Borrowed(text)),
            Self::Time(time) => Val::Time(*time),
            Self::Duration(duration) => Val::Duration(*duration),
            Self::Json(value) => Val::Json(Cow::Borrowed(value)),
            Self::List(list) => Val::List(list.iter().map(|element| element.as_ref().map(Val::view)).collect()),
            Self::Set(set) => Val::Set(set),
            Self::Map(map) => Val::Map(map),
        }
    }

    /// The string, if it is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The number, if it is an exact one.
    #[must_use]
    pub fn as_number(&self) -> Option<Decimal> {
        if let Self::Number(number) = self { Some(*number) } else { None }
    }

    /// The JSON value that reads back as this one, if there is one.
    #[must_use]
    pub fn to_json(&self) -> Option<Value> {
        match self {
            Self::Null => Some(Value::Null),
            Self::Bool(value) => Some(Value::Bool(*value)),
            Self::Number(number) => number.to_json().map(Value::Number),
            Self::Text(text) => Some(Value::String(text.clone().into_owned())),
            Self::Json(value) => is_shallow(value).then(|| value.clone().into_owned()),
            Self::List(list) => {
                list.iter().map(|element| element.as_ref()?.to_json()).collect::<Option<_>>().map(Value::Array)
            }
            Self::Inexact | Self::Time(_) | Self::Duration(_) | Self::Set(_) | Self::Map(_) => None,
        }
    }
}

impl<'a> From<&'a str> for Val<'a> {
    fn from(text: &'a str) -> Self {
        Self::text(text)
    }
}

impl From<bool> for Val<'_> {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<Decimal> for Val<'_> {
    fn from(number: Decimal) -> Self {
        Self::Number(number)
    }
}

/// A value as a predicate: a truth value is itself, everything else is not established.
#[must_use]
pub fn truth(value: Est<'_>) -> Truth {
    match value {
        Some(Val::Bool(value)) => Truth::of(value),
        _ => Truth::Unknown,
    }
}

/// A predicate as a value.
#[must_use]
pub fn from_truth<'a>(truth: Truth) -> Est<'a> {
    match truth {
        Truth::True => Some(Val::Bool(true)),
        Truth::False => Some(Val::Bool(false)),
        Truth::Unknown => None,
    }
}

/// `default(x, literal)`: the first, or the second where the first is not established. A number that is there but cannot be
/// read exactly stays: replacing it would let a huge amount pass for a small one.
#[must_use]
pub fn default_<'a>(value: Est<'a>, otherwise: Est<'a>) -> Est<'a> {
    value.or(otherwise)
}

/// `is_string(x)`. Like its kin always definite: false where the operand is not established.
#[must_use]
pub fn is_string(value: Est<'_>) -> Truth {
    Truth::of(matches!(value, Some(Val::Text(_))))
}

/// `is_object(x)`.
#[must_use]
pub fn is_object(value: Est<'_>) -> Truth {
    Truth::of(matches!(value, Some(Val::Json(value)) if value.is_object()))
}

/// `is_list(x)`.
#[must_use]
pub fn is_list(value: Est<'_>) -> Truth {
    Truth::of(match value {
        Some(Val::Json(value)) => value.is_array(),
        Some(Val::List(_)) => true,
        _ => false,
    })
}

/// `is_number(x)`. A number that cannot be read exactly is a number all the same.
#[must_use]
pub fn is_number(value: Est<'_>) -> Truth {
    Truth::of(matches!(value, Some(Val::Number(_) | Val::Inexact)))
}

/// `is_bool(x)`.
#[must_use]
pub fn is_bool(value: Est<'_>) -> Truth {
    Truth::of(matches!(value, Some(Val::Bool(_))))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn type_tests_are_definite() {
        let values = [json!("a"), json!({}), json!([]), json!(1e300), json!(true), json!(null)];
        let tests: [fn(Est<'_>) -> Truth; 5] = [is_string, is_object, is_list, is_number, is_bool];
        for (i, test) in tests.into_iter().enumerate() {
            for (j, value) in values.iter().enumerate() {
                assert_eq!(test(Some(Val::from_json(value))), Truth::of(i == j));
            }
            assert_eq!(test(None), Truth::False);
        }
    }

    #[test]
    fn only_truth_values_are_predicates() {
        assert_eq!(truth(Some(Val::Bool(false))), Truth::False);
        assert_eq!(truth(Some(Val::text("true"))), Truth::Unknown);
        assert_eq!(truth(None), Truth::Unknown);
        assert_eq!(from_truth(Truth::Unknown), None);
    }

    #[test]
    fn default_replaces_only_what_is_absent() {
        let other = || Some(Val::text("other"));
        assert_eq!(default_(None, other()), other());
        assert_eq!(default_(Some(Val::Null), other()), Some(Val::Null));
        assert_eq!(default_(Some(Val::Inexact), other()), Some(Val::Inexact));
    }

    #[test]
    fn values_go_out_as_json_and_come_back() {
        for value in [json!(null), json!(0.1), json!("x"), json!([1, {"a": [true]}])] {
            assert_eq!(Val::from_json(&value).to_json(), Some(value.clone()));
            assert_eq!(Val::from_owned_json(value.clone()), Val::from_json(&value));
        }
        assert_eq!(Val::List(vec![Some(Val::Null), None]).to_json(), None);
    }
}
