//! The result of a call of a tool: what of it contracts see, and what of it the client sees.
//!
//! A server may say one thing several times: as structured content, as JSON in a text, as text. Contracts read `result.…`
//! whichever way it came, and what they mask is masked in every copy.
//!
//! INVARIANT: what is masked once in what contracts see is in no member of what the client sees: not in structured content, not
//! in texts, not in embedded resources.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

/// What stands in for what is masked.
const MASK: &str = "[redacted]";

/// The shortest text that is looked for in other texts after it was masked: shorter ones are everywhere.
const SHORTEST: usize = 4;

/// What contracts see of a result: all that the server said, and beside it the members of its payload, that is, of its
/// structured content, or of the JSON that its only text is. A payload that is no object is `value`. Where structured content
/// and a text say different things of one member, nobody knows which is right, and it is left out.
pub(crate) fn seen(result: &Value) -> Cow<'_, Value> {
    let Value::Object(said) = result else { return Cow::Borrowed(result) };
    let structured = said.get("structuredContent").filter(|content| !content.is_null());
    let texts: Vec<Value> = texts(result).filter_map(parsed).collect();
    let payload = match (structured, texts.as_slice()) {
        (Some(payload), _) => Cow::Borrowed(payload),
        (None, [only]) if blocks(result).count() == 1 => Cow::Owned(only.clone()),
        _ => return Cow::Borrowed(result),
    };
    let mut seen = match payload.as_ref() {
        Value::Object(payload) => {
            let agreed =
                |key: &str, value: &Value| texts.iter().all(|text| text.get(key).is_none_or(|other| other == value));
            payload
                .iter()
                .filter(|(key, value)| agreed(key, value))
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect()
        }
        other => Map::from_iter([("value".to_owned(), other.clone())]),
    };
    // What the protocol says of the result wins over what the tool says.
    seen.extend(said.iter().map(|(key, value)| (key.clone(), value.clone())));
    Cow::Owned(Value::Object(seen))
}

/// What the client sees of `result`, of which contracts saw `seen` and left `masked`.
pub(crate) fn shown(result: &Value, seen: &Value, masked: &Value) -> Value {
    let (Value::Object(said), Value::Object(_)) = (result, masked) else {
        return json!({ "content": [text_block(MASK)], "isError": is_error(result) });
    };
    let mut paths = Vec::new();
    let mut secrets = Vec::new();
    differences(seen, masked, &mut Vec::new(), &mut paths, &mut secrets);
    let mut shown = Value::Object(said.clone());
    for path in &paths {
        let is_said = path.first().is_some_and(|step| matches!(step, Step::Field(key) if said.contains_key(*key)));
        // The path inside a payload: of a payload that is no object, without the name that it was given.
        let inside = match path.split_first() {
            Some((Step::Field("structuredContent"), rest)) => rest,
            Some((Step::Field("value"), rest)) if !payload_is_object(result) => rest,
            _ => path.as_slice(),
        };
        let is_payload = !is_said || inside.len() < path.len();
        if is_said {
            mask(&mut shown, path);
        }
        if is_payload {
            if let Some(content) = shown.get_mut("structuredContent") {
                mask(content, inside);
            }
            each_text(&mut shown, &mut |text| {
                if let Some(mut inner) = parsed(text.as_str())
                    && mask(&mut inner, inside)
                {
                    *text = inner.to_string();
                }
            });
        }
    }
    secrets.sort_unstable_by_key(|secret| std::cmp::Reverse(secret.len()));
    secrets.dedup();
    each_text(&mut shown, &mut |text| {
        for secret in &secrets {
            if text.contains(secret.as_str()) {
                *text = text.replace(secret.as_str(), MASK);
            }
        }
    });
    whole(shown)
}

/// The result in the form that the protocol wants, where a member of the protocol's own was masked as a whole.
fn whole(mut shown: Value) -> Value {
    let Some(said) = shown.as_object_mut() else { return shown };
    if said.get("content").is_some_and(|content| !content.is_array()) {
        said.insert("content".to_owned(), json!([text_block(MASK)]));
    }
    if let Some(Value::Array(blocks)) = said.get_mut("content") {
        for block in blocks
            .iter_mut()
            .filter(|block| !block.is_object() || block.get("type").and_then(Value::as_str) == Some(MASK))
        {
            *block = text_block(MASK);
        }
    }
    if said.get("structuredContent").is_some_and(|content| content.as_str() == Some(MASK)) {
        said.remove("structuredContent");
    }
    if said.get("isError").is_some_and(|is_error| !is_error.is_boolean()) {
        said.remove("isError");
    }
    shown
}

/// Whether a server says that the call failed.
pub(crate) fn is_error(result: &Value) -> bool {
    result.get("isError") == Some(&Value::Bool(true))
}

