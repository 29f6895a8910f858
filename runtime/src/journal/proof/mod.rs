//! Proofs that are checked without the journal: that one record is in it, and that it continues an earlier checkpoint.
//!
//! * [`InclusionProof`]: `make(journal, seq, note)`, `parse`, `check(trust)`; its `Display` is C2SP tlog-proof, with the record's
//!   line as extra data;
//! * [`ConsistencyProof`]: `make(journal, old, note)`, `parse`, `check(old, trust)`; its `Display` is the request of C2SP
//!   tlog-witness, so that a witness can be asked with the same file;
//! * [`Trust`]: whose signatures count; [`Refuted`]: why a proof shows nothing; [`ProveError`]: why none can be made.
//!
//! INVARIANT: what a proof says of itself counts for nothing. A record is believed because it hashes to a leaf, a leaf because of
//! the path to the root, a root because somebody who is trusted signed it.

mod consistency;
mod error;
mod inclusion;
mod leaves;
mod text;
mod trust;

#[cfg(test)]
mod tests;

pub use consistency::ConsistencyProof;
pub use error::{ProofError, ProveError, Refuted};
pub use inclusion::{InclusionProof, Proven};
pub use trust::Trust;
