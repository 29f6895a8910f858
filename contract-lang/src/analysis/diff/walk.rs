//! Looks for sessions that two versions of a contract treat differently: breadth first over pairs of monitors.
//!
//! Some moments are looked at before others: those at which fewer rules that have *not* changed stop a call that is meant, for
//! such a rule hides what the changed ones do; before all, those at which only changed ones stop it; among equals, those at which
//! the versions, or what changed, remember something new. So a session that is found is short, not always a shortest.
//!
//! INVARIANT: it goes on only where both versions let the same calls run, so that a session means the same to both. What it
//! finds is played through two sessions before anybody hears of it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::rc::Rc;

use contract_runtime::{Duration, Time};
use serde_json::Value;

use super::seen::Seen;
use super::side::{Memory, Side};
use crate::analysis::search::{Alphabet, Move};
use crate::interpret::Interpreted;
use crate::mir::{Clock, Kind, Rule};
use crate::trace::{Body, Line, Recorded, RecordedCall};

/// When sessions begin: 2026-01-01T10:00:00Z.
const BEGIN: Time = Time::from_nanos(1_767_261_600_000_000_000);

/// Most calls that are in flight together.
const MOST_IN_FLIGHT: usize = 2;

/// A walk over the sessions of two versions.
pub(super) struct Walk<'w> {
    pub(super) old: &'w Interpreted,
    pub(super) new: &'w Interpreted,
    pub(super) alphabet: &'w Alphabet,
    /// The moves that matter most, by number.
    pub(super) meant: BTreeSet<usize>,
    /// Odder calls of that kind, which are tried only where nothing hides what the changed rules do.
    pub(super) odd: &'w [RecordedCall],
    /// The rules that have changed, by id.
    pub(super) rules: &'w BTreeSet<String>,
    /// How many lines may be tried.
    pub(super) steps: usize,
}

/// Whether whoever asked has seen enough.
pub(super) type Enough = bool;

/// How a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Walked {
    /// Whoever asked has seen enough.
    Enough,
    /// There is nothing more that the events lead to.
    Through,
    /// The bound was reached.
    Capped,
}

/// Both versions after the same lines.
#[derive(Clone)]
struct Pair<'w> {
    old: Side<'w>,
    new: Side<'w>,
    now: Time,
    /// The calls in flight: the number of the move, and of the call.
    flights: Vec<(usize, u64)>,
    calls: u64,
}

/// A moment of a session.
struct Node<'w> {
    /// The moment before, and the line that led from there; none if time went by.
    from: Option<(usize, Option<Said>)>,
    /// Gone when it has been looked at.
    pair: Option<Pair<'w>>,
    /// Which context the session has.
    context: usize,
}

/// What a line says.
type Said = (Body, Time);

struct Run<'r, 'w> {
    walk: &'r Walk<'w>,
    nodes: Vec<Node<'w>>,
    /// The moments that were not looked at, by how promising they are: the most promising come out first.
    promising: BinaryHeap<Reverse<(usize, bool, usize)>>,
    /// The same, in the order in which they were met.
    in_order: VecDeque<usize>,
    met: HashSet<u128>,
    /// What was remembered so far of the rules that have changed, and which rules have stopped which calls.
    known: HashSet<u128>,
    /// What follows the moment that is looked at.
    next: Vec<(Option<Said>, Pair<'w>)>,
    /// Whether it matters how many calls there were.
    counted: bool,
    steps: usize,
    take: &'r mut dyn FnMut(Vec<Line>) -> Enough,
}

impl<'w> Walk<'w> {
    /// Walks until `take` has seen enough sessions whose last line the versions treat differently.
    /// How many lines were tried is said as well.
    pub(super) fn run(&self, take: &mut dyn FnMut(Vec<Line>) -> Enough) -> (Walked, usize) {
        let (met, known) = (HashSet::new(), HashSet::new());
        let mut run = Run {
            walk: self,
            nodes: Vec::new(),
            promising: BinaryHeap::new(),
            in_order: VecDeque::new(),
            met,
            known,
            next: Vec::new(),
            counted: self.counted(),
            steps: 0,
            take,
        };
        for (context, facts) in self.alphabet.contexts.iter().enumerate() {
            let begin = |contract: &'w Interpreted| Side::begin(contract, facts.as_ref());
            if let (Some(old), Some(new)) = (begin(self.old), begin(self.new)) {
                let pair = Pair { old, new, now: BEGIN, flights: Vec::new(), calls: 0 };
                if let Err(how) = run.push(None, pair, context) {
                    return (how, run.steps);
                }
            }
        }
        let how = run.go().err().unwrap_or(Walked::Through);
        (how, run.steps)
    }
}

impl Walk<'_> {
    /// Whether it matters how many calls there were.
    fn counted(&self) -> bool {
        let by_calls = |rule: &Rule| matches!(rule.kind, Kind::Register { clock: Clock::Calls, .. });
        [self.old, self.new].iter().any(|contract| contract.contract().rules.iter().any(by_calls))
    }
}

