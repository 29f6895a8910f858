//! Two patterns of one rule that one event can match.
//!
//! An event that matches both sides of a rule never helps the agent: it does not vouch for itself, does not answer itself, and
//! comes after itself. Most who write overlapping patterns have not thought of that event. Formulas are left out: their names
//! are meant to hold together.
//!
//! Exact in moments, servers, tools and effects; conditions count as independent of each other unless they are equal, so with
//! conditions on both sides the finding is only possible. Patterns that are equal as they are written are an error of their own.

use super::placed;
use crate::ast;
use crate::automaton::{same_events, satisfiable};
use crate::diagnostic::{Certainty, Code, Diagnostic, Diagnostics};
use crate::mir::{Kind, Pattern};
use crate::resolve::Lowered;

/// Looks at every rule that steps on more than one pattern. Of each, the first pair is named.
pub(super) fn check(lowered: &Lowered<'_>, diagnostics: &mut Diagnostics) {
    for (rule, written) in lowered.contract.rules.iter().zip(&lowered.rules) {
        if matches!(written.kind, ast::Kind::Formula(_)) || !rule.steps() {
            continue;
        }
        let patterns = placed(rule, written);
        let letters = match &rule.kind {
            Kind::Automaton { machine, .. } => machine.letters.clone(),
            _ => satisfiable(rule.patterns()),
        };
        let together = |first: u8, second: u8| letters.iter().any(|letter| letter & first != 0 && letter & second != 0);
        let bits = [1u8, 2, 4, 8, 16, 32, 64, 128];
        let numbered = || patterns.iter().zip(bits);
        let mut pairs = numbered().flat_map(|second| {
            numbered().take_while(move |first| first.1 < second.1).map(move |first| (first, second))
        });
        let found = pairs.find(|(((first, _), a), ((second, _), b))| together(*a, *b) && !same_events(first, second));
        let Some((((first, at), _), ((second, place), _))) = found else { continue };
        let message = format!("one event can match both `{}` and `{}`", first.text, second.text);
        let help = "such an event is taken for both, and never to the agent's advantage; if that is not meant, let one pattern \
                    leave out what the other matches";
        let from = diagnostics.len();
        let diagnostic = Diagnostic::new(Code::OverlappingPatterns, *place, message).related(*at, "the other pattern");
        diagnostics.push(diagnostic.help(help).certainty(certainty(first, second)));
        diagnostics.attribute(from, &rule.id);
    }
}

/// Conditions of two patterns may exclude each other.
fn certainty(first: &Pattern, second: &Pattern) -> Certainty {
    let conditional =
        |pattern: &Pattern| pattern.alternatives.iter().any(|alternative| alternative.condition.is_some());
    if conditional(first) && conditional(second) { Certainty::Possible } else { Certainty::Proved }
}
