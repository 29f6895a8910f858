//! The instances of a keyed rule: a bounded table of cells.
//!
//! INVARIANT: an instance is put into the table only if its state differs from the one that a key without an instance starts
//! in, and leaves it with the step that makes it so. That is `base`, the state of a key never seen, but for a key that may have
//! been let go ([`retire`]). So the table holds what matters and nothing else, and its bound is the rule's memory bound. Nothing
//! is ever forgiven to stay within it: a call that would need one instance too many is not established instead, or an
//! instance is let go.

mod bounds;
mod cell;
mod departed;
mod end;
mod filter;
mod kept;
mod many;
mod order;
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

pub use self::bounds::{Bounds, Retired, Seed};
pub use self::cell::Cell;
pub use self::departed::Departed;
use self::departed::Gone;
pub(crate) use self::kept::{Aside, Kept, Whole};
pub use self::place::{Judged, Room};
use self::retire::Retirement;
use crate::Time;
use crate::key::Key;
use crate::single::{Epoch, Latch};

/// A keyed rule.
#[derive(Clone, Debug)]
pub struct Keyed<C: Cell> {
    table: HashTable<Instance<C>>,
    /// The cells that do not fit the table.
    aside: Aside<C>,
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
    /// How many instances were closed.
    closed: u64,
    /// Of a rule that lets instances go.
    retirement: Option<Box<Retirement<C>>>,
    /// Which instances were let go, where somebody wants to know.
    departed: Option<Box<Gone>>,
}

#[derive(Clone, Debug)]
struct Instance<C: Cell> {
    born: u64,
    /// Whether it is in `due`.
    queued: bool,
    key: Key,
    kept: C::Kept,
}

impl<C: Cell> Keyed<C> {
    /// The fresh rule.
    pub fn new(rule: C::Rule<'_>, bounds: Bounds) -> Self {
        Self {
            table: HashTable::new(),
            aside: Aside::default(),
            hasher: RandomState::default(),
            base: C::fresh(rule),
            blurred: false,
            max: bounds.max,
            reserved: 0,
            epoch: Epoch::default(),
            due: BTreeMap::new(),
            latch: Latch::Clear,
            closed: 0,
            retirement: Retirement::of(bounds),
            departed: None,
        }
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
