//! Walking paths.
//!
//! A walk yields `None` where the path does not exist and [`Val::Null`] for a JSON null, so that `has(path)` is [`has`] of the
//! walk. A path with `[]` or `.**` in it goes through [`path`], which keeps the single value and the many apart.

use std::borrow::Cow;

use serde_json::Value;

use super::list::children;
use super::{Datum, Est, Fuel, ScalarRef, Val, json};

/// One step of a path.
#[derive(Clone, Debug)]
pub enum Step<'s, 'a> {
    /// `.name` or `["name"]`.
    Field(&'s str),
    /// `[0]`.
    Index(u32),
    /// `[expression]`, evaluated.
    Dynamic(Est<'a>),
    /// `[]` or `.*`: each element of a list, each value of an object.
    Each,
    /// `.**`: the value itself and everything below it.
    Deep,
}

/// Walks fields from a JSON value: the way of most arguments, without allocation.
#[must_use]
#[inline]
pub fn get<'a>(value: &'a Value, fields: &[&str]) -> Option<&'a Value> {
    fields.iter().try_fold(value, |value, field| value.as_object()?.get(*field))
}

/// `.name`: a member of an object, the value at a string key of a map.
#[must_use]
pub fn field<'a>(value: Est<'a>, name: &str) -> Est<'a> {
    match value? {
        Val::Json(Cow::Borrowed(Value::Object(object))) => object.get(name).map(Val::from_json),
        Val::Json(Cow::Owned(Value::Object(mut object))) => object.remove(name).map(Val::from_owned_json),
        Val::Map(map) => map.get(ScalarRef::Text(name)).map(Datum::as_val),
        _ => None,
    }
}

/// `[0]`: an element of a list, the value at a number key of a map.
#[must_use]
pub fn index(value: Est<'_>, index: u32) -> Est<'_> {
    match value {
        Some(Val::Map(map)) => map.get(ScalarRef::Number(index.into())).map(Datum::as_val),
        value => element(value?, usize::try_from(index).ok()?),
    }
}

/// `[key]`: a member of an object by a string, an element of a list by a number, the value of a map by a scalar.
#[must_use]
pub fn dynamic<'a>(value: Est<'a>, key: Est<'_>) -> Est<'a> {
    match (value?, key?) {
        (Val::Map(map), key) => map.get(ScalarRef::of(&key)?).map(Datum::as_val),
        (value, Val::Text(name)) => field(Some(value), &name),
        (value, Val::Number(index)) => element(value, index.as_index()?),
        _ => None,
    }
}

fn element(value: Val<'_>, index: usize) -> Est<'_> {
    match value {
        Val::Json(Cow::Borrowed(Value::Array(array))) => array.get(index).map(Val::from_json),
        Val::Json(Cow::Owned(Value::Array(array))) => array.into_iter().nth(index).map(Val::from_owned_json),
        Val::List(list) => list.into_iter().nth(index)?,
        _ => None,
    }
}

/// Walks any path. From the first [`Step::Each`] or [`Step::Deep`] on there are many values, and the path yields a list.
///
/// What `[]` reaches must go on: an element without the next field stays in the list as not established, so that leaving a
/// field out does not hide an element from `all`. What `.**` reaches is only searched: it passes over what does not go on.
#[must_use]
pub fn path<'a>(fuel: &Fuel, start: Est<'a>, steps: &[Step<'_, 'a>]) -> Est<'a> {
    let mut rest = steps.iter();
    let mut one = start?;
    let mut many = loop {
        match rest.next() {
            None => return Some(one),
            Some(Step::Each) => break children(fuel, one)?,
            Some(Step::Deep) => break descendants(fuel, one)?,
            Some(step) => one = single(Some(one), step)?,
        }
    };
    let mut searching = matches!(steps.get(steps.len().checked_sub(rest.len())?.checked_sub(1)?), Some(Step::Deep));
    for step in rest {
        if !fuel.spend(u32::try_from(many.len()).ok()?) {
            return None;
        }
        searching |= matches!(step, Step::Deep);
        let mut next = Vec::with_capacity(many.len());
        for element in many {
            let Some(element) = element else {
                next.push(None);
                continue;
            };
            let before = next.len();
            match step {
                Step::Each => match children(fuel, element) {
                    Some(children) => next.extend(children),
                    None => next.push(None),
                },
                Step::Deep => next.extend(descendants(fuel, element)?),
                step => next.push(single(Some(element), step)),
            }
            if searching && matches!(next.get(before..), Some([None])) {
                next.truncate(before);
            }
        }
        many = next;
    }
    Some(Val::List(many))
}

/// `has(path)`, of what the path yields. Where it yields many: there are some, and all are there.
#[must_use]
pub fn has(walked: Est<'_>) -> bool {
    match walked {
        Some(Val::List(list)) => !list.is_empty() && list.iter().all(Option::is_some),
        walked => walked.is_some(),
    }
}

/// A step that leads from one value to one.
fn single<'a>(value: Est<'a>, step: &Step<'_, 'a>) -> Est<'a> {
    match step {
        Step::Field(name) => field(value, name),
        Step::Index(at) => index(value, *at),
        Step::Dynamic(key) => dynamic(value, key.as_ref().map(Val::view)),
        Step::Each | Step::Deep => None,
    }
}

