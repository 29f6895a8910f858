//! Why a call did not run, or its result is withheld, in words for the model: which rules, why, and what would help.
//!
//! INVARIANT: the text holds nothing but the contract's own words, the name of the tool, the key of this very call, and what
//! the contract's messages name of it. Never a state value, never another call's data, nothing of a result that is withheld.

use std::fmt;

use crate::finding::{Finding, Reason, Subject};
use crate::session::ApprovalRequest;
use crate::{ContractInfo, Decision, RuleInfo, Verdict};

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
    request: Option<ApprovalRequest>,
    after_divergence: bool,
    evaluated: bool,
}

/// What a host can do about a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RefusalKind {
    /// Nothing: the contract says no.
    Blocked,
    /// Ask a person, and answer the [request](Refusal::request) with [`crate::Session::approve`] or
    /// [`crate::Session::deny`].
    NeedsApproval,
    /// A person said no.
    ApprovalDenied,
    /// The answer came too late, or too many requests were waiting.
    ApprovalExpired,
    /// A person would have to approve the call, and nobody is there to ask.
    NobodyToAsk,
    /// The request is another session's, or was answered before.
    NoSuchRequest,
    /// A call with the same id is in flight.
    DuplicateId,
    /// The session has ended.
    Ended,
    /// The call could not be recorded, and `on_error` says that it does not run then.
    Unrecorded,
}

impl RefusalKind {
    /// The spelling used in formats.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Blocked => "blocked",
            Self::NeedsApproval => "needs_approval",
            Self::ApprovalDenied => "approval_denied",
            Self::ApprovalExpired => "approval_expired",
            Self::NobodyToAsk => "nobody_to_ask",
            Self::NoSuchRequest => "no_such_request",
            Self::DuplicateId => "duplicate_id",
            Self::Ended => "ended",
            Self::Unrecorded => "unrecorded",
        }
    }
}

impl Refusal {
    pub(crate) fn new(kind: RefusalKind, text: String, findings: Vec<Finding>, after_divergence: bool) -> Self {
        let details = Details { kind, text, findings, request: None, after_divergence, evaluated: true };
        Self { details: Box::new(details) }
    }

    /// Of a call that was not evaluated.
    pub(crate) fn unevaluated(mut self) -> Self {
        self.details.evaluated = false;
        self
    }

    /// Of a call that a person may approve.
    pub(crate) fn with_request(mut self, request: ApprovalRequest) -> Self {
        self.details.request = Some(request);
        self
    }

