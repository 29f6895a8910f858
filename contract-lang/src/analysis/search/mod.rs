//! Looks for sessions: the engine behind every claim that something can happen.
//!
//! A session is made of events (`moves`) that read and write what the contract compares, and is found breadth first over the
//! states of the contract's own monitor, so that it is a shortest one of these. A search that finds nothing proves nothing: that
//! is what the abstraction is for.

mod aim;
mod cast;
mod confirm;
mod explore;
mod moves;
mod place;
mod regex;
mod sample;
mod shape;
mod shrink;
mod survey;
mod world;

use std::cell::Cell;
use std::collections::BTreeSet;

use self::aim::Aim;
use self::cast::Cast;
pub use self::confirm::replays;
use self::explore::{Explorer, Reached};
use self::moves::Maker;
pub(in crate::analysis) use self::moves::{Alphabet, Breadth, Move};
pub(in crate::analysis) use self::shrink::shrink;
use self::survey::Survey;
use crate::diagnostic::{Goal, Witness};
use crate::interpret::Interpreted;
use crate::mir::Contract;
use crate::trace::Line;

/// Most events that are tried for one goal, and for all goals of a contract.
const MOST: usize = 20_000;
const MOST_IN_ALL: usize = 100_000;

/// Most goals of a contract that are looked for.
const MOST_GOALS: usize = 256;

/// Most sessions that are found and do not hold what they promise.
const MOST_FALSE: usize = 32;

/// Looks for sessions of a contract.
#[derive(Debug)]
pub struct Search {
    contract: Interpreted,
    fuel: Cell<usize>,
    goals: Cell<usize>,
}

/// What a search came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// A shortest session.
    Witness(Witness),
    /// No session made of the events that were tried, all of them. That proves nothing.
    Exhausted,
    /// The bound was reached.
    Capped,
}

impl Found {
    /// The session, if there is one.
    #[must_use]
    pub fn witness(self) -> Option<Witness> {
        match self {
            Self::Witness(witness) => Some(witness),
            Self::Exhausted | Self::Capped => None,
        }
    }
}

impl Search {
    /// Of a contract.
    #[must_use]
    pub fn new(contract: &Contract) -> Self {
        Self {
            contract: Interpreted::new(contract.clone()),
            fuel: Cell::new(MOST_IN_ALL),
            goals: Cell::new(MOST_GOALS),
        }
    }

    /// Looks for a session that comes to the goal: a shortest one, as plain as it can be, and decided once more by a session of
    /// the whole contract.
    #[must_use]
    pub fn find(&self, goal: &Goal) -> Found {
        let Some(goals) = self.goals.get().checked_sub(1) else { return Found::Capped };
        self.goals.set(goals);
        let whole = self.contract.contract();
        let cast = Cast::new(whole, goal);
        let (Some(aim), Some(whole_aim)) =
            (Aim::new(&cast.contract, goal, &cast.committed), Aim::new(whole, goal, &goal.committed))
        else {
            return Found::Exhausted;
        };
        let sliced = Interpreted::new(cast.contract.clone());
        let survey = Survey::new(&cast);
        let rules: Vec<&str> = goal.rules().collect();
        let mut fuel = MOST.min(self.fuel.get());
        let before = fuel;
        let mut found = Found::Exhausted;
        for breadth in Breadth::ALL {
            let alphabet = Maker::new(&cast, &survey, breadth, &rules).alphabet();
            // Where a state never comes again, as with what is counted on, few events do not end: the others have their turn, too.
            let share = if breadth == Breadth::Near { fuel } else { fuel.div_ceil(2) };
            let mut left = share;
            let mut tries = MOST_FALSE;
            let mut witness = None;
            let mut good = |lines: &[Line]| {
                witness = self.confirm((&aim, &sliced), &whole_aim, lines);
                tries = tries.saturating_sub(1);
                witness.is_some() || tries == 0
            };
            let reached = Explorer::new(&cast.contract, &aim, &alphabet, &mut left).run(&sliced, &mut good);
            fuel = fuel.saturating_sub(share.saturating_sub(left));
            match (witness, reached) {
                (Some(witness), _) => {
                    found = Found::Witness(witness);
                    break;
                }
                (None, Reached::Capped | Reached::Goal) => found = Found::Capped,
                (None, Reached::Exhausted) => {}
            }
        }
        self.fuel.set(self.fuel.get().saturating_sub(before.saturating_sub(fuel)));
        found
    }

    /// Makes the session plain, as far as the part of the contract that matters is asked, and plays it with the whole contract.
    fn confirm(&self, (aim, part): (&Aim, &Interpreted), whole: &Aim, lines: &[Line]) -> Option<Witness> {
        let shown = aim.play(part, lines)?;
        let same = |fewer: &[Line]| {
            aim.play(part, fewer).is_some_and(|(shows, marks)| shows.is_like(&shown.0) && marks == shown.1)
        };
        let trace = shrink(lines.to_vec(), &same);
        let (shows, _) = whole.play(&self.contract, &trace)?;
        let witness = Witness { trace, shows };
        replays(&self.contract, &witness).then_some(witness)
    }
}

/// The events that sessions towards a goal are made of.
pub(in crate::analysis) fn alphabet(contract: &Contract, goal: &Goal, breadth: Breadth) -> Alphabet {
    let cast = Cast::new(contract, goal);
    let rules: Vec<&str> = goal.rules().collect();
    Maker::new(&cast, &Survey::new(&cast), breadth, &rules).alphabet()
}

/// The rules that matter for a goal, by id.
pub(in crate::analysis) fn concerned(contract: &Contract, goal: &Goal) -> BTreeSet<String> {
    Cast::new(contract, goal).contract.rules.into_iter().map(|rule| rule.id).collect()
}

#[cfg(test)]
mod tests;
