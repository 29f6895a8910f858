//! The events that a session is made of, from the plain to the odd.
//!
//! INVARIANT: finite, and in an order that does not depend on anything but the contract and the goal. Values come from the
//! survey: one good one, and near misses that differ from it at one place.

use std::collections::BTreeSet;

use contract_runtime::{Duration, Status};
use serde_json::{Value, json};

use super::cast::{Actor, Cast};
use super::place::Site;
use super::shape::{Choices, Preference, Root, Shape};
use super::survey::Survey;
use crate::mir::{Clock, Contract, Expr, Kind, Literal, Register};
use crate::trace::{Recorded, RecordedCall};

/// Something that can happen next.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::analysis) enum Move {
    /// A call, and how it may end if it runs.
    Call(RecordedCall, Vec<Recorded>),
    /// A host event.
    Event(String, Value),
    /// Time goes by.
    Wait(Duration),
}

/// How odd events may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::analysis) enum Breadth {
    /// What the contract wants for the tools of the goal.
    Wanted,
    /// What it wants for any tool, and what makes each predicate true or false.
    Told,
    /// Also what differs from that at one place.
    Near,
}

impl Breadth {
    pub(in crate::analysis) const ALL: [Self; 3] = [Self::Wanted, Self::Told, Self::Near];
}

/// The events for a contract.
#[derive(Debug)]
pub(in crate::analysis) struct Alphabet {
    pub(in crate::analysis) moves: Vec<Move>,
    /// What the session may begin with.
    pub(in crate::analysis) contexts: Vec<Option<Value>>,
    /// Whether time matters, so that each line says when it is.
    pub(in crate::analysis) timed: bool,
}

/// Most variations of one tool.
const MOST: usize = 96;

/// Makes events of what a survey found.
pub(super) struct Maker<'s> {
    cast: &'s Cast,
    survey: &'s Survey<'s>,
    breadth: Breadth,
    /// The rules of the goal, by id: what makes their predicates true or false comes early.
    rules: &'s [&'s str],
}

