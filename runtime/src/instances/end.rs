//! How instances end, and what the rule as a whole says: slots, `close_on`, `reset_on`, the end of the session.

use serde_json::Value;

use super::place::{Place, Room};
use super::table::sorted;
use super::{Cell, Keyed};
use crate::key::{self, Parts};
use crate::keys::{Keys, Shape};
use crate::sink::Cause;
use crate::{Truth, Verdict};

impl<C: Cell> Keyed<C> {
    /// Whether an outcome of the call may need new instances, and whether they fit.
    #[must_use]
    pub fn room(&self, key: &(impl Keys + ?Sized)) -> Room {
        match self.unseen(key) {
            0 => Room::NotNeeded,
            new if self.has_room(new) => Room::Needed,
            _ => Room::Full,
        }
    }

    /// Takes the slots that [`Self::room`] found needed, but for keys that the call itself has made live since. Returns how
    /// many, to be given back with [`Self::release`] at the outcome.
    pub fn reserve(&mut self, key: &(impl Keys + ?Sized), room: Room) -> u32 {
        let taken = if room == Room::Needed { self.unseen(key) } else { 0 };
        self.reserved = self.reserved.saturating_add(taken);
        u32::try_from(taken).unwrap_or(u32::MAX)
    }

    /// Gives slots back.
    pub fn release(&mut self, taken: u32) {
        self.reserved = self.reserved.saturating_sub(usize::try_from(taken).unwrap_or(usize::MAX));
    }

    /// How many keys of an event are readable and not live; a key that is known only with the result may be.
    fn unseen(&self, key: &(impl Keys + ?Sized)) -> usize {
        match key.shape() {
            Shape::One(key) if key::is_later(key) => 1,
            Shape::One(key) => usize::from(self.find(key).is_unseen()),
            Shape::Each(keys) => self.new_among(keys),
            Shape::All => 0,
        }
    }

    /// Closes the instances of an event's keys: they are as keys never seen again. Returns those where an obligation was
    /// certainly pending, which is a violation; also where keys never seen have an obligation too, that goes on.
    pub fn close(&mut self, rule: C::Rule<'_>, key: &(impl Keys + ?Sized), matches: Truth) -> Vec<Vec<Value>> {
        let mut open = Vec::new();
        match (key.shape(), matches) {
            (_, Truth::False) => {}
            (Shape::One(key), _) => self.close_one(rule, key, matches, &mut open),
            (Shape::Each(keys), _) => keys.iter().for_each(|key| self.close_one(rule, key, matches, &mut open)),
            (Shape::All, Truth::True) => {
                open = self.owing_instances(rule);
                self.doubt_obligations(rule);
                self.closed = self.closed.saturating_add(u64::try_from(self.live()).unwrap_or(u64::MAX));
                self.depart_all(Cause::Closed);
                self.free_all();
            }
            (Shape::All, Truth::Unknown) => self.close_perhaps(rule),
        }
        if !open.is_empty() {
            self.latch.raise(Verdict::Violated);
        }
        sorted(open, |key| key)
    }

    fn close_one(&mut self, rule: C::Rule<'_>, key: Parts<'_>, matches: Truth, open: &mut Vec<Vec<Value>>) {
        match (self.find(key), matches) {
            (Place::Live(bucket), matches) => {
                let owes = self.cell(Place::Live(bucket)).owes(rule);
                self.latch.doubt_obligation(owes);
                if matches == Truth::True {
                    if owes == Truth::True {
                        open.push(key::to_json(key));
                    }
                    if let Some(instance) = self.free(bucket) {
                        self.depart(Cause::Closed, &instance.key);
                    }
                    self.closed = self.closed.saturating_add(1);
                    self.renew(rule, key);
                } else {
                    self.change(rule, bucket, |cell, base| cell.join(rule, base));
                }
            }
            (Place::New(_), _) => self.doubt_unseen(rule),
            (Place::Gone { .. }, _) => {
                self.latch.doubt_obligation(self.gone_owes(rule));
                if matches == Truth::True && self.has_room(1) {
                    self.renew(rule, key);
                }
            }
            (Place::Unreadable, _) => self.close_perhaps(rule),
            _ => {}
        }
    }

