//! Lists, sets, and the parts of objects and maps.

use std::borrow::Cow;
use std::collections::{BTreeSet, btree_set};
use std::{slice, vec};

use serde_json::Value;

use super::compare::member;
use super::{Datum, Est, Fuel, Scalar, ScalarRef, Val, canonical, json};
use crate::Truth;

/// The elements of a list, or the certain members of a set in canonical order.
#[derive(Debug)]
pub struct Items<'a> {
    source: Source<'a>,
    complete: bool,
}

#[derive(Debug)]
enum Source<'a> {
    Json(slice::Iter<'a, Value>),
    OwnedJson(vec::IntoIter<Value>),
    List(vec::IntoIter<Est<'a>>),
    Set(btree_set::Iter<'a, Scalar>),
}

impl<'a> Items<'a> {
    /// The elements of a list or set. `None` for anything else.
    #[must_use]
    pub fn of(list: Val<'a>) -> Option<Self> {
        let mut complete = true;
        let source = match list {
            Val::Json(Cow::Borrowed(Value::Array(array))) => Source::Json(array.iter()),
            Val::Json(Cow::Owned(Value::Array(array))) => Source::OwnedJson(array.into_iter()),
            Val::List(list) => Source::List(list.into_iter()),
            Val::Set(set) => {
                complete = !set.unsure;
                Source::Set(set.members.iter())
            }
            _ => return None,
        };
        Some(Self { source, complete })
    }

    /// The elements of a list or set, where it is certain that these are all.
    #[must_use]
    pub fn complete(list: Val<'a>) -> Option<Self> {
        Self::of(list).filter(Self::is_complete)
    }

    /// Whether these certainly are all elements.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.complete
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = Est<'a>;

    fn next(&mut self) -> Option<Est<'a>> {
        match &mut self.source {
            Source::Json(array) => array.next().map(|value| Some(Val::from_json(value))),
            Source::OwnedJson(array) => array.next().map(|value| Some(Val::from_owned_json(value))),
            Source::List(list) => list.next(),
            Source::Set(members) => members.next().map(|member| Some(member.as_val())),
        }
    }
}

/// `size(x)`: characters of a string, elements of a list, members of an object, set or map.
#[must_use]
pub fn size<'a>(fuel: &Fuel, value: Est<'a>) -> Est<'a> {
    let value = value?;
    if !fuel.spend_on(value.as_text().map_or(0, str::len)) {
        return None;
    }
    let size = match &value {
        Val::Text(text) => text.chars().count(),
        Val::Json(json) => match &**json {
            Value::Array(array) => array.len(),
            Value::Object(object) => object.len(),
            _ => return None,
        },
        Val::List(list) => list.len(),
        Val::Set(set) if !set.unsure => set.len(),
        Val::Map(map) if !map.unsure => map.len(),
        _ => return None,
    };
    Some(Val::Number(size.into()))
}

/// `keys(x)`: the keys of an object or map, in order.
#[must_use]
pub fn keys<'a>(fuel: &Fuel, value: Est<'a>) -> Est<'a> {
    let keys: Vec<Est<'a>> = match value? {
        Val::Json(Cow::Borrowed(Value::Object(object))) => {
            json::members(object).into_iter().map(|(key, _)| Some(Val::text(key))).collect()
        }
        Val::Json(Cow::Owned(Value::Object(object))) => {
            json::into_members(object).into_iter().map(|(key, _)| Some(Val::Text(Cow::Owned(key)))).collect()
        }
        Val::Map(map) if !map.unsure => map.entries.keys().map(|key| Some(key.as_val())).collect(),
        _ => return None,
    };
    fuel.spend_each(&keys).then_some(Val::List(keys))
}

/// `values(x)`: the values of an object or map, in the order of their keys.
#[must_use]
pub fn values<'a>(fuel: &Fuel, value: Est<'a>) -> Est<'a> {
    match value? {
        Val::Json(json) if !json.is_object() => None,
        value @ (Val::Json(_) | Val::Map(_)) => children(fuel, value).map(Val::List),
        _ => None,
    }
}

