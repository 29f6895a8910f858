//! `rate_limit`, `cooldown`, and counts in a window: the times of the occurrences that can still matter, in a closed window
//! of event time or of positions.

use std::collections::VecDeque;

use serde_json::Value;

use crate::exact::Saved;
use crate::instances::{Cell, Whole};
use crate::register::{FEW, Holds, Operand, Receipt, Register, SOMETIME, lapses, perhaps, weigh};
use crate::{Duration, Time, Truth, Verdict};

/// The occurrences within the last window, oldest first.
///
/// INVARIANT: at most `limit + 1` certain and as many uncertain times are kept, the latest ones, so the memory of an
/// instance is bounded by its rule. An older one matters only if later ones are returned: then the answer is not
/// established until it has left the window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rate {
    certain: VecDeque<Time>,
    possible: VecDeque<Time>,
    /// The latest occurrence that was not kept although it lay in the window, or that may lie in it as far as anybody knows.
    dropped: Option<Time>,
}

/// The bound of a `rate_limit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// The most that is allowed in a window.
    pub limit: u32,
    /// The length of the closed window.
    pub window: Duration,
}

/// An occurrence at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tick {
    /// Whether the event is an occurrence.
    pub occurs: Truth,
    /// When.
    pub at: Time,
}

fn within(times: &VecDeque<Time>, now: Time, window: Duration) -> u64 {
    let recent = times.iter().rev().take_while(|at| now.since(**at) <= window).count();
    u64::try_from(recent).unwrap_or(u64::MAX)
}

/// Whether `limit` occurrences lie within the window: the oldest of the last `limit` does.
fn reaches(times: &VecDeque<Time>, now: Time, rule: RateLimit) -> bool {
    let limit = usize::try_from(rule.limit).unwrap_or(usize::MAX);
    match times.len().checked_sub(limit) {
        None => false,
        Some(oldest) => times.get(oldest).is_none_or(|at| now.since(*at) <= rule.window),
    }
}

/// Adds an occurrence. Returns the one that had to give way, if it still lies in the window.
fn remember(times: &mut VecDeque<Time>, at: Time, rule: RateLimit) -> Option<Time> {
    while times.front().is_some_and(|first| at.since(*first) > rule.window) {
        times.pop_front();
    }
    let full = u64::try_from(times.len()).unwrap_or(u64::MAX) > u64::from(rule.limit);
    let dropped = if full { times.pop_front() } else { None };
    times.push_back(at);
    dropped
}

/// Takes an occurrence out. Returns whether there was one.
fn forget(times: &mut VecDeque<Time>, at: Time) -> bool {
    let found = times.iter().rposition(|time| *time == at);
    found.is_some_and(|index| times.remove(index).is_some())
}

impl Rate {
    /// Forgets what has left the window, and of what may have happened the oldest beyond the bound.
    fn trim(&mut self, rule: RateLimit, now: Time) {
        for times in [&mut self.certain, &mut self.possible] {
            while times.front().is_some_and(|first| now.since(*first) > rule.window) {
                times.pop_front();
            }
        }
        self.bound(rule);
        // What has happened has not happened later than now.
        self.dropped = self.dropped.map(|at| at.min(now)).filter(|at| now.since(*at) <= rule.window);
    }

    /// When something happened last, or may have.
    fn latest(&self) -> Option<Time> {
        [self.certain.back(), self.possible.back(), self.dropped.as_ref()].into_iter().flatten().max().copied()
    }

    fn bound(&mut self, rule: RateLimit) {
        while u64::try_from(self.possible.len()).unwrap_or(u64::MAX) > u64::from(rule.limit).saturating_add(1) {
            self.dropped = self.possible.pop_front().max(self.dropped);
        }
    }
}

/// Splits sorted times off that are equal to `at`, and says how many there were.
fn take_equal(times: &mut VecDeque<Time>, at: Time) -> usize {
    let equal = times.iter().take_while(|time| **time == at).count();
    times.drain(..equal);
    equal
}

