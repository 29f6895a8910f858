//! A rule that nothing but results and host events can violate: it reports, and prevents nothing.

use crate::ast;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::mir::{Kind, Pattern, Rule};
use crate::resolve::patterns;

pub(super) fn check(rule: &Rule, written: &ast::Rule, diagnostics: &mut Diagnostics) {
    let places = patterns(&written.kind);
    let mut all = rule.patterns().iter().zip(&places);
    // In a rule of two sides the second is what may be violated.
    let violating: Vec<_> = match &rule.kind {
        Kind::Automaton { template: "required_before_session_end", .. } => return,
        Kind::Automaton { template: "mutually_exclusive", .. } => all.collect(),
        _ => all.next_back().into_iter().collect(),
    };
    let stops = |pattern: &Pattern| pattern.alternatives.iter().any(|alternative| alternative.phases.call);
    if violating.iter().any(|(pattern, _)| stops(pattern)) {
        return;
    }
    let Some((pattern, (source, _))) = violating.last() else { return };
    let message = format!("the rule detects `{}`, and cannot prevent it", pattern.text);
    let help = "only a call can be stopped: name the call, or leave it if the rule shall only report";
    diagnostics.push(Diagnostic::new(Code::DetectsOnly, source.span, message).help(help));
}
