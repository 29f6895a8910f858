//! Whether a session comes to what is said of it: played by a session of the runtime, as anybody would.

use contract_runtime::Subject;

use crate::diagnostic::{Shows, Witness};
use crate::interpret::Interpreted;
use crate::replay::{Player, Stage, Step};

/// Whether the trace of a witness, replayed with the contract, comes to what it shows.
#[must_use]
pub fn replays(contract: &Interpreted, witness: &Witness) -> bool {
    let mut player = Player::new(Stage::new(contract));
    let mut steps = Vec::new();
    for (number, line) in (1..).zip(&witness.trace) {
        if player.play(number, line.clone(), &mut steps).is_err() {
            return false;
        }
    }
    match &witness.shows {
        Shows::Decision { call, decision, rules } => steps.iter().any(|step| match step {
            Step::Decided(_, decided) if decided.index == *call => {
                let by = |id: &String| {
                    decided.findings.iter().any(|finding| {
                        let Subject::Rule(index) = finding.subject else { return false };
                        contract.contract().rules.get(usize::from(index)).is_some_and(|rule| rule.id == *id)
                    })
                };
                decided.decision == *decision && rules.iter().all(by)
            }
            _ => false,
        }),
        Shows::Verdict { rule, verdict } => {
            let ended = steps.iter().find_map(|step| match step {
                Step::Ended(_, summary) => Some(summary.verdicts.clone()),
                _ => None,
            });
            let verdicts = ended.or_else(|| player.left().first().map(|(_, running)| running.verdicts()));
            verdicts.into_iter().flatten().any(|(id, stands)| id == *rule && stands == *verdict)
        }
    }
}
