//! What is counted or summed, for ever or in a closed window: `at_most_n_times`, `at_most_total`, `rate_limit`, `cooldown`.

use contract_runtime::Verdict;

use super::event::Status;
use super::formula::Letter;
use super::history::{Meaning, Outcome, Step, World, Worlds};
use super::number::Number;
use super::value::Value;

/// An occurrence that counts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Occurrence {
    /// When.
    pub at: i128,
    /// How much: 1, or the amount.
    pub amount: Number,
    /// Whether it certainly counts. Those that do not may count or not, each by itself.
    pub certain: bool,
    /// The call that it is returned for.
    pub call: Option<String>,
}

/// At most so much.
#[derive(Clone, Debug)]
pub struct Counted {
    /// The most that is allowed.
    pub limit: Number,
    /// In every closed window of this length.
    pub window: Option<i128>,
    /// Whether amounts are summed.
    pub sums: bool,
}

fn occurrences(world: &World) -> &[Occurrence] {
    match world {
        World::Counted(occurrences) => occurrences,
        other => panic!("{other:?} counts nothing"),
    }
}

impl Counted {
    fn amount(&self, step: &Step) -> Option<Number> {
        match &step.operand {
            _ if !self.sums => Some(Number::whole(1)),
            Some(Value::Number(amount)) if !amount.is_negative() => Some(amount.clone()),
            _ => None,
        }
    }

    /// At least and at most how much counts.
    fn between(&self, world: &World, at: i128) -> (Number, Number) {
        let mut between = (Number::zero(), Number::zero());
        let World::Counted(occurrences) = self.passed(world, at) else { return between };
        for occurrence in occurrences {
            if occurrence.certain {
                between.0 = between.0.plus(&occurrence.amount).unwrap_or(between.0);
            }
            between.1 = between.1.plus(&occurrence.amount).unwrap_or(between.1);
        }
        between
    }
}

impl Meaning for Counted {
    fn fresh(&self) -> World {
        World::Counted(Vec::new())
    }

    fn outcomes(&self, _: &World, _: Letter, _: &Step, _: i128, _: Option<&String>) -> Vec<Outcome> {
        Vec::new()
    }

    fn after(&self, worlds: &Worlds, step: &Step, at: i128, call: Option<&String>) -> Worlds {
        let Some(amount) = self.amount(step).filter(|_| step.concerns()) else { return worlds.clone() };
        let one = Occurrence { at, amount, certain: step.is_certain(), call: call.cloned() };
        let with_it = |world: &World| World::Counted(occurrences(world).iter().cloned().chain([one.clone()]).collect());
        worlds.iter().map(with_it).collect()
    }

    fn look_ahead(&self, worlds: &Worlds, step: &Step, at: i128) -> Verdict {
        let amount = self.amount(step);
        let exceeds = |so_far: &Number| {
            amount.as_ref().is_none_or(|amount| so_far.plus(amount).is_none_or(|sum| sum > self.limit))
        };
        let each = || worlds.iter().map(|world| self.between(world, at));
        let (all, some) = (each().all(|(least, _)| exceeds(&least)), each().any(|(_, most)| exceeds(&most)));
        match (step.concerns(), step.is_certain(), all, some) {
            (true, true, true, _) => Verdict::Violated,
            (true, _, _, true) => Verdict::Unestablished,
            _ => Verdict::Open,
        }
    }

    fn passed(&self, world: &World, now: i128) -> World {
        let in_window = |one: &&Occurrence| self.window.is_none_or(|window| now - one.at <= window);
        World::Counted(occurrences(world).iter().filter(in_window).cloned().collect())
    }

    fn same(&self, these: &Worlds, those: &Worlds, now: i128) -> bool {
        // What is counted for ever is told apart by how much it is; in a window, by when it was.
        let shape = |worlds: &Worlds| -> Vec<(i128, bool, Number)> {
            match self.window {
                None => {
                    let each = || worlds.iter().map(|world| self.between(world, now));
                    let least = each().map(|(least, _)| least).min().unwrap_or_else(Number::zero);
                    let most = each().map(|(_, most)| most).max().unwrap_or_else(Number::zero);
                    vec![(0, false, least), (0, true, most)]
                }
                Some(_) => {
                    let zero = Number::zero();
                    let passed = worlds.iter().map(|world| self.passed(world, now));
                    let counting = passed.flat_map(|world| occurrences(&world).to_vec());
                    let counting = counting.filter(|one| one.amount != zero);
                    let mut shape: Vec<_> = counting.map(|one| (one.at, one.certain, one.amount)).collect();
                    shape.sort();
                    shape
                }
            }
        };
        shape(these) == shape(those)
    }

    fn returned(&self, world: &World, call: &str, status: Status) -> Worlds {
        let mut left = occurrences(world).to_vec();
        let is_it = |one: &Occurrence| one.call.as_deref() == Some(call);
        match status {
            Status::Ok => {}
            Status::Failed => left.retain(|one| !is_it(one)),
            Status::Unknown => left.iter_mut().filter(|one| is_it(one)).for_each(|one| one.certain = false),
        }
        Worlds::from([World::Counted(left)])
    }
}
