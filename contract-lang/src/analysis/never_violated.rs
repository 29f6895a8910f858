//! A rule that nothing can violate, whatever other rules say.
//!
//! In the product of the rule alone no event gets the verdict *violated*, and nothing is ever owed, surely or perhaps. The claim is
//! proved: the product has every session. It is exact for automata and small counts whose conditions compare paths with constants;
//! sums, rates, windows and ids may say whatever they like, so that nothing is claimed of them. Machines that are constant by themselves are
//! found by a lint already; of `require` and `ensure` their clauses are looked at, see [`super::constant_predicate`].

use contract_runtime::{Colour, Truth, Verdict};

use super::context::Context;
use super::model::Space;
use crate::diagnostic::{Certainty, Code, Diagnostic, Diagnostics, Goal};
use crate::mir::{Kind, Rule};

/// Looks at every rule that steps.
pub(super) fn check(context: &Context<'_>, diagnostics: &mut Diagnostics) {
    for (index, (rule, written)) in context.rules().enumerate() {
        // Of a tool that is never called another finding speaks.
        if !rule.steps()
            || is_constant(rule)
            || context.model.touches(index).iter().any(|subject| context.is_dead(*subject))
        {
            continue;
        }
        let Some(space) = context.model.isolated(&context.model.narrow(&[index])).exhausted() else {
            context.gave_up(Some(written.kind_span), "whether anything can violate the rule");
            continue;
        };
        if may_be_violated(&space, index) {
            continue;
        }
        let message =
            "nothing can violate the rule: no event that it stops, or that makes it owe something, can happen";
        let help = "see which conditions exclude each other, and which of its events cannot come before another; or leave it out";
        let diagnostic = Diagnostic::new(Code::NeverViolated, written.kind_span, message).help(help);
        let mut diagnostic = diagnostic.certainty(Certainty::Proved).goal(Goal::call().spoken_of(&rule.id));
        diagnostic.rule = Some(rule.id.clone());
        diagnostics.push(diagnostic);
    }
}

fn is_constant(rule: &Rule) -> bool {
    let Kind::Automaton { machine, .. } = &rule.kind else { return false };
    let initial = machine.colours.get(usize::from(machine.initial));
    matches!(initial, Some(Colour::Violated | Colour::Satisfied))
}

/// Whether the rule may find an event violated, or owe something. By symmetry it is enough to look at one key.
fn may_be_violated(space: &Space<'_, '_>, rule: usize) -> bool {
    let classes =
        || (0..space.classes().len()).filter(|class| space.is_about_the_key(*class) && space.may_come(*class));
    space.states().any(|state| {
        let violated = |class: usize| space.verdicts(state, class, rule).may(Verdict::Violated);
        space.owes(state, rule) != Truth::False || classes().any(violated)
    })
}
