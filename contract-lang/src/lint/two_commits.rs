//! Two changes of one cell by one event that disagree: they apply in file order, so nothing stays of the earlier one.

use std::collections::BTreeMap;

use super::exclusion::exclude;
use super::pairs::Pairs;
use crate::ast::Contract;
use crate::automaton::may_meet;
use crate::diagnostic::{Certainty, Code, Diagnostic, Diagnostics, Goal, Level};
use crate::mir::{Alternative, Commit, Expr, Verb};
use crate::resolve::{Lowered, covers};
use crate::source::Span;

/// A change, and where it stands.
#[derive(Clone, Copy)]
struct Placed<'a> {
    /// The number of its commit.
    index: usize,
    commit: &'a Commit,
    verb: &'a Verb,
    span: Span,
}

pub(super) fn check(file: &Contract, lowered: &Lowered<'_>, diagnostics: &mut Diagnostics) {
    let mut cells: BTreeMap<usize, Vec<Placed<'_>>> = BTreeMap::new();
    for (index, (commit, written)) in lowered.contract.commits.iter().zip(&lowered.commits).enumerate() {
        for (change, cell) in commit.changes.iter().zip(written.cells()) {
            cells.entry(change.cell).or_default().push(Placed { index, commit, verb: &change.verb, span: cell.span });
        }
    }
    let mut pairs = Pairs::new();
    for (cell, changes) in &cells {
        let Some(cell) = lowered.contract.cells.get(*cell) else { continue };
        for (at, later) in changes.iter().enumerate() {
            let earlier = changes.iter().take(at).find(|earlier| clash(earlier, later, &mut pairs));
            if let Some(earlier) = earlier {
                diagnostics.push(found(&cell.name, earlier, later));
            }
        }
    }
    pairs.report(Code::TwoCommits, file.name.span, diagnostics);
}

fn found(cell: &str, earlier: &Placed<'_>, later: &Placed<'_>) -> Diagnostic {
    if replaces(later.verb) && always_with(earlier.commit, later.commit) {
        let message = format!("this never stays: every event that changes `state.{cell}` here changes it again");
        return Diagnostic::new(Code::TwoCommits, earlier.span, message)
            .certainty(Certainty::Proved)
            .goal(Goal::call().committed(earlier.index).committed(later.index))
            .related(later.span, "changed again here")
            .help("leave it out, or narrow the pattern of the later commit");
    }
    let message = format!("one event may change `state.{cell}` twice, and differently");
    let diagnostic = Diagnostic::new(Code::TwoCommits, later.span, message)
        .certainty(Certainty::Possible)
        .goal(Goal::call().committed(earlier.index).committed(later.index))
        .related(earlier.span, "changed here first")
        .help("write conditions of which at most one holds, unless the later change is meant to replace the earlier");
    Diagnostic { level: Level::Note, ..diagnostic }
}

fn clash(earlier: &Placed<'_>, later: &Placed<'_>, pairs: &mut Pairs) -> bool {
    pairs.take() && disagree(earlier.verb, later.verb) && may_both_fire(earlier.commit, later.commit, pairs)
}

/// Whether the one change undoes or replaces what the other does. To clear something and then write to it does neither.
fn disagree(earlier: &Verb, later: &Verb) -> bool {
    use Verb::{Bind, Clear, Insert, InsertAt, Put, Remove, RemoveAt, Set};
    match (earlier, later) {
        (Set(one) | Bind(one), Set(other) | Bind(other)) => one != other,
        (Put { at, value }, Put { at: other, value: another }) => at == other && value != another,
        (Set(_) | Bind(_), Clear) | (Insert(_) | InsertAt(..) | Put { .. }, Set(_) | Clear) => true,
        (Put { at, .. }, Remove(key)) | (Remove(key), Put { at, .. }) => at == key,
        (Insert(one), Remove(other)) | (Remove(one), Insert(other)) => one == other,
        (InsertAt(at, one), RemoveAt(other, another)) | (RemoveAt(at, one), InsertAt(other, another)) => {
            at == other && one == another
        }
        _ => false,
    }
}

/// Whether nothing stays of what it disagrees with: `bind` writes only what was not established.
fn replaces(later: &Verb) -> bool {
    !matches!(later, Verb::Bind(_))
}

/// Whether the later one certainly fires where the earlier does.
fn always_with(earlier: &Commit, later: &Commit) -> bool {
    let certain = |alternative: &Alternative| {
        later.when.is_none()
            && later.after.alternatives.iter().any(|wider| {
                wider.condition.is_none()
                    && wider.phases.union(alternative.phases) == wider.phases
                    && covers(&wider.subject, &alternative.subject)
            })
    };
    std::ptr::eq(earlier, later) || earlier.after.alternatives.iter().all(certain)
}

/// Whether one event may match both, as far as names, moments and conditions tell.
fn may_both_fire(one: &Commit, other: &Commit, pairs: &mut Pairs) -> bool {
    std::ptr::eq(one, other)
        || one.after.alternatives.iter().any(|alternative| {
            let conditions = conditions(alternative, one);
            other.after.alternatives.iter().any(|another| {
                pairs.take() && meet(alternative, another) && !exclude(&conditions, &self::conditions(another, other))
            })
        })
}

fn meet(one: &Alternative, other: &Alternative) -> bool {
    let (a, b) = (one.phases, other.phases);
    let outcome = (a.ok && b.ok) || (a.failed && b.failed) || (a.unknown && b.unknown);
    (outcome || (a.call && b.call) || (a.event && b.event)) && may_meet(&one.subject, &other.subject)
}

/// What must hold for the commit to fire on such an event.
fn conditions<'a>(alternative: &'a Alternative, commit: &'a Commit) -> Vec<&'a Expr> {
    alternative.condition.iter().chain(&commit.when).collect()
}
