//! The requests that a contract decides: which tool a request calls, with which arguments.

use std::borrow::Cow;
use std::ops::Range;

use contract_runtime::Call;
use serde_json::Value;
use serde_json::value::RawValue;

use super::message::{INVALID_PARAMS, Malformed, PARSE_ERROR, member, shadows};
use crate::json;

/// A kind of request that a contract decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// `tools/call`: a call of the tool that it names.
    Tool,
    /// `resources/read`: a call of a tool of that name, with `uri`.
    Resource,
    /// `prompts/get`: a call of a tool of that name, with `name` and `arguments`.
    Prompt,
}

/// The method of a request for a tool.
pub(crate) const CALL: &str = "tools/call";

impl Family {
    const ALL: [Self; 3] = [Self::Tool, Self::Resource, Self::Prompt];

    pub(crate) const fn method(self) -> &'static str {
        match self {
            Self::Tool => CALL,
            Self::Resource => "resources/read",
            Self::Prompt => "prompts/get",
        }
    }

    /// The family of a method; `Err` if the method is only spelled like one of a family, as a lenient server might read it.
    pub(crate) fn of(method: &str) -> Result<Option<Self>, Malformed> {
        if let Some(family) = Self::ALL.into_iter().find(|family| family.method() == method) {
            return Ok(Some(family));
        }
        let plain = |text: &str| -> String {
            text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
        };
        let spelled = plain(method);
        match Self::ALL.into_iter().find(|family| plain(family.method()) == spelled) {
            Some(family) => {
                let why = format!("the method is spelled like `{0}` and is not; write `{0}`", family.method());
                Err(Malformed::request(why))
            }
            None => Ok(None),
        }
    }
}

/// The parameters of a request that a contract decides.
#[derive(Debug)]
pub(crate) struct Guarded {
    /// The tool, as contracts name it.
    pub(crate) tool: String,
    /// The arguments, as contracts read them.
    pub(crate) args: Value,
    /// All parameters but the arguments.
    pub(crate) rest: serde_json::Map<String, Value>,
}

/// The keys of the parameters of these requests.
const KEYS: [&str; 6] = ["name", "arguments", "uri", "_meta", "task", "requestState"];

impl Guarded {
    /// Reads parameters.
    pub(crate) fn read(family: Family, params: Option<&RawValue>) -> Result<Self, Malformed> {
        let wrong = |why: String| Malformed { code: INVALID_PARAMS, why, is_json: true };
        let method = family.method();
        let Some(params) = params else { return Err(wrong(format!("`{method}` needs `params`"))) };
        let params = json::read(params.get().as_bytes());
        let params = params.map_err(|why| Malformed {
            code: PARSE_ERROR,
            why: format!("its parameters have {why}"),
            is_json: true,
        })?;
        let Value::Object(mut params) = params else {
            return Err(wrong(format!("the parameters of `{method}` are an object")));
        };
        if params.keys().any(|key| shadows(key, &KEYS)) {
            return Err(wrong("a parameter that some parsers take for another one".to_owned()));
        }
        let named = match params.get(if family == Family::Resource { "uri" } else { "name" }) {
            Some(Value::String(name)) => name.clone(),
            _ => {
                return Err(wrong(format!(
                    "`{method}` needs a string `{}`",
                    if family == Family::Resource { "uri" } else { "name" }
                )));
            }
        };
        let arguments = match params.remove("arguments") {
            None | Some(Value::Null) => Value::Object(serde_json::Map::new()),
            Some(Value::Object(arguments)) => {
                if let Some(key) = twins(&arguments) {
                    let why = format!("the argument `{}` twice, in upper and lower case", key.escape_debug());
                    return Err(wrong(why));
                }
                Value::Object(arguments)
            }
            Some(_) => return Err(wrong("`arguments` is an object".to_owned())),
        };
        let (tool, args) = match family {
            // A name with a server in it would be read as one by patterns.
            Family::Tool if named.contains("::") => return Err(wrong("the name of a tool has no `::`".to_owned())),
            Family::Tool => (named, arguments),
            Family::Resource => (method.to_owned(), serde_json::json!({ "uri": named })),
            Family::Prompt => (method.to_owned(), serde_json::json!({ "name": named, "arguments": arguments })),
        };
        Ok(Self { tool, args, rest: params })
    }

    /// The call, as sessions take it, with the arguments, which are gone from here then. `raw` is what was received for its arguments, where the message has just these.
    pub(crate) fn call(&mut self, id: String, server: Option<&str>, raw: Option<&RawValue>) -> Call<'static> {
        let mut call = Call::owned(Cow::Owned(self.tool.clone()), self.args.take()).id(id);
        if let Some(raw) = raw {
            call = call.bytes(raw.get().as_bytes().to_vec());
        }
        if let Some(server) = server {
            call = call.server(server.to_owned());
        }
        call
    }
}

