//! How sure a finding is, and a session that shows it.

use contract_runtime::{Decision, Verdict};
use serde_json::{Value, json};

use crate::trace::Line;

/// How sure a finding of static analysis is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Certainty {
    /// A bound of the analysis was reached before there was an answer.
    Inconclusive,
    /// It holds of an abstraction that allows more than can happen; no session was found that shows it.
    Possible,
    /// It holds.
    Proved,
}

impl Certainty {
    /// Its spelling.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Inconclusive => "inconclusive",
            Self::Possible => "possible",
            Self::Proved => "proved",
        }
    }
}

/// A session that shows what a finding says. Replayed with the contract it comes to what it shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Witness {
    /// The lines of one session.
    pub trace: Vec<Line>,
    /// What of it matters.
    pub shows: Shows,
}

/// What a replay of a witness comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shows {
    /// A call is decided so.
    Decision {
        /// The number of the call in its session, from 0.
        call: u64,
        /// The decision.
        decision: Decision,
        /// Rules that have a finding about it, by id.
        rules: Vec<String>,
    },
    /// A rule has this verdict when the session has ended (when it stands as it does, if the trace does not end it).
    Verdict {
        /// The rule, by id.
        rule: String,
        /// The verdict.
        verdict: Verdict,
    },
}

impl Shows {
    /// As JSON: `{"call","decision","rules"}` or `{"rule","verdict"}`.
    #[must_use]
    pub fn encode(&self) -> Value {
        match self {
            Self::Decision { call, decision, rules } => {
                json!({"call": call, "decision": decision.as_str(), "rules": rules})
            }
            Self::Verdict { rule, verdict } => json!({"rule": rule, "verdict": verdict.as_str()}),
        }
    }
}
