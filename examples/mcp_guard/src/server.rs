//! What stands on both sides of the guard: a server that finds and deletes records, and a client that makes calls, one after the other.

use std::io::{self, BufRead as _, Read, Write};
use std::sync::mpsc::{Receiver, Sender, channel};

use serde_json::{Value, json};

/// What this program is started with to be the server.
pub const WORD: &str = "--serve";

/// Answers each call that comes.
pub fn run() -> io::Result<()> {
    for line in io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        let (tool, args) = (&message["params"]["name"], &message["params"]["arguments"]);
        eprintln!("server   {} {args}", tool.as_str().unwrap_or_default());
        let result = json!({"content": [{"type": "text", "text": "done"}], "structuredContent": {"id": args["id"]}});
        println!("{}", json!({"jsonrpc": "2.0", "id": message["id"], "result": result}));
    }
    Ok(())
}

/// A client: what it says, and who hears the answers.
pub fn client(calls: impl IntoIterator<Item = String>) -> (Calls, Answers) {
    let (told, heard) = channel();
    let mut calls: Vec<String> = calls.into_iter().map(|call| call + "\n").collect();
    calls.reverse();
    (Calls { calls, heard, is_first: true }, Answers { told })
}

/// Calls, each after the answer to the one before.
pub struct Calls {
    calls: Vec<String>,
    heard: Receiver<()>,
    is_first: bool,
}

impl Read for Calls {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let waits = !std::mem::take(&mut self.is_first);
        if waits && self.heard.recv().is_err() {
            return Ok(0);
        }
        let Some(call) = self.calls.pop() else { return Ok(0) };
        print!("client   {call}");
        call.as_bytes().read(buffer)
    }
}

/// Prints answers.
pub struct Answers {
    told: Sender<()>,
}

impl Write for Answers {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        println!("answer   {}", String::from_utf8_lossy(bytes).trim_end());
        // A client that has made its last call listens no more.
        let _ = self.told.send(());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
