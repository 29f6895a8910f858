//! The text form: `contract payments { … }`.
//!
//! It is read in three steps. `mask` blanks out comments, so that nothing else has to know of them; a `pest` grammar
//! takes the rest to pieces; `read` makes of them the tree that YAML gives, too. Which fields there are and what their
//! values mean is none of its business: it knows the statements `key value`, and the few words that add to a list or
//! mapping of the contract (`section`).

mod mask;
mod pieces;
mod read;
pub(crate) mod section;
#[cfg(test)]
mod tests;
mod value;

pub(crate) use mask::Mask;

use super::file;
use super::tree::Node;
use crate::diagnostic::Diagnostics;
use crate::source::{SourceFile, Span};

/// The first words of a file that can only be meant to be in this form.
pub(super) fn header(text: &str) -> Option<Span> {
    let lines = text.split_inclusive('\n');
    let skipped = lines.take_while(|line| line.trim().is_empty() || line.trim_start().starts_with("//"));
    let pieces = pieces::Pieces::new(text);
    let start = pieces.space(skipped.map(str::len).sum());
    let word = pieces.key(start).filter(|word| pieces.slice(*word) == "contract")?;
    let name = pieces.key(pieces.blank(word.end as usize))?;
    pieces.starts(pieces.blank(name.end as usize), '{').then(|| word.to(name))
}

/// Parses a file. What is wrong in one block is reported and the others are read all the same; `None` if it is no contract
/// at all.
pub fn parse(file: &SourceFile, diagnostics: &mut Diagnostics) -> Option<Node> {
    file::is_text(file, diagnostics).then(|| read::read(file, diagnostics)).flatten()
}
