//! Letting instances go, without forgiving anything.
//!
//! What is let go is remembered in two ways: which keys they were, by a filter that may take others for them, and what states
//! they were in, all in one: `gone`. A key that the filter may hold starts in `gone`, which stands for the state that it had,
//! whatever that was. So forgetting costs an answer, never a wrong one.
//!
//! INVARIANT: `gone` stands for at least `base` and the state that each key without an instance truly is in. Whatever happens
//! to keys without an instance happens to both.

use super::bounds::{Bounds, Retired, Seed};
use super::filter::Filter;
use super::order::{self, Loss, Order};
use super::place::{Doubt, Place};
use super::{Cell, Keyed};
use crate::key::{Key, Parts};
use crate::sink::Cause;
use crate::{Duration, Time, Truth};

/// What a rule that lets instances go keeps besides the others.
#[derive(Clone, Debug)]
pub(super) struct Retirement<C> {
    pub(super) evicts: bool,
    pub(super) idle: Option<Duration>,
    pub(super) filter: Filter,
    /// `None` as long as none was let go whose state matters.
    pub(super) gone: Option<C>,
    pub(super) order: Order,
    /// The time of the latest event, as far as the rule looks at it.
    pub(super) now: Time,
    pub(super) retired: Retired,
}

impl<C: Cell> Retirement<C> {
    pub(super) fn of(bounds: Bounds) -> Option<Box<Self>> {
        (bounds.evicts || bounds.idle.is_some()).then(|| {
            Box::new(Self {
                evicts: bounds.evicts,
                idle: bounds.idle,
                filter: Filter::new(bounds.remember),
                gone: None,
                order: Order::default(),
                now: Time::MIN,
                retired: Retired::default(),
            })
        })
    }

    /// All keys are as never seen.
    pub(super) fn clear(&mut self) {
        self.gone = None;
        self.filter.clear();
        self.order.clear();
    }

    /// What a key without an instance starts in, if that is not `base`.
    #[inline]
    pub(super) fn gone(&self, key: Parts<'_>) -> Option<&C> {
        self.gone.as_ref().filter(|_| self.filter.may_hold(key))
    }

    fn gone_owned(&self, key: &Key) -> Option<&C> {
        self.gone.as_ref().filter(|_| self.filter.may_hold_owned(key))
    }

    /// Whether an instance says no more than its absence would.
    pub(super) fn is_spare(&self, base: &C, key: &Key, cell: &C) -> bool {
        cell == self.gone_owned(key).unwrap_or(base)
    }

    /// Why nothing certain is known of a key that starts in `gone`.
    fn doubt(&self) -> Doubt {
        if self.filter.is_full() { Doubt::FilterFull } else { Doubt::Forgotten }
    }

    /// Takes a new instance.
    pub(super) fn add(&mut self, rule: C::Rule<'_>, base: &C, cell: &C, place: order::Place) {
        self.order.add(place, loss(rule, base, cell), self.now);
    }

    /// Something other than an event of its key happened to an instance. Whether it still says more than its absence would.
    pub(super) fn weigh(&mut self, rule: C::Rule<'_>, base: &C, born: u64, key: &Key, cell: &C) -> bool {
        let is_spare = self.is_spare(base, key, cell);
        if is_spare {
            self.order.remove(born);
        } else {
            self.order.weigh(born, loss(rule, base, cell));
        }
        !is_spare
    }

    /// The key of an instance had an event.
    pub(super) fn touch(&mut self, rule: C::Rule<'_>, base: &C, born: u64, cell: &C) {
        self.order.touch(born, loss(rule, base, cell), self.now);
    }
}

/// What is lost with a state.
pub(super) fn loss<C: Cell>(rule: C::Rule<'_>, base: &C, cell: &C) -> Loss {
    if cell.is_lenient(rule, base) { Loss::Leniency } else { Loss::Strictness }
}

impl<C: Cell> Keyed<C> {
    /// Takes the secret of the session, before its first event.
    pub fn seed(&mut self, seed: Seed) {
        if let Some(retirement) = &mut self.retirement {
            retirement.filter.seed(seed);
        }
    }

