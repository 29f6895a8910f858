//! Bounded collections for what a journal holds: an agent that makes up names must not fill the memory of who reads about it.

use std::collections::BTreeMap;

/// Counts by name, for so many names; what has no place is counted together.
#[derive(Clone, Debug)]
pub(crate) struct Table<K, V> {
    most: usize,
    entries: BTreeMap<K, V>,
    others: V,
    /// Whether something had no place.
    overflown: bool,
}

impl<K: Ord, V: Default> Table<K, V> {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, entries: BTreeMap::new(), others: V::default(), overflown: false }
    }

    /// The entry of a name.
    pub(crate) fn of(&mut self, key: K) -> &mut V {
        if self.entries.len() >= self.most && !self.entries.contains_key(&key) {
            self.overflown = true;
            return &mut self.others;
        }
        self.entries.entry(key).or_default()
    }

    /// The entries, in the order of their names.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.entries.iter()
    }

    /// What had no place.
    pub(crate) fn others(&self) -> Option<&V> {
        self.overflown.then_some(&self.others)
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }
}

/// The first of many things, and how many there were.
#[derive(Clone, Debug)]
pub(crate) struct Listing<T> {
    most: usize,
    pub(crate) total: u64,
    pub(crate) first: Vec<T>,
}

impl<T> Listing<T> {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, total: 0, first: Vec::new() }
    }

    pub(crate) fn push(&mut self, item: T) {
        self.total = self.total.saturating_add(1);
        if self.first.len() < self.most {
            self.first.push(item);
        }
    }

    /// How many are not among the first.
    pub(crate) fn more(&self) -> u64 {
        self.total.saturating_sub(self.first.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_without_a_place_are_counted_together() {
        let mut table: Table<u32, u64> = Table::new(2);
        for name in [1, 2, 3, 1, 4] {
            *table.of(name) += 1;
        }
        assert_eq!(table.iter().collect::<Vec<_>>(), [(&1, &2), (&2, &1)]);
        assert_eq!(table.others(), Some(&2));
    }

    #[test]
    fn a_listing_keeps_the_first_and_the_number() {
        let mut listing = Listing::new(2);
        (0..5).for_each(|item| listing.push(item));
        assert_eq!((listing.total, listing.more(), listing.first), (5, 3, vec![0, 1]));
    }
}
