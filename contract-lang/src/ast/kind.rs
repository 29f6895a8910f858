//! What a rule says, by its kind. The meaning of each kind is documented in [`crate::rule`].

use super::{Amount, Extent, Int, MAX_SAFE, Names, Otherwise, PerTool, Source, Temporal, Window};
use crate::decode::{Fields, Map, OneOrMany, TwoOrMore, record, spread_record};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::Spanned;

record! {
    /// `then` may run only after `first` succeeded.
    "`must_precede`" struct MustPrecede {
        /// What must have succeeded before.
        first: Source,
        /// The calls that wait for it.
        then: Source,
        /// Whether a call that runs uses `first` up, so that the next one needs another.
        consume: Option<Spanned<bool>>,
        /// How long a `first` is good for.
        expires: Option<Spanned<Window>>,
        /// Events that undo `first`.
        void_on: Option<Source>,
    }
}

record! {
    /// `call` may run only after `without` succeeded.
    "`cannot_follow_without`" struct CannotFollowWithout {
        /// The calls that wait for it.
        call: Source,
        /// What must have succeeded before.
        without: Source,
        /// Whether a call that runs uses `without` up, so that the next one needs another.
        consume: Option<Spanned<bool>>,
        /// How long a `without` is good for.
        expires: Option<Spanned<Window>>,
        /// Events that undo `without`.
        void_on: Option<Source>,
    }
}

record! {
    /// After `after`, `call` may not run any more.
    "`never_after`" struct NeverAfter {
        /// The calls that are banned.
        call: Source,
        /// What bans them.
        after: Source,
    }
}

spread_record! {
    /// At most one of the patterns ever occurs.
    struct MutuallyExclusive {
        /// At most one of these patterns ever occurs.
        mutually_exclusive: TwoOrMore<Source>,
    }
}

spread_record! {
    /// Each of the patterns must have happened when the session ends.
    struct RequiredBeforeSessionEnd {
        /// Each of these must have happened when the session ends.
        required_before_session_end: OneOrMany<Source>,
    }
}

record! {
    /// Each `after` is followed by a `then`: before the session ends, or in time.
    "`must_be_followed_by`" struct MustBeFollowedBy {
        /// What must be followed: a bare tool is its success.
        after: Source,
        /// What must follow: a bare tool is its success.
        then: Source,
        /// How much later at the latest: a duration, or `N calls`.
        within: Option<Spanned<Extent>>,
    }
}

record! {
    /// The two take turns, and `first` begins.
    "`alternate`" struct Alternate {
        /// What begins, and comes between any two of the other.
        first: Source,
        /// What comes after each of them.
        second: Source,
    }
}

record! {
    #[cfg_attr(feature = "schema", schemars(transform = says_something_of_scopes))]
    /// From `open` until `close` no `forbid` may run, and `close` only after `needs`.
    "`between`" struct Between {
        /// What opens a scope.
        open: Source,
        /// What closes it. A bare tool is its success; with `needs` it is the call, which is what has to wait.
        close: Source,
        /// The calls that may not run in a scope.
        forbid: Option<Source>,
        /// What must have succeeded in a scope before it is closed.
        needs: Option<Source>,
    }
    check between_says_something
}

const SCOPED: &[&str] = &["forbid", "needs"];

fn between_says_something(fields: &Fields<'_>, diagnostics: &mut Diagnostics) {
    if !SCOPED.iter().any(|field| fields.entry(field).is_some()) {
        let message = "the rule says nothing of what is between `open` and `close`";
        let help = "write `forbid`, `needs` or both";
        diagnostics.push(Diagnostic::new(Code::MissingField, fields.place(), message).help(help));
    }
}

/// The same for the schema.
#[cfg(feature = "schema")]
fn says_something_of_scopes(schema: &mut schemars::Schema) {
    crate::schema::at_least_one(schema, SCOPED);
}

record! {
    /// The steps happen in this order: each may be repeated, none is skipped.
    "`sequence`" struct Sequence {
        /// The steps, in order.
        steps: TwoOrMore<Source>,
        /// Whether the first step may come again after the last.
        restart: Option<Spanned<bool>>,
    }
}

