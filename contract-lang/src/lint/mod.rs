//! What is probably, or certainly, not what the author meant. One file for each finding.

mod claimed_state;
mod close_on_ok;
mod detects_only;
mod equal_patterns;
mod never_committed;

use crate::ast::Contract;
use crate::diagnostic::Diagnostics;
use crate::resolve::Lowered;

/// Runs every lint over what could be resolved.
pub fn run(written: &Contract, lowered: &Lowered<'_>, diagnostics: &mut Diagnostics) {
    claimed_state::check(lowered, diagnostics);
    never_committed::check(written, lowered, diagnostics);
    for (rule, place) in lowered.contract.rules.iter().zip(&lowered.rules) {
        let from = diagnostics.len();
        equal_patterns::check(rule, place, diagnostics);
        close_on_ok::check(rule, place, written, diagnostics);
        detects_only::check(rule, place, diagnostics);
        diagnostics.attribute(from, &rule.id);
    }
}
