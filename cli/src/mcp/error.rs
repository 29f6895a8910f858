//! Why a server could not be asked.

use std::fmt;
use std::io;

/// Why a server could not be asked.
#[derive(Debug)]
pub(crate) enum McpError {
    /// The command cannot be run.
    NotStarted(io::Error),
    /// The server has ended, or closed its output, before it answered.
    Ended,
    /// It did not answer in time.
    Late,
    /// It says more than is read: what, and the most.
    TooMuch(&'static str, usize),
    /// It answers with an error of its own.
    Refused(String),
    /// Its answer is not what the protocol says.
    Odd(String),
}

impl fmt::Display for McpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted(error) => write!(f, "the server cannot be started: {error}"),
            Self::Ended => f.write_str("the server ended before it answered"),
            Self::Late => f.write_str("the server did not answer in time; give it longer with `--timeout`"),
            Self::TooMuch(what, most) => write!(f, "the server sends {what}, and {most} is the most that is read"),
            Self::Refused(message) => write!(f, "the server refuses: {message}"),
            Self::Odd(what) => write!(f, "the server does not speak MCP: {what}"),
        }
    }
}

impl std::error::Error for McpError {}
