//! What the owner of a key signs, besides checkpoints: each a text that names what it is about, so that no signature can be
//! taken for another.

use super::checkpoint::origin;
use super::record::{Broken, Hash, Id, Key};

/// The text by which a key names the one that follows it, in the record of this number.
#[must_use]
pub fn key_change(journal: Id, seq: u64, prev: Hash, key: Key) -> String {
    format!("interlock key change v1\n{}\n{seq}\n{prev}\n{key}\n", origin(journal))
}

/// The text that says why a journal continues after one that does not verify.
#[must_use]
pub fn reanchor(journal: Id, seq: u64, prev: Hash, broken: &Broken<'_>, reason: &str) -> String {
    let quoted = |text: &str| {
        let mut out = Vec::new();
        super::canonical::write_string(&mut out, text);
        String::from_utf8_lossy(&out).into_owned()
    };
    let Broken { bytes, file, line, problem, sha256 } = broken;
    format!(
        "interlock reanchor v1\n{}\n{seq}\n{prev}\n{}\n{sha256}\n{bytes}\n{line}\n{problem}\n{}\n",
        origin(journal),
        quoted(file),
        quoted(reason),
    )
}
