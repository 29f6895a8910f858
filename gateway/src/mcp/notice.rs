//! What a guard saw that is no call: for the record, and for whoever operates it.

use std::fmt;

pub use contract_runtime::NoticeKind;

/// Something that was not passed on as it came, or is worth knowing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What kind of thing.
    pub kind: NoticeKind,
    /// In words, without anything that came from the other side but names, escaped and short.
    pub text: String,
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
