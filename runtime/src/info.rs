//! What a contract says of itself: names and texts for findings, refusals and reports.

use std::borrow::Cow;

use crate::value::Type;
use crate::{DecisionTable, Mode};

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
    pub fn as_str(self) -> &'static str {
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
    pub message: Option<Text>,
    /// What the rule says.
    pub says: Text,
    /// What would make a blocked call allowed.
    pub advice: Text,
    /// The source text of each precondition, for `require`.
    pub clauses: Cow<'static, [Text]>,
    /// Free tags.
    pub tags: Cow<'static, [Text]>,
    /// Whether the rule's decisions are carried out.
    pub mode: Mode,
    /// From verdict and effect to decision.
    pub table: DecisionTable,
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
}