impl Cell for Rate {
    type Kept = Whole<Self>;
    type Rule<'r> = RateLimit;
    type Step<'s> = Tick;

    fn fresh(_: RateLimit) -> Self {
        Self { certain: VecDeque::new(), possible: VecDeque::new(), dropped: None }
    }

    fn any(rule: RateLimit) -> Self {
        Self { dropped: Some(SOMETIME), ..Self::fresh(rule) }
    }

    fn verdict(&self, _: RateLimit) -> Verdict {
        Verdict::Open
    }

    fn is_read(tick: &Tick) -> bool {
        tick.occurs != Truth::Unknown
    }

    fn look(&self, rule: RateLimit, tick: &Tick) -> Verdict {
        let full = reaches(&self.certain, tick.at, rule);
        let dropped = self.dropped.is_some_and(|at| tick.at.since(at) <= rule.window);
        if full || dropped || self.possible.is_empty() {
            return weigh(tick.occurs, full, full || dropped);
        }
        let high =
            within(&self.certain, tick.at, rule.window).saturating_add(within(&self.possible, tick.at, rule.window));
        weigh(tick.occurs, false, high >= u64::from(rule.limit))
    }

    fn step(&mut self, rule: RateLimit, tick: &Tick) {
        self.trim(rule, tick.at);
        match tick.occurs {
            Truth::True => self.dropped = remember(&mut self.certain, tick.at, rule).max(self.dropped),
            Truth::Unknown => self.dropped = remember(&mut self.possible, tick.at, rule).max(self.dropped),
            Truth::False => {}
        }
    }

    fn perhaps(&mut self, rule: RateLimit, tick: &Tick) {
        self.step(rule, &Tick { occurs: perhaps(tick.occurs), at: tick.at });
    }

    fn expires(&self, rule: RateLimit) -> Option<Time> {
        lapses(self.latest()?, rule.window)
    }

    fn expire(&mut self, rule: RateLimit, now: Time) -> Verdict {
        self.trim(rule, now);
        Verdict::Satisfied
    }

    /// Of each moment: at least as many occurrences as the side that has fewer certain ones, at most as many as the side that
    /// may have more.
    fn join(&mut self, rule: RateLimit, other: &Self) {
        let mut sides = [std::mem::take(&mut self.certain), std::mem::take(&mut self.possible)];
        let mut others = [other.certain.clone(), other.possible.clone()];
        while let Some(at) = sides.iter().chain(&others).filter_map(|times| times.front().copied()).min() {
            let [certain, possible] = sides.each_mut().map(|times| take_equal(times, at));
            let [their_certain, their_possible] = others.each_mut().map(|times| take_equal(times, at));
            let low = certain.min(their_certain);
            let high = certain.saturating_add(possible).max(their_certain.saturating_add(their_possible));
            self.certain.extend(std::iter::repeat_n(at, low));
            self.possible.extend(std::iter::repeat_n(at, high.saturating_sub(low)));
        }
        self.dropped = self.dropped.max(other.dropped);
        self.bound(rule);
    }

    /// Where they are many, only when something may have happened last is kept.
    fn absorb(&mut self, rule: RateLimit, other: &Self) {
        if rule.limit <= FEW {
            return self.join(rule, other);
        }
        *self = Self { dropped: self.latest().max(other.latest()), ..Self::fresh(rule) };
    }

    fn save(&self) -> Value {
        (self.certain.clone(), self.possible.clone(), self.dropped).save()
    }

    fn load(rule: RateLimit, saved: &Value) -> Option<Self> {
        let (certain, possible, dropped): (VecDeque<Time>, VecDeque<Time>, _) = Saved::load(saved)?;
        let most = u64::from(rule.limit).saturating_add(1);
        if !certain.iter().is_sorted() || !possible.iter().is_sorted() || u64::try_from(certain.len()).ok()? > most {
            return None;
        }
        let mut rate = Self { certain, possible, dropped };
        rate.bound(rule);
        Some(rate)
    }
}

