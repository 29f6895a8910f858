//! Files of either form: their bytes, their limits, and which form they have.

use std::path::Path;

use super::tree::Node;
use super::{text, yaml};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::{SourceFile, Span};

/// Most bytes of a file.
pub const MAX_BYTES: usize = 1 << 20;

/// Deepest nesting of lists and mappings.
pub const MAX_DEPTH: usize = 64;

/// Most keys and values.
pub const MAX_NODES: usize = 200_000;

/// How a contract is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Form {
    /// As YAML.
    #[default]
    Yaml,
    /// As text: `contract payments { … }`.
    Text,
}

impl Form {
    /// The form of a file of this name: `*.contract` is text, everything else YAML.
    #[must_use]
    pub fn of(name: &str) -> Self {
        match Path::new(name).extension() {
            Some(extension) if extension == "contract" => Self::Text,
            _ => Self::Yaml,
        }
    }

    /// Reads a file from its bytes.
    pub fn read(self, name: &str, bytes: &[u8], diagnostics: &mut Diagnostics) -> (SourceFile, Option<Node>) {
        match decode(name, bytes) {
            Ok(file) => {
                let node = self.parse(&file, diagnostics);
                (file, node)
            }
            Err((file, diagnostic)) => {
                diagnostics.push(*diagnostic);
                (file, None)
            }
        }
    }

    /// Parses a file.
    pub fn parse(self, file: &SourceFile, diagnostics: &mut Diagnostics) -> Option<Node> {
        match self {
            Self::Yaml => match text::header(file.text()) {
                None => yaml::parse(file, diagnostics),
                Some(header) => {
                    let message = "this is the text form, in a file that is read as YAML";
                    let help = "name the file `*.contract`";
                    diagnostics.push(Diagnostic::new(Code::TextSyntax, header, message).help(help));
                    None
                }
            },
            Self::Text => text::parse(file, diagnostics),
        }
    }
}

/// Reads the text of a file out of its bytes.
///
/// # Errors
/// The bytes are no UTF-8 text, hold a NUL, or are too many; with a file to show the error in, which is empty where the
/// bytes cannot be shown.
pub fn decode(name: &str, bytes: &[u8]) -> Result<SourceFile, (SourceFile, Box<Diagnostic>)> {
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

/// Whether a file that was made from a text could have been read from bytes; where not, that is reported.
pub(super) fn is_text(file: &SourceFile, diagnostics: &mut Diagnostics) -> bool {
    let length = file.text().len();
    if length > MAX_BYTES {
        diagnostics.push(too_large(length));
        return false;
    }
    let Some(at) = file.text().find('\0') else { return true };
    let message = format!("the file is not text: it holds a NUL character at byte {at}");
    diagnostics.push(Diagnostic::new(Code::NotText, Span::new(at, at.saturating_add(1)), message));
    false
}

/// Too many keys and values, in either form.
pub(super) fn too_many(span: Span) -> Diagnostic {
    let message = format!("the file holds more than {MAX_NODES} keys and values");
    Diagnostic::new(Code::TooLarge, span, message).help("split the contract into several files")
}

/// Too deep, in either form.
pub(super) fn too_deep(span: Span) -> Diagnostic {
    let message = format!("lists and mappings are nested more than {MAX_DEPTH} deep");
    Diagnostic::new(Code::TooDeep, span, message)
        .help("a contract needs fewer than ten levels; look for a stray bracket")
}

/// A key for the second time.
pub(super) fn duplicate(key: &str, first: Span, again: Span) -> Diagnostic {
    Diagnostic::new(Code::DuplicateKey, again, format!("`{key}` is written twice"))
        .label("again here")
        .related(first, "first here")
        .help("keep one of the two")
}

fn too_large(length: usize) -> Diagnostic {
    let message = format!("the file is too large: {length} bytes, and at most {MAX_BYTES} are read");
    Diagnostic::new(Code::TooLarge, Span::default(), message).help("split the contract into several files")
}
