//! What is probably, or certainly, not what the author meant. One file for each finding.

mod alert_when_full;
mod claimed_state;
mod close_on_ok;
mod constant;
mod default_defeated;
mod detects_only;
mod equal_patterns;
mod guarded_answer;
mod never_committed;
mod overlapping_rewrites;
mod redacted_hole;

use crate::ast::{self, Contract};
use crate::diagnostic::Diagnostics;
use crate::mir::Rule;
use crate::resolve::{Lowered, patterns};
use crate::source::Span;

/// Runs every lint over what could be resolved.
pub fn run(written: &Contract, lowered: &Lowered<'_>, diagnostics: &mut Diagnostics) {
    claimed_state::check(lowered, diagnostics);
    never_committed::check(written, lowered, diagnostics);
    alert_when_full::check(written, diagnostics);
    overlapping_rewrites::check(lowered, diagnostics);
    for (rule, place) in lowered.contract.rules.iter().zip(&lowered.rules) {
        let from = diagnostics.len();
        equal_patterns::check(rule, place, diagnostics);
        constant::check(rule, place, diagnostics);
        close_on_ok::check(rule, place, written, diagnostics);
        detects_only::check(rule, place, diagnostics);
        guarded_answer::check(rule, place, diagnostics);
        default_defeated::check(rule, place, &lowered.contract, diagnostics);
        redacted_hole::check(rule, place, &lowered.contract, diagnostics);
        diagnostics.attribute(from, &rule.id);
    }
}

/// The patterns of a rule's kind, each with its place.
pub(crate) fn placed<'r>(rule: &'r Rule, written: &ast::Rule) -> Vec<(&'r crate::mir::Pattern, Span)> {
    let places = patterns(&written.kind).into_iter().map(|(source, _)| source.span);
    rule.patterns().iter().zip(places).collect()
}

#[cfg(test)]
mod tests;
