//! Runs a contract that was loaded at run time.
//!
//! INVARIANT: the same decisions as generated code. Both execute the same checked contract, ask [`crate::dispatch`] which
//! rules an event concerns, and step the same cells of the runtime; only the code that strings them together differs.

mod after;
mod before;
mod cells;
mod evaluate;
mod event;
mod matching;
mod memory;
mod repair;
mod saved;
mod seen;
mod watch;

use std::collections::HashMap;
use std::sync::Arc;

use contract_runtime::private::{self as rt, Flow, Note, Stateless};
use contract_runtime::{
    CallView, ContractInfo, Departed, Effect, EventView, Finding, Monitor, OutcomeView, Posture, Report, RestoreError,
    Retired, Rewriting, Ruling, Seed, Settlement, Status, Time, Truth, Verdict, Version,
};
use regex::Regex;
use serde_json::Value;

use self::evaluate::{Moment, Regexes, Scope};
pub(crate) use self::evaluate::{compare, is};
pub use self::matching::Happened;
use self::memory::Memory;
pub use self::repair::{Move, Repair};
pub(crate) use self::seen::{Seen, SeenKey};
pub use self::watch::{Touched, Watch};
use crate::dispatch::{self, Plan, Tool};
use crate::info;
use crate::mir::{Clock, Contract, Kind, Rule};

/// What does not change while a contract runs. Shared by all its monitors.
#[derive(Debug)]
struct Program {
    contract: Contract,
    info: ContractInfo,
    regexes: Regexes,
    plans: HashMap<String, Plan>,
    other: Plan,
    /// The rules whose obligations run out as time goes by, and as calls are admitted.
    by_time: Vec<usize>,
    by_calls: Vec<usize>,
    /// The rules whose instances are retired when nothing happens to them.
    idle: Vec<usize>,
    /// The rules that let instances go for any reason.
    letting_go: Vec<usize>,
    /// Who asks what is touched.
    watch: Option<Arc<Watch>>,
}

/// A contract that can be run. Cheap to clone; [`Self::monitor`] gives a fresh monitor for one session.
#[derive(Clone, Debug)]
pub struct Interpreted {
    program: Arc<Program>,
}

impl Interpreted {
    /// Prepares a checked contract.
    #[must_use]
    pub fn new(contract: Contract) -> Self {
        Self::prepare(contract, None)
    }

    /// The same, with an account of what its sessions touch.
    #[must_use]
    pub fn watched(contract: Contract) -> (Self, Arc<Watch>) {
        let watch = Arc::new(Watch::default());
        (Self::prepare(contract, Some(Arc::clone(&watch))), watch)
    }

    fn prepare(contract: Contract, watch: Option<Arc<Watch>>) -> Self {
        let names = dispatch::named_tools(&contract).into_iter();
        let plans = names.map(|name| (name.to_owned(), dispatch::plan(&contract, Tool::Named(name)))).collect();
        let other = dispatch::plan(&contract, Tool::Other);
        // The check has compiled every pattern already; one that does not compile is not established.
        let texts = contract.regexes();
        let regexes = texts.into_iter().filter_map(|text| Some((text.to_owned(), Regex::new(text).ok()?))).collect();
        let info = info::of(&contract);
        let those = |what: fn(&Rule) -> bool| {
            contract.rules.iter().enumerate().filter(|(_, rule)| what(rule)).map(|(index, _)| index).collect()
        };
        let by_time = those(|rule| rule.runs_out(Clock::Time));
        let by_calls = those(|rule| rule.runs_out(Clock::Calls));
        let idle = those(Rule::idles);
        let letting_go = those(Rule::lets_go);
        Self {
            program: Arc::new(Program {
                contract,
                info,
                regexes,
                plans,
                other,
                by_time,
                by_calls,
                idle,
                letting_go,
                watch,
            }),
        }
    }

    /// The checked contract.
    #[must_use]
    pub fn contract(&self) -> &Contract {
        &self.program.contract
    }

    /// What the contract says of itself.
    #[must_use]
    pub fn info(&self) -> &ContractInfo {
        &self.program.info
    }

