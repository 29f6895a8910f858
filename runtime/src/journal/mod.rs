//! Evidence: an append-only file of JSON lines, one record for each decision, result, retirement, approval, start and end of
//! a session, hash-chained, with signed checkpoints of an RFC 6962 tree over the records.
//!
//! The only part of the runtime that reads and writes files.

pub mod canonical;
mod files;
mod lines;
pub mod reader;
pub mod record;
pub mod scan;

pub use files::{SegmentFile, segment_files};
pub use reader::{Entry, Reader, Records};
pub use record::{Body, Hash, Head, Id, Record};
pub use scan::{Flaw, MAX_LINE, scan};
