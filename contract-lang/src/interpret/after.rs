//! Takes results and host events: ensures and redactions first, then rules step, then state changes.

use std::sync::Arc;

use contract_runtime::private::{self as rt, Note, RedactStep, Requirement, Review, Touched};
use contract_runtime::{
    CallView, EventView, Finding, OutcomeView, Posture, Report, Settlement, Status, Truth, Verdict,
};
use serde_json::Value;

use super::evaluate::{Moment, Scope};
use super::event::{Event, may};
use super::memory::Returned;
use super::{Flight, Interpreter, Program, RuleState, number};
use crate::mir::{Change, Contract, Counting, Kind, Rule, Step, Verb};

/// The steps of a path into a result, as the runtime walks them.
fn path(steps: &[Step]) -> Vec<RedactStep<'_>> {
    steps.iter().filter_map(redact_step).collect()
}

fn redact_step(step: &Step) -> Option<RedactStep<'_>> {
    match step {
        Step::Field(name) => Some(RedactStep::Field(name)),
        Step::Index(index) => Some(RedactStep::Index(*index)),
        Step::Each => Some(RedactStep::Each),
        Step::Deep => Some(RedactStep::Deep),
        Step::Dynamic(_) => None,
    }
}

impl Interpreter {
    pub(super) fn settle(
        &mut self,
        call: &CallView<'_>,
        flight: &Flight,
        outcome: OutcomeView<'_>,
        posture: Posture,
    ) -> Settlement {
        let program = Arc::clone(&self.program);
        let effect = flight.effect;
        self.state.expire(&program.info.cells, call.now);
        let moment = |status| Moment::Result { call: *call, effect, status, value: outcome.value };
        let scope = Scope {
            regexes: &program.regexes,
            watch: program.watch.as_deref(),
            state: &self.state,
            context: call.context,
            now: call.now,
            position: self.position,
            subject: moment(Status::Ok),
        };
        let status = program.status(call, &scope, &outcome);
        let as_came = Scope { subject: moment(status), ..scope };
        let plan = program.plan(call.tool);
        let mut review = Review::new(posture, effect);
        if let Some(value) = outcome.value {
            self::review(&program, &mut self.rules, call.tool, &as_came, value, &mut review);
        }
        let withheld = review.withheld();
        let status = review.status(status);
        let mut findings = Vec::new();
        let subject = moment(status).settled();
        let scope = Scope { subject, ..scope };
        for concern in &plan.rules {
            let note = flight.notes.iter().find(|note| note.rule == number(concern.rule)).copied();
            let came = Came { note, status: Some(status), withheld };
            observe(&program.contract, &mut self.rules, &scope, concern.rule, &came, &mut findings);
            if !withheld && concern.result {
                taint(&program.contract, &mut self.rules, concern.rule, &as_came, outcome, note);
            }
        }
        // What is withheld changes no state.
        if !withheld {
            let writes = commit(&program, &plan.commits, &scope);
            self.state.apply(&program.info.cells, writes, call.now, &mut findings);
        }
        review.settle(status, findings)
    }

    pub(super) fn take(&mut self, event: &EventView<'_>) -> Report {
        let program = Arc::clone(&self.program);
        self.state.expire(&program.info.cells, event.now);
        let scope = Scope {
            regexes: &program.regexes,
            watch: program.watch.as_deref(),
            state: &self.state,
            context: event.context,
            now: event.now,
            position: self.position,
            subject: Moment::Event { name: event.name, value: event.value },
        };
        let mut findings = Vec::new();
        for index in 0..program.contract.rules.len() {
            let came = Came { note: None, status: None, withheld: false };
            observe(&program.contract, &mut self.rules, &scope, index, &came, &mut findings);
        }
        let commits: Vec<usize> = (0..program.contract.commits.len()).collect();
        let writes = commit(&program, &commits, &scope);
        self.state.apply(&program.info.cells, writes, event.now, &mut findings);
        Report { findings }
    }
}

/// The changes that the commits of an event make. All read the state before it.
fn commit<'a>(program: &'a Program, commits: &[usize], scope: &Scope<'a>) -> rt::Writes {
    let cells = &program.info.cells;
    let mut writes = rt::Writes::new();
    for (index, commit) in commits.iter().filter_map(|index| Some((index, program.contract.commits.get(*index)?))) {
        let mut matches = scope.occurs(&commit.after);
        if let Some(when) = &commit.when {
            matches = rt::and(matches, || scope.condition(when));
        }
        if matches == Truth::False {
            continue;
        }
        if let (Some(watch), Truth::True) = (scope.watch, matches) {
            watch.commit(*index);
        }
        let value = |expr| scope.value(expr);
        for Change { cell, verb } in &commit.changes {
            match verb {
                Verb::Set(expr) => writes.set(cells, *cell, matches, value(expr)),
                Verb::Bind(expr) => writes.bind(cells, *cell, matches, value(expr)),
                Verb::Insert(expr) => writes.insert(cells, *cell, matches, value(expr)),
                Verb::InsertAt(at, expr) => writes.insert_at(cells, *cell, matches, value(at), value(expr)),
                Verb::Remove(expr) => writes.remove(cells, *cell, matches, value(expr)),
                Verb::RemoveAt(at, expr) => writes.remove_at(cells, *cell, matches, value(at), value(expr)),
                Verb::Put { at, value: expr } => writes.put(cells, *cell, matches, value(at), value(expr)),
                Verb::Clear => writes.clear(*cell, matches),
            }
        }
    }
    writes
}

