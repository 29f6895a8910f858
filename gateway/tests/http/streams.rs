//! Streams of events.

use std::sync::Mutex;
use std::sync::mpsc;

use crate::network::{Guard, PATIENCE, Stub, call, plain, result};

/// A stub that answers tool calls with what a test says.
fn scripted(answer: impl Fn(&mut crate::network::Wire, &serde_json::Value) + Send + Sync + 'static) -> Stub {
    let sessions = Mutex::new(0);
    Stub::new(move |heard, wire| {
        let message = heard.json();
        if message["method"] == "tools/call" || heard.first.starts_with("GET") {
            answer(wire, &message["id"]);
        } else {
            plain(heard, wire, &sessions);
        }
    })
}

#[test]
fn an_event_arrives_before_the_next_one_is_sent() {
    let (go, wait) = mpsc::channel::<()>();
    let wait = Mutex::new(wait);
    let first = ": hi\r\n\r\nid: 7\nevent: message\nretry: 10\ndata: {\"jsonrpc\":\"2.0\",\ndata: \"method\":\"notifications/progress\"}\n\n";
    let stub = scripted(move |wire, id| {
        wire.stream();
        wire.put(first);
        wait.lock().unwrap().recv_timeout(PATIENCE).unwrap();
        wire.put(&format!("data: {}\n\n", result(id)));
        wire.put("");
    });
    let guard = Guard::plain(&stub);
    let (mut client, session) = guard.begun();
    client.ask("POST", &[("Mcp-Session-Id", &session)], &call(1, "read"));
    let head = client.head().unwrap();
    assert_eq!(head.header("content-type"), Some("text/event-stream"));
    let mut came = Vec::new();
    while came.len() < first.len() {
        came.extend(client.chunk());
    }
    assert_eq!(String::from_utf8(came).unwrap(), first);
    go.send(()).unwrap();
    assert_eq!(String::from_utf8(client.chunk()).unwrap(), format!("data: {}\n\n", result(&1.into())));
    assert!(client.chunk().is_empty());
}

#[test]
fn results_in_a_stream_count_and_are_withheld() {
    let stub = scripted(|wire, id| {
        wire.stream();
        // What nobody asked for, in the place of an answer.
        wire.put("data: {\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}\n\n");
        wire.put(&format!(
            "data: {{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"content\":[],\"isError\":true}}}}\n\n"
        ));
        wire.put("");
    });
    let guard = Guard::plain(&stub);
    let (mut client, session) = guard.begun();
    let own = [("Mcp-Session-Id", session.as_str())];
    let answer = client.post(&own, &call(1, "read"));
    assert!(answer.text().contains("isError") && !answer.text().contains("99"), "{}", answer.text());
    // The read failed, so it proves nothing.
    assert!(client.post(&own, &call(2, "write")).text().contains("did not run"));
}

#[test]
fn a_stream_that_ends_too_early_gets_an_answer() {
    let stub = scripted(|wire, _| {
        wire.stream();
        wire.put(": nothing\n\n");
        wire.put("");
    });
    let guard = Guard::plain(&stub);
    let (mut client, session) = guard.begun();
    let own = [("Mcp-Session-Id", session.as_str())];
    let answer = client.post(&own, &call(1, "pay"));
    assert!(answer.text().contains("nobody knows whether it ran"), "{}", answer.text());
    assert!(!client.post(&own, &call(2, "pay")).ran());
    assert_eq!(stub.calls("pay"), 1);
}

#[test]
fn an_answer_may_come_when_the_client_comes_back() {
    let stub = scripted(|wire, id| {
        wire.stream();
        if id.is_null() {
            wire.put(&format!("id: 2\ndata: {}\n\n", result(&1.into())));
        } else {
            wire.put("id: 1\nretry: 1\ndata: \n\n");
        }
        wire.put("");
    });
    let guard = Guard::plain(&stub);
    let (mut client, session) = guard.begun();
    let own = [("Mcp-Session-Id", session.as_str()), ("Last-Event-ID", "1")];
    assert_eq!(client.post(&own, &call(1, "read")).text(), "id: 1\nretry: 1\ndata: \n\n");
    client.ask("GET", &own, b"");
    let rest = client.hear().unwrap();
    assert_eq!(rest.text(), format!("id: 2\ndata: {}\n\n", result(&1.into())));
    let heard = stub.heard.lock().unwrap();
    assert_eq!(heard.last().unwrap().header("last-event-id"), Some("1"));
    drop(heard);
    // The answer counts.
    client.ask("POST", &own[..1], &call(2, "write"));
    assert_eq!(client.hear().unwrap().header("content-type"), Some("text/event-stream"));
    assert_eq!(stub.calls("write"), 1);
}

#[test]
fn what_the_server_says_by_itself_comes_as_it_is() {
    let (go, wait) = mpsc::channel::<()>();
    let wait = Mutex::new(wait);
    let note = "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n";
    let stub = scripted(move |wire, _| {
        wire.stream();
        wire.put(note);
        let _ = wait.lock().unwrap().recv_timeout(PATIENCE);
    });
    let guard = Guard::plain(&stub);
    let (mut client, session) = guard.begun();
    client.ask("GET", &[("Mcp-Session-Id", &session)], b"");
    assert_eq!(client.head().unwrap().status(), 200);
    assert_eq!(client.chunk(), note.as_bytes());
    // A stream without an end does not keep the guard from ending.
    assert_eq!(guard.end(), 15);
    drop(go);
}
