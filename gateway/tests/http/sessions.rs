//! Sessions, and who may have one.

use std::thread;
use std::time::Duration;

use interlock_gateway::mcp::http::Options;

use crate::network::{Guard, Stub, call, initialize, names, result};

#[test]
fn messages_pass_byte_for_byte_and_a_blocked_call_does_not_reach_the_server() {
    let stub = Stub::plain();
    let guard = Guard::plain(&stub);
    let (mut client, session) = guard.begun();
    let own = [("Mcp-Session-Id", session.as_str()), ("X-Own", "kept"), ("Connection", "keep-alive")];
    let blocked = client.post(&own, &call(1, "write"));
    assert_eq!((blocked.status(), &blocked.json()["result"]["isError"]), (200, &true.into()));
    assert!(blocked.text().contains("did not run"), "{}", blocked.text());
    let read = client.post(&own, &call(2, "read"));
    assert_eq!(read.text(), result(&2.into()));
    assert_eq!(client.post(&own, &call(3, "write")).text(), result(&3.into()));
    assert_eq!((stub.calls("write"), stub.calls("read")), (1, 1));
    let heard = stub.heard.lock().unwrap();
    let last = heard.last().unwrap();
    assert_eq!((last.first.as_str(), &last.body), ("POST /mcp HTTP/1.1", &call(3, "write")));
    let headers = names(last);
    assert_eq!((headers["x-own"], headers["accept-encoding"]), ("kept", "identity"));
    assert_eq!(headers["host"], stub.address.to_string());
    assert!(!headers.contains_key("connection"));
}

#[test]
fn clients_do_not_see_each_others_state() {
    let stub = Stub::plain();
    let guard = Guard::plain(&stub);
    let (mut one, first) = guard.begun();
    let (mut other, second) = guard.begun();
    assert!(one.post(&[("Mcp-Session-Id", &first)], &call(1, "read")).ran());
    assert!(!other.post(&[("Mcp-Session-Id", &second)], &call(1, "write")).ran());
    assert!(one.post(&[("Mcp-Session-Id", &first)], &call(2, "pay")).ran());
    assert!(other.post(&[("Mcp-Session-Id", &second)], &call(2, "pay")).ran());
    assert!(!one.post(&[("Mcp-Session-Id", &first)], &call(3, "pay")).ran());
    assert_eq!(stub.calls("pay"), 2);
}

#[test]
fn sixty_four_clients_keep_their_isolation() {
    let stub = Stub::plain();
    let guard = Guard::plain(&stub);
    thread::scope(|scope| {
        for number in 0..64 {
            let guard = &guard;
            scope.spawn(move || {
                let (mut client, session) = guard.begun();
                let own = [("Mcp-Session-Id", session.as_str())];
                // Every id is used by everyone.
                for id in 1..6 {
                    assert!(!client.post(&own, &call(id, "write")).ran(), "{number}");
                }
                assert_eq!(client.post(&own, &call(7, "pay")).text(), result(&7.into()));
                assert!(!client.post(&own, &call(8, "pay")).ran());
                assert!(client.post(&own, &call(9, "read")).ran());
                assert!(client.post(&own, &call(10, "write")).ran());
            });
        }
    });
    assert_eq!((stub.calls("pay"), stub.calls("write")), (64, 64));
}

#[test]
fn a_session_that_nobody_knows_is_not_found() {
    let stub = Stub::plain();
    let guard = Guard::plain(&stub);
    let mut client = guard.client();
    let answer = client.post(&[("Mcp-Session-Id", "s99")], &call(1, "read"));
    assert_eq!((answer.status(), &answer.json()["id"]), (404, &1.into()));
    assert!(stub.heard.lock().unwrap().is_empty());
}

#[test]
fn without_a_session_nothing_is_decided() {
    let stub = Stub::plain();
    let guard = Guard::plain(&stub);
    let answer = guard.client().post(&[], &call(1, "read"));
    assert_eq!(answer.status(), 400);
    assert!(answer.text().contains("--session"), "{}", answer.text());
    assert!(stub.heard.lock().unwrap().is_empty());
}

