//! Names that agents choose, bounded.

use std::borrow::Cow;

use crate::value::sha256_hex;

/// The longest name that is recorded as it is, in characters.
const LONGEST: usize = 1_024;

/// A name; of one that is too long, the start, its length and its hash, so that the same name is always shortened to the same.
pub(in crate::journal) fn shorten(name: &str) -> Cow<'_, str> {
    match name.char_indices().nth(LONGEST) {
        None => Cow::Borrowed(name),
        Some((end, _)) => {
            let start = name.get(..end).unwrap_or_default();
            Cow::Owned(format!("{start}… ({} bytes, sha256:{})", name.len(), sha256_hex(name.as_bytes())))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shortened_to_names_that_tell_them_apart() {
        let name = "ä".repeat(1_024);
        assert_eq!(shorten(&name), name);
        let [one, other] = ["x", "y"].map(|end| shorten(&format!("{name}{end}")).into_owned());
        assert_ne!(one, other);
        assert!(one.starts_with(&format!("{name}… (2049 bytes, sha256:")) && one.chars().count() < 1_150, "{one}");
    }
}
