//! A place where an agent owes something that it may no longer do.
//!
//! With rules that stop calls before they violate, this is the real deadlock: nothing is violated yet, and nothing that the agent
//! may do avoids it. The way out is shown to be closed by the product of the rules, see [`super::doom`]. The way in is a session that the
//! contract's interpreter decides and that ends, in the product, in doomed states alone; without one the trap is only possible.

use std::collections::BTreeSet;

use contract_runtime::{Decision, Truth};

use super::context::Context;
use super::doom::{Doom, When};
use crate::diagnostic::{Certainty, Code, Diagnostic, Diagnostics, Goal, Level, Witness};
use crate::mir::Rule;
use crate::trace::{Body, Line};

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
        diagnostic = diagnostic.help(help);
        diagnostic.rule = Some(rule.id.clone());
        diagnostics.push(match way_in(context, doom, rule) {
            Some(witness) => diagnostic.certainty(Certainty::Proved).witness(witness),
            // The abstraction forgets what no rule sees, so that it knows more ways in than there are.
            None => Diagnostic { level: Level::Note, ..diagnostic.certainty(Certainty::Possible) },
        });
    }
}

/// A session that ends in doomed states alone, no call being in flight: the last call would meet what is owed, and is stopped.
fn way_in(context: &Context<'_>, doom: &Doom, rule: &Rule) -> Option<Witness> {
    let [first, ..] = doom.owing.as_slice() else { return None };
    let space = context.model.space(&context.model.focus(*first)).exhausted()?;
    let owes = |state: usize| doom.owing.iter().any(|rule| space.owes(state, *rule) == Truth::True);
    let is_doomed = |state: &usize| owes(*state) && !space.reaches(*state, |state| !owes(state));
    let is_way_in = |witness: &Witness| {
        let after = space.after(&witness.trace).unwrap_or_default();
        is_quiet(&witness.trace) && after.iter().any(|states| !states.is_empty() && states.iter().all(is_doomed))
    };
    let stopped = doom.stops.iter().flat_map(|stops| {
        let call = Goal::call().tool(&stops.tool).decided(Decision::Block).while_owed(&rule.id);
        let others = stops.rules.iter().filter_map(|other| context.rule(*other)).map(|other| other.id.as_str());
        let by_rules: Vec<Goal> = others.map(|other| call.clone().by(other)).collect();
        if by_rules.is_empty() { vec![call] } else { by_rules }
    });
    stopped.filter_map(|goal| context.search().find(&goal).witness()).find(is_way_in)
}

/// Whether every call but the last has its result.
fn is_quiet(trace: &[Line]) -> bool {
    let mut open = BTreeSet::new();
    let mut last = None;
    for line in trace {
        match &line.body {
            Body::Call(call, None) => {
                open.insert(call.id.as_str());
                last = Some(call.id.as_str());
            }
            Body::Call(call, Some(_)) => last = Some(call.id.as_str()),
            Body::Result(id, _) => {
                open.remove(id.as_str());
            }
            Body::Event { .. } | Body::Context(_) | Body::End => {}
        }
    }
    open.iter().all(|id| Some(*id) == last)
}
