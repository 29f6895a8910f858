//! Runs a test, and says where what came of it is not what was expected.

use std::collections::BTreeSet;
use std::fmt;

use contract_runtime::{Finding, Time, Verdict};
use serde_json::Value;

use super::case::{Case, Script, Scripted};
use super::expected::{Ends, Expected};
use crate::ast::Seen;
use crate::interpret::Interpreted;
use crate::replay::{Came, Decided, Player, Shown, Stage, Step};
use crate::source::Span;
use crate::trace::{Body, Line, RecordedCall};

/// Where in a test something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the contract.
    Contract(Span),
    /// In the file of the trace: the number of the line.
    Trace(u64),
}

/// Something came out otherwise than a test expects.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The line.
    pub place: Place,
    /// Of what: a call, an event, an end.
    pub of: String,
    /// What of it: `decision`, `rules`, …
    pub what: &'static str,
    /// What was expected.
    pub expected: Value,
    /// What came.
    pub found: Value,
    /// What the rules say, for people: a sentence for each.
    pub because: Vec<String>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { of, what, expected, found, .. } = self;
        write!(f, "{of}: {what}: expected {expected}, found {found}")
    }
}

/// What came of a test.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// What is not as expected; empty if the test passes.
    pub failures: Vec<Failure>,
    /// How many calls were decided.
    pub calls: u64,
}

/// Runs a test. `lines` are those of its file, with their numbers, if its trace is in one.
#[must_use]
pub fn run(contract: &Interpreted, case: &Case, lines: &[(u64, Line)]) -> Outcome {
    let player = Player::new(Stage { mode: case.mode, start: case.start, ..Stage::new(contract) });
    let mut run = Run { contract, case, player, begun: BTreeSet::new(), before: None, outcome: Outcome::default() };
    match &case.script {
        Script::Lines(lines) => {
            for (number, scripted) in (1..).zip(lines) {
                let place = Place::Contract(scripted.span);
                let line = run.timed(scripted);
                run.line(number, place, line, scripted.expected.as_ref());
            }
        }
        Script::File(_) => {
            lines.iter().for_each(|(number, line)| run.line(*number, Place::Trace(*number), line.clone(), None));
        }
    }
    run.finish()
}

struct Run<'r> {
    contract: &'r Interpreted,
    case: &'r Case,
    player: Player<'r>,
    /// The sessions that have begun.
    begun: BTreeSet<String>,
    /// The time of the line before.
    before: Option<Time>,
    outcome: Outcome,
}

