//! Rules that no session can keep together: one owes what another stops.
//!
//! Rules that only say what must not happen never contradict each other: a session that does nothing keeps them all. So a
//! contradiction needs a rule that owes, from the start or as soon as something has happened, and others that stop every way to
//! meet it. It is proved by the product of the rules, see [`super::doom`]; where the debt begins with an event, a session is shown
//! in which it does. The rules named are all needed: without any of them what is owed could be met.

use contract_runtime::Verdict;

use super::context::Context;
use super::doom::{Doom, When, Why};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Goal};

/// Reports what other rules make impossible from the start, or as soon as it is owed.
pub(super) fn check(context: &Context<'_>, dooms: &[Doom], diagnostics: &mut Diagnostics) {
    for doom in dooms.iter().filter(|doom| doom.why != Why::Alone && doom.when != When::Sometimes) {
        let others: &[usize] = if let Why::Others(others) = &doom.why { others } else { &[] };
        let all: Vec<usize> = doom.owing.iter().chain(others).copied().collect();
        let [first, rest @ ..] = all.as_slice() else { continue };
        let (Some(rule), Some(span)) = (context.rule(*first), context.place(*first)) else { continue };
        let ids = context.ids(&all);
        let message = match (doom.when, rest) {
            (When::Start, []) => format!("no session can keep {ids}: other rules stop what it waits for"),
            (When::Start, _) => format!("no session can keep all of {ids}"),
            (_, []) => format!("once {ids} owes something, other rules stop what would meet it"),
            _ => format!("once something is owed, no session can keep all of {ids}"),
        };
        let mut diagnostic = Diagnostic::new(Code::Contradiction, span, message);
        for other in rest {
            if let Some(span) = context.place(*other) {
                diagnostic = diagnostic.related(span, "and this rule");
            }
        }
        for stops in &doom.stops {
            diagnostic = diagnostic.help(format!("`{}` is stopped by {}", stops.tool, stops.by(context)));
        }
        let help = "let the rule that stops make an exception of what is owed, or let what is owed be met otherwise";
        diagnostic = diagnostic.help(help);
        diagnostic.rule = Some(rule.id.clone());
        let goal = Goal::verdict(&rule.id, Verdict::Violated).ended();
        diagnostic = context.shown(diagnostic, goal, doom.when == When::Start);
        diagnostics.push(diagnostic);
    }
}
