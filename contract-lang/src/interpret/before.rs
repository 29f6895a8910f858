//! Decides a call: rewrites first; then every rule that mentions the call is judged; then, if the call runs, all commit.

use std::sync::Arc;

use contract_runtime::private::{self as rt, ArgStep, Deliberation, Note, Receipt, Rewriter, Room, Touched};
use contract_runtime::{CallView, Effect, Finding, Posture, Reason, Rewriting, Ruling, Truth, Verdict};

use super::evaluate::Scope;
use super::event::{Event, may};
use super::memory::Look;
use super::{Flight, Interpreter, Program, RuleState, number, run_out};
use crate::dispatch::Concern;
use crate::mir::{Clock, Counting, Kind, Pattern, Rule, Step};

/// One rule's part in a decision, to be committed if the call runs.
enum Share<'a> {
    /// A rule that steps.
    Step(Box<Stepping<'a>>),
    /// `require`, `rewrite` and `no_flow`.
    Verdict(usize, Verdict),
}

struct Stepping<'a> {
    concern: &'a Concern,
    key: Touched<'a>,
    step: Option<(Event<'a>, Look)>,
    room: Room,
    close: Truth,
    reset: Truth,
}

/// Which rules speak of a call.
#[derive(Default)]
struct Mention {
    by_rule: bool,
    by_permit: bool,
    permitted: bool,
}

impl Mention {
    fn note<'a>(&mut self, index: usize, rule: &'a Rule, scope: &Scope<'a>) {
        self.by_rule |= rule.patterns().iter().chain(&rule.guards).any(|pattern| scope.mentions(pattern));
        if let Kind::Permit { pattern } = &rule.kind {
            self.by_permit |= scope.mentions(pattern);
            if let (Some(watch), Truth::True) = (scope.watch, scope.occurs(pattern)) {
                watch.rule(index, Verdict::Satisfied, None);
            }
            self.permitted |= scope.occurs(pattern) == Truth::True;
        }
    }
}

/// The steps of a path into the arguments, as the runtime walks them.
fn path(steps: &[Step]) -> Vec<ArgStep<'_>> {
    steps.iter().filter_map(arg_step).collect()
}

fn arg_step(step: &Step) -> Option<ArgStep<'_>> {
    match step {
        Step::Field(name) => Some(ArgStep::Field(name)),
        Step::Index(index) => Some(ArgStep::Index(*index)),
        Step::Dynamic(_) | Step::Each | Step::Deep => None,
    }
}

/// What becomes of the arguments.
pub(super) fn rewrite(
    program: &Program,
    state: &rt::State,
    position: u64,
    call: &CallView<'_>,
    posture: Posture,
) -> Rewriting {
    let mut rewriter = Rewriter::new(call.args, posture);
    let mut scope = None;
    for concern in program.plan(call.tool).rules.iter().filter(|concern| concern.call) {
        let (Some(rule), Some(info)) = (program.contract.rules.get(concern.rule), program.info.rules.get(concern.rule))
        else {
            continue;
        };
        let Kind::Rewrite { pattern, changes } = &rule.kind else { continue };
        let scope = scope.get_or_insert_with(|| program.call_scope(state, position, call).0);
        let applies = scope.occurs(pattern);
        if applies == Truth::False {
            continue;
        }
        if let Some(watch) = &program.watch {
            watch.rule(concern.rule, Verdict::Satisfied, None);
        }
        let paths: Vec<_> = changes.iter().map(|change| path(&change.path)).collect();
        let values = changes.iter().map(|change| scope.value(&change.value));
        rewriter.change_each(number(concern.rule), info, applies, paths.iter().map(Vec::as_slice).zip(values));
    }
    rewriter.finish()
}