#[test]
fn a_server_without_sessions_needs_another_key() {
    let stub = Stub::new(|heard, wire| wire.answer("200 OK", &[], result(&heard.json()["id"]).as_bytes()));
    let answer = Guard::plain(&stub).client().post(&[], &initialize(1));
    assert_eq!(answer.status(), 502);
    assert!(answer.text().contains("--session"), "{}", answer.text());
    let guard = Guard::keyed(&stub, "header:X-Run");
    assert_eq!(guard.client().post(&[("X-Run", "a")], &initialize(1)).status(), 200);
    assert_eq!(guard.client().post(&[], &initialize(1)).status(), 400);
}

#[test]
fn two_sessions_never_have_one_id() {
    let stub = Stub::new(|heard, wire| {
        wire.answer("200 OK", &[("mcp-session-id", "same")], result(&heard.json()["id"]).as_bytes());
    });
    let guard = Guard::plain(&stub);
    guard.begun();
    assert_eq!(guard.client().post(&[], &initialize(1)).status(), 502);
}

#[test]
fn a_header_a_key_in_meta_or_a_token_names_a_session() {
    let stub = Stub::plain();
    let meta = |id: u64, tool: &str, run: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","_meta":{{"run":"{run}"}}}}}}"#)
            .into_bytes()
    };
    for key in ["header:X-Run", "meta:run", "bearer"] {
        let guard = Guard::keyed(&stub, key);
        let before = stub.calls("pay");
        // Each on a connection of its own: connections are no sessions.
        let pay = |run: &str| match key {
            "meta:run" => guard.client().post(&[], &meta(1, "pay", run)),
            "bearer" => guard.client().post(&[("Authorization", &format!("Bearer {run}"))], &call(1, "pay")),
            _ => guard.client().post(&[("X-Run", run)], &call(1, "pay")),
        };
        assert!(pay("a").ran(), "{key}");
        assert!(pay("b").ran(), "{key}");
        assert!(!pay("a").ran(), "{key}");
        assert_eq!(stub.calls("pay"), before + 2, "{key}");
        assert_eq!(guard.client().post(&[], &call(1, "read")).status(), 400, "{key}");
    }
}

#[test]
fn a_session_keeps_its_name() {
    let stub = Stub::plain();
    let guard = Guard::keyed(&stub, "header:X-Run");
    let mut client = guard.client();
    let session = client.post(&[("X-Run", "a")], &initialize(1)).header("mcp-session-id").unwrap().to_owned();
    assert!(client.post(&[("X-Run", "a"), ("Mcp-Session-Id", &session)], &call(1, "pay")).ran());
    assert_eq!(client.post(&[("X-Run", "b"), ("Mcp-Session-Id", &session)], &call(2, "pay")).status(), 400);
    // Without the header it is the session that the id is of.
    assert!(!client.post(&[("Mcp-Session-Id", &session)], &call(3, "pay")).ran());
    // And one message alone is of the same session, by its name.
    assert!(!guard.client().post(&[("X-Run", "a")], &call(3, "pay")).ran());
}

#[test]
fn the_number_of_sessions_is_bounded() {
    let stub = Stub::plain();
    let guard = Guard::new(&stub, Options { most_sessions: 2, ..Options::default() });
    let (mut client, session) = guard.begun();
    guard.begun();
    assert_eq!(guard.client().post(&[], &initialize(1)).status(), 503);
    client.ask("DELETE", &[("Mcp-Session-Id", &session)], b"");
    assert_eq!(client.hear().unwrap().status(), 200);
    guard.begun();
    assert_eq!(client.post(&[("Mcp-Session-Id", &session)], &call(1, "read")).status(), 404);
}

#[test]
fn idle_sessions_end() {
    let stub = Stub::plain();
    let guard = Guard::new(&stub, Options { idle: Duration::from_millis(1), ..Options::default() });
    let (mut client, session) = guard.begun();
    loop {
        let answer = client.post(&[("Mcp-Session-Id", &session)], &call(1, "read"));
        if answer.status() == 404 {
            break;
        }
        assert!(answer.ran());
        thread::sleep(Duration::from_millis(150));
    }
}
