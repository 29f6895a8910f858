//! Which instances were let go, for those who keep a record.
//!
//! INVARIANT: what is kept is bounded: counts are exact, keys are a few. Which ones does not depend on the order of a hash table.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Cell, Keyed};
use crate::key::{self, Key};
use crate::sink::Cause;

/// Which instances of a rule were let go.
#[derive(Clone, Debug, PartialEq)]
pub struct Departed {
    /// The rule, by index.
    pub rule: u16,
    gone: Gone,
}

impl Departed {
    /// The most keys for each cause: those of the first, or of many at once, the first by their texts.
    pub const MOST: usize = 64;

    /// How many for this cause, and their keys.
    #[must_use]
    pub fn by(&self, cause: Cause) -> (u64, &[Vec<Value>]) {
        let Group { count, keys } = self.gone.of(cause);
        (*count, keys)
    }
}

/// Those of one cause.
#[derive(Clone, Debug, Default, PartialEq)]
struct Group {
    count: u64,
    keys: Vec<Vec<Value>>,
}

/// What is kept until somebody asks.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Gone {
    idle: Group,
    evicted: Group,
    closed: Group,
}

impl Gone {
    fn of(&self, cause: Cause) -> &Group {
        match cause {
            Cause::Idle => &self.idle,
            Cause::Evicted => &self.evicted,
            Cause::Closed => &self.closed,
        }
    }

    fn of_mut(&mut self, cause: Cause) -> &mut Group {
        match cause {
            Cause::Idle => &mut self.idle,
            Cause::Evicted => &mut self.evicted,
            Cause::Closed => &mut self.closed,
        }
    }

    fn add(&mut self, cause: Cause, key: &Key) {
        let group = self.of_mut(cause);
        group.count = group.count.saturating_add(1);
        if group.keys.len() < Departed::MOST {
            group.keys.push(key::owned_to_json(key));
        }
    }

    /// So many more, of which nothing is kept.
    fn add_more(&mut self, cause: Cause, more: usize) {
        let group = self.of_mut(cause);
        group.count = group.count.saturating_add(u64::try_from(more).unwrap_or(u64::MAX));
    }
}

impl<C: Cell> Keyed<C> {
    /// From now on, remembers which instances it lets go.
    pub fn watch_departures(&mut self) {
        self.departed.get_or_insert_default();
    }

    /// Which instances were let go since this was last asked.
    pub fn departures(&mut self, rule: u16, all: &mut Vec<Departed>) {
        if let Some(departed) = &mut self.departed
            && **departed != Gone::default()
        {
            all.push(Departed { rule, gone: std::mem::take(departed) });
        }
    }

    /// An instance was let go.
    #[inline]
    pub(super) fn depart(&mut self, cause: Cause, key: &Key) {
        if let Some(departed) = &mut self.departed {
            departed.add(cause, key);
        }
    }

    /// Every instance is to be let go.
    pub(super) fn depart_all(&mut self, cause: Cause) {
        let Some(departed) = &mut self.departed else { return };
        // The first by their texts.
        let mut first = BTreeMap::new();
        for instance in &self.table {
            let text = serde_json::to_string(&key::owned_to_json(&instance.key)).unwrap_or_default();
            first.insert(text, &instance.key);
            if first.len() > Departed::MOST {
                first.pop_last();
            }
        }
        let more = self.table.len().saturating_sub(first.len());
        first.into_values().for_each(|key| departed.add(cause, key));
        departed.add_more(cause, more);
    }
}
