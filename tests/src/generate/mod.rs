//! Random contracts and traces, the same for the same seed.
//!
//! The vocabulary is small on purpose: few tools, few keys and small bounds make the rules of a contract meet the events
//! of a trace, and one another.

#![expect(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "small numbers and lists of our own making"
)]

pub mod contract;
pub mod corpus;
pub mod formula;
pub mod large;
pub mod pattern;
pub mod predicate;
pub mod rule;
pub mod seed;
pub mod small;
pub mod trace;

pub use contract::contract;
pub use large::large;
pub use seed::Seed;
pub use small::small;
pub use trace::{Step, print, trace};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_contract_and_trace() {
        let made = |number| {
            let mut seed = Seed::new(number);
            (contract(&mut seed), print("s", &trace(&mut seed, 20)))
        };
        assert_eq!(made(7), made(7));
        assert_ne!(made(7), made(8));
    }

    #[test]
    fn every_kind_of_rule_is_made() {
        let texts: String = (0..400).map(|number| contract(&mut Seed::new(number))).collect();
        for word in [
            "must_precede",
            "consume",
            "expires",
            "void_on",
            "never_after",
            "must_be_followed_by",
            "within: 3 calls",
            "window: 4 calls",
            "at_most_distinct",
            "rate_limit",
            "cooldown",
            "at_most_open",
            "permit",
            "require",
            "ensure",
            "redact",
            "rewrite",
            "no_flow",
            "alternate",
            ", forbid: '",
            "needs: '",
            "restart: true",
            "formula: ",
            "since",
            "weak_until",
            "close_on",
            "reset_on",
            "guards",
            "unless",
            "missing: skip",
            "when_full: alert",
            "count: succeeded",
            "fresh",
            "'*'",
            "args.tags[]",
        ] {
            assert!(texts.contains(word), "{word}");
        }
    }
}
