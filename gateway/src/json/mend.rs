//! Lone surrogates in JSON texts: what programs write that cut a text in the middle of a character.

use std::borrow::Cow;

/// The text with each escape of a lone surrogate replaced by that of U+FFFD. For reading what is passed on as it came: a program
/// that shows such a text shows that character.
pub(crate) fn mend(text: &[u8]) -> Cow<'_, [u8]> {
    let mut mended: Option<Vec<u8>> = None;
    let mut at = 0_usize;
    while let Some(&byte) = text.get(at) {
        if byte != b'\\' {
            at = at.saturating_add(1);
            continue;
        }
        let Some(unit) = escape(text, at) else {
            at = at.saturating_add(2);
            continue;
        };
        let next = at.saturating_add(6);
        let is_pair = (0xD800..0xDC00).contains(&unit)
            && escape(text, next).is_some_and(|second| (0xDC00..0xE000).contains(&second));
        if is_pair {
            at = next.saturating_add(6);
            continue;
        }
        if (0xD800..0xE000).contains(&unit)
            && let Some(place) = mended.get_or_insert_with(|| text.to_vec()).get_mut(at..next)
        {
            place.copy_from_slice(b"\\ufffd");
        }
        at = next;
    }
    mended.map_or(Cow::Borrowed(text), Cow::Owned)
}

/// The UTF-16 unit of the escape `\uXXXX` at a place.
fn escape(text: &[u8], at: usize) -> Option<u16> {
    let escape = text.get(at..at.checked_add(6)?)?;
    let digits = escape.strip_prefix(b"\\u")?;
    let digits = std::str::from_utf8(digits).ok()?;
    if digits.starts_with('+') {
        return None;
    }
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lone_surrogates_are_replaced() {
        let kept = br#"{"a":"\ud83d\ude00 \\ud800 \u00e9 \n"}"#;
        assert_eq!(mend(kept), Cow::Borrowed(&kept[..]));
        assert_eq!(
            &*mend(br#"["\ud83d","\ude00x","\ud83d\ud83d\ude00","\uD8"]"#),
            br#"["\ufffd","\ufffdx","\ufffd\ud83d\ude00","\uD8"]"#
        );
    }
}
