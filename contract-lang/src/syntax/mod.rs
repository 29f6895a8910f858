//! From text to syntax trees: YAML with positions, and the grammar of patterns, predicates and key paths.

pub mod escape;
pub mod expr;
pub mod flaw;
pub mod origin;
pub mod parse;
pub mod pattern;
mod precedence;
mod print;
#[cfg(test)]
mod random;
mod wording;
pub mod written;
pub mod yaml;
