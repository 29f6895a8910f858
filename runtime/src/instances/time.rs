//! What time does to instances. Each is looked at again when its state stops to matter, so the cost of an event does not
//! depend on how many instances there are.

use serde_json::Value;

use super::table::sorted;
use super::{Cell, Kept, Keyed};
use crate::key;
use crate::{Time, Verdict};

/// How many moments may be kept for instances that are gone, on top of as many as there are instances.
const SLACK: usize = 1_024;

impl<C: Cell> Keyed<C> {
    /// Frees the instances that are as good as fresh by now. Returns the keys whose obligation ran out, in the order of their
    /// texts; empty: keys never seen.
    #[inline]
    pub fn retire(&mut self, rule: C::Rule<'_>, now: Time) -> Vec<(Vec<Value>, Verdict)> {
        let is_due = self.due.first_key_value().is_some_and(|((moment, _), _)| *moment < now)
            || self.base.expires(rule).is_some_and(|expires| expires < now)
            || self.gone().is_some_and(|gone| gone.expires(rule).is_some_and(|expires| expires < now));
        if is_due { self.look_again(rule, now) } else { Vec::new() }
    }

    fn look_again(&mut self, rule: C::Rule<'_>, now: Time) -> Vec<(Vec<Value>, Verdict)> {
        let mut over = Vec::new();
        while let Some(entry) = self.due.first_entry().filter(|entry| entry.key().0 < now) {
            let ((_, born), hash) = entry.remove_entry();
            self.retire_one(rule, now, hash, born, &mut over);
        }
        if self.base.expires(rule).is_some_and(|expires| expires < now) {
            self.sweep(rule, now, &mut over);
        }
        self.retire_gone(rule, now, &mut over);
        for (_, verdict) in &over {
            self.latch.raise(*verdict);
        }
        sorted(over, |(key, _)| key)
    }

    fn retire_one(
        &mut self,
        rule: C::Rule<'_>,
        now: Time,
        hash: u64,
        born: u64,
        over: &mut Vec<(Vec<Value>, Verdict)>,
    ) {
        let Some(bucket) = self.table.find_bucket_index(hash, |instance| instance.born == born) else { return };
        let Some(instance) = self.table.get_bucket_mut(bucket) else { return };
        instance.queued = false;
        let verdict = instance.kept.change(born, &mut self.aside, |cell| cell.expire(rule, now));
        if verdict >= Verdict::Unestablished {
            over.push((key::owned_to_json(&instance.key), verdict));
        }
        if self.free_if_spare(rule, bucket) {
            return;
        }
        let Some(instance) = self.table.get_bucket_mut(bucket) else { return };
        if let Some(expires) = instance.cell(&self.aside).expires(rule) {
            // Not before now, so that this ends.
            instance.queued = true;
            self.due.insert((expires.max(now), born), hash);
        }
    }

    /// What may have been that of a key that was let go has stopped to matter.
    fn retire_gone(&mut self, rule: C::Rule<'_>, now: Time, over: &mut Vec<(Vec<Value>, Verdict)>) {
        let mut verdict = Verdict::Satisfied;
        self.change_gone(|gone| verdict = gone.expire(rule, now));
        // What keys never seen owe has been reported.
        if verdict >= Verdict::Unestablished && !over.iter().any(|(key, _)| key.is_empty()) {
            over.push((Vec::new(), Verdict::Unestablished));
        }
    }

    /// What may have been any key's has stopped to matter: every instance is looked at, once for such an event.
    #[cold]
    fn sweep(&mut self, rule: C::Rule<'_>, now: Time, over: &mut Vec<(Vec<Value>, Verdict)>) {
        let verdict = self.base.expire(rule, now);
        if verdict >= Verdict::Unestablished {
            over.push((Vec::new(), verdict));
        }
        self.for_each(rule, |key, cell| {
            let verdict = cell.expire(rule, now);
            if verdict >= Verdict::Unestablished {
                over.push((key::owned_to_json(key), verdict));
            }
        });
    }

    /// Sees to it that an instance that was stepped is looked at again. One that is queued already is looked at no later than
    /// it has to be, and queued anew then.
    #[inline]
    pub(super) fn queue(&mut self, rule: C::Rule<'_>, bucket: usize) {
        let Some(instance) = self.table.get_bucket_mut(bucket).filter(|instance| !instance.queued) else { return };
        if let Some(expires) = instance.cell(&self.aside).expires(rule) {
            instance.queued = true;
            let (born, hash) = (instance.born, key::hash_owned(&self.hasher, &instance.key));
            self.due.insert((expires, born), hash);
            self.bound_queue(rule);
        }
    }

    /// Sees to it that an instance from which something was taken back is looked at when what is left stops to matter.
    pub(super) fn queue_sooner(&mut self, rule: C::Rule<'_>, bucket: usize) {
        if let Some(instance) = self.table.get_bucket_mut(bucket) {
            instance.queued = false;
        }
        self.queue(rule, bucket);
    }

    /// Instances that are gone leave their moments behind: from time to time these are dropped.
    #[inline]
    fn bound_queue(&mut self, rule: C::Rule<'_>) {
        if self.due.len() > self.table.len().saturating_mul(2).saturating_add(SLACK) {
            self.queue_all(rule);
        }
    }

    /// Queues every instance, and nothing else.
    #[cold]
    pub(super) fn queue_all(&mut self, rule: C::Rule<'_>) {
        self.due.clear();
        for instance in &mut self.table {
            let expires = instance.cell(&self.aside).expires(rule);
            instance.queued = expires.is_some();
            let hash = key::hash_owned(&self.hasher, &instance.key);
            self.due.extend(expires.map(|expires| ((expires, instance.born), hash)));
        }
    }
}
