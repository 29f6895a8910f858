//! Recorded calls: the trace format, JSON lines, read one line at a time.
//!
//! INVARIANT: strict, and bounded in memory. A line that two readers could take differently (a repeated key, an unknown
//! field) is refused with its place, and so is one that is longer than [`LONGEST_LINE`].

mod encode;
#[cfg(feature = "interpret")]
mod json;
mod line;
#[cfg(feature = "interpret")]
mod reader;

pub use line::{Body, Line, Recorded, RecordedCall};
#[cfg(feature = "interpret")]
pub use reader::{Entry, Flaw, LONGEST_LINE, Reader};
