//! `must_precede` with `expires`: a permission that is good for some time.

use super::formula::{Letter, holds_in};
use super::history::{Meaning, Outcome, Step, World, Worlds};

/// `then` needs a `first` that is not older than this.
#[derive(Clone, Debug)]
pub struct Permission {
    /// How long a `first` is good for.
    pub expires: i128,
    /// Whether an admitted `then` takes it.
    pub consume: bool,
}

impl Meaning for Permission {
    fn fresh(&self) -> World {
        World::Granted(None)
    }

    fn outcomes(&self, world: &World, letter: Letter, _: &Step, at: i128, _: Option<&String>) -> Vec<Outcome> {
        let World::Granted(granted) = self.passed(world, at) else { panic!("{world:?} permits nothing") };
        let [first, then, void] = [0, 1, 2].map(|pattern| holds_in(letter, pattern));
        let violated = then && granted.is_none();
        let granted = match () {
            () if void => None,
            () if then && self.consume => None,
            () if first => Some(at),
            () => granted,
        };
        vec![Outcome { violated, world: World::Granted(granted) }]
    }

    fn passed(&self, world: &World, now: i128) -> World {
        let World::Granted(granted) = world else { panic!("{world:?} permits nothing") };
        World::Granted(granted.filter(|at| now - at <= self.expires))
    }

    fn same(&self, these: &Worlds, those: &Worlds, now: i128) -> bool {
        // Whether it is there in all worlds, or in some, is told by the earliest and the latest.
        let ends = |worlds: &Worlds| {
            let granted = worlds.iter().map(|world| match self.passed(world, now) {
                World::Granted(granted) => granted,
                _ => None,
            });
            let granted: std::collections::BTreeSet<Option<i128>> = granted.collect();
            (granted.first().copied(), granted.last().copied())
        };
        ends(these) == ends(those)
    }
}
