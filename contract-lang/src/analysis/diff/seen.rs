//! What a contract makes of each line of a session, as far as an agent, or whoever reads reports, can see it.

use contract_runtime::{Decision, Finding, Reason, Subject, Verdict};
use serde_json::{Value, json};

use crate::interpret::Interpreted;
use crate::mir::Contract;
use crate::replay::{Came, Player, Shown, Stage, Step};
use crate::trace::Line;

/// What a contract makes of one line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    /// What is decided about the line's call.
    pub decision: Option<Decision>,
    /// Whether the call runs.
    pub runs: bool,
    /// What the call runs with, where the contract changes that.
    pub args: Option<Value>,
    /// How much the agent sees of the line's result.
    pub shown: Option<Shown>,
    /// The masked result.
    pub masked: Option<Value>,
    /// The worst that rules report of a result, a host event, the time that went by, or the end of the session.
    pub reported: Option<Verdict>,
    /// The rules that have something to say, by id.
    pub rules: Vec<String>,
}

/// In which way two versions treat a line differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// A call is decided otherwise.
    Decision,
    /// A call runs with other arguments.
    Arguments,
    /// The agent sees more or less of a result.
    Result,
    /// Rules report something else.
    Report,
}

/// What a difference comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// The new version stops, hides or reports less.
    Loosened,
    /// It stops, hides or reports more.
    Tightened,
    /// It does something else.
    Altered,
}

impl Direction {
    /// Its spelling.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Loosened => "loosened",
            Self::Tightened => "tightened",
            Self::Altered => "altered",
        }
    }

    fn of<T: Ord>(old: &T, new: &T) -> Self {
        if new < old { Self::Loosened } else { Self::Tightened }
    }
}

impl What {
    /// Its spelling.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::Arguments => "arguments",
            Self::Result => "result",
            Self::Report => "report",
        }
    }
}

impl Seen {
    /// The first way in which another version treats the same line differently.
    #[must_use]
    pub fn differs(&self, new: &Self) -> Option<(What, Direction)> {
        if self.decision != new.decision {
            return Some((What::Decision, Direction::of(&self.decision, &new.decision)));
        }
        if self.args != new.args {
            return Some((What::Arguments, Direction::Altered));
        }
        let hidden = |seen: &Self| match seen.shown {
            Some(Shown::Nothing) => 2,
            Some(Shown::Redacted) => 1,
            Some(Shown::All) | None => 0,
        };
        if hidden(self) != hidden(new) {
            return Some((What::Result, Direction::of(&hidden(self), &hidden(new))));
        }
        if self.masked != new.masked {
            return Some((What::Result, Direction::Altered));
        }
        (self.reported != new.reported).then(|| (What::Report, Direction::of(&self.reported, &new.reported)))
    }

    /// As JSON; what does not apply is left out.
    #[must_use]
    pub fn encode(&self) -> Value {
        let mut object = json!({"rules": self.rules});
        let mut insert = |name: &str, value: Option<Value>| {
            if let (Some(value), Some(fields)) = (value, object.as_object_mut()) {
                fields.insert(name.to_owned(), value);
            }
        };
        insert("decision", self.decision.map(|decision| decision.as_str().into()));
        insert("args", self.args.clone());
        insert("shown", self.shown.map(|shown| shown_as(shown).into()));
        insert("masked", self.masked.clone());
        insert("reported", self.reported.map(|verdict| verdict.as_str().into()));
        object
    }

    pub(super) fn report(&mut self, contract: &Contract, finding: &Finding) {
        let Some(id) = rule(contract, finding) else { return };
        if finding.verdict >= Verdict::Unestablished {
            self.reported = self.reported.max(Some(finding.verdict));
        }
        self.name(id);
    }

    pub(super) fn decided(&mut self, contract: &Contract, findings: &[Finding]) {
        for finding in findings {
            // What time or the end of an instance brought to light is reported beside the decision.
            if matches!(finding.reason, Reason::Expired | Reason::Ended) {
                self.report(contract, finding);
            } else if let Some(id) = rule(contract, finding) {
                self.name(id);
            }
        }
    }

    /// Takes what another line reports, too.
    pub(super) fn join(&mut self, other: Self) {
        self.reported = self.reported.max(other.reported);
        other.rules.iter().for_each(|rule| self.name(rule));
    }

    fn name(&mut self, id: &str) {
        if !self.rules.iter().any(|known| known == id) {
            self.rules.push(id.to_owned());
        }
    }

    fn came(&mut self, contract: &Contract, came: Came) {
        self.shown = Some(came.shown);
        self.masked = (came.shown == Shown::Redacted).then_some(came.seen);
        came.findings.iter().for_each(|finding| self.report(contract, finding));
    }
}

/// The rule of a finding, unless it is on trial.
fn rule<'c>(contract: &'c Contract, finding: &Finding) -> Option<&'c str> {
    let Subject::Rule(index) = finding.subject else { return None };
    let rule = contract.rules.get(usize::from(index))?;
    (!contract.on_trial(rule)).then_some(&rule.id)
}

/// How much is shown, in a word.
#[must_use]
pub fn shown_as(shown: Shown) -> &'static str {
    match shown {
        Shown::All => "shown",
        Shown::Redacted => "redacted",
        Shown::Nothing => "withheld",
    }
}

/// Plays a session: what becomes of each line. `None` if a line cannot be played.
pub(super) fn play(contract: &Interpreted, lines: &[Line]) -> Option<Vec<Seen>> {
    let mut player = Player::new(Stage::new(contract));
    let checked = contract.contract();
    let mut all = Vec::new();
    for (number, line) in (1..).zip(lines) {
        let mut steps = Vec::new();
        player.play(number, line.clone(), &mut steps).ok()?;
        let mut seen = Seen::default();
        for step in steps {
            match step {
                Step::Decided(_, decided) => {
                    seen.decision = Some(decided.decision);
                    seen.runs = decided.runs;
                    seen.args = decided.rewritten.clone();
                    seen.decided(checked, &decided.findings);
                }
                Step::Came(came) => seen.came(checked, came),
                Step::Happened { findings, .. } => findings.iter().for_each(|found| seen.report(checked, found)),
                Step::Ended(came, summary) => {
                    let findings = came.iter().flat_map(|came| &came.findings).chain(&summary.findings);
                    findings.for_each(|found| seen.report(checked, found));
                }
                Step::Began | Step::Backwards { .. } => {}
            }
        }
        all.push(seen);
    }
    Some(all)
}
