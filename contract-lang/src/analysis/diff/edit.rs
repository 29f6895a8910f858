//! What was written differently: the canonical texts of two versions, field by field.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::mir::Contract;

/// A place in the contract file that differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Edit {
    /// Where: fields, and the ids of rules: `rules.once-per-invoice.at_most_n_times.n`.
    pub place: String,
    /// What the old version has there.
    pub old: Option<Value>,
    /// What the new version has there.
    pub new: Option<Value>,
}

/// The places that differ, in the order of the fields.
pub(super) fn edits(old: &Contract, new: &Contract) -> Vec<Edit> {
    let read = |contract: &Contract| serde_json::from_str::<Value>(&contract.source).ok();
    let mut found = Vec::new();
    if let (Some(old), Some(new)) = (read(old), read(new)) {
        compare(String::new(), &old, &new, &mut found);
    }
    found
}

fn compare(place: String, old: &Value, new: &Value, found: &mut Vec<Edit>) {
    match (old, new) {
        _ if old == new => {}
        (Value::Object(old), Value::Object(new)) => fields(&place, old, new, found),
        (Value::Array(one), Value::Array(other)) => match (by_id(one), by_id(other)) {
            (Some(one), Some(other)) => fields(&place, &one, &other, found),
            _ => items(&place, one, other, found),
        },
        _ => found.push(Edit { place, old: Some(old.clone()), new: Some(new.clone()) }),
    }
}

fn fields(place: &str, old: &Map<String, Value>, new: &Map<String, Value>, found: &mut Vec<Edit>) {
    let names: BTreeMap<&String, ()> = old.keys().chain(new.keys()).map(|name| (name, ())).collect();
    for name in names.into_keys() {
        let below = if place.is_empty() { name.clone() } else { format!("{place}.{name}") };
        match (old.get(name), new.get(name)) {
            (Some(old), Some(new)) => compare(below, old, new, found),
            (old, new) => found.push(Edit { place: below, old: old.cloned(), new: new.cloned() }),
        }
    }
}

/// Lists whose items have no name: what is in one only; if that is one item in each, where these differ.
fn items(place: &str, old: &[Value], new: &[Value], found: &mut Vec<Edit>) {
    let missing = |from: &[Value], other: &[Value]| -> Vec<Value> {
        let mut other: Vec<&Value> = other.iter().collect();
        let mut left = Vec::new();
        for item in from {
            match other.iter().position(|known| *known == item) {
                Some(at) => drop(other.swap_remove(at)),
                None => left.push(item.clone()),
            }
        }
        left
    };
    let (gone, came) = (missing(old, new), missing(new, old));
    match (gone.as_slice(), came.as_slice()) {
        ([], []) => found.push(Edit {
            place: format!("{place} (order)"),
            old: Some(Value::Array(old.to_vec())),
            new: Some(Value::Array(new.to_vec())),
        }),
        ([one], [other]) if one.is_object() && other.is_object() => compare(place.to_owned(), one, other, found),
        _ => {
            let edit = |old: Option<Value>, new: Option<Value>| Edit { place: place.to_owned(), old, new };
            found.extend(gone.into_iter().map(|item| edit(Some(item), None)));
            found.extend(came.into_iter().map(|item| edit(None, Some(item))));
        }
    }
}

/// Rules by their ids.
fn by_id(items: &[Value]) -> Option<Map<String, Value>> {
    items.iter().map(|item| Some((item.get("id")?.as_str()?.to_owned(), item.clone()))).collect()
}
