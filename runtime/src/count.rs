//! `at_most_n_times`: an exact counter, as an interval where an occurrence is uncertain.

use serde_json::Value;

use crate::exact::Saved;
use crate::instances::{Cell, Whole};
use crate::register::{Holds, Operand, Receipt, Register, perhaps, weigh};
use crate::{Time, Truth, Verdict};

/// How many occurrences there were: at least `low`, at most `high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    low: u64,
    high: u64,
}

impl Cell for Count {
    type Kept = Whole<Self>;
    /// The most that is allowed.
    type Rule<'r> = u64;
    /// Whether the event is an occurrence.
    type Step<'s> = Truth;

    fn fresh(_: u64) -> Self {
        Self { low: 0, high: 0 }
    }

    fn any(_: u64) -> Self {
        Self { low: 0, high: u64::MAX }
    }

    fn verdict(&self, _: u64) -> Verdict {
        Verdict::Open
    }

    fn is_read(occurs: &Truth) -> bool {
        *occurs != Truth::Unknown
    }

    #[inline]
    fn look(&self, limit: u64, occurs: &Truth) -> Verdict {
        weigh(*occurs, self.low >= limit, self.high >= limit)
    }

    #[inline]
    fn step(&mut self, _: u64, occurs: &Truth) {
        match occurs {
            Truth::True => {
                self.low = self.low.saturating_add(1);
                self.high = self.high.saturating_add(1);
            }
            Truth::Unknown => self.high = self.high.saturating_add(1),
            Truth::False => {}
        }
    }

    fn perhaps(&mut self, limit: u64, occurs: &Truth) {
        self.step(limit, &perhaps(*occurs));
    }

    fn join(&mut self, _: u64, other: &Self) {
        self.low = self.low.min(other.low);
        self.high = self.high.max(other.high);
    }

    fn save(&self) -> Value {
        (self.low, self.high).save()
    }

    fn load(_: u64, saved: &Value) -> Option<Self> {
        let (low, high) = Saved::load(saved)?;
        (low <= high).then_some(Self { low, high })
    }
}

impl Register for Count {
    #[inline]
    fn of<'s>(holds: Holds, _: Time, _: Operand<'s>) -> Truth {
        let Holds([call, ..]) = holds;
        call
    }

    fn receipt(occurs: &Truth) -> Receipt {
        Receipt { counted: *occurs, ..Receipt::NOTHING }
    }

    fn again<'s>(receipt: Receipt, _: Operand<'s>) -> Truth {
        receipt.counted
    }

    fn give_back(&mut self, _: u64, occurs: &Truth, failed: Truth) {
        if *occurs == Truth::True && failed != Truth::False {
            self.low = self.low.saturating_sub(1);
        }
        if *occurs != Truth::False && failed == Truth::True {
            self.high = self.high.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_have_counted_is_not_established_until_it_is_returned() {
        let mut count = Count::fresh(2);
        count.step(2, &Truth::True);
        count.step(2, &Truth::Unknown);
        assert_eq!(count.look(2, &Truth::True), Verdict::Unestablished);
        assert_eq!(count.look(2, &Truth::False), Verdict::Open);
        count.give_back(2, &Truth::Unknown, Truth::True);
        assert_eq!(count.look(2, &Truth::True), Verdict::Open);
        count.step(2, &Truth::True);
        assert_eq!(count.look(2, &Truth::True), Verdict::Violated);
        count.give_back(2, &Truth::True, Truth::Unknown);
        assert_eq!(count.look(2, &Truth::True), Verdict::Unestablished);
    }

    #[test]
    fn it_is_saved_exactly_and_an_interval_that_is_none_is_refused() {
        for count in [Count { low: 1, high: 3 }, Count::any(3)] {
            assert_eq!(Count::load(3, &count.save()), Some(count));
        }
        assert_eq!(Count::load(3, &(2u64, 1u64).save()), None);
        assert_eq!(Count::load(3, &Value::Null), None);
    }
}
