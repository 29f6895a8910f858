//! Decide, then commit: what becomes of a call (language.md, "From verdict to decision").

use contract_lang::mir::{Kind, Phases, Rule};
use contract_runtime::{Decision, Effect, Mode, Verdict, WhenFull};

use super::event::Moment;
use super::history::{Seen, Touched, meaning, patterns};
use super::value::{Kleene, Value};
use super::{Asked, Call, Cause, Decided, Finding, Flight, PATIENCE, Reference, effect, flow, pattern, read, rewrite};

/// What one rule makes of a call.
#[derive(Default)]
struct Judged {
    /// What it says, each with the row of its table that it goes by.
    says: Vec<(Verdict, Row, Cause)>,
    /// The verdict of the step itself, where another speaks of the key or of the memory bound.
    actual: Option<Verdict>,
    /// What the call is to it; nothing for a rule without memory.
    seen: Option<Seen>,
    /// How many instances the outcome of the call may need.
    expects: usize,
}

/// How a verdict becomes an action.
#[derive(Clone, Copy)]
enum Row {
    /// By this row of the rule's table.
    Of(Verdict),
    /// Whatever the table says.
    Alert,
}

fn action(rule: &Rule, row: Row, effect: Effect) -> Decision {
    match row {
        Row::Of(verdict) => rule.table.decide(verdict, effect),
        Row::Alert => Decision::Alert,
    }
}