    /// How many instances were let go.
    pub fn retired(&self) -> Retired {
        let closed = self.closed;
        match &self.retirement {
            Some(retirement) => Retired { closed, filter_full: retirement.filter.is_full(), ..retirement.retired },
            None => Retired { closed, ..Retired::default() },
        }
    }

    /// Lets go of the instances whose keys had no event for longer than the rule says, by the time of an event.
    #[inline]
    pub fn tidy(&mut self, rule: C::Rule<'_>, now: Time) {
        if let Some(retirement) = &mut self.retirement {
            retirement.now = retirement.now.max(now);
            if retirement.idle.is_some() {
                self.let_idle_go(rule);
            }
        }
    }

    fn let_idle_go(&mut self, rule: C::Rule<'_>) {
        for loss in [Loss::Leniency, Loss::Strictness] {
            while let Some(place) = self.idle(loss) {
                self.let_go(rule, place, Cause::Idle);
                if let Some(retirement) = &mut self.retirement {
                    retirement.retired.idle = retirement.retired.idle.saturating_add(1);
                }
            }
        }
    }

    /// An instance with this loss whose key had no event for too long.
    fn idle(&mut self, loss: Loss) -> Option<order::Place> {
        let retirement = self.retirement.as_mut()?;
        let (idle, now) = (retirement.idle?, retirement.now);
        retirement.order.oldest(loss).filter(|(_, at)| now.since(*at) > idle).map(|(place, _)| place)
    }

    /// Lets instances go until so many more fit, as far as the rule does that.
    #[inline]
    pub(super) fn make_room(&mut self, rule: C::Rule<'_>, more: usize) {
        while self.evicts() && !self.table.is_empty() && self.taken().saturating_add(more) > self.max {
            let Some(retirement) = &mut self.retirement else { return };
            let Some(place) = retirement.order.first() else { return };
            retirement.retired.evicted = retirement.retired.evicted.saturating_add(1);
            self.let_go(rule, place, Cause::Evicted);
        }
    }

    pub(super) fn evicts(&self) -> bool {
        self.retirement.as_ref().is_some_and(|retirement| retirement.evicts)
    }

    fn let_go(&mut self, rule: C::Rule<'_>, place: order::Place, cause: Cause) {
        let bucket = self.table.find_bucket_index(place.hash, |instance| instance.born == place.born);
        let Some(bucket) = bucket else { return };
        let cell = self.cell(Place::Live(bucket)).into_owned();
        let Some(instance) = self.free(bucket) else { return };
        self.depart(cause, &instance.key);
        let Some(retirement) = &mut self.retirement else { return };
        retirement.filter.insert(&instance.key);
        retirement.gone.get_or_insert_with(|| self.base.clone()).absorb(rule, &cell);
    }

    /// Where the key is that is not in the table, by its hash.
    #[inline]
    pub(super) fn absent(&self, key: Parts<'_>, hash: u64) -> Place {
        match &self.retirement {
            Some(retirement) if retirement.gone(key).is_some() => Place::Gone { hash, doubt: retirement.doubt() },
            _ => Place::New(hash),
        }
    }

    /// What keys start in that may have been let go, if that is not `base`.
    #[inline]
    pub(super) fn gone(&self) -> Option<&C> {
        self.retirement.as_ref()?.gone.as_ref()
    }

    /// What happened to `base`, or may have happened to a key that was let go, happens to `gone`. Where nothing is left that
    /// tells it from `base`, there is nothing to remember; but then keys never seen may be in different states of `base`.
    pub(super) fn change_gone(&mut self, change: impl FnOnce(&mut C)) {
        let Some(retirement) = &mut self.retirement else { return };
        let Some(gone) = &mut retirement.gone else { return };
        change(gone);
        if *gone == self.base {
            retirement.gone = None;
            retirement.filter.clear();
            self.blurred = true;
        }
    }

    /// Whether a key that may have been let go may owe something.
    pub(super) fn gone_owes(&self, rule: C::Rule<'_>) -> Truth {
        let owes = self.gone().map_or(Truth::False, |gone| gone.owes(rule));
        if owes == Truth::True { Truth::Unknown } else { owes }
    }
}