/// The elements of a list or set, or the values of an object or map in the order of their keys.
pub(super) fn children<'a>(fuel: &Fuel, value: Val<'a>) -> Option<Vec<Est<'a>>> {
    let children: Vec<Est<'a>> = match value {
        Val::Json(Cow::Borrowed(Value::Object(object))) => {
            json::members(object).into_iter().map(|(_, value)| Some(Val::from_json(value))).collect()
        }
        Val::Json(Cow::Owned(Value::Object(object))) => {
            json::into_members(object).into_iter().map(|(_, value)| Some(Val::from_owned_json(value))).collect()
        }
        Val::Map(map) if !map.unsure => map.entries.values().map(|value| Some(Datum::as_val(value))).collect(),
        list => Items::complete(list)?.collect(),
    };
    fuel.spend_each(&children).then_some(children)
}

/// `distinct(list)`: the list without repeated elements, in the order of their first occurrence. Elements are the same if
/// they have the same canonical form, so that elements of different types differ.
#[must_use]
pub fn distinct<'a>(fuel: &Fuel, list: Est<'a>) -> Est<'a> {
    let mut items: Vec<Val<'a>> = Items::complete(list?)?.collect::<Option<_>>()?;
    let mut seen = BTreeSet::new();
    let mut first = Vec::with_capacity(items.len());
    for item in &items {
        let identity = match ScalarRef::of(item) {
            Some(scalar) if fuel.spend_on(scalar.bytes()) => Identity::Scalar(scalar),
            Some(_) => return None,
            None => Identity::Composite(canonical(fuel, item)?),
        };
        first.push(seen.insert(identity));
    }
    drop(seen);
    let mut first = first.into_iter();
    items.retain(|_| first.next() == Some(true));
    Some(Val::List(items.into_iter().map(Some).collect()))
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Identity<'v> {
    Scalar(ScalarRef<'v>),
    Composite(String),
}

/// `subset(a, b)`: every element of `a` is in `b`.
#[must_use]
pub fn subset(fuel: &Fuel, part: Est<'_>, whole: Est<'_>) -> Truth {
    super::all(fuel, part, |item| whole.as_ref().map_or(Truth::Unknown, |whole| member(fuel, item.as_ref(), whole)))
}

/// `intersects(a, b)`: some element of `a` is in `b`.
#[must_use]
pub fn intersects(fuel: &Fuel, left: Est<'_>, right: Est<'_>) -> Truth {
    super::any(fuel, left, |item| right.as_ref().map_or(Truth::Unknown, |right| member(fuel, item.as_ref(), right)))
}

/// `strings(x)`: all string leaves and all keys of objects, outermost first; an object's keys before what is below them.
#[must_use]
pub fn strings<'a>(fuel: &Fuel, value: Est<'a>) -> Est<'a> {
    let mut strings = Vec::new();
    let mut rest = vec![value?];
    while let Some(value) = rest.pop() {
        if !fuel.spend(1) {
            return None;
        }
        match value {
            Val::Text(_) => strings.push(Some(value)),
            Val::Json(_) | Val::List(_) | Val::Set(_) | Val::Map(_) => {
                match &value {
                    Val::Json(Cow::Borrowed(Value::Object(object))) => {
                        strings.extend(json::members(object).into_iter().map(|(key, _)| Some(Val::text(key))));
                    }
                    Val::Json(Cow::Owned(Value::Object(object))) => strings.extend(
                        json::members(object).into_iter().map(|(key, _)| Some(Val::Text(Cow::Owned(key.clone())))),
                    ),
                    Val::Map(map) => strings.extend(
                        map.entries.keys().filter(|key| matches!(key, Scalar::Text(_))).map(|key| Some(key.as_val())),
                    ),
                    _ => {}
                }
                let below = children(fuel, value)?.into_iter().rev().collect::<Option<Vec<_>>>()?;
                rest.extend(below);
            }
            _ => {}
        }
    }
    Some(Val::List(strings))
}