impl Reference<'_> {
    /// A person allows a call that was asked about: it is decided afresh, and ask is lifted. `None` if there is no such
    /// request, or it is too old.
    pub fn approve(&mut self, id: &str, at: i128) -> Option<Decided> {
        let now = self.now.max(at);
        let index = self.asked.iter().rposition(|asked| asked.call.id == id)?;
        let asked = self.asked.remove(index);
        if now - asked.at > PATIENCE {
            return None;
        }
        // An approval is for the arguments that the person saw.
        let mut later = self.clone();
        later.advance(at);
        let approved = later.rewrite(&asked.call).0 == asked.args;
        Some(self.call(&Call { approved, at, ..asked.call }))
    }

    /// Decides a call. If it runs, it has happened.
    pub fn call(&mut self, call: &Call) -> Decided {
        if self.flights.iter().any(|flight| flight.call.id == call.id && !flight.ended) {
            let (block, args) = (Decision::Block, Value::from_json(&call.args));
            return Decided { decision: block, would: block, findings: Vec::new(), admitted: false, args };
        }
        let late = self.advance(call.at);
        let (args, notes) = self.rewrite(call);
        let effect = {
            let mut scope = self.scope();
            (scope.call, scope.args) = (Some(call), Some(&args));
            effect::effect(self.contract, call, &scope)
        };
        let moment = Moment::Call { call, args: &args, effect };
        let judged: Vec<Judged> =
            (0..self.contract.rules.len()).map(|index| self.judge(index, &moment, &notes)).collect();

        let mut findings = Vec::new();
        let (mut decision, mut would) = (Decision::Allow, Decision::Allow);
        for (rule, judged) in self.contract.rules.iter().zip(&judged) {
            for (verdict, row, cause) in &judged.says {
                let action = action(rule, *row, effect);
                would = would.max(action);
                if rule.mode == Mode::Enforce {
                    decision = decision.max(action);
                }
                if action != Decision::Allow || *verdict >= Verdict::Unestablished || *cause == Cause::Guarded {
                    findings.push(Finding::new(&rule.id, *verdict, action, cause.clone()));
                }
            }
        }
        let (which, contributed) = effect::default(self.contract, &moment, &self.scope_at(&moment));
        would = would.max(contributed);
        if self.contract.mode == Mode::Enforce {
            decision = decision.max(contributed);
        }
        if contributed != Decision::Allow {
            findings.push(Finding::new(which, Verdict::Unestablished, contributed, Cause::Rule));
        }

        let runs = |decision| decision < Decision::Ask || (decision == Decision::Ask && call.approved);
        let admitted = runs(decision);
        if admitted {
            findings.extend(self.admit(call, &args, effect, judged, runs(would)));
        } else if decision == Decision::Ask {
            self.asked.push(Asked { call: call.clone(), args: args.clone(), at: self.now });
        }
        findings.extend(late);
        Decided { decision, would, findings, admitted, args }
    }

    /// The call runs. `counted`: registers in shadow mode count it too.
    fn admit(&mut self, call: &Call, args: &Value, effect: Effect, judged: Vec<Judged>, counted: bool) -> Vec<Finding> {
        self.position += 1;
        let mut findings = self.run_out(true);
        let mut reserved = Vec::new();
        for (index, (rule, judged)) in self.contract.rules.iter().zip(judged).enumerate() {
            if let Some(actual) = judged.actual.filter(|verdict| *verdict >= Verdict::Unestablished) {
                // What a person approved does not count against the rule that asked.
                let said = judged.says.first().map_or(actual, |(verdict, ..)| *verdict);
                let approved = call.approved && rule.table.decide(said, effect) == Decision::Ask;
                if !approved {
                    self.latches[index] = self.latches[index].max(actual);
                }
            }
            let Some(mut seen) = judged.seen else { continue };
            let is_register = matches!(rule.kind, Kind::Register { .. });
            if is_register && rule.mode == Mode::Shadow && !counted {
                seen.step = super::history::Step::none();
            }
            if judged.expects == 0 && !seen.step.concerns() && seen.closes == Kleene::No && seen.resets == Kleene::No {
                continue;
            }
            let touched = seen.touched.clone();
            // A slot is kept for the keys that the call itself does not make live.
            let mut stepped = self.clone();
            stepped.seen[index].push(Seen { closes: Kleene::No, resets: Kleene::No, ..seen.clone() });
            let unseen = match touched {
                Touched::Keys(_) => stepped.with_history(index, |history| Self::unseen(history, &touched).len()),
                _ => Some(judged.expects),
            };
            findings.extend(self.take(index, seen));
            if judged.expects > 0 {
                reserved.push((index, unseen.unwrap_or_default()));
            }
        }
        self.flights.push(Flight {
            call: call.clone(),
            args: args.clone(),
            effect,
            position: self.position,
            reserved,
            ended: false,
        });
        findings
    }

    /// What a rule says of a call.
    fn judge(&self, index: usize, moment: &Moment<'_>, notes: &[rewrite::Note]) -> Judged {
        let rule = &self.contract.rules[index];
        let by = |verdict, cause| Judged {
            says: vec![(verdict, Row::Of(verdict), cause)],
            actual: Some(verdict),
            ..Judged::default()
        };
        let scope = self.scope_at(moment);
        match &rule.kind {
            Kind::Permit { .. } | Kind::Ensure { .. } | Kind::Redact { .. } => Judged::default(),
            Kind::Rewrite { .. } => match notes.iter().find(|note| note.rule == index) {
                None => Judged::default(),
                Some(note) if note.cause == Cause::Rewritten => {
                    Judged { says: vec![(Verdict::Open, Row::Alert, Cause::Rewritten)], ..Judged::default() }
                }
                Some(note) => by(Verdict::Unestablished, note.cause.clone()),
            },
            Kind::Require { pattern, clauses } => {
                let holds = Kleene::all(clauses.iter().map(|clause| scope.truth(&clause.predicate)));
                match (pattern::status(pattern, moment, &scope), holds) {
                    (Kleene::No, _) => Judged::default(),
                    (_, Kleene::Yes) => by(Verdict::Satisfied, Cause::Rule),
                    (Kleene::Yes, Kleene::No) => by(Verdict::Violated, Cause::Rule),
                    _ => by(Verdict::Unestablished, Cause::Rule),
                }
            }
            Kind::NoFlow { .. } => match flow::look(rule, moment, &scope, &self.brought[index]) {
                Some((verdict, cause)) => by(verdict, cause),
                None => Judged::default(),
            },
            Kind::Automaton { .. } | Kind::Register { .. } => self.judge_monitor(index, rule, moment),
        }
    }

    fn judge_monitor(&self, index: usize, rule: &Rule, moment: &Moment<'_>) -> Judged {
        let mut seen = self.read(rule, moment);
        let Some(meaning) = meaning(rule).filter(|_| seen.touched != Touched::Nothing || seen.resets != Kleene::No)
        else {
            return Judged::default();
        };
        let history = self.history(index, &*meaning);
        let steps = seen.step.concerns() && seen.touched != Touched::Nothing;
        let actual = history.look_ahead(&seen.touched, &seen.step, seen.at);
        let unreadable = seen.touched == Touched::Unreadable;
        let full = steps && self.overflows(index, &seen, &history);
        if full {
            seen.no_room = Some(history.live());
        }
        // What the rule says by itself comes before what its memory bound says.
        let full = full && actual < Verdict::Unestablished;
        let after = if unreadable || full { Verdict::Unestablished } else { actual };
        let when_full = match &rule.per {
            Some(keyed) if keyed.when_full == WhenFull::Alert => Row::Alert,
            _ => Row::Of(Verdict::Unestablished),
        };
        let mut says = Vec::new();
        if steps {
            let (row, cause) = if full { (when_full, Cause::Full) } else { (Row::Of(after), Cause::Rule) };
            says.push((after, row, cause));
        }
        let mut expects = 0;
        if let Some(keyed) = &rule.per {
            let by_outcome = |phases: &Phases| phases.ok || phases.failed || phases.unknown;
            let may_need = patterns(rule).iter().any(|pattern| pattern::may_match(pattern, moment, by_outcome));
            // One whose key only the outcome tells needs a place all the same.
            let new = match may_need {
                true if !read::has_key(rule, moment) => 1,
                true => Self::unseen(&history, &seen.touched).len(),
                false => 0,
            };
            if new > self.room(index, keyed, &history) {
                if !steps || after < Verdict::Unestablished {
                    says.clear();
                    says.push((Verdict::Unestablished, when_full, Cause::Full));
                }
            } else {
                expects = new;
            }
        }
        let guarded =
            rule.guards.as_ref().map_or(Kleene::No, |guards| pattern::status(guards, moment, &self.scope_at(moment)));
        if seen.touched != Touched::Nothing {
            match (guarded, after) {
                (Kleene::Yes, Verdict::Pending) => {
                    says.push((Verdict::Pending, Row::Of(Verdict::Violated), Cause::Guarded));
                }
                (Kleene::Perhaps, Verdict::Pending) | (Kleene::Yes | Kleene::Perhaps, Verdict::Unestablished) => {
                    says.push((Verdict::Unestablished, Row::Of(Verdict::Unestablished), Cause::Guarded));
                }
                _ => {}
            }
        }
        Judged { says, actual: steps.then_some(actual), seen: Some(seen), expects }
    }
}
