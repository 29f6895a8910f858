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
//! | letters and keys of events: fan-outs, broadcasts, keys by phase, events that are left out | [`read`] |
//! | what a key may have become of: unreadable keys may have hit any instance; returns, closing, resets | [`history`] |
//! | the LTL meaning of the automaton rules on finite words; colours over all continuations; violating events are left out | [`formula`] |
//! | formulas that authors wrote, by their meaning on the whole word | [`temporal`] |
//! | counts and sums, for ever and in closed windows | [`counted`] |
//! | different values; ids that are open; deadlines; permissions that expire | [`distinct`], [`open`], [`deadline`], [`permission`] |
//! | an instance exists while it differs from a fresh one; `max` bounds live and reserved ones | [`history::History::live`], [`decide`] |
//! | values that results brought must not appear in arguments | [`flow`] |
//! | commits read the state before; uncertain changes leave cells, keys and members not established; facts get old | [`state`] |
//! | effects by argument; outcomes by `succeeds_when`; `default`, `undeclared`, permits | [`effect`] |
//! | rewrites first; decide, then commit; the strongest decision wins; latches; guards; shadow; approvals | [`rewrite`], [`decide`] |
//! | results: postconditions, then rules, then commits, then redaction | [`review`], [`Reference::result`] |
//! | host events, time that goes by, the end of the session | [`Reference::event`], [`Reference::advance`], [`Reference::end`] |

#![expect(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a reference for small traces: a panic is a failed test"
)]

pub mod counted;
pub mod deadline;
pub mod decide;
pub mod distinct;
pub mod effect;
pub mod event;
pub mod expr;
pub mod flow;
pub mod formula;
pub mod function;
pub mod history;
pub mod number;
pub mod open;
pub mod pattern;
pub mod permission;
pub mod read;
pub mod review;
pub mod rewrite;
pub mod state;
pub mod temporal;
pub mod text;
pub mod value;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use contract_lang::mir::{Contract, Keyed, Kind, Register, Rule};
use contract_runtime::{Decision, Effect, Verdict};
use serde_json::Value as Json;

pub use event::{Call, Status};
pub use review::{Delivery, Settled};

use event::Moment;
use expr::Scope;
use flow::Brought;
use history::{History, Key, Meaning, Seen, Step, Touched};
use state::State;
use value::{Kleene, Value};

/// Why a finding was made, where the meaning says.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// The rule says so, or the default, or a commit.
    Rule,
    /// There was no room for another instance.
    Full,
    /// The time for an obligation was over.
    Expired,
    /// An obligation was open when the session ended, or its key was closed or reset.
    LeftOpen,
    /// An obligation is open while it guards the call.
    Guarded,
    /// The arguments could not be rewritten.
    Rewrite,
    /// They would have been, but for shadow mode.
    Rewritten,
    /// The result would have been redacted, but for shadow mode.
    Redacted,
    /// The arguments hold what the call at this position, of this tool, brought.
    Flow(u64, String),
}

/// One rule's report about one event.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The rule's id; `default`, `undeclared`, or `state.` and a cell's name.
    pub rule: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The action that it calls for, in shadow mode too.
    pub action: Decision,
    /// Why.
    pub cause: Cause,
}

impl Finding {
    /// Of a rule.
    fn new(rule: &str, verdict: Verdict, action: Decision, cause: Cause) -> Self {
        Self { rule: rule.to_owned(), verdict, action, cause }
    }
}

/// What is said of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    /// The decision.
    pub decision: Decision,
    /// The decision if nothing were in shadow mode.
    pub would: Decision,
    /// What rules and the default have to say.
    pub findings: Vec<Finding>,
    /// Whether the call runs.
    pub admitted: bool,
    /// The arguments that it runs with.
    pub args: Value,
}

/// A call that ran.
#[derive(Clone, Debug)]
struct Flight {
    call: Call,
    /// Those that it ran with.
    args: Value,
    effect: Effect,
    position: u64,
    /// The rules that keep slots for its outcome, and how many.
    reserved: Vec<(usize, usize)>,
    ended: bool,
}

/// A call that a person is asked about.
#[derive(Clone, Debug)]
struct Asked {
    call: Call,
    /// Those that it would run with.
    args: Value,
    at: i128,
}

/// How long a person may think.
const PATIENCE: i128 = 600_000_000_000;

