//! One rule's report about one event.

use serde_json::Value;

use crate::{ContractInfo, Decision, Verdict};

/// Whom a finding is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// A rule, by index.
    Rule(u16),
    /// The contract's `default`.
    Default,
    /// The contract's `undeclared`.
    Undeclared,
    /// A state cell, by index: a commit could not be carried out.
    State(u16),
}

/// Why the verdict is what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The rule itself says so.
    Rule,
    /// The key is missing, null, not a scalar or not exact.
    UnreadableKey,
    /// The rule's table of instances is full.
    InstancesFull,
    /// The instance of the key was let go, and its state is not known exactly.
    Forgotten,
    /// More instances were let go than the rule can tell from keys never seen.
    FilterFull,
    /// This precondition or postcondition (by index) does not hold, or is not established.
    Clause(u16),
    /// No permit matches, and no rule speaks of the call.
    NoPermit,
    /// The contract knows no such tool.
    UnknownTool,
    /// The session ended with an obligation open, or its instance was closed.
    Ended,
    /// The time for an obligation is over.
    Expired,
    /// An obligation is open, and the rule guards this call while one is.
    Guarded,
    /// The arguments could not be rewritten.
    Rewrite,
    /// In shadow mode: the arguments would have been rewritten.
    Rewritten,
    /// In shadow mode: parts of the result would have been masked.
    Redacted,
    /// The arguments hold a value that a result brought. The source's tool is in [`Finding::source`].
    Flow {
        /// The source's position among the admitted calls of the session.
        position: u64,
    },
    /// The rule remembers as much as it can, so it cannot tell.
    Full,
    /// A set or map is full.
    CellFull,
    /// A committed value is missing, of the wrong type or too large.
    BadValue,
    /// The contract is another than the one that the state was saved by.
    Changed,
}

/// One rule's report about one event.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// From whom.
    pub subject: Subject,
    /// What it says.
    pub verdict: Verdict,
    /// What it asks the host to do.
    pub action: Decision,
    /// Why.
    pub reason: Reason,
    /// The components of the key concerned; empty for a rule without a key, or if the key cannot be read.
    pub key: Vec<Value>,
    /// The tool whose result brought a value that must not go where it goes.
    pub source: Option<String>,
    /// What would make the call allowed, where the state of the rule says it: a sentence without a full stop.
    pub help: Option<String>,
    /// The states that the rule's automaton may be in, before the event and after it; `None` for a rule that is none.
    pub states: Option<States>,
    /// The rule's own message, with its holes filled. The session fills it in.
    pub message: Option<String>,
}

impl Finding {
    /// A finding that concerns no key.
    #[must_use]
    pub fn new(subject: Subject, verdict: Verdict, action: Decision, reason: Reason) -> Self {
        Self {
            subject,
            verdict,
            action,
            reason,
            key: Vec::new(),
            source: None,
            help: None,
            states: None,
            message: None,
        }
    }

    /// The same about a key.
    #[must_use]
    pub fn with_key(mut self, key: Vec<Value>) -> Self {
        self.key = key;
        self
    }

    /// The same, with the states of the rule.
    #[must_use]
    pub fn with_states(mut self, states: Option<States>) -> Self {
        self.states = states;
        self
    }

    /// The same, naming the tool that a value came from.
    #[must_use]
    pub fn from_tool(mut self, source: impl Into<String>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// The id of the rule, `default`, `undeclared` or `state.<cell>`.
    #[must_use]
    pub fn id(&self, contract: &ContractInfo) -> String {
        match self.subject {
            Subject::Rule(index) => {
                contract.rules.get(usize::from(index)).map(|rule| rule.id.to_string()).unwrap_or_default()
            }
            Subject::Default => "default".to_owned(),
            Subject::Undeclared => "undeclared".to_owned(),
            Subject::State(index) => {
                let name = contract.cells.get(usize::from(index)).map(|cell| cell.name.as_ref()).unwrap_or_default();
                format!("state.{name}")
            }
        }
    }
}

/// The states that an automaton may be in, around an event. Its states are numbered as `interlock explain` shows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct States {
    /// Before the event.
    pub before: StateSet,
    /// Where the event leads, or would lead if the call ran. A state that is violated is among these, though the rule never
    /// stays in one.
    pub after: StateSet,
}

/// A set of states of an automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StateSet(pub(crate) u64);

impl StateSet {
    /// Their numbers, ascending.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        (0..64u8).filter(move |state| self.0 & crate::belief::mask(*state) != 0)
    }
}

/// What a monitor reports of a host event or of time that goes by.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The findings, in rule order, those of commits last.
    pub findings: Vec<Finding>,
}
