//! The spans: one for each call, as OpenTelemetry's conventions for generative AI describe the execution of a tool
//! (semantic-conventions-genai 0.1.0, in development), and one for each session.

use contract_runtime::Status;
use contract_runtime::journal::record::{Content, Decided, Finding, Outcome};
use serde_json::{Value, json};

use super::value::{Attributes, nanos};
use crate::export::facts::Facts;
use crate::export::join::{Session, start};
use crate::export::text::{hex, shown};
use crate::export::{Call, KIND_DECISION, Place, is_alarm};
use crate::output::inert;

/// `SPAN_KIND_INTERNAL`.
const INTERNAL: u8 = 1;
/// `STATUS_CODE_ERROR`.
const ERROR: u8 = 2;
/// A call that ended well keeps the status unset: `OK` is for the application to say.
const UNSET: u8 = 0;

/// How many findings of a call become events.
const EVENTS: usize = 128;

/// The span of a call.
pub(super) fn of_call(session: &Session, call: &Call, content: bool) -> Value {
    let decided = &call.decided;
    let outcome = call.outcome.as_ref();
    let end = outcome.map_or(call.place.at, |(place, _)| place.at.max(call.place.at));
    let mut events: Vec<Value> = Vec::new();
    let mut found = call.findings();
    for (place, finding) in found.by_ref().take(EVENTS) {
        let kind = if place.seq == call.place.seq { KIND_DECISION } else { "outcome" };
        events.push(event(place, kind, finding, &session.facts));
    }
    let (code, error) = status(decided, outcome.map(|(_, outcome)| outcome));
    let mut span = json!({
        "traceId": hex(&session.trace),
        "spanId": hex(&start::<8>(&call.place.hash.0)),
        "parentSpanId": hex(&session.span),
        "name": format!("execute_tool {}", shown(&decided.tool)),
        "kind": INTERNAL,
        "startTimeUnixNano": nanos(call.place.at),
        "endTimeUnixNano": nanos(end),
        "attributes": attributes(session, call, error, content).into_json(),
        "events": events,
        "droppedEventsCount": found.count(),
    });
    set_status(&mut span, code, error.map(|error| message(&decided.tool, error)));
    span
}

/// The status of a call's span, and the class of its error.
fn status(decided: &Decided<'_>, outcome: Option<&Outcome<'_>>) -> (u8, Option<&'static str>) {
    if !decided.ran {
        return (ERROR, Some(decided.refusal.map_or("blocked", |kind| kind.as_str())));
    }
    match outcome.map(|outcome| outcome.status) {
        Some(Status::Failed) => (ERROR, Some("failed")),
        Some(Status::Ok | Status::Unknown) | None => (UNSET, None),
    }
}

fn message(tool: &str, error: &str) -> String {
    let tool = shown(tool);
    if error == "failed" { format!("`{tool}` failed") } else { format!("`{tool}` did not run: {error}") }
}

fn set_status(span: &mut Value, code: u8, message: Option<String>) {
    let status = match message {
        Some(message) => json!({ "code": code, "message": message }),
        None => json!({ "code": code }),
    };
    if let Some(span) = span.as_object_mut() {
        span.insert("status".to_owned(), status);
    }
}

fn attributes(session: &Session, call: &Call, error: Option<&str>, content: bool) -> Attributes {
    let decided = &call.decided;
    let mut out = Attributes::default();
    out.exact("gen_ai.operation.name", "execute_tool")
        .text("gen_ai.tool.name", Some(&decided.tool))
        .text("gen_ai.tool.call.id", decided.id.as_deref());
    conversation(&mut out, session, decided.agent.as_deref());
    if let Some(error) = error {
        out.exact("error.type", error);
    }
    if decided.server.is_some() {
        out.exact("mcp.method.name", "tools/call");
    }
    if content {
        captured(&mut out, "gen_ai.tool.call.arguments", Some(&decided.args));
        let result = call.outcome.as_ref().and_then(|(_, outcome)| outcome.result.as_ref());
        captured(&mut out, "gen_ai.tool.call.result", result);
    }
    place(&mut out, session, &call.place);
    contract(&mut out, session);
    let stopped: Vec<&str> = call.findings().filter(|(_, f)| is_alarm(f)).map(|(_, f)| &*f.rule).collect();
    let unique: std::collections::BTreeSet<&str> = stopped.into_iter().collect();
    let rules: Vec<&str> = unique.into_iter().take(EVENTS).collect();
    out.integer("interlock.call", Some(decided.call))
        .integer("interlock.batch", decided.batch)
        .text("interlock.server", decided.server.as_deref())
        .exact("interlock.decision", decided.decision.as_str())
        .exact("interlock.effect", decided.effect.as_str())
        .flag("interlock.ran", decided.ran)
        .flag("interlock.evaluated", decided.evaluated)
        .flag("interlock.after_divergence", decided.after_divergence)
        .flag("interlock.approved", decided.approved)
        .text("interlock.refusal", decided.refusal.map(|kind| kind.as_str()))
        .texts("interlock.rules", &rules)
        .exact("interlock.args.digest", &decided.args.digest.to_string())
        .exact("interlock.args.form", decided.args.form.as_str())
        .flag("interlock.args.rewritten", decided.original.is_some());
    match &call.outcome {
        Some((place, outcome)) => outcome_of(&mut out, place, outcome),
        None if decided.ran => {
            out.flag("interlock.outcome.missing", true);
        }
        None => (),
    }
    out
}