impl Interpreter {
    pub(super) fn decide(&mut self, call: &CallView<'_>, rewriting: &Rewriting, posture: Posture) -> Ruling<Flight> {
        let program = Arc::clone(&self.program);
        let Self { rules, state, position, .. } = self;
        state.expire(&program.info.cells, call.now);
        let (scope, declared) = program.call_scope(state, *position, call);
        let effect = declared.unwrap_or(Effect::Irreversible);
        let mut deliberation = Deliberation::new(posture, effect);
        deliberation.rewritten(rewriting, &program.info.rules);
        let mut mention = Mention::default();
        let notes = rewriting.notes.iter().map(|note| Share::Verdict(usize::from(note.rule), note.verdict));
        let mut shares: Vec<Share<'_>> = notes.collect();
        for concern in &program.plan(call.tool).rules {
            let Some(rule) = program.contract.rules.get(concern.rule) else { continue };
            if (concern.call || concern.guard) && !program.contract.on_trial(rule) {
                mention.note(concern.rule, rule, &scope);
            }
            if let Some(state) = rules.get_mut(concern.rule) {
                shares.extend(judge(&program, concern, rule, state, &scope, &mut deliberation));
            }
        }
        fall_back(&program, &mention, declared.is_some(), call.tool, &mut deliberation);
        if !deliberation.admitted() {
            return deliberation.conclude(None);
        }
        *position = position.saturating_add(1);
        let mut findings = Vec::new();
        for index in &program.by_calls {
            run_out(&program.contract, rules, *index, rt::position(*position), &mut findings);
        }
        let mut notes = watched(&program, call.tool, *position);
        for share in shares {
            match share {
                Share::Verdict(index, verdict) => admit(&program, index, rules.get_mut(index), verdict, &deliberation),
                Share::Step(stepping) => {
                    let rule = rules.get_mut(stepping.concern.rule);
                    notes.extend(commit(&program, *stepping, rule, &deliberation, &mut findings));
                }
            }
        }
        deliberation.admit(Flight { effect, notes }, findings)
    }
}

/// Notes for the rules that want to know which call a result is of.
fn watched(program: &Program, tool: &str, position: u64) -> Vec<Note> {
    let concerns = program.plan(tool).rules.iter().filter(|concern| concern.result);
    let watching = concerns.filter(|concern| {
        matches!(program.contract.rules.get(concern.rule), Some(Rule { kind: Kind::NoFlow { .. }, .. }))
    });
    watching.map(|concern| rt::watch(number(concern.rule), position)).collect()
}

/// What one rule thinks of the call.
fn judge<'a>(
    program: &'a Program,
    concern: &'a Concern,
    rule: &'a Rule,
    state: &mut RuleState,
    scope: &Scope<'a>,
    deliberation: &mut Deliberation,
) -> Option<Share<'a>> {
    let index = number(concern.rule);
    let info = program.info.rules.get(concern.rule)?;
    match (&rule.kind, state) {
        (Kind::Require { pattern, clauses }, _) => {
            let applies = scope.occurs(pattern);
            if applies == Truth::False {
                return None;
            }
            let mut required = rt::Requirement::new(applies);
            for (clause, of) in (0u16..).zip(clauses) {
                required.clause(clause, scope.truth(&of.predicate));
            }
            if let Some(watch) = scope.watch {
                watch.rule(concern.rule, required.verdict(), None);
            }
            deliberation.weigh(index, info, required.verdict(), required.reason(), Vec::new);
            Some(Share::Verdict(concern.rule, required.verdict()))
        }
        (Kind::NoFlow { patterns: [_, to], .. }, RuleState::Flow(flow)) => {
            let matches = if concern.call { scope.occurs(to) } else { Truth::False };
            if matches == Truth::False {
                return None;
            }
            let (verdict, reason, source) = flow.look(scope.args()?, matches);
            if let Some(watch) = scope.watch {
                watch.rule(concern.rule, verdict, None);
            }
            deliberation.weigh_flow(index, info, verdict, reason, source);
            Some(Share::Verdict(concern.rule, verdict))
        }
        (_, RuleState::Memory(memory)) => {
            let event = Event::of(rule, scope)?;
            let guard =
                rule.guards.as_ref().filter(|_| concern.guard).map_or(Truth::False, |guard| scope.occurs(guard));
            let concerned = event.concerns();
            let reserves = concern.result
                && rule.per.is_some()
                && rule.patterns().iter().any(|pattern| scope.mentions_result(pattern));
            let when = |pattern: Option<&'a Pattern>, asked: bool| match pattern {
                Some(pattern) if asked => scope.occurs(pattern),
                _ => Truth::False,
            };
            let close = when(rule.close_on(), concern.close_call);
            let reset = when(rule.reset_on.as_ref(), concern.reset_call);
            if !concerned && !reserves && !may(guard) && !may(close) && !may(reset) {
                return None;
            }
            if rule.fades() {
                let now = match &rule.kind {
                    Kind::Register { clock: Clock::Calls, .. } => rt::position(scope.position.saturating_sub(1)),
                    _ => scope.now,
                };
                memory.retire(rule, now);
            }
            let key = rule.per.as_ref().map_or_else(|| Touched::One(Vec::new()), |keyed| scope.key(keyed));
            let look = (concerned || may(guard)).then(|| memory.judge(rule, &key, &event));
            if let (Some(watch), Some(look)) = (scope.watch, look.filter(|_| concerned)) {
                watch.rule(concern.rule, look.verdict(), memory.states(rule, &key, &event));
            }
            let room = if reserves { memory.room(&key) } else { Room::NotNeeded };
            if let Some((verdict, reason)) = opinion(look.filter(|_| concerned), room) {
                deliberation.weigh_state(index, info, verdict, reason, |wanted| match look.filter(|_| concerned) {
                    Some(look) => memory.about(rule, &key, &event, look, wanted),
                    None => rt::About { key: rt::first_key(&key), ..rt::About::default() },
                });
            }
            if let Some(look) = look.filter(|_| may(guard)) {
                let about = |wanted: rt::Wanted<'_>| memory.about(rule, &key, &event, look, wanted);
                deliberation.guard(index, info, guard, look.owing(), about);
            }
            let step = look.filter(|_| concerned).map(|look| (event, look));
            Some(Share::Step(Box::new(Stepping { concern, key, step, room, close, reset })))
        }
        _ => None,
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

