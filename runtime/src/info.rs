//! What a contract says of itself: names and texts for findings, refusals and reports.

use std::borrow::Cow;

use crate::value::{Duration, Type};
use crate::{ByEffect, Decision, DecisionTable, Mode};

/// How bad a violation is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Minor.
    Low,
    /// The default.
    #[default]
    Medium,
    /// Major.
    High,
    /// Never acceptable.
    Critical,
}

impl Severity {
    /// The spelling used in contracts and formats.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

/// A text that a compiled contract borrows and an interpreted one owns.
pub type Text = Cow<'static, str>;

/// What becomes of a call that needs an instance more than there may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WhenFull {
    /// Its rule is unestablished.
    #[default]
    Block,
    /// It is reported, and runs as far as the rule is concerned.
    Alert,
    /// Another key's instance makes room, and what is known of that key is remembered as a possibility.
    Evict,
}

/// The contract author's own words, with holes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// Its pieces, in order.
    pub segments: Cow<'static, [Segment]>,
}

/// A piece of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// As it stands.
    Text(Text),
    /// The components of the key.
    Key,
    /// The name of the tool.
    Tool,
    /// What a path leads to.
    Path(Root, Cow<'static, [MessageStep]>),
}

/// Where a path of a message begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Root {
    /// The arguments of the call, as it runs.
    Args,
    /// The result of the call.
    Result,
    /// The value of the host event.
    Event,
}

/// One step of a path of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessageStep {
    /// A member of an object.
    Field(Text),
    /// An element of a list.
    Index(u32),
}

/// One rule, for people and for the decision of its findings.
#[derive(Clone, Debug)]
pub struct RuleInfo {
    /// The id in the contract.
    pub id: Text,
    /// A title for people.
    pub title: Option<Text>,
    /// How bad a violation is.
    pub severity: Severity,
    /// The contract author's own words.
    pub message: Option<Message>,
    /// What the rule says.
    pub says: Text,
    /// What would make a blocked call allowed, whatever has happened so far.
    pub advice: Text,
    /// What the state of an automaton has to say of that, in words.
    pub vocabulary: Vocabulary,
    /// The source text of each precondition or postcondition, for `require` and `ensure`.
    pub clauses: Cow<'static, [Text]>,
    /// Free tags.
    pub tags: Cow<'static, [Text]>,
    /// Whether the rule's decisions are carried out.
    pub mode: Mode,
    /// From verdict and effect to decision.
    pub table: DecisionTable,
    /// What becomes of a call that needs an instance too many, for keyed rules.
    pub when_full: WhenFull,
    /// Whether keys give up their instances when what is under way is finished.
    pub frees: bool,
}

/// The events that move an automaton rule, in the contract's words; empty for other rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vocabulary {
    /// The patterns, each with its moment: `ok(validate_record)`.
    pub patterns: Cow<'static, [Text]>,
    /// Other events after which a key is fresh again: `event(new_turn)`, with its backticks.
    pub fresh: Option<Text>,
    /// Whether events that some pattern may match make a key fresh, too.
    pub elusive: bool,
    /// Whether the rule has a key.
    pub keyed: bool,
    /// The letters of several patterns that events can have, ascending: patterns that overlap.
    pub joint: Cow<'static, [u8]>,
}

impl Vocabulary {
    /// Of a rule that is no automaton.
    pub const NONE: Self =
        Self { patterns: Cow::Borrowed(&[]), fresh: None, elusive: false, keyed: false, joint: Cow::Borrowed(&[]) };
}

/// A declared cell of trusted state.
#[derive(Clone, Debug)]
pub struct CellInfo {
    /// Its name.
    pub name: Text,
    /// Its type.
    pub ty: Type,
    /// Most members of a set or map.
    pub max: usize,
    /// Most bytes of a member, or of the whole value of a cell that is no collection.
    pub max_bytes: usize,
    /// How long what was committed stays established.
    pub fresh: Option<Duration>,
}

/// A contract.
#[derive(Clone, Debug)]
pub struct ContractInfo {
    /// The name in the contract.
    pub name: Text,
    /// Whether decisions are carried out, unless a rule or the session says otherwise.
    pub mode: Mode,
    /// The rules, in file order.
    pub rules: Cow<'static, [RuleInfo]>,
    /// The declared context facts.
    pub context: Vec<(Text, Type)>,
    /// The declared state cells.
    pub cells: Vec<CellInfo>,
    /// What becomes of a call when the monitor itself, or the host's store, fails.
    pub on_error: ByEffect<Decision>,
    /// A canonical text of the contract: two contracts have the same exactly if they mean the same.
    pub source: Text,
}

#[cfg(feature = "digest")]
impl ContractInfo {
    /// Names this version of the contract: SHA-256 of its canonical text, in lower-case hexadecimal.
    #[must_use]
    pub fn digest(&self) -> String {
        crate::value::sha256_hex(self.source.as_bytes())
    }
}
