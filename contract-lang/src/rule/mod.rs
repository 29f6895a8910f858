//! The kinds of rules, one file each: what a rule means, its formula or its register, an example that is run by a test.
//!
//! A formula speaks of the patterns of its rule by index, and so do the letters of its machine: bit i is pattern i. The
//! order of the patterns is part of each kind's documentation. An event that matches several patterns of a rule never
//! helps the agent.
//!
//! The first blocks of a kind's documentation are its example: the rule, and a trace. A line of the trace is a call
//! (`pay {"amount": 5}`; `→ failed`, `→ unknown` or `→ {"a": "result"}` where it does not simply succeed), a host event
//! (`event(turn)`), time that goes by (`10m later`) or the `end`; after it stand the decision and the verdict of the rule
//! from then on.

pub mod alternate;
pub mod at_most_distinct;
pub mod at_most_n_times;
pub mod at_most_open;
pub mod at_most_total;
pub mod between;
pub mod cannot_follow_without;
pub mod cooldown;
pub mod ensure;
#[cfg(test)]
#[cfg(feature = "interpret")]
mod examples;
#[cfg(test)]
mod fixture;
pub mod forbid;
pub mod formula;
pub mod must_be_followed_by;
pub mod must_precede;
pub mod mutually_exclusive;
pub mod never_after;
pub mod no_flow;
pub mod permit;
pub mod rate_limit;
pub mod redact;
pub mod require;
pub mod required_before_session_end;
pub mod rewrite;
pub mod sequence;
mod words;

use std::ops::Range;

use contract_runtime::Decision;

pub(crate) use self::words::{Words, words};
use crate::ast::{Rule, Source};
use crate::mir::{Kind, Pattern};
use crate::resolve::lowering::Lowering;
use crate::resolve::role::Role;

/// What a kind of rule means: how it gets from the contract as written to the checked contract.
pub(crate) trait Template {
    /// The patterns with their roles, in the order that the formula or the register speaks of them.
    fn patterns(&self) -> Vec<(&Source, Role)>;

    /// The names that the kind gives its patterns, in their order; fewer where patterns have no name but their text.
    fn names(&self) -> Vec<&str> {
        Vec::new()
    }

    /// What the kind makes of its patterns; `None` after an error. Without patterns, because one of them was wrong, it
    /// checks the rest all the same.
    fn lower(&self, patterns: Option<Vec<Pattern>>, lowering: &mut Lowering<'_, '_>) -> Option<Kind>;

    /// What it says, and what would make a blocked call allowed.
    fn words(&self, rule: &Rule) -> Words;

    /// The common fields that say nothing in a rule of this kind, each with what to do instead.
    fn lacks(&self) -> Vec<Lack> {
        Vec::new()
    }

    /// The patterns that a violating event matches; none for a kind that only the end of a session or a deadline violates.
    fn violating(&self) -> Range<usize> {
        0..1
    }

    /// Whether it can be pending: something must still happen before the session ends. Only then it guards calls.
    fn owes(&self) -> bool {
        false
    }

    /// What becomes of what violates it, where another field than `action` says so.
    fn otherwise(&self) -> Option<Decision> {
        None
    }
}

/// A common field that says nothing in rules of some kind, and what to do instead.
pub(crate) type Lack = (&'static str, &'static str);

/// What a rule lacks that looks at one event by itself.
const REMEMBERS_NOTHING: &[Lack] = {
    const HELP: &str = "it looks at one call and remembers nothing, so it is the same for every key: leave it out";
    &[("per", HELP), ("missing", HELP), ("instances", HELP), ("guards", HELP), ("reset_on", HELP)]
};

#[cfg(test)]
mod tests {
    use super::fixture::{assert_mistake, contract, mistakes, rule};
    use crate::ast;
    use crate::diagnostic::Code;
    use crate::mir::Expr;
    use crate::{Options, check};

