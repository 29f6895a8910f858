//! `at_most_n_times`: an exact counter, as an interval where an occurrence is uncertain.

use crate::instances::Cell;
use crate::register::{Register, perhaps, weigh};
use crate::{Truth, Verdict};

/// How many occurrences there were: at least `low`, at most `high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    low: u64,
    high: u64,
}

impl Cell for Count {
    /// The most that is allowed.
    type Rule<'r> = u64;
    /// Whether the event is an occurrence.
    type Step = Truth;

    fn fresh(_: u64) -> Self {
        Self { low: 0, high: 0 }
    }

    fn verdict(&self, _: u64) -> Verdict {
        Verdict::Open
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

    fn join(&mut self, other: &Self) {
        self.low = self.low.min(other.low);
        self.high = self.high.max(other.high);
    }
}

impl Register for Count {
    fn give_back(&mut self, occurs: &Truth, failed: Truth) {
        if *occurs == Truth::True && failed != Truth::False {
            self.low = self.low.saturating_sub(1);
        }
        if *occurs != Truth::False && failed == Truth::True {
            self.high = self.high.saturating_sub(1);
        }
    }
}
