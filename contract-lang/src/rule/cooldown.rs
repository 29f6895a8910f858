//! `cooldown: { call, gap }`: two occurrences are at least `gap` apart, by event time.
//!
//! ```yaml
//! cooldown: { call: restart, gap: 10m }
//! ```
//! ```text
//! restart     | allow | open
//! 599s later  |       | open
//! restart     | block | open
//! 1s later    |       | open
//! restart     | allow | open
//! end         |       | satisfied
//! ```
//!
//! Patterns: `[call]`. Register: that of a rate limit of one in the closed window that is one nanosecond shorter than the
//! gap, so that exactly `gap` is far enough.

use contract_runtime::Duration;

use super::words::{extent, quoted};
use super::{Template, Words};
use crate::ast::{Cooldown, Extent, Rule, Source};
use crate::mir::{Clock, Kind, Pattern, Register};
use crate::resolve::lowering::Lowering;
use crate::resolve::role::Role;

impl Template for Cooldown {
    fn patterns(&self) -> Vec<(&Source, Role)> {
        vec![(&self.call, Role::COUNTED)]
    }

    fn names(&self) -> Vec<&str> {
        vec!["call"]
    }

    fn lower(&self, patterns: Option<Vec<Pattern>>, lowering: &mut Lowering<'_, '_>) -> Option<Kind> {
        let window = Duration::from_nanos(self.gap.value.duration().as_nanos().saturating_sub(1));
        Some(lowering.register(patterns?, Register::Rate { limit: 1, window }, Clock::Time, None))
    }

    fn words(&self, _: &Rule) -> Words {
        let gap = extent(Extent::Time(self.gap.value));
        Words {
            says: format!("{} happens at least {gap} after the last time", quoted(&self.call)),
            advice: format!("wait until {gap} have passed since the last time"),
        }
    }
}

#[cfg(test)]
mod tests {
    use contract_runtime::Duration;

    use crate::mir::Register;
    use crate::rule::fixture::register;

    #[test]
    fn exactly_the_gap_is_far_enough() {
        let window = Duration::from_nanos(999_999_999);
        assert_eq!(register("cooldown: { call: a, gap: 1s }"), Register::Rate { limit: 1, window });
    }
}
