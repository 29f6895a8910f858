//! Random events, some of them uncertain, and how chance settles those.

use crate::Truth;
use crate::key::Part;
use crate::keys::Touched;
use crate::value::Val;
use crate::value::lcg::Lcg;

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// Which keys an event touches.
#[derive(Clone, Debug)]
pub(super) enum Aim {
    One(usize),
    Each(usize, usize),
    All,
    /// Nobody can read which one; `None` when that is settled: none that anybody has.
    Unreadable,
    Nothing,
}

impl Aim {
    pub(super) fn touched(&self) -> Touched<'static> {
        let part = |index: &usize| vec![Part::new(Some(Val::text(NAMES[*index])))];
        match self {
            Self::One(key) => Touched::One(part(key)),
            Self::Each(one, other) if one == other => Touched::Each(vec![part(one)]),
            Self::Each(one, other) => Touched::Each(vec![part(one), part(other)]),
            Self::All => Touched::All,
            Self::Unreadable => Touched::One(vec![None]),
            Self::Nothing => Touched::One(vec![Some(Part::Absent)]),
        }
    }

    fn settle(&self, chance: &mut Lcg) -> Self {
        match self {
            Self::Unreadable => {
                chance.pick(&[Self::One(0), Self::One(1), Self::One(2), Self::One(3), Self::Nothing]).clone()
            }
            other => other.clone(),
        }
    }
}

/// What happens to a rule.
#[derive(Clone, Debug)]
pub(super) enum Event {
    /// A call, or something that nobody can return.
    Step {
        aim: Aim,
        holds: [Truth; 3],
        at: i128,
        value: usize,
        is_call: bool,
    },
    Close {
        aim: Aim,
        matches: Truth,
    },
    Reset {
        matches: Truth,
    },
    /// The call of this event ended.
    Ended {
        event: usize,
        failed: Truth,
    },
    Time {
        at: i128,
    },
    /// Saved, and loaded again.
    Snapshot,
    /// The same, into another version of the contract. Settled runs just go on.
    Change,
}

fn settle(truth: Truth, chance: &mut Lcg) -> Truth {
    if truth == Truth::Unknown { *chance.pick(&[Truth::True, Truth::False]) } else { truth }
}

impl Event {
    /// The event as chance settles it.
    pub(super) fn settle(&self, chance: &mut Lcg) -> Self {
        match self {
            Self::Step { aim, holds, at, value, is_call } => Self::Step {
                aim: aim.settle(chance),
                holds: holds.map(|holds| settle(holds, chance)),
                at: *at,
                // The value that cannot be read is one of the others.
                value: if *value == 0 { 1 + usize::try_from(chance.below(3)).unwrap() } else { *value },
                is_call: *is_call,
            },
            Self::Close { aim, matches } => Self::Close { aim: aim.settle(chance), matches: settle(*matches, chance) },
            Self::Reset { matches } => Self::Reset { matches: settle(*matches, chance) },
            Self::Ended { event, failed } => Self::Ended { event: *event, failed: settle(*failed, chance) },
            other => other.clone(),
        }
    }
}

/// What happens in a run besides steps of single keys.
#[derive(Clone, Copy)]
pub(super) struct Mix {
    pub(super) changes: bool,
    pub(super) closes: bool,
    pub(super) broadcasts: bool,
    /// Whether the first pattern holds of calls only.
    pub(super) first_is_call: bool,
    /// Whether to look at violations that are said to be certain.
    pub(super) certain: bool,
}

/// How often what happens in one run: each run does a few things often, so that they meet.
struct Habits {
    keys: u64,
    values: u64,
    unknown: u64,
    /// Of aims: all, unreadable, each, one.
    aims: [u64; 4],
    /// Of events: close, reset, ended, time, snapshot, change, step.
    events: [u64; 7],
}

/// An index, as often as its weight says.
fn weighted(weights: &[u64], chance: &mut Lcg) -> usize {
    let mut at = chance.below(weights.iter().sum());
    weights
        .iter()
        .position(|weight| {
            at < *weight || {
                at -= weight;
                false
            }
        })
        .unwrap()
}

impl Habits {
    fn new(mix: Mix, chance: &mut Lcg) -> Self {
        let mut weight = |allowed: bool| if allowed { chance.below(3) } else { 0 };
        let aims = [weight(mix.broadcasts), weight(true), weight(true), 4];
        let (closes, resets, changes) = (weight(mix.closes), weight(true) / 2, weight(mix.changes) / 2);
        let events = [closes, resets, weight(true) * 2, weight(true), 1, changes, 5];
        Self { keys: 1 + chance.below(3), values: 1 + chance.below(4), unknown: chance.below(4), aims, events }
    }

    fn truth(&self, chance: &mut Lcg) -> Truth {
        [Truth::True, Truth::False, Truth::Unknown][weighted(&[3, 2, self.unknown], chance)]
    }

    fn aim(&self, chance: &mut Lcg) -> Aim {
        let key = |chance: &mut Lcg| usize::try_from(chance.below(self.keys)).unwrap();
        match weighted(&self.aims, chance) {
            0 => Aim::All,
            1 => Aim::Unreadable,
            2 => Aim::Each(key(chance), key(chance)),
            _ => Aim::One(key(chance)),
        }
    }
}

/// A random run.
pub(super) fn events(mix: Mix, chance: &mut Lcg) -> Vec<Event> {
    let habits = Habits::new(mix, chance);
    let mut events = Vec::new();
    let (mut at, mut running) = (0, Vec::new());
    for _ in 0..4 + chance.below(16) {
        at += i128::from(chance.below(3));
        let event = match weighted(&habits.events, chance) {
            0 => Event::Close { aim: habits.aim(chance), matches: habits.truth(chance) },
            1 => Event::Reset { matches: habits.truth(chance) },
            2 if !running.is_empty() => {
                let index = usize::try_from(chance.below(running.len() as u64)).unwrap();
                Event::Ended { event: running.swap_remove(index), failed: habits.truth(chance) }
            }
            3 => {
                at += i128::from(chance.below(8));
                Event::Time { at }
            }
            4 => Event::Snapshot,
            5 => Event::Change,
            _ => {
                let is_call = chance.below(3) > 0;
                if is_call {
                    // As the position of a call, which is its own.
                    at += 1;
                    running.push(events.len());
                }
                let mut holds = [0; 3].map(|_| habits.truth(chance));
                if mix.first_is_call && !is_call {
                    holds[0] = Truth::False;
                }
                // One in ten cannot be read.
                let value = if chance.below(10) == 0 { 0 } else { 1 + chance.below(habits.values) };
                let value = usize::try_from(value).unwrap();
                Event::Step { aim: habits.aim(chance), holds, at, value, is_call }
            }
        };
        events.push(event);
    }
    events
}
