//! `rate_limit: { call, n, window }`: at most `n` occurrences in every closed window of that length, by event time.
//!
//! ```yaml
//! rate_limit: { call: search, n: 2, window: 60s }
//! ```
//! ```text
//! search     | allow | open
//! 30s later  |       | open
//! search     | allow | open
//! 30s later  |       | open
//! search     | block | open
//! 1s later   |       | open
//! search     | allow | open
//! end        |       | satisfied
//! ```
//!
//! Patterns: `[call]`. Register: the times of the last `n` occurrences. Two that are exactly one window apart are in one.

use super::at_most_n_times::until_fewer;
use super::words::{extent, quoted, times};
use super::{Template, Words};
use crate::ast::{Extent, RateLimit, Rule, Source};
use crate::mir::{Clock, Kind, Pattern, Register};
use crate::resolve::lowering::Lowering;
use crate::resolve::role::Role;

impl Template for RateLimit {
    fn patterns(&self) -> Vec<(&Source, Role)> {
        vec![(&self.call, Role::COUNTED)]
    }

    fn names(&self) -> Vec<&str> {
        vec!["call"]
    }

    fn lower(&self, patterns: Option<Vec<Pattern>>, lowering: &mut Lowering<'_, '_>) -> Option<Kind> {
        let limit = u32::try_from(self.n.value.get()).ok()?;
        let register = Register::Rate { limit, window: self.window.value.duration() };
        Some(lowering.register(patterns?, register, Clock::Time, None))
    }

    fn words(&self, _: &Rule) -> Words {
        let (n, window) = (self.n.value.get(), Extent::Time(self.window.value));
        Words {
            says: format!("{} happens at most {} in any {}", quoted(&self.call), times(n), extent(window)),
            advice: until_fewer(n, window),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnostic::Code;
    use crate::rule::fixture::assert_mistake;

    #[test]
    fn a_rate_is_by_time() {
        let calls = "rate_limit: { call: a, n: 1, window: 5 calls }";
        assert_mistake(calls, Code::BadValue, "5 calls", "`5 calls` is not a duration");
    }
}
