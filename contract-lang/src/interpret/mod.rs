//! Runs a contract that was loaded at run time.
//!
//! INVARIANT: the same decisions as generated code. Both execute the same checked contract, ask [`crate::dispatch`] which
//! rules an event concerns, and step the same cells of the runtime; only the code that strings them together differs.

mod evaluate;
mod rule;
mod slot;

use std::collections::HashMap;
use std::sync::Arc;

use contract_runtime::private::{self as rt, Note, Part, Room};
use contract_runtime::{
    CallView, ContractInfo, Effect, EventView, Finding, Monitor, OutcomeView, Posture, Reason, Report, Ruling, Status,
    Time, Truth, Verdict,
};
use regex::Regex;

use self::evaluate::{Moment, Regexes, Scope};
use self::rule::{Event, RuleState};
use self::slot::Look;
use crate::dispatch::{self, Concern, Plan, Tool};
use crate::info;
use crate::mir::{Contract, Kind, Verb};

/// What does not change while a contract runs. Shared by all its monitors.
#[derive(Debug)]
struct Program {
    contract: Contract,
    info: ContractInfo,
    regexes: Regexes,
    plans: HashMap<String, Plan>,
    other: Plan,
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
        let names = dispatch::named_tools(&contract).into_iter();
        let plans = names.map(|name| (name.to_owned(), dispatch::plan(&contract, Tool::Named(name)))).collect();
        let other = dispatch::plan(&contract, Tool::Other);
        // The check has compiled every pattern already; one that does not compile is not established.
        let texts = contract.regexes();
        let regexes = texts.into_iter().filter_map(|text| Some((text.to_owned(), Regex::new(text).ok()?))).collect();
        let info = info::of(&contract);
        Self { program: Arc::new(Program { contract, info, regexes, plans, other }) }
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
            program: Arc::clone(&self.program),
        }
    }
}

/// The monitor of one session, for a contract that was loaded at run time.
#[derive(Debug)]
pub struct Interpreter {
    program: Arc<Program>,
    rules: Vec<RuleState>,
    state: rt::State,
}

/// What the interpreter keeps of a call in flight.
#[derive(Debug)]
pub struct Flight {
    effect: Effect,
    notes: Vec<(usize, Note)>,
}

/// One rule's part in a decision, to be committed if the call runs.
struct Share<'a> {
    concern: &'a Concern,
    key: Vec<Option<Part<'a>>>,
    step: Option<(Event, Look)>,
    room: Room,
}

impl Program {
    fn plan(&self, tool: &str) -> &Plan {
        self.plans.get(tool).unwrap_or(&self.other)
    }

    fn effect(&self, scope: &Scope<'_>, call: &CallView<'_>) -> Option<Effect> {
        let declared = self.declaration(call)?;
        Some(rt::effect_of(
            declared
                .effect
                .iter()
                .map(|case| (case.when.as_ref().map_or(Truth::True, |when| scope.truth(when)), case.is)),
        ))
    }

    fn declaration(&self, call: &CallView<'_>) -> Option<&crate::mir::Tool> {
        let tools = || self.contract.tools.iter().filter(|tool| tool.names.matches(call.tool, call.server));
        tools().find(|tool| tool.names.tool.is_literal()).or_else(|| tools().next())
    }

    fn scope<'a>(&'a self, state: &'a rt::State, call: &CallView<'a>, subject: Moment<'a>) -> Scope<'a> {
        Scope { regexes: &self.regexes, state, context: call.context, now: call.now, subject }
    }
}

impl Monitor for Interpreter {
    type Flight = Flight;

    fn info(&self) -> &ContractInfo {
        &self.program.info
    }

