//! `rate_limit`: the times of the occurrences that can still matter, in a closed window of event time.

use std::collections::VecDeque;

use crate::instances::Cell;
use crate::register::{Register, perhaps, weigh};
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
    /// The latest occurrence that was not kept although it lay in the window.
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

fn forget(times: &mut VecDeque<Time>, at: Time) {
    if let Some(index) = times.iter().rposition(|time| *time == at) {
        times.remove(index);
    }
}

impl Rate {
    /// Forgets what has left the window, and of what may have happened the oldest beyond the bound.
    fn trim(&mut self, rule: RateLimit, now: Time) {
        for times in [&mut self.certain, &mut self.possible] {
            while times.front().is_some_and(|first| now.since(*first) > rule.window) {
                times.pop_front();
            }
        }
        while u64::try_from(self.possible.len()).unwrap_or(u64::MAX) > u64::from(rule.limit).saturating_add(1) {
            self.dropped = self.possible.pop_front().max(self.dropped);
        }
        self.dropped = self.dropped.filter(|at| now.since(*at) <= rule.window);
    }
}

impl Cell for Rate {
    type Rule<'r> = RateLimit;
    type Step = Tick;

    fn fresh(_: RateLimit) -> Self {
        Self { certain: VecDeque::new(), possible: VecDeque::new(), dropped: None }
    }

    fn verdict(&self, _: RateLimit) -> Verdict {
        Verdict::Open
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
        let latest = [self.certain.back(), self.possible.back(), self.dropped.as_ref()].into_iter().flatten().max()?;
        latest.checked_add(rule.window)
    }

    fn expire(&mut self, rule: RateLimit, now: Time) {
        self.trim(rule, now);
    }

    fn join(&mut self, other: &Self) {
        // What only one side holds is possible; the union of the possible is an upper bound.
        let mut shared = VecDeque::new();
        let mut theirs: Vec<Time> = other.certain.iter().copied().collect();
        for at in &self.certain {
            match theirs.iter().position(|time| time == at) {
                Some(index) => {
                    theirs.swap_remove(index);
                    shared.push_back(*at);
                }
                None => self.possible.push_back(*at),
            }
        }
        self.possible.extend(theirs);
        let mut missing: Vec<Time> = other.possible.iter().copied().collect();
        for at in &self.possible {
            if let Some(index) = missing.iter().position(|time| time == at) {
                missing.swap_remove(index);
            }
        }
        self.possible.extend(missing);
        self.possible.make_contiguous().sort_unstable();
        self.certain = shared;
        self.dropped = self.dropped.max(other.dropped);
    }
}

impl Register for Rate {
    fn give_back(&mut self, tick: &Tick, failed: Truth) {
        match (tick.occurs, failed) {
            (Truth::False, _) | (_, Truth::False) => {}
            (Truth::True, Truth::True) => forget(&mut self.certain, tick.at),
            (Truth::True, Truth::Unknown) => {
                forget(&mut self.certain, tick.at);
                self.possible.push_back(tick.at);
                self.possible.make_contiguous().sort_unstable();
            }
            (Truth::Unknown, Truth::True) => forget(&mut self.possible, tick.at),
            (Truth::Unknown, Truth::Unknown) => {}
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
        rate.give_back(&tick(1, Truth::Unknown), Truth::True);
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
            rate.give_back(&tick, Truth::Unknown);
        }
        assert!(rate.possible.len() <= 2);
    }
}
