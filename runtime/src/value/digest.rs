//! Digests of values and bytes.

use super::{Est, Fuel};
#[cfg(feature = "digest")]
use super::{Val, canonical::canonical};

/// `digest(x)`: SHA-256 over the [canonical JSON](super::canonical()) of a value, in lower-case hexadecimal. Not established
/// for what has no canonical JSON, and without the feature `digest`.
#[must_use]
pub fn digest<'a>(fuel: &Fuel, value: Est<'_>) -> Est<'a> {
    #[cfg(feature = "digest")]
    {
        let text = canonical(fuel, &value?)?;
        Some(Val::Text(sha256_hex(text.as_bytes()).into()))
    }
    #[cfg(not(feature = "digest"))]
    {
        let (_, _) = (fuel, value);
        None
    }
}

/// SHA-256 (FIPS 180-4) of some bytes.
#[cfg(feature = "digest")]
#[must_use]
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    use sha2::Digest as _;
    sha2::Sha256::digest(bytes).into()
}

/// SHA-256 (FIPS 180-4) of some bytes, in lower-case hexadecimal.
#[cfg(feature = "digest")]
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    sha256(bytes).iter().fold(String::with_capacity(64), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

#[cfg(all(test, feature = "digest"))]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn of(value: &Value) -> Est<'static> {
        digest(&Fuel::new(), Some(Val::from_json(value)))
    }

    #[test]
    fn the_vectors_of_fips_180_4_hold() {
        assert_eq!(sha256_hex(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(sha256_hex(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn equal_values_have_equal_digests_and_different_ones_do_not() {
        assert_eq!(of(&json!({"a": 1, "b": 2})), of(&json!({"b": 2.0, "a": 1})));
        assert_ne!(of(&json!(9_007_199_254_740_993_i64)), of(&json!(9_007_199_254_740_992_i64)));
        assert_ne!(of(&json!("1")), of(&json!(1)));
        assert_eq!(of(&json!("abc")), Some(Val::Text(sha256_hex(b"\"abc\"").into())));
    }

    #[test]
    fn what_is_not_exact_has_no_digest() {
        assert_eq!(of(&json!([1e300])), None);
        assert_eq!(digest(&Fuel::new(), None), None);
    }
}
