//! A child that is spoken to in lines.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::McpError;

/// The longest line that is read, in bytes.
const LONGEST: usize = 16 * 1024 * 1024;

/// How long a child may take to end by itself, in steps: longer than a guard takes to end a server that does not end.
const PATIENCE: u32 = 120;
const STEP: Duration = Duration::from_millis(25);

/// A child with its lines. What it says on standard error is passed on.
pub(super) struct Lines {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<Result<Vec<u8>, McpError>>,
}

impl Lines {
    /// Starts a command.
    pub(super) fn start(command: &mut Command) -> Result<Self, McpError> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().map_err(McpError::NotStarted)?;
        let (to, output) = sync_channel(4);
        let input = child.stdin.take();
        if let Some(from) = child.stdout.take() {
            // It ends with the child's output, or when nobody listens any more.
            thread::spawn(move || read(from, &to));
        }
        Ok(Self { child, input, output })
    }

    /// Says a line.
    pub(super) fn say(&mut self, line: &str) -> Result<(), McpError> {
        let input = self.input.as_mut().ok_or(McpError::Ended)?;
        let said = input.write_all(line.as_bytes()).and_then(|()| input.write_all(b"\n")).and_then(|()| input.flush());
        said.map_err(|_| McpError::Ended)
    }

    /// The next line, until a deadline.
    pub(super) fn hear(&self, deadline: Instant) -> Result<Vec<u8>, McpError> {
        match self.output.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => Err(McpError::Late),
            Err(RecvTimeoutError::Disconnected) => Err(McpError::Ended),
        }
    }
}

impl Drop for Lines {
    /// A server ends when its input does. One that does not is ended.
    fn drop(&mut self) {
        self.input = None;
        for _ in 0..PATIENCE {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            thread::sleep(STEP);
        }
        // It may have ended in the meantime; then there is nothing to end, and it is reaped all the same.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Hands on the lines of an output.
fn read(from: ChildStdout, to: &SyncSender<Result<Vec<u8>, McpError>>) {
    let mut from = BufReader::new(from);
    loop {
        let mut line = Vec::new();
        let most = u64::try_from(LONGEST).unwrap_or(u64::MAX).saturating_add(1);
        let heard = match from.by_ref().take(most).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) if line.len() > LONGEST => Err(McpError::TooMuch("a line of more bytes", LONGEST)),
            Ok(_) => Ok(line),
        };
        let is_last = heard.is_err();
        if to.send(heard).is_err() || is_last {
            return;
        }
    }
}
