//! Evidence: an append-only file of JSON lines, one record for each decision, result, retirement, approval, start and end of
//! a session, hash-chained, with signed checkpoints of an RFC 6962 tree over the records.
//!
//! The only part of the runtime that reads and writes files.

pub mod canonical;
pub mod record;

pub use record::{Body, Hash, Head, Id, Record};
