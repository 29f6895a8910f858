//! Headers that repeat what a message says.
//!
//! INVARIANT: the contract decides about the message. A request whose headers say something else of it is refused, because
//! whatever stands between the guard and the tool may go by the headers; and where the contract changes the message, the headers
//! change with it.

use base64ct::{Base64, Encoding as _};
use contract_runtime::Monitor;
use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};
use serde_json::Value;
use serde_json::value::RawValue;

use super::door::{METHOD, NAME, PARAMETER, VERSION};
use crate::mcp::gate::{Gate, lock};
use crate::mcp::guarded::{Family, Guarded};
use crate::mcp::message::{Message, member};

/// Where a message says which version of the protocol it is in.
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";

/// The first version without sessions, in which headers must repeat what the message says.
const STATELESS: &str = "2026-07-28";

/// What a message says that headers may repeat.
#[derive(Debug)]
pub(super) struct Said<'m> {
    pub(super) method: Option<&'m str>,
    pub(super) params: Option<&'m RawValue>,
}

impl<'m> Said<'m> {
    pub(super) fn of(message: &'m Message<'_>) -> Self {
        match message {
            Message::Request { method, params, .. } | Message::Notification { method, params } => {
                Self { method: Some(method), params: *params }
            }
            Message::Response { .. } => Self { method: None, params: None },
        }
    }

    fn text(&self, key: &str) -> Option<String> {
        serde_json::from_str(member(self.params?, key)?.get()).ok()
    }

    /// What `Mcp-Name` repeats, for this method.
    fn name(&self) -> Option<String> {
        match self.method? {
            "tools/call" | "prompts/get" => self.text("name"),
            "resources/read" | "resources/subscribe" | "resources/unsubscribe" => self.text("uri"),
            // A later version may name others; the parameter is looked for in both places.
            _ => self.text("name").or_else(|| self.text("uri")),
        }
    }

    fn needs_name(&self) -> bool {
        matches!(self.method, Some("tools/call" | "prompts/get" | "resources/read"))
    }

    /// Looks whether the headers say what the message says, as far as that can be seen without its session.
    pub(super) fn check(&self, headers: &HeaderMap) -> Result<(), String> {
        let stated = self.params.and_then(|params| member(params, "_meta")).and_then(|meta| member(meta, VERSION_KEY));
        let stated: Option<String> = stated.and_then(|version| serde_json::from_str(version.get()).ok());
        let header = match headers.get(VERSION) {
            None => None,
            Some(value) => Some(value.to_str().map_err(|_| format!("`{VERSION}` is no version"))?),
        };
        if let Some(stated) = &stated
            && header != Some(stated)
        {
            return Err(format!("`{VERSION}` is not the version that the message states"));
        }
        let is_stateless = header.is_some_and(is_stateless);
        if is_stateless && stated.is_none() && self.method.is_some() {
            return Err(format!("the message does not state the version that `{VERSION}` does"));
        }
        same(headers, &METHOD, self.method, is_stateless && self.method.is_some())?;
        same(headers, &NAME, self.name().as_deref(), is_stateless && self.needs_name())?;
        if self.method != Some("tools/call") && headers.keys().any(is_parameter) {
            return Err("headers mirror arguments of a message that calls no tool".to_owned());
        }
        Ok(())
    }
}

/// Whether a version is one without sessions. One that nobody knows is.
fn is_stateless(version: &str) -> bool {
    let is_date = version.len() == STATELESS.len() && version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    !is_date || version >= STATELESS
}

/// Whether a header repeats an argument.
pub(super) fn is_parameter(name: &HeaderName) -> bool {
    name.as_str().starts_with(PARAMETER)
}

fn same(headers: &HeaderMap, name: &HeaderName, said: Option<&str>, is_needed: bool) -> Result<(), String> {
    match headers.get(name) {
        None if is_needed => Err(format!("the header `{name}` is missing")),
        None => Ok(()),
        Some(value) if said.is_some() && decoded(value).as_deref() == said => Ok(()),
        Some(_) => Err(format!("the header `{name}` is not what the message says")),
    }
}

/// What a header says: text that headers cannot hold is in Base64 between marks.
fn decoded(value: &HeaderValue) -> Option<String> {
    let text = value.to_str().ok()?.trim_matches([' ', '\t']);
    match text.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) {
        Some(encoded) => String::from_utf8(Base64::decode_vec(encoded).ok()?).ok(),
        None => Some(text.to_owned()),
    }
}

/// A text as a header.
fn encoded(text: &str) -> Option<HeaderValue> {
    let is_plain = text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
        && text.trim() == text
        && !text.starts_with("=?base64?")
        && !text.is_empty();
    let text =
        if is_plain { text.to_owned() } else { format!("=?base64?{}?=", Base64::encode_string(text.as_bytes())) };
    HeaderValue::from_str(&text).ok()
}

/// An argument as a header would repeat it. `None`: nothing repeats such an argument.
fn repeated(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(is) => Some(is.to_string()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Whether a header says what an argument is. Whole numbers are compared as such: `42.0` is `42`.
fn repeats(header: &str, value: &Value) -> bool {
    if let Value::Number(number) = value
        && let Ok(said) = serde_json::from_str::<serde_json::Number>(header)
    {
        let whole =
            |number: &serde_json::Number| number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
        return match (whole(number), whole(&said)) {
            (Some(one), Some(other)) => one == other,
            _ => number.as_f64() == said.as_f64(),
        };
    }
    repeated(value).as_deref() == Some(header)
}

/// The argument at a path.
fn at<'v>(args: &'v Value, path: &[String]) -> Option<&'v Value> {
    path.iter().try_fold(args, |value, key| value.get(key)).filter(|value| !value.is_null())
}