    #[test]
    fn every_kind_has_a_file_of_its_own() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/rule");
        for kind in ast::Rule::KINDS {
            assert!(folder.join(format!("{}.rs", kind.name)).exists(), "{}", kind.name);
        }
    }

    #[test]
    fn where_and_unless_narrow_every_pattern_of_the_kind_and_no_other() {
        let text = "must_be_followed_by: { after: a where args.x, then: b }\nwhere: args.y\nunless: args.z\nguards: c\nreset_on: event(d)";
        let rule = rule(text);
        let condition = |pattern: &crate::mir::Pattern| pattern.alternatives[0].condition.clone();
        let Some(Expr::And(parts)) = condition(&rule.patterns()[0]) else { panic!() };
        assert!(matches!(parts.as_slice(), [Expr::Path(_), Expr::Path(_), Expr::Not(_)]), "{parts:?}");
        assert!(matches!(condition(&rule.patterns()[1]), Some(Expr::And(parts)) if parts.len() == 2));
        assert_eq!(rule.guards.as_ref().map(condition), Some(None));
        assert_eq!(rule.reset_on.as_ref().map(condition), Some(None));
        assert_eq!(
            rule.says,
            "after `a where args.x`, `b` has succeeded before the session ends, where `args.y`, unless `args.z`"
        );
    }

    #[test]
    fn a_mistake_in_unless_is_reported_once() {
        let found = mistakes("must_precede: { first: a, then: b }\nunless: stat.x");
        assert_eq!(found.len(), 1, "{found:?}");
    }

    #[test]
    fn a_condition_that_some_pattern_cannot_read_is_shown_with_that_pattern() {
        let text = contract("must_precede: { first: a, then: b, void_on: event(x) }\nunless: args.y == 1");
        let checked = check("contract.yaml", text.as_bytes(), &Options::default());
        let found = checked.diagnostics.iter().find(|found| found.code == Code::NotReadable).unwrap();
        assert_eq!(found.related.len(), 1);
        assert_eq!(checked.source.slice(found.related[0].span), "event(x)");
    }

    #[test]
    fn advice_names_what_is_meant() {
        let owes = "required_before_session_end: a\n";
        for (rule, advice) in [
            ("reset_on: turn", "`event(turn)` for an event of the host"),
            ("guards: [b, c]", "joined with `|`: `b | c`"),
            ("guards:\n  - b\n  - c", "joined with `|`: `b | c`"),
        ] {
            let text = contract(&format!("{owes}{rule}"));
            let checked = check("contract.yaml", text.as_bytes(), &Options::default());
            let helps = checked.diagnostics.iter().flat_map(|found| &found.help);
            assert!(helps.clone().any(|help| help.text.contains(advice)), "{rule}: {:?}", checked.diagnostics);
        }
    }

    #[test]
    fn what_says_nothing_is_refused() {
        for (rule, place, message) in [
            ("forbid: a\nguards: b", "b", "a rule with `forbid` is never pending, so it guards nothing"),
            ("forbid: a\nmissing: skip", "skip", "`missing` is about the key of a rule, and this rule has no `per`"),
            ("permit: a\nreset_on: event(b)", "event(b)", "a rule with `permit` has no field `reset_on`"),
            ("call: a\nrequire: args.x\nmissing: skip", "skip", "a rule with `require` has no field `missing`"),
            (
                "after: a\nredact: result.x\ndecide: { violated: ask }",
                "{ violated: ask }",
                "a rule with `redact` has no field `decide`",
            ),
            (
                "at_most_open: { open: a, close: b, n: 1 }\ncount: all",
                "count",
                "a rule with `at_most_open` has no field `count`",
            ),
            (
                "at_most_distinct: { call: a, of: args.x, n: 1 }\ncount: succeeded",
                "count",
                "a rule with `at_most_distinct` has no field `count`",
            ),
            ("forbid: a\nafter: b", "after", "a rule with `forbid` has no field `after`"),
            (
                "after: a\nredact: result.x\notherwise: alert",
                "otherwise",
                "a rule with `redact` has no field `otherwise`",
            ),
        ] {
            assert_mistake(rule, Code::UnknownField, place, message);
        }
    }

    #[test]
    fn a_guard_is_a_call_and_a_reset_has_a_phase() {
        let owes = "required_before_session_end: a\n";
        assert_mistake(&format!("{owes}guards: ok(b)"), Code::WrongPhase, "b", "`ok(b)` cannot be a decided call");
        assert_mistake(&format!("{owes}reset_on: b"), Code::MissingPhase, "b", "`b` has no phase");
    }
}
