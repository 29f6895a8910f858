//! The roles of the patterns of a rule, by the names that its kind or its author gives them.

use contract_lang::mir::Pattern;

/// What a pattern is called in its rule, if it has a name there.
pub(super) fn name<'a>(kind: &str, at: u32, pattern: &'a Pattern) -> Option<&'a str> {
    pattern.name.as_deref().or_else(|| of(kind, at))
}

/// The name of a pattern in the rule, where its kind gives it one.
fn of(kind: &str, pattern: u32) -> Option<&'static str> {
    let roles: &[&'static str] = match kind {
        "must_precede" => &["first", "then", "void_on"],
        "cannot_follow_without" => &["without", "call", "void_on"],
        "never_after" => &["after", "call"],
        "must_be_followed_by" => &["after", "then"],
        "at_most_open" => &["open", "close"],
        "no_flow" => &["from", "to"],
        "ensure" | "redact" => &["after"],
        "at_most_n_times" | "at_most_total" | "at_most_distinct" | "rate_limit" | "cooldown" | "require"
        | "rewrite" => &["call"],
        // `forbid`, `permit`, `mutually_exclusive` and `required_before_session_end` are their patterns.
        _ => &[],
    };
    roles.get(usize::try_from(pattern).ok()?).copied()
}

/// Whether a call that matches the pattern may be stopped.
pub(super) fn stops(kind: &str, pattern: u32) -> bool {
    let owed = matches!(kind, "must_be_followed_by" | "required_before_session_end");
    !owed && matches!(of(kind, pattern), None | Some("call" | "then" | "open" | "to"))
}

#[cfg(test)]
mod tests {
    use super::stops;

    #[test]
    fn what_comes_before_is_not_stopped() {
        for (kind, pattern, expected) in [
            ("must_precede", 0, false),
            ("must_precede", 1, true),
            ("must_precede", 2, false),
            ("must_be_followed_by", 1, false),
            ("required_before_session_end", 0, false),
            ("mutually_exclusive", 1, true),
            ("forbid", 0, true),
            ("at_most_open", 1, false),
            ("no_flow", 1, true),
        ] {
            assert_eq!(stops(kind, pattern), expected, "{kind} {pattern}");
        }
    }
}
