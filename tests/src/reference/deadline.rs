//! `must_be_followed_by` with `within`: each trigger is answered in time.
//!
//! A trigger certainly has no answer, or perhaps: those that perhaps happened, and those that were perhaps answered. Of both
//! the first runs out, and of those after it the last remains.

use std::collections::{BTreeMap, BTreeSet};

use contract_runtime::Verdict;

use super::formula::{Letter, holds_in};
use super::history::{Meaning, Outcome, Step, World, Worlds};
use super::value::Kleene;

/// An answer must come in time.
#[derive(Clone, Debug)]
pub struct Deadline {
    /// How long it may take.
    pub within: i128,
}

/// The triggers without an answer, by their time: whether that is certain.
type Triggers = BTreeMap<i128, bool>;

fn triggers(world: &World) -> &Triggers {
    match world {
        World::Due(triggers) => triggers,
        other => panic!("{other:?} owes nothing"),
    }
}

/// A trigger that is certain however the key may stand is certain.
fn merged(worlds: &Worlds) -> Triggers {
    let certain = |at: &i128| worlds.iter().all(|world| triggers(world).get(at) == Some(&true));
    worlds.iter().flat_map(|world| triggers(world).keys()).map(|at| (*at, certain(at))).collect()
}

/// Whether a pattern holds, of which the event has one of these letters.
fn status(letters: &BTreeSet<Letter>, pattern: usize) -> Kleene {
    let holds = |letter: &Letter| holds_in(*letter, pattern);
    match (letters.iter().any(holds), letters.iter().all(holds)) {
        (false, _) => Kleene::No,
        (true, false) => Kleene::Perhaps,
        (true, true) => Kleene::Yes,
    }
}

impl Deadline {
    fn left(&self, triggers: Triggers, now: i128) -> (Triggers, Verdict) {
        let (mut left, mut verdict) = (Triggers::new(), Verdict::Satisfied);
        for certain in [false, true] {
            let mut these: Vec<i128> =
                triggers.iter().filter(|(_, is)| **is == certain).map(|(trigger, _)| *trigger).collect();
            let late = |trigger: &i128| now - trigger > self.within;
            if these.first().is_some_and(late) {
                verdict = if certain { Verdict::Violated } else { Verdict::Unestablished };
                these = these.last().copied().filter(|last| !late(last)).into_iter().collect();
            }
            left.extend(these.into_iter().map(|trigger| (trigger, certain)));
        }
        (left, verdict)
    }

    fn stepped(&self, worlds: &Worlds, step: &Step, at: i128) -> Triggers {
        let (mut triggers, _) = self.left(merged(worlds), at);
        match status(&step.letters, 1) {
            Kleene::No => {}
            Kleene::Perhaps => triggers.values_mut().for_each(|certain| *certain = false),
            Kleene::Yes => triggers.clear(),
        }
        match status(&step.letters, 0) {
            Kleene::No => {}
            Kleene::Perhaps => drop(triggers.entry(at).or_insert(false)),
            Kleene::Yes => drop(triggers.insert(at, true)),
        }
        triggers
    }
}

impl Meaning for Deadline {
    fn fresh(&self) -> World {
        World::Due(Triggers::new())
    }

    fn outcomes(&self, _: &World, _: Letter, _: &Step, _: i128, _: Option<&String>) -> Vec<Outcome> {
        Vec::new()
    }

    fn after(&self, worlds: &Worlds, step: &Step, at: i128, _: Option<&String>) -> Worlds {
        Worlds::from([World::Due(self.stepped(worlds, step, at))])
    }

    fn look_ahead(&self, worlds: &Worlds, step: &Step, at: i128) -> Verdict {
        let triggers = self.stepped(worlds, step, at);
        match (triggers.is_empty(), triggers.values().any(|certain| *certain)) {
            (true, _) => Verdict::Open,
            (false, true) => Verdict::Pending,
            (false, false) => Verdict::Unestablished,
        }
    }

    fn owes(&self, worlds: &Worlds, now: i128) -> Kleene {
        match self.look_ahead(worlds, &Step::none(), now) {
            Verdict::Pending => Kleene::Yes,
            Verdict::Unestablished => Kleene::Perhaps,
            _ => Kleene::No,
        }
    }

    fn same(&self, these: &Worlds, those: &Worlds, now: i128) -> bool {
        // Only the first and the last trigger of either kind matter.
        let ends = |worlds: &Worlds| {
            let (left, _) = self.left(merged(worlds), now);
            [false, true].map(|certain| {
                let mut these = left.iter().filter(|(_, is)| **is == certain).map(|(at, _)| *at);
                these.next().map(|first| (first, these.next_back().unwrap_or(first)))
            })
        };
        ends(these) == ends(those)
    }

    fn ran_out(&self, worlds: &Worlds, since: i128, now: i128) -> Verdict {
        let (before, _) = self.left(merged(worlds), since);
        self.left(before, now).1
    }
}
