//! Where output goes, and what the exit code says.

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use anstream::{AutoStream, ColorChoice};
use contract_lang::diagnostic::render;
use serde::Serialize;

/// What a run came to, from best to worst.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// 0: fine.
    #[default]
    Fine,
    /// 1: the thing that was checked does not hold.
    Fails,
    /// 2: usage, or input that cannot be read.
    Unusable,
    /// What another program has ended with, or would have.
    Code(u8),
}

impl Exit {
    /// Remembers the worse of two.
    pub fn worsen(&mut self, other: Self) {
        *self = (*self).max(other);
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Fine => Self::SUCCESS,
            Exit::Fails => Self::from(1),
            Exit::Unusable => Self::from(2),
            Exit::Code(code) => Self::from(code),
        }
    }
}

/// A stream of output, and whether it shows colours.
pub struct Stream<'a> {
    to: Box<dyn Write + 'a>,
    styled: bool,
}

impl std::fmt::Debug for Stream<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stream").field("styled", &self.styled).finish_non_exhaustive()
    }
}

impl<'a> Stream<'a> {
    /// A stream without colours.
    pub fn plain(to: impl Write + 'a) -> Self {
        Self { to: Box::new(to), styled: false }
    }

    /// Whether it shows colours.
    #[must_use]
    pub fn styled(&self) -> bool {
        self.styled
    }

    /// Writes a value as one line of JSON.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        let text = serde_json::to_string(value)?;
        self.json_text(&text)
    }

    /// Writes a JSON text as one line.
    pub(crate) fn json_text(&mut self, text: &str) -> io::Result<()> {
        self.write_all(inert(text).as_bytes())?;
        self.write_all(b"\n")
    }
}

impl Write for Stream<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.to.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// So many of something: `1 record`, `2 records`.
pub(crate) fn some(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// JSON in which hidden characters are written as escapes: the same value, and safe to look at in a terminal. Outside of
/// strings JSON has none.
pub(crate) fn inert(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if render::is_hidden(c) {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
        } else {
            out.push(c);
        }
    }
    out
}

/// The two streams of a command: its product, and messages for people.
#[derive(Debug)]
pub struct Console<'a> {
    /// The product: JSON, listings, code.
    pub out: Stream<'a>,
    /// Messages for people.
    pub err: Stream<'a>,
}

impl Console<'static> {
    /// Standard output and standard error, with colours where `NO_COLOR` and the terminal allow them.
    #[must_use]
    pub fn standard() -> Self {
        let (out, err) = (io::stdout(), io::stderr());
        let out_styled = AutoStream::choice(&out) != ColorChoice::Never;
        let err_styled = AutoStream::choice(&err) != ColorChoice::Never;
        Self {
            out: Stream { to: Box::new(BufWriter::new(out)), styled: out_styled },
            err: Stream { to: Box::new(err), styled: err_styled },
        }
    }
}
