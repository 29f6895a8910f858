//! What both classes of events say in the same way.

use contract_runtime::journal::record::Finding;
use contract_runtime::{Decision, Mode, RefusalKind, Severity, Time};
use serde_json::{Value, json};

use super::attestation::{fingerprint, set};
use crate::export::facts::Facts;
use crate::export::join::Session;
use crate::export::text::shown;
use crate::export::{Call, Place};

/// The version of the schema.
const VERSION: &str = "1.9.0";

/// A number of the schema with its caption.
pub(super) type Named = (u64, &'static str);

/// A class, and what happened of it.
pub(super) struct Kind {
    pub(super) category: Named,
    pub(super) class: Named,
    pub(super) activity: Named,
    pub(super) profiles: &'static [&'static str],
}

/// An event of a class, without what only that class has.
pub(super) fn event(kind: &Kind, session: &Session, place: &Place, record: &str, number: Option<u64>) -> Value {
    let (class, activity) = (kind.class, kind.activity);
    let hash = place.hash.to_string();
    let uid = number.map_or_else(|| hash.clone(), |number| format!("{hash}/{number}"));
    json!({
        "activity_id": activity.0,
        "activity_name": activity.1,
        "category_name": kind.category.1,
        "category_uid": kind.category.0,
        "class_name": class.1,
        "class_uid": class.0,
        "type_name": format!("{}: {}", class.1, activity.1),
        "type_uid": class.0.saturating_mul(100).saturating_add(activity.0),
        "time": millis(place.at),
        "metadata": {
            "correlation_uid": shown(&session.name),
            "event_code": record,
            "log_format": "JSON",
            "log_name": format!("interlock.journal/{}", session.journal),
            "log_provider": "interlock",
            "log_version": "1",
            "original_event_uid": hash,
            "original_time": place.at.to_string(),
            "product": product(),
            "profiles": kind.profiles,
            "sequence": place.seq,
            "uid": uid,
            "version": VERSION,
        },
        // The record without its member `hash`, which is not exported.
        "raw_data_hash": fingerprint(&hash),
    })
}

fn product() -> Value {
    json!({ "name": "Interlock", "vendor_name": "Interlock", "version": env!("CARGO_PKG_VERSION") })
}

/// Milliseconds since the epoch (`timestamp_t`).
pub(super) fn millis(time: Time) -> i64 {
    i64::try_from(time.as_nanos().div_euclid(1_000_000)).unwrap_or_default()
}

/// Sets a number of the schema and its caption.
pub(super) fn named(event: &mut Value, name: &str, (id, caption): Named) {
    set(event, &format!("{name}_id"), id.into());
    set(event, name, caption.into());
}

/// Sets how bad it is.
pub(super) fn severity(event: &mut Value, worst: Option<Severity>) {
    let named = match worst {
        None | Some(Severity::Info) => (1, "Informational"),
        Some(Severity::Low) => (2, "Low"),
        Some(Severity::Medium) => (3, "Medium"),
        Some(Severity::High) => (4, "High"),
        Some(Severity::Critical) => (5, "Critical"),
    };
    self::named(event, "severity", named);
}

/// How bad the rule says that it is; a rule of an unknown contract counts as one that says nothing of it.
pub(super) fn severity_of(facts: &Facts, finding: &Finding<'_>) -> Severity {
    facts.rule(finding).map(|rule| rule.severity).unwrap_or_default()
}

/// Sets what the contract did with a call (profile `security_control`).
pub(super) fn control(event: &mut Value, session: &Session, call: &Call) {
    let decided = &call.decided;
    let (action, disposition) = match (decided.ran, decided.refusal, decided.decision) {
        (true, ..) if decided.approved => ((1, "Allowed"), (8, "Approved")),
        // In shadow mode the call runs although it would have been stopped.
        (true, _, Decision::Block | Decision::Ask | Decision::Alert) => ((3, "Observed"), (19, "Alert")),
        (true, _, Decision::Allow) if decided.original.is_some() => ((4, "Modified"), (11, "Corrected")),
        (true, _, Decision::Allow) => ((1, "Allowed"), (1, "Allowed")),
        (false, Some(RefusalKind::NeedsApproval), _) => ((2, "Denied"), (23, "Challenge")),
        (false, Some(RefusalKind::ApprovalDenied | RefusalKind::ApprovalExpired), _) => {
            ((2, "Denied"), (25, "Rejected"))
        }
        (false, ..) if !decided.evaluated => ((2, "Denied"), (27, "Error")),
        (false, ..) => ((2, "Denied"), (2, "Blocked")),
    };
    named(event, "action", action);
    named(event, "disposition", disposition);
    policy(event, session);
}

/// Sets the contract as the policy that applied.
pub(super) fn policy(event: &mut Value, session: &Session) {
    if let Some(start) = &session.start {
        let policy = json!({
            "is_applied": start.mode == Mode::Enforce,
            "name": shown(&start.contract.name),
            "type": "Contract",
            "uid": start.contract.sha256.to_string(),
        });
        set(event, "policy", policy);
    }
}

/// Who acts: the agent's session.
pub(super) fn actor(session: &Session) -> Value {
    let mut actor = json!({ "session": { "uid": shown(&session.name) } });
    if let Some(agent) = session.start.as_ref().and_then(|start| start.agent.as_ref()) {
        set(&mut actor, "app_name", shown(&agent.name).into());
    }
    actor
}

/// The agent, where the host named it.
pub(super) fn agent(session: &Session, sub_agent: Option<&str>) -> Option<Value> {
    let agent = session.start.as_ref().and_then(|start| start.agent.as_ref());
    let mut out = json!({ "instance_uid": shown(&session.name) });
    match (sub_agent, agent) {
        (Some(name), _) => set(&mut out, "name", shown(name).into()),
        (None, Some(agent)) => {
            set(&mut out, "name", shown(&agent.name).into());
            set(&mut out, "version", shown(&agent.version).into());
        }
        (None, None) => return None,
    }
    Some(out)
}

/// The call.
pub(super) fn api(session: &Session, call: &Call) -> Value {
    let decided = &call.decided;
    let number = || format!("{}/{}", session.name, decided.call);
    let uid = decided.id.as_deref().map_or_else(number, ToOwned::to_owned);
    let mut api = json!({ "operation": shown(&decided.tool), "request": { "uid": shown(&uid) } });
    if let Some(server) = &decided.server {
        set(&mut api, "service", json!({ "name": shown(server) }));
    }
    api
}
