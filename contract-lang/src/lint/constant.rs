//! A rule whose verdict does not depend on what happens: no session can satisfy it, or nothing violates it.

use contract_runtime::{Colour, Verdict};

use super::Place;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Goal};
use crate::mir::Kind;

pub(super) fn check(&Place { rule, written, .. }: &Place<'_>, diagnostics: &mut Diagnostics) {
    let Kind::Automaton { machine, .. } = &rule.kind else { return };
    let (code, message, help, shown) = match machine.colours.get(usize::from(machine.initial)) {
        Some(Colour::Violated) => (
            Code::NeverSatisfied,
            "no session can satisfy the rule: it is violated before anything happens, and stops every call that it speaks of",
            "see which parts contradict each other; one event has one tool and one moment",
            Goal::call().by(&rule.id),
        ),
        Some(Colour::Satisfied) => (
            Code::NeverViolated,
            "nothing can violate the rule: it is satisfied before anything happens",
            "see whether its patterns can match one event, or follow each other, as you mean it; or leave the rule out",
            Goal::verdict(&rule.id, Verdict::Satisfied).after_all_patterns().ended(),
        ),
        _ => return,
    };
    diagnostics.push(Diagnostic::new(code, written.kind_span, message).help(help).goal(shown));
}
