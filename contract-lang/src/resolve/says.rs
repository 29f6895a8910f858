//! A rule in words: what it says, and what would make a call that it blocked allowed. Both are for people and models,
//! are made of the contract's own words, and say nothing of the state of a session.

use super::resolver::text;
use crate::ast::{Count, Kind, Per, Rule, Source};

/// A rule in words.
pub(super) struct Words {
    /// What it says.
    pub(super) says: String,
    /// What would make a blocked call allowed.
    pub(super) advice: String,
}

/// A rule in words: parts of a sentence, without a full stop.
pub(super) fn words(rule: &Rule) -> Words {
    let (says, advice) = match &rule.kind {
        Kind::MustPrecede(kind) => {
            (format!("{} is allowed only after {}", quoted(&kind.then), proof(&kind.first)), first(&kind.first, rule))
        }
        Kind::CannotFollowWithout(kind) => (
            format!("{} is not allowed before {}", quoted(&kind.call), proof(&kind.without)),
            first(&kind.without, rule),
        ),
        Kind::NeverAfter(kind) => (
            format!("{} is not allowed after {}", quoted(&kind.call), quoted(&kind.after)),
            format!("nothing in this session: it is banned after {}", quoted(&kind.after)),
        ),
        Kind::MutuallyExclusive(list) => (
            format!("at most one of {} happens", listed(&list.items)),
            "nothing in this session: one of the others has happened".to_owned(),
        ),
        Kind::RequiredBeforeSessionEnd(list) => {
            let each: Vec<String> = list.iter().map(proof).collect();
            (format!("before the session ends, {}", each.join(" and ")), "do what is required first".to_owned())
        }
        Kind::AtMostNTimes(kind) => (
            format!("{} happens at most {}", quoted(&kind.call), times(kind.n.value.get())),
            format!(
                "nothing in this session{}{}",
                if rule.per.is_some() { " for this key" } else { "" },
                if counts_successes(rule) { ", unless one that counts fails" } else { "" },
            ),
        ),
        Kind::AtMostTotal(kind) => {
            let limit = &kind.limit.value.text;
            (
                format!("the sum of `{}` over {} is at most {limit}", text(&kind.sum), quoted(&kind.call)),
                format!(
                    "give `{}` as a number that is not negative, smaller if little is left under {limit}",
                    text(&kind.sum)
                ),
            )
        }
        Kind::RateLimit(kind) => {
            let (n, window) = (kind.n.value.get(), window(kind.window.value.milliseconds));
            (
                format!("{} happens at most {} in any {window}", quoted(&kind.call), times(n)),
                format!("wait until fewer than {n} happened in the last {window}"),
            )
        }
        Kind::Forbid(pattern) => {
            (format!("{} is never allowed", quoted(pattern)), "nothing; this is never allowed".to_owned())
        }
        Kind::Permit(pattern) => (format!("{} is permitted", quoted(pattern)), String::new()),
        Kind::Require(predicates, call) => (
            format!("{} requires {}", quoted(call), listed(&predicates.items)),
            "make this hold first, with arguments or calls that establish it".to_owned(),
        ),
    };
    Words { says: format!("{says}{}{}", condition(rule), key(rule)), advice }
}

fn counts_successes(rule: &Rule) -> bool {
    rule.count.as_ref().is_some_and(|count| count.value == Count::Succeeded)
}

fn quoted(source: &Source) -> String {
    format!("`{}`", text(source))
}

fn listed(sources: &[Source]) -> String {
    sources.iter().map(quoted).collect::<Vec<_>>().join(", ")
}

/// A bare tool is proof by its success; a pattern with a phase says itself what must have happened.
fn proof(source: &Source) -> String {
    format!("{} has {}", quoted(source), if is_bare(source) { "succeeded" } else { "happened" })
}

fn is_bare(source: &Source) -> bool {
    let before = source.text.split("where").next().unwrap_or_default();
    !before.contains('(')
}

fn first(source: &Source, rule: &Rule) -> String {
    let key = if rule.per.is_some() { ", with the same key" } else { "" };
    if is_bare(source) {
        format!("first make a call that matches {} and succeeds{key}", quoted(source))
    } else {
        format!("{} has to happen first{key}", quoted(source))
    }
}

fn condition(rule: &Rule) -> String {
    rule.r#where.as_ref().map(|condition| format!(", where {}", quoted(condition))).unwrap_or_default()
}

fn key(rule: &Rule) -> String {
    match &rule.per {
        None => String::new(),
        Some(Per::Same(paths)) => format!(", for each {}", listed(&paths.items)),
        Some(Per::ByTool(_)) => ", for each key".to_owned(),
    }
}

fn times(n: u64) -> String {
    match n {
        1 => "once".to_owned(),
        n => format!("{n} times"),
    }
}

/// The length of a window in its largest whole unit.
fn window(milliseconds: u64) -> String {
    let units = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1_000, "s")];
    let whole = units.into_iter().find(|(size, _)| milliseconds.is_multiple_of(*size));
    let (size, unit) = whole.unwrap_or((1, "ms"));
    format!("{}{unit}", milliseconds.checked_div(size).unwrap_or(milliseconds))
}
