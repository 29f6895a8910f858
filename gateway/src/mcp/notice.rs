//! What a guard saw that is no call: for the record, and for whoever operates it.

use std::fmt;

/// Something that was not passed on as it came, or is worth knowing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What kind of thing.
    pub kind: NoticeKind,
    /// In words, without anything that came from the other side but names, escaped and short.
    pub text: String,
}

/// A kind of notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NoticeKind {
    /// Bytes of the client that are no message, or one that can be read in several ways.
    Refused,
    /// A call without an id: there is no place for an answer, so nobody could say what became of it.
    CallWithoutId,
    /// Bytes of the server that are no message.
    Noise,
    /// An answer to nothing that was asked.
    Unasked,
    /// A result that cannot be read.
    Unreadable,
    /// Nobody could be asked to approve a call.
    NobodyAsked,
    /// The description of a tool is another one than before.
    ToolChanged,
}

impl NoticeKind {
    /// The spelling used in formats.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::CallWithoutId => "call_without_id",
            Self::Noise => "noise",
            Self::Unasked => "unasked",
            Self::Unreadable => "unreadable",
            Self::NobodyAsked => "nobody_asked",
            Self::ToolChanged => "tool_changed",
        }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
