//! Two rules that may change one place of the arguments of one call: only one of the changes could stay.

use crate::ast::{self, Kind as Written};
use crate::automaton::{may_meet, satisfiable};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::mir::{Kind, Pattern, Rewrite};
use crate::resolve::Lowered;
use crate::source::Span;

pub(super) fn check(_: &ast::Contract, lowered: &Lowered<'_>, diagnostics: &mut Diagnostics) {
    let rules = lowered.contract.rules.iter().zip(&lowered.rules);
    let rewrites: Vec<_> = rules
        .filter_map(|(rule, place)| match &rule.kind {
            Kind::Rewrite { pattern, changes } => Some((rule, pattern, changes, targets(place))),
            _ => None,
        })
        .collect();
    for (index, (rule, pattern, changes, spans)) in rewrites.iter().enumerate() {
        let clash = rewrites.iter().take(index).find_map(|(earlier, other, others, places)| {
            let (at, before) = shared(changes, others).filter(|_| may_both_match(pattern, other))?;
            Some((earlier, spans.get(at)?, places.get(before)?))
        });
        if let Some((earlier, span, place)) = clash {
            let message = format!("the rules `{}` and `{}` may change one place of one call", earlier.id, rule.id);
            let mut diagnostic = Diagnostic::new(Code::OverlappingRewrites, *span, message)
                .related(*place, format!("changed by `{}`, too", earlier.id))
                .help("write one rule for the place, or patterns of which at most one matches a call");
            diagnostic.rule = Some(rule.id.clone());
            diagnostics.push(diagnostic);
        }
    }
}

/// Where the paths of a rewrite stand, in the order of its changes.
fn targets(written: &ast::Rule) -> Vec<Span> {
    match &written.kind {
        Written::Rewrite(rewrite) => rewrite.rewrite.iter().map(|(target, _)| target.span).collect(),
        _ => Vec::new(),
    }
}

/// The first change of each of which one lies at or below the other.
fn shared(changes: &[Rewrite], others: &[Rewrite]) -> Option<(usize, usize)> {
    changes.iter().enumerate().find_map(|(at, change)| {
        let meets = |other: &Rewrite| other.path.starts_with(&change.path) || change.path.starts_with(&other.path);
        others.iter().position(meets).map(|before| (at, before))
    })
}

/// Whether some call matches both. Most patterns are told apart by their names alone.
fn may_both_match(pattern: &Pattern, other: &Pattern) -> bool {
    let (ones, others) = (&pattern.alternatives, &other.alternatives);
    let meet = ones.iter().any(|one| others.iter().any(|other| may_meet(&one.subject, &other.subject)));
    meet && satisfiable(&[pattern.clone(), other.clone()]).contains(&3)
}
