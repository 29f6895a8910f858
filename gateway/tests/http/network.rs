//! A client and a server of raw sockets, with a guard between them.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use contract_lang::interpret::Interpreted;
use contract_runtime::Session;
use interlock_gateway::mcp::Settings;
use interlock_gateway::mcp::http::{Guarded, Options, SessionKey, Upstream};
use interlock_gateway::mcp::stdio::Signal;
use serde_json::{Value, json};

/// No test waits longer for anything.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) const CONTRACT: &str = "
version: 1
name: files
tools:
  read: { effect: read }
  write: { effect: write }
  pay: { effect: irreversible }
  drop: { effect: irreversible }
rules:
  - id: read-first
    must_precede: { first: read, then: write }
  - id: pay-once
    at_most_n_times: { call: pay, n: 1 }
    count: succeeded
  - id: never-drop
    forbid: drop
";

/// A request or a response, as it was on the wire.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heard {
    pub(crate) first: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Heard {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }

    pub(crate) fn status(&self) -> u16 {
        self.first.split(' ').nth(1).unwrap().parse().unwrap()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Whether it is the result of a tool that did run.
    pub(crate) fn ran(&self) -> bool {
        self.status() == 200 && self.json()["result"].is_object() && self.json()["result"]["isError"] != true
    }
}

/// One side of a connection.
pub(crate) struct Wire {
    pub(crate) from: BufReader<TcpStream>,
}

impl Wire {
    pub(crate) fn new(stream: TcpStream) -> Self {
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Self { from: BufReader::new(stream) }
    }

    pub(crate) fn say(&mut self, bytes: impl AsRef<[u8]>) {
        self.from.get_mut().write_all(bytes.as_ref()).unwrap();
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        match self.from.read_line(&mut line) {
            Ok(0) | Err(_) => None,
            Ok(_) => Some(line.trim_end().to_owned()),
        }
    }

    /// The head of what comes next.
    pub(crate) fn head(&mut self) -> Option<Heard> {
        let first = self.line()?;
        let mut headers = Vec::new();
        loop {
            let line = self.line()?;
            let Some((name, value)) = line.split_once(':') else { break };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        Some(Heard { first, headers, body: Vec::new() })
    }

    /// The next chunk of a body that comes in chunks; empty at its end.
    pub(crate) fn chunk(&mut self) -> Vec<u8> {
        let length = usize::from_str_radix(&self.line().unwrap(), 16).unwrap();
        let mut chunk = vec![0; length];
        self.from.read_exact(&mut chunk).unwrap();
        self.line();
        chunk
    }

    /// All of what comes next.
    pub(crate) fn hear(&mut self) -> Option<Heard> {
        let mut heard = self.head()?;
        if heard.header("transfer-encoding").is_some() {
            loop {
                let chunk = self.chunk();
                if chunk.is_empty() {
                    break;
                }
                heard.body.extend(chunk);
            }
        } else if let Some(length) = heard.header("content-length") {
            heard.body = vec![0; length.parse().unwrap()];
            self.from.read_exact(&mut heard.body).ok()?;
        }
        Some(heard)
    }

    /// Sends a request.
    pub(crate) fn ask(&mut self, method: &str, headers: &[(&str, &str)], body: &[u8]) {
        let mut head = format!("{method} /mcp HTTP/1.1\r\n");
        let has = |name: &str| headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
        if !has("host") {
            head.push_str("Host: localhost\r\n");
        }
        if method == "POST" && !has("content-type") {
            head.push_str("Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n");
        }
        if !has("transfer-encoding") && !has("content-length") {
            head.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        self.say([head.as_bytes(), b"\r\n", body].concat());
    }

    pub(crate) fn post(&mut self, headers: &[(&str, &str)], body: &[u8]) -> Heard {
        self.ask("POST", headers, body);
        self.hear().unwrap()
    }

    /// Answers with JSON.
    pub(crate) fn answer(&mut self, status: &str, headers: &[(&str, &str)], body: &[u8]) {
        let mut head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n", body.len());
        if !headers.iter().any(|(name, _)| *name == "content-type") {
            head.push_str("content-type: application/json\r\n");
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        self.say([head.as_bytes(), b"\r\n", body].concat());
    }

    /// Begins an answer of events.
    pub(crate) fn stream(&mut self) {
        self.say("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n");
    }

    pub(crate) fn put(&mut self, part: &str) {
        self.say(format!("{:x}\r\n{part}\r\n", part.len()));
    }
}

type Answer = Arc<dyn Fn(&Heard, &mut Wire) + Send + Sync>;

/// A server that notes what it hears.
pub(crate) struct Stub {
    pub(crate) address: SocketAddr,
    pub(crate) heard: Arc<Mutex<Vec<Heard>>>,
}

impl Stub {
    pub(crate) fn new(answer: impl Fn(&Heard, &mut Wire) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stub = Self { address: listener.local_addr().unwrap(), heard: Arc::default() };
        let (answer, all): (Answer, _) = (Arc::new(answer), Arc::clone(&stub.heard));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (answer, all) = (Arc::clone(&answer), Arc::clone(&all));
                thread::spawn(move || {
                    let mut wire = Wire::new(stream.unwrap());
                    while let Some(heard) = wire.hear() {
                        all.lock().unwrap().push(heard.clone());
                        answer(&heard, &mut wire);
                    }
                });
            }
        });
        stub
    }

