//! What can be wrong with a folder of approvals and what lies in it.

use std::{fmt, io};

/// Why something cannot be asked, read or answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    what: String,
    help: Option<&'static str>,
}

impl Problem {
    pub(super) fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), help: None }
    }

    pub(super) fn io(what: &str, error: &io::Error) -> Self {
        // What the system says has no paths in it.
        Self::new(format!("{what}: {error}"))
    }

    pub(super) fn help(mut self, help: &'static str) -> Self {
        self.help = Some(help);
        self
    }

    /// What to do instead, where that is known.
    #[must_use]
    pub fn advice(&self) -> Option<&str> {
        self.help
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Problem {}