/// A key that is there a second time in another case: some parsers take one for the other.
fn twins(arguments: &serde_json::Map<String, Value>) -> Option<&str> {
    let mut folded: Vec<(String, &str)> = arguments.keys().map(|key| (key.to_lowercase(), key.as_str())).collect();
    folded.sort_unstable();
    let mut pairs = folded.iter().zip(folded.iter().skip(1));
    pairs.find(|((one, _), (two, _))| one == two).map(|((_, key), _)| *key)
}

impl Family {
    /// The message of this family with other arguments of the call: what is around them stays as it came. `None`: the contract
    /// changes what a message of this family cannot say.
    pub(crate) fn with_arguments(self, message: &[u8], params: &RawValue, old: &Value, new: &Value) -> Option<Vec<u8>> {
        match self {
            Self::Tool => with_parameter(message, params, "arguments", new),
            Self::Resource => with_parameter(message, params, "uri", new.get("uri").filter(|uri| uri.is_string())?),
            Self::Prompt if old.get("name") != new.get("name") => None,
            Self::Prompt => with_parameter(message, params, "arguments", new.get("arguments")?),
        }
    }
}

/// The message with another value of one parameter.
fn with_parameter(message: &[u8], params: &RawValue, key: &str, value: &Value) -> Option<Vec<u8>> {
    let (at, length, new) = match member(params, key) {
        Some(old) => (offset(message, old.get().as_bytes())?, old.get().len(), value.to_string()),
        // There was none: it becomes the first parameter.
        None => {
            let at = offset(message, params.get().as_bytes())?.checked_add(1)?;
            let is_empty = params.get().get(1..)?.trim_start().starts_with('}');
            (at, 0, format!("{}:{value}{}", Value::from(key), if is_empty { "" } else { "," }))
        }
    };
    let (before, rest) = message.split_at_checked(at)?;
    Some([before, new.as_bytes(), rest.get(length..)?].concat())
}

/// The message with a text in place of a part of it.
pub(crate) fn replaced(message: &[u8], part: &RawValue, text: &str) -> Option<Vec<u8>> {
    let at = offset(message, part.get().as_bytes())?;
    let (before, rest) = message.split_at_checked(at)?;
    Some([before, text.as_bytes(), rest.get(part.get().len()..)?].concat())
}

/// The message without some of its parameters: what is around them stays as it came. `None`: it has no such parameters.
pub(crate) fn without(message: &[u8], params: &RawValue, keys: &[&str]) -> Option<Vec<u8>> {
    let text = params.get();
    let members = members(text)?;
    let (first, last) = (members.first()?.at.start, members.last()?.at.end);
    let mut left = text.get(..first)?.to_owned();
    let mut before: Option<(usize, usize)> = None;
    for (index, kept) in members.iter().enumerate().filter(|(_, member)| !keys.contains(&member.key.as_str())) {
        match before {
            // What was between two members stays between them.
            Some((neighbour, end)) if neighbour.checked_add(1) == Some(index) => {
                left.push_str(text.get(end..kept.at.start)?);
            }
            Some(_) => left.push(','),
            None => {}
        }
        left.push_str(text.get(kept.at.clone())?);
        before = Some((index, kept.at.end));
    }
    left.push_str(text.get(last..)?);
    replaced(message, params, &left)
}

/// A member of an object: where its key begins and its value ends.
struct Member {
    key: String,
    at: Range<usize>,
}

