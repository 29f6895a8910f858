//! A tool of which the contract does not say what its calls do: they count as irreversible.

use std::collections::BTreeSet;

use crate::ast::Contract;
use crate::diagnostic::{Certainty, Code, Diagnostic, Diagnostics, Goal};
use crate::mir::Tool;
use crate::resolve::Lowered;

/// How many tools of a catalog are named.
const NAMED: usize = 3;

pub(super) fn check(written: &Contract, lowered: &Lowered<'_>, diagnostics: &mut Diagnostics) {
    let decision = lowered.contract.default.by_effect.irreversible;
    let unclassified = lowered.contract.tools.iter().zip(&lowered.tools).filter(|(_, (_, tool))| tool.effect.is_none());
    for (tool, (name, _)) in unclassified {
        let message = format!("`{}` has no effect, so its calls count as irreversible", name.text);
        let shown = Goal::call().tool(&tool.names.to_string()).decided(decision);
        let help = "write `effect: read`, `effect: write`, or `effect: irreversible` if that is so";
        diagnostics.push(
            Diagnostic::new(Code::UnclassifiedTool, name.span, message)
                .certainty(Certainty::Proved)
                .help(help)
                .goal(shown),
        );
    }
    let unknown = undeclared(&lowered.contract.catalog, &lowered.contract.tools);
    let Some(first) = unknown.first() else { return };
    let named: Vec<_> = unknown.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
    let more = match unknown.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let message =
        format!("calls of {}{more} count as irreversible, for `tools` says nothing of them", named.join(", "));
    let help = format!("write a line under `tools` for each, such as `{first}: {{ effect: read }}`");
    let span = written.catalog.first().map_or(written.name.span, |path| path.span);
    diagnostics.push(Diagnostic::new(Code::UnclassifiedTool, span, message).certainty(Certainty::Proved).help(help));
}

/// The tools of the catalogs that no declaration covers.
fn undeclared<'a>(catalog: &'a [String], tools: &[Tool]) -> Vec<&'a str> {
    let (exact, globs): (Vec<&Tool>, Vec<&Tool>) = tools.iter().partition(|tool| tool.names.tool.is_literal());
    let exact: BTreeSet<&str> = exact.iter().map(|tool| tool.names.tool.as_str()).collect();
    let covered = |name: &str| exact.contains(name) || globs.iter().any(|tool| tool.names.tool.matches(name));
    catalog.iter().map(String::as_str).filter(|name| !covered(name)).collect()
}
