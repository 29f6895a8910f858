//! Two equal patterns in one rule: it says nothing, or forbids everything.

use super::Place;
use crate::automaton::same_events;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Goal};

pub(super) fn check(place: &Place<'_>, diagnostics: &mut Diagnostics) {
    let patterns = place.patterns();
    for (index, (pattern, span)) in patterns.iter().enumerate() {
        let equal = patterns.iter().take(index).find(|(earlier, _)| same_events(earlier, pattern));
        if let Some((_, earlier)) = equal {
            let message = format!("the pattern `{}` is in the rule twice", pattern.text);
            let diagnostic = Diagnostic::new(Code::EqualPatterns, *span, message);
            let diagnostic = diagnostic.related(*earlier, "the same events").help("write two different patterns");
            diagnostics.push(diagnostic.goal(Goal::call().by(&place.rule.id)));
        }
    }
}
