//! What is probably, or certainly, not what the author meant. One file for each finding.
//!
//! Each looks at what is written and at where facts come from; what follows from all sessions together is the matter of
//! [`analysis`](crate::analysis). So lints are cheap, and run with every build.

mod alert_when_full;
mod claimed_state;
mod close_on_ok;
mod constant;
mod default_defeated;
mod detects_only;
mod equal_patterns;
mod exclusion;
mod guarded_answer;
mod keys_differ;
mod late_precondition;
mod masked_rule;
mod never_committed;
mod never_retires;
mod overlapping_rewrites;
mod pairs;
mod redacted_hole;
mod two_commits;
mod unclassified_tool;
mod unguarded_irreversible;

use crate::ast::{self, Contract};
use crate::catalog;
use crate::diagnostic::Diagnostics;
use crate::mir::{self, Pattern, Rule};
use crate::resolve::{Lowered, patterns};
use crate::source::Span;

/// A lint that looks at more than one rule.
type OfContract = fn(&Contract, &Lowered<'_>, &mut Diagnostics);

/// Those that say what is there.
const OF_CONTRACTS: &[OfContract] = &[
    claimed_state::check,
    alert_when_full::check,
    overlapping_rewrites::check,
    keys_differ::check,
    two_commits::check,
    never_committed::check,
];

/// Those that say what is not there: with mistakes, it may be in what could not be read.
const OF_WHOLE_CONTRACTS: &[OfContract] =
    &[unclassified_tool::check, unguarded_irreversible::check, masked_rule::check];

/// Those that look at one rule.
const OF_RULES: &[fn(&Place<'_>, &mut Diagnostics)] = &[
    equal_patterns::check,
    constant::check,
    close_on_ok::check,
    detects_only::check,
    guarded_answer::check,
    default_defeated::check,
    redacted_hole::check,
    late_precondition::check,
    never_retires::check,
];

/// Runs every lint over what could be resolved.
pub fn run(written: &Contract, lowered: &Lowered<'_>, diagnostics: &mut Diagnostics) {
    catalog::lint::run(written, lowered, diagnostics);
    let whole = if diagnostics.has_errors() { &[] } else { OF_WHOLE_CONTRACTS };
    for check in OF_CONTRACTS.iter().chain(whole) {
        check(written, lowered, diagnostics);
    }
    for (rule, place) in lowered.contract.rules.iter().zip(&lowered.rules) {
        let from = diagnostics.len();
        let place = Place { rule, written: place, contract: &lowered.contract, file: written };
        for check in OF_RULES {
            check(&place, diagnostics);
        }
        diagnostics.attribute(from, &rule.id);
    }
}

/// A rule, and where it stands.
struct Place<'a> {
    rule: &'a Rule,
    /// What it was made from.
    written: &'a ast::Rule,
    /// The contract that it is a part of.
    contract: &'a mir::Contract,
    /// The same as written.
    file: &'a Contract,
}

impl<'a> Place<'a> {
    /// The patterns of the rule's kind, each with its place.
    fn patterns(&self) -> Vec<(&'a Pattern, Span)> {
        placed(self.rule, self.written)
    }
}

/// The patterns of a rule's kind, each with its place.
pub(crate) fn placed<'r>(rule: &'r Rule, written: &ast::Rule) -> Vec<(&'r Pattern, Span)> {
    let places = patterns(&written.kind).into_iter().map(|(source, _)| source.span);
    rule.patterns().iter().zip(places).collect()
}

#[cfg(test)]
mod tests;
