//! What a journal comes to: the first of two passes.
//!
//! INVARIANT: memory does not grow with the journal. Every table has a bound, and says when it was reached; every text is kept up to
//! a length.
//!
//! INVARIANT: what happened before a session diverged and what happened after it are counted apart, everywhere. In shadow mode a
//! session goes on after a call that enforcement would have stopped; what follows is another run than the enforced one would have
//! been, and a rate over both is a rate of nothing.

use std::collections::{BTreeMap, VecDeque};

use contract_runtime::journal::reader::Entry;
use contract_runtime::journal::record::{
    Body, Capture, Decided, Finding, Id, Key, Outcome, Record, Seen, SessionEnd, SessionStart, Why,
};
use contract_runtime::{Answer, Decision, Mode, RefusalKind, Status, Time, Verdict};

use super::contracts::{Contracts, Number};
use super::kept;
use super::table::{Listing, Table};

/// The most tools, and the most rules, that are counted apart.
const MOST_NAMES: usize = 500;
/// The most reasons for which calls were stopped.
const MOST_REASONS: usize = 300;
/// The most sessions that are followed at a time.
const MOST_SESSIONS: usize = 20_000;
/// The most calls that are followed at a time.
const MOST_FLIGHTS: usize = 50_000;
/// The most things of a kind that are listed one by one.
const MOST_LISTED: usize = 50;
/// The most rules of a reason.
const MOST_RULES: usize = 8;

/// A rule of a contract.
pub(super) type RuleKey = (Number, String);

/// Before and after divergence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sides<T> {
    pub(super) before: T,
    pub(super) after: T,
}

impl<T> Sides<T> {
    fn of(&mut self, after: bool) -> &mut T {
        if after { &mut self.after } else { &mut self.before }
    }
}

/// How many calls were decided how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Calls {
    pub(super) all: u64,
    pub(super) allow: u64,
    pub(super) alert: u64,
    pub(super) ask: u64,
    pub(super) block: u64,
    /// Did not run.
    pub(super) stopped: u64,
    /// Ran, although the decision was to block it or to ask, and nobody approved.
    pub(super) let_through: u64,
    pub(super) unevaluated: u64,
    /// Ended as failed or unknown.
    pub(super) failed: u64,
}

impl Calls {
    fn count(&mut self, call: &Decided<'_>) {
        let by_decision = match call.decision {
            Decision::Allow => &mut self.allow,
            Decision::Alert => &mut self.alert,
            Decision::Ask => &mut self.ask,
            Decision::Block => &mut self.block,
        };
        bump(by_decision);
        bump(&mut self.all);
        if !call.ran {
            bump(&mut self.stopped);
        } else if let_through(call) {
            bump(&mut self.let_through);
        }
        if !call.evaluated {
            bump(&mut self.unevaluated);
        }
    }
}

/// How often a rule had something to say, by what it asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) block: u64,
    pub(super) ask: u64,
    pub(super) alert: u64,
    /// Of a result, a host event or time.
    pub(super) later: u64,
    /// At the end of a session.
    pub(super) end: u64,
}

/// For which reason a call was stopped, or would have been.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Stop {
    pub(super) after_divergence: bool,
    pub(super) ran: bool,
    pub(super) tool: String,
    pub(super) decision: &'static str,
    pub(super) refusal: Option<&'static str>,
    pub(super) contract: Number,
    pub(super) rules: Vec<(String, &'static str, Option<u64>)>,
}

/// A record that the page leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) seq: u64,
    pub(super) at: Time,
    pub(super) session: String,
}

/// The calls of one reason.
#[derive(Clone, Debug, Default)]
pub(super) struct Stops {
    pub(super) count: u64,
    pub(super) first: Option<Place>,
    pub(super) last: Option<Place>,
    /// What would have helped the first one, by rule.
    pub(super) help: Vec<Option<String>>,
}

/// The moves of a rule's automaton by which it was violated.
#[derive(Clone, Debug)]
pub(super) struct Moves {
    pub(super) violated: u64,
    /// States before and after.
    pub(super) moves: Table<(Vec<u64>, Vec<u64>), u64>,
}

impl Default for Moves {
    fn default() -> Self {
        Self { violated: 0, moves: Table::new(32) }
    }
}

/// Something that stands in a list by itself, in words.
#[derive(Clone, Debug)]
pub(super) struct Note {
    pub(super) place: Place,
    pub(super) text: String,
}

#[derive(Clone, Debug)]
struct Running {
    contract: Number,
    start: Place,
    diverged: bool,
}

#[derive(Clone, Debug)]
struct Flight {
    place: Place,
    tool: String,
    after: bool,
}

