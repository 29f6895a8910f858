//! A postcondition that reads nothing of the result: it could have stopped the call.

use contract_runtime::Verdict;

use super::Place;
use crate::ast::{Kind, Source};
use crate::diagnostic::{Certainty, Code, Diagnostic, Diagnostics, Goal};
use crate::mir::{self, Alternative, Clause, Expr};

pub(super) fn check(&Place { rule, written, .. }: &Place<'_>, diagnostics: &mut Diagnostics) {
    let (mir::Kind::Ensure { pattern, clauses }, Kind::Ensure(ensure)) = (&rule.kind, &written.kind) else { return };
    if !pattern.alternatives.iter().all(foreseen) {
        return;
    }
    let early: Vec<&Source> = clauses
        .iter()
        .zip(ensure.ensure.iter())
        .filter(|(clause, _)| is_early(clause))
        .map(|(_, source)| source)
        .collect();
    let Some(first) = early.first() else { return };
    let shown = Goal::verdict(&rule.id, Verdict::Violated);
    let message = format!("`{}` is known before the call runs, and is asked only of its result", first.text);
    let help = match early.len() == clauses.len() {
        true => {
            "write `call` for `after` and `require` for `ensure`: then the call is stopped, and not only its result"
        }
        false => "move it into a rule with `call` and `require`: then the call is stopped, and not only its result",
    };
    diagnostics.push(
        Diagnostic::new(Code::LatePrecondition, first.span, message)
            .certainty(Certainty::Proved)
            .help(help)
            .goal(shown),
    );
}

/// Whether the rule looks at every success of the calls, so that it can be said before that it will.
fn foreseen(alternative: &Alternative) -> bool {
    alternative.phases.ok && !alternative.condition.as_ref().is_some_and(Expr::reads_result)
}

/// Whether a clause reads something, and only what the call has too. The time of a result is that of the result, and a clause
/// that reads nothing is meant for its constant verdict.
fn is_early(clause: &Clause) -> bool {
    let (mut reads, mut late) = (false, false);
    clause.predicate.visit(&mut |expr| match expr {
        Expr::Path(_) | Expr::Has(_) => reads = true,
        Expr::Now => late = true,
        _ => {}
    });
    reads && !late && !clause.predicate.reads_result()
}
