//! In which order instances are let go.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::RandomState;

use crate::Time;

/// What is lost with an instance. The lesser loss goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Loss {
    /// To be taken for a key never seen is only stricter.
    Leniency,
    /// It might forgive.
    Strictness,
}

/// The place of an instance in the order: what is lost with it, and when its key had its last event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    loss: Loss,
    stamp: u64,
}

/// The last event of an instance's key.
#[derive(Clone, Copy, Debug)]
struct Use {
    hash: u64,
    rank: Rank,
    /// The rank under which the queue has it: with the same loss, and never later.
    queued: Rank,
    at: Time,
}

/// An instance, as the table finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) hash: u64,
    pub(super) born: u64,
}

/// The live instances in the order in which they are let go.
///
/// An event of a key only notes that it happened: the queue learns of it when the instance comes first there. So the order
/// is exact, and each event costs O(log n) in the mean.
#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    uses: HashMap<u64, Use, RandomState>,
    queue: BTreeMap<Rank, u64>,
    /// Grows with each event, so that no two ranks are equal.
    stamps: u64,
}

impl Order {
    pub(super) fn clear(&mut self) {
        self.uses.clear();
        self.queue.clear();
    }

    /// Takes an instance that is new.
    pub(super) fn add(&mut self, place: Place, loss: Loss, at: Time) {
        self.stamps = self.stamps.saturating_add(1);
        self.insert(place, Rank { loss, stamp: self.stamps }, at);
    }

    fn insert(&mut self, Place { hash, born }: Place, rank: Rank, at: Time) {
        self.uses.insert(born, Use { hash, rank, queued: rank, at });
        self.queue.insert(rank, born);
    }

    /// The key of an instance had an event.
    pub(super) fn touch(&mut self, born: u64, loss: Loss, at: Time) {
        self.stamps = self.stamps.saturating_add(1);
        let stamp = self.stamps;
        self.change(born, |known| (known.rank, known.at) = (Rank { loss, stamp }, at));
    }

    /// What is lost with an instance has changed, without an event of its key.
    pub(super) fn weigh(&mut self, born: u64, loss: Loss) {
        self.change(born, |known| known.rank.loss = loss);
    }

    fn change(&mut self, born: u64, change: impl FnOnce(&mut Use)) {
        let Some(known) = self.uses.get_mut(&born) else { return };
        change(known);
        if known.rank.loss != known.queued.loss {
            self.queue.remove(&known.queued);
            known.queued = known.rank;
            self.queue.insert(known.rank, born);
        }
    }

    /// An instance is gone.
    pub(super) fn remove(&mut self, born: u64) {
        if let Some(known) = self.uses.remove(&born) {
            self.queue.remove(&known.queued);
        }
    }

    /// The instance that goes first.
    pub(super) fn first(&mut self) -> Option<Place> {
        self.first_from(Rank { loss: Loss::Leniency, stamp: 0 }).map(|(_, place, _)| place)
    }

    /// The instance with this loss whose key had no event for longest, and when that was.
    pub(super) fn oldest(&mut self, loss: Loss) -> Option<(Place, Time)> {
        let (rank, place, at) = self.first_from(Rank { loss, stamp: 0 })?;
        (rank.loss == loss).then_some((place, at))
    }

    /// The first in the queue, where that is its rank; else it goes where it belongs.
    fn first_from(&mut self, rank: Rank) -> Option<(Rank, Place, Time)> {
        loop {
            let (queued, born) = self.queue.range(rank..).next().map(|(rank, born)| (*rank, *born))?;
            let Some(known) = self.uses.get_mut(&born) else {
                self.queue.remove(&queued);
                continue;
            };
            if known.rank == queued {
                return Some((queued, Place { hash: known.hash, born }, known.at));
            }
            self.queue.remove(&queued);
            known.queued = known.rank;
            self.queue.insert(known.rank, born);
        }
    }

    /// The last event of an instance's key, for a snapshot: its stamp and its time.
    pub(super) fn last_use(&self, born: u64) -> Option<(u64, Time)> {
        self.uses.get(&born).map(|known| (known.rank.stamp, known.at))
    }

    /// How many events there were, for a snapshot.
    pub(super) fn stamps(&self) -> u64 {
        self.stamps
    }

    /// That of a snapshot.
    pub(super) fn after(stamps: u64) -> Self {
        Self { stamps, ..Self::default() }
    }

    /// Takes one of a snapshot. `false` if another instance has it, or none could.
    pub(super) fn restore(&mut self, place: Place, loss: Loss, (stamp, at): (u64, Time)) -> bool {
        let is_taken = |loss| self.queue.contains_key(&Rank { loss, stamp });
        let is_free = stamp <= self.stamps && !is_taken(Loss::Leniency) && !is_taken(Loss::Strictness);
        self.insert(place, Rank { loss, stamp }, at);
        is_free
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::lcg::Lcg;

    fn place(born: u64) -> Place {
        Place { hash: born, born }
    }

    /// Against a list that is sorted each time.
    #[test]
    fn the_order_is_exact() {
        let chance = &mut Lcg::new(3);
        let (mut order, mut list): (Order, Vec<(Loss, u64, u64)>) = (Order::default(), Vec::new());
        for stamp in 1..5_000u64 {
            let born = chance.below(20);
            let loss = *chance.pick(&[Loss::Leniency, Loss::Strictness]);
            match chance.below(8) {
                0 => {
                    list.sort_unstable();
                    assert_eq!(order.first(), list.first().map(|(_, _, born)| place(*born)));
                    let oldest = list.iter().find(|(of, ..)| *of == loss);
                    assert_eq!(order.oldest(loss).map(|(place, _)| place), oldest.map(|(_, _, born)| place(*born)));
                }
                1 => {
                    order.remove(born);
                    list.retain(|(_, _, other)| *other != born);
                }
                2 => {
                    order.weigh(born, loss);
                    list.iter_mut().filter(|(_, _, other)| *other == born).for_each(|entry| entry.0 = loss);
                }
                _ => {
                    if order.last_use(born).is_some() {
                        order.touch(born, loss, Time::EPOCH);
                    } else {
                        order.add(place(born), loss, Time::EPOCH);
                    }
                    list.retain(|(_, _, other)| *other != born);
                    list.push((loss, stamp, born));
                }
            }
            assert_eq!((order.uses.len(), order.queue.len()), (list.len(), list.len()));
        }
    }
}
