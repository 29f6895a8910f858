//! What is to be said of one record: built once, printed for people or as JSON.

use contract_lang::dispatch::{self, Tool};
use contract_lang::mir::Contract;
use contract_runtime::ContractInfo;
use contract_runtime::journal::Record;
use contract_runtime::journal::record::{self, Body, SessionStart};
use serde_json::Value;

use super::states::{self, State};
use crate::evidence::finding::{self, Said};

/// The contract that was in force, where it can be told.
pub(super) struct Used {
    pub(super) contract: Contract,
    pub(super) info: ContractInfo,
    /// Whether it names catalogs, which no journal holds.
    pub(super) had_catalog: bool,
    /// `journal`, or the name of a file.
    pub(super) from: String,
}

/// All that is said of a record.
#[derive(serde::Serialize)]
pub(super) struct Explanation {
    /// Whether the journal holds, as `verify` says it.
    pub(super) verification: Value,
    pub(super) seq: u64,
    pub(super) at: String,
    pub(super) kind: &'static str,
    pub(super) session: Option<String>,
    pub(super) agent: Option<String>,
    pub(super) contract: Option<ContractObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) call: Option<CallObject>,
    pub(super) findings: Vec<FindingObject>,
    /// The rules that the call concerned, and that had nothing to say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) silent: Option<Vec<SilentObject>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) replay: Option<Replayed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) outcome: Option<OutcomeObject>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) answers: Vec<AnswerObject>,
    /// What cannot be known, and why.
    pub(super) unknown: Vec<String>,
}

/// A version of a contract.
#[derive(serde::Serialize)]
pub(super) struct ContractObject {
    pub(super) name: String,
    pub(super) sha256: String,
    /// Where its text is from; `None`: it is not there.
    pub(super) from: Option<String>,
}

/// A call.
#[derive(serde::Serialize)]
pub(super) struct CallObject {
    pub(super) call: u64,
    pub(super) tool: String,
    pub(super) id: Option<String>,
    pub(super) effect: &'static str,
    pub(super) decision: &'static str,
    pub(super) ran: bool,
    pub(super) refusal: Option<&'static str>,
    pub(super) approved: bool,
    pub(super) evaluated: bool,
    pub(super) after_divergence: bool,
    pub(super) args: Option<String>,
}

/// What a rule found.
#[derive(serde::Serialize)]
pub(super) struct FindingObject {
    pub(super) rule: String,
    /// The kind of the rule, and what it says, where the contract is there.
    #[serde(rename = "rule_kind")]
    pub(super) kind: Option<&'static str>,
    pub(super) verdict: &'static str,
    pub(super) action: &'static str,
    pub(super) reason: &'static str,
    pub(super) message: Option<String>,
    /// The digest of the key, and the key itself where the replay tells.
    pub(super) key_digest: Option<String>,
    pub(super) key: Option<Vec<Value>>,
    pub(super) before: Vec<State>,
    pub(super) after: Vec<State>,
    /// What would have made the call allowed.
    pub(super) helps: Option<String>,
}

/// A rule that had nothing to say.
#[derive(serde::Serialize)]
pub(super) struct SilentObject {
    pub(super) rule: String,
    #[serde(rename = "rule_kind")]
    pub(super) kind: &'static str,
    pub(super) says: String,
    /// Its verdict over the session, before and after the call, where the replay tells.
    pub(super) before: Option<&'static str>,
    pub(super) after: Option<&'static str>,
}

/// What the replay of the session came to.
#[derive(Clone, Debug, serde::Serialize)]
pub(super) struct Replayed {
    pub(super) decision: &'static str,
    pub(super) ran: bool,
    pub(super) agrees: bool,
}

/// How a call ended.
#[derive(serde::Serialize)]
pub(super) struct OutcomeObject {
    pub(super) seq: u64,
    pub(super) status: &'static str,
    pub(super) shown: &'static str,
    pub(super) findings: Vec<FindingObject>,
}

/// What a person answered.
#[derive(serde::Serialize)]
pub(super) struct AnswerObject {
    pub(super) seq: u64,
    pub(super) answer: &'static str,
    pub(super) by: Option<String>,
}