/// A value and everything below it, each before what is below it.
fn descendants<'a>(fuel: &Fuel, value: Val<'a>) -> Option<Vec<Est<'a>>> {
    let mut found = Vec::new();
    let mut rest = vec![Some(value)];
    while let Some(value) = rest.pop() {
        // A value that nobody else keeps is copied at each of its levels, and the copies are paid for by the byte.
        let cost = match &value {
            Some(Val::Json(Cow::Owned(json))) => u32::try_from(json::bytes(json)).unwrap_or(u32::MAX),
            _ => 1,
        };
        if !fuel.spend(cost.max(1)) {
            return None;
        }
        found.push(value.clone());
        if let Some(value @ (Val::Json(_) | Val::List(_) | Val::Set(_) | Val::Map(_))) = value {
            let mut below = children(fuel, value)?;
            below.reverse();
            rest.append(&mut below);
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::value::{Map, Scalar};

    fn walk(value: &Value, steps: &[Step<'_, '_>]) -> Option<Value> {
        let fuel = Fuel::new();
        let borrowed = path(&fuel, Some(Val::from_json(value)), steps);
        assert_eq!(path(&fuel, Some(Val::from_owned_json(value.clone())), steps), borrowed);
        borrowed?.to_json()
    }

    #[test]
    fn null_exists_and_absence_does_not() {
        let value = json!({"a": null, "b": [{"c": 1}]});
        assert_eq!(get(&value, &["a"]), Some(&Value::Null));
        assert_eq!(get(&value, &["a", "x"]), None);
        assert_eq!(get(&value, &[]), Some(&value));
        let walk = |name| field(Some(Val::from_json(&value)), name);
        assert!(has(walk("a")));
        assert!(!has(walk("x")));
        assert_eq!(field(index(walk("b"), 0), "c"), Some(Val::Number(1_i64.into())));
        assert_eq!(index(walk("b"), 1), None);
        assert_eq!(index(walk("a"), 0), None);
    }

    #[test]
    fn dynamic_keys_must_fit_what_they_index() {
        let value = json!({"1": "field", "list": ["zero", "one"]});
        let root = || Some(Val::from_json(&value));
        assert_eq!(dynamic(root(), Some("1".into())), Some("field".into()));
        assert_eq!(dynamic(root(), Some(Val::Number(1_i64.into()))), None);
        assert_eq!(dynamic(field(root(), "list"), Some(Val::Number(1_i64.into()))), Some("one".into()));
        assert_eq!(dynamic(field(root(), "list"), Some("1".into())), None);
        assert_eq!(dynamic(field(root(), "list"), Some(Val::Number((-1_i64).into()))), None);
        assert_eq!(dynamic(root(), None), None);
        let mut map = Map::new();
        map.insert(Scalar::Number(7_i64.into()), Datum::Text("seven".into()));
        map.insert(Scalar::Text("k".into()), Datum::Json(Box::new(json!({"x": 1}))));
        assert_eq!(index(Some(Val::Map(&map)), 7), Some("seven".into()));
        assert_eq!(dynamic(Some(Val::Map(&map)), Some(Val::Number(7_i64.into()))), Some("seven".into()));
        assert_eq!(field(field(Some(Val::Map(&map)), "k"), "x"), Some(Val::Number(1_i64.into())));
    }

    #[test]
    fn each_keeps_gaps() {
        let value = json!({"items": [{"price": 1}, {}, {"price": null}]});
        let fuel = Fuel::new();
        let steps = [Step::Field("items"), Step::Each, Step::Field("price")];
        let Some(Val::List(prices)) = path(&fuel, Some(Val::from_json(&value)), &steps) else { panic!() };
        assert_eq!(prices, [Some(Val::Number(1_i64.into())), None, Some(Val::Null)]);
        assert!(!has(Some(Val::List(prices))));
        assert_eq!(walk(&json!({"b": [2, 3], "a": [1]}), &[Step::Each, Step::Each]), Some(json!([1, 2, 3])));
        assert_eq!(walk(&json!(1), &[Step::Each]), None);
    }

    #[test]
    fn deep_finds_at_every_level_and_passes_over_the_rest() {
        let value = json!({"ssn": 1, "list": [{"ssn": 2, "x": {"ssn": {"ssn": 3}}}, 5]});
        let found = Some(json!([1, 2, {"ssn": 3}, 3]));
        assert_eq!(walk(&value, &[Step::Deep, Step::Field("ssn")]), found);
        assert_eq!(walk(&json!([1, [2]]), &[Step::Deep]), Some(json!([[1, [2]], 1, [2], 2])));
        assert_eq!(walk(&json!({"a": 1}), &[Step::Deep, Step::Field("ssn")]), Some(json!([])));
        assert!(!has(path(&Fuel::new(), Some(Val::from_json(&json!({}))), &[Step::Deep, Step::Field("ssn")])));
    }

    #[test]
    fn wildcards_are_bounded_by_fuel_and_do_not_recurse() {
        let wide = json!(vec![0; 70_000]);
        assert_eq!(path(&Fuel::new(), Some(Val::from_json(&wide)), &[Step::Each]), None);
        assert_eq!(path(&Fuel::new(), Some(Val::from_json(&wide)), &[Step::Deep]), None);
        let deep = (0..5_000).fold(json!({"x": 1}), |inner, _| Value::Array(vec![inner]));
        let found = path(&Fuel::new(), Some(Val::from_json(&deep)), &[Step::Deep, Step::Field("x")]);
        assert_eq!(found, Some(Val::List(vec![Some(Val::Number(1_i64.into()))])));
    }
}