/// How much of a journal a page takes in. Browsers have bounds, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// The most records in the timeline: the latest.
    pub(crate) records: usize,
    /// The most bytes of them.
    pub(crate) bytes: usize,
}

/// What a journal comes to.
#[derive(Clone, Debug)]
pub(crate) struct Tally {
    pub(super) records: u64,
    pub(super) unreadable: u64,
    /// The lengths of the latest lines that fit into the page.
    tail: VecDeque<usize>,
    tail_bytes: usize,
    bounds: Bounds,
    /// The first bad line, by its file and number, and how many lines are before it.
    bad: Option<(String, u64)>,
    pub(super) broken_at: Option<u64>,
    pub(super) journal: Option<Id>,
    pub(super) key: Option<Key>,
    pub(super) programs: Listing<String>,
    pub(super) captured: bool,
    pub(super) first: Option<Time>,
    pub(super) last: Option<Time>,
    pub(super) sessions: u64,
    pub(super) resumed: u64,
    pub(super) shadow: u64,
    pub(super) diverged: u64,
    pub(super) calls: Sides<Calls>,
    pub(super) tools: Table<String, Sides<Calls>>,
    pub(super) rules: Table<RuleKey, Sides<Said>>,
    pub(super) stops: Table<Stop, Stops>,
    pub(super) moves: Table<RuleKey, Moves>,
    pub(super) contracts: Contracts,
    /// Requests for approval that were approved, denied, expired, not open any more.
    pub(super) answers: [u64; 4],
    pub(super) unmet: Listing<(Note, RuleKey)>,
    pub(super) gaps: Listing<Note>,
    pub(super) missing: u64,
    pub(super) recoveries: Listing<Note>,
    pub(super) reanchors: Listing<Note>,
    pub(super) keys: Listing<Note>,
    pub(super) withheld: Listing<Note>,
    running: BTreeMap<String, Running>,
    crowded: bool,
    flights: BTreeMap<u64, Flight>,
    untracked: u64,
}

impl Tally {
    /// Of a journal whose first bad line, if it has one, is this.
    pub(crate) fn new(bounds: Bounds, bad: Option<(String, u64)>) -> Self {
        Self {
            records: 0,
            unreadable: 0,
            tail: VecDeque::new(),
            tail_bytes: 0,
            bounds,
            bad,
            broken_at: None,
            journal: None,
            key: None,
            programs: Listing::new(4),
            captured: false,
            first: None,
            last: None,
            sessions: 0,
            resumed: 0,
            shadow: 0,
            diverged: 0,
            calls: Sides::default(),
            tools: Table::new(MOST_NAMES),
            rules: Table::new(MOST_NAMES),
            stops: Table::new(MOST_REASONS),
            moves: Table::new(MOST_NAMES),
            contracts: Contracts::default(),
            answers: [0; 4],
            unmet: Listing::new(MOST_LISTED),
            gaps: Listing::new(MOST_LISTED),
            missing: 0,
            recoveries: Listing::new(MOST_LISTED),
            reanchors: Listing::new(MOST_LISTED),
            keys: Listing::new(MOST_LISTED),
            withheld: Listing::new(MOST_LISTED),
            running: BTreeMap::new(),
            crowded: false,
            flights: BTreeMap::new(),
            untracked: 0,
        }
    }

    /// Takes a line.
    pub(crate) fn line(&mut self, entry: &Entry, length: usize) {
        let is_bad = |(file, line): &(String, u64)| *line == entry.line && *file == entry.file.name();
        if self.bad.as_ref().is_some_and(is_bad) {
            self.broken_at = Some(self.lines());
        }
        self.tail.push_back(length);
        self.tail_bytes = self.tail_bytes.saturating_add(length);
        while self.tail.len() > self.bounds.records.max(1)
            || (self.tail_bytes > self.bounds.bytes && self.tail.len() > 1)
        {
            self.tail_bytes = self.tail_bytes.saturating_sub(self.tail.pop_front().unwrap_or_default());
        }
        match &entry.record {
            Ok(record) => self.take(record),
            Err(_) => bump(&mut self.unreadable),
        }
    }

    /// How many lines there are.
    pub(super) fn lines(&self) -> u64 {
        self.records.saturating_add(self.unreadable)
    }

    /// How many lines the page shows: the latest.
    pub(super) fn shown(&self) -> usize {
        self.tail.len()
    }