impl Explanation {
    /// What the record itself says, in the words of the contract.
    pub(super) fn of(record: &Record, start: Option<&SessionStart<'_>>, used: Option<&Used>) -> Self {
        let contract = start.map(|start| ContractObject {
            name: start.contract.name.to_string(),
            sha256: start.contract.sha256.to_string(),
            from: used.map(|used| used.from.clone()),
        });
        let agent =
            start.and_then(|start| start.agent.as_ref()).map(|agent| format!("{} {}", agent.name, agent.version));
        let found: &[record::Finding<'_>] = match &record.body {
            Body::Decided(call) => &call.findings,
            Body::Outcome(outcome) => &outcome.findings,
            Body::Event(event) => &event.findings,
            Body::Passed(passed) => &passed.findings,
            Body::SessionEnd(end) => &end.findings,
            _ => &[],
        };
        let call = if let Body::Decided(call) = &record.body { Some(call) } else { None };
        Self {
            verification: Value::Null,
            seq: record.head.seq,
            at: record.head.at.to_string(),
            kind: record.body.kind(),
            session: record.head.session.as_deref().map(ToOwned::to_owned),
            agent,
            contract,
            call: call.map(call_object),
            findings: findings(found, used),
            silent: call.zip(used).map(|(call, used)| silent(call, &used.contract)),
            replay: None,
            outcome: None,
            answers: Vec::new(),
            unknown: Vec::new(),
        }
    }
}

fn call_object(call: &record::Decided<'_>) -> CallObject {
    let server = call.server.as_ref().map(|server| format!("{server}::")).unwrap_or_default();
    CallObject {
        call: call.call,
        tool: format!("{server}{}", call.tool),
        id: call.id.as_ref().map(ToString::to_string),
        effect: call.effect.as_str(),
        decision: call.decision.as_str(),
        ran: call.ran,
        refusal: call.refusal.map(contract_runtime::RefusalKind::as_str),
        approved: call.approved,
        evaluated: call.evaluated,
        after_divergence: call.after_divergence,
        args: call.args.text.as_ref().map(ToString::to_string),
    }
}

/// Findings in the words of the contract, where it is there.
pub(super) fn findings(findings: &[record::Finding<'_>], used: Option<&Used>) -> Vec<FindingObject> {
    findings.iter().map(|finding| finding_object(finding, used)).collect()
}

fn finding_object(finding: &record::Finding<'_>, used: Option<&Used>) -> FindingObject {
    let rule = used.and_then(|used| finding::rule(&used.contract, finding)).map(|(_, rule)| rule);
    let said = used.map(|used| finding::say(&used.contract, &used.info, finding));
    let (message, helps) = match said {
        Some(Said { message, helps }) => (Some(message), helps),
        None => (None, finding.help.as_ref().map(ToString::to_string)),
    };
    let named = |numbers: &[u64]| rule.map(|rule| states::of(rule, numbers)).unwrap_or_default();
    let (before, after) = match &finding.states {
        Some(record::States { after, before }) => (named(before), named(after)),
        None => (Vec::new(), Vec::new()),
    };
    FindingObject {
        rule: finding.rule.to_string(),
        kind: rule.map(contract_lang::mir::Rule::kind),
        verdict: finding.verdict.as_str(),
        action: finding.action.as_str(),
        reason: finding.reason.as_str(),
        message,
        key_digest: finding.key.map(|key| key.to_string()),
        key: None,
        before,
        after,
        helps,
    }
}

/// The rules that a call concerned without a finding.
fn silent(call: &record::Decided<'_>, contract: &Contract) -> Vec<SilentObject> {
    let plan = dispatch::plan(contract, Tool::Named(&call.tool));
    let concerned = plan.rules.iter().filter(|concern| concern.at_call());
    let rules = concerned.filter_map(|concern| contract.rules.get(concern.rule));
    let rules = rules.filter(|rule| call.findings.iter().all(|finding| finding.rule != rule.id));
    let object = |rule: &contract_lang::mir::Rule| SilentObject {
        rule: rule.id.clone(),
        kind: rule.kind(),
        says: rule.says.clone(),
        before: None,
        after: None,
    };
    rules.map(object).collect()
}
