//! Fields of values that are never stored: names at any depth, and paths.
//!
//! `ssn` is a name at any depth. `card.number` and `items[].ssn` are paths from the top: `[]` is each element of a list (an
//! index in the brackets counts as that), `*` each member or element, `**` any number of steps. A field with dots or brackets is
//! also a literal name at any depth. A path goes on through lists where it says nothing of them. Names are compared without
//! regard to case, white space and hidden characters. What is found is replaced by `{"redacted": "<digest>"}`, with the digest of
//! its canonical JSON.
//!
//! INVARIANT: every text means some fields, and what cannot be told apart is replaced. Where a member's value is the name of a
//! field, its siblings are taken for the field's value. A string that is JSON is looked into; any other that has the name of a
//! field next to a sign, as `ssn=…` has, is replaced as a whole.

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
        let literal = |field: &String| vec![Step::Deep, Step::Name(fold(field))];
        Self { paths: fields.iter().flat_map(|field| [parse(field), literal(field)]).collect() }
    }

    /// The value with each field replaced.
    pub(super) fn redact<'v>(&self, value: &'v Value, digests: &Digests) -> Cow<'v, Value> {
        if self.paths.is_empty() {
            return Cow::Borrowed(value);
        }
        let mut rests = Vec::new();
        self.paths.iter().for_each(|path| enter(&mut rests, path));
        let walk = Walk { digests };
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
            name => steps.push(Step::Name(fold(name))),
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

/// A name as it is compared: without white space and hidden characters, in the case that most letters have in common.
fn fold(name: &str) -> String {
    fold_text(name).replace(' ', "")
}

/// The same of a text, in which white space counts as one space.
fn fold_text(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_whitespace() {
            if !folded.ends_with(' ') {
                folded.push(' ');
            }
        } else if !is_hidden(c) {
            folded.extend(c.to_uppercase().flat_map(char::to_lowercase));
        }
    }
    folded
}

/// Whether nobody sees a character.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a character beside a name makes it that of a value: all signs do but the punctuation of prose.
fn is_sign(c: char) -> bool {
    !c.is_alphanumeric() && !matches!(c, ' ' | '_' | '.' | ',' | ';' | '!' | '?' | ')')
}

/// Whether a folded text has the name as a word next to a sign.
fn is_beside_sign(text: &str, name: &str) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        let after = text.get(at..).and_then(|rest| rest.strip_prefix(name)).unwrap_or_default();
        let near = [
            before.strip_suffix(' ').unwrap_or(before).chars().next_back(),
            after.strip_prefix(' ').unwrap_or(after).chars().next(),
        ];
        !is_word(before.chars().next_back())
            && !is_word(after.chars().next())
            && near.into_iter().flatten().any(is_sign)
    })
}

/// What is left of the paths one level below.
fn below<'f>(rests: &[Rest<'f>], label: Label<'_>) -> Vec<Rest<'f>> {
    let mut next = Vec::new();
    let folded = match label {
        Label::Member(name) => fold(name),
        Label::Element => String::new(),
    };
    for rest in rests {
        match (rest.split_first(), label) {
            (Some((Step::Deep, _)), _) => enter(&mut next, rest),
            (Some((Step::Each, further)), _) | (Some((Step::Element, further)), Label::Element) => {
                enter(&mut next, further);
            }
            (Some((Step::Name(name), further)), Label::Member(_)) if *name == folded => {
                enter(&mut next, further);
            }
            // A list may stand where a path has an object.
            (Some((Step::Name(_), _)), Label::Element) => enter(&mut next, rest),
            _ => {}
        }
    }
    next
}

