//! Both eras of the protocol, and what requests may not look like.

use interlock_gateway::mcp::http::Options;

use crate::network::{Guard, Stub, call, result};

/// A call in the protocol without sessions.
fn stateless(id: u64, tool: &str, args: &str) -> Vec<u8> {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{args},"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}}}}"#
    )
    .into_bytes()
}

fn headers<'h>(tool: &'h str, run: &'h str) -> Vec<(&'h str, &'h str)> {
    vec![("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", tool), ("X-Run", run)]
}

#[test]
fn a_protocol_without_sessions_is_refused_where_no_key_is_configured() {
    let stub = Stub::plain();
    let guard = Guard::plain(&stub);
    let answer = guard.client().post(&headers("read", "a"), &stateless(1, "read", "{}"));
    assert_eq!((answer.status(), &answer.json()["error"]["code"]), (400, &(-32012).into()));
    assert!(answer.text().contains("--session"), "{}", answer.text());
    assert!(stub.heard.lock().unwrap().is_empty());
}

#[test]
fn calls_without_sessions_count_for_their_key() {
    let stub = Stub::plain();
    let guard = Guard::keyed(&stub, "header:X-Run");
    let mut client = guard.client();
    assert_eq!(client.post(&headers("pay", "a"), &stateless(1, "pay", "{}")).text(), result(&1.into()));
    assert!(!client.post(&headers("pay", "a"), &stateless(1, "pay", "{}")).ran());
    assert!(client.post(&headers("pay", "b"), &stateless(1, "pay", "{}")).ran());
    assert_eq!(stub.calls("pay"), 2);
}

#[test]
fn headers_that_say_something_else_are_refused() {
    let stub = Stub::plain();
    let guard = Guard::keyed(&stub, "header:X-Run");
    let mut client = guard.client();
    for (at, value) in
        [(0, "2025-11-25"), (1, "tools/list"), (2, "read"), (2, "=?base64?cmVhZA==?="), (2, "=?base64?!?=")]
    {
        let mut lines = headers("drop", "a");
        lines[at].1 = value;
        let answer = client.post(&lines, &stateless(1, "drop", "{}"));
        assert_eq!((answer.status(), &answer.json()["error"]["code"]), (400, &(-32020).into()), "{value}");
        assert_eq!(answer.json()["id"], 1);
    }
    for at in 0..3 {
        let mut lines = headers("read", "a");
        lines.remove(at);
        assert_eq!(client.post(&lines, &stateless(1, "read", "{}")).status(), 400, "{at}");
    }
    assert!(stub.heard.lock().unwrap().is_empty());
    // It is the message that is decided about.
    assert!(client.post(&headers("drop", "a"), &stateless(1, "drop", "{}")).text().contains("did not run"));
    assert!(client.post(&headers("=?base64?cmVhZA==?=", "a"), &stateless(1, "read", "{}")).ran());
}