/// The members of an object, whose text is JSON.
fn members(object: &str) -> Option<Vec<Member>> {
    let mut members: Vec<Member> = Vec::new();
    let (mut depth, mut is_text, mut is_escaped) = (0_usize, false, false);
    let mut open: Option<(usize, Option<usize>)> = None;
    for (at, byte) in object.bytes().enumerate() {
        if is_text {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' => is_escaped = true,
                b'"' => {
                    is_text = false;
                    if depth == 1
                        && let Some((_, end @ None)) = &mut open
                    {
                        *end = Some(at.checked_add(1)?);
                    }
                }
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => {
                is_text = true;
                if depth == 1 && open.is_none() {
                    open = Some((at, None));
                }
            }
            b'{' | b'[' => depth = depth.checked_add(1)?,
            b'}' | b']' | b',' if depth == 1 => {
                if let Some((start, end)) = open.take() {
                    let key = serde_json::from_str(object.get(start..end?)?).ok()?;
                    let end = start.checked_add(object.get(start..at)?.trim_end().len())?;
                    members.push(Member { key, at: start..end });
                }
                if byte != b',' {
                    return Some(members);
                }
            }
            b'}' | b']' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

/// Where a part of a text begins in it.
fn offset(whole: &[u8], part: &[u8]) -> Option<usize> {
    let at = (part.as_ptr() as usize).checked_sub(whole.as_ptr() as usize)?;
    (at.checked_add(part.len())? <= whole.len()).then_some(at)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn raw(text: &str) -> &RawValue {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn only_the_exact_spelling_of_a_method_is_that_method() {
        assert_eq!(Family::of("tools/call"), Ok(Some(Family::Tool)));
        assert_eq!(Family::of("tools/list"), Ok(None));
        for method in
            ["Tools/Call", "tools/call/", "tools//call", "TOOLS_CALL", "tools.call", "Resources/Read", "prompts:get"]
        {
            assert!(Family::of(method).is_err(), "{method}");
        }
    }

    #[test]
    fn parameters_are_read_in_one_way_or_not_at_all() {
        let read = |text: &str| Guarded::read(Family::Tool, Some(raw(text)));
        assert_eq!(
            read(r#"{"name":"a","arguments":{"x":1},"_meta":{"io.example/é":1}}"#).unwrap().args,
            json!({"x":1})
        );
        assert_eq!(read(r#"{"name":"a"}"#).unwrap().args, json!({}));
        let refused = [
            r#"["a",{}]"#,
            r#"{"name":["a"]}"#,
            r#"{"arguments":{}}"#,
            r#"{"name":"a","Name":"b"}"#,
            r#"{"name":"a","name":"b"}"#,
            r#"{"name":"a","arguments":[1]}"#,
            r#"{"name":"a","arguments":"{}"}"#,
            r#"{"name":"a","arguments":{"path":"/ok","Path":"/etc"}}"#,
            r#"{"name":"a","arguments":{"x":{"p\u0061":1,"pa":2}}}"#,
            r#"{"name":"a","arguments":{"x":1e400}}"#,
            r#"{"name":"a","arguments":{"x":"\ud800"}}"#,
            r#"{"name":"other::a"}"#,
        ];
        for text in refused {
            assert!(read(text).is_err(), "{text}");
        }
        assert!(Guarded::read(Family::Tool, None).is_err());
        let resource = Guarded::read(Family::Resource, Some(raw(r#"{"uri":"file:///a"}"#))).unwrap();
        assert_eq!((resource.tool.as_str(), resource.args), ("resources/read", json!({"uri":"file:///a"})));
    }

    #[test]
    fn parameters_are_taken_out_and_nothing_else_changes() {
        let keys = ["requestState", "inputResponses"];
        for (before, after) in [
            (r#"{"name":"a","requestState":"s","inputResponses":{}}"#, r#"{"name":"a"}"#),
            (
                r#"{ "requestState" : "s\"," , "name":"a" ,"inputResponses":{"x":[{}]}, "b": [1, {"requestState":2}] }"#,
                r#"{ "name":"a","b": [1, {"requestState":2}] }"#,
            ),
            (r#"{"name":"a" , "b":1.50,"request\u0053tate":"s"}"#, r#"{"name":"a" , "b":1.50}"#),
            (r#"{"requestState":"s","name":"}{,\"\\"}"#, r#"{"name":"}{,\"\\"}"#),
            (r#"{"inputResponses":{},"requestState":null}"#, "{}"),
            (r#"{"name":"a"}"#, r#"{"name":"a"}"#),
        ] {
            let message = format!(r#"{{"id":1, "params": {before} ,"x":2}}"#);
            let fields: std::collections::BTreeMap<&str, &RawValue> = serde_json::from_str(&message).unwrap();
            let left = without(message.as_bytes(), fields["params"], &keys).unwrap();
            assert_eq!(String::from_utf8(left).unwrap(), format!(r#"{{"id":1, "params": {after} ,"x":2}}"#));
        }
        assert_eq!(without(b"{}", raw("{}"), &keys), None);
    }

    #[test]
    fn only_arguments_are_exchanged() {
        let message = br#"{ "id":1, "params": {"name":"a", "arguments" : {"x":1} ,"f":12345678901234567890123}}"#;
        let fields: std::collections::BTreeMap<&str, &RawValue> = serde_json::from_slice(message).unwrap();
        let changed = with_parameter(message, fields["params"], "arguments", &json!({"x":2})).unwrap();
        let wanted = br#"{ "id":1, "params": {"name":"a", "arguments" : {"x":2} ,"f":12345678901234567890123}}"#;
        assert_eq!(String::from_utf8(changed).unwrap(), String::from_utf8_lossy(wanted));
        for (old, wanted) in
            [(r#"{"name":"a"}"#, r#"{"arguments":{"x":2},"name":"a"}"#), ("{ }", r#"{"arguments":{"x":2} }"#)]
        {
            let params = raw(old);
            let changed = with_parameter(params.get().as_bytes(), params, "arguments", &json!({"x":2})).unwrap();
            assert_eq!(String::from_utf8(changed).unwrap(), wanted);
        }
    }
}
