//! Calls that the client's person is asked about.

use serde_json::{Value, json};

use interlock_gateway::mcp::http::Options;

use crate::network::{Guard, Stub, Wire, call, result};

const CONTRACT: &str = "
version: 1
name: approvals
tools: { pay: { effect: irreversible } }
rules:
  - id: ask-first
    forbid: pay
    action: ask
";

fn guard(stub: &Stub) -> Guard {
    Guard::with(&format!("http://{}/mcp", stub.address), CONTRACT, Options::default())
}

/// The message in the next event.
fn event(client: &mut Wire) -> Value {
    let chunk = String::from_utf8(client.chunk()).unwrap();
    let data: Vec<&str> = chunk.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
    serde_json::from_str(&data.join("\n")).unwrap()
}

fn asked(client: &mut Wire, session: &str, id: u64) -> Value {
    client.ask("POST", &[("Mcp-Session-Id", session)], &call(id, "pay"));
    assert_eq!(client.head().unwrap().header("content-type"), Some("text/event-stream"));
    let question = event(client);
    assert_eq!(question["method"], "elicitation/create");
    question["id"].clone()
}

fn say(guard: &Guard, session: &str, ticket: &Value, action: &str) -> u16 {
    let answer = json!({"jsonrpc": "2.0", "id": ticket, "result": {"action": action, "content": {}}}).to_string();
    guard.client().post(&[("Mcp-Session-Id", session)], answer.as_bytes()).status()
}

#[test]
fn an_approved_call_runs_and_answers_in_the_stream() {
    let stub = Stub::plain();
    let guard = guard(&stub);
    let (mut client, session) = guard.begun();
    let ticket = asked(&mut client, &session, 1);
    assert_eq!(stub.calls("pay"), 0);
    assert_eq!(say(&guard, &session, &ticket, "accept"), 202);
    assert_eq!(event(&mut client), serde_json::from_str::<Value>(&result(&1.into())).unwrap());
    assert!(client.chunk().is_empty());
    assert_eq!(stub.calls("pay"), 1);
    // It was for one call.
    asked(&mut client, &session, 2);
    assert_eq!(stub.calls("pay"), 1);
}

#[test]
fn a_declined_call_does_not_run() {
    let stub = Stub::plain();
    let guard = guard(&stub);
    let (mut client, session) = guard.begun();
    let ticket = asked(&mut client, &session, 1);
    assert_eq!(say(&guard, &session, &ticket, "decline"), 202);
    let answer = event(&mut client);
    assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!(1), &json!(true)));
    assert_eq!(stub.calls("pay"), 0);
}

#[test]
fn nobody_else_can_answer() {
    let stub = Stub::plain();
    let guard = guard(&stub);
    let (mut client, session) = guard.begun();
    let (_, other) = guard.begun();
    let ticket = asked(&mut client, &session, 1);
    // It is an answer to nothing there, which is for the server to see.
    say(&guard, &other, &ticket, "accept");
    assert_eq!(stub.calls("pay"), 0);
    assert_eq!(say(&guard, &session, &ticket, "accept"), 202);
    assert_eq!(event(&mut client)["id"], 1);
}

#[test]
fn an_answer_after_the_client_is_gone_runs_nothing() {
    let stub = Stub::plain();
    let guard = guard(&stub);
    let (mut client, session) = guard.begun();
    let ticket = asked(&mut client, &session, 1);
    drop(client);
    // The guard notices when it does; until then, the answer may find the call waiting, but nobody is there for its result.
    let mut probe = guard.client();
    while !probe.post(&[("Mcp-Session-Id", &session)], br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).ran() {
        std::thread::yield_now();
    }
    say(&guard, &session, &ticket, "accept");
    assert_eq!(stub.calls("pay"), 0);
}
