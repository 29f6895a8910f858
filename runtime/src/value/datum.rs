//! Values that the trusted state owns.

use serde_json::Value;

use super::json::{fits, is_shallow};
use super::{Items, Map, Scalar, ScalarRef, Set, Time, Type, Val};

/// An owned value of a state cell, of a map entry, or of a context fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Datum {
    /// A truth value.
    Bool(bool),
    /// An exact number, of an `int` or a `decimal`.
    Number(super::Decimal),
    /// A string.
    Text(Box<str>),
    /// A point in time.
    Time(Time),
    /// Any JSON value.
    Json(Box<Value>),
    /// A set.
    Set(Set),
    /// A map.
    Map(Map),
}

/// Why a value cannot be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// It is not of the declared type, or a number that is not exact.
    WrongType,
    /// It takes more bytes than the declared bound, or is nested too deeply.
    TooLarge,
}

impl Scalar {
    /// The scalar of a type that a value denotes, of at most so many bytes. A time may be given as RFC 3339 text with its
    /// offset.
    pub fn from_val(value: &Val<'_>, ty: &Type, max_bytes: usize) -> Result<Self, Unfit> {
        let scalar = match (ty, value) {
            (Type::Bool, Val::Bool(value)) => ScalarRef::Bool(*value),
            (Type::Int, Val::Number(number)) if number.is_integer() => ScalarRef::Number(*number),
            (Type::Decimal, Val::Number(number)) => ScalarRef::Number(*number),
            (Type::String, Val::Text(text)) => ScalarRef::Text(text),
            (Type::Time, Val::Time(time)) => ScalarRef::Time(*time),
            (Type::Time, Val::Text(text)) => ScalarRef::Time(Time::parse(text).ok_or(Unfit::WrongType)?),
            _ => return Err(Unfit::WrongType),
        };
        if scalar.bytes() <= max_bytes { Ok(scalar.to_scalar()) } else { Err(Unfit::TooLarge) }
    }

    /// The scalar that a value is, as the key of a map, of at most so many bytes.
    pub fn key(value: &Val<'_>, max_bytes: usize) -> Result<Self, Unfit> {
        let scalar = ScalarRef::of(value).ok_or(Unfit::WrongType)?;
        if scalar.bytes() <= max_bytes { Ok(scalar.to_scalar()) } else { Err(Unfit::TooLarge) }
    }
}

impl Datum {
    /// The value of a type that a value denotes. `max_bytes` bounds each member, key and value of a collection, or the whole of
    /// anything else. Sets are taken from sets and lists, maps from maps and objects.
    pub fn from_val(value: &Val<'_>, ty: &Type, max_bytes: usize) -> Result<Self, Unfit> {
        match ty {
            Type::Json => match value {
                Val::Json(json) if !fits(json, max_bytes) => Err(Unfit::TooLarge),
                Val::Text(text) if text.len() > max_bytes => Err(Unfit::TooLarge),
                _ => {
                    let json = value.to_json().ok_or(Unfit::WrongType)?;
                    if fits(&json, max_bytes) { Ok(Self::Json(Box::new(json))) } else { Err(Unfit::TooLarge) }
                }
            },
            Type::Set(member) => set_from(value, member, max_bytes).map(Self::Set),
            Type::Map(entry) => map_from(value, entry, max_bytes).map(Self::Map),
            _ => Scalar::from_val(value, ty, max_bytes).map(Self::from),
        }
    }

    /// The value, borrowed.
    #[must_use]
    pub fn as_val(&self) -> Val<'_> {
        match self {
            Self::Bool(value) => Val::Bool(*value),
            Self::Number(number) => Val::Number(*number),
            Self::Text(text) => Val::text(text),
            Self::Time(time) => Val::Time(*time),
            Self::Json(value) => Val::from_json(value),
            Self::Set(set) => Val::Set(set),
            Self::Map(map) => Val::Map(map),
        }
    }

    /// How many bytes its content takes to keep, nearly.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Self::Bool(_) => 1,
            Self::Number(_) | Self::Time(_) => 16,
            Self::Text(text) => text.len(),
            Self::Json(value) => super::json::bytes(value),
            Self::Set(set) => set.members.iter().fold(0, |sum, member| sum.saturating_add(member.as_ref().bytes())),
            Self::Map(map) => map
                .entries
                .iter()
                .fold(0, |sum, (key, value)| sum.saturating_add(key.as_ref().bytes()).saturating_add(value.bytes())),
        }
    }
}

impl From<Scalar> for Datum {
    fn from(scalar: Scalar) -> Self {
        match scalar {
            Scalar::Bool(value) => Self::Bool(value),
            Scalar::Number(number) => Self::Number(number),
            Scalar::Time(time) => Self::Time(time),
            Scalar::Text(text) => Self::Text(text),
        }
    }
}

