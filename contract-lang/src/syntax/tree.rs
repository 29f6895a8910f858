//! The tree of a contract's file, the same for both forms: every key and value with its place.
//!
//! The decoder reads this tree and nothing else, so a field that it knows can be written in both forms at once.

mod node;
mod scalar;

pub use node::{Entry, Kind, Mapping, Node};
pub use scalar::{Resolved, Scalar, Style};
