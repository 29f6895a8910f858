//! Breadth-first search over the states of a monitor.
//!
//! INVARIANT: bounded by how many events are tried, never by time. A state that was seen is not visited again: what tells states
//! apart is what the monitor saves, without the position where no rule reads it.

use std::collections::{HashSet, VecDeque};
use std::rc::Rc;

use contract_runtime::{Decision, Time};
use serde_json::Value;

use super::aim::Aim;
use super::moves::{Alphabet, Move};
use super::world::World;
use crate::interpret::Interpreted;
use crate::mir::{Clock, Contract, Kind};
use crate::trace::{Body, Line, Recorded, RecordedCall};

/// Something that happened on the way to a state.
#[derive(Clone, Debug)]
enum Step {
    Context(Value),
    Call(Rc<RecordedCall>, u64),
    Result(u64, Recorded),
    Event(String, Value),
    Nothing,
}

/// A step, after others.
#[derive(Debug)]
struct Node {
    before: usize,
    at: Time,
    step: Step,
}

/// How a search ended.
#[derive(Debug)]
pub(super) enum Reached {
    /// With a session that will do.
    Goal,
    /// Every state was visited.
    Exhausted,
    /// Its bound was reached.
    Capped,
}

/// Most calls in flight at once.
const MOST_FLIGHTS: usize = 2;

/// A search that goes on.
pub(super) struct Explorer<'e> {
    aim: &'e Aim,
    alphabet: &'e Alphabet,
    counted: bool,
    nodes: Vec<Node>,
    seen: HashSet<u128>,
    queue: VecDeque<(usize, World)>,
    /// How many events may still be tried.
    fuel: &'e mut usize,
}

impl<'e> Explorer<'e> {
    pub(super) fn new(contract: &Contract, aim: &'e Aim, alphabet: &'e Alphabet, fuel: &'e mut usize) -> Self {
        let counts = |kind: &Kind| matches!(kind, Kind::Register { clock: Clock::Calls, .. } | Kind::NoFlow { .. });
        let counted = contract.rules.iter().any(|rule| counts(&rule.kind));
        Self { aim, alphabet, counted, nodes: Vec::new(), seen: HashSet::new(), queue: VecDeque::new(), fuel }
    }

    /// Searches; a session that is found is asked for whether it will do.
    pub(super) fn run(mut self, contract: &Interpreted, good: &mut dyn FnMut(&[Line]) -> bool) -> Reached {
        for context in &self.alphabet.contexts {
            let Some(world) = World::begin(contract, context.as_ref(), self.aim.watched()) else { continue };
            let step = context.clone().map_or(Step::Nothing, Step::Context);
            if self.arrive(usize::MAX, world, step, good) {
                return Reached::Goal;
            }
        }
        while let Some((node, world)) = self.queue.pop_front() {
            if *self.fuel == 0 {
                return Reached::Capped;
            }
            if self.expand(node, &world, good) {
                return Reached::Goal;
            }
        }
        if *self.fuel == 0 { Reached::Capped } else { Reached::Exhausted }
    }

    fn burn(&mut self) -> bool {
        let some = *self.fuel > 0;
        *self.fuel = self.fuel.saturating_sub(1);
        some
    }

    /// Takes note of a step.
    fn note(&mut self, before: usize, at: Time, step: Step) -> usize {
        self.nodes.push(Node { before, at, step });
        self.nodes.len().saturating_sub(1)
    }

    /// A state is reached; whether it is the goal.
    fn arrive(&mut self, before: usize, world: World, step: Step, good: &mut dyn FnMut(&[Line]) -> bool) -> bool {
        if self.aim.stands(&world) {
            let node = self.note(before, world.now, step.clone());
            if good(&self.lines(node, self.aim.ends())) {
                return true;
            }
        }
        if self.seen.insert(world.key(self.alphabet.timed, self.counted)) {
            let node = self.note(before, world.now, step);
            self.queue.push_back((node, world));
        }
        false
    }

