//! A call as API Activity.

use contract_runtime::journal::record::Content;
use contract_runtime::{Effect, Severity, Status};
use serde_json::{Map, Value, json};

use super::attestation::set;
use super::common::{Kind, Named, actor, agent, api, control, event, millis, named, severity, severity_of};
use crate::export::join::{Session, start};
use crate::export::text::{hex, shown};
use crate::export::{Call, KIND_DECISION, is_alarm};
use crate::output::inert;

/// What a call does: an irreversible one is not always a deletion, and has no number in the schema.
fn activity(effect: Effect) -> Named {
    match effect {
        Effect::Read => (2, "Read"),
        Effect::Write => (3, "Update"),
        Effect::Irreversible => (99, "Irreversible"),
    }
}

pub(super) fn of(session: &Session, call: &Call, content: bool) -> Value {
    let decided = &call.decided;
    let kind = Kind {
        category: (6, "Application Activity"),
        class: (6003, "API Activity"),
        activity: activity(decided.effect),
        profiles: &["ai_operation", "record_integrity", "security_control", "trace"],
    };
    let mut out = event(&kind, session, &call.place, KIND_DECISION, None);
    let worst =
        call.findings().filter(|(_, found)| is_alarm(found)).map(|(_, found)| severity_of(&session.facts, found));
    // What was stopped by no rule is as bad as a rule that says nothing of it.
    let otherwise = (!decided.ran).then_some(Severity::Medium);
    let worst = worst.max().or(otherwise);
    severity(&mut out, worst);
    control(&mut out, session, call);
    set(&mut out, "is_alert", worst.is_some().into());
    set(&mut out, "actor", actor(session));
    if let Some(agent) = agent(session, decided.agent.as_deref()) {
        set(&mut out, "ai_agent", agent);
    }
    set(&mut out, "api", with_response(api(session, call), call, content));
    set(&mut out, "src_endpoint", source(session));
    if let Some(server) = &decided.server {
        set(&mut out, "dst_endpoint", json!({ "svc_name": shown(server) }));
    }
    let (status, code, message) = status(call);
    named(&mut out, "status", status);
    set(&mut out, "status_code", code.into());
    set(&mut out, "message", message.into());
    set(&mut out, "trace", trace(session, call));
    set(&mut out, "unmapped", unmapped(call));
    out
}

/// How it ended: number and caption, the word of the journal, a sentence.
fn status(call: &Call) -> (Named, &'static str, String) {
    let tool = shown(&call.decided.tool);
    if !call.decided.ran {
        let kind = call.decided.refusal.map_or("blocked", |kind| kind.as_str());
        return ((2, "Failure"), kind, format!("`{tool}` did not run: {kind}"));
    }
    match call.outcome.as_ref().map(|(_, outcome)| outcome.status) {
        Some(Status::Ok) => ((1, "Success"), "ok", format!("`{tool}` ran")),
        Some(Status::Failed) => ((2, "Failure"), "failed", format!("`{tool}` failed")),
        Some(Status::Unknown) => ((0, "Unknown"), "unknown", format!("`{tool}` ran, and nobody knows how it ended")),
        None => ((0, "Unknown"), "no_outcome", format!("`{tool}` was let run, and no outcome is recorded")),
    }
}

/// The schema wants to know where a call comes from, and a journal knows no addresses.
fn source(session: &Session) -> Value {
    let start = session.start.as_ref();
    let agent = start.and_then(|start| start.agent.as_ref()).map_or_else(|| "agent".to_owned(), |a| shown(&a.name));
    let mut source = json!({ "svc_name": agent });
    if let Some(surface) = start.and_then(|start| start.surface.as_deref()) {
        set(&mut source, "name", shown(surface).into());
    }
    source
}

/// Adds the response, and with `content` what was captured of both.
fn with_response(mut api: Value, call: &Call, content: bool) -> Value {
    let text = |of: Option<&Content<'_>>| of.filter(|_| content).and_then(|of| of.text.as_deref()).map(inert);
    if let (Some(args), Some(request)) = (text(Some(&call.decided.args)), api.get_mut("request")) {
        set(request, "data", json!({ "arguments": args }));
    }
    let Some((_, outcome)) = &call.outcome else { return api };
    let mut response = json!({ "message": outcome.status.as_str() });
    if outcome.status == Status::Failed {
        set(&mut response, "error", "failed".into());
    }
    if let Some(result) = text(outcome.result.as_ref()) {
        set(&mut response, "data", json!({ "result": result }));
    }
    set(&mut api, "response", response);
    api
}

/// The span that `--to otlp` makes of the same call.
fn trace(session: &Session, call: &Call) -> Value {
    let end = call.outcome.as_ref().map_or(call.place.at, |(place, _)| place.at.max(call.place.at));
    json!({
        "uid": hex(&session.trace),
        "span": {
            "end_time": millis(end),
            "parent_uid": hex(&session.span),
            "start_time": millis(call.place.at),
            "uid": hex(&start::<8>(&call.place.hash.0)),
        },
    })
}

/// What the schema has no place for.
fn unmapped(call: &Call) -> Value {
    let decided = &call.decided;
    let mut out = Map::new();
    let mut put = |name: &str, value: Value| out.insert(name.to_owned(), value);
    put("after_divergence", decided.after_divergence.into());
    put("approved", decided.approved.into());
    put("args_digest", decided.args.digest.to_string().into());
    put("args_form", decided.args.form.as_str().into());
    put("call", decided.call.into());
    put("decision", decided.decision.as_str().into());
    put("effect", decided.effect.as_str().into());
    put("evaluated", decided.evaluated.into());
    if let Some(batch) = decided.batch {
        put("batch", batch.into());
    }
    if let Some((place, outcome)) = &call.outcome {
        put("outcome_hash", place.hash.to_string().into());
        put("outcome_seq", place.seq.into());
        put("shown", outcome.shown.as_str().into());
        if let Some(result) = &outcome.result {
            put("result_digest", result.digest.to_string().into());
            put("result_form", result.form.as_str().into());
        }
    }
    json!({ "interlock": out })
}
