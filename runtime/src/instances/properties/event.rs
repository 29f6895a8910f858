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

fn truth(chance: &mut Lcg) -> Truth {
    *chance.pick(&[Truth::True, Truth::True, Truth::False, Truth::False, Truth::Unknown])
}

/// What happens in a run besides steps of single keys.
#[derive(Clone, Copy)]
pub(super) struct Mix {
    pub(super) changes: bool,
    pub(super) closes: bool,
    pub(super) broadcasts: bool,
    /// Whether the first pattern holds of calls only.
    pub(super) first_is_call: bool,
}

fn aim(mix: Mix, chance: &mut Lcg) -> Aim {
    let key = |chance: &mut Lcg| usize::try_from(chance.below(3)).unwrap();
    match chance.below(10) {
        0 if mix.broadcasts => Aim::All,
        1 => Aim::Unreadable,
        2 => Aim::Each(key(chance), key(chance)),
        _ => Aim::One(key(chance)),
    }
}

/// A random run.
pub(super) fn events(mix: Mix, chance: &mut Lcg) -> Vec<Event> {
    let mut events = Vec::new();
    let (mut at, mut running) = (0, Vec::new());
    for _ in 0..4 + chance.below(24) {
        at += i128::from(chance.below(3));
        let event = match chance.below(20) {
            0 if mix.closes => Event::Close { aim: aim(mix, chance), matches: truth(chance) },
            1 => Event::Reset { matches: *chance.pick(&[Truth::True, Truth::False, Truth::Unknown]) },
            2..6 if !running.is_empty() => {
                let index = usize::try_from(chance.below(running.len() as u64)).unwrap();
                Event::Ended { event: running.swap_remove(index), failed: truth(chance) }
            }
            6 => {
                at += i128::from(chance.below(8));
                Event::Time { at }
            }
            7 => Event::Snapshot,
            8 if mix.changes => Event::Change,
            _ => {
                let is_call = chance.below(3) > 0;
                if is_call {
                    // As the position of a call, which is its own.
                    at += 1;
                    running.push(events.len());
                }
                let mut holds = [truth(chance), truth(chance), truth(chance)];
                if mix.first_is_call && !is_call {
                    holds[0] = Truth::False;
                }
                let value = usize::try_from(chance.below(8)).unwrap().min(4);
                Event::Step { aim: aim(mix, chance), holds, at, value, is_call }
            }
        };
        events.push(event);
    }
    events
}
