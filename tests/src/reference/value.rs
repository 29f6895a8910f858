//! Values, three-valued truth, equality and order (language.md, "Predicates").

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::number::Number;

/// Three-valued truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kleene {
    /// False.
    No,
    /// Not established.
    Perhaps,
    /// True.
    Yes,
}

impl Kleene {
    /// A definite truth value.
    pub fn of(value: bool) -> Self {
        if value { Self::Yes } else { Self::No }
    }

    /// Conjunction.
    pub fn all(values: impl IntoIterator<Item = Self>) -> Self {
        values.into_iter().fold(Self::Yes, |all, one| match (all, one) {
            (Self::No, _) | (_, Self::No) => Self::No,
            (Self::Yes, Self::Yes) => Self::Yes,
            _ => Self::Perhaps,
        })
    }

    /// Disjunction.
    pub fn any(values: impl IntoIterator<Item = Self>) -> Self {
        Self::all(values.into_iter().map(Self::negated)).negated()
    }

    /// Negation.
    pub fn negated(self) -> Self {
        match self {
            Self::No => Self::Yes,
            Self::Perhaps => Self::Perhaps,
            Self::Yes => Self::No,
        }
    }

    /// What both readings say, if they agree.
    pub fn agreed(self, other: Self) -> Self {
        if self == other { self } else { Self::Perhaps }
    }
}

/// A value. The order is only used to have one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    /// `null`.
    Null,
    /// A truth value.
    Bool(bool),
    /// An exact number.
    Number(Number),
    /// A number that arrived inexactly, as it is written: there, and no null, but which one is not established.
    Inexact(String),
    /// A text.
    Text(String),
    /// Nanoseconds since 1970.
    Time(i128),
    /// Nanoseconds.
    Duration(i128),
    /// A list.
    List(Vec<Value>),
    /// An object.
    Object(BTreeMap<String, Value>),
    /// A set of a state cell.
    Set(Set),
    /// A map of a state cell.
    Map(Map),
}

/// A set. Where it is `unsure`, a member that is absent may be in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Set {
    /// Without repetition, in order.
    pub members: Vec<Value>,
    /// Whether there may be others.
    pub unsure: bool,
}

/// A map. Where it is `unsure`, an absent key may be in it, with any value.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Map {
    /// By key, a scalar.
    pub entries: BTreeMap<Value, Value>,
    /// Whether there may be others.
    pub unsure: bool,
}

impl Map {
    /// The entries, if there are no others.
    pub fn known(&self) -> Option<&BTreeMap<Value, Value>> {
        (!self.unsure).then_some(&self.entries)
    }
}

impl Value {
    /// The value of a JSON value.
    pub fn from_json(json: &serde_json::Value) -> Self {
        match json {
            serde_json::Value::Null => Self::Null,
            serde_json::Value::Bool(value) => Self::Bool(*value),
            serde_json::Value::Number(number) => {
                Number::from_json(number).map_or_else(|| Self::Inexact(number.to_string()), Self::Number)
            }
            serde_json::Value::String(text) => Self::Text(text.clone()),
            serde_json::Value::Array(items) => Self::List(items.iter().map(Self::from_json).collect()),
            serde_json::Value::Object(fields) => {
                Self::Object(fields.iter().map(|(name, value)| (name.clone(), Self::from_json(value))).collect())
            }
        }
    }

    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Whether nothing in it is inexact.
    pub fn is_exact(&self) -> bool {
        match self {
            Self::Inexact(_) => false,
            Self::List(items) => items.iter().all(Self::is_exact),
            Self::Object(fields) => fields.values().all(Self::is_exact),
            _ => true,
        }
    }

    /// `==`: not established between different types, except with null; lists and objects structurally.
    pub fn equals(&self, other: &Self) -> Kleene {
        match (self, other) {
            (Self::Null, Self::Null) => Kleene::Yes,
            (Self::Null, _) | (_, Self::Null) => Kleene::No,
            (Self::Inexact(_), _) | (_, Self::Inexact(_)) => Kleene::Perhaps,
            (Self::Bool(a), Self::Bool(b)) => Kleene::of(a == b),
            (Self::Number(a), Self::Number(b)) => Kleene::of(a == b),
            (Self::Text(a), Self::Text(b)) => Kleene::of(a == b),
            (Self::Time(a), Self::Time(b)) | (Self::Duration(a), Self::Duration(b)) => Kleene::of(a == b),
            (Self::List(a), Self::List(b)) if a.len() != b.len() => Kleene::No,
            (Self::List(a), Self::List(b)) => Kleene::all(a.iter().zip(b).map(|(a, b)| a.equals(b))),
            (Self::Object(a), Self::Object(b)) if !a.keys().eq(b.keys()) => Kleene::No,
            (Self::Object(a), Self::Object(b)) => Kleene::all(a.values().zip(b.values()).map(|(a, b)| a.equals(b))),
            (Self::Set(a), Self::Set(b)) if !a.unsure && !b.unsure => Kleene::of(a.members == b.members),
            (Self::Map(a), Self::Map(b)) => match (a.known(), b.known()) {
                (Some(a), Some(b)) if a.keys().eq(b.keys()) => {
                    Kleene::all(a.values().zip(b.values()).map(|(a, b)| a.equals(b)))
                }
                (Some(_), Some(_)) => Kleene::No,
                _ => Kleene::Perhaps,
            },
            _ => Kleene::Perhaps,
        }
    }

    /// The order of two numbers, texts (byte by byte), times, or durations.
    pub fn order(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => Some(a.cmp(b)),
            (Self::Text(a), Self::Text(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
            (Self::Time(a), Self::Time(b)) | (Self::Duration(a), Self::Duration(b)) => Some(a.cmp(b)),
            _ => None,
        }
    }

    /// Whether it has a member: Kleene disjunction of `==` over a list, a set, or the keys of a map. A member that is not
    /// established is not established to be equal to any.
    pub fn has_member(&self, member: Option<&Self>) -> Kleene {
        let is_it = |item: &Self| member.map_or(Kleene::Perhaps, |member| item.equals(member));
        // Members and keys are never null.
        let others = |unsure: bool| (unsure && member != Some(&Self::Null)).then_some(Kleene::Perhaps);
        match self {
            Self::List(items) => Kleene::any(items.iter().map(is_it)),
            Self::Set(set) => Kleene::any(set.members.iter().map(is_it).chain(others(set.unsure))),
            Self::Map(map) => Kleene::any(map.entries.keys().map(is_it).chain(others(map.unsure))),
            _ => Kleene::Perhaps,
        }
    }

    /// The members of a list or set, each with whether it is all there is.
    pub fn members(&self) -> Option<(&[Self], bool)> {
        match self {
            Self::List(items) => Some((items, false)),
            Self::Set(set) => Some((&set.members, set.unsure)),
            _ => None,
        }
    }
}
