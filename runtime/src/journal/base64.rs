//! Base64 (RFC 4648 §4), with one spelling only.
//!
//! INVARIANT: what is read is what would have been written. A reader that took stray bits at the end would let two files that
//! differ mean the same, and a signature of one of them would speak for both.

use base64ct::{Base64, Encoding as _};

/// Bytes in base64, padded.
pub(super) fn encode(bytes: &[u8]) -> String {
    Base64::encode_string(bytes)
}

/// Reads padded base64.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let bytes = Base64::decode_vec(text).ok()?;
    (encode(&bytes) == text).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_spelling() {
        // RFC 4648 §10.
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decode(text).as_deref(), Some(bytes.as_bytes()));
        }
        let wrong =
            ["Zg", "Zg=", "Zh==", "Zg===", "Z===", "====", "Zm9", "Zm9\n", " Zm9v", "Zm9v\n", "Zm-_", "Zg==Zg=="];
        for text in wrong {
            assert_eq!(decode(text), None, "{text:?}");
        }
    }
}
