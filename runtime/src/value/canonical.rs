//! Canonical JSON: one text for each value, so that equal values have equal digests.
//!
//! RFC 8785 but for numbers, which are written as exact decimals without exponent. JCS writes them as binary floats, by which
//! 9007199254740993 and 9007199254740992 get the same text, and two different calls the same digest.

use std::fmt::Write as _;

use serde_json::Value;

use super::{Decimal, Est, Fuel, MAX_DEPTH, Val};

/// The canonical JSON of a value. `None` if it is not JSON, holds a number that is not exact or an element that is not
/// established, is nested too deeply, or costs more than the fuel.
#[must_use]
pub fn canonical(fuel: &Fuel, value: &Val<'_>) -> Option<String> {
    let mut out = String::new();
    write_val(&mut out, fuel, value, MAX_DEPTH)?;
    Some(out)
}

fn write_val(out: &mut String, fuel: &Fuel, value: &Val<'_>, depth: usize) -> Option<()> {
    match value {
        Val::Json(json) => write_json(out, fuel, json, depth),
        Val::List(list) => {
            let below = depth.checked_sub(1)?;
            write_list(out, list, |out, element: &Est<'_>| write_val(out, fuel, element.as_ref()?, below))
        }
        _ if !fuel.spend(1) => None,
        Val::Null => write!(out, "null").ok(),
        Val::Bool(value) => write!(out, "{value}").ok(),
        Val::Number(number) => write!(out, "{number}").ok(),
        Val::Text(text) => write_string(out, fuel, text),
        Val::Inexact | Val::Time(_) | Val::Duration(_) | Val::Set(_) | Val::Map(_) => None,
    }
}

fn write_json(out: &mut String, fuel: &Fuel, value: &Value, depth: usize) -> Option<()> {
    if !fuel.spend(1) {
        return None;
    }
    match value {
        Value::Null => write!(out, "null").ok(),
        Value::Bool(value) => write!(out, "{value}").ok(),
        Value::Number(number) => write!(out, "{}", Decimal::from_json(number)?).ok(),
        Value::String(text) => write_string(out, fuel, text),
        Value::Array(array) => {
            let below = depth.checked_sub(1)?;
            write_list(out, array, |out, element| write_json(out, fuel, element, below))
        }
        Value::Object(object) => {
            let below = depth.checked_sub(1)?;
            let mut members: Vec<_> = object.iter().collect();
            // RFC 8785 §3.2.3: keys are ordered by their UTF-16 code units.
            members.sort_unstable_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
            out.push('{');
            for (i, (key, value)) in members.into_iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_string(out, fuel, key)?;
                out.push(':');
                write_json(out, fuel, value, below)?;
            }
            out.push('}');
            Some(())
        }
    }
}

fn write_list<T>(out: &mut String, list: &[T], mut write: impl FnMut(&mut String, &T) -> Option<()>) -> Option<()> {
    out.push('[');
    for (i, element) in list.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        write(out, element)?;
    }
    out.push(']');
    Some(())
}

/// RFC 8785 §3.2.2.2: only what must be escaped is, in the shortest form.
fn write_string(out: &mut String, fuel: &Fuel, text: &str) -> Option<()> {
    if !fuel.spend_on(text.len()) {
        return None;
    }
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            '\0'..='\u{1f}' => write!(out, "\\u{:04x}", u32::from(character)).ok()?,
            _ => out.push(character),
        }
    }
    out.push('"');
    Some(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::value::lcg::Lcg;

    fn text(value: &Value) -> Option<String> {
        canonical(&Fuel::new(), &Val::from_json(value))
    }

    #[test]
    fn keys_are_ordered_as_in_the_example_of_rfc_8785() {
        let value: Value = serde_json::from_str(
            r#"{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One",
                "\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}"#,
        )
        .unwrap();
        let text = text(&value).unwrap();
        let names = ["Carriage Return", "One", "Control", "Latin Small", "Euro Sign", "Emoji", "Hebrew"];
        let places: Vec<_> = names.iter().map(|name| text.find(name).unwrap()).collect();
        assert!(places.is_sorted(), "{text}");
    }

    #[test]
    fn strings_and_literals_are_written_as_in_rfc_8785() {
        let value: Value = serde_json::from_str(
            r#"{"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false],"numbers":[4.50,2e-3,1E3]}"#,
        )
        .unwrap();
        let expected = r#"{"literals":[null,true,false],"numbers":[4.5,0.002,1000],"string":"€$\u000f\nA'B\"\\\\\"/"}"#;
        assert_eq!(text(&value).as_deref(), Some(expected));
        assert_eq!(text(&json!("\u{8}\t\u{c}\r\u{7f}\u{2028}")).as_deref(), Some("\"\\b\\t\\f\\r\u{7f}\u{2028}\""));
    }

    #[test]
    fn numbers_that_binary_floats_confuse_stay_apart() {
        for number in ["9007199254740993", "123456789012345678", "18446744073709551615", "-9223372036854775808"] {
            assert_eq!(text(&serde_json::from_str(number).unwrap()).as_deref(), Some(number));
        }
        assert_eq!(text(&json!([1.0, 1])).as_deref(), Some("[1,1]"));
        for number in ["12345678901234567890123", "333333333.33333329", "1E30"] {
            assert_eq!(text(&serde_json::from_str(number).unwrap()), None, "{number}");
        }
    }

    #[test]
    fn canonical_text_reads_back_as_the_same_value() {
        let mut random = Lcg::new(5);
        for _ in 0..500 {
            let value = any_value(&mut random, 4);
            let once = text(&value).unwrap();
            let again: Value = serde_json::from_str(&once).unwrap();
            assert_eq!(text(&again).as_ref(), Some(&once));
            let fuel = Fuel::new();
            let same = crate::value::eq(&fuel, Some(Val::from_json(&value)), Some(Val::from_json(&again)));
            assert_eq!(same, crate::Truth::True);
        }
    }

    fn any_value(random: &mut Lcg, depth: u64) -> Value {
        let strings = ["", "a", "\u{1}\"\\", "é", "\u{1f600}", "\u{fb33}"];
        match random.below(if depth == 0 { 5 } else { 7 }) {
            0 => Value::Null,
            1 => json!(random.below(2) == 0),
            2 => json!(random.next() as i64),
            3 => json!(random.below(1_000_000) as f64 / 1000.0),
            4 => json!(random.pick(&strings)),
            5 => (0..random.below(4)).map(|_| any_value(random, depth.saturating_sub(1))).collect(),
            _ => {
                let members = (0..random.below(4))
                    .map(|_| ((*random.pick(&strings)).to_owned(), any_value(random, depth.saturating_sub(1))));
                Value::Object(members.collect())
            }
        }
    }

    #[test]
    fn depth_and_cost_are_bounded() {
        let nested = |depth: usize| (0..depth).fold(json!(1), |inner, _| Value::Array(vec![inner]));
        assert!(text(&nested(128)).is_some());
        assert_eq!(text(&nested(5_000)), None);
        assert_eq!(text(&json!(vec![0; 70_000])), None);
    }
}
