//! Two patterns of one rule that one event can match.
//!
//! An event that matches both sides of a rule never helps the agent: it does not vouch for itself, does not answer itself, and
//! comes after itself. Most who write overlapping patterns have not thought of that event. Formulas are left out: their names
//! are meant to hold together.
//!
//! Exact in moments, servers, tools and effects. Of two conditions the [theory](super::model::theory) says whether both can hold; where it is
//! not exact about them, the finding is only possible. Patterns that are equal as they are written are an error of their own.

use contract_runtime::Truth;

use super::context::Context;
use super::model::Bounded;
use super::model::theory::{Known, truths};
use crate::ast;
use crate::automaton::{overlap, same_events, satisfiable};
use crate::diagnostic::{Certainty, Code, Diagnostic, Diagnostics, Goal};
use crate::lint::placed;
use crate::mir::{Alternative, Contract, Kind, Pattern, Subject};

/// Looks at every rule that steps on more than one pattern. Of each, the first pair is named.
pub(super) fn check(context: &Context<'_>, diagnostics: &mut Diagnostics) {
    for (rule, written) in context.rules() {
        if matches!(written.kind, ast::Kind::Formula(_)) || !rule.steps() {
            continue;
        }
        let patterns = placed(rule, written);
        let letters = match &rule.kind {
            Kind::Automaton { machine, .. } => machine.letters.clone(),
            _ => satisfiable(rule.patterns()),
        };
        let bits = [1u8, 2, 4, 8, 16, 32, 64, 128];
        let numbered = || patterns.iter().zip(bits);
        let mut pairs = numbered().flat_map(|second| {
            numbered().take_while(move |first| first.1 < second.1).map(move |first| (first, second))
        });
        let found = pairs.find_map(|(((first, at), a), ((second, place), b))| {
            let both = a | b;
            let together = letters.iter().any(|letter| letter & both == both) && !same_events(first, second);
            let certainty = together.then(|| certainty(context.contract(), first, second)).flatten()?;
            Some((first, *at, second, *place, both, certainty))
        });
        let Some((first, at, second, place, both, certainty)) = found else { continue };
        let message = format!("one event can match both `{}` and `{}`", first.text, second.text);
        let help = "such an event is taken for both, and never to the agent's advantage; if that is not meant, let one pattern \
                    leave out what the other matches";
        let diagnostic = Diagnostic::new(Code::OverlappingPatterns, place, message).related(at, "the other pattern");
        let mut diagnostic = diagnostic.help(help).certainty(certainty).goal(Goal::matched(&rule.id, both));
        diagnostic.rule = Some(rule.id.clone());
        diagnostics.push(diagnostic);
    }
}

/// How sure it is that the conditions of two patterns can hold together. `None`: they cannot.
fn certainty(contract: &Contract, first: &Pattern, second: &Pattern) -> Option<Certainty> {
    let pairs = first.alternatives.iter().flat_map(|one| second.alternatives.iter().map(move |other| (one, other)));
    pairs.filter(|(one, other)| meet(one, other)).filter_map(|(one, other)| together(contract, one, other)).max()
}

/// Whether both speak of one event, conditions aside.
fn meet(one: &Alternative, other: &Alternative) -> bool {
    let (a, b) = (one.phases, other.phases);
    let results = (a.ok || a.unknown) && (b.ok || b.unknown) || (a.failed || a.unknown) && (b.failed || b.unknown);
    let moments = a.call && b.call || a.event && b.event || results;
    moments
        && match (&one.subject, &other.subject) {
            (Subject::Tools(one), Subject::Tools(other)) => overlap(one, other),
            (Subject::Effect(one), Subject::Effect(other)) => one == other,
            _ => true,
        }
}

fn together(contract: &Contract, one: &Alternative, other: &Alternative) -> Option<Certainty> {
    let (Some(condition), Some(another)) = (&one.condition, &other.condition) else { return Some(Certainty::Proved) };
    let tool = [one, other].into_iter().find_map(|alternative| match &alternative.subject {
        Subject::Tools(names) if names.tool.is_literal() => Some(names.tool.as_str()),
        _ => None,
    });
    let (a, b) = (one.phases, other.phases);
    let known = if a.call && b.call {
        Known::call(tool)
    } else if a.event && b.event {
        Known::event()
    } else {
        Known::result(tool)
    };
    let Bounded::Exhausted(truths) = truths(contract, known, &[condition, another]) else {
        return Some(Certainty::Possible);
    };
    let both = truths.rows.iter().any(|(row, _)| row.iter().all(|truth| *truth == Truth::True));
    match (both, truths.exact) {
        (true, true) => Some(Certainty::Proved),
        (true, false) => Some(Certainty::Possible),
        (false, _) => None,
    }
}
