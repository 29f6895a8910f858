//! Texts that agents chose, on their way into other people's tools.

use crate::evidence::text::clip;

/// The longest text that is exported, in characters.
const LONGEST: usize = 1_024;

/// A name, with what cannot be seen made visible, and cut where it is too long.
pub(super) fn shown(text: &str) -> String {
    clip(text, LONGEST)
}

/// Lower-case hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, byte| {
        for nibble in [byte >> 4, byte & 0xf] {
            out.extend(char::from_digit(u32::from(nibble), 16));
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names_are_inert_and_short() {
        assert_eq!(shown("pay\u{1b}[2J\n\u{202e}"), "pay\\u{1b}[2J\\n\\u{202e}");
        assert_eq!(shown(&"é".repeat(1_025)), "é".repeat(1_024) + "…");
        assert_eq!(shown(&"é".repeat(1_024)), "é".repeat(1_024));
        assert_eq!(hex(&[0, 0xaf]), "00af");
    }
}
