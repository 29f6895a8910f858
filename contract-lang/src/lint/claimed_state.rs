//! Trusted state that rests on what the agent claims. Arguments may say what a fact is about, never that it is so.

use contract_runtime::Decision;

use crate::ast;
use crate::automaton::overlap;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Goal};
use crate::mir::{Alternative, Commit, Contract, Expr, Root, Subject, Tool};
use crate::resolve::Lowered;

pub(super) fn check(_: &ast::Contract, lowered: &Lowered<'_>, diagnostics: &mut Diagnostics) {
    for (index, (commit, written)) in lowered.contract.commits.iter().zip(&lowered.commits).enumerate() {
        if let Some(found) = check_commit(commit, written, &lowered.contract.tools) {
            diagnostics.push(found.goal(shown(index, commit, &lowered.contract)));
        }
    }
}

/// A call that a rule lets run which reads what the agent only claimed.
fn shown(index: usize, commit: &Commit, contract: &Contract) -> Goal {
    let cells: Vec<usize> = commit.changes.iter().map(|change| change.cell).collect();
    let claimed = |root: Root| matches!(root, Root::State(cell) if cells.contains(&cell));
    let reader = contract.rules.iter().find(|rule| rule.expressions().iter().any(|expr| expr.reads(claimed)));
    let goal = Goal::call().decided(Decision::Allow).committed(index);
    reader.into_iter().fold(goal, |goal, rule| goal.spoken_of(&rule.id))
}

fn check_commit(commit: &Commit, written: &ast::Commit, tools: &[Tool]) -> Option<Diagnostic> {
    let read = |wanted: fn(Root) -> bool| {
        commit.changes.iter().flat_map(|change| change.expressions()).any(|expr| expr.reads(wanted))
    };
    if !read(is_claim) {
        return None;
    }
    let unproved = commit.after.alternatives.iter().find(|each| each.phases.failed || each.phases.unknown);
    if unproved.is_some() {
        let message = "an argument is committed after a call that failed, or of which nobody knows whether it did";
        let help = "commit on `ok(…)`, or something that the result says";
        return Some(Diagnostic::new(Code::ClaimedState, written.after.span, message).help(help));
    }
    if read(is_evidence) || commit.when.as_ref().is_some_and(|when| when.reads(is_evidence)) {
        return None;
    }
    commit.after.alternatives.iter().find(|alternative| !is_proved(alternative, tools))?;
    let message = "nothing but the call's own arguments says that this is so";
    let help = "read the result, add a `when` over it, or give the tool a `succeeds_when`";
    let mut diagnostic = Diagnostic::new(Code::ClaimedState, written.after.span, message).help(help);
    if let Some(cell) = written.cells().next() {
        diagnostic = diagnostic.related(cell.span, "written here");
    }
    Some(diagnostic)
}

/// What the agent says.
fn is_claim(root: Root) -> bool {
    matches!(root, Root::Args | Root::Call(_))
}

/// What the agent does not say.
fn is_evidence(root: Root) -> bool {
    matches!(root, Root::Result | Root::State(_) | Root::Context(_) | Root::Event)
}

/// Whether the event itself proves something: a condition over more than arguments, or a tool that tells its successes.
fn is_proved(alternative: &Alternative, tools: &[Tool]) -> bool {
    let condition = alternative.condition.as_ref().is_some_and(|condition: &Expr| condition.reads(is_evidence));
    condition || alternative.phases.event || tells_success(&alternative.subject, tools)
}

/// Whether every declared tool that the subject may be has a `succeeds_when`.
fn tells_success(subject: &Subject, tools: &[Tool]) -> bool {
    let Subject::Tools(names) = subject else { return false };
    let exact = |tool: &&Tool| names.tool.is_literal() && tool.names.tool == names.tool;
    let may_be = |tool: &&Tool| overlap(&tool.names, names);
    // An exact declaration hides the globs.
    let declared: Vec<&Tool> = match tools.iter().filter(may_be).any(|tool| exact(&tool)) {
        true => tools.iter().filter(may_be).filter(exact).collect(),
        false => tools.iter().filter(may_be).collect(),
    };
    !declared.is_empty() && declared.iter().all(|tool| tool.succeeds_when.is_some())
}
