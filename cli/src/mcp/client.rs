//! Asks a server for its tools.

use std::collections::BTreeSet;
use std::process::Command;
use std::time::{Duration, Instant};

use contract_lang::diagnostic::render;
use serde_json::{Value, json};

use super::McpError;
use super::child::Lines;

/// The version of the protocol that is asked for.
const PROTOCOL: &str = "2025-06-18";

/// Most bytes, messages, pages and tools of a server; the longest cursor, and most lines that are no messages.
const BYTES: usize = 64 * 1024 * 1024;
const MESSAGES: usize = 10_000;
const PAGES: usize = 1_000;
const TOOLS: usize = 10_000;
const CURSOR: usize = 4 * 1024;
const NOISE: usize = 100;

/// A server that has been greeted.
pub(crate) struct Client {
    lines: Lines,
    deadline: Instant,
    id: u64,
    bytes: usize,
    messages: usize,
    noise: usize,
    /// What the server says it is called. Untrusted.
    pub(crate) server: Option<String>,
}

impl Client {
    /// Starts a server, and greets it. Everything has to be done within a time.
    ///
    /// # Errors
    /// If it cannot be started, or does not answer as it should.
    pub(crate) fn start(command: &mut Command, within: Duration) -> Result<Self, McpError> {
        let deadline = Instant::now().checked_add(within).ok_or(McpError::Late)?;
        let lines = Lines::start(command)?;
        let mut client = Self { lines, deadline, id: 0, bytes: 0, messages: 0, noise: 0, server: None };
        let hello = json!({
            "protocolVersion": PROTOCOL,
            "capabilities": {},
            "clientInfo": { "name": "interlock", "version": env!("CARGO_PKG_VERSION") },
        });
        let answer = client.ask("initialize", hello)?;
        client.server = answer.pointer("/serverInfo/name").and_then(Value::as_str).map(str::to_owned);
        client.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(client)
    }

    /// Every tool, from all pages.
    ///
    /// # Errors
    /// If the server does not list them, or has no end of them.
    pub(crate) fn tools(&mut self) -> Result<Vec<Value>, McpError> {
        let mut tools = Vec::new();
        let mut cursors = BTreeSet::new();
        let mut cursor: Option<String> = None;
        for _ in 0..PAGES {
            let page = match &cursor {
                Some(cursor) => json!({ "cursor": cursor }),
                None => json!({}),
            };
            let mut answer = self.ask("tools/list", page)?;
            let Some(Value::Array(listed)) = answer.get_mut("tools").map(Value::take) else {
                return Err(McpError::Odd("its answer to `tools/list` has no `tools`".to_owned()));
            };
            tools.extend(listed);
            if tools.len() > TOOLS {
                return Err(McpError::TooMuch("more tools", TOOLS));
            }
            cursor = match answer.get("nextCursor").and_then(Value::as_str) {
                None | Some("") => return Ok(tools),
                Some(next) if next.len() > CURSOR => return Err(McpError::TooMuch("a longer cursor", CURSOR)),
                Some(next) => Some(next.to_owned()),
            };
            if !cursors.insert(cursor.clone()) {
                return Err(McpError::Odd("its pages go in a circle".to_owned()));
            }
        }
        Err(McpError::TooMuch("more pages", PAGES))
    }

    /// Calls a tool, whatever comes of it.
    ///
    /// # Errors
    /// If there is no answer.
    pub(crate) fn call(&mut self, tool: &str, args: &Value) -> Result<Answer, McpError> {
        self.request("tools/call", json!({ "name": tool, "arguments": args }))
    }

    fn say(&mut self, message: &Value) -> Result<(), McpError> {
        self.lines.say(&message.to_string())
    }

    /// Asks, and waits for a result.
    fn ask(&mut self, method: &str, params: Value) -> Result<Value, McpError> {
        match self.request(method, params)? {
            Answer::Result(result) => Ok(result),
            Answer::Error(error) => Err(McpError::Refused(Answer::Error(error).text())),
        }
    }

    /// Asks, and waits for the answer. What the server asks in the meantime is answered; what it notes is left out.
    fn request(&mut self, method: &str, params: Value) -> Result<Answer, McpError> {
        self.id = self.id.saturating_add(1);
        let id = self.id;
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let mut message = self.hear()?;
            if message.get("method").is_some() {
                self.answer(&message)?;
                continue;
            }
            if message.get("id").and_then(Value::as_u64) != Some(id) {
                continue;
            }
            if let Some(error) = message.get_mut("error") {
                return Ok(Answer::Error(error.take()));
            }
            return match message.get_mut("result").map(Value::take) {
                Some(result) => Ok(Answer::Result(result)),
                None => Err(McpError::Odd(format!("its answer to `{method}` has neither `result` nor `error`"))),
            };
        }
    }

    /// The next message.
    fn hear(&mut self) -> Result<Value, McpError> {
        loop {
            let line = self.lines.hear(self.deadline)?;
            self.bytes = self.bytes.saturating_add(line.len());
            self.messages = self.messages.saturating_add(1);
            if self.bytes > BYTES {
                return Err(McpError::TooMuch("more bytes", BYTES));
            }
            if self.messages > MESSAGES {
                return Err(McpError::TooMuch("more messages", MESSAGES));
            }
            match serde_json::from_slice::<Value>(&line) {
                Ok(message) if message.is_object() => return Ok(message),
                // Some servers write more to their output than they should.
                _ => self.noise = self.noise.saturating_add(1),
            }
            if self.noise > NOISE {
                return Err(McpError::Odd(format!("`{}` is no message", short(&String::from_utf8_lossy(&line)))));
            }
        }
    }

    fn answer(&mut self, message: &Value) -> Result<(), McpError> {
        let Some(id) = message.get("id") else { return Ok(()) };
        let id = if id.is_number() || id.as_str().is_some_and(|id| id.len() <= CURSOR) { id } else { &Value::Null };
        match message.get("method").and_then(Value::as_str) {
            Some("ping") => self.say(&json!({ "jsonrpc": "2.0", "id": id, "result": {} })),
            _ => {
                let error = json!({ "code": -32601, "message": "method not found" });
                self.say(&json!({ "jsonrpc": "2.0", "id": id, "error": error }))
            }
        }
    }
}

/// What a server answers. Untrusted.
#[derive(Debug)]
pub(crate) enum Answer {
    Result(Value),
    Error(Value),
}

impl Answer {
    /// The whole text of the first block of a result, or the message of an error.
    pub(crate) fn said(&self) -> Option<&str> {
        match self {
            Self::Result(result) => result.pointer("/content/0/text"),
            Self::Error(error) => error.get("message"),
        }?
        .as_str()
    }

    /// What it says, to be shown.
    pub(crate) fn text(&self) -> String {
        short(self.said().unwrap_or("it does not say why"))
    }
}

/// A text of the server's, short enough to be shown and without anything hidden.
fn short(text: &str) -> String {
    let shown: String = text.trim().chars().take(200).collect();
    render::escape(&shown)
}
