//! YAML with a place for every key and value.
//!
//! The dialect is small on purpose: YAML 1.2 core; one document; UTF-8; at most 1 MiB; no tags, anchors, aliases, merge
//! keys or directives; string keys, each once. What can be read in two ways is refused: a contract is a policy, and
//! nobody should need a YAML reference to know what it says. The tree keeps the source text of scalars, so that numbers
//! never pass through a float.
//!
//! Serde is not used here: it drops the places of nested values and stops at the first error.

mod load;
mod place;
#[cfg(feature = "schema")]
pub mod second;
mod traps;

pub(crate) use traps::quote;

use super::file;
pub use super::tree::{Entry, Kind, Mapping, Node, Resolved, Scalar, Style};
use crate::diagnostic::Diagnostics;
use crate::source::SourceFile;

/// Parses a file. Syntax errors end the parse and give `None`; everything else is reported and passed over.
pub fn parse(file: &SourceFile, diagnostics: &mut Diagnostics) -> Option<Node> {
    file::is_text(file, diagnostics).then(|| load::load(file, diagnostics)).flatten()
}

#[cfg(test)]
mod tests;
