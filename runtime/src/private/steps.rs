//! What monitors do with one rule at a time, with the findings that come of it.

use serde_json::Value;

use super::{Findings, detected, expired, left_open, opinion};
use crate::deliberation::{About, Deliberation};
use crate::finding::Reason;
use crate::flight::Note;
use crate::flow::Flow;
use crate::info::RuleInfo;
use crate::instances::{Bounds, Cell, Judged, Keyed, Room};
use crate::key;
use crate::keys::{Keys, Shape};
use crate::monitor::Version;
use crate::register::Receipt;
use crate::repair::Wanted;
use crate::saved::replace;
use crate::single::{Single, Stateless};
use crate::{Time, Truth, Verdict};

/// The time of an event by the clock that counts calls: one nanosecond each.
#[must_use]
#[inline]
pub fn position(calls: u64) -> Time {
    Time::from_nanos(i128::from(calls))
}

/// The position of which a time by that clock tells.
#[must_use]
#[inline]
pub fn ordinal(at: Time) -> u64 {
    u64::try_from(at.as_nanos()).unwrap_or_default()
}

/// A note of a rule that wants to know, with the outcome of a call, which call it was.
#[must_use]
#[inline]
pub fn watch(rule: u16, calls: u64) -> Note {
    Note { rule, receipt: Receipt { at: position(calls), ..Receipt::NOTHING }, ..Note::NOTHING }
}

/// The key of a finding of a rule without a key.
#[must_use]
#[inline]
pub fn no_key() -> Vec<Value> {
    Vec::new()
}

/// The key to report where no instance was looked at: the first of those that the event touches.
#[must_use]
pub fn first_key(keys: &impl Keys) -> Vec<Value> {
    match keys.shape() {
        Shape::One(parts) => key::to_json(parts),
        Shape::Each(all) => all.first().map(|parts| key::to_json(parts)).unwrap_or_default(),
        Shape::All => Vec::new(),
    }
}

