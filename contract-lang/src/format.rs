//! The canonical form of a contract, as YAML or as text.
//!
//! A file is read and decoded; what the decoder read as an expression is printed by the grammar of expressions, everything
//! else by its form alone (`yaml`, `text`). So fields and kinds of rules need nothing here. Comments and blank lines go
//! with the item that they belong to (`comments`).
//!
//! INVARIANT: what is printed decodes to the same contract, and formatting it again changes nothing.

mod build;
mod comments;
mod item;
mod text;
mod yaml;

use std::collections::HashSet;

use crate::ast;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::source::{SourceFile, Span};
use crate::syntax::file::Form;
#[cfg(feature = "interpret")]
use crate::syntax::tree::Node;

/// Why a file was not formatted.
#[derive(Clone, Debug)]
pub struct Unformatted {
    /// The file, for showing diagnostics.
    pub source: SourceFile,
    /// What is wrong with it.
    pub diagnostics: Vec<Diagnostic>,
}

/// Formats a contract, into one form from another or the same.
///
/// # Errors
/// The file has errors of form: what is not read exactly cannot be written.
pub fn format(name: &str, bytes: &[u8], from: Form, to: Form) -> Result<String, Unformatted> {
    let mut diagnostics = Diagnostics::new();
    let (source, node) = from.read(name, bytes, &mut diagnostics);
    let contract = node.as_ref().and_then(|node| ast::decode(node, &mut diagnostics));
    let formatted = node.filter(|_| contract.is_some() && !diagnostics.has_errors()).and_then(|node| {
        let set = |places: &[Span]| places.iter().copied().collect::<HashSet<_>>();
        let (expressions, formulas) = (set(diagnostics.expressions()), set(diagnostics.formulas()));
        let mut root = build::build(&node, &expressions, &formulas, &mut diagnostics);
        // In the order of the file; the text form's sections may be anywhere.
        root.items.sort_by_key(|item| item.span.start);
        comments::attach(&mut root, &source, from, &node);
        (!diagnostics.has_errors()).then_some(root)
    });
    match (formatted, to) {
        (Some(root), Form::Yaml) => Ok(yaml::print(root)),
        (Some(root), Form::Text) => Ok(text::print(root)),
        (None, _) => Err(Unformatted { source, diagnostics: diagnostics.into_sorted() }),
    }
}

/// The canonical form of a tree as YAML, without comments. The tree has been decoded: `diagnostics` know what was read as an
/// expression.
#[cfg(feature = "interpret")]
pub(crate) fn canonical(node: &Node, diagnostics: &mut Diagnostics) -> String {
    let set = |places: &[Span]| places.iter().copied().collect::<HashSet<_>>();
    let (expressions, formulas) = (set(diagnostics.expressions()), set(diagnostics.formulas()));
    yaml::print(build::build(node, &expressions, &formulas, diagnostics))
}

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) use tests::corpus;
