//! Rules as written.

use contract_runtime::{Mode, Severity};

use super::{
    Action, Alternate, AtMostDistinct, AtMostNTimes, AtMostOpen, AtMostTotal, Between, CannotFollowWithout, Cooldown,
    Count, DecideTable, Ensure, Forbid, Formula, Instances, Missing, MustBeFollowedBy, MustPrecede, MutuallyExclusive,
    NeverAfter, NoFlow, Per, Permit, RateLimit, Redact, Require, RequiredBeforeSessionEnd, Rewrite, RuleId, Sequence,
    Source, Text,
};
use crate::decode::rule_record;
use crate::source::Spanned;

rule_record! {
    /// A rule: exactly one kind, and fields that rules of every kind have.
    "a rule" struct Rule {
        /// The id, unique in the contract.
        id: Spanned<RuleId>,
        /// A title for people.
        title: Option<Spanned<Text>>,
        /// How bad a violation is; `medium` if not given.
        severity: Option<Spanned<Severity>>,
        /// Free tags.
        tags: Vec<Spanned<Text>> = default,
        /// What to tell the agent when the rule blocks a call. Holes: `{args.x}`, `{key}`, `{tool}`.
        message: Option<Spanned<Text>>,
        /// What a violation does to the call: `block` (default), `ask` or `alert`. Short for `decide: { violated: … }`.
        action: Option<Spanned<Action>>,
        /// Whether the decisions of this rule are carried out (`enforce`) or only recorded (`shadow`).
        mode: Option<Spanned<Mode>>,
        /// The key: the rule holds for each value of this path by itself.
        per: Option<Per>,
        /// What becomes of an event whose key is not there: the rule is not established (`block`, default), or leaves the
        /// event out (`skip`).
        missing: Option<Spanned<Missing>>,
        /// The memory bound of a keyed rule.
        instances: Option<Instances>,
        /// Overrides of what follows from a verdict of this rule.
        decide: Option<DecideTable>,
        /// A predicate that narrows every pattern of the rule.
        r#where: Option<Source>,
        /// A predicate that narrows every pattern of the rule to where it does not hold.
        unless: Option<Source>,
        /// Calls that are stopped while the rule would be pending after them.
        guards: Option<Source>,
        /// Events after which the rule starts afresh.
        reset_on: Option<Source>,
        /// Which calls count: all that were admitted (default), or only those that did not fail.
        count: Option<Spanned<Count>>,
    }

    /// What a rule says.
    enum Kind {
        /// `then` may run only after `first` succeeded.
        must_precede: MustPrecede,
        /// `call` may run only after `without` succeeded.
        cannot_follow_without: CannotFollowWithout,
        /// After `after`, `call` may not run any more.
        never_after: NeverAfter,
        /// At most one of these patterns ever occurs.
        mutually_exclusive: MutuallyExclusive,
        /// Each of these must have happened when the session ends.
        required_before_session_end: RequiredBeforeSessionEnd,
        /// Each `after` is followed by a `then`: before the session ends, or in time.
        must_be_followed_by: MustBeFollowedBy,
        /// The two take turns, and `first` begins.
        alternate: Alternate,
        /// From `open` until `close` no `forbid` may run, and `close` only after `needs`.
        between: Between,
        /// The steps happen in this order: each may be repeated, none is skipped.
        sequence: Sequence,
        /// The calls happen at most `n` times.
        at_most_n_times: AtMostNTimes with count,
        /// The sum over the calls is at most `limit`.
        at_most_total: AtMostTotal with count,
        /// The calls happen with at most `n` different values of `of`.
        at_most_distinct: AtMostDistinct,
        /// At most `n` calls in every window of this length.
        rate_limit: RateLimit with count,
        /// Two of the calls are at least `gap` apart.
        cooldown: Cooldown with count,
        /// At most `n` are open at once.
        at_most_open: AtMostOpen,
        /// What holds of every session, in linear temporal logic on finite traces.
        formula: Formula,
        /// Never happens.
        forbid: Forbid,
        /// Calls that run although `default` would stop them.
        permit: Permit,
        /// Each predicate must hold for the calls of `call`.
        require: Require,
        /// Each predicate must hold for the results of `after`.
        ensure: Ensure,
        /// Paths into the result: what they lead to is not shown to the agent.
        redact: Redact,
        /// Path into the arguments and value: the call runs with the value there.
        rewrite: Rewrite,
        /// What was seen in a result must not appear in arguments.
        no_flow: NoFlow,
    }
}

/// The places of a rule where fields can be, for "it is a field of …".
pub(crate) const HOMES: &[(&str, &[&str])] = Rule::HOMES;