/// Weighs what a keyed rule thinks of a call: of the step that the call is, and of the slot that its outcome may need.
#[inline]
pub fn weigh_keyed<C: Cell>(
    deliberation: &mut Deliberation,
    (rule, info): (u16, &RuleInfo),
    keyed: &Keyed<C>,
    fixed: C::Rule<'_>,
    key: &impl Keys,
    look: Option<(&C::Step<'_>, Judged)>,
    room: Room,
) {
    if let Some((verdict, reason)) = opinion(look.map(|(_, judged)| judged), room) {
        deliberation.weigh_state(rule, info, verdict, reason, |wanted| match look {
            Some((step, judged)) => about(keyed, fixed, key, step, &judged, wanted),
            None => About { key: first_key(key), ..About::default() },
        });
    }
}

#[cold]
fn about<C: Cell>(
    keyed: &Keyed<C>,
    fixed: C::Rule<'_>,
    key: &impl Keys,
    step: &C::Step<'_>,
    judged: &Judged,
    wanted: Wanted<'_>,
) -> About {
    About {
        key: keyed.blame(key, judged),
        repair: keyed.repair(fixed, key, step, judged, wanted),
        states: keyed.states(fixed, key, step, judged),
    }
}

/// The same of a rule without a key.
#[inline]
pub fn weigh_single<C: Cell>(
    deliberation: &mut Deliberation,
    (rule, info): (u16, &RuleInfo),
    single: &Single<C>,
    fixed: C::Rule<'_>,
    step: &C::Step<'_>,
    verdict: Verdict,
) {
    let about = |wanted: Wanted<'_>| about_single(single, fixed, step, wanted);
    deliberation.weigh_state(rule, info, verdict, Reason::Rule, about);
}

#[cold]
fn about_single<C: Cell>(single: &Single<C>, fixed: C::Rule<'_>, step: &C::Step<'_>, wanted: Wanted<'_>) -> About {
    About { key: Vec::new(), repair: single.repair(fixed, step, wanted), states: single.states(fixed, step) }
}

/// Weighs what a keyed rule guards.
#[inline]
pub fn guard_keyed<C: Cell>(
    deliberation: &mut Deliberation,
    (rule, info): (u16, &RuleInfo),
    keyed: &Keyed<C>,
    fixed: C::Rule<'_>,
    key: &impl Keys,
    (step, judged): (&C::Step<'_>, Judged),
    matches: Truth,
) {
    let about = |wanted: Wanted<'_>| about(keyed, fixed, key, step, &judged, wanted);
    deliberation.guard(rule, info, matches, (judged.verdict, judged.doubt()), about);
}

/// The same of a rule without a key.
#[inline]
pub fn guard_single<C: Cell>(
    deliberation: &mut Deliberation,
    (rule, info): (u16, &RuleInfo),
    single: &Single<C>,
    fixed: C::Rule<'_>,
    (step, verdict): (&C::Step<'_>, Verdict),
    matches: Truth,
) {
    let about = |wanted: Wanted<'_>| about_single(single, fixed, step, wanted);
    deliberation.guard(rule, info, matches, (verdict, None), about);
}

/// Takes the step of a result or host event.
#[inline]
pub fn observe_keyed<C: Cell>(
    rule: u16,
    keyed: &mut Keyed<C>,
    fixed: C::Rule<'_>,
    key: &impl Keys,
    step: &C::Step<'_>,
    findings: &mut Findings,
) {
    let (judged, states) = keyed.observe(fixed, key, step);
    if judged.verdict >= Verdict::Unestablished {
        let finding = detected(rule, judged.verdict, judged.reason(), keyed.blame(key, &judged));
        findings.push(finding.with_states(states));
    }
}

/// The same of a rule without a key.
#[inline]
pub fn observe_single<C: Cell>(
    rule: u16,
    single: &mut Single<C>,
    fixed: C::Rule<'_>,
    step: &C::Step<'_>,
    findings: &mut Findings,
) {
    let (verdict, states) = single.observe(fixed, step);
    if verdict >= Verdict::Unestablished {
        findings.push(detected(rule, verdict, Reason::Rule, Vec::new()).with_states(states));
    }
}

/// Closes the instances of a key.
#[inline]
pub fn close<C: Cell>(
    rule: u16,
    keyed: &mut Keyed<C>,
    fixed: C::Rule<'_>,
    key: &impl Keys,
    matches: Truth,
    findings: &mut Findings,
) {
    if matches != Truth::False {
        let open = keyed.close(fixed, key, matches);
        findings.extend(open.into_iter().map(|key| left_open(rule, key)));
    }
}

/// Makes every key fresh.
#[inline]
pub fn reset_keyed<C: Cell>(
    rule: u16,
    keyed: &mut Keyed<C>,
    fixed: C::Rule<'_>,
    matches: Truth,
    findings: &mut Findings,
) {
    if matches != Truth::False {
        let open = keyed.reset(fixed, matches);
        findings.extend(open.into_iter().map(|key| left_open(rule, key)));
    }
}

/// Makes a rule without a key fresh.
#[inline]
pub fn reset_single<C: Cell>(
    rule: u16,
    single: &mut Single<C>,
    fixed: C::Rule<'_>,
    matches: Truth,
    findings: &mut Findings,
) {
    if matches != Truth::False && single.reset(fixed, matches) {
        findings.push(left_open(rule, Vec::new()));
    }
}

/// Lets time go by for a keyed rule: what runs out is found.
pub fn run_out_keyed<C: Cell>(rule: u16, keyed: &mut Keyed<C>, fixed: C::Rule<'_>, now: Time, findings: &mut Findings) {
    let over = keyed.retire(fixed, now);
    findings.extend(over.into_iter().map(|(key, verdict)| expired(rule, verdict, key)));
}

/// The same for a rule without a key.
pub fn run_out_single<C: Cell>(
    rule: u16,
    single: &mut Single<C>,
    fixed: C::Rule<'_>,
    now: Time,
    findings: &mut Findings,
) {
    let verdict = single.retire(fixed, now);
    if verdict >= Verdict::Unestablished {
        findings.push(expired(rule, verdict, Vec::new()));
    }
}

/// Ends a keyed rule.
pub fn end_keyed<C: Cell>(rule: u16, keyed: &mut Keyed<C>, fixed: C::Rule<'_>, findings: &mut Findings) {
    let open = keyed.end(fixed);
    findings.extend(open.into_iter().map(|key| left_open(rule, key)));
}

/// Ends a rule without a key.
pub fn end_single<C: Cell>(rule: u16, single: &mut Single<C>, fixed: C::Rule<'_>, findings: &mut Findings) {
    if single.end(fixed) {
        findings.push(left_open(rule, Vec::new()));
    }
}

/// Takes up what a keyed rule saved; `false` if no run of the rule could have saved it. What another version of the contract
/// saved only says which keys there were.
#[must_use]
pub fn restore_keyed<C: Cell>(
    keyed: &mut Keyed<C>,
    fixed: C::Rule<'_>,
    bounds: Bounds,
    saved: &Value,
    version: Version,
) -> bool {
    match version {
        Version::Same => replace(keyed, Keyed::load(fixed, bounds, saved)),
        Version::Other => {
            keyed.doubt(fixed, saved);
            true
        }
    }
}

/// The same for a rule without a key.
#[must_use]
pub fn restore_single<C: Cell>(single: &mut Single<C>, fixed: C::Rule<'_>, saved: &Value, version: Version) -> bool {
    match version {
        Version::Same => replace(single, Single::load(fixed, saved)),
        Version::Other => {
            single.doubt(fixed);
            true
        }
    }
}

/// The same for a rule that remembers only whether it was violated.
#[must_use]
pub fn restore_stateless(stateless: &mut Stateless, saved: &Value, version: Version) -> bool {
    match version {
        Version::Same => replace(stateless, Stateless::load(saved)),
        Version::Other => {
            stateless.doubt();
            true
        }
    }
}

/// The same for `no_flow`.
#[must_use]
pub fn restore_flow(flow: &mut Flow, min_length: u32, saved: &Value, version: Version) -> bool {
    match version {
        Version::Same => replace(flow, Flow::load(min_length, saved)),
        Version::Other => {
            flow.doubt();
            true
        }
    }
}
