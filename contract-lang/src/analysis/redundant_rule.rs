//! A rule of which everything that it stops is stopped by others.
//!
//! In the product of the rules, all of them enforced, every call that the rule may stop is sure to be stopped, at least as strongly,
//! by others, or they leave it nothing to stop in the first place; so without it every session goes the same way. Also the contract's default would decide the same without it. Rules
//! that owe something, judge results, only alert, or are in shadow mode are not looked at, nor does a rule in shadow mode make
//! another redundant.
//!
//! The claim is proved for rules without a key. A rule with a key may also stop a call because it has no place for one more key: of
//! these the claim is made for what they find violated, and is only possible.

use contract_runtime::{Colour, Decision, Effect, Verdict};

use super::context::Context;
use super::keys::by_key;
use super::model::{Focus, Moment, Space};
use crate::diagnostic::{Certainty, Code, Diagnostic, Diagnostics, Goal};
use crate::mir::{Kind, Register, Rule};
use crate::resolve::covers;

/// Most questions about one state and one call that are asked for one rule.
const MOST: usize = 1 << 18;

/// Most rules of a component for which it is asked which of them leave another nothing to stop.
const MOST_RULES: usize = 24;

/// Looks at every rule that stops calls, the last first: of two equal rules the later one is too much.
pub(super) fn check(context: &Context<'_>, diagnostics: &mut Diagnostics) {
    let mut redundant: Vec<usize> = Vec::new();
    let mut found = Vec::new();
    for (index, rule) in context.contract().rules.iter().enumerate().rev() {
        // Of tools that are never called another finding speaks.
        if context.model.touches(index).iter().all(|subject| context.is_dead(*subject)) {
            continue;
        }
        if !context.model.enforces(index) || !is_stopping(rule) || !is_mentioned_otherwise(context, index, &redundant) {
            continue;
        }
        if let Some(because) = because(context, index, rule, &redundant) {
            redundant.push(index);
            found.extend(finding(context, index, rule, &because));
        }
    }
    found.into_iter().rev().for_each(|diagnostic| diagnostics.push(diagnostic));
}

/// Whether all that a rule does is to stop calls.
fn is_stopping(rule: &Rule) -> bool {
    let only_stops = match &rule.kind {
        Kind::Automaton { machine, .. } => !machine.colours.contains(&Colour::Pending),
        Kind::Register { register, .. } => !matches!(register, Register::Deadline { .. }),
        Kind::Require { .. } => true,
        _ => false,
    };
    let calls = rule.patterns().iter().any(|pattern| pattern.alternatives.iter().any(|one| one.phases.call));
    let effects = [Effect::Read, Effect::Write, Effect::Irreversible];
    let stops = effects.iter().any(|effect| rule.table.decide(Verdict::Violated, *effect) >= Decision::Ask);
    only_stops && calls && stops && rule.guards.is_none()
}

/// Whether other rules speak of every call that it speaks of, so that the default decides none that it did not before.
fn is_mentioned_otherwise(context: &Context<'_>, index: usize, redundant: &[usize]) -> bool {
    let contract = context.contract();
    let others = || {
        let rules = contract.rules.iter().enumerate();
        let rules =
            rules.filter(|(other, rule)| *other != index && !redundant.contains(other) && !contract.on_trial(rule));
        rules.filter(|(_, rule)| !matches!(rule.kind, Kind::Permit { .. })).map(|(_, rule)| rule)
    };
    let alternatives = |rule: &'_ Rule| -> Vec<_> {
        let patterns = rule.patterns().iter().chain(&rule.guards);
        patterns.flat_map(|pattern| pattern.alternatives.clone()).filter(|one| one.phases.call).collect()
    };
    let Some(rule) = contract.rules.get(index) else { return false };
    alternatives(rule)
        .iter()
        .all(|own| others().any(|other| alternatives(other).iter().any(|one| covers(&one.subject, &own.subject))))
}

/// Why a rule is redundant.
enum Because {
    /// These rules stop all that it stops.
    Stop(Vec<usize>),
    /// With these rules nothing comes to it that it would stop.
    Before(Vec<usize>),
}

/// Why a rule is redundant, if it is.
fn because(context: &Context<'_>, index: usize, rule: &Rule, redundant: &[usize]) -> Option<Because> {
    let focus = context.model.focus(index);
    for focus in by_key(context, &focus).into_iter().filter(|focus| focus.rules.contains(&index)) {
        if focus.rules.len() < 2 {
            continue;
        }
        let Some(space) = context.model.space(&focus).exhausted() else {
            context.gave_up(context.place(index), "whether the rule is redundant");
            continue;
        };
        let without: Vec<usize> = redundant.iter().copied().chain([index]).collect();
        let Some(stopped) = stopped(&space, index, rule, &without) else { continue };
        if stopped.is_empty() {
            return before(context, &focus, index, rule, redundant).map(Because::Before);
        }
        let mut without = without;
        for other in &focus.rules {
            let fewer: Vec<usize> = without.iter().copied().chain([*other]).collect();
            let still = |(state, class, decision): &(usize, usize, Decision)| {
                is_stopped(&space, *state, *class, *decision, &fewer)
            };
            if !without.contains(other) && stopped.iter().all(still) {
                without = fewer;
            }
        }
        return Some(Because::Stop(focus.rules.iter().copied().filter(|other| !without.contains(other)).collect()));
    }
    None
}