    fn before(&mut self, call: &CallView<'_>, posture: Posture) -> Ruling<Flight> {
        let program = Arc::clone(&self.program);
        let Self { rules, state, .. } = self;
        let scope = program.scope(state, call, Moment::Call { call: *call, effect: Effect::Irreversible });
        let declared = program.effect(&scope, call);
        let effect = declared.unwrap_or(Effect::Irreversible);
        let scope = Scope { subject: Moment::Call { call: *call, effect }, ..scope };
        let mut deliberation = rt::Deliberation::new(posture, effect);
        let mut mention = Mention::default();
        let mut parts: Vec<Share<'_>> = Vec::new();
        let mut requirements: Vec<(usize, Verdict)> = Vec::new();
        for concern in &program.plan(call.tool).rules {
            let (Some(rule), Some(slot)) = (program.contract.rules.get(concern.rule), rules.get_mut(concern.rule))
            else {
                continue;
            };
            slot.retire(rule, call.now);
            let index = u16::try_from(concern.rule).unwrap_or(u16::MAX);
            let Some(info) = program.info.rules.get(concern.rule) else { continue };
            if concern.call {
                mention.note(rule, &scope);
            }
            match &rule.kind {
                Kind::Permit { .. } => continue,
                Kind::Require { .. } => {
                    if let Some(required) = rule::require(rule, &scope) {
                        deliberation.weigh(index, info, required.verdict(), required.reason(), &[]);
                        requirements.push((concern.rule, required.verdict()));
                    }
                    continue;
                }
                _ => {}
            }
            let event = if concern.call { Event::of(rule, &scope) } else { None };
            let reserves = concern.result
                && rule.per.is_some()
                && rule.patterns().iter().any(|pattern| scope.mentions_result(pattern));
            if event.is_none() && !reserves && !concern.close_call {
                continue;
            }
            let key = rule.per.as_ref().map(|keyed| scope.key(&keyed.routes)).unwrap_or_default();
            let step = event.map(|event| (event, slot.look(rule, &key, &event)));
            let room = if reserves { slot.room(rule, &key) } else { Room::NotNeeded };
            if let Some((verdict, reason)) = opinion(step.as_ref().map(|(_, look)| *look), room) {
                deliberation.weigh(index, info, verdict, reason, &key);
            }
            parts.push(Share { concern, key, step, room });
        }
        let contract = &program.contract;
        let known = || declared.is_some() || contract.catalog.iter().any(|name| name == call.tool);
        match contract.undeclared {
            _ if mention.permitted => {}
            Some(action) if !known() => deliberation.undeclared(action),
            _ if contract.default.strict || mention.by_permit || !mention.by_rule => {
                deliberation.fall_back(&contract.default);
            }
            _ => {}
        }
        if !deliberation.admitted() {
            return deliberation.conclude(None);
        }
        let closes: Vec<Truth> = parts
            .iter()
            .map(|part| match contract.rules.get(part.concern.rule).and_then(crate::mir::Rule::close_on) {
                Some(pattern) if part.concern.close_call => scope.occurs(pattern),
                _ => Truth::False,
            })
            .collect();
        for (index, verdict) in requirements {
            if let (Some(RuleState::Require(state)), Some(info)) = (rules.get_mut(index), program.info.rules.get(index))
            {
                state.admit(verdict, deliberation.admission(info, verdict));
            }
        }
        let mut notes = Vec::new();
        let mut open = Vec::new();
        for (part, closes) in parts.iter().zip(closes) {
            let index = part.concern.rule;
            let (Some(rule), Some(slot), Some(info)) =
                (contract.rules.get(index), rules.get_mut(index), program.info.rules.get(index))
            else {
                continue;
            };
            let mut note = Note::NOTHING;
            if let Some((event, look)) = &part.step {
                let verdict = look.verdict();
                let admission = match rule.kind {
                    Kind::Automaton { .. } => deliberation.admission(info, verdict),
                    _ => deliberation.register_admission(info, verdict),
                };
                slot.admit(rule, &part.key, event, *look, admission);
                if admission.counts {
                    note = slot.note(rule, &part.key, event, call.now);
                }
            }
            note.slot = slot.reserve(rule, &part.key, part.room);
            if slot.close(rule, &part.key, closes) {
                open.push(rt::left_open(u16::try_from(index).unwrap_or(u16::MAX), rt::key_json(&part.key)));
            }
            if note.counted != Truth::False || note.slot {
                notes.push((index, note));
            }
        }
        deliberation.admit(Flight { effect, notes }, open)
    }

    fn after(&mut self, call: &CallView<'_>, flight: Flight, outcome: OutcomeView<'_>) -> (Status, Report) {
        let program = Arc::clone(&self.program);
        let effect = flight.effect;
        let moment = |status| Moment::Result { call: *call, effect, status, value: outcome.value };
        let scope = program.scope(&self.state, call, moment(Status::Ok));
        let succeeds = || match program.declaration(call).and_then(|tool| tool.succeeds_when.as_ref()) {
            Some(predicate) => scope.truth(predicate),
            None => rt::plain_success(outcome.value),
        };
        let status = rt::status(outcome.status, succeeds);
        let plan = program.plan(call.tool);
        let subject = moment(status).settled();
        let scope = Scope { subject, ..scope };
        let mut findings = Vec::new();
        for concern in &plan.rules {
            let note = flight.notes.iter().find(|(rule, _)| *rule == concern.rule).map(|(_, note)| *note);
            observe(&program.contract, &mut self.rules, &scope, concern.rule, note, Some(status), &mut findings);
        }
        self.commit(&program, &plan.commits, subject, call.context, call.now, &mut findings);
        (status, Report { findings })
    }

    fn event(&mut self, event: &EventView<'_>) -> Report {
        let program = Arc::clone(&self.program);
        let moment = Moment::Event { name: event.name, value: event.value };
        let scope = Scope {
            regexes: &program.regexes,
            state: &self.state,
            context: event.context,
            now: event.now,
            subject: moment,
        };
        let mut findings = Vec::new();
        for index in 0..program.contract.rules.len() {
            observe(&program.contract, &mut self.rules, &scope, index, None, None, &mut findings);
        }
        let commits: Vec<usize> = (0..program.contract.commits.len()).collect();
        self.commit(&program, &commits, moment, event.context, event.now, &mut findings);
        Report { findings }
    }

