//! What a session has to come to that shows a finding: plain data, so that a lint can ask for one and needs no engine.

use contract_runtime::{Decision, Reason, Verdict};

/// What a session has to come to. The engine looks for a shortest one ([`Witness`](super::Witness)).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Goal {
    /// The tool of the call, a name or glob; `None`: any.
    pub tool: Option<String>,
    /// What is carried out; `None`: anything.
    pub decision: Option<Decision>,
    /// Rules that all have a finding about the call, by id.
    pub by: Vec<String>,
    /// Why one of these has its finding; `None`: for any reason.
    pub reason: Option<Reason>,
    /// Rules with a pattern that the call matches, by id.
    pub spoken_of: Vec<String>,
    /// A rule with an obligation that is open when the call is made, by id.
    pub owed: Option<String>,
    /// The tool, a name or glob, of another call that runs and has no result yet.
    pub in_flight: Option<String>,
    /// Commits, by index, that one event before made all of.
    pub committed: Vec<usize>,
    /// Instead of a call: how a rule stands.
    pub standing: Option<Standing>,
}

/// How a rule stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The rule, by id.
    pub rule: String,
    /// Its verdict; `None`: any.
    pub verdict: Option<Verdict>,
    /// Whether the session has ended.
    pub ended: bool,
    /// Whether each pattern of the rule has happened.
    pub after_all_patterns: bool,
    /// Patterns of the rule, as the bits of a letter, that one event has matched all of.
    pub letter: u8,
}

impl Goal {
    /// A call, about which more is said.
    #[must_use]
    pub fn call() -> Self {
        Self::default()
    }

    /// Of this tool, a name or glob.
    #[must_use]
    pub fn tool(mut self, name: &str) -> Self {
        self.tool = Some(name.to_owned());
        self
    }

    /// On which this is carried out.
    #[must_use]
    pub fn decided(mut self, decision: Decision) -> Self {
        self.decision = Some(decision);
        self
    }

    /// About which this rule has a finding.
    #[must_use]
    pub fn by(mut self, rule: &str) -> Self {
        self.by.push(rule.to_owned());
        self
    }

    /// For this reason.
    #[must_use]
    pub fn because(mut self, reason: Reason) -> Self {
        self.reason = Some(reason);
        self
    }

    /// While this rule has an obligation open.
    #[must_use]
    pub fn while_owed(mut self, rule: &str) -> Self {
        self.owed = Some(rule.to_owned());
        self
    }

    /// Which a pattern of this rule matches, whatever the rule says of it.
    #[must_use]
    pub fn spoken_of(mut self, rule: &str) -> Self {
        self.spoken_of.push(rule.to_owned());
        self
    }

    /// While a call of this tool, a name or glob, runs and has no result.
    #[must_use]
    pub fn in_flight(mut self, tool: &str) -> Self {
        self.in_flight = Some(tool.to_owned());
        self
    }

    /// After this commit, by index, has changed the state. Those of several are made by one event.
    #[must_use]
    pub fn committed(mut self, commit: usize) -> Self {
        self.committed.push(commit);
        self
    }

    /// A rule stands so after some line.
    #[must_use]
    pub fn verdict(rule: &str, verdict: Verdict) -> Self {
        Self { standing: Some(Standing { verdict: Some(verdict), ..Standing::of(rule) }), ..Self::default() }
    }

    /// An event matches all of these patterns of a rule, given as the bits of a letter.
    #[must_use]
    pub fn matched(rule: &str, letter: u8) -> Self {
        Self { standing: Some(Standing { letter, ..Standing::of(rule) }), ..Self::default() }
    }

    /// The rule stands so when the session has ended.
    #[must_use]
    pub fn ended(mut self) -> Self {
        if let Some(standing) = &mut self.standing {
            standing.ended = true;
        }
        self
    }

    /// The rule stands so once each of its patterns has happened.
    #[must_use]
    pub fn after_all_patterns(mut self) -> Self {
        if let Some(standing) = &mut self.standing {
            standing.after_all_patterns = true;
        }
        self
    }

    /// The rules that it names.
    pub fn rules(&self) -> impl Iterator<Item = &str> {
        let standing = self.standing.iter().map(|standing| &standing.rule);
        self.by.iter().chain(&self.spoken_of).chain(&self.owed).chain(standing).map(String::as_str)
    }
}

impl Standing {
    fn of(rule: &str) -> Self {
        Self { rule: rule.to_owned(), verdict: None, ended: false, after_all_patterns: false, letter: 0 }
    }
}
