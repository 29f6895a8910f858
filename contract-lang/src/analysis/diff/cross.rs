//! Further results for the sessions that two versions are compared by: the fields of those that a search makes, combined.
//!
//! One result may be right for one rule and another for the next; what both versions let through must be right for all.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::analysis::search::{Alphabet, Move};
use crate::trace::Recorded;

/// Most combinations for one call.
const MOST: usize = 24;

/// Adds to the results of each call their combinations, field by field.
pub(super) fn cross(alphabet: &mut Alphabet) {
    for next in &mut alphabet.moves {
        if let Move::Call(_, results) = next {
            for result in combined(results) {
                if !results.contains(&result) {
                    results.push(result);
                }
            }
        }
    }
}

fn combined(results: &[Recorded]) -> Vec<Recorded> {
    let objects = results.iter().filter_map(|result| Some((result.status, result.value.as_ref()?.as_object()?)));
    let objects: Vec<_> = objects.collect();
    let Some((status, _)) = objects.first().copied() else { return Vec::new() };
    let mut fields: BTreeMap<&String, Vec<&Value>> = BTreeMap::new();
    for (name, value) in objects.iter().filter(|(other, _)| *other == status).flat_map(|(_, object)| *object) {
        let values = fields.entry(name).or_default();
        if !values.contains(&value) {
            values.push(value);
        }
    }
    let mut all: Vec<Map<String, Value>> = vec![Map::new()];
    for (name, values) in fields {
        let with = |object: &Map<String, Value>, value: &Value| {
            let mut object = object.clone();
            object.insert(name.clone(), value.clone());
            object
        };
        all = all.iter().flat_map(|object| values.iter().map(move |value| with(object, value))).collect();
        all.truncate(MOST);
    }
    all.into_iter().map(|object| Recorded { status, value: Some(Value::Object(object)) }).collect()
}
