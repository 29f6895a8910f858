//! A session that can be taken up again from any moment: the contract's own monitor, with what a session keeps besides.
//!
//! INVARIANT: it decides as a session does. What it finds is played through a session before anybody hears of it.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::rc::Rc;

use contract_runtime::{
    Consent, Context, Decision, Duration, EventView, Finding, Mode, Monitor as _, OutcomeView, Posture, Reason, Seed,
    Subject, Time, Verdict,
};
use serde_json::Value;

use crate::interpret::{Flight, Happened, Interpreted, Interpreter};
use crate::trace::{Recorded, RecordedCall};

/// When sessions begin: 2026-01-01T10:00:00Z.
const BEGIN: Time = Time::from_nanos(1_767_261_600_000_000_000);

/// A session at one moment.
#[derive(Clone, Debug)]
pub(super) struct World {
    monitor: Interpreter,
    mode: Mode,
    context: Rc<Context>,
    pub(super) now: Time,
    pub(super) flights: Vec<InFlight>,
    /// How many calls there were.
    pub(super) calls: u64,
    /// The patterns of the watched rule that have happened.
    pub(super) matched: u16,
    /// Whether one event has matched all the watched patterns.
    pub(super) lettered: bool,
    /// Whether one event has made all the watched commits.
    pub(super) committed: bool,
    watched: Watched,
}

/// What is remembered of the way besides what the monitor remembers.
#[derive(Clone, Debug)]
pub(super) struct Watched {
    pub(super) rule: Option<usize>,
    /// Patterns of the rule, as the bits of a letter.
    pub(super) letter: u8,
    pub(super) commits: Rc<[usize]>,
}

/// A call that runs.
#[derive(Clone, Debug)]
pub(super) struct InFlight {
    pub(super) call: Rc<RecordedCall>,
    pub(super) number: u64,
    args: Option<Rc<Value>>,
    flight: Flight,
}

/// What became of a call.
#[derive(Debug)]
pub(super) struct Ruled {
    pub(super) decision: Decision,
    pub(super) runs: bool,
    /// The rules with a finding, ascending.
    pub(super) rules: Vec<usize>,
    /// What they say, and why.
    pub(super) marks: Vec<Mark>,
}

/// A finding without its words.
pub(super) type Mark = (Subject, Verdict, Reason);

impl World {
    /// A session begins; `None` if it cannot with these facts.
    pub(super) fn begin(contract: &Interpreted, context: Option<&Value>, watched: Watched) -> Option<Self> {
        let declared = &contract.info().context;
        let context = context.map_or_else(|| Ok(Context::empty()), |facts| Context::new(declared, facts)).ok()?;
        let mut monitor = contract.monitor();
        monitor.seed(Seed([7; 16]));
        Some(Self {
            monitor,
            mode: contract.contract().mode,
            context: Rc::new(context),
            now: BEGIN,
            flights: Vec::new(),
            calls: 0,
            matched: 0,
            lettered: false,
            committed: false,
            watched,
        })
    }

    /// Whether a pattern of a rule matches a call that is about to be made.
    pub(super) fn speaks(&self, rule: usize, call: &RecordedCall) -> bool {
        self.monitor.matched(rule, Happened::Call(call.view(&call.args, self.now, &self.context))) != 0
    }

