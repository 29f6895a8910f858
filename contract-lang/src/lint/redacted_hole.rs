//! A message that shows a part of a result which another rule masks: the agent would get from the one what the other keeps
//! from it.

use crate::ast;
use crate::automaton::overlap;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::mir::{Alternative, Contract, Kind, Pattern, Rule, Step, Subject};

pub(super) fn check(rule: &Rule, written: &ast::Rule, contract: &Contract, diagnostics: &mut Diagnostics) {
    let Some(text) = &written.message else { return };
    for (hole, span) in text.result_holes() {
        let masks = contract.rules.iter().find(|other| match &other.kind {
            Kind::Redact { pattern, paths } => {
                paths.iter().any(|path| may_meet(&hole, path))
                    && rule.all_patterns().any(|spoken| share_results(spoken, pattern))
            }
            _ => false,
        });
        if let Some(masks) = masks {
            let message = format!("the message shows what the rule `{}` redacts", masks.id);
            let help = "leave the hole out, or show a part of the result that is not redacted";
            diagnostics.push(Diagnostic::new(Code::RedactedHole, span, message).help(help));
        }
    }
}

/// Whether what a redaction's path leads to may be a part of what the hole shows, or hold it.
fn may_meet(hole: &[Step], path: &[Step]) -> bool {
    let mut steps = hole.iter().zip(path);
    let differ = |(hole, path): (&Step, &Step)| match (hole, path) {
        (_, Step::Deep) => Some(true),
        (_, Step::Each) => None,
        (hole, path) => (hole != path).then_some(false),
    };
    steps.find_map(differ).unwrap_or(true)
}

fn share_results(pattern: &Pattern, other: &Pattern) -> bool {
    let results = |pattern: &Pattern| -> Vec<Alternative> {
        pattern.alternatives.iter().filter(|alternative| alternative.phases.result()).cloned().collect()
    };
    let others = results(other);
    results(pattern).iter().any(|one| others.iter().any(|other| same_tool(&one.subject, &other.subject)))
}

fn same_tool(subject: &Subject, other: &Subject) -> bool {
    match (subject, other) {
        (Subject::Tools(names), Subject::Tools(other)) => overlap(names, other),
        (Subject::Effect(effect), Subject::Effect(other)) => effect == other,
        _ => true,
    }
}
