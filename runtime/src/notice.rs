//! What a guard between an agent and its tools saw that is no call.

/// A kind of thing that a guard saw and that is no call: a message that was not passed on, or something worth knowing of the
/// tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    /// A tool that was not there when the tools were looked at.
    ToolNew,
    /// The name of a tool that looks like another one, or holds what nobody sees.
    ToolConfusable,
    /// More tools than are remembered.
    ToolsTooMany,
}

impl NoticeKind {
    /// All kinds.
    pub const ALL: &'static [Self] = &[
        Self::Refused,
        Self::CallWithoutId,
        Self::Noise,
        Self::Unasked,
        Self::Unreadable,
        Self::NobodyAsked,
        Self::ToolChanged,
        Self::ToolNew,
        Self::ToolConfusable,
        Self::ToolsTooMany,
    ];

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
            Self::ToolNew => "tool_new",
            Self::ToolConfusable => "tool_confusable",
            Self::ToolsTooMany => "tools_too_many",
        }
    }
}
