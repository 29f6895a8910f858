//! Why a call did not run, in words for the model: which rules, why, and what would make the call allowed.
//!
//! INVARIANT: the text holds nothing but the contract's own words, the name of the tool, and the key of this very call.
//! Never a state value, never another call's data.

use std::fmt;

use crate::finding::{Finding, Reason, Subject};
use crate::{ContractInfo, Decision};

/// Why a call did not run.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    details: Box<Details>,
}

#[derive(Clone, Debug, PartialEq)]
struct Details {
    kind: RefusalKind,
    text: String,
    findings: Vec<Finding>,
    after_divergence: bool,
}

/// What a host can do about a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RefusalKind {
    /// Nothing: the contract says no.
    Blocked,
    /// Ask a person; if they allow exactly this call, make it again with [`crate::Call::approved`].
    NeedsApproval,
    /// A call with the same id is in flight.
    DuplicateId,
    /// The session has ended.
    Ended,
}

impl Refusal {
    pub(crate) fn new(kind: RefusalKind, text: String, findings: Vec<Finding>, after_divergence: bool) -> Self {
        Self { details: Box::new(Details { kind, text, findings, after_divergence }) }
    }

    /// What a host can do about it.
    #[must_use]
    pub fn kind(&self) -> RefusalKind {
        self.details.kind
    }

    /// The text for the model.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.details.text
    }

    /// What the rules had to say, alerts included.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.details.findings
    }

    /// Whether an earlier call of the session ran in shadow mode although it would have been stopped.
    #[must_use]
    pub fn after_divergence(&self) -> bool {
        self.details.after_divergence
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.details.text)
    }
}

impl std::error::Error for Refusal {}

/// The longest piece of agent-supplied text that a refusal repeats, in characters.
const LONGEST_ECHO: usize = 100;

/// A text from the agent, made inert and short.
fn echo(text: &str) -> String {
    let mut shown = String::new();
    for c in text.chars().take(LONGEST_ECHO) {
        match c {
            '"' | '\'' => shown.push(c),
            _ => shown.extend(c.escape_debug()),
        }
    }
    if text.chars().nth(LONGEST_ECHO).is_some() {
        shown.push('…');
    }
    shown
}

/// What the findings say of a call of `tool` that was decided so, for the model.
#[must_use]
pub fn describe(contract: &ContractInfo, tool: &str, decision: Decision, findings: &[Finding]) -> String {
    let tool = echo(tool);
    let mut text = match decision {
        Decision::Ask => format!("`{tool}` did not run: a person has to approve it."),
        _ => format!("`{tool}` did not run: the contract `{}` blocks it.", contract.name),
    };
    for finding in findings.iter().filter(|finding| finding.action >= Decision::Ask) {
        text.push_str("\n- ");
        text.push_str(&explain(contract, finding));
    }
    text
}

/// One finding with its rule and key: `id (key …): message`.
#[must_use]
pub fn explain(contract: &ContractInfo, finding: &Finding) -> String {
    let id = finding.id(contract);
    let key = match finding.key.as_slice() {
        [] => String::new(),
        parts => {
            let shown: Vec<String> = parts.iter().map(|part| echo(&part.to_string())).collect();
            format!(" (key {})", shown.join(", "))
        }
    };
    format!("{id}{key}: {}", message(contract, finding))
}

/// One finding in a sentence or two: what the rule says, what is wrong, what would make the call allowed.
#[must_use]
pub fn message(contract: &ContractInfo, finding: &Finding) -> String {
    let rule = match finding.subject {
        Subject::Rule(index) => contract.rules.get(usize::from(index)),
        Subject::Default | Subject::Undeclared | Subject::State(_) => None,
    };
    let Some(rule) = rule else {
        return match finding.reason {
            Reason::UnknownTool => "the contract knows no tool of this name; call one of the declared tools",
            Reason::NoPermit => "the contract's default stops a call that no permit matches and no other rule admits",
            Reason::CellFull => "a collection of trusted state is full",
            _ => "a value could not be committed to trusted state",
        }
        .to_owned();
    };
    let said = rule.message.as_ref().unwrap_or(&rule.says);
    let why = match finding.reason {
        Reason::UnreadableKey => {
            "; the argument that the rule is keyed by is missing or not a text, number or truth value".to_owned()
        }
        Reason::InstancesFull => "; the rule keeps no more instances than its `max`, and all are in use".to_owned(),
        Reason::Clause(clause) => match rule.clauses.get(usize::from(clause)) {
            Some(clause) if finding.verdict == crate::Verdict::Unestablished => {
                format!("; not established: {clause}")
            }
            Some(clause) => format!("; does not hold: {clause}"),
            None => String::new(),
        },
        _ => String::new(),
    };
    let advice = match finding.reason {
        Reason::UnreadableKey => "give that argument a value",
        Reason::InstancesFull => "finish what is under way before you start more",
        // What is over needs no advice.
        Reason::Ended => "",
        _ => &rule.advice,
    };
    if advice.is_empty() { format!("{said}{why}") } else { format!("{said}{why}. What helps: {advice}") }
}
