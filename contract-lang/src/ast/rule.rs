//! Rules as written.

use contract_runtime::{Mode, Severity};

use super::{Action, Amount, Count, DecideTable, Instances, Int, MAX_SAFE, RuleId, Source, Text, Window};
use crate::decode::{Decode, Fields, Map, OneOrMany, TwoOrMore, record, rule_record};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::Spanned;
use crate::syntax::yaml::{Kind as NodeKind, Node};

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
        /// What to tell the agent when the rule blocks a call.
        message: Option<Spanned<Text>>,
        /// What a violation does to the call: `block` (default), `ask` or `alert`. Short for `decide: { violated: … }`.
        action: Option<Spanned<Action>>,
        /// Whether the decisions of this rule are carried out (`enforce`) or only recorded (`shadow`).
        mode: Option<Spanned<Mode>>,
        /// The key: the rule holds for each value of this path by itself.
        per: Option<Per>,
        /// The memory bound of a keyed rule.
        instances: Option<Instances>,
        /// Overrides of what follows from a verdict of this rule.
        decide: Option<DecideTable>,
        /// A predicate that narrows every pattern of the rule.
        r#where: Option<Source>,
        /// Which calls count: all that were admitted (default), or only those that did not fail.
        count: Option<Spanned<Count>>,
    }

    /// What a rule says.
    enum Kind {
        /// `then` may run only after `first` succeeded.
        must_precede: MustPrecede => MustPrecede,
        /// `call` may run only after `without` succeeded.
        cannot_follow_without: CannotFollowWithout => CannotFollowWithout,
        /// The calls happen at most `n` times.
        at_most_n_times: AtMostNTimes => AtMostNTimes,
        /// The sum over the calls is at most `limit`.
        at_most_total: AtMostTotal => AtMostTotal,
        /// After `after`, `call` may not run any more.
        never_after: NeverAfter => NeverAfter,
        /// At most one of these patterns ever occurs.
        mutually_exclusive: TwoOrMore<Source> => MutuallyExclusive,
        /// Each of these must have happened when the session ends.
        required_before_session_end: OneOrMany<Source> => RequiredBeforeSessionEnd,
        /// At most `n` calls in every window of this length.
        rate_limit: RateLimit => RateLimit,
        /// Never happens.
        forbid: Source => Forbid,
        /// Calls that run although `default` would stop them.
        permit: Source => Permit,
        /// Each predicate must hold for the calls of `call`.
        require: OneOrMany<Source> => Require with
            /// The calls that `require` guards.
            call: Source,
    }
    check count_belongs
}

/// The kinds that count calls.
pub(crate) const COUNTING: &[&str] = &["at_most_n_times", "at_most_total", "rate_limit"];

/// `count` and `call` belong to some kinds only.
fn count_belongs(fields: &Fields<'_>, kind: &str, diagnostics: &mut Diagnostics) {
    let only = [("count", COUNTING), ("call", &["require"][..])];
    for (name, kinds) in only {
        let Some(entry) = fields.entry(name).filter(|_| !kinds.contains(&kind)) else { continue };
        let kinds: Vec<_> = kinds.iter().map(|kind| format!("`{kind}`")).collect();
        let message = format!("a rule with `{kind}` has no field `{name}`");
        let help = format!("`{name}` is for rules with {}", kinds.join(", "));
        diagnostics.push(Diagnostic::new(Code::UnknownField, entry.key.span, message).help(help));
    }
}

/// The places of a rule where fields can be, for "it is a field of …".
pub(crate) const HOMES: &[(&str, &[&str])] = &[
    (Rule::WHAT, Rule::FIELDS),
    (MustPrecede::WHAT, MustPrecede::FIELDS),
    (CannotFollowWithout::WHAT, CannotFollowWithout::FIELDS),
    (AtMostNTimes::WHAT, AtMostNTimes::FIELDS),
    (AtMostTotal::WHAT, AtMostTotal::FIELDS),
    (NeverAfter::WHAT, NeverAfter::FIELDS),
    (RateLimit::WHAT, RateLimit::FIELDS),
];

record! {
    /// `then` may run only after `first` succeeded.
    "`must_precede`" struct MustPrecede {
        /// What must have succeeded before.
        first: Source,
        /// The calls that wait for it.
        then: Source,
    }
}

record! {
    /// `call` may run only after `without` succeeded.
    "`cannot_follow_without`" struct CannotFollowWithout {
        /// The calls that wait for it.
        call: Source,
        /// What must have succeeded before.
        without: Source,
    }
}

record! {
    /// The calls happen at most `n` times.
    "`at_most_n_times`" struct AtMostNTimes {
        /// The calls that count.
        call: Source,
        /// The most that is allowed.
        n: Spanned<Int<0, MAX_SAFE>>,
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

/// The key of a rule.
#[derive(Clone, Debug, PartialEq)]
pub enum Per {
    /// The same paths for every tool of the rule; several make a composite key.
    Same(OneOrMany<Source>),
    /// Paths by tool.
    ByTool(Map<Source, OneOrMany<Source>>),
}

impl Decode for Per {
    fn decode(node: &Node, diagnostics: &mut Diagnostics) -> Option<Self> {
        match &node.kind {
            NodeKind::Mapping(mapping) if mapping.entries.is_empty() => {
                let message = "the mapping is empty, and needs a path for each tool of the rule";
                diagnostics.push(Diagnostic::new(Code::BadValue, node.span, message));
                None
            }
            NodeKind::Mapping(_) => Map::decode(node, diagnostics).map(Self::ByTool),
            _ => OneOrMany::decode(node, diagnostics).map(Self::Same),
        }
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Per {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Per".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let paths = generator.subschema_for::<OneOrMany<Source>>();
        let mut by_tool = generator.subschema_for::<Map<Source, OneOrMany<Source>>>();
        by_tool.insert("minProperties".to_owned(), 1.into());
        schemars::json_schema!({
            "description": "A path, a list of paths (a composite key), or a mapping from tools to either.",
            "anyOf": [paths, by_tool],
        })
    }
}