    /// A key without an instance is as one never seen. If its absence would not say so, an instance does.
    fn renew(&mut self, rule: C::Rule<'_>, key: Parts<'_>) {
        if let Place::Gone { hash, .. } = self.find(key) {
            self.insert(rule, hash, key, self.base.clone());
        }
    }

    /// Any instance may have been closed.
    #[cold]
    fn close_perhaps(&mut self, rule: C::Rule<'_>) {
        self.doubt_obligations(rule);
        let base = self.base.clone();
        self.for_each(rule, |_, cell| cell.join(rule, &base));
    }

    /// Obligations of instances go, or may go, that may not have been met.
    fn doubt_obligations(&mut self, rule: C::Rule<'_>) {
        let owes = self.live_cells().any(|(_, cell)| cell.owes(rule) != Truth::False);
        self.latch.doubt_obligation(Truth::of(owes));
        self.latch.doubt_obligation(self.gone_owes(rule));
        self.doubt_unseen(rule);
    }

    /// The same of a key without an instance: what may have happened to it is in `base`, and stays there.
    fn doubt_unseen(&mut self, rule: C::Rule<'_>) {
        if self.blurred {
            self.latch.doubt_obligation(self.base.owes(rule));
        }
    }

    /// Makes every key fresh, those never seen too, as far as `matches` says. Returns those where an obligation was
    /// certainly pending, which is a violation; the empty key stands for keys never seen.
    pub fn reset(&mut self, rule: C::Rule<'_>, matches: Truth) -> Vec<Vec<Value>> {
        if matches == Truth::False {
            return Vec::new();
        }
        self.doubt_obligations(rule);
        self.latch.doubt_obligation(self.base.owes(rule));
        let fresh = C::fresh(rule);
        if matches == Truth::Unknown {
            self.base.join(rule, &fresh);
            self.change_gone(|gone| gone.join(rule, &fresh));
            self.for_each(rule, |_, cell| cell.join(rule, &fresh));
            return Vec::new();
        }
        let open = self.owing(rule);
        if !open.is_empty() {
            self.latch.raise(Verdict::Violated);
        }
        self.free_all();
        (self.base, self.blurred) = (fresh, false);
        self.epoch.renew();
        open
    }

    /// The rule's verdict: the worst of its past violations, its live instances, keys that were let go, and keys never seen.
    pub fn verdict(&self, rule: C::Rule<'_>) -> Verdict {
        let live = self.live_cells().map(|(_, cell)| cell.verdict(rule)).max().unwrap_or(Verdict::Satisfied);
        let gone = self.gone().map_or(Verdict::Satisfied, |gone| gone.verdict(rule));
        live.max(gone).max(self.base.verdict(rule)).max(self.latch.verdict())
    }

    /// Ends the session. Returns the keys that certainly owe something: a violation.
    pub fn end(&mut self, rule: C::Rule<'_>) -> Vec<Vec<Value>> {
        self.doubt_obligations(rule);
        self.latch.doubt_obligation(self.base.owes(rule));
        let open = self.owing(rule);
        if !open.is_empty() {
            self.latch.raise(Verdict::Violated);
        }
        open
    }

    /// The keys that certainly owe something, in the order of their texts; last the empty key, for keys never seen.
    fn owing(&self, rule: C::Rule<'_>) -> Vec<Vec<Value>> {
        let mut keys = self.owing_instances(rule);
        if self.base.owes(rule) == Truth::True {
            keys.push(Vec::new());
        }
        keys
    }

    fn owing_instances(&self, rule: C::Rule<'_>) -> Vec<Vec<Value>> {
        let owing = self.live_cells().filter(|(_, cell)| cell.owes(rule) == Truth::True);
        sorted(owing.map(|(key, _)| key::owned_to_json(key)).collect(), |key| key)
    }
}
