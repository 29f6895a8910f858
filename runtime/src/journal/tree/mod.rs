//! The Merkle tree over a journal's records: RFC 6962 §2.1 (the same as RFC 9162 §2.1), with SHA-256.
//!
//! The leaf of a record is its `hash` (32 bytes), so a proof about a record needs none of the others. A chain of hashes says
//! that nothing changed; the tree says it in a few hashes: that a record is in the journal ([`Prover::inclusion`]), that a
//! journal continues an earlier one ([`Prover::consistency`]).
//!
//! ```
//! use contract_runtime::journal::tree::{self, Frontier, Prover};
//!
//! let records: [[u8; 32]; 3] = [[1; 32], [2; 32], [3; 32]]; // their `hash`
//! let mut frontier = Frontier::default();
//! let mut prover = Prover::inclusion(1, 3).unwrap();
//! for record in records {
//!     let leaf = tree::leaf(&record);
//!     frontier.append(leaf);
//!     prover.append(leaf);
//! }
//! let path = prover.finish().unwrap();
//! assert!(tree::is_included(tree::leaf(&records[1]), 1, 3, &path, frontier.root()));
//! ```
//!
//! INVARIANT: memory is logarithmic in the size of the tree, also while proofs are made.

mod check;
mod frontier;
mod prover;
#[cfg(test)]
mod tests;

pub use check::{is_consistent, is_included};
pub use frontier::Frontier;
pub use prover::Prover;

use sha2::{Digest as _, Sha256};

use super::Hash;
use super::record::Hex;

/// More hashes than this no proof has: the tree of 2⁶⁴ leaves is 64 levels high, and a consistency proof has one more.
pub const LONGEST_PROOF: usize = 65;

/// The hash of a leaf: `SHA-256(0x00 || data)`. The data of a record is the 32 bytes of its `hash`.
#[must_use]
pub fn leaf(data: &[u8]) -> Hash {
    Hex(Sha256::new().chain_update([0]).chain_update(data).finalize().into())
}

/// The hash of an inner node: `SHA-256(0x01 || left || right)`.
fn node(left: &Hash, right: &Hash) -> Hash {
    Hex(Sha256::new().chain_update([1]).chain_update(left.0).chain_update(right.0).finalize().into())
}

/// The root of the tree without leaves: the hash of nothing.
fn empty() -> Hash {
    Hex(Sha256::digest([]).into())
}