    fn take(&mut self, record: &Record) {
        bump(&mut self.records);
        let at = record.head.at;
        self.first = Some(self.first.map_or(at, |first| first.min(at)));
        self.last = Some(self.last.map_or(at, |last| last.max(at)));
        let session = kept(record.head.session.as_deref().unwrap_or_default());
        let place = Place { seq: record.head.seq, at, session };
        let note = |text: String| Note { place: place.clone(), text };
        match &record.body {
            Body::Genesis(genesis) => {
                self.journal = Some(record.head.journal);
                self.key = genesis.key;
                self.captured |= genesis.content == Capture::Captured;
                self.program(&genesis.program);
            }
            Body::Contract(contract) => self.contracts.record(contract),
            Body::SessionStart(start) => self.start(start, place),
            Body::Decided(call) => self.decided(call, place),
            Body::Outcome(outcome) => self.outcome(outcome, place),
            Body::Event(event) => self.later(&event.findings, &place),
            Body::Passed(passed) => self.later(&passed.findings, &place),
            Body::SessionEnd(end) => self.end(end, &place),
            Body::KeyChange(change) => {
                self.key = Some(change.key);
                self.keys.push(note(format!("another key signs from here on: {}", change.key)));
            }
            Body::SecretChange(_) => self.keys.push(note("another secret makes the digests from here on".to_owned())),
            Body::Recovery(torn) => {
                let text = format!("{} bytes of a torn line were moved to {}", torn.bytes, kept(&torn.file));
                self.recoveries.push(note(text));
            }
            Body::Gap(gap) => {
                self.missing = self.missing.saturating_add(gap.missing);
                self.gaps.push(note(format!(
                    "{} could not be written: {}",
                    super::html::plural(gap.missing, "record"),
                    kept(&gap.why)
                )));
            }
            Body::Reanchor(anchor) => {
                let broken = &anchor.broken;
                let signed = if anchor.signature.is_some() { "signed" } else { "not signed" };
                self.reanchors.push(note(format!(
                    "follows {}, which does not verify ({} at line {}); {signed}. Reason given: {}",
                    kept(&broken.file),
                    kept(&broken.problem),
                    broken.line,
                    kept(&anchor.reason)
                )));
            }
            Body::Approval(approval) => {
                let [approved, denied, expired, late] = &mut self.answers;
                bump(match approval.answer {
                    Answer::Approved => approved,
                    Answer::Denied => denied,
                    Answer::Expired => expired,
                    Answer::NotOpen => late,
                });
            }
            Body::Retirement(_) | Body::Notice(_) | Body::Checkpoint(_) => {}
        }
    }

    fn program(&mut self, program: &str) {
        let program = kept(program);
        if !self.programs.first.contains(&program) {
            self.programs.push(program);
        }
    }

    fn start(&mut self, start: &SessionStart<'_>, place: Place) {
        bump(if start.resumed { &mut self.resumed } else { &mut self.sessions });
        if start.mode == Mode::Shadow && !start.resumed {
            bump(&mut self.shadow);
        }
        self.program(&start.program);
        let contract = self.contracts.used(&start.contract);
        if self.running.len() >= MOST_SESSIONS && !self.running.contains_key(&place.session) {
            self.crowded = true;
            return;
        }
        self.running.insert(place.session.clone(), Running { contract, start: place, diverged: false });
    }

    fn contract_of(&self, session: &str) -> Number {
        self.running.get(session).map_or(Number::UNKNOWN, |running| running.contract)
    }

    fn decided(&mut self, call: &Decided<'_>, place: Place) {
        let after = call.after_divergence;
        let contract = self.contract_of(&place.session);
        let tool = kept(&call.tool);
        self.calls.of(after).count(call);
        self.tools.of(tool.clone()).of(after).count(call);
        if after
            && let Some(running) = self.running.get_mut(&place.session)
            && !std::mem::replace(&mut running.diverged, true)
        {
            bump(&mut self.diverged);
        }
        for finding in &call.findings {
            let said = self.rules.of((contract, kept(&finding.rule))).of(after);
            match finding.action {
                Decision::Block => bump(&mut said.block),
                Decision::Ask => bump(&mut said.ask),
                Decision::Alert => bump(&mut said.alert),
                Decision::Allow => {}
            }
            self.violated(contract, finding);
        }
        if !call.ran || let_through(call) {
            self.stop(call, contract, &place);
        }
        if call.ran {
            if self.flights.len() < MOST_FLIGHTS {
                self.flights.insert(place.seq, Flight { place, tool, after });
            } else {
                bump(&mut self.untracked);
            }
        }
    }

