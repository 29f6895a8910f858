//! The envelope of a message: JSON-RPC 2.0, read as far as a guard needs it.
//!
//! INVARIANT: there is one reading. A key twice, a key that some parsers take for another one, an id that nobody can match, a
//! batch: such a message is refused, never guessed at.

use std::borrow::Cow;
use std::fmt;

use serde_core::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// What a JSON-RPC error calls itself: bytes that are no JSON.
pub(crate) const PARSE_ERROR: i64 = -32700;

/// What a JSON-RPC error calls itself: JSON that is no message.
pub(crate) const INVALID_REQUEST: i64 = -32600;

/// What a JSON-RPC error calls itself: parameters of another form.
pub(crate) const INVALID_PARAMS: i64 = -32602;

/// Most bytes of an id.
const LONGEST_ID: usize = 1_024;

/// The largest whole number that every parser keeps.
const LARGEST_ID: i64 = (1 << 53) - 1;

/// The id of a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Id {
    /// A whole number.
    Number(i64),
    /// A text.
    Text(String),
}

impl Id {
    /// Reads an id. `None`: it is not one that both sides can be trusted to match.
    pub(crate) fn read(raw: &RawValue) -> Option<Self> {
        let text = raw.get();
        if text.len() > LONGEST_ID {
            return None;
        }
        if text.starts_with('"') {
            return serde_json::from_str(text).ok().map(Self::Text);
        }
        let number: i64 = text.parse().ok()?;
        // `-0` is a float to some.
        (number.abs() <= LARGEST_ID && number.to_string() == text).then_some(Self::Number(number))
    }
}

impl fmt::Display for Id {
    /// As JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => serde_json::Value::from(text.as_str()).fmt(f),
        }
    }
}

/// A message.
#[derive(Debug)]
pub(crate) enum Message<'m> {
    /// Wants an answer.
    Request { id: Id, method: Cow<'m, str>, params: Option<&'m RawValue> },
    /// Wants none.
    Notification { method: Cow<'m, str>, params: Option<&'m RawValue> },
    /// Answers a request. `id` is `None` where it is `null`: the other side did not understand something.
    Response { id: Option<Id>, result: Answer<'m> },
}

/// What an answer holds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Answer<'m> {
    Result(&'m RawValue),
    Error(&'m RawValue),
}

/// Why something is no message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Malformed {
    /// The JSON-RPC code.
    pub(crate) code: i64,
    /// In words.
    pub(crate) why: String,
    /// Whether it is JSON at all.
    pub(crate) is_json: bool,
}

impl Malformed {
    pub(crate) fn request(why: impl Into<String>) -> Self {
        Self { code: INVALID_REQUEST, why: why.into(), is_json: true }
    }
}

impl<'m> Message<'m> {
    /// Reads a message.
    pub(crate) fn read(bytes: &'m [u8]) -> Result<Self, Malformed> {
        // What is left out below is not looked at otherwise.
        if std::str::from_utf8(bytes).is_err() {
            let why = "it is not UTF-8".to_owned();
            return Err(Malformed { code: PARSE_ERROR, why, is_json: false });
        }
        let fields: Fields<'m> = serde_json::from_slice(bytes).map_err(|error| not_read(bytes, &error))?;
        if let Some(why) = fields.flaw {
            return Err(Malformed::request(why));
        }
        let Fields { version, id, method, params, result, error, .. } = fields;
        if version.as_deref() != Some("2.0") {
            return Err(Malformed::request("`jsonrpc` is not \"2.0\""));
        }
        match (method, result, error) {
            (Some(method), None, None) => {
                // All methods of the protocol are; a method that only looks like one is for nobody to guess.
                if !method.bytes().all(|byte| byte.is_ascii_graphic()) {
                    return Err(Malformed::request("a method has only visible ASCII characters"));
                }
                let Some(id) = id else { return Ok(Self::Notification { method, params }) };
                match Id::read(id) {
                    Some(id) => Ok(Self::Request { id, method, params }),
                    None => Err(Malformed::request("an id is a string or a whole number")),
                }
            }
            (None, result, error) => {
                let result = match (result, error) {
                    (Some(result), None) => Answer::Result(result),
                    (None, Some(error)) => Answer::Error(error),
                    _ => return Err(Malformed::request("a message has a `method`, or one of `result` and `error`")),
                };
                let id = match id {
                    Some(raw) if raw.get() == "null" => None,
                    Some(raw) => match Id::read(raw) {
                        Some(id) => Some(id),
                        None => return Err(Malformed::request("an id is a string or a whole number")),
                    },
                    None => None,
                };
                Ok(Self::Response { id, result })
            }
            _ => Err(Malformed::request("a message has a `method`, or one of `result` and `error`")),
        }
    }
}

fn not_read(bytes: &[u8], error: &serde_json::Error) -> Malformed {
    if let Err(error) = serde_json::from_slice::<IgnoredAny>(bytes) {
        return Malformed { code: PARSE_ERROR, why: format!("it cannot be read as JSON: {error}"), is_json: false };
    }
    let is_batch = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[');
    let why = if is_batch {
        "batches are not passed on; send each message by itself".to_owned()
    } else {
        // What it says instead may be a secret: only the place is told.
        let (line, column) = (error.line(), error.column());
        format!("it is no message: not what JSON-RPC has there, at line {line} column {column}")
    };
    Malformed { code: INVALID_REQUEST, why, is_json: true }
}

/// The top level of a message.
#[derive(Default)]
struct Fields<'m> {
    version: Option<Cow<'m, str>>,
    id: Option<&'m RawValue>,
    method: Option<Cow<'m, str>>,
    params: Option<&'m RawValue>,
    result: Option<&'m RawValue>,
    error: Option<&'m RawValue>,
    flaw: Option<String>,
}

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Envelope)
    }
}