    /// A server that keeps sessions, and does what it is told.
    pub(crate) fn plain() -> Self {
        let sessions = Mutex::new(0);
        Self::new(move |heard, wire| plain(heard, wire, &sessions))
    }

    /// How often the server was asked to call a tool.
    pub(crate) fn calls(&self, tool: &str) -> usize {
        let heard = self.heard.lock().unwrap();
        heard
            .iter()
            .filter(|heard| heard.json()["method"] == "tools/call" && heard.json()["params"]["name"] == tool)
            .count()
    }
}

/// What a server says that keeps sessions.
pub(crate) fn plain(heard: &Heard, wire: &mut Wire, sessions: &Mutex<u32>) {
    let message = heard.json();
    if heard.first.starts_with("DELETE") {
        return wire.answer("200 OK", &[], b"");
    }
    let Some(id) = message.get("id") else { return wire.answer("202 Accepted", &[], b"") };
    if message["method"] == "initialize" {
        let session = {
            let mut sessions = sessions.lock().unwrap();
            *sessions += 1;
            format!("s{sessions}")
        };
        let body = json!({"jsonrpc": "2.0", "id": id, "result": {"protocolVersion": "2025-11-25", "capabilities": {}}});
        return wire.answer("200 OK", &[("mcp-session-id", &session)], body.to_string().as_bytes());
    }
    wire.answer("200 OK", &[], result(id).as_bytes());
}

pub(crate) fn result(id: &Value) -> String {
    // Not what a serializer makes: it must arrive as it is.
    format!("{{ \"jsonrpc\":\"2.0\", \"result\" : {{\"content\":[ ],\"n\":1.0}},\"id\":{id}}}")
}

pub(crate) fn call(id: u64, tool: &str) -> Vec<u8> {
    format!(
        r#"{{"jsonrpc":"2.0", "id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{{"a":"1"}}}}}}"#
    )
    .into_bytes()
}

pub(crate) fn initialize(id: u64) -> Vec<u8> {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"initialize","params":{{"protocolVersion":"2025-11-25","capabilities":{{"elicitation":{{}}}}}}}}"#)
        .into_bytes()
}

/// A guard that listens, until it is dropped.
pub(crate) struct Guard {
    pub(crate) address: SocketAddr,
    signals: Option<Sender<Signal>>,
    running: Option<JoinHandle<i32>>,
}

impl Guard {
    pub(crate) fn new(stub: &Stub, options: Options) -> Self {
        Self::with(&format!("http://{}/mcp", stub.address), CONTRACT, options)
    }

    pub(crate) fn keyed(stub: &Stub, key: &str) -> Self {
        Self::new(stub, Options { key: SessionKey::parse(key).unwrap(), ..Options::default() })
    }

    pub(crate) fn plain(stub: &Stub) -> Self {
        Self::new(stub, Options::default())
    }

    pub(crate) fn with(url: &str, contract: &str, options: Options) -> Self {
        let monitor = Self::monitor(contract);
        let start = move |_: &_| Session::builder(monitor.monitor()).start().map_err(|error| error.to_string());
        let (signals, told) = mpsc::channel();
        let guarded = Guarded::new(Upstream::new(url, None).unwrap(), options, start, || Settings {
            prefix: "ask-".to_owned(),
            ..Settings::default()
        });
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let running = thread::spawn(move || guarded.signals(told).run(listener).unwrap());
        Self { address, signals: Some(signals), running: Some(running) }
    }

    pub(crate) fn monitor(contract: &str) -> Interpreted {
        let checked = contract_lang::check("contract.yaml", contract.as_bytes(), &contract_lang::Options::default());
        Interpreted::new(checked.contract.expect("the contract has no errors"))
    }

    pub(crate) fn client(&self) -> Wire {
        Wire::new(TcpStream::connect(self.address).unwrap())
    }

    /// A client with a session of the protocol.
    pub(crate) fn begun(&self) -> (Wire, String) {
        let mut client = self.client();
        let answer = client.post(&[], &initialize(0));
        assert_eq!(answer.status(), 200, "{}", answer.text());
        let session = answer.header("mcp-session-id").unwrap().to_owned();
        (client, session)
    }

    pub(crate) fn tell(&self, signal: Signal) {
        self.signals.as_ref().unwrap().send(signal).unwrap();
    }

    /// Asks the guard to end. Returns with what it ended.
    pub(crate) fn end(mut self) -> i32 {
        self.tell(Signal::End(15));
        self.running.take().unwrap().join().unwrap()
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        drop(self.signals.take());
        if let Some(running) = self.running.take() {
            let ended = running.join();
            assert!(ended.is_ok() || thread::panicking());
        }
    }
}

/// Headers by name.
pub(crate) fn names(heard: &Heard) -> HashMap<&str, &str> {
    heard.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
}
