//! A tool whose calls cannot be undone, that `default` lets run, and of which no rule speaks: nothing ever stops it.

use contract_runtime::{Decision, Effect};

use super::pairs::Pairs;
use crate::ast::Contract;
use crate::automaton::overlap;
use crate::diagnostic::{Certainty, Code, Diagnostic, Diagnostics, Goal};
use crate::mir::{Alternative, Rule, Subject, Tool};
use crate::resolve::Lowered;

pub(super) fn check(written: &Contract, lowered: &Lowered<'_>, diagnostics: &mut Diagnostics) {
    let contract = &lowered.contract;
    let decision = contract.default.by_effect.irreversible;
    if !matches!(decision, Decision::Allow | Decision::Alert) {
        return;
    }
    let rules = contract.rules.iter().filter(|rule| !contract.on_trial(rule));
    let spoken: Vec<&Alternative> = rules.flat_map(stopping).collect();
    let mut pairs = Pairs::new();
    for (tool, (name, _)) in contract.tools.iter().zip(&lowered.tools) {
        let irreversible = tool.effect.iter().any(|case| case.is == Effect::Irreversible);
        if !irreversible || spoken.iter().any(|each| !pairs.take() || may_be_of(each, tool)) {
            continue;
        }
        let message = format!(
            "`{}` cannot be undone, and nothing stops it: no rule speaks of its calls, and `default` is `{}`",
            name.text,
            decision.as_str()
        );
        let shown = Goal::call().tool(&tool.names.to_string()).decided(decision);
        let help = "write a rule for it, or leave `default` to `irreversible: block` and write a `permit`";
        diagnostics.push(
            Diagnostic::new(Code::UnguardedIrreversible, name.span, message)
                .certainty(Certainty::Proved)
                .help(help)
                .goal(shown),
        );
    }
    pairs.report(Code::UnguardedIrreversible, written.name.span, diagnostics);
}

/// What a rule may stop: the calls of which it speaks, and those for whose results a keyed rule may have no place.
fn stopping(rule: &Rule) -> impl Iterator<Item = &Alternative> {
    let alternatives = rule.all_patterns().flat_map(|pattern| &pattern.alternatives);
    alternatives.filter(|alternative| alternative.phases.call || rule.per.is_some())
}

/// Whether it may be a call of the tool, with whatever effect.
fn may_be_of(alternative: &Alternative, tool: &Tool) -> bool {
    match &alternative.subject {
        Subject::Tools(names) => overlap(names, &tool.names),
        Subject::Effect(effect) => *effect == Effect::Irreversible || tool.effect.iter().any(|case| case.is == *effect),
        Subject::Event(_) => false,
    }
}
