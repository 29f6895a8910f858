//! What is made of a result before anything else reads it: postconditions, and what the agent does not see.

use contract_lang::mir::{Kind, Step};
use contract_runtime::{Decision, Mode, Verdict};
use serde_json::Value as Json;

use super::event::{Moment, Status};
use super::expr::Scope;
use super::pattern;
use super::value::{Kleene, Value};
use super::{Cause, Finding, Reference};

/// What the agent may see of a result.
#[derive(Clone, Debug, PartialEq)]
pub enum Delivery {
    /// All of it.
    AsIs,
    /// This instead.
    Redacted(Json),
    /// Nothing.
    Withheld,
}

/// What became of a call that ran.
#[derive(Clone, Debug, PartialEq)]
pub struct Settled {
    /// How it ended; what is withheld proves nothing.
    pub status: Status,
    /// What rules and commits found.
    pub findings: Vec<Finding>,
    /// What the agent may see.
    pub delivery: Delivery,
}

/// Whether the pattern of a rule about results matches: its conditions read the value as it came, whatever is known of the
/// outcome.
pub fn applies(pattern: &contract_lang::mir::Pattern, moment: &Moment<'_>, scope: &Scope<'_>) -> Kleene {
    let known = pattern::statuses_of_value(pattern, moment, scope).into_iter();
    known.reduce(Kleene::agreed).unwrap_or(Kleene::No)
}

impl Reference<'_> {
    /// What `ensure` rules say of a result, and whether it is withheld.
    pub(super) fn ensure(&mut self, moment: &Moment<'_>, scope: &Scope<'_>) -> (Vec<Finding>, bool) {
        let Moment::Result { effect, .. } = *moment else { return (Vec::new(), false) };
        let (mut findings, mut withheld) = (Vec::new(), false);
        for (index, rule) in self.contract.rules.iter().enumerate() {
            let Kind::Ensure { pattern, clauses } = &rule.kind else { continue };
            let holds = Kleene::all(clauses.iter().map(|clause| scope.truth(&clause.predicate)));
            let verdict = match (applies(pattern, moment, scope), holds) {
                (Kleene::No, _) => continue,
                (_, Kleene::Yes) => Verdict::Satisfied,
                (Kleene::Yes, Kleene::No) => Verdict::Violated,
                _ => Verdict::Unestablished,
            };
            let action = rule.table.decide(verdict, effect);
            if verdict >= Verdict::Unestablished {
                self.latches[index] = self.latches[index].max(verdict);
            }
            if verdict >= Verdict::Unestablished || action != Decision::Allow {
                withheld |= action >= Decision::Ask && rule.mode == Mode::Enforce;
                findings.push(Finding::new(&rule.id, verdict, action, Cause::Rule));
            }
        }
        (findings, withheld)
    }

    /// What the agent sees of a result that is not withheld; and what it would not have seen if nothing were in shadow mode.
    pub(super) fn redact(&self, value: &Json, moment: &Moment<'_>, scope: &Scope<'_>) -> (Delivery, Vec<Finding>) {
        let mut findings = Vec::new();
        let mut hidden: Vec<&[Step]> = Vec::new();
        for rule in &self.contract.rules {
            let Kind::Redact { pattern, paths } = &rule.kind else { continue };
            if applies(pattern, moment, scope) == Kleene::No {
                continue;
            }
            let paths: Vec<&[Step]> = paths.iter().map(Vec::as_slice).collect();
            match rule.mode {
                Mode::Enforce => hidden.extend(paths),
                Mode::Shadow if masked(value, &paths) != *value => {
                    findings.push(Finding::new(&rule.id, Verdict::Open, Decision::Alert, Cause::Redacted));
                }
                Mode::Shadow => {}
            }
        }
        let seen = masked(value, &hidden);
        (if seen == *value { Delivery::AsIs } else { Delivery::Redacted(seen) }, findings)
    }
}

/// The value with what the paths lead to replaced.
fn masked(value: &Json, paths: &[&[Step]]) -> Json {
    if paths.iter().any(|path| path.iter().all(|step| *step == Step::Deep)) {
        return Json::from("[redacted]");
    }
    // What is left of each path one level below; `**` may go on, or be over.
    let below = |is_it: &dyn Fn(&Step) -> bool| -> Vec<Vec<Step>> {
        let mut rests = Vec::new();
        for path in paths {
            for (at, step) in path.iter().enumerate() {
                if *step == Step::Deep {
                    rests.push(path[at..].to_vec());
                    continue;
                }
                if is_it(step) {
                    rests.push(path[at + 1..].to_vec());
                }
                break;
            }
        }
        rests
    };
    let inner = |value: &Json, is_it: &dyn Fn(&Step) -> bool| {
        let rests = below(is_it);
        masked(value, &rests.iter().map(Vec::as_slice).collect::<Vec<_>>())
    };
    match value {
        Json::Array(items) => {
            let each = items.iter().enumerate().map(|(at, item)| {
                let is_it = |step: &Step| {
                    matches!(step, Step::Each)
                        || matches!(step, Step::Index(index) if usize::try_from(*index) == Ok(at))
                };
                inner(item, &is_it)
            });
            Json::Array(each.collect())
        }
        Json::Object(fields) => {
            let each = fields.iter().map(|(name, field)| {
                let is_it = |step: &Step| matches!(step, Step::Each) || *step == Step::Field(name.clone());
                (name.clone(), inner(field, &is_it))
            });
            Json::Object(each.collect())
        }
        scalar => scalar.clone(),
    }
}

/// What a path leads to: each part that is there.
pub fn select<'a>(value: &'a Value, path: &[Step], found: &mut Vec<&'a Value>) {
    let Some((step, rest)) = path.split_first() else { return found.push(value) };
    if *step == Step::Deep {
        let mut all = Vec::new();
        below(value, &mut all);
        return all.into_iter().for_each(|part| select(part, rest, found));
    }
    let next: Vec<&Value> = match (value, step) {
        (Value::List(items), Step::Each) => items.iter().collect(),
        (Value::Object(fields), Step::Each) => fields.values().collect(),
        (Value::List(items), Step::Index(index)) => {
            usize::try_from(*index).ok().and_then(|index| items.get(index)).into_iter().collect()
        }
        (Value::Object(fields), Step::Field(name)) => fields.get(name).into_iter().collect(),
        _ => Vec::new(),
    };
    next.into_iter().for_each(|part| select(part, rest, found));
}

/// Every part of a value, itself included.
pub fn below<'a>(value: &'a Value, found: &mut Vec<&'a Value>) {
    found.push(value);
    match value {
        Value::List(items) => items.iter().for_each(|item| below(item, found)),
        Value::Object(fields) => fields.values().for_each(|field| below(field, found)),
        _ => {}
    }
}
