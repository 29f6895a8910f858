//! A reference engine: the meaning of contracts, by the letter and without any speed.
//!
//! It keeps the whole trace and reads every answer off it. It shares no code with the interpreter, the generated code or
//! the runtime: values, patterns, automata, registers, instances, state and decisions are written a second time, from the
//! definitions. What the engines compute step by step in tables must agree with it.
//!
//! | the meaning says | here |
//! |---|---|
//! | numbers are exact decimals; inexact ones are not established | [`number`] |
//! | `==` between types is not established, except with null; order only within a type; membership is a disjunction | [`value`] |
//! | predicates are Kleene; missing paths and mismatches are not established; `has` and `is_…` are definite | [`expr`], [`function`], [`text`] |
//! | phases, subjects and conditions of patterns; `unknown` is "ok or failed" for patterns that do not name it | [`pattern`] |
//! | the LTL meaning of the automaton rules on finite words; colours over all continuations; violating events are left out | [`formula`] |
//! | letters and keys of events; unreadable keys may have hit any instance; intervals, returns, windows, closing | [`history`] |
//! | an instance exists while it differs from a fresh one; `max` bounds live and reserved ones | [`history::History::live`], [`decide`] |
//! | commits read the state before; uncertain changes leave cells, keys and members not established | [`state`] |
//! | effects by argument; outcomes by `succeeds_when`; `default`, `undeclared`, permits | [`effect`] |
//! | decide, then commit; the strongest decision wins; latches; shadow; approvals | [`decide`] |
//! | results, host events, the end of the session | [`Reference::result`], [`Reference::event`], [`Reference::end`] |

#![expect(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a reference for small traces: a panic is a failed test"
)]

pub mod decide;
pub mod effect;
pub mod event;
pub mod expr;
pub mod formula;
pub mod function;
pub mod history;
pub mod number;
pub mod pattern;
pub mod state;
pub mod text;
pub mod value;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use contract_lang::mir::{Contract, Keyed, Kind, Rule};
use contract_runtime::{Decision, Effect, Verdict};
use serde_json::Value as Json;

pub use event::{Call, Status};

use event::Moment;
use expr::Scope;
use history::{History, Key, Seen, Step, patterns};
use state::State;
use value::{Kleene, Value};

/// One rule's report about one event.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The rule's id; `default`, `undeclared`, or `state.` and a cell's name.
    pub rule: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The action that it calls for, in shadow mode too.
    pub action: Decision,
}

/// What is said of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    /// The decision.
    pub decision: Decision,
    /// The decision if nothing were in shadow mode.
    pub would: Decision,
    /// What rules, in file order, and then the default have to say.
    pub findings: Vec<Finding>,
    /// Whether the call runs.
    pub admitted: bool,
}

/// A call that ran.
#[derive(Clone, Debug)]
struct Flight {
    call: Call,
    args: Value,
    effect: Effect,
    /// The rules that keep a slot for its outcome.
    reserved: Vec<usize>,
    ended: bool,
}

/// A session.
#[derive(Clone, Debug)]
pub struct Reference<'c> {
    contract: &'c Contract,
    context: Vec<Option<Value>>,
    now: i128,
    state: State,
    flights: Vec<Flight>,
    outcomes: BTreeMap<String, Status>,
    /// By rule: its events.
    seen: Vec<Vec<Seen>>,
    /// By rule: the worst of what ran although it violated.
    latches: Vec<Verdict>,
}

impl<'c> Reference<'c> {
    /// A session before its first event.
    pub fn new(contract: &'c Contract) -> Self {
        Self {
            contract,
            context: vec![None; contract.context.len()],
            now: i128::MIN,
            state: state::initial(contract),
            flights: Vec::new(),
            outcomes: BTreeMap::new(),
            seen: vec![Vec::new(); contract.rules.len()],
            latches: vec![Verdict::Satisfied; contract.rules.len()],
        }
    }

    /// Takes the context. A fact that is absent or of another type than declared is not established.
    pub fn context(&mut self, facts: &Json) {
        let declared = self.contract.context.iter();
        self.context =
            declared.map(|(name, ty)| state::fitting(ty, &Value::from_json(facts.get(name)?), usize::MAX)).collect();
    }