fn outcome_of(out: &mut Attributes, place: &Place, outcome: &Outcome<'_>) {
    out.exact("interlock.outcome.status", outcome.status.as_str())
        .exact("interlock.outcome.shown", outcome.shown.as_str())
        .flag("interlock.outcome.evaluated", outcome.evaluated)
        .integer("interlock.outcome.seq", Some(place.seq))
        .exact("interlock.outcome.hash", &place.hash.to_string());
    if let Some(result) = &outcome.result {
        out.exact("interlock.result.digest", &result.digest.to_string())
            .exact("interlock.result.form", result.form.as_str());
    }
}

/// The JSON text of what was captured.
fn captured(out: &mut Attributes, key: &str, content: Option<&Content<'_>>) {
    if let Some(text) = content.and_then(|content| content.text.as_deref()) {
        out.exact(key, &inert(text));
    }
}

/// Whose call it is, in the conventions' words.
fn conversation(out: &mut Attributes, session: &Session, sub_agent: Option<&str>) {
    let agent = session.start.as_ref().and_then(|start| start.agent.as_ref());
    out.text("gen_ai.conversation.id", Some(&session.name));
    match (sub_agent, agent) {
        (Some(name), _) => out.text("gen_ai.agent.name", Some(name)),
        (None, Some(agent)) => {
            out.text("gen_ai.agent.name", Some(&agent.name)).text("gen_ai.agent.version", Some(&agent.version))
        }
        (None, None) => out,
    };
}

/// Which record says so.
fn place(out: &mut Attributes, session: &Session, place: &Place) {
    out.exact("interlock.journal", &session.journal.to_string())
        .integer("interlock.seq", Some(place.seq))
        .exact("interlock.record.hash", &place.hash.to_string());
}

fn contract(out: &mut Attributes, session: &Session) {
    if let Some(start) = &session.start {
        out.text("interlock.contract.name", Some(&start.contract.name))
            .exact("interlock.contract.sha256", &start.contract.sha256.to_string())
            .exact("interlock.mode", start.mode.as_str());
    }
}

/// A finding as an event of a span.
fn event(place: &Place, kind: &str, finding: &Finding<'_>, facts: &Facts) -> Value {
    let mut out = Attributes::default();
    out.text("interlock.rule", Some(&finding.rule))
        .exact("interlock.verdict", finding.verdict.as_str())
        .exact("interlock.action", finding.action.as_str())
        .exact("interlock.reason", finding.reason.as_str())
        .text("interlock.severity", facts.rule(finding).map(|rule| rule.severity.as_str()))
        .integer("interlock.clause", finding.clause)
        .text("interlock.source", finding.source.as_deref())
        .text("interlock.help", finding.help.as_deref())
        .text("interlock.key.digest", finding.key.map(|key| key.to_string()).as_deref())
        .exact("interlock.record.kind", kind)
        .integer("interlock.seq", Some(place.seq))
        .exact("interlock.record.hash", &place.hash.to_string());
    json!({ "timeUnixNano": nanos(place.at), "name": "interlock.finding", "attributes": out.into_json() })
}

/// The span of a session, the parent of those of its calls.
pub(super) fn of_session(session: &Session) -> Value {
    let agent = session.start.as_ref().and_then(|start| start.agent.as_ref());
    let name = match agent {
        Some(agent) => format!("invoke_agent {}", shown(&agent.name)),
        None => "invoke_agent".to_owned(),
    };
    let mut out = Attributes::default();
    out.exact("gen_ai.operation.name", "invoke_agent");
    conversation(&mut out, session, None);
    place(&mut out, session, &session.first);
    contract(&mut out, session);
    if let Some(start) = &session.start {
        out.flag("interlock.session.resumed", start.resumed)
            .text("interlock.session.parent", start.parent.as_deref())
            .text("interlock.surface", start.surface.as_deref())
            .text("interlock.program", Some(&start.program));
    } else {
        out.flag("interlock.session.start_missing", true);
    }
    match &session.end {
        Some(end) => {
            out.integer("interlock.end.seq", Some(end.seq)).exact("interlock.end.record.hash", &end.hash.to_string())
        }
        None => out.flag("interlock.session.end_missing", true),
    };
    let events = session.notes.iter().map(|(place, kind, finding)| event(place, kind, finding, &session.facts));
    let mut span = json!({
        "traceId": hex(&session.trace),
        "spanId": hex(&session.span),
        "name": name,
        "kind": INTERNAL,
        "startTimeUnixNano": nanos(session.first.at),
        "endTimeUnixNano": nanos(session.end.map_or(session.latest, |end| end.at).max(session.first.at)),
        "attributes": out.into_json(),
        "events": events.collect::<Vec<_>>(),
        "droppedEventsCount": session.more_notes.min(u32::MAX.into()),
    });
    let left_open = session.notes.iter().any(|(_, kind, finding)| *kind == "session_end" && is_alarm(finding));
    let (code, message) =
        if left_open { (ERROR, Some("rules are violated at the end".to_owned())) } else { (UNSET, None) };
    set_status(&mut span, code, message);
    if let (Some(parent), Some(span)) = (&session.parent, span.as_object_mut()) {
        span.insert("parentSpanId".to_owned(), hex(parent).into());
    }
    span
}
