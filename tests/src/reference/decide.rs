//! Decide, then commit: what becomes of a call (language.md, "From verdict to decision").

use contract_lang::mir::{Kind, Phases, Rule};
use contract_runtime::{Decision, Mode, Verdict};

use super::event::Moment;
use super::history::{Seen, patterns};
use super::value::{Kleene, Value};
use super::{Call, Decided, Finding, Flight, Reference, effect, finding, pattern};

/// What one rule makes of a call.
struct Judged {
    /// `None`: it takes no part in the decision.
    verdict: Option<Verdict>,
    /// The verdict of the step itself, where `verdict` speaks of the key or of the memory bound.
    actual: Verdict,
    /// What the call is to it; nothing for a rule without memory.
    seen: Option<Seen>,
    /// Whether an outcome of the call may need an instance for its key.
    expects: bool,
}

impl Reference<'_> {
    /// Decides a call. If it runs, it has happened.
    pub fn call(&mut self, call: &Call) -> Decided {
        self.now = self.now.max(call.at);
        if self.flights.iter().any(|flight| flight.call.id == call.id && !flight.ended) {
            let block = Decision::Block;
            return Decided { decision: block, would: block, findings: Vec::new(), admitted: false };
        }
        let args = Value::from_json(&call.args);
        let effect = {
            let mut scope = self.scope();
            (scope.call, scope.args) = (Some(call), Some(&args));
            effect::effect(self.contract, call, &scope)
        };
        let moment = Moment::Call { call, args: &args, effect };
        let judged: Vec<Judged> = (0..self.contract.rules.len()).map(|index| self.judge(index, &moment)).collect();

        let mut findings = Vec::new();
        let (mut decision, mut would) = (Decision::Allow, Decision::Allow);
        let action = |rule: &Rule, verdict| rule.table.decide(verdict, effect);
        for (rule, judged) in self.contract.rules.iter().zip(&judged) {
            let Some(verdict) = judged.verdict else { continue };
            let action = action(rule, verdict);
            would = would.max(action);
            if rule.mode == Mode::Enforce {
                decision = decision.max(action);
            }
            if action != Decision::Allow || verdict >= Verdict::Unestablished {
                findings.push(finding(&rule.id, verdict, action));
            }
        }
        let (which, contributed) = effect::default(self.contract, &moment, &self.scope_at(&moment));
        would = would.max(contributed);
        if self.contract.mode == Mode::Enforce {
            decision = decision.max(contributed);
        }
        if contributed != Decision::Allow {
            findings.push(Finding { rule: which.to_owned(), verdict: Verdict::Unestablished, action: contributed });
        }

        let runs = |decision| decision < Decision::Ask || (decision == Decision::Ask && call.approved);
        let admitted = runs(decision);
        if admitted {
            let mut reserved = Vec::new();
            for (index, (rule, judged)) in self.contract.rules.iter().zip(judged).enumerate() {
                if let Some(verdict) = judged.verdict.filter(|verdict| *verdict >= Verdict::Unestablished) {
                    // What a person approved does not count against the rule that asked.
                    let approved = call.approved && action(rule, verdict) == Decision::Ask;
                    if !approved && judged.actual >= Verdict::Unestablished {
                        self.latches[index] = self.latches[index].max(judged.actual);
                    }
                }
                let shadow = rule.mode == Mode::Shadow;
                self.admit(index, judged, !shadow || runs(would), &mut reserved);
            }
            self.flights.push(Flight { call: call.clone(), args, effect, reserved, ended: false });
        }
        Decided { decision, would, findings, admitted }
    }

    /// What a rule says of a call.
    fn judge(&self, index: usize, moment: &Moment<'_>) -> Judged {
        let rule = &self.contract.rules[index];
        let silent = Judged { verdict: None, actual: Verdict::Satisfied, seen: None, expects: false };
        match &rule.kind {
            Kind::Permit { .. } => silent,
            Kind::Require { pattern, clauses } => {
                let scope = self.scope_at(moment);
                let holds = Kleene::all(clauses.iter().map(|clause| scope.truth(&clause.predicate)));
                let verdict = match (pattern::status(pattern, moment, &scope), holds) {
                    (Kleene::No, _) => return silent,
                    (_, Kleene::Yes) => Verdict::Satisfied,
                    (Kleene::Yes, Kleene::No) => Verdict::Violated,
                    _ => Verdict::Unestablished,
                };
                Judged { verdict: Some(verdict), actual: verdict, ..silent }
            }
            Kind::Automaton { .. } | Kind::Count { .. } | Kind::Total { .. } | Kind::Rate { .. } => {
                self.judge_monitor(index, rule, moment)
            }
        }
    }

    fn judge_monitor(&self, index: usize, rule: &Rule, moment: &Moment<'_>) -> Judged {
        let mut seen = self.read(rule, moment);
        let history = self.history(index);
        let steps = seen.step.concerns();
        let actual = match &seen.key {
            _ if !steps => Verdict::Satisfied,
            Some(key) => history.look_ahead(Some(key), &seen.step),
            None => history.look_anywhere(&seen.step),
        };
        let mut verdict = steps.then_some(actual);
        if steps && seen.key.is_none() {
            verdict = Some(Verdict::Unestablished);
        }
        if steps && self.overflows(index, &seen) {
            verdict = Some(Verdict::Unestablished);
            seen.no_room = Some(history.live());
        }
        let mut expects = false;
        if let (Some(keyed), Some(key)) = (&rule.per, &seen.key)
            && !history.live().contains(key)
        {
            let by_outcome = |phases: &Phases| phases.ok || phases.failed || phases.unknown;
            expects = patterns(rule).iter().any(|pattern| pattern::may_match(pattern, moment, by_outcome));
            if expects && !self.has_room(index, keyed) {
                verdict = verdict.max(Some(Verdict::Unestablished));
                expects = false;
            }
        }
        Judged { verdict, actual, seen: Some(seen), expects }
    }

    /// The call runs: the rule has seen it, and keeps a slot if its outcome may need one.
    fn admit(&mut self, index: usize, judged: Judged, counted: bool, reserved: &mut Vec<usize>) {
        let Some(seen) = judged.seen else { return };
        let key = seen.key.clone();
        if seen.step.concerns() || seen.closes != Kleene::No {
            self.seen[index].push(Seen { counted, ..seen });
        }
        if judged.expects && key.is_some_and(|key| !self.history(index).live().contains(&key)) {
            reserved.push(index);
        }
    }
}
