//! From text to syntax trees: the two forms of a file, YAML and text, with positions, and the grammar of patterns,
//! predicates, key paths and formulas, which both have in common.

pub mod escape;
pub mod expr;
pub mod file;
pub mod flaw;
pub mod formula;
pub mod origin;
pub mod parse;
pub mod pattern;
mod precedence;
pub(crate) mod print;
#[cfg(test)]
pub(crate) mod random;
pub mod text;
pub mod tree;
mod wording;
pub mod written;
pub mod yaml;
