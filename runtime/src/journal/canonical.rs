//! Canonical JSON (RFC 8785), so that equal values are equal bytes.
//!
//! INVARIANT: the text of a value says exactly what the value is. RFC 8785 writes numbers as binary floats, by which
//! 9007199254740993 and 9007199254740992 are one text, and two different calls get one digest. Integers beyond ±(2^53−1) are
//! therefore written exactly, and [`Form`] says so. Records themselves hold no such integers, and no other numbers.

use serde_json::{Map, Number, Value};

/// The largest integer that every reader of JSON has exactly: 2^53−1 (RFC 8785 §3.2.2.3, RFC 7493 §2.2).
pub const MAX_INTEGER: u64 = (1 << 53) - 1;

/// How the text of a value came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// As RFC 8785 says.
    Jcs,
    /// The same, but for integers beyond ±(2^53−1), which are written exactly.
    Exact,
}

/// Appends the canonical text of a value, which may be nested at any depth.
pub fn write(out: &mut Vec<u8>, value: &Value) -> Form {
    let mut form = Form::Jcs;
    // By a list of what is open: whoever sends values chooses their depth, and recursion would end with the stack.
    let mut open: Vec<_> = start(out, value, &mut form).into_iter().collect();
    while let Some(innermost) = open.last_mut() {
        match innermost.next(out) {
            Some(value) => open.extend(start(out, value, &mut form)),
            None => drop(open.pop()),
        }
    }
    form
}

/// Appends a value that holds no others. Of one that does, only the bracket.
fn start<'v>(out: &mut Vec<u8>, value: &'v Value, form: &mut Form) -> Option<Open<'v>> {
    let rest = match value {
        Value::Array(list) => Rest::List(list.iter()),
        Value::Object(object) => Rest::Object(ordered(object)),
        Value::Null => return write_text(out, b"null"),
        Value::Bool(true) => return write_text(out, b"true"),
        Value::Bool(false) => return write_text(out, b"false"),
        Value::Number(number) => {
            write_number(out, number, form);
            return None;
        }
        Value::String(text) => {
            write_string(out, text);
            return None;
        }
    };
    out.push(if matches!(rest, Rest::List(_)) { b'[' } else { b'{' });
    Some(Open { rest, first: true })
}

fn write_text(out: &mut Vec<u8>, text: &[u8]) -> Option<Open<'static>> {
    out.extend_from_slice(text);
    None
}

/// RFC 8785 §3.2.3: members are ordered by the UTF-16 code units of their names. Maps have them in the order of code points,
/// which is another one only beyond the basic plane.
fn ordered(object: &Map<String, Value>) -> std::vec::IntoIter<(&String, &Value)> {
    let mut members: Vec<_> = object.iter().collect();
    members.sort_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
    members.into_iter()
}

/// A list or an object of which a part is written.
struct Open<'v> {
    rest: Rest<'v>,
    first: bool,
}

/// What is still to be written of it.
enum Rest<'v> {
    List(std::slice::Iter<'v, Value>),
    Object(std::vec::IntoIter<(&'v String, &'v Value)>),
}

impl<'v> Open<'v> {
    /// The value that comes next, after what stands before it; at the end, the closing bracket.
    fn next(&mut self, out: &mut Vec<u8>) -> Option<&'v Value> {
        let (name, value) = match &mut self.rest {
            Rest::List(list) => (None, list.next()),
            Rest::Object(members) => members.next().map_or((None, None), |(name, value)| (Some(name), Some(value))),
        };
        if value.is_none() {
            out.push(if matches!(self.rest, Rest::List(_)) { b']' } else { b'}' });
        } else if !std::mem::take(&mut self.first) {
            out.push(b',');
        }
        if let Some(name) = name {
            write_string(out, name);
            out.push(b':');
        }
        value
    }
}