impl Register for Rate {
    #[inline]
    fn of<'s>(holds: Holds, at: Time, _: Operand<'s>) -> Tick {
        let Holds([occurs, ..]) = holds;
        Tick { occurs, at }
    }

    fn receipt(tick: &Tick) -> Receipt {
        Receipt { counted: tick.occurs, at: tick.at, amount: None }
    }

    fn again<'s>(receipt: Receipt, _: Operand<'s>) -> Tick {
        Tick { occurs: receipt.counted, at: receipt.at }
    }

    fn give_back(&mut self, rule: RateLimit, tick: &Tick, failed: Truth) {
        match (tick.occurs, failed) {
            (Truth::False, _) | (_, Truth::False) | (Truth::Unknown, Truth::Unknown) => {}
            (Truth::Unknown, Truth::True) => {
                forget(&mut self.possible, tick.at);
            }
            (Truth::True, Truth::True) => {
                if !forget(&mut self.certain, tick.at) {
                    forget(&mut self.possible, tick.at);
                }
            }
            (Truth::True, Truth::Unknown) => {
                if forget(&mut self.certain, tick.at) {
                    let after = self.possible.partition_point(|time| *time <= tick.at);
                    self.possible.insert(after, tick.at);
                    self.bound(rule);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO_A_MINUTE: RateLimit = RateLimit { limit: 2, window: Duration::from_nanos(60_000_000_000) };

    fn tick(seconds: i128, occurs: Truth) -> Tick {
        Tick { occurs, at: Time::from_nanos(seconds.saturating_mul(1_000_000_000)) }
    }

    #[test]
    fn the_window_is_closed_and_slides() {
        let mut rate = Rate::fresh(TWO_A_MINUTE);
        for second in [0, 30] {
            assert_eq!(rate.look(TWO_A_MINUTE, &tick(second, Truth::True)), Verdict::Open);
            rate.step(TWO_A_MINUTE, &tick(second, Truth::True));
        }
        assert_eq!(rate.look(TWO_A_MINUTE, &tick(60, Truth::True)), Verdict::Violated);
        assert_eq!(rate.look(TWO_A_MINUTE, &tick(61, Truth::True)), Verdict::Open);
    }

    #[test]
    fn what_may_have_happened_is_not_established() {
        let mut rate = Rate::fresh(TWO_A_MINUTE);
        rate.step(TWO_A_MINUTE, &tick(0, Truth::True));
        rate.step(TWO_A_MINUTE, &tick(1, Truth::Unknown));
        assert_eq!(rate.look(TWO_A_MINUTE, &tick(2, Truth::True)), Verdict::Unestablished);
        rate.give_back(TWO_A_MINUTE, &tick(1, Truth::Unknown), Truth::True);
        assert_eq!(rate.look(TWO_A_MINUTE, &tick(2, Truth::True)), Verdict::Open);
    }

    #[test]
    fn memory_is_bounded_by_the_limit() {
        let mut rate = Rate::fresh(TWO_A_MINUTE);
        for second in 0..10_000 {
            rate.step(TWO_A_MINUTE, &tick(second / 1000, Truth::True));
            rate.perhaps(TWO_A_MINUTE, &tick(second / 1000, Truth::True));
        }
        assert!(rate.certain.len() <= 3 && rate.possible.len() <= 3);
    }

    #[test]
    fn calls_that_end_unknown_are_forgotten_in_time() {
        let mut rate = Rate::fresh(TWO_A_MINUTE);
        for call in 0..10_000 {
            let tick = tick(61i128.saturating_mul(call), Truth::True);
            assert_eq!(rate.look(TWO_A_MINUTE, &tick), Verdict::Open);
            rate.step(TWO_A_MINUTE, &tick);
            rate.give_back(TWO_A_MINUTE, &tick, Truth::Unknown);
        }
        assert!(rate.possible.len() <= 2);
    }
}