    /// With further findings, that time brought to light.
    pub(crate) fn also(mut self, findings: Vec<Finding>) -> Self {
        self.details.findings.extend(findings);
        self
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

    /// What to ask a person, if [`Self::kind`] is [`RefusalKind::NeedsApproval`].
    #[must_use]
    pub fn request(&self) -> Option<&ApprovalRequest> {
        self.details.request.as_ref()
    }

    /// Whether an earlier call of the session ran in shadow mode although it would have been stopped.
    #[must_use]
    pub fn after_divergence(&self) -> bool {
        self.details.after_divergence
    }

    /// Whether the contract was evaluated: not if the monitor or the host's store failed, and `on_error` decided.
    #[must_use]
    pub fn evaluated(&self) -> bool {
        self.details.evaluated
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
pub(crate) fn echo(text: &str) -> String {
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
    list(&mut text, contract, findings);
    text
}

/// What the findings say of a call of `tool` whose result is withheld, for the model.
pub(crate) fn withheld(contract: &ContractInfo, tool: &str, findings: &[Finding]) -> String {
    let mut text = format!("`{}` ran, its result is withheld.", echo(tool));
    list(&mut text, contract, findings);
    text
}

/// Says that nobody has looked at the result of a call of `tool`, which may hold what must not be seen.
pub(crate) fn unscored(tool: &str) -> String {
    format!("`{}` ran, its result is withheld: the contract could not be evaluated.", echo(tool))
}

/// Says why a call of `tool` did not run, where no rule stopped it.
pub(crate) fn stopped(tool: &str, why: &str) -> String {
    format!("`{}` did not run: {why}.", echo(tool))
}

/// Adds what stops something.
fn list(text: &mut String, contract: &ContractInfo, findings: &[Finding]) {
    for finding in findings.iter().filter(|finding| finding.action >= Decision::Ask) {
        text.push_str("\n- ");
        text.push_str(&explain(contract, finding));
    }
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
            Reason::Changed => {
                "the contract is another one than the one that kept this state; nothing of it is established"
            }
            _ => "a value could not be committed to trusted state",
        }
        .to_owned();
    };
    let said = finding.message.as_deref().unwrap_or(&rule.says);
    let unestablished = finding.verdict == Verdict::Unestablished;
    let why = match finding.reason {
        Reason::UnreadableKey => {
            "; the argument that the rule is keyed by is missing, or is no text, number or truth value, or no list of them \
             where it names several keys"
                .to_owned()
        }
        Reason::InstancesFull => "; the rule keeps no more instances than its `max`, and all are in use".to_owned(),
        Reason::Forgotten => "; what it knew of this key was let go, for want of room or of events, and nobody knows what it was".to_owned(),
        Reason::FilterFull => {
            "; it let go of more keys than it can tell from new ones, and this may be one of them".to_owned()
        }
        Reason::Expired => "; the time for it is over".to_owned(),
        Reason::Guarded => "; it stops this call while something is still to be done".to_owned(),
        Reason::Rewrite => "; the arguments could not be changed as it says".to_owned(),
        Reason::Rewritten => "; the arguments would have been changed".to_owned(),
        Reason::Redacted => "; parts of the result would have been masked".to_owned(),
        Reason::Flow { position } => match &finding.source {
            Some(source) => {
                format!("; the value is from the result of `{}`, call {position} of the session", echo(source))
            }
            None => format!("; the value is from the result of call {position} of the session"),
        },
        Reason::Full => "; it remembers as much as it can, and cannot tell any more".to_owned(),
        Reason::Changed => "; the contract has changed, and nothing is known of what came before".to_owned(),
        Reason::Clause(clause) => match rule.clauses.get(usize::from(clause)) {
            Some(clause) if unestablished => {
                format!("; not established: {clause}")
            }
            Some(clause) => format!("; does not hold: {clause}"),
            None => String::new(),
        },
        Reason::Rule if unestablished => {
            "; whether it holds is not established: an argument, a fact or an outcome that it reads is missing, or of \
             another type than it expects"
                .to_owned()
        }
        _ => String::new(),
    };
    match help(rule, finding) {
        "" => format!("{said}{why}"),
        help => format!("{said}{why}. What helps: {help}"),
    }
}

/// What would make a call allowed, as [`message`] says it: a sentence without a full stop, empty if there is nothing to say.
fn help<'f>(rule: &'f RuleInfo, finding: &'f Finding) -> &'f str {
    if let Some(help) = &finding.help {
        return help;
    }
    match finding.reason {
        Reason::UnreadableKey => "give that argument a value",
        Reason::InstancesFull if rule.frees => "finish what is under way before you start more",
        // What is over, or changes nothing, needs no advice.
        Reason::InstancesFull
        | Reason::Ended
        | Reason::Expired
        | Reason::Rewritten
        | Reason::Redacted
        | Reason::Full
        | Reason::Changed
        | Reason::Forgotten
        | Reason::FilterFull => "",
        _ => &rule.advice,
    }
}

/// What would make a call allowed that was stopped: what [`message`] ends with.
#[must_use]
pub fn what_helps<'f>(contract: &'f ContractInfo, finding: &'f Finding) -> Option<&'f str> {
    let Subject::Rule(index) = finding.subject else { return None };
    let rule = contract.rules.get(usize::from(index))?;
    Some(help(rule, finding)).filter(|help| !help.is_empty())
}
