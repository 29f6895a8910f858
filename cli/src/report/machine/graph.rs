//! A rule's automaton as a graph: one edge for all letters that lead from one state to another.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use contract_lang::mir::{Machine, Pattern};
use contract_runtime::{Colour, Verdict};

use super::super::tally::Moves;
use crate::command::explain::machine;

/// An edge, by its two states.
pub(super) type Between = (usize, usize);

/// An automaton.
#[derive(Debug)]
pub(super) struct Graph {
    pub(super) initial: usize,
    /// The colour of each state, in a word.
    pub(super) states: Vec<&'static str>,
    pub(super) edges: BTreeMap<Between, Vec<String>>,
}

/// What a journal tells of the way through an automaton.
#[derive(Debug, Default)]
pub(super) struct Path {
    /// The moves by which the rule was violated.
    pub(super) taken: BTreeSet<Between>,
    /// The states in which it was found.
    pub(super) here: BTreeSet<usize>,
    /// A shortest way from the start to where the rule was violated most often. The journal says of each violation in which state
    /// it was, not how it got there.
    pub(super) way: BTreeSet<Between>,
    /// How often which move violated it, the most frequent first.
    pub(super) counts: Vec<(Between, u64)>,
    /// Whether some violation was found while the state was not known exactly.
    pub(super) doubt: bool,
}

impl Graph {
    pub(super) fn of(patterns: &[Pattern], machine: &Machine) -> Self {
        let letters: Vec<_> = machine.letters.iter().map(|letter| machine::letter(patterns, *letter)).collect();
        let mut edges: BTreeMap<Between, Vec<String>> = BTreeMap::new();
        for state in 0..machine.colours.len() {
            for (letter, next) in letters.iter().zip(machine::successors(machine, state)) {
                edges.entry((state, usize::from(next))).or_default().push(letter.clone());
            }
        }
        let states = machine.colours.iter().map(|colour: &Colour| Verdict::from(*colour).as_str()).collect();
        Self { initial: usize::from(machine.initial), states, edges }
    }

    /// What is left of a state whatever happens: nothing but itself.
    pub(super) fn is_sink(&self, state: usize) -> bool {
        self.edges.keys().all(|(from, to)| *from != state || from == to)
    }

    /// How many moves each state is from the start.
    pub(super) fn distances(&self) -> Vec<usize> {
        let mut distances = vec![usize::MAX; self.states.len()];
        for (state, distance, _) in self.search() {
            if let Some(slot) = distances.get_mut(state) {
                *slot = distance;
            }
        }
        distances
    }

    /// The states, breadth first, with their distance and the state before.
    fn search(&self) -> Vec<(usize, usize, Option<usize>)> {
        let mut found = vec![(self.initial, 0_usize, None)];
        let mut seen = BTreeSet::from([self.initial]);
        let mut queue = VecDeque::from([(self.initial, 0_usize)]);
        while let Some((state, distance)) = queue.pop_front() {
            for (_, next) in self.edges.keys().filter(|(from, _)| *from == state) {
                if seen.insert(*next) {
                    let distance = distance.saturating_add(1);
                    found.push((*next, distance, Some(state)));
                    queue.push_back((*next, distance));
                }
            }
        }
        found
    }

    /// A shortest way from the start.
    fn way_to(&self, state: usize) -> BTreeSet<Between> {
        let before: BTreeMap<usize, usize> =
            self.search().into_iter().filter_map(|(state, _, before)| Some((state, before?))).collect();
        let mut way = BTreeSet::new();
        let mut at = state;
        // A breadth-first tree has no cycles.
        while let Some(previous) = before.get(&at) {
            way.insert((*previous, at));
            at = *previous;
        }
        way
    }

    /// What a journal tells of the way.
    pub(super) fn path(&self, moves: &Moves) -> Path {
        let mut path = Path::default();
        let mut counts: BTreeMap<Between, u64> = BTreeMap::new();
        for ((before, after), count) in moves.moves.iter() {
            path.doubt |= before.len() > 1;
            for before in before.iter().filter_map(|state| self.known(*state)) {
                path.here.insert(before);
                for after in after.iter().filter_map(|state| self.known(*state)) {
                    // What is found at the end of a session moves nothing.
                    let violates = self.states.get(after) == Some(&"violated");
                    if violates && self.edges.contains_key(&(before, after)) {
                        let of = counts.entry((before, after)).or_default();
                        *of = of.saturating_add(*count);
                    }
                }
            }
        }
        path.taken = counts.keys().copied().collect();
        path.counts = counts.into_iter().collect();
        path.counts.sort_by_key(|(between, count)| (std::cmp::Reverse(*count), *between));
        let most = path.counts.first().map(|((before, _), _)| *before).or_else(|| path.here.first().copied());
        path.way = most.map(|state| self.way_to(state)).unwrap_or_default();
        path
    }

    fn known(&self, state: u64) -> Option<usize> {
        usize::try_from(state).ok().filter(|state| *state < self.states.len())
    }
}
