use std::collections::BTreeMap;

use super::*;
use crate::export::fixture::{self, HOSTILE, Pen};

/// Keeps requests.
#[derive(Debug, Default)]
struct Kept(Vec<String>);

impl Destination for Kept {
    fn request(&mut self, request: &str) -> io::Result<()> {
        self.0.push(request.to_owned());
        Ok(())
    }
}

fn exported(content: bool) -> String {
    let mut out = Vec::new();
    fixture::journal().export(content, &mut Otlp::new(Lines(&mut out), content));
    String::from_utf8(out).unwrap()
}

fn spans(requests: &str) -> Vec<Value> {
    let of = |line: &str| {
        let request: Value = serde_json::from_str(line).unwrap();
        request.pointer("/resourceSpans/0/scopeSpans/0/spans").and_then(Value::as_array).unwrap().clone()
    };
    requests.lines().flat_map(of).collect()
}

/// The attributes of a span or an event, each without the name of its type.
fn attributes(of: &Value) -> BTreeMap<String, Value> {
    let pair = |attribute: &Value| {
        let (_, value) = attribute["value"].as_object().unwrap().iter().next().unwrap();
        (attribute["key"].as_str().unwrap().to_owned(), value.clone())
    };
    of["attributes"].as_array().unwrap().iter().map(pair).collect()
}

#[test]
fn the_journal_is_exported_as_before() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/export/otlp/expected.jsonl");
    let now = exported(false);
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(path, &now).unwrap();
    }
    assert_eq!(now, include_str!("expected.jsonl"), "set UPDATE_SNAPSHOTS=1 and look at what changes");
}

#[test]
fn a_session_is_the_parent_of_its_calls() {
    let spans = spans(&exported(false));
    let of = |name: &'static str| spans.iter().filter(move |span| span["name"].as_str().unwrap().starts_with(name));
    let sessions: BTreeMap<&str, &Value> =
        of("invoke_agent billing").map(|span| (span["spanId"].as_str().unwrap(), span)).collect();
    assert_eq!(sessions.len(), 2);
    assert_eq!(of("execute_tool ").count(), 6);
    for call in of("execute_tool ") {
        let session = sessions[call["parentSpanId"].as_str().unwrap()];
        assert_eq!(session["traceId"], call["traceId"]);
        assert_eq!(attributes(session)["gen_ai.conversation.id"], attributes(call)["gen_ai.conversation.id"]);
        assert!(session["startTimeUnixNano"].as_str() <= call["startTimeUnixNano"].as_str());
        assert!(
            attributes(call)["interlock.record.hash"].as_str().unwrap().starts_with(call["spanId"].as_str().unwrap())
        );
    }
    // The session that another one started is in its trace, below it.
    let below: Vec<&&Value> = sessions.values().filter(|span| !span["parentSpanId"].is_null()).collect();
    assert_eq!(below.len(), 1);
    assert!(sessions.contains_key(below[0]["parentSpanId"].as_str().unwrap()));
}

#[test]
fn statuses_and_errors_say_what_became_of_calls() {
    let spans = spans(&exported(false));
    let calls = spans.iter().filter(|span| span["name"].as_str().unwrap().starts_with("execute_tool"));
    let told: Vec<String> = calls
        .map(|span| {
            let attributes = attributes(span);
            let text = |key: &str| attributes.get(key).map_or_else(|| "-".to_owned(), Value::to_string);
            let missing = text("interlock.outcome.missing");
            format!("{} {} {} {missing}", span["status"]["code"], text("error.type"), text("interlock.outcome.status"))
        })
        .collect();
    let expected = [
        "2 \"blocked\" - -",
        "0 - \"ok\" -",
        "2 \"needs_approval\" - -",
        "2 \"failed\" \"failed\" -",
        "2 \"blocked\" - -",
        "0 - - true",
    ];
    assert_eq!(told, expected);
}

#[test]
fn nothing_hostile_and_no_content_gets_through() {
    let text = exported(false);
    assert!(text.chars().all(|c| c == '\n' || !contract_lang::diagnostic::render::is_hidden(c)));
    let name = format!("execute_tool {}", super::super::text::shown(HOSTILE));
    assert!(spans(&text).iter().any(|span| span["name"] == name.as_str()));
    for secret in ["c4rd", "r3ceipt", "u1"] {
        assert!(!text.contains(secret), "{secret}");
    }
    let spans = spans(&exported(true));
    let of = |key: &str| spans.iter().find_map(|span| attributes(span).get(key).cloned()).unwrap();
    assert_eq!(of("gen_ai.tool.call.arguments"), "{\"invoice\":\"i7\",\"card\":\"c4rd\"}");
    assert_eq!(of("gen_ai.tool.call.result"), "{\"receipt\":\"r3ceipt\"}");
}

#[test]
fn requests_are_of_bounded_size() {
    let mut pen = Pen::default();
    pen.start("s", None);
    for _ in 0..1_100 {
        pen.decide("s", |call| call.ran = false);
    }
    let mut otlp = Otlp::new(Kept::default(), false);
    pen.export(false, &mut otlp);
    let spans = |request: &String| spans(request).len();
    assert_eq!(otlp.to.0.iter().map(spans).collect::<Vec<_>>(), [512, 512, 77]);

    let mut pen = Pen::default();
    for _ in 0..8 {
        pen.decide("s", |call| call.args.text = Some("x".repeat(300 << 10).into()));
    }
    let mut otlp = Otlp::new(Kept::default(), true);
    pen.export(true, &mut otlp);
    assert!(otlp.to.0.len() > 2);
    assert!(otlp.to.0.iter().all(|request| request.len() < BYTES + 1_000));
}
