//! YAML with a place for every key and value.
//!
//! The dialect is small on purpose: YAML 1.2 core; one document; UTF-8; at most 1 MiB; no tags, anchors, aliases, merge
//! keys or directives; string keys, each once. What can be read in two ways is refused: a contract is a policy, and
//! nobody should need a YAML reference to know what it says. The tree keeps the source text of scalars, so that numbers
//! never pass through a float.
//!
//! Serde is not used here: it drops the places of nested values and stops at the first error.

mod load;
mod node;
mod scalar;
#[cfg(feature = "schema")]
pub mod second;
mod traps;

pub use node::{Entry, Kind, Mapping, Node};
pub use scalar::{Resolved, Scalar, Style};
pub(crate) use traps::quote;

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::{SourceFile, Span};

/// Most bytes of a file.
pub const MAX_BYTES: usize = 1 << 20;

/// Deepest nesting of lists and mappings.
pub const MAX_DEPTH: usize = 64;

/// Most keys and values.
pub const MAX_NODES: usize = 200_000;

/// Reads the text of a file out of its bytes.
///
/// # Errors
/// The bytes are no UTF-8 text, hold a NUL, or are too many; with a file to show the error in, which is empty where the
/// bytes cannot be shown.
pub fn text(name: &str, bytes: &[u8]) -> Result<SourceFile, (SourceFile, Box<Diagnostic>)> {
    let refuse = |shown: &str, diagnostic| Err((SourceFile::new(name, shown), Box::new(diagnostic)));
    if bytes.len() > MAX_BYTES {
        return refuse("", too_large(bytes.len()));
    }
    let (valid, bad) = match std::str::from_utf8(bytes) {
        Ok(text) => (text, text.find('\0').map(|at| (at, "a NUL character"))),
        Err(error) => {
            let at = error.valid_up_to();
            let valid = bytes.get(..at).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default();
            (valid, Some((valid.find('\0').unwrap_or(at), "bytes that are no UTF-8")))
        }
    };
    if valid.starts_with('\u{feff}') {
        let diagnostic = Diagnostic::new(Code::NotText, Span::new(0, 3), "the file begins with a byte order mark");
        return refuse(valid, diagnostic.help("save it as UTF-8 without a byte order mark"));
    }
    let Some((at, what)) = bad else { return Ok(SourceFile::new(name, valid)) };
    let shown = valid.get(..at).unwrap_or_default();
    let message = format!("the file is not text: it holds {what} at byte {at}");
    refuse(shown, Diagnostic::new(Code::NotText, Span::new(at, at), message).help("a contract is a UTF-8 text file"))
}

/// Reads a file from its bytes: [`text`], then [`parse`].
pub fn parse_bytes(name: &str, bytes: &[u8], diagnostics: &mut Diagnostics) -> (SourceFile, Option<Node>) {
    match text(name, bytes) {
        Ok(file) => {
            let node = parse(&file, diagnostics);
            (file, node)
        }
        Err((file, diagnostic)) => {
            diagnostics.push(*diagnostic);
            (file, None)
        }
    }
}

/// Parses a file. Syntax errors end the parse and give `None`; everything else is reported and passed over.
pub fn parse(file: &SourceFile, diagnostics: &mut Diagnostics) -> Option<Node> {
    let length = file.text().len();
    if length > MAX_BYTES {
        diagnostics.push(too_large(length));
        return None;
    }
    if let Some(at) = file.text().find('\0') {
        let message = format!("the file is not text: it holds a NUL character at byte {at}");
        diagnostics.push(Diagnostic::new(Code::NotText, Span::new(at, at.saturating_add(1)), message));
        return None;
    }
    load::load(file, diagnostics)
}

fn too_large(length: usize) -> Diagnostic {
    let message = format!("the file is too large: {length} bytes, and at most {MAX_BYTES} are read");
    Diagnostic::new(Code::TooLarge, Span::default(), message).help("split the contract into several files")
}

#[cfg(test)]
mod tests;