    /// Takes the result of a call. That of a call that does not run is ignored.
    pub fn result(&mut self, id: &str, said: Status, value: Option<&Json>, at: i128) -> Vec<Finding> {
        let Some(flight) = self.flights.iter_mut().find(|flight| flight.call.id == id && !flight.ended) else {
            return Vec::new();
        };
        flight.ended = true;
        let flight = flight.clone();
        self.now = self.now.max(at);
        let value = value.map(Value::from_json);
        let outcome = {
            let mut scope = self.scope();
            (scope.call, scope.args, scope.result) = (Some(&flight.call), Some(&flight.args), value.as_ref());
            effect::outcome(self.contract, &flight.call, said, value.as_ref(), &scope)
        };
        self.outcomes.insert(id.to_owned(), outcome);
        let moment = Moment::Result {
            call: &flight.call,
            args: &flight.args,
            effect: flight.effect,
            status: outcome,
            result: value.as_ref(),
        };
        self.happened(&moment)
    }

    /// Takes a host event.
    pub fn event(&mut self, name: &str, value: &Json, at: i128) -> Vec<Finding> {
        self.now = self.now.max(at);
        self.happened(&Moment::Host { name, value: &Value::from_json(value) })
    }

    /// Ends the session: calls in flight become unknown, then pending obligations are violations. The verdicts are final.
    pub fn end(&mut self) -> (Vec<Finding>, Vec<(String, Verdict)>) {
        let open: Vec<String> =
            self.flights.iter().filter(|flight| !flight.ended).map(|flight| flight.call.id.clone()).collect();
        let mut findings = Vec::new();
        for id in open {
            findings.extend(self.result(&id, Status::Unknown, None, self.now));
        }
        for (index, rule) in self.contract.rules.iter().enumerate() {
            let pending = self.history(index).pending();
            findings.extend(pending.iter().map(|_| finding(&rule.id, Verdict::Violated, Decision::Alert)));
        }
        let verdicts = self.verdicts().into_iter().map(|(id, verdict)| (id, at_end(verdict))).collect();
        (findings, verdicts)
    }

    /// The verdict of each rule over the trace so far, in file order.
    pub fn verdicts(&self) -> Vec<(String, Verdict)> {
        let rules = self.contract.rules.iter().enumerate();
        rules.map(|(index, rule)| (rule.id.clone(), self.verdict_at(index))).collect()
    }

    /// The verdict of a rule over the trace so far.
    pub fn verdict(&self, rule: &str) -> Option<Verdict> {
        self.verdicts().into_iter().find(|(id, _)| id == rule).map(|(_, verdict)| verdict)
    }

    fn verdict_at(&self, index: usize) -> Verdict {
        self.latches[index].max(self.history(index).verdict())
    }

    /// The keys of a rule whose instances are live.
    pub fn live_keys(&self, rule: &str) -> Option<std::collections::BTreeSet<Key>> {
        let index = self.contract.rules.iter().position(|found| found.id == rule)?;
        Some(self.history(index).live())
    }

