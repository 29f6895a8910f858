//! A rule that nothing but results, host events and deadlines can violate: it reports, and prevents nothing.

use contract_runtime::{Colour, Verdict};

use super::Place;
use crate::ast;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Goal, Level};
use crate::mir::{Kind, Pattern, Rule};
use crate::source::Span;

pub(super) fn check(place: &Place<'_>, diagnostics: &mut Diagnostics) {
    let &Place { rule, written, .. } = place;
    let patterns = place.patterns();
    if !rule.steps() {
        return;
    }
    if let ast::Kind::MustBeFollowedBy(_) = written.kind {
        return obligation(rule, written, &patterns, diagnostics);
    }
    if let Kind::Automaton { machine, .. } = &rule.kind
        && !machine.colours.contains(&Colour::Violated)
    {
        return;
    }
    let violating = patterns.get(written.kind.template().violating()).unwrap_or_default();
    let stops = |pattern: &Pattern| pattern.alternatives.iter().any(|alternative| alternative.phases.call);
    if violating.iter().any(|(pattern, _)| stops(pattern)) {
        return;
    }
    let Some((pattern, span)) = violating.last() else { return };
    let message = format!("the rule detects `{}`, and cannot prevent it", pattern.text);
    let help = "only a call can be stopped: name the call, or leave it if the rule shall only report";
    let shown = Goal::verdict(&rule.id, Verdict::Violated);
    diagnostics.push(Diagnostic::new(Code::DetectsOnly, *span, message).help(help).goal(shown));
}

/// An obligation is violated when its time is over or the session ends: no call is stopped by that, unless the rule guards
/// some until it is met. Most often that is what is meant, so this is no warning; and where the rule has a mistake, the
/// guards may be what it is about.
fn obligation(rule: &Rule, written: &ast::Rule, patterns: &[(&Pattern, Span)], diagnostics: &mut Diagnostics) {
    let (None, [_, (then, span), ..]) = (&rule.guards, patterns) else { return };
    let whole = written.span.range();
    if diagnostics.iter().any(|known| known.level == Level::Error && whole.contains(&known.primary.span.range().start))
    {
        return;
    }
    let message = format!("the rule detects that `{}` did not follow, and prevents nothing", then.text);
    let help = "to hold calls back until it has followed, write `guards: PATTERN`; else leave it";
    let shown = Goal::verdict(&rule.id, Verdict::Violated).ended();
    let mut diagnostic = Diagnostic::new(Code::DetectsOnly, *span, message).help(help).goal(shown);
    diagnostic.level = Level::Note;
    diagnostics.push(diagnostic);
}
