//! Cells as JSON, for snapshots.
//!
//! A text and a truth value stand for themselves; everything else says what it is. Numbers are decimal texts, because JSON
//! numbers do not hold all of them. A JSON value is kept as its text, so that it may be nested as deeply as JSON texts are; one
//! that is nested deeper is not established when it comes back.

use std::collections::BTreeMap;

use serde_json::{Map as Object, Value, json};

use super::Cell;
use super::age::{Age, Part};
use crate::Time;
use crate::info::CellInfo;
use crate::value::{Datum, Decimal, Map, Scalar, ScalarRef, Set};

/// A cell as JSON.
pub(super) fn save(cell: &Cell) -> Value {
    let mut saved = Object::new();
    if let Some(value) = cell.value.as_ref().and_then(save_datum) {
        saved.insert("value".to_owned(), value);
    }
    if let Some(whole) = cell.age.whole {
        saved.insert("written".to_owned(), Value::from(whole.to_string()));
    }
    let time = |((key, member), written): (&Part, &Time)| {
        let member = member.as_ref().map(|member| save_scalar(member.as_ref()));
        json!([save_scalar(key.as_ref()), member, written.to_string()])
    };
    if !cell.age.parts.is_empty() {
        saved.insert("times".to_owned(), cell.age.parts.iter().map(time).collect());
    }
    Value::Object(saved)
}

/// The cell that was saved; `None` if it is not of this declaration.
pub(super) fn load(saved: &Value, info: &CellInfo) -> Option<Cell> {
    let saved = saved.as_object()?;
    let value = match saved.get("value") {
        Some(value) => {
            let datum = load_datum(value)?;
            let fits = Datum::from_val(&datum.as_val(), &info.ty, info.max_bytes).ok()?;
            (members(&fits) <= info.max).then_some(fits).map(Some)?
        }
        None => None,
    };
    let whole = saved.get("written").map(load_time);
    let parts = saved.get("times").map_or(Some(BTreeMap::new()), |times| {
        let time = |time: &Value| match time.as_array()?.as_slice() {
            [key, Value::Null, written] => Some(((load_scalar(key)?, None), load_time(written)?)),
            [key, member, written] => Some(((load_scalar(key)?, Some(load_scalar(member)?)), load_time(written)?)),
            _ => None,
        };
        times.as_array()?.iter().map(time).collect()
    })?;
    let whole = match whole {
        Some(whole) => Some(whole?),
        None => None,
    };
    Some(Cell { value, age: Age::new(whole, parts) })
}

fn members(datum: &Datum) -> usize {
    match datum {
        Datum::Set(set) => set.members.len(),
        Datum::Map(map) => map.entries.len(),
        _ => 0,
    }
}

fn load_time(saved: &Value) -> Option<Time> {
    Time::parse(saved.as_str()?)
}

fn save_scalar(scalar: ScalarRef<'_>) -> Value {
    match scalar {
        ScalarRef::Bool(value) => Value::from(value),
        ScalarRef::Text(text) => Value::from(text),
        ScalarRef::Number(number) => json!({ "number": number.to_string() }),
        ScalarRef::Time(time) => json!({ "time": time.to_string() }),
    }
}

fn load_scalar(saved: &Value) -> Option<Scalar> {
    match saved {
        Value::Bool(value) => Some(Scalar::Bool(*value)),
        Value::String(text) => Some(Scalar::Text(text.as_str().into())),
        Value::Object(object) => match only(object)? {
            ("number", Value::String(text)) => Decimal::parse(text).map(Scalar::Number),
            ("time", time) => load_time(time).map(Scalar::Time),
            _ => None,
        },
        _ => None,
    }
}

/// A value as JSON; `None` if it is nested so deeply that it could not be read back.
fn save_datum(datum: &Datum) -> Option<Value> {
    match datum {
        Datum::Bool(_) | Datum::Number(_) | Datum::Time(_) | Datum::Text(_) => {
            let value = datum.as_val();
            ScalarRef::of(&value).map(save_scalar)
        }
        Datum::Json(value) => {
            let text = value.to_string();
            serde_json::from_str::<Value>(&text).ok()?;
            Some(json!({ "json": text }))
        }
        Datum::Set(set) => {
            let members: Vec<Value> = set.members.iter().map(|member| save_scalar(member.as_ref())).collect();
            Some(json!({ "set": [set.unsure, members] }))
        }
        Datum::Map(map) => {
            let entry = |(key, value): (&Scalar, &Datum)| Some(json!([save_scalar(key.as_ref()), save_datum(value)?]));
            let entries: Vec<Value> = map.entries.iter().filter_map(entry).collect();
            let unsure = map.unsure || entries.len() < map.entries.len();
            Some(json!({ "map": [unsure, entries] }))
        }
    }
}

fn load_datum(saved: &Value) -> Option<Datum> {
    let Value::Object(object) = saved else { return load_scalar(saved).map(Datum::from) };
    match only(object)? {
        ("json", Value::String(text)) => Some(Datum::Json(Box::new(serde_json::from_str(text).ok()?))),
        ("set", saved) => {
            let (unsure, members) = load_parts(saved)?;
            let members = members.iter().map(load_scalar).collect::<Option<_>>()?;
            Some(Datum::Set(Set { members, unsure }))
        }
        ("map", saved) => {
            let (unsure, entries) = load_parts(saved)?;
            let entry = |entry: &Value| match entry.as_array()?.as_slice() {
                [key, value] => Some((load_scalar(key)?, load_datum(value)?)),
                _ => None,
            };
            let entries = entries.iter().map(entry).collect::<Option<_>>()?;
            Some(Datum::Map(Map { entries, unsure }))
        }
        _ => load_scalar(saved).map(Datum::from),
    }
}

fn load_parts(saved: &Value) -> Option<(bool, &[Value])> {
    match saved.as_array()?.as_slice() {
        [Value::Bool(unsure), Value::Array(parts)] => Some((*unsure, parts)),
        _ => None,
    }
}

/// The one member of an object.
fn only(object: &Object<String, Value>) -> Option<(&str, &Value)> {
    let mut members = object.iter();
    let (name, value) = members.next()?;
    members.next().is_none().then_some((name.as_str(), value))
}