record! {
    /// The calls happen at most `n` times.
    "`at_most_n_times`" struct AtMostNTimes {
        /// The calls that count.
        call: Source,
        /// The most that is allowed; with a window at most 100,000.
        n: Spanned<Int<0, MAX_SAFE>>,
        /// Allowed so often in every window of this length: a duration, or `N calls`.
        window: Option<Spanned<Extent>>,
    }
}

record! {
    /// The exact sum over the calls is at most `limit`.
    "`at_most_total`" struct AtMostTotal {
        /// The calls that count.
        call: Source,
        /// The amount of one call.
        sum: Source,
        /// The most that is allowed.
        limit: Spanned<Amount>,
        /// Allowed in every window of this length: a duration, or `N calls`.
        window: Option<Spanned<Extent>>,
    }
}

record! {
    /// The calls happen with at most `n` different values of `of`.
    "`at_most_distinct`" struct AtMostDistinct {
        /// The calls that count.
        call: Source,
        /// The value: a path, or a path for each tool.
        of: PerTool<Source>,
        /// The most different values that are allowed. So many values are kept.
        n: Spanned<Int<1, 100_000>>,
    }
}

record! {
    /// At most `n` calls in every closed window of this length, by event time.
    "`rate_limit`" struct RateLimit {
        /// The calls that count.
        call: Source,
        /// The most that is allowed in a window. The times of so many calls are kept.
        n: Spanned<Int<1, 100_000>>,
        /// The length of the window.
        window: Spanned<Window>,
    }
}

record! {
    /// Two of the calls are at least `gap` apart, by event time.
    "`cooldown`" struct Cooldown {
        /// The calls that count.
        call: Source,
        /// The least time from one to the next.
        gap: Spanned<Window>,
    }
}

record! {
    /// At most `n` are open at once.
    "`at_most_open`" struct AtMostOpen {
        /// The calls that open one.
        open: Source,
        /// What closes it: a bare tool is its success.
        close: Source,
        /// The most that may be open at once. So many ids are kept.
        n: Spanned<Int<1, 100_000>>,
        /// What tells one from another: a path, or a path for each tool. Without it they are only counted.
        of: Option<PerTool<Source>>,
    }
}

spread_record! {
    /// A formula of linear temporal logic.
    struct Formula {
        /// What holds of every session: `always(p implies once q)`, over the names of `let`.
        formula: Temporal,
        /// The names of the formula, at most eight, and the patterns that they stand for.
        r#let: Names,
    }
}

spread_record! {
    /// The calls never happen.
    struct Forbid {
        /// Never happens.
        forbid: Source,
    }
}

spread_record! {
    /// The calls run although `default` would stop them.
    struct Permit {
        /// Calls that run although `default` would stop them.
        permit: Source,
    }
}

spread_record! {
    /// A precondition.
    struct Require {
        /// Each predicate must hold for the calls of `call`.
        require: OneOrMany<Source>,
        /// The calls that `require` guards, or whose arguments `rewrite` changes.
        call: Source,
    }
}

spread_record! {
    /// A postcondition.
    struct Ensure {
        /// Each predicate must hold for the results of `after`.
        ensure: OneOrMany<Source>,
        /// The results that `ensure` or `redact` looks at: a bare tool is any outcome.
        after: Source,
        /// What becomes of a result for which `ensure` does not hold: `withhold` (default) or `alert`.
        otherwise: Option<Spanned<Otherwise>>,
    }
}

spread_record! {
    /// Parts of results that the agent does not see.
    struct Redact {
        /// Paths into the result: what they lead to is not shown to the agent.
        redact: OneOrMany<Source>,
        /// The results that `ensure` or `redact` looks at: a bare tool is any outcome.
        after: Source,
    }
}

spread_record! {
    /// Changed arguments.
    struct Rewrite {
        /// Path into the arguments and value: the call runs with the value there.
        rewrite: Map<Source, Source>,
        /// The calls that `require` guards, or whose arguments `rewrite` changes.
        call: Source,
    }
}

record! {
    /// What was seen in a result of `from` must not appear in the arguments of `to`.
    "`no_flow`" struct NoFlow {
        /// The results: a bare tool is any outcome.
        from: Source,
        /// The calls.
        to: Source,
        /// Paths into the result; all of it (`result.**`) if not given.
        values: Option<OneOrMany<Source>>,
        /// Shorter texts are not looked at, in bytes; 8 if not given.
        min_length: Option<Spanned<Int<4, 65_536>>>,
    }
}
