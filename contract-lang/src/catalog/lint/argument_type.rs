//! An argument that is of another type than the contract takes it for, or never has a value that the contract looks for.

use super::Shared;
use super::consequence::Consequence;
use crate::diagnostic::{Certainty, Code, Diagnostic};

/// `doubted`: the expression is never established; otherwise a comparison never holds.
pub(super) fn diagnostic(shared: &Shared<'_, '_>, what: &str, doubted: bool, consequence: &Consequence) -> Diagnostic {
    let message = match doubted {
        true => format!("{what} (in {}); {}", shared.named(), consequence.words),
        false => format!("{what} (in {})", shared.named()),
    };
    let diagnostic = Diagnostic::new(Code::ArgumentType, shared.span(), message);
    // What a tool says of its results is more of a hope than what it says of its arguments, which it may check.
    let certainty = if what.contains("`result") { Certainty::Possible } else { Certainty::Proved };
    let diagnostic = diagnostic.certainty(certainty);
    match &shared.fault.near {
        Some((range, near)) => {
            let span = shared.site.source.span_in(range.clone());
            diagnostic.suggest(format!("did you mean `{near}`?"), span, near.clone())
        }
        None => diagnostic.help("write it as the tool's schema says, or look at `is_string(…)` and its kin first"),
    }
}