    fn end(&mut self) -> Vec<Finding> {
        let program = Arc::clone(&self.program);
        let rules = (0u16..).zip(program.contract.rules.iter().zip(&mut self.rules));
        rules
            .flat_map(|(index, (rule, state))| state.end(rule).into_iter().map(move |key| rt::left_open(index, key)))
            .collect()
    }

    fn verdict(&self, rule: usize) -> Verdict {
        match (self.program.contract.rules.get(rule), self.rules.get(rule)) {
            (Some(rule), Some(state)) => state.verdict(rule),
            _ => Verdict::Unestablished,
        }
    }
}

/// Which rules speak of a call.
#[derive(Default)]
struct Mention {
    by_rule: bool,
    by_permit: bool,
    permitted: bool,
}

impl Mention {
    fn note<'a>(&mut self, rule: &'a crate::mir::Rule, scope: &Scope<'a>) {
        self.by_rule |= rule.patterns().iter().any(|pattern| scope.mentions(pattern));
        if let Kind::Permit { pattern } = &rule.kind {
            self.by_permit |= scope.mentions(pattern);
            self.permitted |= scope.occurs(pattern) == Truth::True;
        }
    }
}

/// What a rule thinks of a call: of the step that the call is, and of the slot that its outcome may need.
fn opinion(look: Option<Look>, room: Room) -> Option<(Verdict, Reason)> {
    match look {
        Some(Look::Single(verdict)) => Some((verdict, Reason::Rule)),
        Some(Look::Keyed(judged)) => rt::opinion(Some(judged), room),
        None => rt::opinion(None, room),
    }
}

/// Steps one rule on a result or host event.
fn observe<'a>(
    contract: &'a Contract,
    rules: &mut [RuleState],
    scope: &Scope<'a>,
    index: usize,
    note: Option<Note>,
    status: Option<Status>,
    findings: &mut Vec<Finding>,
) {
    let (Some(rule), Some(state)) = (contract.rules.get(index), rules.get_mut(index)) else { return };
    let event = Event::of(rule, scope);
    let closes = rule.close_on().map_or(Truth::False, |pattern| scope.occurs(pattern));
    if event.is_none() && closes == Truth::False && note.is_none() {
        return;
    }
    let key = rule.per.as_ref().map(|keyed| scope.key(&keyed.routes)).unwrap_or_default();
    let number = u16::try_from(index).unwrap_or(u16::MAX);
    if let (Some(note), Some(status)) = (note, status) {
        state.release(rule, note.slot);
        if note.counted != Truth::False {
            state.give_back(&key, note, status);
        }
    }
    if let Some(event) = event {
        state.retire(rule, scope.now);
        let (verdict, reason) = state.observe(rule, &key, &event);
        if verdict >= Verdict::Unestablished {
            findings.push(rt::detected(number, verdict, reason, &key));
        }
    }
    if state.close(rule, &key, closes) {
        findings.push(rt::left_open(number, rt::key_json(&key)));
    }
}

impl Interpreter {
    fn commit<'a>(
        &mut self,
        program: &'a Program,
        commits: &[usize],
        subject: Moment<'a>,
        context: &'a contract_runtime::Context,
        now: Time,
        findings: &mut Vec<Finding>,
    ) {
        let mut writes = rt::Writes::new();
        let scope = Scope { regexes: &program.regexes, state: &self.state, context, now, subject };
        let cells = &program.info.cells;
        for commit in commits.iter().filter_map(|index| program.contract.commits.get(*index)) {
            let matches = rt::and(scope.occurs(&commit.after), || {
                commit.when.as_ref().map_or(Truth::True, |when| scope.condition(when))
            });
            if matches == Truth::False {
                continue;
            }
            for change in &commit.changes {
                let value = |expr: &'a _| scope.value(expr);
                match &change.verb {
                    Verb::Set(expr) => writes.set(cells, change.cell, matches, value(expr)),
                    Verb::Bind(expr) => writes.bind(cells, change.cell, matches, value(expr)),
                    Verb::Insert(expr) => writes.insert(cells, change.cell, matches, value(expr)),
                    Verb::InsertAt(at, expr) => {
                        writes.insert_at(cells, change.cell, matches, value(at), value(expr));
                    }
                    Verb::Remove(expr) => writes.remove(cells, change.cell, matches, value(expr)),
                    Verb::RemoveAt(at, expr) => {
                        writes.remove_at(cells, change.cell, matches, value(at), value(expr));
                    }
                    Verb::Put { at, value: expr } => {
                        writes.put(cells, change.cell, matches, value(at), value(expr));
                    }
                    Verb::Clear => writes.clear(change.cell, matches),
                }
            }
        }
        self.state.apply(cells, writes, findings);
    }
}