impl Run<'_> {
    /// The line at its time.
    fn timed(&self, scripted: &Scripted) -> Line {
        let later = |later| self.before.unwrap_or(self.case.start).checked_add(later);
        Line { at: scripted.line.at.or_else(|| scripted.later.and_then(later)), ..scripted.line.clone() }
    }

    fn line(&mut self, number: u64, place: Place, line: Line, said: Option<&Expected>) {
        let mut steps = Vec::new();
        if self.begun.insert(line.session.clone())
            && let (Some(facts), false) = (&self.case.context, matches!(line.body, Body::Context(_)))
        {
            let context =
                Line { session: line.session.clone(), at: Some(self.time(&line)), body: Body::Context(facts.clone()) };
            self.play(number, place, context, &mut steps);
        }
        let at = self.time(&line);
        self.before = Some(at);
        let id = match &line.body {
            Body::Call(call, _) => Some(call.id.clone()),
            _ => None,
        };
        let listed =
            id.and_then(|id| self.case.expect.iter().find(|(call, _)| *call == id)).map(|(_, expected)| expected);
        let fine = Expected::fine(Span::default());
        let expected = said.or(listed).unwrap_or(&fine);
        self.play(number, place, Line { at: Some(at), ..line }, &mut steps);
        self.compare(place, steps, expected);
    }

    /// The time of a line: as stated, or one second after the line before.
    fn time(&self, line: &Line) -> Time {
        let second = contract_runtime::Duration::from_nanos(1_000_000_000);
        let next = |before: Time| before.checked_add(second).unwrap_or(before);
        line.at.unwrap_or_else(|| self.before.map_or(self.case.start, next))
    }

    fn play(&mut self, number: u64, place: Place, line: Line, steps: &mut Vec<Step>) {
        if let Err(message) = self.player.play(number, line, steps) {
            self.fail(place, "the line", "played", &"yes".into(), &message.into(), &[]);
        }
    }

    fn compare(&mut self, place: Place, steps: Vec<Step>, expected: &Expected) {
        let mut all = Vec::new();
        let mut of = String::new();
        for step in steps {
            match step {
                Step::Began => {}
                Step::Backwards { stated, latest } => {
                    let found = format!("{stated}, when it is {latest} already");
                    self.fail(place, "the line", "time", &"one that is not over".into(), &found.into(), &[]);
                }
                Step::Decided(call, decided) => {
                    of = format!("call `{}` of `{}`", call.id, call.tool);
                    if !self.decided(place, &of, &call, &decided, expected) {
                        return;
                    }
                    all.extend(decided.findings);
                }
                Step::Came(came) => {
                    if of.is_empty() {
                        of = format!("result of call `{}`", came.id);
                    }
                    self.came(place, &of, &came, expected);
                    all.extend(came.findings);
                }
                Step::Happened { event, findings } => {
                    of = format!("event `{event}`");
                    all.extend(findings);
                }
                Step::Ended(_, summary) => {
                    let ends = expected.verdicts.as_ref().unwrap_or(&self.case.verdicts);
                    self.ended(place, &summary.verdicts, ends);
                }
            }
        }
        let info = self.contract.info();
        let reports: BTreeSet<_> = all.iter().map(|finding| finding.id(info)).collect();
        let found: Vec<_> = reports.into_iter().collect();
        if let Some(wanted) = expected.reports().filter(|wanted| !of.is_empty() && *wanted != found) {
            let because = self.because(&all);
            self.fail(place, &of, "rules", &wanted.into(), &found.into(), &because);
        }
    }

    /// Compares a decision; `false` if it is another, and nothing more is to be compared.
    fn decided(&mut self, place: Place, of: &str, call: &RecordedCall, decided: &Decided, expected: &Expected) -> bool {
        self.outcome.calls = self.outcome.calls.saturating_add(1);
        let because = match &decided.refusal {
            Some(refusal) => refusal.lines().map(str::to_owned).collect(),
            None => self.because(&decided.findings),
        };
        if decided.decision != expected.decision {
            let (wanted, found) = (expected.decision.as_str(), decided.decision.as_str());
            self.fail(place, of, "decision", &wanted.into(), &found.into(), &because);
            return false;
        }
        if let Some(message) = &expected.message {
            let found = decided.refusal.as_deref().unwrap_or_default();
            if !found.contains(message.as_str()) {
                self.fail(place, of, "message", &message.as_str().into(), &found.into(), &because);
            }
        }
        let args = expected.args.as_ref().unwrap_or(&call.args);
        let found = decided.rewritten.as_ref().unwrap_or(&call.args);
        if found != args && (decided.runs || expected.args.is_some()) {
            self.fail(place, of, "args", args, found, &because);
        }
        true
    }

    fn came(&mut self, place: Place, of: &str, came: &Came, expected: &Expected) {
        let because = self.because(&came.findings);
        let shown = match came.shown {
            Shown::All => Seen::Whole,
            Shown::Redacted => Seen::Redacted,
            Shown::Nothing => Seen::Withheld,
        };
        if shown != expected.shown {
            self.fail(place, of, "shown", &expected.shown.as_str().into(), &shown.as_str().into(), &because);
        } else if let Some(sees) = expected.sees.as_ref().filter(|sees| **sees != came.seen) {
            self.fail(place, of, "sees", sees, &came.seen, &because);
        }
        if let Some(outcome) = expected.outcome.filter(|outcome| *outcome != came.status) {
            self.fail(place, of, "outcome", &outcome.as_str().into(), &came.status.as_str().into(), &because);
        }
    }

    fn ended(&mut self, place: Place, verdicts: &[(String, Verdict)], ends: &Ends) {
        for (rule, found) in verdicts {
            let wanted = ends.get(rule);
            let fine = wanted.map_or(*found != Verdict::Violated, |wanted| wanted == found);
            if !fine {
                let wanted = wanted.map_or("not violated", |wanted| wanted.as_str());
                self.fail(
                    place,
                    &format!("end, rule `{rule}`"),
                    "verdict",
                    &wanted.into(),
                    &found.as_str().into(),
                    &[],
                );
            }
        }
    }

    /// Ends the sessions that are left.
    fn finish(mut self) -> Outcome {
        let place = Place::Contract(self.case.span);
        for (_, running) in self.player.left() {
            let (_, summary) = running.end();
            let case = self.case;
            self.ended(place, &summary.verdicts, &case.verdicts);
        }
        self.outcome
    }

    /// What the findings say, each in words.
    fn because(&self, findings: &[Finding]) -> Vec<String> {
        let info = self.contract.info();
        let words = |finding: &Finding| match &finding.message {
            Some(message) => format!("{} is {}: {message}", finding.id(info), finding.verdict.as_str()),
            None => format!("{} is {}", finding.id(info), finding.verdict.as_str()),
        };
        findings.iter().map(words).collect()
    }

    fn fail(
        &mut self,
        place: Place,
        of: &str,
        what: &'static str,
        expected: &Value,
        found: &Value,
        because: &[String],
    ) {
        let (of, because) = (of.to_owned(), because.to_vec());
        self.outcome.failures.push(Failure {
            place,
            of,
            what,
            expected: expected.clone(),
            found: found.clone(),
            because,
        });
    }
}
