//! What declarations and paths are for: names without conditions.

use super::{Reader, bad_server, tool_names};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::mir::{Names, Phases, Subject};
use crate::resolve::group::Groups;
use crate::resolve::scope::Scope;
use crate::syntax::parse;
use crate::syntax::pattern::Alternative;
use crate::syntax::written::Written;

/// Reads the name of a tool declaration: a name or a glob, with an optional server.
pub fn names(written: Written<'_>, diagnostics: &mut Diagnostics) -> Option<Names> {
    let tree = parse::pattern(written.text).map_err(|flaw| diagnostics.push(flaw.at(written))).ok()?;
    match tree.alternatives.as_slice() {
        [Alternative { phase: None, name, condition: None }] => tool_names(&name.text).or_else(|| {
            diagnostics.push(bad_server(written, &name.range, &name.text));
            None
        }),
        _ => {
            let message = format!("`{}` is not the name of a tool", written.source_text());
            diagnostics.push(Diagnostic::new(Code::BadValue, written.whole(), message).help("write one name or glob"));
            None
        }
    }
}

/// Reads what a path is for: names, groups and host events, without phases and conditions.
pub fn subjects(
    written: Written<'_>,
    scope: &Scope<'_>,
    groups: &Groups,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<Subject>> {
    let members = moments(written, scope, groups, diagnostics)?;
    if members.iter().all(|(_, phases)| phases.is_none_or(|phases| phases.event)) {
        return Some(members.into_iter().map(|(subject, _)| subject).collect());
    }
    let message = "a path is given for tools here, whatever their phase";
    diagnostics.push(Diagnostic::new(Code::WrongPhase, written.whole(), message).help("write the names alone"));
    None
}

/// Reads what a key path is for: names, groups and host events, perhaps each with a phase, without conditions.
pub fn moments(
    written: Written<'_>,
    scope: &Scope<'_>,
    groups: &Groups,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<(Subject, Option<Phases>)>> {
    let mut reader = Reader::new(written, scope, groups, None, diagnostics);
    let members = reader.members()?;
    if members.iter().all(|member| member.condition.is_none()) {
        return Some(members.into_iter().map(|member| (member.subject, member.phases)).collect());
    }
    let message = "a path is given for tools, whatever their arguments";
    let help = "write the names alone, or with a phase: `ok(tool)`";
    diagnostics.push(Diagnostic::new(Code::WrongPhase, written.whole(), message).help(help));
    None
}
