//! Patterns: what selects events.

use contract_runtime::Effect;

use super::Expr;

/// What selects events: one alternative must hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// At least one.
    pub alternatives: Vec<Alternative>,
    /// Its source text.
    pub text: String,
    /// The same with the moment of each alternative: `ok(validate_record)` where only the tool is written.
    pub spelled: String,
    /// What the rule calls it, where its kind or its author gives it a name.
    pub name: Option<String>,
}

/// One alternative of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct Alternative {
    /// At which moments.
    pub phases: Phases,
    /// Of what.
    pub subject: Subject,
    /// Under which condition.
    pub condition: Option<Expr>,
}

/// A set of moments. `event` excludes the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Phases {
    /// A call, before it runs.
    pub call: bool,
    /// A result that is a success.
    pub ok: bool,
    /// A result that is a failure.
    pub failed: bool,
    /// Nobody knows how it ended.
    pub unknown: bool,
    /// A host event.
    pub event: bool,
}

impl Phases {
    /// The moments in either.
    #[must_use]
    pub fn union(self, others: Self) -> Self {
        Self {
            call: self.call || others.call,
            ok: self.ok || others.ok,
            failed: self.failed || others.failed,
            unknown: self.unknown || others.unknown,
            event: self.event || others.event,
        }
    }
}

/// What an alternative speaks of.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    /// Tools by name.
    Tools(Names),
    /// Calls (and results of calls) whose effect is this.
    Effect(Effect),
    /// A host event by name (a glob).
    Event(Glob),
}

/// A tool name or glob, with an optional server.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Names {
    /// `None`: any server, and calls without one.
    pub server: Option<Glob>,
    /// The tool.
    pub tool: Glob,
}

impl std::fmt::Display for Names {
    /// As patterns write it, `server::tool`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(server) = &self.server {
            write!(f, "{}::", server.as_str())?;
        }
        f.write_str(self.tool.as_str())
    }
}

/// A name or a glob (`*`: any characters, `?`: one character), anchored, byte for byte.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Glob {
    text: String,
    /// Whether it has no wildcard. Interpreted contracts ask with every event.
    literal: bool,
}

impl Glob {
    /// A glob from its text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self { text: text.to_owned(), literal: !text.contains(['*', '?']) }
    }

    /// Its text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it has no wildcard, so that it is one name.
    #[must_use]
    pub fn is_literal(&self) -> bool {
        self.literal
    }

    /// Whether it matches a name.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        if self.literal { self.text == name } else { contract_runtime::glob_matches(&self.text, name) }
    }
}