    /// A fresh monitor for one session.
    #[must_use]
    pub fn monitor(&self) -> Interpreter {
        let contract = &self.program.contract;
        Interpreter {
            rules: contract.rules.iter().map(RuleState::new).collect(),
            state: rt::State::new(info::initial_state(contract)),
            position: 0,
            program: Arc::clone(&self.program),
        }
    }
}

/// The monitor of one session, for a contract that was loaded at run time. A clone goes on from the same state by itself.
#[derive(Clone, Debug)]
pub struct Interpreter {
    program: Arc<Program>,
    rules: Vec<RuleState>,
    state: rt::State,
    /// How many calls were admitted.
    position: u64,
}

/// The state of a rule.
#[derive(Clone, Debug)]
enum RuleState {
    /// A rule that steps.
    Memory(Box<dyn Memory>),
    /// `require`, `ensure` and `rewrite` remember whether they were violated.
    Stateless(Stateless),
    /// `no_flow` remembers what it has seen.
    Flow(Flow),
    /// Nothing is remembered.
    Nothing,
}

impl RuleState {
    fn new(rule: &Rule) -> Self {
        if let Some(memory) = cells::memory(rule) {
            return Self::Memory(memory);
        }
        match &rule.kind {
            Kind::Require { .. } | Kind::Ensure { .. } | Kind::Rewrite { .. } => Self::Stateless(Stateless::new()),
            Kind::NoFlow { min_length, .. } => Self::Flow(Flow::new(*min_length)),
            _ => Self::Nothing,
        }
    }

    fn memory(&mut self) -> Option<&mut dyn Memory> {
        match self {
            Self::Memory(memory) => Some(memory.as_mut()),
            _ => None,
        }
    }
}

/// What the interpreter keeps of a call in flight.
#[derive(Clone, Debug)]
pub struct Flight {
    effect: Effect,
    notes: Vec<Note>,
}

impl contract_runtime::Flight for Flight {
    fn new(effect: Effect, notes: &[Note]) -> Self {
        Self { effect, notes: notes.to_vec() }
    }

    fn effect(&self) -> Effect {
        self.effect
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }
}

impl Program {
    fn plan(&self, tool: &str) -> &Plan {
        self.plans.get(tool).unwrap_or(&self.other)
    }

    fn declaration(&self, call: &CallView<'_>) -> Option<&crate::mir::Tool> {
        let tools = || self.contract.tools.iter().filter(|tool| tool.names.matches(call.tool, call.server));
        tools().find(|tool| tool.names.tool.is_literal()).or_else(|| tools().next())
    }

    /// The effect of a call; `None` if its tool is not declared.
    fn effect(&self, scope: &Scope<'_>, call: &CallView<'_>) -> Option<Effect> {
        let declared = self.declaration(call)?;
        Some(rt::effect_of(
            declared
                .effect
                .iter()
                .map(|case| (case.when.as_ref().map_or(Truth::True, |when| scope.truth(when)), case.is)),
        ))
    }

    /// How a call ended; `scope` reads its result as a success.
    fn status<'a>(&'a self, call: &CallView<'_>, scope: &Scope<'a>, outcome: &OutcomeView<'_>) -> Status {
        let succeeds = || match self.declaration(call).and_then(|tool| tool.succeeds_when.as_ref()) {
            Some(predicate) => scope.truth(predicate),
            None => rt::plain_success(outcome.value),
        };
        rt::status(outcome.status, succeeds)
    }

    /// What can be read when a call is made, with its effect; the effect is `None` if the tool is not declared.
    fn call_scope<'a>(
        &'a self,
        state: &'a rt::State,
        position: u64,
        call: &CallView<'a>,
    ) -> (Scope<'a>, Option<Effect>) {
        let at = |effect| Scope {
            regexes: &self.regexes,
            watch: self.watch.as_deref(),
            state,
            context: call.context,
            now: call.now,
            position: position.saturating_add(1),
            subject: Moment::Call { call: *call, effect },
        };
        let declared = self.effect(&at(Effect::Irreversible), call);
        (at(declared.unwrap_or(Effect::Irreversible)), declared)
    }
}

fn number(index: usize) -> u16 {
    u16::try_from(index).unwrap_or(u16::MAX)
}

impl Monitor for Interpreter {
    type Flight = Flight;