#[test]
fn mirrored_arguments_are_what_the_call_says_also_after_a_change() {
    let contract = "
version: 1
name: regions
tools: { query: { effect: read } }
rules:
  - id: at-home
    call: query
    rewrite: { args.region: '\"home\"' }
";
    let tools = r#"{"jsonrpc":"2.0","id":9,"result":{"tools":[{"name":"query","inputSchema":{"properties":{"region":{"type":"string","x-mcp-header":"Region"}}}}]}}"#;
    let stub = Stub::new(move |heard, wire| match heard.json()["method"].as_str() {
        Some("tools/list") => wire.answer("200 OK", &[], tools.as_bytes()),
        _ => wire.answer("200 OK", &[], result(&heard.json()["id"]).as_bytes()),
    });
    let options = Options { key: "header:X-Run".parse_key(), ..Options::default() };
    let guard = Guard::with(&format!("http://{}/mcp", stub.address), contract, options);
    let mut client = guard.client();
    let call = stateless(1, "query", r#"{"region":"eu"}"#);
    let mut lines = headers("query", "a");
    lines.push(("Mcp-Param-Region", "eu"));
    // Which argument it is that the header mirrors is known only when the tool was listed.
    assert_eq!(client.post(&lines, &call).json()["error"]["code"], -32020);
    let list = br#"{"jsonrpc":"2.0","id":9,"method":"tools/list"}"#;
    assert_eq!(client.post(&[("X-Run", "a")], list).status(), 200);
    let mut wrong = headers("query", "a");
    wrong.push(("Mcp-Param-Region", "us"));
    assert_eq!(client.post(&wrong, &call).json()["error"]["code"], -32020);
    wrong.pop();
    wrong.push(("Mcp-Param-Other", "eu"));
    assert_eq!(client.post(&wrong, &call).json()["error"]["code"], -32020);
    assert!(client.post(&lines, &call).ran());
    let heard = stub.heard.lock().unwrap();
    let last = heard.last().unwrap();
    assert_eq!(last.json()["params"]["arguments"]["region"], "home");
    assert_eq!(last.header("mcp-param-region"), Some("home"));
}

#[test]
fn batches_and_broken_messages_are_refused() {
    let stub = Stub::plain();
    let guard = Guard::plain(&stub);
    let (mut client, session) = guard.begun();
    let before = stub.heard.lock().unwrap().len();
    let own = [("Mcp-Session-Id", session.as_str())];
    let batch = [b"[".as_slice(), &call(1, "drop"), b"]"].concat();
    let answer = client.post(&own, &batch);
    assert_eq!((answer.status(), &answer.json()["error"]["code"]), (400, &(-32600).into()));
    for body in ["", "{", "[]", "null", r#"{"jsonrpc":"2.0","id":{},"method":"tools/call"}"#, "\u{feff}{}"] {
        let answer = client.post(&own, body.as_bytes());
        assert_eq!((answer.status(), &answer.json()["id"]), (400, &serde_json::Value::Null), "{body}");
    }
    assert_eq!(stub.heard.lock().unwrap().len(), before);
}

#[test]
fn requests_that_two_readers_could_read_differently_are_refused() {
    let stub = Stub::plain();
    let guard = Guard::plain(&stub);
    let (_, session) = guard.begun();
    let before = stub.heard.lock().unwrap().len();
    let own = ("Mcp-Session-Id", session.as_str());
    let body = call(1, "read");
    let length = body.len().to_string();
    let odd: [&[(&str, &str)]; 8] = [
        &[own, own],
        &[own, ("Mcp-Method", "tools/call"), ("Mcp-Method", "tools/call")],
        &[own, ("Content-Length", &length), ("Content-Length", "3")],
        &[own, ("Transfer-Encoding", "chunked"), ("Content-Length", &length)],
        &[own, ("Transfer-Encoding", "chunked, identity")],
        &[own, ("Transfer-Encoding", "xchunked")],
        &[own, ("Connection", "mcp-session-id")],
        &[own, ("Content-Type", "text/plain")],
    ];
    for headers in odd {
        let mut client = guard.client();
        client.ask("POST", headers, &body);
        let status = client.hear().map(|heard| heard.status());
        assert!(status.is_none_or(|status| (400..500).contains(&status)), "{headers:?}: {status:?}");
    }
    assert_eq!(stub.heard.lock().unwrap().len(), before);
}

#[test]
fn pages_and_other_hosts_are_turned_away() {
    let stub = Stub::plain();
    let options = Options {
        hosts: vec!["guard.example".to_owned()],
        origins: vec!["https://app.example".to_owned()],
        ..Options::default()
    };
    let guard = Guard::new(&stub, options);
    let (_, session) = guard.begun();
    let post = |headers: &[(&str, &str)]| {
        let headers = [&[("Mcp-Session-Id", session.as_str())], headers].concat();
        guard.client().post(&headers, &call(1, "read"))
    };
    for host in ["evil.example", "evil.example:80", "127.0.0.1.evil.example"] {
        assert_eq!(post(&[("Host", host)]).status(), 403, "{host}");
    }
    for origin in ["null", "http://evil.example", "http://localhost"] {
        assert_eq!(post(&[("Origin", origin)]).status(), 403, "{origin}");
    }
    assert!(post(&[("Host", "Guard.example:8080")]).ran());
    assert!(post(&[("Host", &guard.address.to_string())]).ran());
    let answer = post(&[("Origin", "https://app.example")]);
    assert_eq!(answer.header("access-control-allow-origin"), Some("https://app.example"));
    let mut client = guard.client();
    client.say(format!(
        "POST /sse HTTP/1.1\r\nHost: localhost\r\nMcp-Session-Id: {session}\r\nContent-Length: 0\r\n\r\n"
    ));
    assert_eq!(client.hear().unwrap().status(), 404);
    client.say("POST http://evil.example/mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
    assert_eq!(client.hear().unwrap().status(), 403);
}

trait ParseKey {
    fn parse_key(&self) -> interlock_gateway::mcp::http::SessionKey;
}

impl ParseKey for str {
    fn parse_key(&self) -> interlock_gateway::mcp::http::SessionKey {
        interlock_gateway::mcp::http::SessionKey::parse(self).unwrap()
    }
}