/// The keys of a message. A parser that ignores case takes others for them.
pub(crate) const KEYS: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];

/// Whether some parser may take a key for one of `keys` that it is not: another case, or a character that folds to ASCII.
pub(crate) fn shadows(key: &str, keys: &[&str]) -> bool {
    if key.is_ascii() { keys.iter().any(|known| known.eq_ignore_ascii_case(key) && *known != key) } else { true }
}

struct Envelope;

impl<'de> Visitor<'de> for Envelope {
    type Value = Fields<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Fields<'de>, A::Error> {
        let mut fields = Fields::default();
        let mut others: Vec<Cow<'de, str>> = Vec::new();
        let mut twice = false;
        while let Some(Text(key)) = entries.next_key()? {
            twice |= match &*key {
                "jsonrpc" => put(&mut fields.version, entries.next_value::<Text<'de>>()?.0),
                "id" => put(&mut fields.id, entries.next_value()?),
                "method" => put(&mut fields.method, entries.next_value::<Text<'de>>()?.0),
                "params" => put(&mut fields.params, entries.next_value()?),
                "result" => put(&mut fields.result, entries.next_value()?),
                "error" => put(&mut fields.error, entries.next_value()?),
                _ => {
                    entries.next_value::<IgnoredAny>()?;
                    if others.len() >= MOST_OTHERS {
                        return Err(A::Error::custom("it has too many keys"));
                    }
                    if shadows(&key, &KEYS) {
                        fields.flaw = Some("a key at the top level that some parsers take for another one".to_owned());
                    }
                    let known = others.contains(&key);
                    others.push(key);
                    known
                }
            };
        }
        if twice {
            fields.flaw = Some("a key twice at the top level".to_owned());
        }
        Ok(fields)
    }
}

/// Most keys of a message that are not JSON-RPC's.
const MOST_OTHERS: usize = 64;

/// Puts a value in its place. Returns whether there was one.
fn put<T>(place: &mut Option<T>, value: T) -> bool {
    place.replace(value).is_some()
}

/// A string, borrowed where it has no escapes.
pub(crate) struct Text<'m>(pub(crate) Cow<'m, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }

        deserializer.deserialize_str(Reader)
    }
}

/// The member of an object, as it came. `None`: the text is no object, or has no such member.
pub(crate) fn member<'m>(object: &'m RawValue, key: &str) -> Option<&'m RawValue> {
    struct Reader<'k>(&'k str);

    impl<'de> Visitor<'de> for Reader<'_> {
        type Value = Option<&'de RawValue>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
            let mut found = None;
            while let Some(Text(key)) = entries.next_key()? {
                let value: &'de RawValue = entries.next_value()?;
                if key == self.0 {
                    found = Some(value);
                }
            }
            Ok(found)
        }
    }

    serde_json::Deserializer::from_str(object.get()).deserialize_map(Reader(key)).ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flaw(text: &str) -> Malformed {
        Message::read(text.as_bytes()).expect_err(text)
    }

    #[test]
    fn requests_notifications_and_responses_are_told_apart() {
        let read = |text: &'static str| Message::read(text.as_bytes()).unwrap();
        assert!(matches!(
            read(r#"{"jsonrpc":"2.0","id":1,"method":"tools\/call","params":{}}"#),
            Message::Request { id: Id::Number(1), method, params: Some(_) } if method == "tools/call"
        ));
        assert!(matches!(
            read(r#" {"method":"x","jsonrpc":"2.0","ext":[]}"#),
            Message::Notification { params: None, .. }
        ));
        assert!(matches!(
            read(r#"{"jsonrpc":"2.0","id":"a\u0062","result":null}"#),
            Message::Response { id: Some(Id::Text(id)), result: Answer::Result(_) } if id == "ab"
        ));
        assert!(matches!(
            read(r#"{"jsonrpc":"2.0","id":null,"error":{}}"#),
            Message::Response { id: None, result: Answer::Error(_) }
        ));
    }

    #[test]
    fn batches_are_refused() {
        for text in ["[]", r#"  [{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, "[[]]", "\n[1]"] {
            assert_eq!(flaw(text).code, INVALID_REQUEST, "{text}");
            assert!(flaw(text).why.contains("batches"), "{text}");
        }
    }

    #[test]
    fn odd_ids_are_refused() {
        let long = format!("\"{}\"", "x".repeat(2_000));
        for id in
            ["{}", "[1]", "1.5", "1.0", "1e3", "-0", "true", "null", "9007199254740992", "99999999999999999999", &long]
        {
            let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
            assert_eq!(flaw(&text).code, INVALID_REQUEST, "{id}");
        }
    }

    #[test]
    fn what_parsers_could_read_in_two_ways_is_refused() {
        let texts = [
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}"#,
            r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","param\u017f":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","x":1,"x":2}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":1,"error":{}}"#,
            r#"{"jsonrpc":"2.0","id":1}"#,
            r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
            r#"{"id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call "}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/\u0441all"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
            "7",
            "\"tools/call\"",
        ];
        for text in texts {
            assert_eq!(flaw(text).code, INVALID_REQUEST, "{text}");
        }
        // What it said is not repeated: it may be a secret.
        assert!(!flaw("\"hunter2\"").why.contains("hunter2") && !flaw("\"hunter2\" x").why.contains("hunter2"));
        assert_eq!(flaw("{").code, PARSE_ERROR);
        assert_eq!(flaw("\u{feff}{}").code, PARSE_ERROR);
        assert!(!flaw("server listening").is_json);
        let bytes = b"{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"y\":\"\xff\"}";
        assert_eq!(Message::read(bytes).unwrap_err().code, PARSE_ERROR);
    }
}