impl<'s> Maker<'s> {
    pub(super) fn new(cast: &'s Cast, survey: &'s Survey<'s>, breadth: Breadth, rules: &'s [&'s str]) -> Self {
        Self { cast, survey, breadth, rules }
    }

    /// All of them.
    pub(super) fn alphabet(&self) -> Alphabet {
        let mut moves = Vec::new();
        for (index, actor) in self.cast.tools.iter().enumerate() {
            self.calls(index, actor, &mut moves);
        }
        for (index, name) in self.cast.events.iter().enumerate() {
            let shape = self.shape(Site::Event(index), Root::Anything);
            for choices in self.variations(&shape) {
                let event = Move::Event(name.clone(), shape.make(&choices).unwrap_or(Value::Null));
                if !moves.contains(&event) {
                    moves.push(event);
                }
            }
        }
        let waits = waits(&self.cast.contract);
        let timed = self.survey.reads_time || !waits.is_empty();
        moves.extend(waits.into_iter().map(Move::Wait));
        Alphabet { moves, contexts: self.contexts(), timed }
    }

    fn shape(&self, site: Site, root: Root) -> Shape {
        Shape::new(&self.survey.places, site, root)
    }

    /// What the preferences of this breadth choose, each once.
    fn told(&self, shape: &Shape) -> Vec<Choices> {
        let judged = |predicate: usize, tool: usize| {
            self.survey.predicates.get(predicate).is_some_and(|predicate| predicate.tools.contains(&tool))
        };
        let choose = |by| shape.preferred(&self.survey.places, &judged, by);
        let mut all: Vec<Choices> = self.cast.leading.iter().map(|tool| choose(Preference::Good(*tool))).collect();
        all.push(Choices::new());
        let told = self.survey.predicates.iter().enumerate().filter(|(_, predicate)| {
            self.breadth > Breadth::Wanted
                || predicate.rule.as_deref().is_some_and(|rule| self.rules.contains(&rule))
                || predicate.rule.is_none()
        });
        let others = (0..self.cast.tools.len()).filter(|_| self.breadth > Breadth::Wanted);
        all.extend(others.map(|tool| choose(Preference::Good(tool))));
        all.extend(
            told.flat_map(|(predicate, _)| {
                [choose(Preference::Holds(predicate)), choose(Preference::Fails(predicate))]
            }),
        );
        distinct(all)
    }

    fn variations(&self, shape: &Shape) -> Vec<Choices> {
        let mut all = self.told(shape);
        if self.breadth == Breadth::Near {
            let near: Vec<Choices> = all.iter().take(2).flat_map(|from| shape.near(from)).collect();
            all.extend(near);
        }
        let mut all = distinct(all);
        all.truncate(MOST);
        all
    }

    fn calls(&self, index: usize, actor: &Actor, moves: &mut Vec<Move>) {
        let args = self.shape(Site::Args(index), Root::Object);
        let results = self.shape(Site::Result(index), Root::Anything);
        let (told, near) = (self.told(&args), self.variations(&args));
        let calls = near.iter().filter_map(|choices| args.make(choices)).collect::<Vec<_>>();
        let first = told.len();
        let (all, some) = (self.results(&results, true), self.results(&results, false));
        for (number, args) in calls.into_iter().enumerate() {
            // Odd arguments go with plain results.
            let results = if number < first { &all } else { &some };
            let call = RecordedCall {
                id: String::new(),
                key: None,
                tool: actor.tool.clone(),
                args,
                server: actor.server.clone(),
                agent: None,
                batch: None,
                approved: false,
            };
            for call in self.facts(index, call) {
                let call = Move::Call(call, results.clone());
                if !moves.contains(&call) {
                    moves.push(call);
                }
            }
        }
    }

    /// The call with what is said of it besides its arguments.
    fn facts(&self, index: usize, call: RecordedCall) -> Vec<RecordedCall> {
        let values = |site| {
            let shape = self.shape(site, Root::Anything);
            if shape.is_empty() { vec![None] } else { self.variations(&shape).iter().map(|c| shape.make(c)).collect() }
        };
        let mut all = Vec::new();
        for batch in values(Site::Batch(index)) {
            let batch = batch.as_ref().and_then(Value::as_u64).and_then(|calls| u32::try_from(calls).ok());
            for agent in values(Site::Agent(index)) {
                let agent = agent.as_ref().and_then(Value::as_str).map(str::to_owned);
                for server in values(Site::Server(index)) {
                    let server = server.as_ref().and_then(Value::as_str).map(str::to_owned);
                    let server = call.server.clone().or(server);
                    all.push(RecordedCall {
                        batch: batch.filter(|calls| *calls > 0),
                        agent: agent.clone(),
                        server,
                        ..call.clone()
                    });
                }
            }
        }
        all
    }

    fn results(&self, shape: &Shape, varied: bool) -> Vec<Recorded> {
        let ok = |value| Recorded { status: Status::Ok, value };
        let mut all: Vec<Recorded> = if shape.is_empty() {
            vec![ok(Some(json!({})))]
        } else {
            let choices = if varied { self.variations(shape) } else { self.told(shape) };
            choices.iter().map(|choices| ok(shape.make(choices))).collect()
        };
        all.push(Recorded { status: Status::Failed, value: Some(json!({"error": "failed"})) });
        if self.breadth > Breadth::Wanted {
            all.push(Recorded { status: Status::Unknown, value: None });
        }
        let mut kept: Vec<Recorded> = Vec::new();
        for result in all {
            if !kept.contains(&result) {
                kept.push(result);
            }
        }
        kept
    }

    fn contexts(&self) -> Vec<Option<Value>> {
        let facts = &self.cast.contract.context;
        if facts.is_empty() {
            return vec![None];
        }
        let shapes: Vec<Shape> = (0..facts.len()).map(|fact| self.shape(Site::Context(fact), Root::Anything)).collect();
        let with = |changed: usize, choices: &Choices| {
            let value = |(index, ((name, _), shape)): (usize, (&(String, _), &Shape))| {
                let chosen = if index == changed { shape.make(choices) } else { shape.make(&Choices::new()) };
                Some((name.clone(), chosen?))
            };
            let pairs = facts.iter().zip(&shapes).enumerate().filter_map(value);
            Some(Value::Object(pairs.collect()))
        };
        let mut all = vec![with(usize::MAX, &Choices::new())];
        for (index, shape) in shapes.iter().enumerate() {
            for context in self.variations(shape).iter().map(|choices| with(index, choices)) {
                if !all.contains(&context) {
                    all.push(context);
                }
            }
        }
        all.push(None);
        all.truncate(MOST);
        all
    }
}

fn distinct(all: Vec<Choices>) -> Vec<Choices> {
    let mut seen = BTreeSet::new();
    all.into_iter().filter(|choices| seen.insert(choices.clone())).collect()
}

/// How long a session may wait: a little more than each time that the contract speaks of.
fn waits(contract: &Contract) -> Vec<Duration> {
    let mut all: Vec<Duration> = contract.cells.iter().filter_map(|cell| cell.fresh).collect();
    for rule in &contract.rules {
        all.extend(rule.per.as_ref().and_then(|keyed| keyed.idle));
        if let Kind::Register { register, clock: Clock::Time, .. } = &rule.kind {
            match register {
                Register::Rate { window, .. } | Register::WindowTotal { window, .. } => all.push(*window),
                Register::Deadline { within } => all.push(*within),
                Register::Permission { expires, .. } => all.push(*expires),
                _ => {}
            }
        }
    }
    for expr in contract.expressions() {
        expr.visit(&mut |expr| {
            if let Expr::Literal(Literal::Duration(duration)) = expr {
                all.push(*duration);
            }
        });
    }
    all.sort_unstable();
    all.dedup();
    let second = Duration::from_nanos(1_000_000_000);
    all.into_iter().filter_map(|duration| duration.checked_add(second)).take(4).collect()
}
