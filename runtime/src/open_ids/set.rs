//! The ids that are open, as far as anybody knows.

use serde_json::Value;

use super::{Id, Turn};
use crate::exact::Saved;
use crate::key::Part;
use crate::{Time, Truth};

/// The ids that are open; one too many that is opened all the same counts like any. An id that several calls have opened
/// stays open when one of them fails: nobody knows what the others did. For a rule that names no id each opening is an id of its own, its position, and each closing ends the oldest. What a result or host event
/// opens has the position of the latest call, and goes back with it.
///
/// INVARIANT: at most `most` ids are known, in their order; of further ones, which are only possible
/// (without ids: newer than all that are known), there is the number. At least `low` ids are open, and at most as many as are
/// known and unknown; no more than `low` are certain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenIds {
    pub(super) known: Vec<Known>,
    /// How many others may be open, nobody knows which.
    pub(super) unknown: u64,
    pub(super) low: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) id: Part<'static>,
    pub(super) certain: bool,
    /// Which call opened it; `None`: one of several.
    pub(super) by: Option<Time>,
    /// Whether several calls have opened it: then it is returned to none of them.
    pub(super) shared: bool,
}

impl Saved for Known {
    fn save(&self) -> Value {
        (self.id.clone(), self.certain, self.by, self.shared).save()
    }

    fn load(saved: &Value) -> Option<Self> {
        let (id, certain, by, shared) = Saved::load(saved)?;
        Some(Self { id, certain, by, shared })
    }
}

/// The most ids that are known by name: some more than may be open, so that a few too many are told apart.
pub(super) fn most(limit: u64) -> u64 {
    limit.saturating_mul(2).saturating_add(8)
}

pub(super) fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

fn certain_among(known: &[Known]) -> usize {
    known.iter().filter(|known| known.certain).count()
}

/// Splits off those of an id, with which the ids begin if there are any.
fn take_group<'k>(known: &mut &'k [Known], id: &Part<'_>) -> &'k [Known] {
    let (group, rest) = known.split_at(known.partition_point(|known| known.id <= *id));
    *known = rest;
    group
}

impl OpenIds {
    pub(super) fn find(&self, id: &Part<'_>) -> Result<usize, usize> {
        self.known.binary_search_by(|known| {
            let known: &Part<'_> = &known.id;
            known.cmp(id)
        })
    }

    pub(super) fn certain(&self) -> u64 {
        count(certain_among(&self.known))
    }

    pub(super) fn high(&self) -> u64 {
        count(self.known.len()).saturating_add(self.unknown)
    }

    /// Where an opening without an id is that this call made: rather a certain one.
    pub(super) fn find_opened(&self, turn: &Turn<'_>) -> Result<usize, usize> {
        let opened = |known: &Known| known.by == Some(turn.at);
        let certain = self.known.iter().position(|known| opened(known) && known.certain == (turn.open == Truth::True));
        certain.or_else(|| self.known.iter().position(opened)).ok_or(0)
    }

    /// Whether there is no place for an id where it is not open: certainly, perhaps. `None`: it certainly is open.
    pub(super) fn fullness(&self, limit: u64, id: &Id<'_>) -> Option<(bool, bool)> {
        match id {
            Id::Anonymous => Some((self.low >= limit, self.high() >= limit)),
            Id::Unreadable => Some((false, true)),
            Id::Known(id) => match self.find(id) {
                Ok(at) if self.known.get(at).is_some_and(|known| known.certain) => None,
                Ok(_) => Some((false, self.high().saturating_sub(1) >= limit)),
                Err(_) => Some((self.unknown == 0 && self.low >= limit, self.high() >= limit)),
            },
        }
    }

    pub(super) fn open(&mut self, limit: u64, id: &Id<'_>, opens: Truth, at: Time) {
        match id {
            _ if opens == Truth::False => {}
            Id::Known(id) => self.open_known(limit, id, opens, at),
            // It may be one that is open already: then that one is not this call's, nor its opener's alone.
            Id::Unreadable => {
                self.unknown = self.unknown.saturating_add(1);
                self.known.iter_mut().for_each(|known| known.by = None);
            }
            Id::Anonymous => {
                self.low = self.low.saturating_add(u64::from(opens == Truth::True));
                if self.unknown > 0 || count(self.known.len()) > most(limit) {
                    self.unknown = self.unknown.saturating_add(1);
                } else {
                    let id = Part::Time(at);
                    let after = self.known.partition_point(|known| known.id <= id);
                    self.known.insert(after, Known { id, certain: opens == Truth::True, by: Some(at), shared: false });
                }
            }
        }
    }

