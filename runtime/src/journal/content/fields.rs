//! Fields of values that are never stored: names at any depth, and paths.
//!
//! `ssn` is a name at any depth. `card.number` and `items[].ssn` are paths from the top: `[]` is each element of a list (an
//! index in the brackets counts as that), `*` each member or element, `**` any number of steps. Names are compared without
//! regard to the case of ASCII letters. What is found is replaced by `{"redacted": "<digest>"}`, with the digest of its canonical
//! JSON.
//!
//! INVARIANT: every text means some fields, and what cannot be told apart is replaced. A string that holds JSON is looked into;
//! if it looks as if it did but cannot be read, and speaks of a field, it is replaced as a whole.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::digest;
use crate::journal::canonical;
use crate::journal::secret::Digests;
use crate::value::MAX_DEPTH;

/// How deep JSON texts inside JSON texts are looked into.
const MOST_TEXTS: usize = 8;

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    /// A member of this name.
    Name(String),
    /// An element of a list.
    Element,
    /// A member or an element.
    Each,
    /// Any number of steps.
    Deep,
}

/// What is left to walk of a path.
type Rest<'f> = &'f [Step];

/// What is never stored.
#[derive(Clone, Debug, Default)]
pub(in crate::journal) struct Fields {
    paths: Vec<Vec<Step>>,
}

/// Which part of its parent a value is.
#[derive(Clone, Copy)]
enum Label<'v> {
    Member(&'v str),
    Element,
}

impl Fields {
    /// The fields that these texts name.
    pub(in crate::journal) fn new(fields: &[String]) -> Self {
        Self { paths: fields.iter().map(|field| parse(field)).collect() }
    }

    /// The value with each field replaced.
    pub(super) fn redact<'v>(&self, value: &'v Value, digests: &Digests) -> Cow<'v, Value> {
        if self.paths.is_empty() {
            return Cow::Borrowed(value);
        }
        let mut rests = Vec::new();
        self.paths.iter().for_each(|path| enter(&mut rests, path));
        let walk = Walk { digests, paths: &self.paths };
        walk.value(value, &rests, MAX_DEPTH, MOST_TEXTS).map_or(Cow::Borrowed(value), Cow::Owned)
    }
}

fn parse(field: &str) -> Vec<Step> {
    let is_name = !field.contains(['.', '[', '*']);
    let mut steps = if is_name { vec![Step::Deep] } else { Vec::new() };
    for segment in field.strip_prefix("$.").unwrap_or(field).split('.') {
        let (name, elements) = segment
            .split_once('[')
            .map_or((segment, 0), |(name, rest)| (name, rest.matches('[').count().saturating_add(1)));
        match name {
            "**" => steps.push(Step::Deep),
            "*" => steps.push(Step::Each),
            "" if elements == 0 => steps.push(Step::Deep),
            "" => {}
            name => steps.push(Step::Name(name.to_owned())),
        }
        steps.extend(std::iter::repeat_n(Step::Element, elements));
    }
    steps
}

/// Adds what is left of a path. `**` also stands for no step at all.
fn enter<'f>(rests: &mut Vec<Rest<'f>>, mut rest: Rest<'f>) {
    loop {
        if !rests.iter().any(|known| std::ptr::eq(*known, rest)) {
            rests.push(rest);
        }
        match rest.split_first() {
            Some((Step::Deep, further)) => rest = further,
            _ => return,
        }
    }
}

/// What is left of the paths one level below.
fn below<'f>(rests: &[Rest<'f>], label: Label<'_>) -> Vec<Rest<'f>> {
    let mut next = Vec::new();
    for rest in rests {
        match (rest.split_first(), label) {
            (Some((Step::Deep, _)), _) => enter(&mut next, rest),
            (Some((Step::Each, further)), _) | (Some((Step::Element, further)), Label::Element) => {
                enter(&mut next, further);
            }
            (Some((Step::Name(name), further)), Label::Member(member)) if name.eq_ignore_ascii_case(member) => {
                enter(&mut next, further);
            }
            _ => {}
        }
    }
    next
}

struct Walk<'f> {
    digests: &'f Digests,
    paths: &'f [Vec<Step>],
}

