//! Contracts in Rust source: `contracts! { contract payments { … } }`.
//!
//! A macro is given tokens, not text. Most compilers say where each token stands, and then the text is laid out again as it
//! was, with spaces for comments, so that whatever is found has its own line and column. Others (language servers) do not;
//! then line breaks are put where a statement must have ended.

mod joint;
mod piece;

use std::path::Path;

use proc_macro2::{LineColumn, Span, TokenStream};
use quote::quote_spanned;

use crate::build::check_text;
use crate::codegen;
use crate::diagnostic::Level;
use joint::Joints;
use piece::{Piece, flatten};

/// The code of a contract in text form that is given as tokens: the same as that of a file. Catalogs are relative to
/// `folder`. Errors become compile errors, each at its place.
#[must_use]
pub fn compile(tokens: TokenStream, folder: &Path, options: codegen::Options) -> TokenStream {
    let source = Source::new(tokens);
    let name = source.tokens.first().map_or_else(|| "contract".to_owned(), |(_, span)| span.file());
    let (checked, files) = check_text(folder, &name, &source.text);
    if let Some(contract) = checked.contract {
        let mut options = options;
        options.tracked.extend(files.iter().map(|file| absolute(file)));
        return codegen::generate(&contract, &options);
    }
    let errors = checked.diagnostics.iter().filter(|found| found.level == Level::Error);
    let errors = errors.map(|found| {
        let mut message = format!("{} [{}]", found.message, found.code.as_str());
        for help in &found.help {
            message.push_str(&format!("\n  help: {}", help.text));
        }
        let span = source.span(found.primary.span.start as usize);
        quote_spanned! { span => ::core::compile_error!(#message); }
    });
    errors.collect()
}

/// The path of a file that the generated code can name.
#[must_use]
pub fn absolute(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string()
}

/// The text of tokens.
struct Source {
    text: String,
    /// Where each token begins in the text, ascending, and where it stands in the Rust source.
    tokens: Vec<(usize, Span)>,
}

impl Source {
    fn new(tokens: TokenStream) -> Self {
        let mut pieces = Vec::new();
        flatten(tokens, &mut pieces);
        Self::placed(&pieces).unwrap_or_else(|| Self::joined(&pieces))
    }

    /// Lays the pieces out where they stand. `None` if the places cannot be true.
    fn placed(pieces: &[Piece]) -> Option<Self> {
        let mut source = Self { text: String::new(), tokens: Vec::with_capacity(pieces.len()) };
        let mut at = LineColumn { line: 1, column: 0 };
        for piece in pieces {
            let start = piece.span.start();
            if (start.line, start.column) < (at.line, at.column) {
                return None;
            }
            // Empty lines up to the first token make the lines those of the Rust file.
            source.text.extend(std::iter::repeat_n('\n', start.line.saturating_sub(at.line)));
            let from = if start.line > at.line { 0 } else { at.column };
            source.text.extend(std::iter::repeat_n(' ', start.column.saturating_sub(from)));
            source.tokens.push((source.text.len(), piece.span));
            source.text.push_str(&piece.text);
            let lines = piece.text.matches('\n').count();
            let width = piece.text.rsplit('\n').next().unwrap_or_default().chars().count();
            at.line = start.line.saturating_add(lines);
            at.column = if lines > 0 { width } else { start.column.saturating_add(width) };
        }
        Some(source)
    }

    /// Puts the pieces one after the other, and a line break between two that no expression has side by side.
    fn joined(pieces: &[Piece]) -> Self {
        let mut source = Self { text: String::new(), tokens: Vec::with_capacity(pieces.len()) };
        let mut joints = Joints::default();
        for piece in pieces {
            source.text.push_str(joints.next(piece));
            source.tokens.push((source.text.len(), piece.span));
            source.text.push_str(&piece.text);
        }
        source
    }

    /// The Rust span of a place in the text: that of the token there, or of the one before.
    fn span(&self, at: usize) -> Span {
        let after = self.tokens.partition_point(|(start, _)| *start <= at);
        let token = after.checked_sub(1).and_then(|index| self.tokens.get(index)).or(self.tokens.first());
        token.map_or_else(Span::call_site, |(_, span)| *span)
    }
}

#[cfg(test)]
mod tests;