fn set_from(value: &Val<'_>, member: &Type, max_bytes: usize) -> Result<Set, Unfit> {
    let unsure = matches!(value, Val::Set(set) if set.unsure);
    let items = Items::of(value.view()).ok_or(Unfit::WrongType)?;
    let members = items
        .map(|item| Scalar::from_val(&item.ok_or(Unfit::WrongType)?, member, max_bytes))
        .collect::<Result<_, _>>()?;
    Ok(Set { members, unsure })
}

fn map_from(value: &Val<'_>, entry: &Type, max_bytes: usize) -> Result<Map, Unfit> {
    match value {
        Val::Map(map) => {
            let entries = map.entries.iter().map(|(key, value)| {
                let key = Scalar::key(&key.as_val(), max_bytes)?;
                Ok((key, Datum::from_val(&value.as_val(), entry, max_bytes)?))
            });
            Ok(Map { entries: entries.collect::<Result<_, _>>()?, unsure: map.unsure })
        }
        Val::Json(json) => {
            let object = json.as_object().ok_or(Unfit::WrongType)?;
            let entries = object.iter().map(|(key, value)| {
                let key = Scalar::key(&Val::text(key), max_bytes)?;
                if !is_shallow(value) {
                    return Err(Unfit::TooLarge);
                }
                Ok((key, Datum::from_val(&Val::from_json(value), entry, max_bytes)?))
            });
            Ok(Map { entries: entries.collect::<Result<_, _>>()?, unsure: false })
        }
        _ => Err(Unfit::WrongType),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn datum(value: &Value, ty: &str) -> Result<Datum, Unfit> {
        Datum::from_val(&Val::from_json(value), &Type::parse(ty).unwrap(), 16)
    }

    #[test]
    fn values_are_kept_only_in_their_type() {
        assert_eq!(datum(&json!(5), "int"), Ok(Datum::Number(5_i64.into())));
        assert_eq!(datum(&json!(5.0), "int"), Ok(Datum::Number(5_i64.into())));
        assert_eq!(datum(&json!(5.5), "int"), Err(Unfit::WrongType));
        assert_eq!(datum(&json!(1e300), "decimal"), Err(Unfit::WrongType));
        assert_eq!(datum(&json!("5"), "int"), Err(Unfit::WrongType));
        assert_eq!(datum(&json!(null), "string"), Err(Unfit::WrongType));
        assert_eq!(datum(&json!("2024-05-15T15:00:00Z"), "time").map(|time| time.bytes()), Ok(16));
        assert_eq!(datum(&json!("2024-05-15 15:00:00"), "time"), Err(Unfit::WrongType));
        assert_eq!(datum(&json!({"a": [1]}), "json"), Ok(Datum::Json(Box::new(json!({"a": [1]})))));
    }

    #[test]
    fn size_is_bounded_for_each_member() {
        let long = "x".repeat(17);
        assert_eq!(datum(&json!(long), "string"), Err(Unfit::TooLarge));
        assert_eq!(datum(&json!([long]), "set<string>"), Err(Unfit::TooLarge));
        assert_eq!(datum(&json!({long.clone(): 1}), "map<int>"), Err(Unfit::TooLarge));
        assert_eq!(datum(&json!([long]), "json"), Err(Unfit::TooLarge));
        assert_eq!(datum(&json!(long), "json"), Err(Unfit::TooLarge));
        assert!(datum(&json!((0..1000).map(|i| i.to_string()).collect::<Vec<_>>()), "set<string>").is_ok());
    }

    #[test]
    fn collections_are_taken_from_lists_and_objects() {
        let Ok(Datum::Set(set)) = datum(&json!(["b", "a", "b"]), "set<string>") else { panic!() };
        assert_eq!(set.len(), 2);
        let Ok(Datum::Map(map)) = datum(&json!({"k": ["a"]}), "map<set<string>>") else { panic!() };
        assert!(matches!(map.get(ScalarRef::Text("k")), Some(Datum::Set(set)) if set.contains(ScalarRef::Text("a"))));
        assert_eq!(datum(&json!(["a", 1]), "set<string>"), Err(Unfit::WrongType));
        assert_eq!(datum(&json!("a"), "set<string>"), Err(Unfit::WrongType));
        let unsure = Set { unsure: true, ..Set::new() };
        assert_eq!(
            Datum::from_val(&Val::Set(&unsure), &Type::parse("set<int>").unwrap(), 16),
            Ok(Datum::Set(unsure.clone()))
        );
    }

    #[test]
    fn a_value_nested_without_end_is_too_large() {
        let mut deep = json!(1);
        for _ in 0..2_000 {
            deep = Value::Array(vec![deep]);
        }
        assert_eq!(datum(&deep, "json"), Err(Unfit::TooLarge));
    }
}
