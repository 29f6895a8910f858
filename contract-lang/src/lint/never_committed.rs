//! State that is read and never written.

use std::collections::{BTreeMap, BTreeSet};

use crate::ast::Contract;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::mir::{Expr, Root};
use crate::resolve::Lowered;
use crate::source::Span;

pub(super) fn check(written: &Contract, lowered: &Lowered<'_>, diagnostics: &mut Diagnostics) {
    let committed: BTreeSet<&str> =
        written.commit.iter().flat_map(|commit| commit.cells()).map(|cell| cell.value.0.as_str()).collect();
    let readers = readers(lowered);
    for (index, (name, cell)) in written.state.iter().enumerate() {
        let known = cell.initial.is_some() || committed.contains(name.value.0.as_str());
        let Some((rule, place)) = readers.get(&index).filter(|_| !known) else { continue };
        let message = format!("no commit writes `state.{}`, and it has no initial value", name.value.0);
        let mut diagnostic = Diagnostic::new(Code::NeverCommitted, name.span, message)
            .related(*place, "read by this rule, for which it is never established")
            .help("commit it after the result that proves it, or give it an `initial` value");
        diagnostic.rule = Some((*rule).to_owned());
        diagnostics.push(diagnostic);
    }
}

/// The first rule that reads each cell.
fn readers<'a>(lowered: &'a Lowered<'_>) -> BTreeMap<usize, (&'a str, Span)> {
    let mut readers = BTreeMap::new();
    for (rule, place) in lowered.contract.rules.iter().zip(&lowered.rules) {
        for expr in rule.expressions() {
            expr.visit(&mut |expr| {
                if let Expr::Path(path) | Expr::Has(path) = expr
                    && let Root::State(cell) = path.root
                {
                    readers.entry(cell).or_insert((rule.id.as_str(), place.id.span));
                }
            });
        }
    }
    readers
}
