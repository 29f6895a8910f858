//! An argument that a rule reads, and that calls need not have.

use super::Shared;
use super::consequence::Consequence;
use super::site::Use;
use crate::diagnostic::{Certainty, Code, Diagnostic};

pub(super) fn diagnostic(shared: &Shared<'_, '_>, path: &str, consequence: &Consequence) -> Diagnostic {
    let message = format!("{} can be called without `{path}`: {}", shared.named(), consequence.words);
    let mut diagnostic = Diagnostic::new(Code::OptionalArgument, shared.span(), message);
    diagnostic.level = consequence.level();
    let help = match shared.site.of {
        Use::Key { .. } => {
            "`missing: skip` leaves out calls without it; or choose an argument that every call has".to_owned()
        }
        Use::Amount => format!("write what such a call counts for: `default({path}, 0)`"),
        Use::Argument => format!("write what such a call gets: `default({path}, …)`"),
        _ => {
            format!("say what holds without it: `has({path}) implies …`, `has({path}) and …`, or `default({path}, …)`")
        }
    };
    diagnostic.certainty(Certainty::Proved).help(help)
}