    fn open_known(&mut self, limit: u64, id: &Part<'_>, opens: Truth, at: Time) {
        let opens = opens == Truth::True;
        match self.find(id) {
            Ok(place) => {
                let Some(known) = self.known.get_mut(place) else { return };
                if known.by != Some(at) {
                    known.shared |= known.certain && opens;
                    known.by = None;
                }
                known.certain |= opens;
                self.low = self.low.max(self.certain());
            }
            Err(place) => {
                // With ids that are not known it may be one of them.
                let new = opens && self.unknown == 0;
                self.known
                    .insert(place, Known { id: id.clone().into_owned(), certain: opens, by: Some(at), shared: false });
                self.low = self.low.saturating_add(u64::from(new)).max(self.certain());
            }
        }
        self.bound(limit);
    }

    pub(super) fn close(&mut self, limit: u64, id: &Id<'_>, closes: Truth) {
        match id {
            _ if closes == Truth::False => return,
            Id::Known(id) => match self.find(id) {
                Ok(at) => self.end(at, closes),
                // It may be one of those that are not known.
                Err(_) if self.unknown > 0 => self.one_less(),
                Err(_) => {}
            },
            Id::Unreadable => self.any_less(),
            Id::Anonymous if closes == Truth::True => self.close_oldest(),
            Id::Anonymous => {
                let mut closed = self.clone();
                closed.close_oldest();
                self.merge(&closed);
                self.bound(limit);
            }
        }
        self.settle();
    }

    /// An id that is known is open no more, as far as is known.
    pub(super) fn end(&mut self, at: usize, ends: Truth) {
        if ends == Truth::True {
            self.known.remove(at);
        } else if let Some(known) = self.known.get_mut(at) {
            known.certain = false;
        }
        self.one_less();
    }

    /// There may be one less than there was.
    pub(super) fn one_less(&mut self) {
        self.low = self.low.saturating_sub(1).max(self.certain());
    }

    /// There may be one less, and nobody knows which.
    pub(super) fn any_less(&mut self) {
        self.known.iter_mut().for_each(|known| known.certain = false);
        self.low = self.low.saturating_sub(1);
    }

    /// Ends the oldest. Where that is only possible, it may be the oldest that is certain.
    fn close_oldest(&mut self) {
        self.low = self.low.saturating_sub(1);
        if self.known.is_empty() {
            self.unknown = self.unknown.saturating_sub(1);
        } else if !self.known.remove(0).certain
            && let Some(oldest) = self.known.iter_mut().find(|known| known.certain)
        {
            oldest.certain = false;
        }
    }

    /// Of each id: certain as often as on both sides, possible as often as on either.
    pub(super) fn merge(&mut self, other: &Self) {
        let ours = std::mem::take(&mut self.known);
        let (mut ours, mut theirs) = (ours.as_slice(), other.known.as_slice());
        while let Some(id) = [ours, theirs].into_iter().filter_map(<[Known]>::first).map(|known| &known.id).min() {
            let [one, two] = [&mut ours, &mut theirs].map(|known| take_group(known, id));
            let certain = certain_among(one).min(certain_among(two));
            let mut bys = one.iter().chain(two).map(|known| known.by);
            let by = bys.next().flatten().filter(|by| bys.all(|other| other == Some(*by)));
            let shared = one.iter().chain(two).all(|known| known.shared);
            let all = 0..one.len().max(two.len());
            let all = all.map(|at| Known { id: id.clone(), certain: at < certain, by, shared });
            self.known.extend(all);
        }
        self.unknown = self.unknown.max(other.unknown);
        self.low = self.low.min(other.low);
    }

    pub(super) fn bound(&mut self, limit: u64) {
        while count(self.known.len()) > most(limit) {
            let possible = self.known.iter().rposition(|known| !known.certain);
            self.known.remove(possible.unwrap_or(self.known.len().saturating_sub(1)));
            self.unknown = self.unknown.saturating_add(1);
        }
        self.settle();
    }

    pub(super) fn settle(&mut self) {
        self.low = self.low.min(self.high());
    }
}
