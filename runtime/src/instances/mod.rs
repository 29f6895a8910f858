//! The instances of a keyed rule: a bounded table of cells.
//!
//! INVARIANT: an instance is in the table only while its state differs from `base`, the state of a key never seen. So the
//! table holds what matters and nothing else, and its bound is the rule's memory bound. Nothing is ever forgotten to stay
//! within it: a call that would need one instance too many is not established instead.

mod cell;
mod end;
mod many;
mod place;
#[cfg(test)]
mod properties;
mod retire;
mod returned;
mod snapshot;
mod table;
#[cfg(test)]
mod tests;
mod time;

use std::collections::BTreeMap;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

pub use self::cell::Cell;
pub use self::place::{Judged, Room};
pub use self::retire::{Bounds, Retired, Seed};
use crate::Time;
use crate::key::Key;
use crate::single::{Epoch, Latch};

/// A keyed rule.
#[derive(Clone, Debug)]
pub struct Keyed<C> {
    table: HashTable<Instance<C>>,
    hasher: RandomState,
    base: C,
    /// Whether `base` is in doubt because keys without an instance may each be in another of its states.
    blurred: bool,
    max: usize,
    reserved: usize,
    epoch: Epoch,
    /// When instances are looked at again: moment and birth, with the hash of the key.
    due: BTreeMap<(Time, u64), u64>,
    latch: Latch,
}

#[derive(Clone, Debug)]
struct Instance<C> {
    born: u64,
    /// Whether it is in `due`.
    queued: bool,
    key: Key,
    cell: C,
}

impl<C: Cell> Keyed<C> {
    /// The fresh rule, with room for so many live instances.
    pub fn new(rule: C::Rule<'_>, bounds: Bounds) -> Self {
        Self {
            table: HashTable::new(),
            hasher: RandomState::default(),
            base: C::fresh(rule),
            blurred: false,
            max: bounds.max,
            reserved: 0,
            epoch: Epoch::default(),
            due: BTreeMap::new(),
            latch: Latch::Clear,
        }
    }

    /// Takes the secret of the session.
    pub fn seed(&mut self, _seed: Seed) {}

    /// Lets go of the instances whose keys had no event for as long as the rule says, by the time of an event.
    pub fn tidy(&mut self, _rule: C::Rule<'_>, _now: Time) {}

    /// How many instances were let go.
    pub fn retired(&self) -> Retired {
        Retired::default()
    }

    /// How many instances are live.
    pub fn live(&self) -> usize {
        self.table.len()
    }

    /// When the instances are what they are, for [`Self::give_back`].
    pub fn epoch(&self) -> u64 {
        self.epoch.now
    }
}
