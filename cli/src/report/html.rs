//! Text in HTML.
//!
//! INVARIANT: what a journal says gets into the page through [`Shown`], [`Name`], [`escaped`] or [`data`] and in no other way. Both leave no character
//! that HTML gives a meaning to, and none that cannot be seen or that turns the direction of writing.

use std::fmt::{self, Write as _};

use contract_lang::diagnostic::render;

/// The most characters of one text in the part of the page that is there without scripts.
const LONGEST: usize = 400;

/// The same for a name.
const LONGEST_NAME: usize = 80;

/// A text of somebody else: inert, isolated from the direction of what is around it, and short.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown<'a>(pub(super) &'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<bdi>{}</bdi>", escaped(self.0))
    }
}

/// The same for a name: shorter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name<'a>(pub(super) &'a str);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<bdi>{}</bdi>", cut(self.0, LONGEST_NAME))
    }
}

/// A text for an attribute or for SVG, where there are no elements to isolate it.
#[must_use]
pub(super) fn escaped(text: &str) -> String {
    cut(text, LONGEST)
}

fn cut(text: &str, most: usize) -> String {
    let mut out = String::new();
    for c in text.chars().take(most) {
        push(&mut out, c);
    }
    if text.chars().nth(most).is_some() {
        out.push('…');
    }
    out
}

fn push(out: &mut String, c: char) {
    match c {
        '&' => out.push_str("&amp;"),
        '<' => out.push_str("&lt;"),
        '>' => out.push_str("&gt;"),
        '"' => out.push_str("&quot;"),
        '\'' => out.push_str("&#39;"),
        _ if render::is_hidden(c) => out.extend(c.escape_unicode()),
        _ => out.push(c),
    }
}

/// JSON for `<script type="application/json">`: the same value, without the characters that could end the element.
#[must_use]
pub(super) fn data(json: &str) -> String {
    let mut out = String::with_capacity(json.len().saturating_add(json.len() / 16));
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                // Writing to a string does not fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out
}

/// A filter of the timeline as the fragment of an address: `#tool=pay&decision=block`.
#[must_use]
pub(super) fn filter(fields: &[(&str, &str)]) -> String {
    let mut out = String::new();
    for (index, (name, value)) in fields.iter().enumerate() {
        out.push(if index == 0 { '#' } else { '&' });
        out.push_str(name);
        out.push('=');
        for byte in value.bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => out.push(char::from(byte)),
                _ => {
                    let _ = write!(out, "%{byte:02X}");
                }
            }
        }
    }
    out.replace('&', "&amp;")
}

/// A count with its thousands apart: `12,345`.
#[must_use]
pub(super) fn number(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::with_capacity(digits.len().saturating_add(digits.len() / 3));
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && digits.len().saturating_sub(index) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A count with its noun.
#[must_use]
pub(super) fn plural(count: u64, one: &str) -> String {
    format!("{} {one}{}", number(count), if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_html_reads_is_left() {
        let text =
            "</script><img src=x onerror=\"alert(1)\" alt='&amp;'>\u{202e}\u{1b}[31m\u{0}\u{2028}\u{61c}\u{e0041}";
        let shown = Shown(text).to_string();
        let inside = shown.strip_prefix("<bdi>").unwrap().strip_suffix("</bdi>").unwrap();
        assert!(!inside.contains(['<', '>', '"', '\'']), "{inside}");
        assert!(inside.chars().all(|c| !render::is_hidden(c)), "{inside}");
        assert!(inside.contains("\\u{202e}\\u{1b}[31m\\u{0}\\u{2028}\\u{61c}\\u{e0041}"), "{inside}");
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(escaped(&"x".repeat(100_000)).chars().count(), LONGEST + 1);
    }

    #[test]
    fn data_is_the_same_value_and_ends_no_element() {
        let json = serde_json::json!({"a<b": "</script><!--<script>&\u{2028}\u{2029}"}).to_string();
        let data = data(&json);
        assert!(!data.contains(['<', '>', '&', '\u{2028}', '\u{2029}']));
        let same: serde_json::Value = serde_json::from_str(&data).unwrap();
        assert_eq!(same.to_string(), json);
    }

    #[test]
    fn filters_are_percent_encoded() {
        assert_eq!(filter(&[("tool", "a&b=ü\"<"), ("rule", "r-1")]), "#tool=a%26b%3D%C3%BC%22%3C&amp;rule=r-1");
    }

    #[test]
    fn numbers_have_their_thousands_apart() {
        assert_eq!([0, 999, 1000, 1_234_567].map(number), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([1, 2].map(|count| plural(count, "call")), ["1 call", "2 calls"]);
    }
}