    fn expand(&mut self, node: usize, world: &World, good: &mut dyn FnMut(&[Line]) -> bool) -> bool {
        let alphabet = self.alphabet;
        for next in &alphabet.moves {
            if !self.burn() {
                return false;
            }
            let mut after = world.clone();
            let found = match next {
                Move::Wait(duration) => {
                    if !after.wait(*duration) {
                        continue;
                    }
                    self.arrive(node, after, Step::Nothing, good)
                }
                Move::Event(name, value) => {
                    after.event(name, value);
                    self.arrive(node, after, Step::Event(name.clone(), value.clone()), good)
                }
                Move::Call(call, results) => {
                    let call = Rc::new(call.clone());
                    let approved = || Rc::new(RecordedCall { approved: true, ..(*call).clone() });
                    match self.call(node, world, &call, results, good) {
                        Some(Decision::Ask) => self.call(node, world, &approved(), results, good).is_none(),
                        decision => decision.is_none(),
                    }
                }
            };
            if found {
                return true;
            }
        }
        self.aim.overlaps() && self.settle(node, world, good)
    }

    /// Makes a call and takes each of its results. The decision; `None` if that is the goal.
    fn call(
        &mut self,
        node: usize,
        world: &World,
        call: &Rc<RecordedCall>,
        results: &[Recorded],
        good: &mut dyn FnMut(&[Line]) -> bool,
    ) -> Option<Decision> {
        let mut made = world.clone();
        let (ruled, is) = self.aim.call(&mut made, call);
        let step = Step::Call(Rc::clone(call), world.calls);
        if is {
            let last = self.note(node, made.now, step.clone());
            if good(&self.lines(last, false)) {
                return None;
            }
        }
        if !ruled.runs {
            return Some(ruled.decision);
        }
        let mut called = None;
        for result in results {
            if !self.burn() {
                return Some(ruled.decision);
            }
            let mut after = made.clone();
            after.settle_last(result);
            let before = *called.get_or_insert_with(|| {
                self.nodes.push(Node { before: node, at: made.now, step: step.clone() });
                self.nodes.len().saturating_sub(1)
            });
            if self.arrive(before, after, Step::Result(world.calls, result.clone()), good) {
                return None;
            }
        }
        if self.aim.overlaps() && made.flights.len() <= MOST_FLIGHTS && self.arrive(node, made, step, good) {
            return None;
        }
        Some(ruled.decision)
    }

    /// Takes results of the calls in flight.
    fn settle(&mut self, node: usize, world: &World, good: &mut dyn FnMut(&[Line]) -> bool) -> bool {
        let alphabet = self.alphabet;
        for (place, flight) in world.flights.iter().enumerate() {
            let results = alphabet.moves.iter().find_map(|next| match next {
                Move::Call(call, results) if call.tool == flight.call.tool => Some(results),
                _ => None,
            });
            for result in results.into_iter().flatten() {
                if !self.burn() {
                    return false;
                }
                let mut after = world.clone();
                after.settle(place, result);
                if self.arrive(node, after, Step::Result(flight.number, result.clone()), good) {
                    return true;
                }
            }
        }
        false
    }

    /// The session that led to a node.
    fn lines(&self, node: usize, ends: bool) -> Vec<Line> {
        let mut steps = Vec::new();
        let mut at = node;
        while let Some(node) = self.nodes.get(at) {
            steps.push(node);
            at = node.before;
        }
        let end = steps.first().map(|last| last.at);
        let mut lines: Vec<Line> = Vec::new();
        let line = |at: Time, body| Line { session: "default".to_owned(), at: self.alphabet.timed.then_some(at), body };
        let id = |number: u64| format!("c{}", number.saturating_add(1));
        for Node { at, step, .. } in steps.into_iter().rev() {
            let body = match step {
                Step::Nothing => continue,
                Step::Context(facts) => Body::Context(facts.clone()),
                Step::Event(name, value) => Body::Event { name: name.clone(), value: value.clone() },
                Step::Call(call, number) => Body::Call(RecordedCall { id: id(*number), ..(**call).clone() }, None),
                Step::Result(number, result) => match lines.last_mut().map(|line| &mut line.body) {
                    Some(Body::Call(call, came @ None)) if call.id == id(*number) => {
                        *came = Some(result.clone());
                        continue;
                    }
                    _ => Body::Result(id(*number), result.clone()),
                },
            };
            lines.push(line(*at, body));
        }
        if ends {
            lines.extend(end.map(|at| line(at, Body::End)));
        }
        lines
    }
}