/// A session.
#[derive(Clone, Debug)]
pub struct Reference<'c> {
    contract: &'c Contract,
    context: Vec<Option<Value>>,
    now: i128,
    /// How many calls were admitted.
    position: u64,
    state: State,
    flights: Vec<Flight>,
    asked: Vec<Asked>,
    /// By rule: its events.
    seen: Vec<Vec<Seen>>,
    /// By rule: when, by its clock, it was last looked at for obligations that ran out.
    swept: Vec<i128>,
    /// By rule: what results brought.
    brought: Vec<Vec<Brought>>,
    /// By rule: the worst of what ran although it violated.
    latches: Vec<Verdict>,
}

impl<'c> Reference<'c> {
    /// A session before its first event.
    pub fn new(contract: &'c Contract) -> Self {
        let rules = contract.rules.len();
        Self {
            contract,
            context: vec![None; contract.context.len()],
            now: i128::MIN,
            position: 0,
            state: State::initial(contract),
            flights: Vec::new(),
            asked: Vec::new(),
            seen: vec![Vec::new(); rules],
            swept: vec![i128::MIN / 2; rules],
            brought: vec![Vec::new(); rules],
            latches: vec![Verdict::Satisfied; rules],
        }
    }

    /// Takes the context. A fact that is absent or of another type than declared is not established.
    pub fn context(&mut self, facts: &Json) {
        let declared = self.contract.context.iter();
        self.context =
            declared.map(|(name, ty)| state::fitting(ty, &Value::from_json(facts.get(name)?), usize::MAX)).collect();
    }

    /// Time goes by.
    pub fn advance(&mut self, at: i128) -> Vec<Finding> {
        self.now = self.now.max(at);
        self.state.get_old(self.contract, self.now);
        self.run_out(false)
    }