/// Asks the rules about results.
fn review<'a>(
    program: &'a Program,
    rules: &mut [RuleState],
    tool: &str,
    scope: &Scope<'a>,
    value: &Value,
    review: &mut Review,
) {
    for concern in program.plan(tool).rules.iter().filter(|concern| concern.result) {
        let (Some(rule), Some(info)) = (program.contract.rules.get(concern.rule), program.info.rules.get(concern.rule))
        else {
            continue;
        };
        let index = number(concern.rule);
        match &rule.kind {
            Kind::Ensure { pattern, clauses } => {
                let applies = scope.applies(pattern);
                if applies == Truth::False {
                    continue;
                }
                let mut required = Requirement::new(applies);
                for (clause, of) in (0u16..).zip(clauses) {
                    required.clause(clause, scope.truth(&of.predicate));
                }
                if let Some(watch) = scope.watch {
                    watch.rule(concern.rule, required.verdict(), None);
                }
                review.weigh(index, info, required.verdict(), required.reason());
                if let Some(RuleState::Stateless(state)) = rules.get_mut(concern.rule) {
                    state.admit(required.verdict(), review.latches());
                }
            }
            Kind::Redact { pattern, paths } if may(scope.applies(pattern)) => {
                if let Some(watch) = scope.watch {
                    watch.rule(concern.rule, Verdict::Satisfied, None);
                }
                let paths: Vec<_> = paths.iter().map(|steps| path(steps)).collect();
                let paths: Vec<&[RedactStep<'_>]> = paths.iter().map(Vec::as_slice).collect();
                review.redact(index, info, Some(value), &paths);
            }
            _ => {}
        }
    }
}

/// How a call ended, for the rules that wait for it.
struct Came {
    note: Option<Note>,
    /// `None` for host events.
    status: Option<Status>,
    withheld: bool,
}

/// Steps one rule on a result or host event.
fn observe<'a>(
    contract: &'a Contract,
    rules: &mut [RuleState],
    scope: &Scope<'a>,
    index: usize,
    came: &Came,
    findings: &mut Vec<Finding>,
) {
    let (Some(rule), Some(memory)) = (contract.rules.get(index), rules.get_mut(index).and_then(RuleState::memory))
    else {
        return;
    };
    let Some(event) = Event::of(rule, scope) else { return };
    let close = rule.close_on().map_or(Truth::False, |pattern| scope.occurs(pattern));
    let reset = rule.reset_on.as_ref().map_or(Truth::False, |pattern| scope.occurs(pattern));
    if !event.concerns() && !may(close) && !may(reset) && came.note.is_none() {
        return;
    }
    let key = rule.per.as_ref().map_or_else(|| Touched::One(Vec::new()), |keyed| scope.key(keyed));
    if let (Some(note), Some(status)) = (came.note, came.status) {
        memory.release(note.slots);
        let failed = rt::failed(status);
        if rule.counting() == Some(Counting::Succeeded) && may(note.receipt.counted) && may(failed) && !came.withheld {
            // What was counted is returned where the call was counted.
            let scope = scope.at_call();
            let key = rule.per.as_ref().map_or_else(|| Touched::One(Vec::new()), |keyed| scope.key(keyed));
            let returned = Returned { note, operand: returned_operand(rule, &scope), failed };
            memory.give_back(rule, &key, &returned);
        }
    }
    if event.concerns() {
        if rule.fades() {
            memory.retire(rule, scope.clock(rule.clock()));
        }
        let states = scope.watch.and_then(|_| memory.states(rule, &key, &event));
        let observed = memory.observe(rule, &key, &event);
        if let Some(watch) = scope.watch {
            watch.rule(index, observed.verdict, states);
        }
        if observed.verdict >= Verdict::Unestablished {
            let finding = rt::detected(number(index), observed.verdict, observed.reason, observed.key);
            findings.push(finding.with_states(observed.states));
        }
    }
    let open = memory.close(rule, &key, close).into_iter().chain(memory.reset(rule, reset));
    findings.extend(open.map(|key| rt::left_open(number(index), key)));
}

/// What a register read of the call that is returned: its arguments are what they were.
fn returned_operand<'a>(rule: &'a Rule, scope: &Scope<'a>) -> Option<rt::Est<'a>> {
    match &rule.kind {
        Kind::Register { operand: Some(operand), .. } => Some(scope.operand(operand)),
        _ => None,
    }
}

/// Remembers what a result said, for `no_flow`.
fn taint<'a>(
    contract: &'a Contract,
    rules: &mut [RuleState],
    index: usize,
    scope: &Scope<'a>,
    outcome: OutcomeView<'_>,
    note: Option<Note>,
) {
    let Some(Rule { kind: Kind::NoFlow { patterns: [from, _], values, .. }, .. }) = contract.rules.get(index) else {
        return;
    };
    let (Some(RuleState::Flow(flow)), Some(value)) = (rules.get_mut(index), outcome.value) else { return };
    let matches = scope.applies(from);
    if may(matches) {
        let position = rt::ordinal(note.unwrap_or(Note::NOTHING).receipt.at);
        for steps in values {
            flow.take(rt::select(value, &path(steps)), matches, position, scope.tool());
        }
    }
}
