//! Effects, outcomes, and what becomes of calls that no rule decides (language.md, "From verdict to decision").

use contract_lang::mir::{Contract, Glob, Kind, Pattern, Rule, Tool};
use contract_runtime::{Decision, Effect, Mode};

use super::event::{Call, Moment, Status};
use super::expr::Scope;
use super::pattern::{may_match, names, status};
use super::value::{Kleene, Value};

/// The declaration of a tool: an exact name beats a glob, among globs the first in the file.
fn declaration<'c>(contract: &'c Contract, call: &Call) -> Option<&'c Tool> {
    let meant = |tool: &&Tool| names(&tool.names, &call.tool, call.server.as_deref());
    let exact = |tool: &&Tool| !is_glob(&tool.names.tool);
    contract.tools.iter().filter(exact).find(meant).or_else(|| contract.tools.iter().find(meant))
}

fn is_glob(glob: &Glob) -> bool {
    glob.as_str().contains(['*', '?'])
}

/// The effect of a call: by argument, the first case that is true; the most dangerous of those that may be the first.
pub fn effect(contract: &Contract, call: &Call, scope: &Scope<'_>) -> Effect {
    let cases = declaration(contract, call).map_or(&[][..], |tool| &tool.effect);
    let applies = |when: &Option<_>| when.as_ref().map_or(Kleene::Yes, |when| scope.truth(when));
    let answers: Vec<(Kleene, Effect)> = cases.iter().map(|case| (applies(&case.when), case.is)).collect();
    let Some(certain) = answers.iter().position(|(applies, _)| *applies == Kleene::Yes) else {
        return Effect::Irreversible;
    };
    let possible = answers[..=certain].iter().filter(|(applies, _)| *applies != Kleene::No);
    possible.map(|(_, effect)| *effect).max().unwrap_or(Effect::Irreversible)
}

/// How a call ended: a host's `failed` and `unknown` are final, its `ok` is judged by the value.
pub fn outcome(contract: &Contract, call: &Call, said: Status, result: Option<&Value>, scope: &Scope<'_>) -> Status {
    if said != Status::Ok {
        return said;
    }
    if let Some(succeeds) = declaration(contract, call).and_then(|tool| tool.succeeds_when.as_ref()) {
        return match scope.truth(succeeds) {
            Kleene::Yes => Status::Ok,
            Kleene::No => Status::Failed,
            Kleene::Perhaps => Status::Unknown,
        };
    }
    let Some(Value::Object(fields)) = result else { return Status::Ok };
    let is_error = fields.get("isError") == Some(&Value::Bool(true));
    let has_error = fields.get("error").is_some_and(|error| *error != Value::Null);
    if is_error || has_error { Status::Failed } else { Status::Ok }
}

/// The patterns that say what a rule speaks of.
fn spoken(rule: &Rule) -> Vec<&Pattern> {
    match &rule.kind {
        Kind::Automaton { patterns, .. } | Kind::Register { patterns, .. } => patterns.iter().collect(),
        Kind::NoFlow { patterns, .. } => patterns.iter().collect(),
        Kind::Permit { pattern }
        | Kind::Require { pattern, .. }
        | Kind::Rewrite { pattern, .. }
        | Kind::Ensure { pattern, .. }
        | Kind::Redact { pattern, .. } => vec![pattern],
    }
}

/// What the default contributes: which of the two it is, and the decision.
pub fn default(contract: &Contract, moment: &Moment<'_>, scope: &Scope<'_>) -> (&'static str, Decision) {
    let Moment::Call { call, effect, .. } = moment else { return ("default", Decision::Allow) };
    let mut mentioned = false;
    let mut by_permit = false;
    // What is on trial in a contract that is enforced lifts nothing.
    let on_trial = |rule: &&Rule| rule.mode == Mode::Shadow && contract.mode == Mode::Enforce;
    for rule in contract.rules.iter().filter(|rule| !on_trial(rule)) {
        let spoken_of = |pattern: &Pattern| may_match(pattern, moment, |phases| phases.call);
        mentioned |= spoken(rule).iter().copied().chain(&rule.guards).any(spoken_of);
        if let Kind::Permit { pattern } = &rule.kind {
            if status(pattern, moment, scope) == Kleene::Yes {
                return ("default", Decision::Allow);
            }
            by_permit |= spoken_of(pattern);
        }
    }
    if let Some(undeclared) = contract.undeclared
        && declaration(contract, call).is_none()
        && !contract.catalog.contains(&call.tool)
    {
        return ("undeclared", undeclared);
    }
    if contract.default.strict || by_permit || !mentioned {
        ("default", contract.default.by_effect.get(*effect))
    } else {
        ("default", Decision::Allow)
    }
}
