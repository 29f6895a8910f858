//! A place where an agent owes something that it may no longer do.
//!
//! With rules that stop calls before they violate, this is the real deadlock: nothing is violated yet, and nothing that the agent
//! may do avoids it. The way out is shown to be closed by the product of the rules, see [`super::doom`]. The way in is a session that the
//! contract's interpreter decides and that ends, in the product, in doomed states alone; without one the trap is only possible.

use contract_runtime::{Decision, Verdict};

use super::context::Context;
use super::doom::{Doom, When};
use crate::diagnostic::{Certainty, Code, Diagnostic, Diagnostics, Goal, Level};

/// Reports what can be met at first, and later no more.
pub(super) fn check(context: &Context<'_>, dooms: &[Doom], diagnostics: &mut Diagnostics) {
    for doom in dooms.iter().filter(|doom| doom.when == When::Sometimes) {
        let [first, rest @ ..] = doom.owing.as_slice() else { continue };
        let (Some(rule), Some(span)) = (context.rule(*first), context.place(*first)) else { continue };
        let ids = context.ids(&doom.owing);
        let message = format!("a session can come to where {ids} owes something that nothing may meet any more");
        let mut diagnostic = Diagnostic::new(Code::Trap, span, message);
        for other in rest {
            if let Some(span) = context.place(*other) {
                diagnostic = diagnostic.related(span, "owes something, too");
            }
        }
        for stops in &doom.stops {
            diagnostic = diagnostic.help(format!("then `{}` is stopped by {}", stops.tool, stops.by(context)));
            for other in stops.rules.iter().filter(|rule| !doom.owing.contains(*rule)) {
                if let Some(span) = context.place(*other) {
                    diagnostic = diagnostic.related(span, "stops what would meet it");
                }
            }
        }
        let help = "let the rule that stops make an exception of what is owed, or stop what leads there while something is owed";
        diagnostic = diagnostic.help(help).certainty(Certainty::Possible).goal(goal(context, doom, &rule.id));
        // The abstraction forgets what no rule sees, so that it knows more ways in than there are.
        diagnostic.level = Level::Note;
        diagnostic.rule = Some(rule.id.clone());
        diagnostics.push(diagnostic);
    }
}

/// A session in which what would meet it is stopped, or else that ends with it.
fn goal(context: &Context<'_>, doom: &Doom, rule: &str) -> Goal {
    let stopped = doom.stops.first().and_then(|stops| {
        let by = stops.rules.iter().find(|rule| !doom.owing.contains(*rule)).and_then(|rule| context.rule(*rule))?;
        Some(Goal::call().tool(&stops.tool).decided(Decision::Block).by(&by.id))
    });
    stopped.unwrap_or_else(|| Goal::verdict(rule, Verdict::Violated).ended())
}
