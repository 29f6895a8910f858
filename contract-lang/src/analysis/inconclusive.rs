//! What was not decided, because a bound was reached.

use super::context::Context;
use crate::diagnostic::{Certainty, Code, Diagnostic, Diagnostics};

/// Most places that are shown of one question.
const MOST_PLACES: usize = 8;

/// Reports each question that has no answer, once.
pub(super) fn report(context: Context<'_>, diagnostics: &mut Diagnostics) {
    for (question, places) in context.undecided() {
        let [first, rest @ ..] = places.as_slice() else { continue };
        let message = format!("it was not found out {question}: a bound of the analysis was reached");
        let help = "make it several contracts, or rules with fewer patterns and conditions, if you want to know";
        let mut diagnostic = Diagnostic::new(Code::Inconclusive, *first, message).help(help);
        for place in rest.iter().take(MOST_PLACES) {
            diagnostic = diagnostic.related(*place, "nor here");
        }
        diagnostics.push(diagnostic.certainty(Certainty::Inconclusive));
    }
}
