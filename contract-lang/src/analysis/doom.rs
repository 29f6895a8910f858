//! What is owed and can no longer be done: the one search behind contradictions, traps and obligations that nothing can meet.
//!
//! In the product of the rules of a component a state is *doomed* if something is owed there, and no sequence of events that may
//! be admitted leads to where nothing is. Admitted is what no enforced rule, `default` or `undeclared` is sure to block; a call that a
//! person could approve may run. The product has all sessions of the contract, and perhaps more, so where it knows no way out
//! there is none; that a doomed state can be reached it does not prove.
//!
//! The result of a call that is in flight when something comes to be owed may still meet it. What is said of every session allows for
//! that; a trap is a state that is doomed when nothing is in flight.

use contract_runtime::{Colour, Truth};

use super::context::Context;
use super::model::{Focus, Space};
use super::stops::Stops;
use crate::mir::{Kind, Rule, Subject};

/// Rules of which something that is owed cannot be met.
pub(super) struct Doom {
    /// The rules that owe.
    pub(super) owing: Vec<usize>,
    /// When that is so.
    pub(super) when: When,
    /// Why.
    pub(super) why: Why,
    /// The tools that are waited for and that cannot run any more, with what stops them.
    pub(super) stops: Vec<Stops>,
}

/// When what is owed cannot be met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    /// From the start of every session.
    Start,
    /// As soon as it is owed.
    Owed,
    /// After some sessions.
    Sometimes,
}

/// Why what is owed cannot be met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// Whatever other rules say.
    Alone,
    /// Because of these others: without any of them it could be met.
    Others(Vec<usize>),
    /// Which of the others it needs for that was not looked for.
    Some,
}

/// Most rules of a component of which it is asked which are needed.
const MOST_RULES: usize = 24;

/// Most states in which something is owed of which it is asked whether they have a way out.
const MOST_OWED: usize = 2_048;

/// Whatever is owed and cannot be met.
pub(super) fn dooms(context: &Context<'_>) -> Vec<Doom> {
    let mut dooms = Vec::new();
    for focus in context.model.components() {
        let owes = |rule: &usize| context.rule(*rule).is_some_and(may_owe);
        let owing: Vec<usize> = focus.rules.iter().copied().filter(owes).collect();
        if owing.is_empty() {
            continue;
        }
        let space = context.model.space(focus).exhausted();
        let by_themselves: Vec<Doom> = owing.iter().filter_map(|rule| alone(context, *rule)).collect();
        let owing: Vec<usize> =
            owing.into_iter().filter(|rule| !by_themselves.iter().any(|doom| doom.owing == [*rule])).collect();
        dooms.extend(by_themselves);
        let Some(space) = space else {
            let place = owing.first().and_then(|rule| context.place(*rule));
            context.gave_up(place, "whether what is owed can always be met");
            continue;
        };
        // All together from the start, each for itself, or all together later.
        let together = || doom(context, &space, &owing);
        let from_the_start = together().filter(|doom| doom.when == When::Start);
        let before = dooms.len();
        match from_the_start {
            Some(doom) => dooms.push(doom),
            None => dooms.extend(owing.iter().filter_map(|rule| doom(context, &space, &[*rule]))),
        }
        if dooms.len() == before && owing.len() > 1 {
            dooms.extend(together());
        }
    }
    dooms
}

/// Whether a rule can owe something that does not run out.
fn may_owe(rule: &Rule) -> bool {
    matches!(&rule.kind, Kind::Automaton { machine, .. } if machine.colours.contains(&Colour::Pending))
}

/// What a rule owes and cannot be met whatever the others say.
fn alone(context: &Context<'_>, rule: usize) -> Option<Doom> {
    let space = context.model.isolated(&context.model.narrow(&[rule])).exhausted()?;
    let (when, state) = doomed(&space, &[rule]).filter(|(when, _)| *when != When::Sometimes)?;
    Some(Doom { owing: vec![rule], when, why: Why::Alone, stops: stops(context, &space, state, &[rule]) })
}

fn doom(context: &Context<'_>, space: &Space<'_, '_>, owing: &[usize]) -> Option<Doom> {
    let (when, state) = doomed(space, owing)?;
    let owed: Vec<usize> = match when {
        When::Start | When::Owed => owing.to_vec(),
        When::Sometimes => owing.iter().copied().filter(|rule| space.owes(state, *rule) == Truth::True).collect(),
    };
    let needed = if when == When::Sometimes { None } else { needed(context, space.focus(), &owed) };
    let stops = stops(context, space, state, &owed);
    let (owing, why) = match needed {
        // Of those that owe only the needed ones are part of it.
        Some(needed) => {
            let (owing, others) = needed.into_iter().partition(|rule| owed.contains(rule));
            (owing, Why::Others(others))
        }
        None => (owed, Why::Some),
    };
    Some(Doom { owing, when, why, stops })
}

/// When the rules are doomed, and the first state in which they are.
fn doomed(space: &Space<'_, '_>, owing: &[usize]) -> Option<(When, usize)> {
    let owes = |state: usize| owing.iter().any(|rule| space.owes(state, *rule) == Truth::True);
    let mut owed = space.states().filter(|state| owes(*state));
    let first = owed.next()?;
    if first == 0 && !space.reaches(0, |state| !owes(state)) {
        return Some((When::Start, 0));
    }
    // A call that is in flight when something comes to be owed may meet it yet, so that here any result may come.
    let free = space.can_reach(|state| !owes(state));
    if space.states().filter(|state| owes(*state)).all(|state| free.get(state) == Some(&false)) {
        return Some((When::Owed, first));
    }
    let closed = std::iter::once(first)
        .chain(owed)
        .take(MOST_OWED)
        .find(|state| !space.reaches(*state, |state| !owes(state)))?;
    Some((When::Sometimes, closed))
}

/// The rules without any of which all could be met, found by leaving out one after the other.
fn needed(context: &Context<'_>, focus: &Focus, owing: &[usize]) -> Option<Vec<usize>> {
    let mut kept = focus.rules.clone();
    if kept.len() > MOST_RULES {
        return None;
    }
    for other in &focus.rules {
        let fewer: Vec<usize> = kept.iter().copied().filter(|kept| kept != other).collect();
        let owing: Vec<usize> = owing.iter().copied().filter(|rule| fewer.contains(rule)).collect();
        let space = context.model.isolated(&context.model.narrow(&fewer)).exhausted();
        let still = space.and_then(|space| doomed(&space, &owing));
        if still.is_some_and(|(when, _)| when != When::Sometimes) {
            kept = fewer;
        }
    }
    Some(kept)
}

/// The tools that rules wait for, with what stops them in a state.
fn stops(context: &Context<'_>, space: &Space<'_, '_>, state: usize, owing: &[usize]) -> Vec<Stops> {
    let mut found = Vec::new();
    for rule in owing.iter().filter_map(|rule| context.rule(*rule)) {
        let skipped = usize::from(rule.kind() == "must_be_followed_by");
        for one in rule.patterns().iter().skip(skipped).flat_map(|pattern| &pattern.alternatives) {
            let Subject::Tools(names) = &one.subject else { continue };
            let stops =
                names.tool.is_literal().then(|| Stops::of(context, space, state, names.tool.as_str())).flatten();
            found.extend(stops.filter(|stops| !found.contains(stops)));
        }
    }
    found
}
