//! A rule that speaks of every call, in a contract whose `default` decides the calls of which no rule speaks: it decides none.

use contract_runtime::{Decision, Effect};

use super::Place;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::mir::{Kind, Pattern, Rule, Subject};

pub(super) fn check(place: &Place<'_>, diagnostics: &mut Diagnostics) {
    let &Place { rule, written, contract, .. } = place;
    // A permit that speaks of a call leaves it to `default` where it does not match.
    let permits = || contract.rules.iter().filter(|rule| matches!(rule.kind, Kind::Permit { .. }));
    let left_to_default = |effect| permits().flat_map(Rule::patterns).any(|pattern| speaks_of_all(pattern, effect));
    if contract.default.strict || matches!(rule.kind, Kind::Permit { .. }) {
        return;
    }
    let guards = rule.guards.iter().zip(written.guards.as_ref().map(|source| source.span));
    for effect in [Effect::Irreversible, Effect::Write, Effect::Read] {
        let decision = contract.default.by_effect.get(effect);
        let mut patterns = place.patterns().into_iter().chain(guards.clone());
        let spoken = patterns.find(|(pattern, _)| speaks_of_all(pattern, effect));
        let Some((pattern, span)) = spoken.filter(|_| decision != Decision::Allow && !left_to_default(effect)) else {
            continue;
        };
        let (decision, effect) = (decision.as_str(), effect.as_str());
        let message =
            format!("`{}` speaks of every call, so `default` with `{effect}: {decision}` decides none", pattern.text);
        let help = format!(
            "name the tools, or write one word, `default: {decision}`, and a `permit` for what may run; `{effect}: allow` says \
             what it is now"
        );
        diagnostics.push(Diagnostic::new(Code::DefaultDefeated, span, message).help(help));
        return;
    }
}

/// Whether the pattern speaks of every call with the effect, its conditions aside.
fn speaks_of_all(pattern: &Pattern, effect: Effect) -> bool {
    pattern.alternatives.iter().filter(|alternative| alternative.phases.call).any(|alternative| {
        match &alternative.subject {
            Subject::Tools(names) => names.server.is_none() && names.tool.as_str().bytes().all(|byte| byte == b'*'),
            Subject::Effect(spoken) => *spoken == effect,
            Subject::Event(_) => false,
        }
    })
}
