//! A rule that guards what meets it: a call that must succeed first is stopped until it has succeeded.

use super::Place;
use crate::ast;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::mir::{Alternative, Pattern};
use crate::resolve::covers;

pub(super) fn check(place: &Place<'_>, diagnostics: &mut Diagnostics) {
    let &Place { rule, written, .. } = place;
    let (Some(guards), Some(source)) = (&rule.guards, &written.guards) else { return };
    let first = usize::from(matches!(written.kind, ast::Kind::MustBeFollowedBy(_)));
    for (answer, span) in place.patterns().into_iter().skip(first) {
        if answer.alternatives.iter().all(|alternative| waits(alternative, guards)) {
            let message = format!("the rule guards `{}`, which it waits for: nothing can meet it", answer.text);
            let help = "guard other calls than the ones that meet the rule";
            diagnostics.push(
                Diagnostic::new(Code::GuardedAnswer, source.span, message).related(span, "waits for this").help(help),
            );
        }
    }
}

/// Whether it is the result of calls that are all guarded. A call that meets the rule by being made is not stopped.
fn waits(answer: &Alternative, guards: &Pattern) -> bool {
    let results = answer.phases.result() && !answer.phases.call;
    let stops = |guard: &Alternative| guard.condition.is_none() && covers(&guard.subject, &answer.subject);
    results && guards.alternatives.iter().any(stops)
}