fn write_number(out: &mut Vec<u8>, number: &Number, form: &mut Form) {
    if let Some(integer) = number.as_i64() {
        if integer.unsigned_abs() > MAX_INTEGER {
            *form = Form::Exact;
        }
        out.extend_from_slice(integer.to_string().as_bytes());
    } else if let Some(integer) = number.as_u64() {
        *form = Form::Exact;
        write_integer(out, integer);
    } else {
        out.extend_from_slice(float(number.as_f64().unwrap_or_default()).as_bytes());
    }
}

/// Appends an integer.
pub fn write_integer(out: &mut Vec<u8>, integer: u64) {
    out.extend_from_slice(integer.to_string().as_bytes());
}

/// A number as ECMAScript writes it (ECMA-262 §6.1.6.1.20, which RFC 8785 §3.2.2.3 refers to).
fn float(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return "0".to_owned();
    }
    // The shortest digits that read back as the number, as `d.ddde-7`.
    let scientific = format!("{number:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let mut digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    if lies_halfway_up(number, &digits) {
        round_down(&mut digits);
    }
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let point = exponent.saturating_add(1);
    let length = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or_default());
    let text = match point {
        _ if point >= length && point <= 21 => format!("{digits}{}", zeros(point.saturating_sub(length))),
        1..=21 => {
            let (whole, fraction) =
                digits.split_at_checked(usize::try_from(point).unwrap_or_default()).unwrap_or_default();
            format!("{whole}.{fraction}")
        }
        -5..=0 => format!("0.{}{digits}", zeros(point.saturating_neg())),
        _ => {
            let (first, rest) = digits.split_at_checked(1).unwrap_or_default();
            let point = if rest.is_empty() { "" } else { "." };
            let sign = if exponent < 0 { "-" } else { "+" };
            format!("{first}{point}{rest}e{sign}{}", exponent.unsigned_abs())
        }
    };
    format!("{sign}{text}")
}

/// Whether the shortest digits were rounded up from exactly half-way to an odd last digit. ECMA-262 then takes the even one
/// below (note 2 there, which RFC 8785 makes a rule).
fn lies_halfway_up(number: f64, digits: &str) -> bool {
    let odd = digits.bytes().next_back().is_some_and(|digit| digit % 2 == 1);
    // Few numbers are half-way in the first digits; none has more significant digits than 767.
    odd && [20, 800].into_iter().all(|precision| {
        let exact = format!("{number:.precision$e}");
        let exact = exact.split_once('e').map_or("", |(mantissa, _)| mantissa);
        let mut rest = exact.bytes().filter(u8::is_ascii_digit).skip(digits.len());
        rest.next() == Some(b'5') && rest.all(|digit| digit == b'0')
    })
}

/// Makes the odd last digit the even one below.
fn round_down(digits: &mut String) {
    if let Some(last) = digits.pop() {
        digits.extend(last.to_digit(10).and_then(|last| char::from_digit(last.saturating_sub(1), 10)));
    }
}

