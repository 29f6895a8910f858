//! `at_most_open`: at most so many ids are open at once.

use super::event::Status;
use super::formula::{Letter, holds_in};
use super::history::{Meaning, Outcome, Step, World, Worlds};
use super::value::Value;

/// At most so many.
#[derive(Clone, Debug)]
pub struct Open {
    /// The most that is allowed.
    pub limit: usize,
    /// Whether what opens and closes has an id. Without, each opening is one more and each closing one less.
    pub named: bool,
}

/// An id that is open, and the call that opened it.
type Entry = (Option<Value>, Option<String>);

fn without(entries: &[Entry], index: usize) -> Vec<Entry> {
    entries.iter().enumerate().filter(|(at, _)| *at != index).map(|(_, entry)| entry.clone()).collect()
}

impl Open {
    /// Ids have no order; what has none is in the order of opening.
    fn made(&self, mut entries: Vec<Entry>) -> World {
        if self.named {
            entries.sort();
        }
        World::Open(entries)
    }

    /// What opening may make of the ids; `true`: it violates.
    fn opened(&self, entries: &[Entry], id: Option<&Value>, call: Option<&String>) -> Vec<(bool, Vec<Entry>)> {
        // What several calls have opened is returned to none of them.
        let opened_again = |index: usize| {
            let mut again = entries.to_vec();
            again[index].0 = again[index].0.clone().or_else(|| id.cloned());
            again[index].1 = again[index].1.clone().filter(|by| Some(by) == call);
            (false, again)
        };
        let is_open = |entry: &Entry| entry.0.is_some() && entry.0.as_ref() == id;
        if let Some(index) = entries.iter().position(is_open).filter(|_| self.named) {
            return vec![opened_again(index)];
        }
        let mut ways = Vec::new();
        // It may be one that is open already, if it or one of those cannot be read.
        let perhaps = |index: &usize| self.named && (id.is_none() || entries[*index].0.is_none());
        ways.extend((0..entries.len()).filter(perhaps).map(opened_again));
        let more = entries.iter().cloned().chain([(id.cloned(), call.cloned())]).collect();
        ways.push((entries.len() >= self.limit, more));
        ways
    }

    /// What closing may make of the ids.
    fn closed(&self, entries: &[Entry], id: Option<&Value>) -> Vec<Vec<Entry>> {
        let those = |test: &dyn Fn(&Entry) -> bool| -> Vec<usize> {
            (0..entries.len()).filter(|index| test(&entries[*index])).collect()
        };
        if !self.named {
            // The oldest, and nothing if nothing is open.
            let first = those(&|_| true).first().map(|first| without(entries, *first));
            return vec![first.unwrap_or_default()];
        }
        if let Some(index) = those(&|entry| entry.0.is_some() && entry.0.as_ref() == id).first() {
            return vec![without(entries, *index)];
        }
        // Any that it may be, or none.
        let perhaps = those(&|entry| entry.0.is_none() || id.is_none());
        perhaps.into_iter().map(|index| without(entries, index)).chain([entries.to_vec()]).collect()
    }
}

fn entries(world: &World) -> &[Entry] {
    match world {
        World::Open(entries) => entries,
        other => panic!("{other:?} opens nothing"),
    }
}

impl Meaning for Open {
    fn fresh(&self) -> World {
        World::Open(Vec::new())
    }

    fn outcomes(&self, world: &World, letter: Letter, step: &Step, _: i128, call: Option<&String>) -> Vec<Outcome> {
        let id = step.operand.as_ref();
        let opened = match holds_in(letter, 0) {
            true => self.opened(entries(world), id, call),
            false => vec![(false, entries(world).to_vec())],
        };
        let mut outcomes = Vec::new();
        for (violated, entries) in opened {
            let closed = if holds_in(letter, 1) { self.closed(&entries, id) } else { vec![entries] };
            outcomes.extend(closed.into_iter().map(|entries| Outcome { violated, world: self.made(entries) }));
        }
        outcomes
    }

    fn returned(&self, world: &World, call: &str, status: Status) -> Worlds {
        let Some(index) = entries(world).iter().position(|(_, by)| by.as_deref() == Some(call)) else {
            return Worlds::from([world.clone()]);
        };
        let closed = self.made(without(entries(world), index));
        // Who opened it does not matter any more.
        let mut stays = entries(world).to_vec();
        stays[index].1 = None;
        let stays = self.made(stays);
        match status {
            Status::Ok => Worlds::from([stays]),
            Status::Failed => Worlds::from([closed]),
            Status::Unknown => Worlds::from([stays, closed]),
        }
    }

    fn needs_operand(&self, step: &Step) -> bool {
        let opens = step.letters.iter().any(|letter| holds_in(*letter, 0));
        self.named && opens && step.operand.is_none()
    }
}
