//! `at_most_distinct`: at most so many different values.

use super::formula::Letter;
use super::history::{Meaning, Outcome, Step, World};

/// At most so many.
#[derive(Clone, Debug)]
pub struct Distinct {
    /// The most that is allowed.
    pub limit: usize,
}

impl Meaning for Distinct {
    fn fresh(&self) -> World {
        World::Values { known: std::collections::BTreeSet::new(), others: 0 }
    }

    fn outcomes(&self, world: &World, _: Letter, step: &Step, _: i128, _: Option<&String>) -> Vec<Outcome> {
        let World::Values { known, others } = world else { panic!("{world:?} has no values") };
        let is_full = known.len() + others >= self.limit;
        let mut outcomes = Vec::new();
        match &step.operand {
            // One of those that are there.
            Some(value) if known.contains(value) => return vec![Outcome::fine(world.clone())],
            Some(value) if *others > 0 => {
                // Perhaps it is one of the others.
                let mut known = known.clone();
                known.insert(value.clone());
                outcomes.push(Outcome::fine(World::Values { known, others: others - 1 }));
            }
            None if known.len() + others > 0 => outcomes.push(Outcome::fine(world.clone())),
            _ => {}
        }
        // A new one.
        outcomes.push(match &step.operand {
            _ if is_full => Outcome::stays(world),
            Some(value) => {
                let mut known = known.clone();
                known.insert(value.clone());
                Outcome::fine(World::Values { known, others: *others })
            }
            None => Outcome::fine(World::Values { known: known.clone(), others: others + 1 }),
        });
        // What cannot be read may be no value at all.
        if step.operand.is_none() {
            outcomes.push(Outcome::fine(world.clone()));
        }
        outcomes
    }

    fn needs_operand(&self, step: &Step) -> bool {
        step.concerns() && step.operand.is_none()
    }
}
