//! Judging and stepping the instance of one key: the path of nearly all events, so it looks a key up once and allocates only
//! for a new instance.

use std::borrow::Cow;

use serde_json::Value;

use super::place::{Judged, Place};
use super::{Aside, Cell, Instance, Kept, Keyed, order};
use crate::Verdict;
use crate::finding::States;
use crate::key::{self, Key, Parts};
use crate::keys::{Keys, Shape};
use crate::repair::{Repair, Wanted};
use crate::single::Admission;

impl<C: Cell> Keyed<C> {
    #[inline]
    pub(super) fn find(&self, key: Parts<'_>) -> Place {
        let Some(hash) = key::hash(&self.hasher, key) else {
            return if key::is_skipped(key) { Place::Skipped } else { Place::Unreadable };
        };
        match self.table.find_bucket_index(hash, |instance| instance.key.is(key)) {
            Some(bucket) => Place::Live(bucket),
            None => self.absent(key, hash),
        }
    }

    #[inline]
    pub(super) fn cell(&self, place: Place) -> Cow<'_, C> {
        if let Place::Live(bucket) = place
            && let Some(instance) = self.table.get_bucket(bucket)
        {
            return instance.cell(&self.aside);
        }
        Cow::Borrowed(self.start(place))
    }

    /// What a key without an instance starts in.
    #[inline]
    fn start(&self, place: Place) -> &C {
        match place {
            Place::Gone { .. } => self.gone().unwrap_or(&self.base),
            _ => &self.base,
        }
    }

    /// The keys that have an instance, and their cells.
    pub(super) fn live_cells(&self) -> impl Iterator<Item = (&Key, Cow<'_, C>)> {
        self.table.iter().map(|instance| (&instance.key, instance.cell(&self.aside)))
    }

    pub(super) fn is_full(&self) -> bool {
        !self.has_room(1)
    }

    /// Whether so many more instances fit, once others are let go where the rule does that.
    pub(super) fn has_room(&self, more: usize) -> bool {
        let taken = if self.evicts() { self.reserved } else { self.taken() };
        taken.saturating_add(more) <= self.max
    }

    /// How many places are taken: those of live instances, and those that calls in flight may need.
    pub(super) fn taken(&self) -> usize {
        self.table.len().saturating_add(self.reserved)
    }

    /// Whether the step would make an instance of a key that has none.
    pub(super) fn leaves(&self, rule: C::Rule<'_>, place: Place, step: &C::Step<'_>) -> bool {
        let start = self.start(place);
        let mut stepped = start.clone();
        stepped.step(rule, step);
        stepped != *start
    }

    /// The verdict that the step would produce for the instances of an event's keys: the worst.
    #[inline]
    pub fn judge(&self, rule: C::Rule<'_>, key: &(impl Keys + ?Sized), step: &C::Step<'_>) -> Judged {
        let key = match key.shape() {
            Shape::One(key) => key,
            Shape::Each(keys) => return self.judge_each(rule, keys, step),
            Shape::All => return self.judge_all(rule, step),
        };
        let place = self.find(key);
        match place {
            Place::Unreadable => Judged { verdict: Verdict::Unestablished, place },
            Place::Skipped => Judged { verdict: Verdict::Satisfied, place },
            _ if place.is_unseen() && self.is_full() && self.leaves(rule, place, step) => {
                // What the rule says by itself comes first.
                let verdict = self.cell(place).look(rule, step);
                if verdict < Verdict::Unestablished {
                    Judged { verdict: Verdict::Unestablished, place: Place::Full }
                } else {
                    Judged { verdict, place: Place::Crowded }
                }
            }
            _ => Judged { verdict: self.cell(place).look(rule, step), place },
        }
    }

    /// Takes the step of an admitted call that was judged.
    #[inline]
    pub fn admit(
        &mut self,
        rule: C::Rule<'_>,
        key: &(impl Keys + ?Sized),
        step: &C::Step<'_>,
        judged: Judged,
        admission: Admission,
    ) {
        let shape = key.shape();
        if admission.latches && judged.verdict >= Verdict::Unestablished {
            let verdict = self.actual(rule, shape, step, judged.place);
            self.latch.raise(verdict);
        }
        if admission.counts {
            match shape {
                Shape::One(key) => self.step(rule, key, step, judged.place),
                Shape::Each(keys) => self.step_each(rule, keys, step),
                Shape::All => self.step_all(rule, step),
            }
        }
    }

    /// Takes the step of a result or host event. Returns the verdict that it produced; not established where it needed an
    /// instance too many, because from then on every key never seen is in doubt. With it the states around the step, where that is
    /// to be reported.
    pub fn observe(
        &mut self,
        rule: C::Rule<'_>,
        key: &(impl Keys + ?Sized),
        step: &C::Step<'_>,
    ) -> (Judged, Option<States>) {
        let key = match key.shape() {
            Shape::One(key) => key,
            Shape::Each(keys) => return self.observe_each(rule, keys, step),
            Shape::All => return self.observe_all(rule, step),
        };
        let place = match self.find(key) {
            place if place.is_unseen() && self.is_full() && self.leaves(rule, place, step) => Place::Full,
            place => place,
        };
        let verdict = match place {
            Place::Live(_) | Place::New(_) => self.cell(place).look(rule, step),
            _ => self.actual(rule, Shape::One(key), step, place),
        };
        self.latch.raise(verdict);
        let states = self.states_for(rule, Shape::One(key), step, place, verdict);
        self.step(rule, key, step, place);
        let judged = match place {
            Place::Gone { .. } => Judged { verdict, place },
            Place::Full if verdict < Verdict::Unestablished => Judged { verdict: Verdict::Unestablished, place },
            // The key of a result may be missing without fault: that is for the verdict to say.
            _ => Judged { verdict, place: Place::New(0) },
        };
        (judged, states)
    }

    /// The key to report of what was judged or observed: the key itself; of several, the worst; empty if it cannot be read.
    pub fn blame(&self, key: &(impl Keys + ?Sized), judged: &Judged) -> Vec<Value> {
        match (key.shape(), judged.place) {
            (Shape::One(key), _) => key::to_json(key),
            (Shape::Each(keys), Place::Each { worst, .. } | Place::EachFull { worst }) => {
                keys.get(worst).map(|key| key::to_json(key)).unwrap_or_default()
            }
            (Shape::All, Place::All(Some(bucket))) => {
                self.table.get_bucket(bucket).map(|instance| key::owned_to_json(&instance.key)).unwrap_or_default()
            }
            (Shape::Each(_) | Shape::All, _) => Vec::new(),
        }
    }

    /// What would make the step lead to what is wanted for the key to report. Of several keys only that nothing would: what
    /// helps one of them may not be all.
    #[cold]
    pub fn repair(
        &self,
        rule: C::Rule<'_>,
        key: &(impl Keys + ?Sized),
        step: &C::Step<'_>,
        judged: &Judged,
        wanted: Wanted<'_>,
    ) -> Repair {
        let (place, alone) = match (key.shape(), judged.place) {
            (Shape::One(_), place) if place.is_readable() => (place, true),
            (Shape::Each(keys), Place::Each { worst, .. }) => match keys.get(worst) {
                Some(key) => (self.find(key), keys.len() == 1),
                None => return Repair::Unknown,
            },
            (Shape::All, Place::All(Some(bucket))) => (Place::Live(bucket), false),
            (_, place) => (place, false),
        };
        match self.cell(place).repair(rule, step, wanted) {
            Repair::Unread => Repair::Unread,
            repair if place.is_readable() && (alone || repair == Repair::Never) => repair,
            _ => Repair::Unknown,
        }
    }

    /// The states around the step for the key to report, where it can be told which that is.
    #[cold]
    pub fn states(
        &self,
        rule: C::Rule<'_>,
        key: &(impl Keys + ?Sized),
        step: &C::Step<'_>,
        judged: &Judged,
    ) -> Option<States> {
        self.states_at(rule, key.shape(), step, judged.place)
    }

    /// The same, where the verdict is one to report.
    #[inline]
    pub(super) fn states_for(
        &self,
        rule: C::Rule<'_>,
        shape: Shape<'_>,
        step: &C::Step<'_>,
        place: Place,
        verdict: Verdict,
    ) -> Option<States> {
        if verdict < Verdict::Unestablished { None } else { self.states_at(rule, shape, step, place) }
    }

    #[cold]
    fn states_at(&self, rule: C::Rule<'_>, shape: Shape<'_>, step: &C::Step<'_>, place: Place) -> Option<States> {
        let place = match (shape, place) {
            (Shape::Each(keys), Place::Each { worst, .. } | Place::EachFull { worst }) => self.find(keys.get(worst)?),
            (Shape::All, Place::All(Some(bucket))) => Place::Live(bucket),
            (_, place) => place,
        };
        match place {
            Place::Unreadable | Place::Skipped => None,
            place => self.cell(place).states(rule, step),
        }
    }

    /// The verdict of the step itself, where the judged one speaks of the key or of the table.
    #[cold]
    pub(super) fn actual(&self, rule: C::Rule<'_>, shape: Shape<'_>, step: &C::Step<'_>, place: Place) -> Verdict {
        match (shape, place) {
            (_, Place::Skipped) => Verdict::Satisfied,
            // The event hit one of the instances, or a key never seen, or none: nothing is certain.
            (_, Place::Unreadable) => self.worst(rule, step).0.min(Verdict::Unestablished),
            (Shape::One(key), Place::Full | Place::Crowded) => self.cell(self.find(key)).look(rule, step),
            (Shape::One(_), place) => self.cell(place).look(rule, step),
            (Shape::Each(keys), _) => {
                keys.iter().map(|key| self.cell(self.find(key)).look(rule, step)).max().unwrap_or(Verdict::Satisfied)
            }
            (Shape::All, _) => self.worst(rule, step).0,
        }
    }

    #[inline]
    pub(super) fn step(&mut self, rule: C::Rule<'_>, key: Parts<'_>, step: &C::Step<'_>, place: Place) {
        match place {
            Place::Live(bucket) => {
                let Some(instance) = self.table.get_bucket_mut(bucket) else { return };
                let (spare, expires) = instance.kept.change(instance.born, &mut self.aside, |cell| {
                    cell.step(rule, step);
                    (*cell == self.base, cell.expires(rule).is_some())
                });
                let is_new = !instance.queued && expires;
                if self.retirement.is_some() {
                    self.settle(rule, bucket);
                } else if spare {
                    self.free(bucket);
                } else if is_new {
                    self.queue(rule, bucket);
                }
            }
            Place::New(hash) | Place::Gone { hash, .. } => {
                let mut cell = self.start(place).clone();
                cell.step(rule, step);
                if cell != *self.start(place) {
                    self.insert(rule, hash, key, cell);
                }
            }
            Place::Unreadable => self.step_unreadable(rule, step),
            Place::Full | Place::Crowded => self.step_full(rule, step),
            Place::Skipped | Place::Each { .. } | Place::EachFull { .. } | Place::All(_) => {}
        }
    }

    #[cold]
    fn step_unreadable(&mut self, rule: C::Rule<'_>, step: &C::Step<'_>) {
        self.blurred = true;
        self.base.perhaps(rule, step);
        self.change_gone(|gone| gone.perhaps(rule, step));
        self.for_each(rule, |_, cell| cell.perhaps(rule, step));
    }

    #[cold]
    pub(super) fn step_full(&mut self, rule: C::Rule<'_>, step: &C::Step<'_>) {
        self.blurred = true;
        self.base.perhaps(rule, step);
        self.change_gone(|gone| gone.perhaps(rule, step));
        self.for_each(rule, |_, _| ());
    }

    /// Changes every instance after `base`, and frees those that say no more than their absence would.
    pub(super) fn for_each(&mut self, rule: C::Rule<'_>, mut change: impl FnMut(&Key, &mut C)) {
        let Self { table, aside, base, retirement, .. } = self;
        table.retain(|Instance { born, key, kept, .. }| {
            let matters = kept.change(*born, aside, |cell| {
                change(key, cell);
                match retirement {
                    Some(retirement) => retirement.weigh(rule, base, *born, key, cell),
                    None => cell != base,
                }
            });
            if !matters {
                aside.remove(born);
            }
            matters
        });
    }

    /// Makes an instance. Others make room for it.
    pub(super) fn insert(&mut self, rule: C::Rule<'_>, hash: u64, key: Parts<'_>, cell: C) {
        self.make_room(rule, 1);
        let born = self.epoch.advance();
        if let Some(retirement) = &mut self.retirement {
            retirement.add(rule, &self.base, &cell, order::Place { hash, born });
        }
        let kept = C::Kept::new(cell, born, &mut self.aside);
        let bucket = self.put(hash, Instance { born, queued: false, key: Key::new(key), kept });
        self.queue(rule, bucket);
    }

    pub(super) fn put(&mut self, hash: u64, instance: Instance<C>) -> usize {
        let hasher = &self.hasher;
        self.table.insert_unique(hash, instance, |instance| key::hash_owned(hasher, &instance.key)).bucket_index()
    }

    pub(super) fn free(&mut self, bucket: usize) -> Option<Instance<C>> {
        let (instance, _) = self.table.get_bucket_entry(bucket).ok()?.remove();
        if !self.aside.is_empty() {
            self.aside.remove(&instance.born);
        }
        if let Some(retirement) = &mut self.retirement {
            retirement.order.remove(instance.born);
        }
        Some(instance)
    }

    /// Frees every instance.
    pub(super) fn free_all(&mut self) {
        self.table.clear();
        self.aside.clear();
        self.due.clear();
        if let Some(retirement) = &mut self.retirement {
            retirement.clear();
        }
    }

    /// Frees the instance that something other than an event of its key has changed, if it says no more than its absence would.
    pub(super) fn free_if_spare(&mut self, rule: C::Rule<'_>, bucket: usize) -> bool {
        let Some(instance) = self.table.get_bucket(bucket) else { return false };
        let cell = instance.cell(&self.aside);
        let matters = match &mut self.retirement {
            Some(retirement) => retirement.weigh(rule, &self.base, instance.born, &instance.key, &cell),
            None => *cell != self.base,
        };
        if !matters {
            self.free(bucket);
        }
        !matters
    }

    /// Changes the instance in a bucket, for an event of its key.
    pub(super) fn change(&mut self, rule: C::Rule<'_>, bucket: usize, change: impl FnOnce(&mut C, &C)) {
        let Some(instance) = self.table.get_bucket_mut(bucket) else { return };
        instance.kept.change(instance.born, &mut self.aside, |cell| change(cell, &self.base));
        self.settle(rule, bucket);
    }

    /// An instance was changed by an event of its key: it is freed if it says no more than its absence would.
    fn settle(&mut self, rule: C::Rule<'_>, bucket: usize) {
        let Some(instance) = self.table.get_bucket(bucket) else { return };
        let cell = instance.cell(&self.aside);
        let is_spare = match &mut self.retirement {
            Some(retirement) => {
                retirement.touch(rule, &self.base, instance.born, &cell);
                retirement.is_spare(&self.base, &instance.key, &cell)
            }
            None => *cell == self.base,
        };
        if is_spare {
            self.free(bucket);
        } else {
            self.queue(rule, bucket);
        }
    }
}

impl<C: Cell> Instance<C> {
    #[inline]
    pub(super) fn cell<'i>(&'i self, aside: &'i Aside<C>) -> Cow<'i, C> {
        self.kept.read(self.born, aside)
    }
}

/// Keys with what belongs to them, in the order of the keys' texts.
pub(super) fn sorted<T>(mut keys: Vec<T>, key: impl Fn(&T) -> &Vec<Value>) -> Vec<T> {
    if keys.len() > 1 {
        keys.sort_by_cached_key(|item| serde_json::to_string(key(item)).unwrap_or_default());
    }
    keys
}
