//! A reader that refuses what parsers read differently.

use std::collections::HashSet;
use std::fmt;

use serde_core::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// The value that a text says.
///
/// # Errors
/// In words, if it is no JSON, or is read differently by different parsers.
pub(crate) fn read(text: &[u8]) -> Result<Value, String> {
    let value = tree(text)?;
    if has_long_integer(text) {
        return Err(
            "a whole number of more than 19 digits, which parsers round differently; send it as a string".to_owned()
        );
    }
    Ok(value)
}

/// The value that a text says, with numbers as near as they can be.
///
/// # Errors
/// In words, if it is no JSON, or an object has a key twice.
pub(crate) fn tree(text: &[u8]) -> Result<Value, String> {
    whole(text, Tree)
}

/// Whether a text is JSON in which no object has a key twice.
///
/// # Errors
/// In words, if it is not.
pub(crate) fn check(text: &[u8]) -> Result<(), String> {
    whole(text, Keys)
}

fn whole<'de, S: DeserializeSeed<'de>>(text: &'de [u8], seed: S) -> Result<S::Value, String> {
    let mut reader = serde_json::Deserializer::from_slice(text);
    let value = seed.deserialize(&mut reader).map_err(|error| error.to_string())?;
    reader.end().map_err(|error| error.to_string())?;
    Ok(value)
}

/// Whether a valid JSON text has, outside of strings, a whole number that no 64-bit integer holds: one parser keeps it, another
/// makes the nearest float of it.
fn has_long_integer(text: &[u8]) -> bool {
    let (mut in_string, mut escaped) = (false, false);
    let mut digits = 0_usize;
    let mut is_whole = true;
    let ends = |digits: usize, is_whole: bool| is_whole && digits > 19;
    for &byte in text {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'0'..=b'9' => digits = digits.saturating_add(1),
            b'.' | b'e' | b'E' if digits > 0 => is_whole = false,
            b'+' | b'-' if digits > 0 => {}
            _ => {
                if ends(digits, is_whole) {
                    return true;
                }
                (digits, is_whole) = (0, true);
                in_string = byte == b'"';
            }
        }
    }
    ends(digits, is_whole)
}

/// The keys of one object so far.
#[derive(Default)]
struct Seen {
    few: Vec<String>,
    many: HashSet<String>,
}

impl Seen {
    /// So many are compared one by one.
    const FEW: usize = 16;

    fn take<E: Error>(&mut self, key: &str) -> Result<(), E> {
        let twice = if self.few.len() < Self::FEW {
            let twice = self.few.iter().any(|known| known == key);
            self.few.push(key.to_owned());
            twice
        } else {
            if self.many.is_empty() {
                self.many.extend(self.few.iter().cloned());
            }
            !self.many.insert(key.to_owned())
        };
        if twice {
            return Err(E::custom(format_args!("the key `{}` twice in one object", short(key))));
        }
        Ok(())
    }
}

/// A key, short enough to be repeated.
fn short(key: &str) -> String {
    let mut shown: String = key.chars().take(40).flat_map(char::escape_debug).collect();
    if key.chars().nth(40).is_some() {
        shown.push('…');
    }
    shown
}

/// Builds the tree.
#[derive(Clone, Copy)]
struct Tree;

impl<'de> DeserializeSeed<'de> for Tree {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Tree {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("a number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(Self)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if object.contains_key(&key) {
                return Err(A::Error::custom(format_args!("the key `{}` twice in one object", short(&key))));
            }
            let value = entries.next_value_seed(Self)?;
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

/// Looks at keys, and builds nothing.
#[derive(Clone, Copy)]
struct Keys;

impl<'de> DeserializeSeed<'de> for Keys {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Keys {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Self)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let mut seen = Seen::default();
        while let Some(key) = entries.next_key::<std::borrow::Cow<'de, str>>()? {
            seen.take(&key)?;
            entries.next_value_seed(Self)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn one_reading_is_read() {
        let text = br#" {"a":[1,-2,0.5,"\u00e9\ud83d\ude00",null,true],"b":{"a":1,"A":2}} "#;
        assert_eq!(read(text), Ok(json!({"a":[1,-2,0.5,"é😀",null,true],"b":{"a":1,"A":2}})));
        assert_eq!(check(text), Ok(()));
    }

    #[test]
    fn a_key_twice_is_refused_however_it_is_spelled_and_wherever_it_is() {
        for text in [r#"{"a":1,"a":2}"#, r#"{"p\u0061th":1,"path":2}"#, r#"[{"x":{"a":1,"b":2,"a":3}}]"#] {
            assert!(read(text.as_bytes()).unwrap_err().contains("twice"), "{text}");
            assert!(check(text.as_bytes()).unwrap_err().contains("twice"), "{text}");
        }
        let many: Vec<String> = (0..100).map(|n| format!("\"k{n}\":{n}")).collect();
        assert_eq!(check(format!("{{{}}}", many.join(",")).as_bytes()), Ok(()));
        assert!(check(format!("{{{},\"k3\":0}}", many.join(",")).as_bytes()).is_err());
        assert!(check(format!("{{{},\"k70\":0}}", many.join(",")).as_bytes()).is_err());
    }

    #[test]
    fn what_parsers_read_differently_is_refused() {
        let deep = "[".repeat(5_000);
        let texts = [
            r#"{"a":1e400}"#,
            r#"{"a":12345678901234567890123}"#,
            r#"{"a":-12345678901234567890123}"#,
            r#""\ud800""#,
            r#""\udc00x""#,
            "{\"a\":1}{\"a\":2}",
            "{'a':1}",
            "{\"a\":NaN}",
            "\u{feff}{}",
            "",
            &deep,
        ];
        for text in texts {
            assert!(read(text.as_bytes()).is_err(), "{text}");
        }
        assert!(read(b"\"\xff\"").is_err());
    }

    #[test]
    fn long_numbers_that_are_no_integers_are_fine() {
        for text in [
            "0.12345678901234567890123",
            "1e23",
            "[1,22222222222,3333333333333]",
            r#""12345678901234567890123""#,
            "18446744073709551",
        ] {
            assert!(read(text.as_bytes()).is_ok(), "{text}");
        }
    }
}
