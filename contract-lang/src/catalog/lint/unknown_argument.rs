//! An argument that a tool does not have, or a part of its result.

use super::consequence::Consequence;
use super::{Shared, renamed};
use crate::diagnostic::{Certainty, Code, Diagnostic};
use crate::resolve::Lowered;

pub(super) fn diagnostic(
    shared: &Shared<'_, '_>,
    path: &str,
    name: &str,
    lowered: &Lowered<'_>,
    consequence: &Consequence,
) -> Diagnostic {
    if let Some(renamed) = renamed::argument(shared, path, name, lowered) {
        return renamed;
    }
    let named = shared.named();
    let what = match path.strip_prefix("args.") {
        Some(argument) => format!("argument `{argument}`"),
        None => format!("`{path}`"),
    };
    let have = if shared.tools.len() == 1 { "has" } else { "have" };
    let lists = if shared.tools.len() == 1 { "lists" } else { "list" };
    let (message, certainty) = match shared.is_forbidden {
        true => (format!("{named} {have} no {what}"), Certainty::Proved),
        false => (format!("{named} {lists} no {what}"), Certainty::Possible),
    };
    let message = if shared.fault.wrong.is_some() { format!("{message}; {}", consequence.words) } else { message };
    let diagnostic = Diagnostic::new(Code::UnknownArgument, shared.span(), message).certainty(certainty);
    if let Some((range, near)) = &shared.fault.near {
        let span = shared.site.source.span_in(range.clone());
        return diagnostic.suggest(format!("did you mean `{}`?", near.trim_start_matches('.')), span, near.clone());
    }
    match shared.is_general {
        true => diagnostic.help("write an argument that the tool's schema lists, or save its catalog anew"),
        false => diagnostic.help(format!("name the tools that have it, or write `has({path}) and …`")),
    }
}