impl<M: Monitor> Gate<M> {
    /// Looks whether headers that mirror arguments of a call say what the call says.
    pub(super) fn check_parameters(&self, said: &Said<'_>, headers: &HeaderMap) -> Result<(), String> {
        if !headers.keys().any(is_parameter) {
            return Ok(());
        }
        // The gate says what is wrong with a call that cannot be read.
        let Ok(call) = Guarded::read(Family::Tool, said.params) else { return Ok(()) };
        let listing = lock(&self.listing);
        let Some(mirrored) = listing.mirrored(&call.tool) else {
            return Err("which arguments the headers mirror is not known; list the tools first".to_owned());
        };
        for name in headers.keys().filter(|name| is_parameter(name)) {
            let path = mirrored.iter().find(|(header, _)| header == name.as_str()).map(|(_, path)| path);
            let values: Vec<_> = headers.get_all(name).iter().collect();
            let is_right = match (path, values.as_slice()) {
                (Some(path), [value]) => at(&call.args, path)
                    .is_some_and(|argument| decoded(value).is_some_and(|header| repeats(&header, argument))),
                _ => false,
            };
            if !is_right {
                return Err(format!("the header `{name}` is not what the message says"));
            }
        }
        Ok(())
    }

    /// Makes the headers say what the message says that the contract has changed.
    pub(super) fn mirror(&self, message: &[u8], headers: &mut HeaderMap) {
        let Ok(message) = Message::read(message) else { return };
        let said = Said::of(&message);
        if headers.contains_key(NAME) {
            match said.name().as_deref().and_then(encoded) {
                Some(value) => headers.insert(NAME, value),
                None => headers.remove(NAME),
            };
        }
        let names: Vec<HeaderName> = headers.keys().filter(|name| is_parameter(name)).cloned().collect();
        if names.is_empty() {
            return;
        }
        let call = Guarded::read(Family::Tool, said.params).ok();
        let listing = lock(&self.listing);
        for name in names {
            let value = call.as_ref().and_then(|call| {
                let (_, path) = listing.mirrored(&call.tool)?.iter().find(|(header, _)| header == name.as_str())?;
                encoded(&repeated(at(&call.args, path)?)?)
            });
            match value {
                Some(value) => headers.insert(name, value),
                None => headers.remove(name),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, lines: &[(&'static str, &str)]) -> Result<(), String> {
        let message = Message::read(body.as_bytes()).unwrap();
        let headers =
            lines.iter().map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap())).collect();
        Said::of(&message).check(&headers)
    }

    const NEW: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"é","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;
    const OLD: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}"#;

    #[test]
    fn without_sessions_headers_must_repeat_the_message() {
        let right =
            [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", "=?base64?w6k=?=")];
        assert_eq!(check(NEW, &right), Ok(()));
        for missing in 0..right.len() {
            let lines: Vec<_> =
                right.iter().enumerate().filter(|(at, _)| *at != missing).map(|(_, line)| *line).collect();
            assert!(check(NEW, &lines).is_err(), "{missing}");
        }
        for (at, value) in [
            (0, "2025-11-25"),
            (0, "2026-07-29"),
            (1, "tools/list"),
            (1, "Tools/call"),
            (2, "e"),
            (2, "=?base64?w6k?="),
            (2, "=?BASE64?w6k=?="),
        ] {
            let mut lines = right;
            lines[at].1 = value;
            assert!(check(NEW, &lines).is_err(), "{value}");
        }
        // The message does not say what the header claims.
        assert!(
            check(OLD, &[("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", "a")])
                .is_err()
        );
    }

    #[test]
    fn with_sessions_headers_may_repeat_the_message() {
        assert_eq!(check(OLD, &[("mcp-protocol-version", "2025-11-25")]), Ok(()));
        assert_eq!(check(OLD, &[]), Ok(()));
        assert_eq!(check(OLD, &[("mcp-method", "tools/call"), ("mcp-name", "a")]), Ok(()));
        assert!(check(OLD, &[("mcp-method", "tools/list")]).is_err());
        assert!(check(OLD, &[("mcp-name", "b")]).is_err());
        let response = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
        assert_eq!(check(response, &[]), Ok(()));
        assert!(check(response, &[("mcp-method", "tools/call")]).is_err());
        assert!(check(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, &[("mcp-param-x", "1")]).is_err());
    }

    #[test]
    fn numbers_are_compared_as_numbers() {
        use serde_json::json;

        assert!(repeats("42", &json!(42)) && repeats("42.0", &json!(42)) && repeats("true", &json!(true)));
        assert!(!repeats("42", &json!(43)) && !repeats("1", &json!(true)) && !repeats("a", &json!(["a"])));
        assert!(!repeats("9007199254740993", &json!(9_007_199_254_740_992_u64)));
        assert_eq!(encoded("a b").unwrap(), "a b");
        for text in ["é", " a", "=?base64?", "a\r\nb", ""] {
            assert_eq!(decoded(&encoded(text).unwrap()).as_deref(), Some(text));
        }
    }
}
