//! Something that a rule can owe and that nothing can meet, whatever the other rules say: the events that would meet it cannot
//! happen.
//!
//! Their conditions exclude each other, the tool never runs because the defaults stop it, or the rule guards it itself. Proved by the
//! product of the rule alone, see [`super::doom`]. What a rule owes from the start and nothing can meet makes it a rule that no session
//! satisfies, and is reported as such.

use contract_runtime::Verdict;

use super::context::Context;
use super::doom::{Doom, When, Why};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Goal, Level};

/// Reports what rules make impossible for themselves.
pub(super) fn check(context: &Context<'_>, dooms: &[Doom], diagnostics: &mut Diagnostics) {
    for doom in dooms.iter().filter(|doom| doom.why == Why::Alone) {
        let [rule] = doom.owing.as_slice() else { continue };
        let (Some(checked), Some(span)) = (context.rule(*rule), context.place(*rule)) else { continue };
        let (code, message) = match doom.when {
            When::Start => (Code::NeverSatisfied, "no session can satisfy the rule: what it requires cannot happen"),
            _ => (
                Code::UnmetObligation,
                "once the rule owes something nothing can meet it: every such session violates it",
            ),
        };
        let mut diagnostic = Diagnostic::new(code, span, message);
        for stops in &doom.stops {
            diagnostic = diagnostic.help(format!("`{}` is stopped by {}", stops.tool, stops.by(context)));
        }
        let help = if doom.stops.is_empty() {
            "see whether the conditions of what it waits for exclude each other, and whether its moment is right"
        } else {
            "let the call run: declare its effect, or permit it"
        };
        diagnostic.rule = Some(checked.id.clone());
        if code == Code::UnmetObligation {
            diagnostic.level = Level::Error;
        }
        let goal = Goal::verdict(&checked.id, Verdict::Violated).ended();
        diagnostic = context.shown(diagnostic.help(help), goal, doom.when == When::Start);
        diagnostics.push(diagnostic);
    }
}
