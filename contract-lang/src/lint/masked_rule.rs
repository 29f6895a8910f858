//! A rule that changes nothing beside `default`: a permit of what runs anyway, or a rule about what never runs.

use contract_runtime::{Colour, Decision, Effect};

use super::pairs::Pairs;
use crate::ast;
use crate::automaton::{may_meet, overlap};
use crate::diagnostic::{Certainty, Code, Diagnostic, Diagnostics, Goal, Level};
use crate::mir::{Alternative, Contract, Kind, Names, Pattern, Register, Rule, Subject};
use crate::resolve::{Lowered, covers};

pub(super) fn check(file: &ast::Contract, lowered: &Lowered<'_>, diagnostics: &mut Diagnostics) {
    let contract = &lowered.contract;
    let mut pairs = Pairs::new();
    // A rule with a mode of its own is carried out, or not, where `default` is not, or is.
    let rules = contract.rules.iter().zip(&lowered.rules).filter(|(rule, _)| rule.mode == contract.mode);
    for (rule, written) in rules {
        let found = match &rule.kind {
            Kind::Permit { pattern } => permit(pattern, written, contract),
            _ => restriction(rule, written, contract, &mut pairs),
        };
        if let Some(mut diagnostic) = found {
            let decision = if matches!(rule.kind, Kind::Permit { .. }) { Decision::Allow } else { Decision::Block };
            diagnostic.rule = Some(rule.id.clone());
            diagnostics.push(diagnostic.goal(Goal::call().spoken_of(&rule.id).decided(decision)));
        }
    }
    pairs.report(Code::MaskedRule, file.name.span, diagnostics);
}

/// A permit lifts what `default` and `undeclared` say: nothing, where they say `allow`.
fn permit(pattern: &Pattern, written: &ast::Rule, contract: &Contract) -> Option<Diagnostic> {
    let lets_run = |effect: &Effect| contract.default.by_effect.get(*effect) == Decision::Allow;
    let undeclared = contract.undeclared.is_some_and(|decision| decision != Decision::Allow);
    let needless = |alternative: &Alternative| {
        let (effects, declared) = effects(&alternative.subject, contract);
        effects.iter().all(lets_run) && (declared || !undeclared)
    };
    if !pattern.alternatives.iter().all(needless) {
        return None;
    }
    let message = format!("`default` lets `{}` run anyway, so this permits nothing", pattern.text);
    let help = "a permit lifts what `default` and `undeclared` say, never what a rule says: leave it out, or write \
                `default: block`";
    let mut diagnostic =
        Diagnostic::new(Code::MaskedRule, written.kind_span, message).certainty(Certainty::Proved).help(help);
    diagnostic.level = Level::Note;
    Some(diagnostic)
}

/// A rule that can only stop calls that `default: block` stops, whatever the rule says.
fn restriction(rule: &Rule, written: &ast::Rule, contract: &Contract, pairs: &mut Pairs) -> Option<Diagnostic> {
    let blocks = contract.default.strict && contract.default.by_effect.irreversible == Decision::Block;
    let undeclared = contract.undeclared.is_none_or(|decision| decision == Decision::Block);
    let violating = rule.patterns().get(rule.violating.clone()).unwrap_or_default();
    let calls = |pattern: &Pattern| pattern.alternatives.iter().all(|each| !each.phases.result() && !each.phases.event);
    // A call of which a keyed rule looks at the result is stopped where that has no place.
    let prevents = !violating.is_empty() && violating.iter().all(calls);
    let reserves = rule.per.is_some() && !rule.patterns().iter().all(calls);
    if !blocks || !undeclared || !prevents || reserves || owes(&rule.kind) {
        return None;
    }
    let spoken = rule.patterns().iter().flat_map(|pattern| &pattern.alternatives);
    let mut stopped = spoken.filter(|alternative| alternative.phases.call);
    if !stopped.all(|alternative| !permitted(&alternative.subject, contract, pairs)) {
        return None;
    }
    let forbids = rule.kind() == "forbid";
    let (message, help) = match forbids {
        true => (
            "`default: block` stops these calls already, and no rule permits them",
            "leave it out, unless its message or severity matters",
        ),
        false => (
            "the rule decides nothing: `default: block` stops its calls, and no rule permits them",
            "write a `permit` for the calls that may run, which this rule then restricts",
        ),
    };
    let mut diagnostic =
        Diagnostic::new(Code::MaskedRule, written.kind_span, message).certainty(Certainty::Proved).help(help);
    if forbids {
        diagnostic.level = Level::Note;
    }
    Some(diagnostic)
}

/// Whether the rule has something to say when the session ends, or when time goes by.
fn owes(kind: &Kind) -> bool {
    match kind {
        Kind::Automaton { machine, .. } => machine.colours.contains(&Colour::Pending),
        Kind::Register { register, .. } => matches!(register, Register::Deadline { .. }),
        _ => false,
    }
}

/// Whether some permit that is carried out may match such a call.
fn permitted(subject: &Subject, contract: &Contract, pairs: &mut Pairs) -> bool {
    let permits =
        contract.rules.iter().filter(|rule| matches!(rule.kind, Kind::Permit { .. }) && !contract.on_trial(rule));
    let mut lifted = permits.flat_map(Rule::patterns).flat_map(|pattern| &pattern.alternatives);
    lifted.any(|alternative| !pairs.take() || may_meet(&alternative.subject, subject))
}

/// The effects that such calls may have, and whether the contract knows all their tools.
fn effects(subject: &Subject, contract: &Contract) -> (Vec<Effect>, bool) {
    let names = match subject {
        Subject::Effect(effect) => return (vec![*effect], *effect != Effect::Irreversible),
        Subject::Tools(names) => names,
        Subject::Event(_) => return (Vec::new(), true),
    };
    let may_be = contract.tools.iter().filter(|tool| overlap(&tool.names, names));
    let mut effects: Vec<Effect> = may_be.clone().flat_map(|tool| &tool.effect).map(|case| case.is).collect();
    let covered = |declared: &Names| covers(&Subject::Tools(declared.clone()), subject);
    let declared = may_be.clone().any(|tool| covered(&tool.names));
    // A call for which no case holds, and one of a tool without a declaration, counts as irreversible.
    let certain = may_be.clone().all(|tool| tool.effect.last().is_some_and(|case| case.when.is_none()));
    if !declared || !certain {
        effects.push(Effect::Irreversible);
    }
    (effects, declared || is_listed(names, contract))
}

/// Whether it is one tool of a catalog.
fn is_listed(names: &Names, contract: &Contract) -> bool {
    names.tool.is_literal() && contract.catalog.iter().any(|known| known == names.tool.as_str())
}