/// Appends a string: only what must be escaped is, in the shortest form (RFC 8785 §3.2.2.2).
pub fn write_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let bytes = text.as_bytes();
    let mut rest = bytes;
    while let Some(at) = rest.iter().position(|byte| needs_escape(*byte)) {
        let (plain, further) = rest.split_at_checked(at).unwrap_or((rest, &[]));
        out.extend_from_slice(plain);
        let Some((special, further)) = further.split_first() else { break };
        escape(out, *special);
        rest = further;
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

/// Whether a byte of a string must be written as an escape.
pub(super) const fn needs_escape(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

fn escape(out: &mut Vec<u8>, byte: u8) {
    let short: &[u8] = match byte {
        b'"' => b"\\\"",
        b'\\' => b"\\\\",
        0x08 => b"\\b",
        b'\t' => b"\\t",
        b'\n' => b"\\n",
        0x0c => b"\\f",
        b'\r' => b"\\r",
        _ => {
            out.extend_from_slice(b"\\u00");
            push_hex(out, &[byte]);
            return;
        }
    };
    out.extend_from_slice(short);
}

/// Appends bytes in lower-case hexadecimal.
pub(super) fn push_hex(out: &mut Vec<u8>, bytes: &[u8]) {
    const fn digit(nibble: u8) -> u8 {
        if nibble < 10 { b'0' | nibble } else { (b'a' - 10).wrapping_add(nibble) }
    }
    out.reserve(bytes.len().saturating_mul(2));
    for byte in bytes {
        out.extend_from_slice(&[digit(byte >> 4), digit(byte & 15)]);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn text(value: &Value) -> (String, Form) {
        let mut out = Vec::new();
        let form = write(&mut out, value);
        (String::from_utf8(out).unwrap(), form)
    }

    #[test]
    fn numbers_are_those_of_appendix_b_of_rfc_8785() {
        let vectors = [
            (0x0000_0000_0000_0000, "0"),
            (0x8000_0000_0000_0000, "0"),
            (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"),
            (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
            (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
            (0x4340_0000_0000_0000, "9007199254740992"),
            (0xc340_0000_0000_0000, "-9007199254740992"),
            (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
            (0x44b5_2d02_c7e1_4af6, "1e+23"),
            (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
            (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
            (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
            (0x444b_1ae4_d6e2_ef50, "1e+21"),
            (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
            (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
            (0x41b3_de43_5555_5553, "333333333.3333332"),
            (0x41b3_de43_5555_5554, "333333333.33333325"),
            (0x41b3_de43_5555_5555, "333333333.3333333"),
            (0x41b3_de43_5555_5556, "333333333.3333334"),
            (0x41b3_de43_5555_5557, "333333333.33333343"),
            (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
            (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
        ];
        for (bits, expected) in vectors {
            assert_eq!(float(f64::from_bits(bits)), expected);
        }
    }

    #[test]
    fn integers_that_floats_confuse_are_written_exactly_and_say_so() {
        for number in ["9007199254740992", "9007199254740993", "-9007199254740993", "18446744073709551615"] {
            let value: Value = serde_json::from_str(number).unwrap();
            assert_eq!(text(&value), (number.to_owned(), Form::Exact));
        }
        for (number, expected) in
            [("9007199254740991", "9007199254740991"), ("1.0", "1"), ("1e2", "100"), ("-0.0", "0")]
        {
            let value: Value = serde_json::from_str(number).unwrap();
            assert_eq!(text(&value), (expected.to_owned(), Form::Jcs));
        }
    }

    #[test]
    fn the_example_of_rfc_8785_comes_out_as_it_says() {
        let value: Value = serde_json::from_str(
            r#"{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],
                "string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}"#,
        )
        .unwrap();
        let expected = r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}"#;
        assert_eq!(text(&value).0, expected);
    }

    #[test]
    fn members_are_ordered_by_utf_16_code_units() {
        let value = json!({"\u{fb33}": 1, "\u{1f600}": 2, "\u{f6}": 3, "\r": 4, "1": 5, "\u{80}": 6, "\u{20ac}": 7});
        assert_eq!(text(&value).0, "{\"\\r\":4,\"1\":5,\"\u{80}\":6,\"ö\":3,\"€\":7,\"\u{1f600}\":2,\"\u{fb33}\":1}");
        assert_eq!(text(&json!([[], {}, [{}], "\u{7f}\u{8}\u{c}\t"])).0, "[[],{},[{}],\"\u{7f}\\b\\f\\t\"]");
    }

    #[test]
    fn nesting_takes_no_stack() {
        let depth = 1_000_000;
        let mut deep = (0..depth).fold(json!({"b": 1}), |inner, _| Value::Array(vec![inner]));
        assert_eq!(text(&deep).0, "[".repeat(depth) + "{\"b\":1}" + &"]".repeat(depth));
        // Dropped as a whole, it would recurse.
        while let Value::Array(list) = &mut deep {
            deep = list.pop().unwrap();
        }
    }
}
