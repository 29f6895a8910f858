//! Evidence: an append-only file of JSON lines, one record for each decision, result, retirement, approval, start and end of
//! a session, hash-chained, with signed checkpoints of an RFC 6962 tree over the records.
//!
//! The only part of the runtime that reads and writes files.

mod base64;
pub mod canonical;
mod checkpoint;
mod files;
mod key;
mod lines;
mod note;
pub mod reader;
pub mod record;
pub mod scan;
mod secret;
pub mod tree;

pub use checkpoint::{Checkpoint, CheckpointError, origin};
pub use files::{SegmentFile, segment_files};
pub use key::{KeyError, PublicKey, SigningKey};
pub use note::{Algorithm, Checked, Note, NoteError, NoteSignature, VerifierKey};
pub use reader::{Entry, Reader, Records};
pub use record::{Body, Hash, Head, Id, Record};
pub use scan::{Flaw, MAX_LINE, scan};
pub use secret::{Digests, Secret};