    /// The obligations that ran out since this was last asked, by one of the two clocks.
    fn run_out(&mut self, by_calls: bool) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (index, rule) in self.contract.rules.iter().enumerate() {
            let is_deadline = matches!(&rule.kind, Kind::Register { register: Register::Deadline { .. }, .. });
            if !is_deadline || read::counts_calls(rule) != by_calls {
                continue;
            }
            let expired = self.with_history(index, |history| history.expired(self.swept[index])).unwrap_or_default();
            self.swept[index] = self.clock(rule);
            for (_, verdict) in expired {
                self.latches[index] = self.latches[index].max(verdict);
                findings.push(Finding::new(&rule.id, verdict, Decision::Alert, Cause::Expired));
            }
        }
        findings
    }

    /// Takes the result of a call. That of a call that does not run is ignored.
    pub fn result(&mut self, id: &str, said: Status, value: Option<&Json>, at: i128) -> Option<Settled> {
        let flight = self.flights.iter_mut().find(|flight| flight.call.id == id && !flight.ended)?;
        flight.ended = true;
        let flight = flight.clone();
        let mut findings = self.advance(at);
        let came = value.map(Value::from_json);
        let outcome = {
            let mut scope = self.scope();
            (scope.call, scope.args, scope.result) = (Some(&flight.call), Some(&flight.args), came.as_ref());
            effect::outcome(self.contract, &flight.call, said, came.as_ref(), &scope)
        };
        let moment = |status, result| Moment::Result {
            call: &flight.call,
            args: &flight.args,
            effect: flight.effect,
            status,
            result,
        };
        let as_it_came = moment(outcome, came.as_ref());
        // Nothing has changed yet, so that what follows reads the state before.
        let before = self.clone();
        let mut scope = before.scope();
        (scope.call, scope.args, scope.result) = (Some(&flight.call), Some(&flight.args), came.as_ref());
        let (said, withheld) = if came.is_some() { self.ensure(&as_it_came, &scope) } else { (Vec::new(), false) };
        findings.extend(said);
        let status = if withheld { Status::Unknown } else { outcome };
        if !withheld {
            let call = &flight.call.id;
            for (index, rule) in self.contract.rules.iter().enumerate() {
                if history::returns(rule) {
                    let back = self.returned(rule, call, outcome);
                    self.seen[index].push(back);
                }
                self.brought[index].extend(flow::brought(rule, &as_it_came, &scope, flight.position));
            }
        }
        let moment = moment(status, came.as_ref().filter(|_| !withheld));
        findings.extend(self.step(&moment));
        // What is withheld proves nothing, and changes nothing.
        if !withheld {
            findings.extend(self.commit(&moment));
        }
        let delivery = match value {
            // What is masked is named in any case.
            Some(value) => {
                let (delivery, said) = self.redact(value, &as_it_came, &scope);
                findings.extend(said);
                delivery
            }
            None => Delivery::AsIs,
        };
        Some(Settled { status, findings, delivery: if withheld { Delivery::Withheld } else { delivery } })
    }

    /// A call has ended: what it counted is returned, or perhaps.
    fn returned(&self, rule: &Rule, call: &str, outcome: Status) -> Seen {
        Seen {
            touched: Touched::Nothing,
            no_room: None,
            step: Step::none(),
            call: None,
            at: self.clock(rule),
            closes: Kleene::No,
            resets: Kleene::No,
            returns: Some((call.to_owned(), outcome)),
        }
    }

    /// Takes a host event.
    pub fn event(&mut self, name: &str, value: &Json, at: i128) -> Vec<Finding> {
        let mut findings = self.advance(at);
        let value = Value::from_json(value);
        let moment = Moment::Host { name, value: &value };
        findings.extend(self.step(&moment));
        findings.extend(self.commit(&moment));
        findings
    }

    /// Ends the session: calls in flight become unknown, then pending obligations are violations. The verdicts are final.
    pub fn end(&mut self) -> (Vec<Finding>, Vec<(String, Verdict)>) {
        let open: Vec<String> =
            self.flights.iter().filter(|flight| !flight.ended).map(|flight| flight.call.id.clone()).collect();
        let mut findings = Vec::new();
        for id in open {
            findings.extend(self.result(&id, Status::Unknown, None, self.now).map(|settled| settled.findings));
        }
        let mut findings: Vec<Finding> = findings.into_iter().flatten().collect();
        for (index, rule) in self.contract.rules.iter().enumerate() {
            let (owing, perhaps) = self.with_history(index, |history| history.owing()).unwrap_or_default();
            let left = match (owing.is_empty(), perhaps) {
                (false, _) => Verdict::Violated,
                (true, true) => Verdict::Unestablished,
                (true, false) => Verdict::Satisfied,
            };
            self.latches[index] = self.latches[index].max(left);
            findings.extend(owing.iter().map(|_| left_open(rule)));
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
        let at_rest = self.with_history(index, |history| history.verdict()).unwrap_or(Verdict::Open);
        self.latches[index].max(at_rest)
    }

    /// The keys of a rule whose instances are live.
    pub fn live_keys(&self, rule: &str) -> Option<BTreeSet<Key>> {
        let index = self.contract.rules.iter().position(|found| found.id == rule)?;
        self.with_history(index, |history| history.live())
    }

    /// The time by the clock of a rule.
    fn clock(&self, rule: &Rule) -> i128 {
        if read::counts_calls(rule) { i128::from(self.position) } else { self.now }
    }

    /// Asks what a rule has seen; `None` for a rule that events do not move.
    fn with_history<T>(&self, index: usize, ask: impl FnOnce(&History<'_>) -> T) -> Option<T> {
        let rule = &self.contract.rules[index];
        let meaning = history::meaning(rule)?;
        Some(ask(&self.history(index, &*meaning)))
    }

    fn history<'a>(&'a self, index: usize, meaning: &'a dyn Meaning) -> History<'a> {
        let rule = &self.contract.rules[index];
        History { rule, meaning, seen: &self.seen[index], now: self.clock(rule) }
    }

    /// What every expression can read.
    fn scope(&self) -> Scope<'_> {
        Scope { context: &self.context, state: &self.state.cells, now: self.now, ..Scope::default() }
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

    /// How many further instances fit.
    fn room(&self, index: usize, keyed: &Keyed, history: &History<'_>) -> usize {
        let slots = self.flights.iter().filter(|flight| !flight.ended).flat_map(|flight| &flight.reserved);
        let reserved: usize = slots.filter(|(rule, _)| *rule == index).map(|(_, slots)| slots).sum();
        keyed.max.saturating_sub(history.live().len() + reserved)
    }

    /// What an event is to a rule, before it is known whether there is room for it.
    fn read(&self, rule: &Rule, moment: &Moment<'_>) -> Seen {
        let scope = self.scope_at(moment);
        let when = |pattern: Option<&contract_lang::mir::Pattern>| {
            pattern.map_or(Kleene::No, |pattern| pattern::status(pattern, moment, &scope))
        };
        let (call, later) = match moment {
            // A call has the position that it would get.
            Moment::Call { call, .. } => (Some(call.id.clone()), i128::from(read::counts_calls(rule))),
            _ => (None, 0),
        };
        Seen {
            touched: read::touched(rule, moment, &scope),
            no_room: None,
            step: read::step(rule, moment, &scope),
            call: call.filter(|_| history::returns(rule)),
            at: self.clock(rule) + later,
            closes: when(rule.per.as_ref().and_then(|keyed| keyed.close_on.as_ref())),
            resets: when(rule.reset_on.as_ref()),
            returns: None,
        }
    }

    /// The keys of an event that are not live.
    fn unseen(history: &History<'_>, touched: &Touched) -> BTreeSet<Key> {
        match touched {
            Touched::Keys(keys) => keys.difference(&history.live()).cloned().collect(),
            _ => BTreeSet::new(),
        }
    }

    /// Whether the step of keys that are not live would need instances for which there is no room.
    fn overflows(&self, index: usize, seen: &Seen, history: &History<'_>) -> bool {
        let Some(keyed) = &history.rule.per else { return false };
        let new = Self::unseen(history, &seen.touched);
        if new.is_empty() || new.len() <= self.room(index, keyed, history) {
            return false;
        }
        let base = history.worlds(None);
        let stepped = history.meaning.after(&base, &seen.step, seen.at, None);
        !history.meaning.same(&stepped, &base, seen.at)
    }

    /// Something happened that nobody can stop any more: a result or a host event. The rules step.
    fn step(&mut self, moment: &Moment<'_>) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (index, rule) in self.contract.rules.iter().enumerate() {
            let Some(meaning) = history::meaning(rule) else { continue };
            let mut seen = self.read(rule, moment);
            let concerns = seen.step.concerns() && seen.touched != Touched::Nothing;
            if !concerns && seen.closes == Kleene::No && seen.resets == Kleene::No {
                continue;
            }
            let history = self.history(index, &*meaning);
            let verdict =
                if concerns { history.look_ahead(&seen.touched, &seen.step, seen.at) } else { Verdict::Satisfied };
            let full = concerns && self.overflows(index, &seen, &history);
            if full {
                seen.no_room = Some(history.live());
            }
            let said = if full { verdict.max(Verdict::Unestablished) } else { verdict };
            if said >= Verdict::Unestablished {
                let cause = if full && verdict < Verdict::Unestablished { Cause::Full } else { Cause::Rule };
                findings.push(Finding::new(&rule.id, said, Decision::Alert, cause));
            }
            if verdict >= Verdict::Unestablished {
                self.latches[index] = self.latches[index].max(verdict);
            }
            findings.extend(self.take(index, seen));
        }
        findings
    }

    /// The trusted state changes.
    fn commit(&mut self, moment: &Moment<'_>) -> Vec<Finding> {
        let (state, failures) = state::commit(self.contract, moment, &self.state, &self.scope_at(moment));
        self.state = state;
        let report = |cell: &String| {
            Finding::new(&format!("state.{cell}"), Verdict::Unestablished, Decision::Alert, Cause::Rule)
        };
        failures.iter().map(report).collect()
    }

    /// A rule takes an event: it steps, closes, is reset. What was pending when its key was closed is a violation.
    fn take(&mut self, index: usize, seen: Seen) -> Vec<Finding> {
        let rule = &self.contract.rules[index];
        let Some(meaning) = history::meaning(rule) else { return Vec::new() };
        let (closes, resets, touched) = (seen.closes, seen.resets, seen.touched.clone());
        self.seen[index].push(Seen { closes: Kleene::No, resets: Kleene::No, ..seen.clone() });
        let (mut left, mut verdict) = match rule.per {
            Some(_) => self.history(index, &*meaning).taken_away(&touched, closes, false),
            None => (Vec::new(), Verdict::Satisfied),
        };
        let at = self.seen[index].len() - 1;
        self.seen[index][at].closes = closes;
        let (reset, also) = self.history(index, &*meaning).taken_away(&Touched::All, resets, true);
        self.seen[index][at].resets = resets;
        left.extend(reset);
        verdict = verdict.max(also);
        self.latches[index] = self.latches[index].max(verdict);
        left.iter().map(|_| left_open(rule)).collect()
    }
}

fn left_open(rule: &Rule) -> Finding {
    Finding::new(&rule.id, Verdict::Violated, Decision::Alert, Cause::LeftOpen)
}

fn at_end(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Satisfied | Verdict::Open => Verdict::Satisfied,
        Verdict::Unestablished => Verdict::Unestablished,
        Verdict::Pending | Verdict::Violated => Verdict::Violated,
    }
}