    fn stop(&mut self, call: &Decided<'_>, contract: Number, place: &Place) {
        let stopping = || call.findings.iter().filter(|finding| finding.action >= Decision::Ask).take(MOST_RULES);
        let rule = |finding: &Finding<'_>| (kept(&finding.rule), finding.reason.as_str(), finding.clause);
        let stop = Stop {
            after_divergence: call.after_divergence,
            ran: call.ran,
            tool: kept(&call.tool),
            decision: call.decision.as_str(),
            refusal: call.refusal.map(RefusalKind::as_str),
            contract,
            rules: stopping().map(rule).collect(),
        };
        let stops = self.stops.of(stop);
        if stops.first.is_none() {
            stops.first = Some(place.clone());
            stops.help = stopping().map(|finding| finding.help.as_deref().map(kept)).collect();
        }
        stops.last = Some(place.clone());
        bump(&mut stops.count);
    }

    fn outcome(&mut self, outcome: &Outcome<'_>, place: Place) {
        let flight = outcome.decision.and_then(|seq| self.flights.remove(&seq));
        if flight.is_none() && outcome.decision.is_some() {
            self.untracked = self.untracked.saturating_sub(1);
        }
        if outcome.status != Status::Ok {
            let after = flight.is_some_and(|flight| flight.after);
            bump(&mut self.calls.of(after).failed);
            bump(&mut self.tools.of(kept(&outcome.tool)).of(after).failed);
        }
        if outcome.shown == Seen::Withheld {
            let rules: Vec<_> = outcome.findings.iter().take(MOST_RULES).map(|finding| kept(&finding.rule)).collect();
            let by = if rules.is_empty() { String::new() } else { format!(" by {}", rules.join(", ")) };
            let text = format!("the result of {} was withheld{by}", kept(&outcome.tool));
            self.withheld.push(Note { place: place.clone(), text });
        }
        self.later(&outcome.findings, &place);
    }

    /// What is found of a result, a host event or time.
    fn later(&mut self, findings: &[Finding<'_>], place: &Place) {
        let running = self.running.get(&place.session);
        let (contract, after) =
            running.map_or((Number::UNKNOWN, false), |running| (running.contract, running.diverged));
        for finding in findings {
            bump(&mut self.rules.of((contract, kept(&finding.rule))).of(after).later);
            self.violated(contract, finding);
        }
    }

    fn end(&mut self, end: &SessionEnd<'_>, place: &Place) {
        let running = self.running.remove(&place.session);
        let (contract, after) =
            running.map_or((Number::UNKNOWN, false), |running| (running.contract, running.diverged));
        for finding in &end.findings {
            let key = (contract, kept(&finding.rule));
            bump(&mut self.rules.of(key.clone()).of(after).end);
            self.violated(contract, finding);
            let of_key = finding.key.map(|key| format!(", key {}", short(&key.to_string()))).unwrap_or_default();
            let why = match finding.reason {
                Why::Ended | Why::Rule => String::new(),
                why => format!(", {}", why.as_str().replace('_', " ")),
            };
            let text = format!("{}{of_key}{why}", finding.verdict.as_str());
            self.unmet.push((Note { place: place.clone(), text }, key));
        }
    }

    fn violated(&mut self, contract: Number, finding: &Finding<'_>) {
        if finding.verdict != Verdict::Violated {
            return;
        }
        let moves = self.moves.of((contract, kept(&finding.rule)));
        bump(&mut moves.violated);
        if let Some(states) = &finding.states {
            let few = |states: &[u64]| states.iter().copied().take(64).collect::<Vec<_>>();
            bump(moves.moves.of((few(&states.before), few(&states.after))));
        }
    }

    /// Sessions without an end, and whether there were too many to follow.
    pub(super) fn unended(&self) -> (impl ExactSizeIterator<Item = &Place>, bool) {
        (self.running.values().map(|running| &running.start), self.crowded)
    }

    /// Calls that ran, as far as is known, and of which no outcome is recorded: how many, and those that were followed.
    pub(super) fn unfinished(&self) -> (u64, impl Iterator<Item = (&Place, &str)>) {
        let all = (self.flights.len() as u64).saturating_add(self.untracked);
        (all, self.flights.values().map(|flight| (&flight.place, flight.tool.as_str())))
    }

    /// The calls of both sides: a number of records, never the base of a rate.
    pub(super) fn all_calls(&self, of: impl Fn(&Calls) -> u64) -> u64 {
        of(&self.calls.before).saturating_add(of(&self.calls.after))
    }
}

/// Whether a call ran although it was decided to stop it: in shadow mode.
fn let_through(call: &Decided<'_>) -> bool {
    call.ran && (call.decision == Decision::Block || (call.decision == Decision::Ask && !call.approved))
}

/// The start of a digest, for people.
pub(super) fn short(digest: &str) -> String {
    digest.chars().take(12).collect()
}

fn bump(count: &mut u64) {
    *count = count.saturating_add(1);
}
