//! A message that shows a part of a result which another rule masks: the agent would get from the one what the other keeps
//! from it.

use super::Place;
use crate::automaton::may_meet;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::mir::{Alternative, Kind, Pattern, Step};

pub(super) fn check(&Place { rule, written, contract, .. }: &Place<'_>, diagnostics: &mut Diagnostics) {
    let Some(text) = &written.message else { return };
    for (hole, span) in text.result_holes() {
        let masks = contract.rules.iter().find(|other| match &other.kind {
            Kind::Redact { pattern, paths } => {
                paths.iter().any(|path| shares(&hole, path))
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
fn shares(hole: &[Step], path: &[Step]) -> bool {
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
    results(pattern).iter().any(|one| others.iter().any(|other| may_meet(&one.subject, &other.subject)))
}
