//! State that is read and never written, or written and never read.

use std::collections::{BTreeMap, BTreeSet};

use crate::ast::Contract;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Goal, Level};
use crate::mir::{self, Change, Expr, Root};
use crate::resolve::Lowered;
use crate::source::Span;

/// Who reads a cell: a rule by its id, or a commit or a tool, and where it stands.
type Reader<'a> = (Option<&'a str>, Span);

pub(super) fn check(written: &Contract, lowered: &Lowered<'_>, diagnostics: &mut Diagnostics) {
    let names = || written.commit.iter().flat_map(|commit| commit.cells());
    let committed: BTreeSet<&str> = names().map(|cell| cell.value.0.as_str()).collect();
    let readers = readers(lowered);
    let matter = matter(&lowered.contract);
    // Of a contract with mistakes not every rule is known.
    let whole = !diagnostics.has_errors();
    for (index, (name, cell)) in written.state.iter().enumerate() {
        let is_written = committed.contains(name.value.0.as_str());
        match readers.get(&index) {
            Some(reader) if !is_written && cell.initial.is_none() => {
                diagnostics.push(unwritten(&name.value.0, name.span, reader));
            }
            _ if whole && is_written && !matter.contains(&index) => {
                diagnostics.push(unread(&name.value.0, name.span));
            }
            _ => {}
        }
    }
}

fn unwritten(name: &str, span: Span, (rule, place): &Reader<'_>) -> Diagnostic {
    let message = format!("no commit writes `state.{name}`, and it has no initial value");
    let mut diagnostic = Diagnostic::new(Code::NeverCommitted, span, message)
        .related(*place, "read here, where it is never established")
        .help("commit it after the result that proves it, or give it an `initial` value");
    diagnostic.rule = rule.map(str::to_owned);
    diagnostic.goal = rule.map(|rule| Box::new(Goal::call().by(rule)));
    diagnostic
}

fn unread(name: &str, span: Span) -> Diagnostic {
    let message = format!("`state.{name}` is written, and nothing that decides a call reads it");
    let help = "read it in a rule, or leave it out";
    let mut diagnostic = Diagnostic::new(Code::NeverCommitted, span, message).help(help);
    diagnostic.level = Level::Note;
    diagnostic
}

/// The first reader of each cell: rules before commits and tools.
fn readers<'a>(lowered: &'a Lowered<'_>) -> BTreeMap<usize, Reader<'a>> {
    let contract = &lowered.contract;
    let rules = contract.rules.iter().zip(&lowered.rules);
    let rules = rules.map(|(rule, place)| (rule.expressions(), (Some(rule.id.as_str()), place.id.span)));
    let commits = contract.commits.iter().zip(&lowered.commits);
    let commits = commits.map(|(commit, place)| (of_commit(commit), (None, place.after.span)));
    let tools = contract.tools.iter().zip(&lowered.tools);
    let tools = tools.map(|(tool, (name, _))| (tool.succeeds_when.iter().collect(), (None, name.span)));
    let mut readers = BTreeMap::new();
    for (expressions, reader) in rules.chain(commits).chain(tools) {
        for cell in cells(&expressions) {
            readers.entry(cell).or_insert(reader);
        }
    }
    readers
}

/// The cells on which a decision may depend: those that rules and tools read, and those that are read to write such a cell.
fn matter(contract: &mir::Contract) -> BTreeSet<usize> {
    let tools = contract.tools.iter().filter_map(|tool| tool.succeeds_when.as_ref());
    let read: Vec<&Expr> = contract.rules.iter().flat_map(mir::Rule::expressions).chain(tools).collect();
    let mut writers: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, commit) in contract.commits.iter().enumerate() {
        commit.changes.iter().for_each(|change| writers.entry(change.cell).or_default().push(index));
    }
    let (mut matter, mut feeding) = (BTreeSet::new(), BTreeSet::new());
    let mut queue: Vec<usize> = cells(&read).into_iter().collect();
    while let Some(cell) = queue.pop() {
        if matter.insert(cell) {
            let commits = writers.get(&cell).into_iter().flatten().filter(|commit| feeding.insert(**commit));
            let commits = commits.filter_map(|commit| contract.commits.get(*commit));
            queue.extend(commits.flat_map(|commit| cells(&of_commit(commit))));
        }
    }
    matter
}

/// The expressions of a commit.
fn of_commit(commit: &mir::Commit) -> Vec<&Expr> {
    let conditions = commit.after.alternatives.iter().filter_map(|alternative| alternative.condition.as_ref());
    conditions.chain(&commit.when).chain(commit.changes.iter().flat_map(Change::expressions)).collect()
}

/// The cells that are read.
fn cells(expressions: &[&Expr]) -> BTreeSet<usize> {
    let mut cells = BTreeSet::new();
    for expr in expressions {
        expr.visit(&mut |expr| {
            if let Expr::Path(path) | Expr::Has(path) = expr
                && let Root::State(cell) = path.root
            {
                cells.insert(cell);
            }
        });
    }
    cells
}
