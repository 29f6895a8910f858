//! Events that touch several keys: fan-outs, and events about every key.

use super::place::{Doubt, Judged, Place};
use super::{Cell, Keyed};
use crate::Verdict;
use crate::finding::States;
use crate::key::{self, Part};
use crate::keys::Shape;

/// The keys of a fan-out.
type Each<'k> = &'k [Vec<Option<Part<'k>>>];

impl<C: Cell> Keyed<C> {
    /// Whether the new instances of these keys, if the step needs any, fit at once.
    fn fits(&self, rule: C::Rule<'_>, keys: Each<'_>, step: &C::Step<'_>) -> bool {
        let mut unseen = keys.iter().map(|key| self.find(key)).filter(|place| place.is_unseen());
        self.has_room(self.new_among(keys)) || !unseen.any(|place| self.leaves(rule, place, step))
    }

    /// How many of the keys need a place that they do not have. Where others make room, none of the keys shall be among those.
    pub(super) fn new_among(&self, keys: Each<'_>) -> usize {
        let new = keys.iter().filter(|key| self.find(key).is_unseen()).count();
        if self.evicts() && new > 0 { keys.len() } else { new }
    }

    #[cold]
    pub(super) fn judge_each(&self, rule: C::Rule<'_>, keys: Each<'_>, step: &C::Step<'_>) -> Judged {
        let fits = self.fits(rule, keys, step);
        let mut worst = (Verdict::Satisfied, 0);
        for (index, key) in keys.iter().enumerate() {
            let verdict = match self.find(key) {
                Place::Skipped => Verdict::Satisfied,
                Place::Unreadable => Verdict::Unestablished,
                place => self.cell(place).look(rule, step),
            };
            if index == 0 || verdict > worst.0 {
                worst = (verdict, index);
            }
        }
        let (verdict, index) = worst;
        // What the rule says by itself comes first.
        if fits || verdict >= Verdict::Unestablished {
            let doubt = keys.get(index).map_or(Doubt::None, |key| self.find(key).doubt());
            return Judged { verdict, place: Place::Each { worst: index, doubt } };
        }
        let new = keys.iter().position(|key| self.find(key).is_unseen()).unwrap_or(index);
        Judged { verdict: Verdict::Unestablished, place: Place::EachFull { worst: new } }
    }

    /// Takes the step for each key. Where the new instances do not fit at once, none of them is made, and keys never seen are
    /// in doubt: which of them had fitted would depend on their order.
    #[cold]
    pub(super) fn step_each(&mut self, rule: C::Rule<'_>, keys: Each<'_>, step: &C::Step<'_>) {
        let fits = self.fits(rule, keys, step);
        for key in keys {
            // Where a key is may change with every step before it.
            match self.find(key) {
                place if place.is_unseen() && !fits => {}
                place => self.step(rule, key, step, place),
            }
        }
        if !fits {
            self.step_full(rule, step);
        }
    }

    #[cold]
    pub(super) fn observe_each(
        &mut self,
        rule: C::Rule<'_>,
        keys: Each<'_>,
        step: &C::Step<'_>,
    ) -> (Judged, Option<States>) {
        let judged = self.judge_each(rule, keys, step);
        let verdict = self.actual(rule, Shape::Each(keys), step, judged.place);
        let states = self.states_for(rule, Shape::Each(keys), step, judged.place, verdict);
        self.latch.raise(verdict);
        self.step_each(rule, keys, step);
        let judged = match judged.place {
            Place::EachFull { .. } => Judged { verdict: Verdict::Unestablished, ..judged },
            _ => Judged { verdict, ..judged },
        };
        (judged, states)
    }

    /// The worst verdict of the step among all keys, and in which bucket it is; `None`: for a key never seen. Of several
    /// instances, the one whose key comes first.
    pub(super) fn worst(&self, rule: C::Rule<'_>, step: &C::Step<'_>) -> (Verdict, Option<usize>) {
        let base = self.base.look(rule, step).max(self.gone().map_or(Verdict::Satisfied, |gone| gone.look(rule, step)));
        let live = self.live_cells().map(|(_, cell)| cell.look(rule, step)).max();
        let Some(live) = live.filter(|live| *live >= base) else { return (base, None) };
        if live < Verdict::Pending {
            // Nobody will ask which one.
            return (live, None);
        }
        let worst = self.table.iter_buckets().filter_map(|bucket| {
            let instance = self.table.get_bucket(bucket)?;
            let text = || serde_json::to_string(&key::owned_to_json(&instance.key)).unwrap_or_default();
            (instance.cell(&self.aside).look(rule, step) == live).then(|| (text(), bucket))
        });
        (live, worst.min().map(|(_, bucket)| bucket))
    }

    #[cold]
    pub(super) fn judge_all(&self, rule: C::Rule<'_>, step: &C::Step<'_>) -> Judged {
        let (verdict, worst) = self.worst(rule, step);
        Judged { verdict, place: Place::All(worst) }
    }

    /// Takes the step for every key. Instances are not queued for it: `base` has taken it too, and when it matters no more
    /// there, every instance is looked at.
    #[cold]
    pub(super) fn step_all(&mut self, rule: C::Rule<'_>, step: &C::Step<'_>) {
        self.base.step(rule, step);
        self.change_gone(|gone| gone.step(rule, step));
        self.for_each(rule, |_, cell| cell.step(rule, step));
    }

    #[cold]
    pub(super) fn observe_all(&mut self, rule: C::Rule<'_>, step: &C::Step<'_>) -> (Judged, Option<States>) {
        let judged = self.judge_all(rule, step);
        let states = self.states_for(rule, Shape::All, step, judged.place, judged.verdict);
        self.latch.raise(judged.verdict);
        self.step_all(rule, step);
        (judged, states)
    }
}