/// What becomes of the call if no rule decides it.
fn fall_back(program: &Program, mention: &Mention, declared: bool, tool: &str, deliberation: &mut Deliberation) {
    let contract = &program.contract;
    let known = || declared || contract.catalog.iter().any(|name| name == tool);
    match contract.undeclared {
        _ if mention.permitted => {}
        Some(action) if !known() => deliberation.undeclared(action),
        _ if contract.default.strict || mention.by_permit || !mention.by_rule => {
            deliberation.fall_back(&contract.default);
        }
        _ => {}
    }
}

/// A rule that remembers only whether it was violated takes the call.
fn admit(
    program: &Program,
    index: usize,
    state: Option<&mut RuleState>,
    verdict: Verdict,
    deliberation: &Deliberation,
) {
    let Some(info) = program.info.rules.get(index) else { return };
    let admission = deliberation.admission(info, verdict);
    match state {
        Some(RuleState::Stateless(stateless)) => stateless.admit(verdict, admission),
        Some(RuleState::Flow(flow)) => flow.admit(verdict, admission),
        _ => {}
    }
}

/// A rule that steps takes the call: it steps, reserves, closes and resets. The note is what it wants back.
fn commit(
    program: &Program,
    stepping: Stepping<'_>,
    state: Option<&mut RuleState>,
    deliberation: &Deliberation,
    findings: &mut Vec<Finding>,
) -> Option<Note> {
    let Stepping { concern, key, step, room, close, reset } = stepping;
    let rule = program.contract.rules.get(concern.rule)?;
    let info = program.info.rules.get(concern.rule)?;
    let memory = state?.memory()?;
    let mut note = Note { rule: number(concern.rule), ..Note::NOTHING };
    if let Some((event, look)) = &step {
        let verdict = look.verdict();
        let admission = match rule.kind {
            Kind::Automaton { .. } => deliberation.admission(info, verdict),
            _ => deliberation.register_admission(info, verdict),
        };
        memory.admit(rule, &key, event, *look, admission);
        if admission.counts && rule.counting() == Some(Counting::Succeeded) {
            (note.receipt, note.epoch) = memory.receipt(event);
        }
    }
    note.slots = memory.reserve(&key, room);
    let open = memory.close(rule, &key, close).into_iter().chain(memory.reset(rule, reset));
    findings.extend(open.map(|key| rt::left_open(number(concern.rule), key)));
    (note.receipt.counted != Receipt::NOTHING.counted || note.slots > 0).then_some(note)
}
