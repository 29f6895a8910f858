//! What a call counted is returned to the instances that hold it.

use super::Keyed;
use super::place::Place;
use crate::Truth;
use crate::key::Parts;
use crate::keys::{Keys, Shape};
use crate::register::Register;

impl<C: Register> Keyed<C> {
    /// Returns an occurrence that was counted in this epoch to the instances of the call's keys: not to those that were made
    /// since, and to none if the rule was made fresh since.
    ///
    /// What was counted for every key is returned to every key, also to an instance made since: it began as `base`, which held
    /// it. An instance that may have been closed since has joined `base`, and what happened to `base` has happened to it too: so it
    /// may hold at least what is returned on top of that. An occurrence that was counted as possible, because its key could not be read or had no instance, stays so.
    pub fn give_back(
        &mut self,
        rule: C::Rule<'_>,
        key: &(impl Keys + ?Sized),
        step: &C::Step<'_>,
        failed: Truth,
        epoch: u64,
    ) {
        if epoch < self.epoch.fresh || failed == Truth::False {
            return;
        }
        match key.shape() {
            Shape::One(key) => self.give_back_one(rule, key, step, failed, epoch),
            Shape::Each(keys) => keys.iter().for_each(|key| self.give_back_one(rule, key, step, failed, epoch)),
            Shape::All => self.give_back_all(rule, step, failed),
        }
    }

    fn give_back_one(&mut self, rule: C::Rule<'_>, key: Parts<'_>, step: &C::Step<'_>, failed: Truth, epoch: u64) {
        match self.find(key) {
            Place::Live(bucket) => {
                let blurred = self.blurred || self.gone().is_some();
                let holds = self.table.get_bucket(bucket).is_some_and(|instance| instance.born <= epoch);
                self.change(rule, bucket, |cell, _| {
                    if holds {
                        cell.give_back(rule, step, failed);
                    } else if blurred {
                        cell.give_back_perhaps(rule, step);
                    }
                });
                self.queue_sooner(rule, bucket);
            }
            Place::Unreadable => {
                self.base.give_back_perhaps(rule, step);
                self.change_gone(|gone| gone.give_back_perhaps(rule, step));
                self.for_each(rule, |_, cell| cell.give_back_perhaps(rule, step));
            }
            Place::New(_) | Place::Gone { .. } if self.blurred => {
                self.base.give_back_perhaps(rule, step);
                self.change_gone(|gone| gone.give_back_perhaps(rule, step));
                self.for_each(rule, |_, _| ());
            }
            Place::Gone { .. } => self.change_gone(|gone| gone.give_back_perhaps(rule, step)),
            _ => {}
        }
    }

    #[cold]
    fn give_back_all(&mut self, rule: C::Rule<'_>, step: &C::Step<'_>, failed: Truth) {
        self.base.give_back(rule, step, failed);
        self.change_gone(|gone| gone.give_back(rule, step, failed));
        self.for_each(rule, |_, cell| cell.give_back(rule, step, failed));
        self.queue_all(rule);
    }
}