impl Walk<'_> {
    /// The value with each field replaced; `None` if it has none.
    fn value(&self, value: &Value, rests: &[Rest<'_>], depth: usize, texts: usize) -> Option<Value> {
        if rests.iter().any(|rest| rest.is_empty()) {
            return Some(self.replace(value));
        }
        if rests.is_empty() {
            return None;
        }
        let below_depth = depth.checked_sub(1);
        match (value, below_depth) {
            (Value::Object(object), Some(depth)) => self.object(object, rests, depth, texts),
            (Value::Array(list), Some(depth)) => {
                let next = below(rests, Label::Element);
                let changed: Vec<_> = list.iter().map(|element| self.value(element, &next, depth, texts)).collect();
                if changed.iter().all(Option::is_none) {
                    return None;
                }
                let keep = |(new, old): (Option<Value>, &Value)| new.unwrap_or_else(|| old.clone());
                Some(changed.into_iter().zip(list).map(keep).collect())
            }
            // Nobody looks deeper.
            (Value::Object(_) | Value::Array(_), None) => Some(Value::Null),
            (Value::String(text), _) => self.text(text, rests, texts),
            _ => None,
        }
    }

    fn object(&self, object: &Map<String, Value>, rests: &[Rest<'_>], depth: usize, texts: usize) -> Option<Value> {
        let mut changed = None;
        for (name, member) in object {
            if let Some(new) = self.value(member, &below(rests, Label::Member(name)), depth, texts) {
                changed.get_or_insert_with(|| object.clone()).insert(name.clone(), new);
            }
        }
        changed.map(Value::Object)
    }

    /// A string that may hold JSON.
    fn text(&self, text: &str, rests: &[Rest<'_>], texts: usize) -> Option<Value> {
        let inside = text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
        if !inside.starts_with(['{', '[', '"']) {
            return None;
        }
        let whole = || self.speaks_of_fields(text).then(|| self.replace(&Value::from(text)));
        let Some(texts) = texts.checked_sub(1) else { return whole() };
        match serde_json::from_str::<Value>(inside) {
            Ok(value) => {
                let new = match self.value(&value, rests, MAX_DEPTH, texts) {
                    Some(new) => new,
                    // What was read may be less than is there: of two members of a name the first is lost.
                    None if self.speaks_of_fields(text) => value,
                    None => return None,
                };
                let mut out = Vec::new();
                canonical::write(&mut out, &new);
                String::from_utf8(out).ok().map(Value::from)
            }
            Err(_) if inside.starts_with('"') => None,
            Err(_) => whole(),
        }
    }

    /// Whether a text may hold the name of a field, perhaps in escapes.
    fn speaks_of_fields(&self, text: &str) -> bool {
        let lower = text.to_ascii_lowercase();
        text.contains("\\u")
            || self.paths.iter().any(|path| match path.last() {
                Some(Step::Name(name)) => lower.contains(&name.to_ascii_lowercase()),
                _ => true,
            })
    }

    fn replace(&self, value: &Value) -> Value {
        json!({ "redacted": digest(self.digests, value).0.to_string() })
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Secret;
    use super::*;

    fn redacted(fields: &[&str], value: Value) -> Value {
        let digests = Secret::from_bytes(&[1; 32]).digests();
        let fields: Vec<String> = fields.iter().map(|field| (*field).to_owned()).collect();
        let text = Fields::new(&fields).redact(&value, &digests).to_string();
        let digest = regex::Regex::new(r#"\{\\?"redacted\\?":\\?"[0-9a-f]{64}\\?"\}"#).unwrap();
        serde_json::from_str(&digest.replace_all(&text, "{}")).unwrap()
    }

    #[test]
    fn names_are_found_at_any_depth_and_in_any_case() {
        let value = json!({"a": [{"SSN": "1", "b": {"ssn": {"c": 1}}}], "ssn_old": 2});
        assert_eq!(redacted(&["ssn"], value), json!({"a": [{"SSN": {}, "b": {"ssn": {}}}], "ssn_old": 2}));
    }

    #[test]
    fn paths_lead_from_the_top() {
        let value = json!({"card": {"number": 1, "card": {"number": 2}}, "items": [{"ssn": 3}, {"x": {"ssn": 4}}]});
        assert_eq!(
            redacted(&["card.number", "items[].ssn"], value.clone()),
            json!({"card": {"number": {}, "card": {"number": 2}}, "items": [{"ssn": {}}, {"x": {"ssn": 4}}]})
        );
        assert_eq!(
            redacted(&["card.**.number", "items[0].*"], value.clone()),
            json!({"card": {"number": {}, "card": {"number": {}}}, "items": [{"ssn": {}}, {"x": {}}]})
        );
        assert_eq!(redacted(&["**"], value.clone()), json!({}));
        assert_eq!(redacted(&["[].ssn", "$.card.card"], value)["card"], json!({"number": 1, "card": {}}));
    }

    #[test]
    fn strings_that_hold_json_are_looked_into() {
        let value = json!({"body": "{\"a\": {\"ssn\": 1}}", "other": "{\"a\":  1}", "prose": "an ssn is a number"});
        let expected = json!({"body": "{\"a\":{\"ssn\":{}}}", "other": "{\"a\":  1}", "prose": "an ssn is a number"});
        assert_eq!(redacted(&["ssn"], value), expected);
        // Of two members of a name both go; what is cut off goes as a whole; so do escapes that could be a name.
        assert_eq!(redacted(&["ssn"], json!("{\"a\":{\"ssn\":1},\"a\":2}")), json!("{\"a\":2}"));
        assert_eq!(redacted(&["ssn"], json!("{\"ssn\":\"123-4")), json!({}));
        assert_eq!(redacted(&["ssn"], json!(["{\"\\u0073sn\":\"123-4"])), json!([{}]));
        assert_eq!(redacted(&["ssn"], json!("{\"ssn\":1}\n{\"ssn\":2}")), json!({}));
        let twice = json!(serde_json::to_string("{\"ssn\":\"planted\"}").unwrap());
        assert!(!redacted(&["ssn"], twice).to_string().contains("planted"));
    }
}
