//! What the guard costs over HTTP: 64 clients that keep their connections, against a server that answers at once; through the
//! guard, through a relay that reads nothing but where messages end, and without either. In turns, in one run.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a benchmark that fails shows where")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use contract_lang::interpret::Interpreted;
use contract_runtime::Session;
use interlock_gateway::mcp::Settings;
use interlock_gateway::mcp::http::{Guarded, Options, Upstream};

const CLIENTS: usize = 64;

/// How long each turn takes.
const TURN: Duration = Duration::from_secs(2);

const TURNS: usize = 5;

const CONTRACT: &str = "
version: 1
name: ten
tools:
  read: { effect: read }
  write: { effect: write }
  delete: { effect: write }
  drop: { effect: write }
  close: { effect: write }
instances: { max: 10000 }
rules:
  - { id: r1, must_precede: { first: read, then: write } }
  - { id: r2, must_precede: { first: read, then: write }, per: args.path }
  - { id: r3, at_most_n_times: { call: write, n: 1000000 } }
  - { id: r4, at_most_n_times: { call: read, n: 100000000 } }
  - { id: r5, forbid: delete }
  - { id: r6, forbid: drop }
  - { id: r7, never_after: { call: read, after: close } }
  - { id: r8, never_after: { call: write, after: close } }
  - { id: r9, call: read, require: 'args.path != \"/etc/passwd\"' }
  - { id: r10, call: read, require: 'not starts_with(args.path, \"/root\")' }
";

/// A message on the wire: its head, and its body.
fn message(from: &mut BufReader<TcpStream>, wire: &mut Vec<u8>) -> Option<usize> {
    wire.clear();
    let mut length = 0;
    loop {
        let start = wire.len();
        if from.read_until(b'\n', wire).ok()? == 0 {
            return None;
        }
        let line = &wire[start..];
        if line == b"\r\n" {
            break;
        }
        if line.len() > 15 && line[..15].eq_ignore_ascii_case(b"content-length:") {
            length = std::str::from_utf8(&line[15..]).unwrap().trim().parse().unwrap();
        }
    }
    let head = wire.len();
    wire.resize(head + length, 0);
    from.read_exact(&mut wire[head..]).ok()?;
    Some(head)
}

fn listen(serve: impl Fn(TcpStream) + Send + Sync + Copy + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let stream = stream.unwrap();
            stream.set_nodelay(true).unwrap();
            thread::spawn(move || serve(stream));
        }
    });
    address
}

/// A server that answers at once.
fn stub(stream: TcpStream) {
    let mut from = BufReader::new(stream);
    let mut wire = Vec::new();
    let mut sessions = 0;
    while let Some(head) = message(&mut from, &mut wire) {
        let body: serde_json::Value = serde_json::from_slice(&wire[head..]).unwrap();
        let port = from.get_ref().peer_addr().unwrap().port();
        let session = if body["method"] == "initialize" {
            sessions += 1;
            format!("mcp-session-id: s{port}-{sessions}\r\n")
        } else {
            String::new()
        };
        let answer = format!(
            r#"{{"jsonrpc":"2.0","id":{},"result":{{"content":[{{"type":"text","text":"done"}}]}}}}"#,
            body["id"]
        );
        let wire = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n{session}content-length: {}\r\n\r\n{answer}",
            answer.len()
        );
        from.get_mut().write_all(wire.as_bytes()).unwrap();
    }
}

/// Passes messages on, whatever they are.
fn relay(stream: TcpStream, to: SocketAddr) {
    let server = TcpStream::connect(to).unwrap();
    server.set_nodelay(true).unwrap();
    let (mut client, mut server) = (BufReader::new(stream), BufReader::new(server));
    let mut wire = Vec::new();
    while message(&mut client, &mut wire).is_some() {
        server.get_mut().write_all(&wire).unwrap();
        if message(&mut server, &mut wire).is_none() {
            return;
        }
        client.get_mut().write_all(&wire).unwrap();
    }
}

fn guard(to: SocketAddr) -> SocketAddr {
    let checked = contract_lang::check("ten.yaml", CONTRACT.as_bytes(), &contract_lang::Options::default());
    let contract = Interpreted::new(checked.contract.unwrap());
    let upstream = Upstream::new(&format!("http://{to}/mcp"), None).unwrap();
    let start = move |_: &_| Session::builder(contract.monitor()).start().map_err(|error| error.to_string());
    let guarded = Guarded::new(upstream, Options::default(), start, Settings::default);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || guarded.run(listener).unwrap());
    address
}

fn post(session: &str, body: &str) -> Vec<u8> {
    format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: application/json, \
         text/event-stream\r\n{session}content-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// Calls in a second, of all clients together.
fn turn(address: SocketAddr, text: &str) -> f64 {
    let ready = Barrier::new(CLIENTS);
    let calls: usize = thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|_| {
                let ready = &ready;
                scope.spawn(move || {
                    let stream = TcpStream::connect(address).unwrap();
                    stream.set_nodelay(true).unwrap();
                    let mut client = BufReader::new(stream);
                    let mut wire = Vec::new();
                    let begin = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#;
                    client.get_mut().write_all(&post("", begin)).unwrap();
                    let head = message(&mut client, &mut wire).unwrap();
                    let head = String::from_utf8_lossy(&wire[..head]).into_owned();
                    let session = head.lines().find(|line| line.starts_with("mcp-session-id")).unwrap();
                    let call = format!(
                        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"read","arguments":{{"path":"/a","text":"{text}"}}}}}}"#
                    );
                    let call = post(&format!("{session}\r\n"), &call);
                    ready.wait();
                    let end = Instant::now() + TURN;
                    let mut calls = 0;
                    while Instant::now() < end {
                        client.get_mut().write_all(&call).unwrap();
                        let head = message(&mut client, &mut wire).unwrap();
                        assert!(wire[head..].windows(4).any(|part| part == b"done"), "{}", String::from_utf8_lossy(&wire));
                        calls += 1;
                    }
                    calls
                })
            })
            .collect();
        clients.into_iter().map(|client| client.join().unwrap()).sum()
    });
    calls as f64 / TURN.as_secs_f64()
}

fn main() {
    let server = listen(stub);
    let relayed = listen(move |stream| relay(stream, server));
    let guarded = guard(server);
    for bytes in [64, 32 * 1024] {
        let text = "It was the best of times. ".repeat(bytes / 26 + 1)[..bytes].to_owned();
        let mut best = [0.0_f64; 3];
        for _ in 0..TURNS {
            for (best, address) in best.iter_mut().zip([server, relayed, guarded]) {
                *best = best.max(turn(address, &text));
            }
        }
        let [none, relay, guard] = best;
        println!(
            "{bytes:>6} B, {CLIENTS} clients: {none:>8.0} calls/s without, {relay:>8.0} through a relay, {guard:>8.0} through the \
             guard: {:.2} of the relay",
            guard / relay
        );
    }
}
