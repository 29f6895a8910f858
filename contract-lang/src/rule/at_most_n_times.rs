//! `at_most_n_times: { call, n, window? }`: at most `n` occurrences, in the session or in every window.
//!
//! ```yaml
//! at_most_n_times: { call: pay, n: 1, window: 3 calls }
//! count: succeeded
//! ```
//! ```text
//! pay → failed  | allow | open
//! pay           | allow | open
//! pay           | block | open
//! look          | allow | open
//! pay           | block | open
//! look          | allow | open
//! pay           | allow | open
//! end           |       | satisfied
//! ```
//!
//! Patterns: `[call]`. Register: a count. A call counts when it is admitted, so that parallel calls cannot overshoot;
//! with `count: succeeded` its count is returned when it fails.
//!
//! With a `window` the register keeps the times of the last `n` occurrences. A duration is a closed window: occurrences
//! exactly so far apart are in one. `N calls` is any `N` consecutive admitted calls of the session, of any tool.

use super::words::{counts_successes, extent, quoted, times};
use super::{Template, Words};
use crate::ast::{AtMostNTimes, Extent, Rule, Source};
use crate::diagnostic::{Code, Diagnostic};
use crate::mir::{Clock, Kind, Pattern, Register};
use crate::resolve::lowering::{Lowering, window};
use crate::resolve::role::Role;

/// The most times that a rule keeps.
const MOST: u32 = 100_000;

impl AtMostNTimes {
    fn register(&self, lowering: &mut Lowering<'_, '_>) -> Option<(Register, Clock)> {
        let limit = self.n.value.get();
        let Some(written) = self.window.filter(|_| limit > 0) else {
            return Some((Register::Count { limit }, Clock::Time));
        };
        let Some(limit) = u32::try_from(limit).ok().filter(|limit| *limit <= MOST) else {
            let message = format!("`{limit}` in a window are more than a rule can keep the times of");
            lowering.report(
                Diagnostic::new(Code::BadValue, self.n.span, message)
                    .help(format!("write at most {MOST}, or leave `window` out")),
            );
            return None;
        };
        let (window, clock) = window(written.value);
        Some((Register::Rate { limit, window }, clock))
    }
}

impl Template for AtMostNTimes {
    fn patterns(&self) -> Vec<(&Source, Role)> {
        vec![(&self.call, Role::COUNTED)]
    }

    fn names(&self) -> Vec<&str> {
        vec!["call"]
    }

    fn lower(&self, patterns: Option<Vec<Pattern>>, lowering: &mut Lowering<'_, '_>) -> Option<Kind> {
        let register = self.register(lowering);
        let (patterns, (register, clock)) = (patterns?, register?);
        Some(lowering.register(patterns, register, clock, None))
    }

    fn words(&self, rule: &Rule) -> Words {
        let (call, n) = (quoted(&self.call), self.n.value.get());
        let happens = format!("{call} happens at most {}", times(n));
        let Some(window) = self.window.filter(|_| n > 0).map(|window| window.value) else {
            let key = if rule.per.is_some() { " for this key" } else { "" };
            let unless = if counts_successes(rule) { ", unless one that counts fails" } else { "" };
            return Words { says: happens, advice: format!("nothing in this session{key}{unless}") };
        };
        Words { says: format!("{happens} in any {}", extent(window)), advice: until_fewer(n, window) }
    }
}

/// What helps where there were too many in a window.
pub(super) fn until_fewer(n: u64, window: Extent) -> String {
    format!("wait until fewer than {n} happened in the last {}", extent(window))
}

#[cfg(test)]
mod tests {
    use contract_runtime::Duration;

    use crate::diagnostic::Code;
    use crate::mir::{Clock, Kind, Register};
    use crate::rule::fixture::{assert_mistake, register, rule};

    #[test]
    fn a_window_is_a_duration_or_a_number_of_calls() {
        let second = Duration::from_nanos(1_000_000_000);
        for (text, expected) in [
            ("n: 3", Register::Count { limit: 3 }),
            ("n: 3, window: 1s", Register::Rate { limit: 3, window: second }),
            ("n: 3, window: 5 calls", Register::Rate { limit: 3, window: Duration::from_nanos(4) }),
            ("n: 0, window: 1s", Register::Count { limit: 0 }),
        ] {
            assert_eq!(register(&format!("at_most_n_times: {{ call: a, {text} }}")), expected);
        }
        let calls = rule("at_most_n_times: { call: a, n: 3, window: 5 calls }").kind;
        assert!(matches!(calls, Kind::Register { clock: Clock::Calls, template: "at_most_n_times", .. }));
    }

    #[test]
    fn the_times_in_a_window_are_bounded() {
        let many = "at_most_n_times: { call: a, n: 100001, window: 1d }";
        let message = "`100001` in a window are more than a rule can keep the times of";
        assert_mistake(many, Code::BadValue, "100001", message);
    }
}