struct Walk<'f> {
    digests: &'f Digests,
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
        // `{"name": "ssn", "value": …}` is another way to write `{"ssn": …}`.
        let mut named = Vec::new();
        for (holder, text) in object.iter().filter_map(|(name, value)| Some((name, value.as_str()?))) {
            let further = below(rests, Label::Member(text));
            if further.iter().any(|rest| rest.is_empty()) {
                named.push(holder);
            }
        }
        for (name, member) in object {
            let next = below(rests, Label::Member(name));
            let new = match named.iter().any(|holder| *holder != name) {
                true => Some(self.replace(member)),
                false => self.value(member, &next, depth, texts),
            };
            if let Some(new) = new {
                changed.get_or_insert_with(|| object.clone()).insert(name.clone(), new);
            }
        }
        changed.map(Value::Object)
    }

    /// A string that may be JSON, or speak of a field in another way.
    fn text(&self, text: &str, rests: &[Rest<'_>], texts: usize) -> Option<Value> {
        let inside = text.trim_matches(|c: char| c.is_whitespace() || is_hidden(c));
        let is_json = inside.starts_with(['{', '[', '"']);
        let read = texts.checked_sub(1).filter(|_| is_json);
        let read = read.and_then(|texts| Some((serde_json::from_str::<Value>(inside).ok()?, texts)));
        let Some((value, texts)) = read else {
            return speaks(text, rests).then(|| self.replace(&Value::from(text)));
        };
        // What was read may be less than is there: of two members of a name the first is lost. So what was read is stored.
        let new = self.value(&value, rests, MAX_DEPTH, texts);
        if new.is_none() && !mentions(text, rests) {
            return None;
        }
        let mut out = Vec::new();
        canonical::write(&mut out, &new.unwrap_or(value));
        String::from_utf8(out).ok().map(Value::from)
    }

    fn replace(&self, value: &Value) -> Value {
        json!({ "redacted": digest(self.digests, value).0.to_string() })
    }
}

/// The last names of paths; `None` for one without.
fn names<'f>(rests: &[Rest<'f>]) -> impl Iterator<Item = Option<&'f str>> {
    rests.iter().map(|rest| {
        rest.iter().rev().find_map(|step| match step {
            Step::Name(name) => Some(name.as_str()),
            _ => None,
        })
    })
}

/// Whether a text has an escape by which a name may be written.
fn has_escape(text: &str) -> bool {
    ["\\u", "\\x", "\\U"].into_iter().any(|escape| text.contains(escape))
}

/// Whether a text that is not JSON may give a field's value.
fn speaks(text: &str, rests: &[Rest<'_>]) -> bool {
    let folded = fold_text(text);
    has_escape(text)
        || names(rests).any(|name| match name {
            Some(name) => is_beside_sign(&folded, name),
            None => folded.contains(['{', '[', '=', ':']),
        })
}

/// Whether a JSON text may have the name of a field.
fn mentions(text: &str, rests: &[Rest<'_>]) -> bool {
    let folded = fold(text);
    has_escape(text) || names(rests).any(|name| name.is_none_or(|name| folded.contains(name)))
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

    #[test]
    fn other_shapes_hide_nothing() {
        let fields = ["ssn", "card.number", "user[name]"];
        for value in [
            json!({"card.number": "planted"}),
            json!({"user[name]": "planted"}),
            json!({"card": [{"number": "planted"}]}),
            json!({"card": "[{\"number\":\"planted\"}]"}),
            json!({"ssn ": "planted"}),
            json!({"\u{17f}sn": "planted"}),
            json!({"s\u{200b}sn": "planted"}),
            json!([{"name": "ssn", "value": "planted"}]),
            json!({"t": "\"{\\\"ssn\\\":\\\"planted\\\"}\" x"}),
            json!({"t": "\u{a0}{\"ssn\":\"planted\"}"}),
            json!({"t": "\u{b}{\"ssn\":\"planted\"}"}),
            json!({"t": "Result: {\"ssn\":\"planted\"}"}),
            json!({"t": "1\n{\"ssn\":\"planted\"}"}),
            json!({"t": "```json\n{\"ssn\":\"planted\"}\n```"}),
            json!({"t": "//c\n{\"ssn\":\"planted\"}"}),
            json!({"t": "{\"\\x73sn\": \"planted\"}"}),
            json!({"t": "{'ssn': 'planted'}"}),
            json!({"t": "ssn=planted&x=1"}),
            json!({"t": "the SSN : planted"}),
            json!({"t": format!("{}ssn=planted", "x ".repeat(100_000))}),
            json!({"t": "{\"a\":{\"s sn\":\"planted\"},\"a\":1}"}),
        ] {
            let text = redacted(&fields, value.clone()).to_string();
            assert!(!text.contains("planted"), "{value}: {text}");
        }
        let prose = json!({"t": "an ssn, which is a number", "u": "the classn: 1", "v": {"name": "x", "value": 1}});
        assert_eq!(redacted(&fields, prose.clone()), prose);
    }
}
