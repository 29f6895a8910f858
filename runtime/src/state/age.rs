//! Since when the value of a cell, or each part of a collection, is known: cells with `fresh` forget what is older.
//!
//! INVARIANT: at most as many times are kept as twice the cell's parts and a few more, so that memory stays bounded by what
//! the contract declares.

use std::collections::{BTreeMap, BTreeSet};

use super::writes::Change;
use crate::Time;
use crate::value::{Datum, Duration, Scalar};

/// A part of a collection: a member of a set or key of a map, or a member of the set at a key.
pub(super) type Part = (Scalar, Option<Scalar>);

/// When a cell was written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Age {
    /// The whole of a cell that is no collection.
    pub(super) whole: Option<Time>,
    /// The parts of a collection.
    pub(super) parts: BTreeMap<Part, Time>,
    /// No part is older.
    oldest: Option<Time>,
    /// With more times than this, some may be of parts that are gone.
    crowded: usize,
}

/// What a change writes anew.
#[derive(Debug)]
pub(super) enum Touched {
    /// All of the cell.
    All,
    /// The key of a map with all that is below it.
    Key(Scalar),
    /// One part.
    Part(Part),
}

/// What a change that certainly happens writes anew in a cell of this value.
pub(super) fn touches(value: Option<&Datum>, change: &Change) -> Option<Touched> {
    match change {
        Change::Bind(_) if value.is_some() => None,
        Change::Set(_) | Change::Bind(_) | Change::Clear => Some(Touched::All),
        Change::Put(Some(key), Some(_)) => Some(Touched::Key(key.clone())),
        Change::Insert(Some(member)) => Some(Touched::Part((member.clone(), None))),
        Change::InsertAt(Some(key), Some(member)) => Some(Touched::Part((key.clone(), Some(member.clone())))),
        _ => None,
    }
}

impl Age {
    /// From what was saved.
    pub(super) fn new(whole: Option<Time>, parts: BTreeMap<Part, Time>) -> Self {
        let oldest = parts.values().min().copied();
        Self { whole, parts, oldest, crowded: 0 }
    }

    /// Notes that a part of the cell, which has this value now, was written.
    pub(super) fn touch(&mut self, value: Option<&Datum>, touched: Touched, now: Time) {
        let mut written = BTreeSet::new();
        match touched {
            Touched::All => {
                *self = Self { whole: Some(now), ..Self::default() };
                written.extend(value.map(parts).unwrap_or_default());
            }
            Touched::Key(key) => {
                for part in self.below(&key).cloned().collect::<Vec<_>>() {
                    self.parts.remove(&part);
                }
                written.extend(value.map(|value| parts_at(value, &key)).unwrap_or_default());
            }
            Touched::Part((key, member)) => {
                // A new key is as old as its first member; a further member says nothing new of the key.
                if member.is_some() && self.below(&key).next().is_none() {
                    written.insert((key.clone(), None));
                }
                written.insert((key, member));
            }
        }
        written.retain(|part| value.is_some_and(|value| has(value, part)));
        if !written.is_empty() {
            self.oldest = Some(self.oldest.map_or(now, |oldest| oldest.min(now)));
        }
        self.parts.extend(written.into_iter().map(|part| (part, now)));
        self.prune(value);
    }

    /// The parts of a key of a map that have a time.
    fn below<'a>(&'a self, key: &'a Scalar) -> impl Iterator<Item = &'a Part> {
        let parts = self.parts.range((key.clone(), None)..).map(|(part, _)| part);
        parts.take_while(move |(at, _)| at == key)
    }

    /// Forgets the times of what is no longer there, now and then.
    fn prune(&mut self, value: Option<&Datum>) {
        const FEW: usize = 16;
        if self.parts.len() > self.crowded {
            self.parts.retain(|part, _| value.is_some_and(|value| has(value, part)));
            self.crowded = self.parts.len().saturating_mul(2).saturating_add(FEW);
        }
    }

    /// Makes not established what was written more than `fresh` ago.
    #[inline]
    pub(super) fn expire(&mut self, value: &mut Option<Datum>, fresh: Duration, now: Time) {
        let stale = |written: Time| now.since(written) > fresh;
        match value {
            Some(Datum::Set(_) | Datum::Map(_)) if self.oldest.is_some_and(stale) => self.expire_parts(value, stale),
            Some(Datum::Set(_) | Datum::Map(_)) | None => {}
            Some(_) if self.whole.is_some_and(stale) => *value = None,
            Some(_) => {}
        }
    }

    #[cold]
    fn expire_parts(&mut self, value: &mut Option<Datum>, stale: impl Fn(Time) -> bool) {
        let mut gone = Vec::new();
        self.parts.retain(|part, written| {
            let stale = stale(*written);
            if stale {
                gone.push(part.clone());
            }
            !stale
        });
        self.oldest = self.parts.values().min().copied();
        let Some(value) = value else { return };
        // Members before the keys that hold them.
        gone.sort_by_key(|(_, member)| member.is_none());
        for part in gone {
            if has(value, &part) {
                lose(value, &part);
            }
        }
    }
}

/// Makes a part not established.
fn lose(value: &mut Datum, (key, member): &Part) {
    match (value, member) {
        (Datum::Set(set), None) => {
            set.members.remove(key);
            set.unsure = true;
        }
        (Datum::Map(map), Some(member)) => {
            if let Some(Datum::Set(set)) = map.entries.get_mut(key) {
                set.members.remove(member);
                set.unsure = true;
            }
        }
        (Datum::Map(map), None) => match map.entries.get_mut(key) {
            // What is left of the set was written later.
            Some(Datum::Set(set)) if !set.members.is_empty() => set.unsure = true,
            _ => {
                map.entries.remove(key);
                map.unsure = true;
            }
        },
        _ => {}
    }
}

fn has(value: &Datum, (key, member): &Part) -> bool {
    match (value, member) {
        (Datum::Set(set), None) => set.members.contains(key),
        (Datum::Map(map), None) => map.entries.contains_key(key),
        (Datum::Map(map), Some(member)) => {
            matches!(map.entries.get(key), Some(Datum::Set(set)) if set.members.contains(member))
        }
        _ => false,
    }
}

/// All parts of a collection.
fn parts(value: &Datum) -> Vec<Part> {
    match value {
        Datum::Set(set) => set.members.iter().map(|member| (member.clone(), None)).collect(),
        Datum::Map(map) => map.entries.keys().flat_map(|key| parts_at(value, key)).collect(),
        _ => Vec::new(),
    }
}

/// The key of a map with all that is below it.
fn parts_at(value: &Datum, key: &Scalar) -> Vec<Part> {
    let Datum::Map(map) = value else { return Vec::new() };
    let mut parts = vec![(key.clone(), None)];
    if let Some(Datum::Set(set)) = map.entries.get(key) {
        parts.extend(set.members.iter().map(|member| (key.clone(), Some(member.clone()))));
    }
    parts
}