    fn info(&self) -> &ContractInfo {
        &self.program.info
    }

    fn effect(&self, call: &CallView<'_>) -> Effect {
        self.program.call_scope(&self.state, self.position, call).1.unwrap_or(Effect::Irreversible)
    }

    fn rewrite(&self, call: &CallView<'_>, posture: Posture) -> Rewriting {
        before::rewrite(&self.program, &self.state, self.position, call, posture)
    }

    fn before(&mut self, call: &CallView<'_>, rewriting: &Rewriting, posture: Posture) -> Ruling<Flight> {
        self.decide(call, rewriting, posture)
    }

    fn after(&mut self, call: &CallView<'_>, flight: Flight, outcome: OutcomeView<'_>, posture: Posture) -> Settlement {
        self.settle(call, &flight, outcome, posture)
    }

    fn shields(&self, call: &CallView<'_>) -> bool {
        self.program.plan(call.tool).shields(&self.program.contract)
    }

    fn event(&mut self, event: &EventView<'_>) -> Report {
        self.take(event)
    }

    fn advance(&mut self, now: Time) -> Report {
        let program = Arc::clone(&self.program);
        self.state.expire(&program.info.cells, now);
        let mut findings = Vec::new();
        for index in &program.by_time {
            run_out(&program.contract, &mut self.rules, *index, now, &mut findings);
        }
        // What ran out is found before it is let go.
        for index in &program.idle {
            let rule = program.contract.rules.get(*index);
            if let (Some(rule), Some(memory)) = (rule, self.rules.get_mut(*index).and_then(RuleState::memory)) {
                memory.tidy(rule, now);
            }
        }
        Report { findings }
    }

    fn end(&mut self) -> Vec<Finding> {
        let program = Arc::clone(&self.program);
        let mut findings = Vec::new();
        for (index, (rule, state)) in program.contract.rules.iter().zip(&mut self.rules).enumerate() {
            let open = state.memory().map(|memory| memory.end(rule)).unwrap_or_default();
            findings.extend(open.into_iter().map(|key| rt::left_open(number(index), key)));
        }
        findings
    }

    fn verdict(&self, rule: usize) -> Verdict {
        let (Some(checked), Some(state)) = (self.program.contract.rules.get(rule), self.rules.get(rule)) else {
            return Verdict::Unestablished;
        };
        match state {
            RuleState::Memory(memory) => memory.verdict(checked),
            RuleState::Stateless(stateless) => stateless.verdict(),
            RuleState::Flow(flow) => flow.verdict(),
            RuleState::Nothing => Verdict::Open,
        }
    }

    fn seed(&mut self, seed: Seed) {
        self.rules.iter_mut().filter_map(RuleState::memory).for_each(|memory| memory.seed(seed));
    }

    fn retired(&self, rule: usize) -> Retired {
        match self.rules.get(rule) {
            Some(RuleState::Memory(memory)) => memory.retired(),
            _ => Retired::default(),
        }
    }

    fn watch_departures(&mut self) {
        self.rules.iter_mut().filter_map(RuleState::memory).for_each(|memory| memory.watch_departures());
    }

    fn departures(&mut self) -> Vec<Departed> {
        let mut all = Vec::new();
        let program = Arc::clone(&self.program);
        for index in &program.letting_go {
            if let Some(memory) = self.rules.get_mut(*index).and_then(RuleState::memory) {
                memory.departures(number(*index), &mut all);
            }
        }
        all
    }

    fn save(&self) -> Value {
        saved::save(self)
    }

    fn restore(&mut self, saved: &Value, version: Version) -> Result<Vec<Finding>, RestoreError> {
        saved::restore(self, saved, version)
    }
}

/// Lets the clock of a rule go on: what ran out is a finding.
fn run_out(contract: &Contract, rules: &mut [RuleState], index: usize, now: Time, findings: &mut Vec<Finding>) {
    let Some(rule) = contract.rules.get(index) else { return };
    let Some(memory) = rules.get_mut(index).and_then(RuleState::memory) else { return };
    let over = memory.retire(rule, now);
    findings.extend(over.into_iter().map(|(key, verdict)| rt::expired(number(index), verdict, key)));
}