/// The rules that leave it nothing to stop: with them it never finds anything to stop, and without any of them it does.
fn before(context: &Context<'_>, focus: &Focus, index: usize, rule: &Rule, redundant: &[usize]) -> Option<Vec<usize>> {
    let idle = |rules: &[usize]| {
        let space = context.model.isolated(&context.model.narrow(rules)).exhausted();
        space.is_some_and(|space| stopped(&space, index, rule, &[]).is_some_and(|stopped| stopped.is_empty()))
    };
    let mut kept: Vec<usize> = focus.rules.iter().copied().filter(|other| !redundant.contains(other)).collect();
    if kept.len() > MOST_RULES || idle(&[index]) || !idle(&kept) {
        return None;
    }
    for other in kept.clone() {
        let fewer: Vec<usize> = kept.iter().copied().filter(|kept| *kept != other).collect();
        if other != index && idle(&fewer) {
            kept = fewer;
        }
    }
    Some(kept.into_iter().filter(|other| *other != index).collect())
}

/// The calls that the rule may stop, with how, in states in which they can be made; `None` if some other is not stopped by others.
fn stopped(
    space: &Space<'_, '_>,
    index: usize,
    rule: &Rule,
    without: &[usize],
) -> Option<Vec<(usize, usize, Decision)>> {
    let is_call = |class: &usize| {
        space.classes().get(*class).is_some_and(|class| class.moment == Moment::Call) && space.is_about_the_key(*class)
    };
    let calls: Vec<usize> = (0..space.classes().len()).filter(is_call).collect();
    if space.states().len().saturating_mul(calls.len()) > MOST {
        return None;
    }
    let mut found = Vec::new();
    for state in space.states() {
        for class in &calls {
            let Some(decision) = strongest(space, state, *class, index, rule) else { continue };
            if !is_stopped(space, state, *class, decision, without) {
                return None;
            }
            found.push((state, *class, decision));
        }
    }
    Some(found)
}

/// The strongest decision about a call that a rule may take, if that stops it.
fn strongest(space: &Space<'_, '_>, state: usize, class: usize, index: usize, rule: &Rule) -> Option<Decision> {
    let decision = if rule.per.is_some() {
        let effect = space.classes().get(class).map_or(Effect::Irreversible, |class| class.effects[0]);
        let violated = space.verdicts(state, class, index).may(Verdict::Violated);
        violated.then(|| rule.table.decide(Verdict::Violated, effect))
    } else {
        space.decided(state, class, index).iter().max()
    };
    decision.filter(|decision| *decision >= Decision::Ask)
}

fn is_stopped(space: &Space<'_, '_>, state: usize, class: usize, decision: Decision, without: &[usize]) -> bool {
    space.decisions_without(state, class, without).iter().all(|other| other >= decision)
}

fn finding(context: &Context<'_>, index: usize, rule: &Rule, because: &Because) -> Option<Diagnostic> {
    let (Because::Stop(others) | Because::Before(others)) = because;
    let ids = context.ids(others);
    let message = match because {
        Because::Stop(others) if others.is_empty() => {
            "everything that the rule stops is stopped by the default".to_owned()
        }
        Because::Stop(_) => format!("everything that the rule stops is stopped by {ids}"),
        Because::Before(_) => {
            format!("the rule never stops anything: whatever it would stop is stopped before by {ids}")
        }
    };
    let mut diagnostic = Diagnostic::new(Code::RedundantRule, context.place(index)?, message);
    for other in others {
        if let Some(span) = context.place(*other) {
            diagnostic = diagnostic.related(span, "stops it already");
        }
    }
    let goal = match because {
        Because::Stop(_) => Goal::call().by(&rule.id),
        Because::Before(_) => Goal::call().spoken_of(&rule.id),
    };
    let goal =
        others.iter().filter_map(|other| context.rule(*other)).take(1).fold(goal, |goal, other| goal.by(&other.id));
    let help = "leave the rule out, or see whether it was meant to be stricter";
    let certainty = if rule.per.is_some() { Certainty::Possible } else { Certainty::Proved };
    diagnostic = diagnostic.help(help).goal(goal).certainty(certainty);
    diagnostic.rule = Some(rule.id.clone());
    Some(diagnostic)
}
