//! A rule in words: what it says, and what would make a call that it blocked allowed. Both are for people and models,
//! are made of the contract's own words, and say nothing of the state of a session.

use crate::ast::{Count, Extent, Per, Rule, Source};
use crate::resolve::text;

/// A rule in words: parts of a sentence, without a full stop.
#[derive(Debug)]
pub(crate) struct Words {
    /// What it says.
    pub(crate) says: String,
    /// What would make a blocked call allowed.
    pub(crate) advice: String,
}

/// What a rule says in words, with what its common fields add.
pub(crate) fn words(rule: &Rule) -> Words {
    let Words { says, advice } = rule.kind.template().words(rule);
    Words { says: format!("{says}{}{}{}", condition(rule), exception(rule), key(rule)), advice }
}

pub(super) fn counts_successes(rule: &Rule) -> bool {
    rule.count.as_ref().is_some_and(|count| count.value == Count::Succeeded)
}

pub(super) fn quoted(source: &Source) -> String {
    format!("`{}`", text(source))
}

pub(super) fn listed<'s>(sources: impl IntoIterator<Item = &'s Source>) -> String {
    sources.into_iter().map(quoted).collect::<Vec<_>>().join(", ")
}

/// A bare tool is proof by its success; a pattern with a phase says itself what must have happened.
pub(super) fn proof(source: &Source) -> String {
    format!("{} has {}", quoted(source), if is_bare(source) { "succeeded" } else { "happened" })
}

fn is_bare(source: &Source) -> bool {
    let before = source.text.split("where").next().unwrap_or_default();
    !before.contains('(')
}

/// That it is about one key, as the end of advice.
pub(super) fn same_key(rule: &Rule) -> &'static str {
    if rule.per.is_some() { ", with the same key" } else { "" }
}

/// What to do first.
pub(super) fn first(source: &Source, rule: &Rule) -> String {
    let key = same_key(rule);
    if is_bare(source) {
        format!("first make a call that matches {} and succeeds{key}", quoted(source))
    } else {
        format!("{} has to happen first{key}", quoted(source))
    }
}

/// The same where a bare tool is a call, whatever comes of it.
pub(super) fn first_call(source: &Source, rule: &Rule) -> String {
    if is_bare(source) {
        format!("first make a call that matches {}{}", quoted(source), same_key(rule))
    } else {
        first(source, rule)
    }
}

fn condition(rule: &Rule) -> String {
    rule.r#where.as_ref().map(|condition| format!(", where {}", quoted(condition))).unwrap_or_default()
}

fn exception(rule: &Rule) -> String {
    rule.unless.as_ref().map(|condition| format!(", unless {}", quoted(condition))).unwrap_or_default()
}

fn key(rule: &Rule) -> String {
    match &rule.per {
        None => String::new(),
        Some(Per::Same(paths)) => format!(", for each {}", listed(paths.iter())),
        Some(Per::ByTool(_)) => ", for each key".to_owned(),
    }
}

pub(super) fn times(n: u64) -> String {
    match n {
        1 => "once".to_owned(),
        n => format!("{n} times"),
    }
}

/// A length of time in its largest whole unit, or a number of calls.
pub(super) fn extent(extent: Extent) -> String {
    let milliseconds = match extent {
        Extent::Time(window) => window.milliseconds,
        Extent::Calls(1) => return "1 call".to_owned(),
        Extent::Calls(n) => return format!("{n} calls"),
    };
    let units = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1_000, "s")];
    let whole = units.into_iter().find(|(size, _)| milliseconds.is_multiple_of(*size));
    let (size, unit) = whole.unwrap_or((1, "ms"));
    format!("{}{unit}", milliseconds.checked_div(size).unwrap_or(milliseconds))
}