    /// Makes a call.
    pub(super) fn call(&mut self, call: &Rc<RecordedCall>) -> Ruled {
        self.calls = self.calls.saturating_add(1);
        let consent = if call.approved { Consent::Given } else { Consent::None };
        let posture = Posture::new(self.mode, None, consent);
        self.monitor.advance(self.now);
        let context = Rc::clone(&self.context);
        let seen = call.view(&call.args, self.now, &context);
        let rewriting = self.monitor.rewrite(&seen, posture);
        let args = rewriting.args.as_ref().map(|args| Rc::new(args.clone()));
        let seen = call.view(args.as_deref().unwrap_or(&call.args), self.now, &context);
        let matched = self.watched.rule.map_or(0, |rule| self.monitor.matched(rule, Happened::Call(seen)));
        let ruling = self.monitor.before(&seen, &rewriting, posture);
        let runs = ruling.flight.is_some();
        if let Some(flight) = ruling.flight {
            let number = self.calls.saturating_sub(1);
            self.flights.push(InFlight { call: Rc::clone(call), number, args, flight });
            self.matches(matched);
        }
        let marks = ruling.findings.iter().map(|finding| (finding.subject, finding.verdict, finding.reason)).collect();
        Ruled { decision: ruling.decision, runs, rules: rules(&ruling.findings), marks }
    }

    /// The result of a call in flight, by its place among them.
    pub(super) fn settle(&mut self, place: usize, result: &Recorded) {
        if place >= self.flights.len() {
            return;
        }
        let InFlight { call, args, flight, .. } = self.flights.remove(place);
        let posture = Posture::new(self.mode, None, if call.approved { Consent::Given } else { Consent::None });
        self.monitor.advance(self.now);
        let context = Rc::clone(&self.context);
        let seen = call.view(args.as_deref().unwrap_or(&call.args), self.now, &context);
        let outcome = OutcomeView { status: result.status, value: result.value.as_ref() };
        self.look(Happened::Result(seen, &flight, outcome));
        self.monitor.after(&seen, flight, outcome, posture);
    }

    /// The result of the latest call.
    pub(super) fn settle_last(&mut self, result: &Recorded) {
        self.settle(self.flights.len().saturating_sub(1), result);
    }

    /// A host event.
    pub(super) fn event(&mut self, name: &str, value: &Value) {
        self.monitor.advance(self.now);
        let context = Rc::clone(&self.context);
        let event = EventView { name, value, now: self.now, context: &context };
        self.look(Happened::Event(event));
        self.monitor.event(&event);
    }

    /// Time goes by.
    pub(super) fn wait(&mut self, duration: Duration) -> bool {
        let Some(now) = self.now.checked_add(duration) else { return false };
        self.now = now;
        self.monitor.advance(now);
        true
    }

    /// The verdict of a rule.
    pub(super) fn verdict(&self, rule: usize) -> Verdict {
        self.monitor.verdict(rule)
    }

    fn look(&mut self, happened: Happened<'_>) {
        if let Some(rule) = self.watched.rule {
            let matched = self.monitor.matched(rule, happened);
            self.matches(matched);
        }
        let commits = &self.watched.commits;
        self.committed |= !commits.is_empty() && commits.iter().all(|commit| self.monitor.commits(*commit, happened));
    }

    /// An event has matched these patterns of the watched rule.
    fn matches(&mut self, matched: u16) {
        let letter = u16::from(self.watched.letter);
        self.matched |= matched;
        self.lettered |= letter != 0 && matched & letter == letter;
    }

    /// What tells the moment from others, as far as what comes next depends on it.
    pub(super) fn key(&self, timed: bool, counted: bool) -> u128 {
        let mut saved = self.monitor.save();
        if let (Value::Object(saved), false) = (&mut saved, counted) {
            saved.remove("position");
        }
        let text = saved.to_string();
        let half = |salt: u8| {
            let mut hasher = DefaultHasher::new();
            (salt, &text, self.matched, self.lettered, self.committed, timed.then_some(self.now)).hash(&mut hasher);
            for flight in &self.flights {
                (&flight.call.tool, flight.call.args.to_string()).hash(&mut hasher);
            }
            u128::from(hasher.finish())
        };
        (half(0) << 64) | half(1)
    }
}

/// The rules that findings are of, ascending, each once.
fn rules(findings: &[Finding]) -> Vec<usize> {
    let mut all: Vec<usize> = findings
        .iter()
        .filter_map(|finding| match finding.subject {
            Subject::Rule(index) => Some(usize::from(index)),
            _ => None,
        })
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}
