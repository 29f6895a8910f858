//! A goal, with what it names found in a contract, and whether a session has come to it.

use std::rc::Rc;

use contract_runtime::{Decision, Reason, Subject, Verdict};

use super::world::{Mark, Ruled, Watched, World};
use crate::diagnostic::{Goal, Shows};
use crate::interpret::Interpreted;
use crate::mir::{Contract, Glob, Names};
use crate::trace::{Body, Line, RecordedCall};

/// A goal in a contract.
#[derive(Debug)]
pub(super) struct Aim {
    tool: Option<Names>,
    decision: Option<Decision>,
    by: Vec<usize>,
    reason: Option<Reason>,
    owed: Option<usize>,
    spoken_of: Vec<usize>,
    in_flight: Option<Names>,
    committed: Vec<usize>,
    standing: Option<Stands>,
}

#[derive(Clone, Copy, Debug)]
struct Stands {
    rule: usize,
    verdict: Option<Verdict>,
    ended: bool,
    patterns: u16,
    letter: u8,
}

/// The names that a text means, `server::tool` or `tool`, with globs.
pub(super) fn names(text: &str) -> Names {
    let (server, tool) = text.split_once("::").map_or((None, text), |(server, tool)| (Some(server), tool));
    Names { server: server.map(Glob::new), tool: Glob::new(tool) }
}

impl Aim {
    /// The goal in a contract; `None` if that has no such rule. Commits have the number `commit` says there.
    pub(super) fn new(contract: &Contract, goal: &Goal, committed: &[usize]) -> Option<Self> {
        let number = |id: &String| contract.rules.iter().position(|rule| rule.id == *id);
        let standing = match &goal.standing {
            None => None,
            Some(standing) => {
                let rule = number(&standing.rule)?;
                let count = contract.rules.get(rule)?.patterns().len();
                let all = (0..count).fold(0u16, |all, _| all.wrapping_shl(1) | 1);
                let patterns = if standing.after_all_patterns { all } else { 0 };
                Some(Stands {
                    rule,
                    verdict: standing.verdict,
                    ended: standing.ended,
                    patterns,
                    letter: standing.letter,
                })
            }
        };
        Some(Self {
            tool: goal.tool.as_deref().map(names),
            decision: goal.decision,
            by: goal.by.iter().map(number).collect::<Option<_>>()?,
            reason: goal.reason,
            owed: goal.owed.as_ref().map(number).map_or(Some(None), |rule| rule.map(Some))?,
            spoken_of: goal.spoken_of.iter().map(number).collect::<Option<_>>()?,
            in_flight: goal.in_flight.as_deref().map(names),
            committed: committed.to_vec(),
            standing,
        })
    }

    /// What the sessions remember for it.
    pub(super) fn watched(&self) -> Watched {
        let letter = self.standing.map_or(0, |stands| stands.letter);
        Watched { rule: self.standing.map(|stands| stands.rule), letter, commits: self.committed.as_slice().into() }
    }

    /// Whether calls stay in flight on the way.
    pub(super) fn overlaps(&self) -> bool {
        self.in_flight.is_some()
    }

    /// Whether the goal is a call, and this may be the one.
    fn may_be(&self, world: &World, call: &RecordedCall) -> bool {
        let named = |names: &Names| names.matches(&call.tool, call.server.as_deref());
        self.standing.is_none()
            && self.tool.as_ref().is_none_or(named)
            && self.spoken_of.iter().all(|rule| world.speaks(*rule, call))
            && (self.committed.is_empty() || world.committed)
            && self.owed.is_none_or(|rule| world.verdict(rule) == Verdict::Pending)
            && self.in_flight.as_ref().is_none_or(|names| {
                world.flights.iter().any(|flight| names.matches(&flight.call.tool, flight.call.server.as_deref()))
            })
    }

    /// Makes a call; whether it is the one that is looked for.
    pub(super) fn call(&self, world: &mut World, call: &Rc<RecordedCall>) -> (Ruled, bool) {
        let may_be = self.may_be(world, call);
        let ruled = world.call(call);
        let is = may_be
            && self.decision.is_none_or(|decision| decision == ruled.decision)
            && self.by.iter().all(|rule| ruled.rules.contains(rule))
            && self.reason.is_none_or(|reason| ruled.marks.iter().any(|mark| self.is_by(mark, reason)));
        (ruled, is)
    }

    /// Whether a rule of the goal says what it says for the reason.
    fn is_by(&self, &(subject, _, reason): &Mark, wanted: Reason) -> bool {
        let named = |rule: u16| self.by.is_empty() || self.by.contains(&usize::from(rule));
        reason == wanted && matches!(subject, Subject::Rule(rule) if named(rule))
    }

    /// Whether the session has come to how a rule shall stand.
    pub(super) fn stands(&self, world: &World) -> bool {
        self.standing.is_some_and(|Stands { rule, verdict, ended, patterns, letter }| {
            let now = world.verdict(rule);
            let now = if ended { now.at_end() } else { now };
            let happened = world.matched & patterns == patterns && (letter == 0 || world.lettered);
            happened && verdict.is_none_or(|verdict| now == verdict)
        })
    }

    /// Whether the session has to end for that.
    pub(super) fn ends(&self) -> bool {
        self.standing.is_some_and(|stands| stands.ended)
    }

    /// Plays lines in a contract: what their end shows, if that is the goal, and a mark by which a simpler session that shows the
    /// same for the same reasons is known.
    pub(super) fn play(&self, contract: &Interpreted, lines: &[Line]) -> Option<(Shows, Vec<Mark>)> {
        let facts = lines.first().and_then(|line| match &line.body {
            Body::Context(facts) => Some(facts),
            _ => None,
        });
        let mut world = World::begin(contract, facts, self.watched())?;
        let mut open: Vec<(String, u64)> = Vec::new();
        let mut last = None;
        let rules = &contract.contract().rules;
        let id = |index: usize| rules.get(index).map(|rule| rule.id.clone());
        for line in lines {
            if let Some(at) = line.at {
                world.wait(at.since(world.now)).then_some(())?;
            }
            last = None;
            match &line.body {
                Body::Context(_) | Body::End => {}
                Body::Call(call, result) => {
                    let number = world.calls;
                    let (ruled, is) = self.call(&mut world, &Rc::new(call.clone()));
                    if is {
                        let named = if self.by.is_empty() { &ruled.rules } else { &self.by };
                        let rules = named.iter().filter_map(|index| id(*index)).collect();
                        last = Some((Shows::Decision { call: number, decision: ruled.decision, rules }, ruled.marks));
                    }
                    match (ruled.runs, result) {
                        (true, Some(result)) => world.settle_last(result),
                        (true, None) => open.push((call.id.clone(), number)),
                        (false, _) => {}
                    }
                }
                Body::Result(id, result) => {
                    let place = open.iter().position(|(open, _)| open == id)?;
                    let (_, number) = open.remove(place);
                    let place = world.flights.iter().position(|flight| flight.number == number)?;
                    world.settle(place, result);
                }
                Body::Event { name, value } => {
                    world.event(name, value);
                }
            }
        }
        match self.standing {
            None => last,
            Some(Stands { rule, verdict, ended, .. }) => {
                let now = world.verdict(rule);
                let verdict = verdict.unwrap_or(if ended { now.at_end() } else { now });
                self.stands(&world).then_some((Shows::Verdict { rule: id(rule)?, verdict }, Vec::new()))
            }
        }
    }
}
