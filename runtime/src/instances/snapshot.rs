//! Snapshots of keyed rules.

use serde_json::Value;

use super::filter::Filter;
use super::order::{self, Order};
use super::retire::{self, Retirement};
use super::{Aside, Bounds, Cell, Instance, Kept, Keyed};
use crate::exact::Saved;
use crate::key::{self, Key};
use crate::single::{Epoch, Latch};
use crate::{Time, Verdict};

impl<C: Cell> Keyed<C> {
    /// What the rule remembers: the latch, the epochs, the slots reserved, `base` and whether it is blurred, how many instances
    /// were closed, and each instance, in the order in which they were made; then what it keeps of those that it let go.
    pub fn save(&self) -> Value {
        let mut instances: Vec<&Instance<C>> = self.table.iter().collect();
        instances.sort_by_key(|instance| instance.born);
        let reserved = u64::try_from(self.reserved).unwrap_or(u64::MAX);
        let retirement = self.retirement.as_ref().map_or(Value::Null, |retirement| retirement.save(&instances));
        Value::Array(vec![
            self.latch.save(),
            self.epoch.save(),
            reserved.save(),
            self.base.save(),
            self.blurred.save(),
            self.closed.save(),
            instances.into_iter().map(|instance| instance.save(&self.aside)).collect(),
            retirement,
        ])
    }

    /// The rule that remembers this; `None` if no run of this rule could have saved it.
    pub fn load(rule: C::Rule<'_>, bounds: Bounds, saved: &Value) -> Option<Self> {
        let [latch, epoch, reserved, base, blurred, closed, instances, retirement] = saved.as_array()?.as_slice()
        else {
            return None;
        };
        let instances = instances.as_array().filter(|instances| instances.len() <= bounds.max)?;
        let mut keyed = Self {
            latch: Latch::load(latch)?,
            epoch: Epoch::load(epoch)?,
            reserved: usize::try_from(u64::load(reserved)?).ok()?,
            base: C::load(rule, base)?,
            blurred: bool::load(blurred)?,
            closed: u64::load(closed)?,
            departed: None,
            ..Self::new(rule, bounds)
        };
        for instance in instances {
            let instance = Instance::load(rule, instance, &mut keyed.aside)?;
            let hash = key::hash_owned(&keyed.hasher, &instance.key);
            let is_known = keyed.table.find(hash, |other| other.key == instance.key).is_some();
            let is_spare = keyed.retirement.is_none() && *instance.cell(&keyed.aside) == keyed.base;
            if is_known || is_spare || !(1..=keyed.epoch.now).contains(&instance.born) {
                return None;
            }
            keyed.put(hash, instance);
        }
        keyed.load_retirement(rule, bounds, retirement)?;
        keyed.queue_all(rule);
        Some(keyed)
    }

    fn load_retirement(&mut self, rule: C::Rule<'_>, bounds: Bounds, saved: &Value) -> Option<()> {
        let Some(retirement) = &mut self.retirement else { return saved.is_null().then_some(()) };
        let [filter, gone, now, evicted, idle, stamps, uses] = saved.as_array()?.as_slice() else { return None };
        retirement.filter = Filter::load(bounds.remember, filter)?;
        retirement.gone = if gone.is_null() { None } else { Some(C::load(rule, gone)?) };
        retirement.now = Time::load(now)?;
        (retirement.retired.evicted, retirement.retired.idle) = (u64::load(evicted)?, u64::load(idle)?);
        retirement.order = Order::after(u64::load(stamps)?);
        let mut instances: Vec<&Instance<C>> = self.table.iter().collect();
        instances.sort_by_key(|instance| instance.born);
        let uses = uses.as_array().filter(|uses| uses.len() == instances.len())?;
        for (instance, last_use) in instances.into_iter().zip(uses) {
            let place = order::Place { hash: key::hash_owned(&self.hasher, &instance.key), born: instance.born };
            let loss = retire::loss(rule, &self.base, &instance.cell(&self.aside));
            if !retirement.order.restore(place, loss, Saved::load(last_use)?) {
                return None;
            }
        }
        Some(())
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
        self.free_all();
        (self.base, self.blurred) = (C::any(rule), true);
    }
}

impl<C: Cell> Retirement<C> {
    /// The filter, `gone`, the time, how many were let go, and of each instance when its key had its last event.
    fn save(&self, instances: &[&Instance<C>]) -> Value {
        let gone = self.gone.as_ref().map_or(Value::Null, C::save);
        let last_use = |instance: &&Instance<C>| self.order.last_use(instance.born).save();
        Value::Array(vec![
            self.filter.save(),
            gone,
            self.now.save(),
            self.retired.evicted.save(),
            self.retired.idle.save(),
            self.order.stamps().save(),
            instances.iter().map(last_use).collect(),
        ])
    }
}

impl<C: Cell> Instance<C> {
    fn save(&self, aside: &Aside<C>) -> Value {
        Value::Array(vec![self.born.save(), self.key.save(), self.cell(aside).save()])
    }

    fn load(rule: C::Rule<'_>, saved: &Value, aside: &mut Aside<C>) -> Option<Self> {
        let [born, key, cell] = saved.as_array()?.as_slice() else { return None };
        let (born, key, cell) = (u64::load(born)?, Key::load(key)?, C::load(rule, cell)?);
        Some(Self { born, queued: false, key, kept: C::Kept::new(cell, born, aside) })
    }
}
