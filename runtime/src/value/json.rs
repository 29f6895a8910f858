//! JSON: reading texts that carry it, and what other operations need of JSON values.

use serde_json::{Map, Value};

use super::{Est, Fuel, MAX_DEPTH, Val};

/// `json(text)`: the value of a JSON text. Not established if it is malformed, nested deeper than 128 levels, or repeats a key
/// in an object, which another reader may take differently (RFC 8259 §4).
#[must_use]
pub fn json<'a>(fuel: &Fuel, text: Est<'a>) -> Est<'a> {
    let Some(Val::Text(text)) = text else { return None };
    if !fuel.spend_on(text.len()) {
        return None;
    }
    let value: Value = serde_json::from_str(&text).ok()?;
    // A repeated key takes at least one member with it, so the counts differ exactly if there is one.
    if count_members(&value) == count_colons(&text) { Some(Val::from_owned_json(value)) } else { None }
}

/// How many members the objects of a value have.
fn count_members(value: &Value) -> usize {
    let mut members = 0_usize;
    let mut rest = vec![value];
    while let Some(value) = rest.pop() {
        match value {
            Value::Array(array) => rest.extend(array),
            Value::Object(object) => {
                members = members.saturating_add(object.len());
                rest.extend(object.values());
            }
            _ => {}
        }
    }
    members
}

/// How many colons a well-formed JSON text has outside of strings: one for each member of an object.
fn count_colons(text: &str) -> usize {
    let mut colons = 0_usize;
    let mut bytes = text.bytes();
    let mut in_string = false;
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => in_string = !in_string,
            b'\\' if in_string => {
                bytes.next();
            }
            b':' if !in_string => colons = colons.saturating_add(1),
            _ => {}
        }
    }
    colons
}

/// The members of an object in the order of their keys, whatever order `serde_json` was built to keep.
pub(super) fn members(object: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut members: Vec<_> = object.iter().collect();
    members.sort_unstable_by_key(|(key, _)| *key);
    members
}

/// The members of an object, moved out, in the order of their keys.
pub(super) fn into_members(object: Map<String, Value>) -> Vec<(String, Value)> {
    let mut members: Vec<_> = object.into_iter().collect();
    members.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    members
}

/// Whether a value is nested at most [`MAX_DEPTH`] deep, so that it can be copied by recursion.
pub(crate) fn is_shallow(value: &Value) -> bool {
    is_within(value, MAX_DEPTH)
}

/// By recursion, which `levels` bounds: arguments are measured with every call, and a list of what is left to look at would
/// be an allocation for each.
fn is_within(value: &Value, levels: usize) -> bool {
    let below = levels.checked_sub(1);
    match value {
        Value::Array(array) => below.is_some_and(|below| array.iter().all(|value| is_within(value, below))),
        Value::Object(object) => below.is_some_and(|below| object.values().all(|value| is_within(value, below))),
        _ => true,
    }
}

/// Whether a value takes at most so many bytes and is not nested too deeply.
pub(super) fn fits(value: &Value, max_bytes: usize) -> bool {
    measure(value, max_bytes).is_some()
}

/// About how many bytes the value takes as compact JSON: exact but for escapes and numbers, which count as 8.
pub(super) fn bytes(value: &Value) -> usize {
    measure(value, usize::MAX).unwrap_or(usize::MAX)
}

/// The bytes of a value, or `None` if it is nested too deeply or takes more than `most`.
fn measure(value: &Value, most: usize) -> Option<usize> {
    let mut bytes = 0_usize;
    let mut rest = vec![(value, MAX_DEPTH)];
    while let Some((value, depth)) = rest.pop() {
        let own = match value {
            Value::Null | Value::Bool(_) => 4,
            Value::Number(_) => 8,
            Value::String(text) => text.len().saturating_add(2),
            Value::Array(array) => {
                let below = depth.checked_sub(1)?;
                rest.extend(array.iter().map(|value| (value, below)));
                array.len().saturating_add(1)
            }
            Value::Object(object) => {
                let below = depth.checked_sub(1)?;
                rest.extend(object.values().map(|value| (value, below)));
                object.keys().fold(1, |sum: usize, key| sum.saturating_add(key.len()).saturating_add(4))
            }
        };
        bytes = bytes.saturating_add(own);
        if bytes > most {
            return None;
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use serde_json::json as value;

    use super::*;

    fn read(text: &str) -> Option<Value> {
        json(&Fuel::new(), Some(Val::text(text)))?.to_json()
    }

    #[test]
    fn texts_are_read_as_values() {
        assert_eq!(read(r#" {"a:b": [1, ":\\\":"]} "#), Some(value!({"a:b": [1, ":\\\":"]})));
        assert_eq!(read("0.1"), Some(value!(0.1)));
        assert_eq!(read("null"), Some(Value::Null));
        assert_eq!(json(&Fuel::new(), Some(Val::Bool(true))), None);
    }

    #[test]
    fn a_repeated_key_is_not_established_at_any_level() {
        for text in [
            r#"{"a":1,"a":1}"#,
            r#"{"a":1,"\u0061":2}"#,
            r#"[[{"x":{"a":{},"b":1,"a":{"c":1}}}]]"#,
            r#"{"a":{"b":1,"c":2},"a":3}"#,
        ] {
            assert_eq!(read(text), None, "{text}");
        }
        assert!(read(r#"{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}"#).is_some());
    }

    #[test]
    fn malformed_and_endless_texts_are_not_established() {
        for text in ["", "{", "{'a':1}", "[1,]", "nul", "1 2", "{\"a\":1}x", "NaN", "1e999", "\u{feff}{}"] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(read(&"[".repeat(100_000)), None);
        assert_eq!(read(&format!("{}{}", "[".repeat(500), "]".repeat(500))), None);
        let huge = format!("\"{}\"", "x".repeat(256 * 65_536));
        assert_eq!(read(&huge), None, "past the fuel");
    }

    #[test]
    fn a_scalar_may_be_one_level_deeper_than_what_holds_it() {
        let nest = |levels| (0..levels).fold(value!(1), |value, _| value!([value]));
        assert!(is_shallow(&nest(MAX_DEPTH)) && fits(&nest(MAX_DEPTH), usize::MAX));
        let deep = nest(MAX_DEPTH + 1);
        assert!(!is_shallow(&deep) && !fits(&deep, usize::MAX));
        assert!(!is_shallow(&value!({"a": 1, "b": [deep]})));
    }

    #[test]
    fn sizes_stop_early() {
        assert!(fits(&value!({"a": "xyz"}), 16));
        assert!(!fits(&value!(vec![0; 1_000]), 100));
        assert_eq!(bytes(&value!(["ab"])), 6);
    }
}
