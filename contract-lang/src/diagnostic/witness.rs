//! How sure a finding is, and a session that shows it.

use contract_runtime::{Decision, Verdict};
use serde_json::{Value, json};

use crate::trace::{Body, Line, Recorded};

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

impl Witness {
    /// The session in a few words for people, one line for each of its lines.
    #[must_use]
    pub fn told(&self) -> Vec<String> {
        let mut calls = 0u64;
        let mut told: Vec<String> = self.trace.iter().filter_map(|line| self.tell(line, &mut calls)).collect();
        if let Shows::Verdict { rule, verdict } = &self.shows {
            told.push(format!("then `{rule}` is {}", verdict.as_str()));
        }
        told
    }

    fn tell(&self, line: &Line, calls: &mut u64) -> Option<String> {
        let came = |result: &Recorded| match &result.value {
            Some(value) => format!("{} {}", result.status.as_str(), brief(value)),
            None => result.status.as_str().to_owned(),
        };
        let text = match &line.body {
            Body::Call(call, result) => {
                let number = *calls;
                *calls = number.saturating_add(1);
                let end = match (&self.shows, result) {
                    (Shows::Decision { call, decision, rules }, _) if *call == number => {
                        let by: Vec<String> = rules.iter().map(|rule| format!("`{rule}`")).collect();
                        let by = if by.is_empty() { String::new() } else { format!(" ({})", by.join(", ")) };
                        format!("{}{by}", decision.as_str())
                    }
                    (_, Some(result)) => came(result),
                    (_, None) => "runs".to_owned(),
                };
                format!("{} {}: {end}", call.tool, brief(&call.args))
            }
            Body::Result(id, result) => format!("result of {id}: {}", came(result)),
            Body::Event { name, value } => format!("event {name} {}", brief(value)),
            Body::Context(facts) => format!("context {}", brief(facts)),
            Body::End => return None,
        };
        let at = line.at.map_or_else(String::new, |at| format!("{at} "));
        Some(format!("{at}{text}"))
    }
}

/// The longest value that is shown, in characters.
const LONGEST: usize = 120;

fn brief(value: &Value) -> String {
    let text = value.to_string();
    let cut: String = text.chars().take(LONGEST).collect();
    if cut.len() < text.len() { format!("{cut}…") } else { text }
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
    /// Whether it is the same but for the number of the call.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Decision { decision, rules, .. }, Self::Decision { decision: others, rules: other_rules, .. }) => {
                (decision, rules) == (others, other_rules)
            }
            (one, other) => one == other,
        }
    }

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