impl Fuel {
    /// Pays a step for each element.
    fn spend_each(&self, elements: &[Est<'_>]) -> bool {
        self.spend(u32::try_from(elements.len()).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::value::{Decimal, Map, Set};

    fn read(value: &Value) -> Est<'_> {
        Some(Val::from_json(value))
    }

    fn out(value: Est<'_>) -> Option<Value> {
        value?.to_json()
    }

    #[test]
    fn size_counts_characters_and_elements() {
        let fuel = Fuel::new();
        for (value, expected) in [(json!("é☃"), 2_usize), (json!([1, 2, 3]), 3), (json!({"a": 1}), 1), (json!(""), 0)]
        {
            assert_eq!(size(&fuel, read(&value)), Some(Val::Number(expected.into())));
        }
        assert_eq!(size(&fuel, read(&json!(5))), None);
        assert_eq!(size(&fuel, Some(Val::Set(&Set { unsure: true, ..Set::new() }))), None);
        assert_eq!(size(&fuel, Some(Val::Map(&Map::new()))), Some(Val::Number(Decimal::ZERO)));
    }

    #[test]
    fn keys_and_values_come_in_the_order_of_keys() {
        let fuel = Fuel::new();
        let object = json!({"b": 1, "a": [2]});
        assert_eq!(out(keys(&fuel, read(&object))), Some(json!(["a", "b"])));
        assert_eq!(out(values(&fuel, read(&object))), Some(json!([[2], 1])));
        assert_eq!(out(keys(&fuel, Some(Val::from_owned_json(object)))), Some(json!(["a", "b"])));
        assert_eq!(keys(&fuel, read(&json!([1]))), None);
        assert_eq!(values(&fuel, read(&json!([1]))), None);
        let mut map = Map::new();
        map.insert(Scalar::Text("k".into()), Datum::Bool(true));
        assert_eq!(out(keys(&fuel, Some(Val::Map(&map)))), Some(json!(["k"])));
        assert_eq!(out(values(&fuel, Some(Val::Map(&map)))), Some(json!([true])));
        map.unsure = true;
        assert_eq!(keys(&fuel, Some(Val::Map(&map))), None);
    }

    #[test]
    fn distinct_keeps_first_occurrences_and_types_apart() {
        let fuel = Fuel::new();
        let list = json!([1, "1", 1.0, null, [1], [1.0], {"a": 1, "b": 2}, {"b": 2, "a": 1}, null, true, "1"]);
        let expected = json!([1, "1", null, [1], {"a": 1, "b": 2}, true]);
        assert_eq!(out(distinct(&fuel, read(&list))), Some(expected));
        assert_eq!(distinct(&fuel, read(&json!([1e300]))), None);
        assert!(distinct(&fuel, read(&json!((0..20_000).collect::<Vec<_>>()))).is_some());
    }

    #[test]
    fn subset_and_intersects_are_kleene() {
        let fuel = Fuel::new();
        let (ab, abc, d) = (json!(["a", "b"]), json!(["a", "b", "c"]), json!(["d"]));
        assert_eq!(subset(&fuel, read(&ab), read(&abc)), Truth::True);
        assert_eq!(subset(&fuel, read(&abc), read(&ab)), Truth::False);
        assert_eq!(subset(&fuel, read(&json!([])), read(&ab)), Truth::True);
        assert_eq!(subset(&fuel, read(&ab), None), Truth::Unknown);
        assert_eq!(subset(&fuel, read(&json!(["a", 1])), read(&ab)), Truth::Unknown);
        assert_eq!(intersects(&fuel, read(&ab), read(&abc)), Truth::True);
        assert_eq!(intersects(&fuel, read(&ab), read(&d)), Truth::False);
        let set = Set { members: [Scalar::Text("a".into())].into(), unsure: true };
        assert_eq!(subset(&fuel, Some(Val::Set(&set)), read(&ab)), Truth::Unknown);
        assert_eq!(subset(&fuel, read(&ab), Some(Val::Set(&set))), Truth::Unknown);
        assert_eq!(intersects(&fuel, read(&ab), Some(Val::Set(&set))), Truth::True);
    }

    #[test]
    fn strings_are_leaves_and_keys() {
        let fuel = Fuel::new();
        let value = json!({"b": ["x", 1, {"c": "y"}], "a": "z"});
        let expected = Some(json!(["a", "b", "z", "x", "c", "y"]));
        assert_eq!(out(strings(&fuel, read(&value))), expected);
        assert_eq!(out(strings(&fuel, Some(Val::from_owned_json(value)))), expected);
        assert_eq!(out(strings(&fuel, read(&json!(1)))), Some(json!([])));
        let deep = (0..5_000).fold(json!("x"), |inner, _| Value::Array(vec![inner]));
        assert_eq!(out(strings(&fuel, read(&deep))), Some(json!(["x"])));
    }
}