pub(crate) fn text_block(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn payload_is_object(result: &Value) -> bool {
    match result.get("structuredContent").filter(|content| !content.is_null()) {
        Some(content) => content.is_object(),
        None => texts(result).find_map(parsed).is_some_and(|payload| payload.is_object()),
    }
}

fn blocks(result: &Value) -> impl Iterator<Item = &Value> {
    result.get("content").and_then(Value::as_array).into_iter().flatten()
}

/// The texts of a result.
fn texts(result: &Value) -> impl Iterator<Item = &str> {
    blocks(result).filter_map(|block| block.get("text").and_then(Value::as_str))
}

/// The object or list that a text is.
fn parsed(text: impl AsRef<str>) -> Option<Value> {
    let text = text.as_ref().trim();
    if !text.starts_with(['{', '[']) {
        return None;
    }
    crate::json::read(&crate::json::mend(text.as_bytes())).ok()
}

/// Calls a function with each text of a result, those of embedded resources too.
fn each_text(result: &mut Value, change: &mut dyn FnMut(&mut String)) {
    for list in ["content", "contents", "messages"] {
        let Some(Value::Array(blocks)) = result.get_mut(list) else { continue };
        for block in blocks {
            for place in ["/text", "/resource/text", "/content/text", "/content/resource/text"] {
                if let Some(Value::String(text)) = block.pointer_mut(place) {
                    change(text);
                }
            }
        }
    }
}

/// One step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step<'v> {
    Field(&'v str),
    Index(usize),
}

/// Collects the paths at which something was masked, and the texts that were.
fn differences<'v>(
    seen: &'v Value,
    masked: &'v Value,
    path: &mut Vec<Step<'v>>,
    paths: &mut Vec<Vec<Step<'v>>>,
    secrets: &mut Vec<String>,
) {
    match (seen, masked) {
        (Value::Object(seen), Value::Object(masked)) => {
            for (key, value) in seen {
                path.push(Step::Field(key));
                differences(value, masked.get(key).unwrap_or(&Value::Null), path, paths, secrets);
                path.pop();
            }
        }
        (Value::Array(seen), Value::Array(masked)) => {
            for (index, value) in seen.iter().enumerate() {
                path.push(Step::Index(index));
                differences(value, masked.get(index).unwrap_or(&Value::Null), path, paths, secrets);
                path.pop();
            }
        }
        _ if seen == masked => {}
        _ => {
            paths.push(path.clone());
            leaves(seen, secrets);
        }
    }
}

/// The texts and long numbers in a value.
fn leaves(value: &Value, secrets: &mut Vec<String>) {
    match value {
        Value::String(text) if text.len() >= SHORTEST => secrets.push(text.clone()),
        Value::Number(number) => secrets.extend(Some(number.to_string()).filter(|text| text.len() >= SHORTEST)),
        Value::Array(items) => items.iter().for_each(|item| leaves(item, secrets)),
        Value::Object(members) => members.values().for_each(|member| leaves(member, secrets)),
        _ => {}
    }
}

/// Masks what is at a path. Returns whether there was something.
fn mask(value: &mut Value, path: &[Step<'_>]) -> bool {
    let mut place = value;
    for step in path {
        let next = match step {
            Step::Field(key) => place.get_mut(*key),
            Step::Index(index) => place.get_mut(*index),
        };
        match next {
            Some(next) => place = next,
            None => return false,
        }
    }
    *place = Value::from(MASK);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Value {
        json!({ "content": [text_block(text)] })
    }

    #[test]
    fn a_payload_is_seen_whichever_way_it_came() {
        for result in [text(r#"{"receipt":"r1"}"#), json!({"content": [], "structuredContent": {"receipt":"r1"}})] {
            assert_eq!(seen(&result)["receipt"], "r1");
            assert_eq!(seen(&result)["content"], result["content"]);
        }
        assert_eq!(seen(&text("[1,2]"))["value"], json!([1, 2]));
        assert_eq!(*seen(&text("done")), text("done"));
    }

    #[test]
    fn a_payload_does_not_speak_for_the_protocol() {
        let result = json!({"content": [], "isError": true, "structuredContent": {"isError": false, "content": "x"}});
        assert_eq!(seen(&result)["isError"], true);
        assert_eq!(seen(&result)["content"], json!([]));
    }

    #[test]
    fn what_two_copies_disagree_on_is_not_seen() {
        let mut result = text(r#"{"paid":1000,"to":"ann"}"#);
        result["structuredContent"] = json!({"paid": 1, "to": "ann", "more": true});
        let seen = seen(&result);
        assert_eq!((seen.get("paid"), &seen["to"], &seen["more"]), (None, &json!("ann"), &json!(true)));
    }

    #[test]
    fn what_is_masked_is_masked_in_every_copy() {
        let card = "4111-1111";
        let result = json!({
            "content": [
                text_block(&json!({"card": card, "n": 1}).to_string()),
                text_block(&format!("the card is {card}.")),
                {"type": "resource", "resource": {"uri": "x:", "text": format!("card={card}")}},
            ],
            "structuredContent": {"card": card, "n": 1},
            "_meta": {"x": 1},
        });
        let seen = seen(&result).into_owned();
        let mut masked = seen.clone();
        masked["card"] = json!(MASK);
        let shown = shown(&result, &seen, &masked);
        assert!(!shown.to_string().contains(card), "{shown}");
        assert_eq!(shown["structuredContent"], json!({"card": MASK, "n": 1}));
        assert_eq!(shown["_meta"], result["_meta"]);
    }

    #[test]
    fn masking_by_the_protocols_own_names_reaches_the_copies_too() {
        let mut result = text(r#"{"ssn":"123-45"}"#);
        result["structuredContent"] = json!({"ssn": "123-45"});
        let seen = seen(&result).into_owned();
        let mut masked = seen.clone();
        masked["structuredContent"]["ssn"] = json!(MASK);
        assert!(!shown(&result, &seen, &masked).to_string().contains("123-45"));
        let mut masked = seen.clone();
        masked["content"] = json!(MASK);
        assert_eq!(shown(&result, &seen, &masked)["content"], json!([text_block(MASK)]));
        assert_eq!(shown(&result, &seen, &json!(MASK))["content"], json!([text_block(MASK)]));
    }

    #[test]
    fn a_masked_payload_that_is_no_object_is_masked() {
        let result = text(r#"["alpha","beta"]"#);
        let seen = seen(&result).into_owned();
        let mut masked = seen.clone();
        masked["value"][0] = json!(MASK);
        assert_eq!(shown(&result, &seen, &masked)["content"][0]["text"], r#"["[redacted]","beta"]"#);
    }
}
