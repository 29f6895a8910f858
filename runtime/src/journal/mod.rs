//! Evidence: an append-only file of JSON lines, one record for each decision, result, retirement, approval, start and end of
//! a session, hash-chained, with signed checkpoints of an RFC 6962 tree over the records.
//!
//! The only part of the runtime that reads and writes files.

mod base64;
pub mod canonical;
mod checkpoint;
mod content;
mod error;
mod file;
mod files;
mod handle;
mod head;
mod key;
mod lines;
mod lock;
mod medium;
mod note;
mod options;
mod place;
mod proof;
pub mod reader;
mod reanchor;
pub mod record;
mod recovery;
pub mod scan;
mod secret;
mod segment;
mod sink;
mod snapshot;
pub mod statement;
mod sync;
#[cfg(test)]
mod tests;
mod tip;
mod torn;
pub mod tree;
pub mod verify;
mod writer;

pub use checkpoint::{Checkpoint, CheckpointError, origin};
pub use error::JournalError;
pub use files::{SegmentFile, segment_files};
pub use handle::Journal;
pub use key::{KeyError, PublicKey, SigningKey};
pub use note::{Algorithm, Checked, Note, NoteError, NoteSignature, VerifierKey};
pub use options::Options;
pub use proof::{ConsistencyProof, InclusionProof, ProofError, ProveError, Proven, Refuted, Trust};
pub use reader::{Entry, Reader, Records};
pub use reanchor::{ReanchorError, Reanchored};
pub use record::{Body, Hash, Head, Hex, Id, NO_HASH, Record, Sync};
pub use scan::{Flaw, MAX_LINE, scan};
pub use secret::{Digests, Secret};
