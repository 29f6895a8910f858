//! Snapshots of keyed rules.

use serde_json::Value;

use super::{Bounds, Cell, Instance, Keyed};
use crate::Verdict;
use crate::exact::Saved;
use crate::key::{self, Key};
use crate::single::{Epoch, Latch};

impl<C: Cell> Keyed<C> {
    /// What the rule remembers: the latch, the epochs, the slots reserved, `base` and whether it is blurred, and each instance, in the order in which
    /// they were made.
    pub fn save(&self) -> Value {
        let mut instances: Vec<&Instance<C>> = self.table.iter().collect();
        instances.sort_by_key(|instance| instance.born);
        let reserved = u64::try_from(self.reserved).unwrap_or(u64::MAX);
        Value::Array(vec![
            self.latch.save(),
            self.epoch.save(),
            reserved.save(),
            self.base.save(),
            self.blurred.save(),
            instances.into_iter().map(Instance::save).collect(),
        ])
    }

    /// The rule that remembers this; `None` if no run of this rule could have saved it.
    pub fn load(rule: C::Rule<'_>, bounds: Bounds, saved: &Value) -> Option<Self> {
        let [latch, epoch, reserved, base, blurred, instances] = saved.as_array()?.as_slice() else { return None };
        let instances = instances.as_array().filter(|instances| instances.len() <= bounds.max)?;
        let mut keyed = Self {
            latch: Latch::load(latch)?,
            epoch: Epoch::load(epoch)?,
            reserved: usize::try_from(u64::load(reserved)?).ok()?,
            base: C::load(rule, base)?,
            blurred: bool::load(blurred)?,
            ..Self::new(rule, bounds)
        };
        for instance in instances {
            let instance = Instance::load(rule, instance)?;
            let hash = key::hash_owned(&keyed.hasher, &instance.key);
            let is_known = keyed.table.find(hash, |other| other.key == instance.key).is_some();
            if is_known || instance.cell == keyed.base || !(1..=keyed.epoch.now).contains(&instance.born) {
                return None;
            }
            keyed.put(hash, instance);
        }
        keyed.queue_all(rule);
        Some(keyed)
    }

    /// The rule is of another version of the contract than the one that saved: every key may be in any state that is not
    /// violated, also one that had no instance, because what did not matter then may matter now. What this version would have
    /// said of the past, nobody knows.
    pub fn doubt(&mut self, rule: C::Rule<'_>, saved: &Value) {
        let of_saved = |index: usize| saved.as_array()?.get(index);
        if let Some(latch) = of_saved(0).and_then(Latch::load) {
            self.latch = latch;
        }
        if let Some(epoch) = of_saved(1).and_then(Epoch::load) {
            self.epoch = epoch;
        }
        self.latch.raise(Verdict::Unestablished);
        self.epoch.renew();
        self.table.clear();
        self.due.clear();
        (self.base, self.blurred) = (C::any(rule), true);
    }
}

impl<C: Cell> Instance<C> {
    fn save(&self) -> Value {
        Value::Array(vec![self.born.save(), self.key.save(), self.cell.save()])
    }

    fn load(rule: C::Rule<'_>, saved: &Value) -> Option<Self> {
        let [born, key, cell] = saved.as_array()?.as_slice() else { return None };
        Some(Self { born: u64::load(born)?, queued: false, key: Key::load(key)?, cell: C::load(rule, cell)? })
    }
}
