//! Strings in double quotes: JSON's escapes, decoded with the place of a wrong one.

use super::flaw::Flaw;

/// Decodes a quoted string. `quoted` includes its quotes and stands at byte `start` of the expression.
pub(super) fn decode(quoted: &str, start: usize) -> Result<String, Flaw> {
    let body = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(quoted);
    let mut decoder = Decoder { rest: body, at: start.saturating_add(1) };
    let mut text = String::with_capacity(body.len());
    while let Some(next) = decoder.next() {
        match next {
            '\\' => text.push(decoder.escape()?),
            control if (control as u32) < 0x20 => {
                let code = control as u32;
                let from = decoder.at.saturating_sub(1);
                return Err(Flaw::new(from..decoder.at, "a string holds a control character")
                    .help(format!("write `\\u{code:04x}`{}", if control == '\t' { " or `\\t`" } else { "" })));
            }
            plain => text.push(plain),
        }
    }
    Ok(text)
}

struct Decoder<'a> {
    rest: &'a str,
    at: usize,
}

impl Decoder<'_> {
    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next()?;
        self.rest = chars.as_str();
        self.at = self.at.saturating_add(next.len_utf8());
        Some(next)
    }

    /// The character of an escape whose backslash has been read.
    fn escape(&mut self) -> Result<char, Flaw> {
        let from = self.at.saturating_sub(1);
        match self.next() {
            Some(same @ ('"' | '\\' | '/')) => Ok(same),
            Some('b') => Ok('\u{8}'),
            Some('f') => Ok('\u{c}'),
            Some('n') => Ok('\n'),
            Some('r') => Ok('\r'),
            Some('t') => Ok('\t'),
            Some('u') => self.unicode(from),
            other => {
                let shown = other.map(String::from).unwrap_or_default();
                Err(Flaw::new(from..self.at, format!("`\\{shown}` is not an escape")).help(
                    "write `\\\\` for a backslash, or the whole string as `r\"…\"`, where a backslash is a character like any other",
                ))
            }
        }
    }

    /// `\uXXXX`, or two of them that make a surrogate pair.
    fn unicode(&mut self, from: usize) -> Result<char, Flaw> {
        let unit = self.unit(from)?;
        let code = match unit {
            0xD800..=0xDBFF => {
                let lone =
                    |at| Flaw::new(from..at, "half of a surrogate pair").help("write both halves: `\\ud83d\\ude00`");
                if !self.rest.starts_with("\\u") {
                    return Err(lone(self.at));
                }
                self.next();
                self.next();
                let low = self.unit(from)?;
                if !(0xDC00..=0xDFFF).contains(&low) {
                    return Err(lone(self.at));
                }
                ((unit & 0x3FF) << 10 | (low & 0x3FF)).saturating_add(0x1_0000)
            }
            unit => unit,
        };
        char::from_u32(code).ok_or_else(|| {
            Flaw::new(from..self.at, "half of a surrogate pair").help("write both halves: `\\ud83d\\ude00`")
        })
    }

    /// Four hexadecimal digits.
    fn unit(&mut self, from: usize) -> Result<u32, Flaw> {
        let digits = self.rest.get(..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let unit = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let Some(unit) = unit else {
            return Err(Flaw::new(from..self.at, "`\\u` is followed by four hexadecimal digits"));
        };
        self.rest = self.rest.get(4..).unwrap_or_default();
        self.at = self.at.saturating_add(4);
        Ok(unit)
    }
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn json_escapes_are_decoded() {
        assert_eq!(decode(r#""a\"\\\/\b\f\n\r\tz""#, 0).unwrap(), "a\"\\/\u{8}\u{c}\n\r\tz");
        assert_eq!(decode(r#""\u00e9 \ud83d\ude00 é""#, 0).unwrap(), "é 😀 é");
        assert_eq!(decode("\"\"", 0).unwrap(), "");
    }

    #[test]
    fn a_wrong_escape_is_reported_where_it_stands() {
        for (text, range) in [
            (r#""ab\d""#, 3..5),
            (r#""\u12g4""#, 1..3),
            (r#""\ud83d""#, 1..7),
            (r#""\ud83d\u0041""#, 1..13),
            (r#""\ude00""#, 1..7),
            ("\"a\tb\"", 2..3),
            (r#""\u12é""#, 1..3),
        ] {
            assert_eq!(decode(text, 0).unwrap_err().range, range, "{text}");
        }
    }
}