    /// What a rule has seen.
    fn history(&self, index: usize) -> History<'_> {
        let rule = &self.contract.rules[index];
        History { rule, seen: &self.seen[index], outcomes: &self.outcomes, now: self.now }
    }

    /// What every expression can read.
    fn scope(&self) -> Scope<'_> {
        Scope { context: &self.context, state: &self.state, now: self.now, ..Scope::default() }
    }

    fn scope_at<'a>(&'a self, moment: &Moment<'a>) -> Scope<'a> {
        let scope = self.scope();
        match *moment {
            Moment::Call { call, args, .. } => Scope { call: Some(call), args: Some(args), ..scope },
            // What nobody knows about an outcome includes the result.
            Moment::Result { call, args, status: Status::Unknown, .. } => {
                Scope { call: Some(call), args: Some(args), ..scope }
            }
            Moment::Result { call, args, result, .. } => Scope { call: Some(call), args: Some(args), result, ..scope },
            Moment::Host { value, .. } => Scope { event: Some(value), ..scope },
        }
    }

    /// Whether another instance fits.
    fn has_room(&self, index: usize, keyed: &Keyed) -> bool {
        let reserved = self.flights.iter().filter(|flight| !flight.ended && flight.reserved.contains(&index)).count();
        self.history(index).live().len() + reserved < keyed.max
    }

    /// What an event is to a rule, before it is known whether there is room for it.
    fn read(&self, rule: &Rule, moment: &Moment<'_>) -> Seen {
        let scope = self.scope_at(moment);
        Seen {
            key: key(rule, moment, &scope),
            no_room: None,
            step: step(rule, moment, &scope),
            counted: true,
            call: match moment {
                Moment::Call { call, .. } => Some(call.id.clone()),
                _ => None,
            },
            at: self.now,
            closes: rule
                .per
                .as_ref()
                .and_then(|keyed| keyed.close_on.as_ref())
                .map_or(Kleene::No, |pattern| pattern::status(pattern, moment, &scope)),
        }
    }

    /// Whether the step of a key that is not live would need an instance for which there is no room.
    fn overflows(&self, index: usize, seen: &Seen) -> bool {
        let rule = &self.contract.rules[index];
        let (Some(keyed), Some(key)) = (&rule.per, &seen.key) else { return false };
        let history = self.history(index);
        if history.live().contains(key) || self.has_room(index, keyed) {
            return false;
        }
        let step = Seen { closes: Kleene::No, ..seen.clone() };
        let longer: Vec<Seen> = self.seen[index].iter().cloned().chain([step]).collect();
        History { seen: &longer, ..history }.standing(Some(key)) != history.standing(None)
    }

    /// A result or host event: rules step, then commits are made.
    fn happened(&mut self, moment: &Moment<'_>) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (index, rule) in self.contract.rules.iter().enumerate() {
            let mut seen = self.read(rule, moment);
            if !seen.step.concerns() && seen.closes == Kleene::No {
                continue;
            }
            let history = self.history(index);
            let verdict = match &seen.key {
                _ if !seen.step.concerns() => Verdict::Satisfied,
                Some(key) => history.look_ahead(Some(key), &seen.step),
                None => history.look_anywhere(&seen.step),
            };
            let full = self.overflows(index, &seen);
            if full {
                seen.no_room = Some(history.live());
            }
            if verdict >= Verdict::Unestablished || full {
                findings.push(finding(&rule.id, verdict.max(Verdict::Unestablished), Decision::Alert));
            }
            if verdict >= Verdict::Unestablished {
                self.latches[index] = self.latches[index].max(verdict);
            }
            self.seen[index].push(seen);
        }
        let (state, failures) = state::commit(self.contract, moment, &self.scope_at(moment));
        self.state = state;
        let report = |cell: &String| finding(&format!("state.{cell}"), Verdict::Unestablished, Decision::Alert);
        findings.extend(failures.iter().map(report));
        findings
    }
}

fn finding(rule: &str, verdict: Verdict, action: Decision) -> Finding {
    Finding { rule: rule.to_owned(), verdict, action }
}

fn at_end(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Satisfied | Verdict::Open => Verdict::Satisfied,
        Verdict::Unestablished => Verdict::Unestablished,
        Verdict::Pending | Verdict::Violated => Verdict::Violated,
    }
}

/// The key of an event: by the first route that speaks of it. `None` if a component is no exact scalar.
fn key(rule: &Rule, moment: &Moment<'_>, scope: &Scope<'_>) -> Option<Key> {
    let Some(keyed) = &rule.per else { return Some(Key::new()) };
    let route = keyed.routes.iter().find(|route| pattern::speaks_of(&route.subject, moment))?;
    let component = |part| {
        let value = scope.value(part)?;
        matches!(value, Value::Text(_) | Value::Number(_) | Value::Bool(_) | Value::Time(_)).then_some(value)
    };
    route.parts.iter().map(component).collect()
}

/// The letters that an event may have: in each reading, the patterns that hold and any of those that may.
fn step(rule: &Rule, moment: &Moment<'_>, scope: &Scope<'_>) -> Step {
    let by_pattern: Vec<Vec<Kleene>> =
        patterns(rule).iter().map(|pattern| pattern::statuses(pattern, moment, scope)).collect();
    let readings = by_pattern.first().map_or(0, Vec::len);
    let mut letters = std::collections::BTreeSet::new();
    for reading in 0..readings {
        let mut words = vec![0u8];
        for (bit, statuses) in by_pattern.iter().enumerate() {
            let with = |letter: &u8| letter | 1 << bit;
            match statuses[reading] {
                Kleene::No => {}
                Kleene::Yes => words = words.iter().map(with).collect(),
                Kleene::Perhaps => words.extend(words.iter().map(with).collect::<Vec<u8>>()),
            }
        }
        letters.extend(words);
    }
    // Patterns that imply one another cannot hold apart.
    if let Kind::Automaton { machine, .. } = &rule.kind {
        letters.retain(|letter| *letter == 0 || machine.letters.contains(letter));
    }
    if letters.is_empty() {
        letters.insert(0);
    }
    let amount = match &rule.kind {
        Kind::Total { amount, .. } => match scope.value(amount) {
            Some(Value::Number(number)) if !number.is_negative() => Some(number),
            _ => None,
        },
        _ => None,
    };
    Step { letters, amount }
}
