//! What a rule stopped, or found violated, as Detection Finding.

use contract_runtime::Severity;
use contract_runtime::journal::record::Finding;
use serde_json::{Value, json};

use super::attestation::set;
use super::common::{Kind, actor, agent, api, control, event, named, policy, severity, severity_of};
use crate::export::join::Session;
use crate::export::text::shown;
use crate::export::{Call, Found, KIND_DECISION, Place};

const KIND: Kind = Kind {
    category: (2, "Findings"),
    class: (2004, "Detection Finding"),
    activity: (1, "Create"),
    profiles: &["record_integrity", "security_control"],
};

/// A finding about a call: the so-many-th of it.
pub(super) fn of_call(session: &Session, call: &Call, place: &Place, finding: &Finding<'_>, number: u64) -> Value {
    let record = if place.seq == call.place.seq { KIND_DECISION } else { "outcome" };
    let title = format!("{}: `{}`", title(session, finding), shown(&call.decided.tool));
    let mut out = of(session, place, record, finding, &title, number);
    concerns(&mut out, session, call);
    out
}

/// A finding that concerns no call.
pub(super) fn of_session(session: &Session, found: &Found<'_>, finding: &Finding<'_>, number: u64) -> Value {
    let mut out = of(session, &found.place, found.kind, finding, &title(session, finding), number);
    set(&mut out, "evidences", json!([{ "actor": actor(session) }]));
    named(&mut out, "action", (3, "Observed"));
    named(&mut out, "disposition", (15, "Detected"));
    policy(&mut out, session);
    out
}

/// A call that no rule stopped, and that did not run all the same.
pub(super) fn without_rule(session: &Session, call: &Call) -> Value {
    let why = call.decided.refusal.map_or("blocked", |kind| kind.as_str());
    let mut out = begin(session, &call.place, KIND_DECISION, 0, Some(Severity::Medium));
    let title = format!("`{}` did not run: {why}", shown(&call.decided.tool));
    set(&mut out, "finding_info", json!({ "title": title, "types": [why], "uid": uid(&call.place, 0) }));
    set(&mut out, "message", title.into());
    concerns(&mut out, session, call);
    out
}

fn begin(session: &Session, place: &Place, record: &str, number: u64, how_bad: Option<Severity>) -> Value {
    let mut out = event(&KIND, session, place, record, Some(number));
    severity(&mut out, how_bad);
    named(&mut out, "status", (1, "New"));
    set(&mut out, "is_alert", true.into());
    out
}

fn uid(place: &Place, number: u64) -> String {
    format!("{}/{number}", place.hash)
}

fn title(session: &Session, finding: &Finding<'_>) -> String {
    let rule = session.facts.rule(finding);
    rule.and_then(|rule| rule.title.as_deref()).map_or_else(|| shown(&finding.rule), shown)
}

fn of(session: &Session, place: &Place, record: &str, finding: &Finding<'_>, title: &str, number: u64) -> Value {
    let mut out = begin(session, place, record, number, Some(severity_of(&session.facts, finding)));
    let mut analytic =
        json!({ "name": shown(&finding.rule), "type": "Rule", "type_id": 1, "uid": shown(&finding.rule) });
    let mut info = json!({
        "created_time": super::common::millis(place.at),
        "title": title,
        "types": [finding.verdict.as_str(), finding.reason.as_str()],
        "uid": uid(place, number),
    });
    if let Some(rule) = session.facts.rule(finding) {
        set(&mut analytic, "desc", shown(&rule.says).into());
        set(&mut info, "desc", shown(&rule.says).into());
    }
    set(&mut info, "analytic", analytic);
    set(&mut out, "finding_info", info);
    set(&mut out, "message", title.into());
    if let Some(help) = &finding.help {
        set(&mut out, "remediation", json!({ "desc": shown(help) }));
    }
    let mut own = json!({ "action": finding.action.as_str(), "verdict": finding.verdict.as_str() });
    if let Some(key) = &finding.key {
        set(&mut own, "key_digest", key.to_string().into());
    }
    if let Some(clause) = finding.clause {
        set(&mut own, "clause", clause.into());
    }
    if let Some(source) = &finding.source {
        set(&mut own, "source", shown(source).into());
    }
    set(&mut out, "unmapped", json!({ "interlock": own }));
    out
}

/// Names the call, and what became of it.
fn concerns(out: &mut Value, session: &Session, call: &Call) {
    let mut evidence = json!({ "actor": actor(session), "api": api(session, call) });
    if let Some(agent) = agent(session, call.decided.agent.as_deref()) {
        set(&mut evidence, "ai_agent", agent);
    }
    set(out, "evidences", json!([evidence]));
    control(out, session, call);
    let event = json!({ "type_name": "API Activity", "uid": call.place.hash.to_string() });
    if let Some(info) = out.get_mut("finding_info") {
        set(info, "related_events", json!([event]));
    }
}