impl<'w> Run<'_, 'w> {
    fn go(&mut self) -> Result<(), Walked> {
        for turn in 1usize.. {
            // Also the others have their turns.
            let early = if turn.is_multiple_of(4) { self.in_order.pop_front() } else { None };
            let next = early.or_else(|| self.promising.pop().map(|Reverse((.., at))| at));
            match next.or_else(|| self.in_order.pop_front()) {
                Some(at) => self.expand(at)?,
                None => break,
            }
        }
        Ok(())
    }

    /// How far away a difference seems: 0 where only rules that have changed stop a call that is meant, 1 where nothing does, and
    /// more for each that hides them. And whether what stops the calls was met before.
    fn probe(&mut self, at: usize, pair: &Pair<'w>) -> Result<(usize, bool), Walked> {
        let walk = self.walk;
        let (mut nearest, mut known) = (usize::MAX, true);
        for (number, next) in (0..).zip(&walk.alphabet.moves) {
            let Move::Call(call, _) = next else { continue };
            if walk.meant.contains(&number) {
                let (old, new) = self.attempt(at, pair, call)?;
                let hides = |rule: &&String| !walk.rules.contains(*rule);
                let far = |seen: &Seen| match seen.rules.iter().filter(hides).count() {
                    _ if seen.runs => 1,
                    0 => 0,
                    hidden => hidden.saturating_add(1),
                };
                nearest = nearest.min(far(&old).min(far(&new)));
                known &= !self.known.insert(digest(&(number, old.runs, &old.rules, new.runs, &new.rules)));
            }
        }
        if nearest <= 1 && !known {
            walk.odd.iter().try_for_each(|call| self.attempt(at, pair, call).map(drop))?;
        }
        Ok((nearest, known))
    }

    /// Makes a call that leads nowhere.
    fn attempt(&mut self, at: usize, pair: &Pair<'w>, call: &RecordedCall) -> Result<(Seen, Seen), Walked> {
        let mut pair = pair.clone();
        let call = pair.make(call);
        let seen = pair.call(&call);
        self.look(at, (&Body::Call(RecordedCall::clone(&call), None), pair.now), &seen)?;
        Ok(seen)
    }

    fn push(&mut self, from: Option<(usize, Option<Said>)>, pair: Pair<'w>, context: usize) -> Result<(), Walked> {
        let time = self.walk.alphabet.timed.then_some(pair.now);
        let (old, new) = (pair.old.memory(self.counted), pair.new.memory(self.counted));
        if !self.met.insert(digest(&(&old, &new, time))) {
            return Ok(());
        }
        let apart = |old: &BTreeMap<String, String>, new: &BTreeMap<String, String>| {
            old.iter().any(|(name, saved)| new.get(name).is_some_and(|other| other != saved))
        };
        let changed =
            |memory: &Memory| self.walk.rules.iter().map(|rule| memory.rules.get(rule).cloned()).collect::<Vec<_>>();
        let new_to_it = apart(&old.rules, &new.rules)
            || apart(&old.cells, &new.cells)
            || self.known.insert(digest(&(changed(&old), changed(&new), pair.flights.len())));
        let at = self.nodes.len();
        self.nodes.push(Node { from, pair: None, context });
        let (far, known) = self.probe(at, &pair)?;
        if let Some(node) = self.nodes.get_mut(at) {
            node.pair = Some(pair);
        }
        self.promising.push(Reverse((far, known && !new_to_it, at)));
        self.in_order.push_back(at);
        Ok(())
    }

    /// Looks at all that may happen next.
    fn expand(&mut self, at: usize) -> Result<(), Walked> {
        let Some(node) = self.nodes.get_mut(at) else { return Ok(()) };
        let (context, Some(pair)) = (node.context, node.pair.take()) else { return Ok(()) };
        self.follow(at, &pair)?;
        for (said, pair) in std::mem::take(&mut self.next) {
            self.push(Some((at, said)), pair, context)?;
        }
        Ok(())
    }

    fn follow(&mut self, at: usize, pair: &Pair<'w>) -> Result<(), Walked> {
        let moves = &self.walk.alphabet.moves;
        for (number, next) in moves.iter().enumerate() {
            match next {
                Move::Call(call, results) => self.call(at, pair.clone(), number, (call, results))?,
                Move::Event(name, value) => {
                    let mut pair = pair.clone();
                    let now = pair.now;
                    let seen = (pair.old.event(name, value, now), pair.new.event(name, value, now));
                    self.step(at, Body::Event { name: name.clone(), value: value.clone() }, pair, &seen)?;
                }
                Move::Wait(duration) => self.wait(pair.clone(), *duration)?,
            }
        }
        for (place, (number, call)) in pair.flights.iter().enumerate() {
            let Some(Move::Call(_, results)) = moves.get(*number) else { continue };
            for result in results {
                let mut pair = pair.clone();
                let seen = pair.settle(place, result);
                pair.flights.remove(place);
                self.step(at, Body::Result(id(*call), result.clone()), pair, &seen)?;
            }
        }
        let now = pair.now;
        let seen = (pair.old.clone().end(now), pair.new.clone().end(now));
        self.look(at, (&Body::End, now), &seen)
    }

    fn call(
        &mut self,
        at: usize,
        mut pair: Pair<'w>,
        number: usize,
        (call, results): (&RecordedCall, &[Recorded]),
    ) -> Result<(), Walked> {
        let (ordinal, now) = (pair.calls, pair.now);
        let call = pair.make(call);
        let seen = pair.call(&call);
        let body = |result: Option<&Recorded>| Body::Call(RecordedCall::clone(&call), result.cloned());
        self.look(at, (&body(None), now), &seen)?;
        if !seen.0.runs || !seen.1.runs || seen.0.args != seen.1.args {
            return Ok(());
        }
        let place = pair.flights.len();
        for result in results {
            let mut pair = pair.clone();
            let seen = pair.settle(place, result);
            self.step(at, body(Some(result)), pair, &seen)?;
        }
        if place < MOST_IN_FLIGHT && self.walk.meant.contains(&number) {
            pair.flights.push((number, ordinal));
            self.next.push((Some((body(None), now)), pair));
        }
        Ok(())
    }

    fn wait(&mut self, mut pair: Pair<'w>, duration: Duration) -> Result<(), Walked> {
        self.tried()?;
        if let Some(now) = pair.now.checked_add(duration) {
            pair.now = now;
            self.next.push((None, pair));
        }
        Ok(())
    }

    /// Both versions have taken a line.
    fn step(&mut self, at: usize, body: Body, pair: Pair<'w>, seen: &(Seen, Seen)) -> Result<(), Walked> {
        let now = pair.now;
        self.look(at, (&body, now), seen)?;
        self.next.push((Some((body, now)), pair));
        Ok(())
    }

    /// Hands the session out if they treat its last line differently.
    fn look(&mut self, at: usize, (body, now): (&Body, Time), seen: &(Seen, Seen)) -> Result<(), Walked> {
        self.tried()?;
        if seen.0.differs(&seen.1).is_none() {
            return Ok(());
        }
        let lines = self.lines(at, (body.clone(), now));
        if (self.take)(lines) { Err(Walked::Enough) } else { Ok(()) }
    }

    fn tried(&mut self) -> Result<(), Walked> {
        self.steps = self.steps.saturating_add(1);
        if self.steps > self.walk.steps { Err(Walked::Capped) } else { Ok(()) }
    }

    /// The lines that lead to a moment, and one more.
    fn lines(&self, at: usize, last: Said) -> Vec<Line> {
        let (mut said, mut at, mut context) = (vec![last], Some(at), 0);
        while let Some(node) = at.and_then(|at| self.nodes.get(at)) {
            context = node.context;
            said.extend(node.from.iter().filter_map(|(_, said)| said.clone()));
            at = node.from.as_ref().map(|(before, _)| *before);
        }
        let facts = self.walk.alphabet.contexts.get(context).cloned().flatten();
        said.extend(facts.map(|facts: Value| (Body::Context(facts), BEGIN)));
        let timed = self.walk.alphabet.timed;
        let line = |(body, at): Said| Line { session: "default".to_owned(), at: timed.then_some(at), body };
        said.into_iter().rev().map(line).collect()
    }
}

impl Pair<'_> {
    /// The next call.
    fn make(&mut self, call: &RecordedCall) -> Rc<RecordedCall> {
        let call = RecordedCall { id: id(self.calls), ..call.clone() };
        self.calls = self.calls.saturating_add(1);
        Rc::new(call)
    }

    fn call(&mut self, call: &Rc<RecordedCall>) -> (Seen, Seen) {
        (self.old.call(call, self.now), self.new.call(call, self.now))
    }

    fn settle(&mut self, place: usize, result: &Recorded) -> (Seen, Seen) {
        (self.old.settle(place, result, self.now), self.new.settle(place, result, self.now))
    }
}

/// What a call is called.
fn id(number: u64) -> String {
    format!("c{}", number.saturating_add(1))
}

fn digest(value: &impl Hash) -> u128 {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, value).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    (half(0) << 64) | half(1)
}
