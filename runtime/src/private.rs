//! What generated code names, and nothing else does. No part of the public API: it may change with any release, together
//! with the code generator of the same version.

mod rewriter;
mod select;
mod steps;

pub use std::borrow::Cow;
pub use std::option::Option::{self, None, Some};
pub use std::result::Result::{self, Err, Ok};
pub use std::vec::Vec;

pub use regex::Regex;
pub use serde_json::Value;

pub use crate::belief::Belief;
pub use crate::call::{CallView, EventView, OutcomeView, Status};
pub use crate::count::Count;
pub use crate::deadline::Deadline;
pub use crate::decision::{ByEffect, Decision, DecisionTable, DefaultPolicy, Effect, Mode};
pub use crate::deliberation::{About, Deliberation, Posture, Ruling};
pub use crate::distinct::Distinct;
pub use crate::finding::{Finding, Reason, Report, Subject};
pub use crate::flight::{Flight, Note, Notes};
pub use crate::flow::Flow;
pub use crate::info::{
    CellInfo, ContractInfo, Message, MessageStep, Root, RuleInfo, Segment, Severity, Text, Vocabulary, WhenFull,
};
pub use crate::instances::{Bounds, Cell, Departed, Judged, Keyed, Retired, Room, Seed};
pub use crate::key::{Part, Parts};
pub use crate::keys::{Keys, Shape, Touched, fan_out};
pub use crate::machine::{Letters, Machine, Step};
pub use crate::monitor::{Monitor, RestoreError, Version};
pub use crate::open_ids::OpenIds;
pub use crate::permission::{Permission, PermissionRule};
pub use crate::rate::{Rate, RateLimit, Tick};
pub use crate::redaction::{RedactStep, redact};
pub use crate::register::{Holds, Operand, Receipt, Register};
pub use crate::repair::{Move, Repair, Wanted};
pub use crate::review::Review;
pub use crate::rewriting::{ArgStep, RewriteNote, Rewriting, rewrite};
pub use crate::saved::{Restoring, Saving, replace};
pub use crate::settlement::{Delivery, Settlement};
pub use crate::single::{Admission, Single, Stateless};
pub use crate::state::{State, Writes};
pub use crate::total::{Payment, Total};
pub use crate::value::*;
pub use crate::verdict::{Colour, Truth, Verdict};
pub use crate::window_total::{TotalLimit, WindowTotal};

pub use self::rewriter::Rewriter;
pub use self::select::select;
pub use self::steps::{
    close, end_keyed, end_single, first_key, guard_keyed, guard_single, no_key, observe_keyed, observe_single, ordinal,
    position, reset_keyed, reset_single, restore_flow, restore_keyed, restore_single, restore_stateless, run_out_keyed,
    run_out_single, watch, weigh_keyed, weigh_single,
};

/// The default reading of a host's `ok`: a success unless the value says `isError: true` or has a top-level `error` that is
/// not null (MCP tool results; common JSON APIs).
#[must_use]
#[inline]
pub fn plain_success(value: Option<&Value>) -> Truth {
    let Some(Value::Object(object)) = value else { return Truth::True };
    let is_error = object.get("isError") == Some(&Value::Bool(true));
    let has_error = object.get("error").is_some_and(|error| !error.is_null());
    Truth::of(!is_error && !has_error)
}

/// What a host's status comes to, given what `succeeds_when` says of a returned value.
#[must_use]
#[inline]
pub fn status(host: Status, succeeded: impl FnOnce() -> Truth) -> Status {
    match host {
        Status::Ok => match succeeded() {
            Truth::True => Status::Ok,
            Truth::False => Status::Failed,
            Truth::Unknown => Status::Unknown,
        },
        other => other,
    }
}

/// The arguments of a call that no rule changes.
#[must_use]
#[inline]
pub fn unchanged() -> Rewriting {
    Rewriting::default()
}

/// What becomes of an outcome that concerns no rule, no commit and no predicate.
#[must_use]
#[inline]
pub fn settle_plainly(outcome: &OutcomeView<'_>) -> Settlement {
    let status = status(outcome.status, || plain_success(outcome.value));
    Settlement { status, findings: Vec::new(), delivery: Delivery::AsIs }
}

/// A finding about a result or host event: it has happened, so it can only be reported.
#[must_use]
pub fn detected(rule: u16, verdict: Verdict, reason: Reason, key: Vec<Value>) -> Finding {
    Finding::new(Subject::Rule(rule), verdict, Decision::Alert, reason).with_key(key)
}

/// A finding about an obligation that the end of the session, or of its instance, left open.
#[must_use]
pub fn left_open(rule: u16, key: Vec<Value>) -> Finding {
    detected(rule, Verdict::Violated, Reason::Ended, key)
}

/// A finding about an obligation that ran out of time: certainly, or perhaps.
#[must_use]
pub fn expired(rule: u16, verdict: Verdict, key: Vec<Value>) -> Finding {
    detected(rule, verdict, Reason::Expired, key)
}

/// A finding about a rule or cell of which nothing is known, because another version of the contract kept its state.
#[must_use]
pub fn changed(subject: Subject) -> Finding {
    Finding::new(subject, Verdict::Unestablished, Decision::Alert, Reason::Changed)
}

/// The components of a key for people and formats; empty where the key cannot be read.
#[must_use]
pub fn key_json(key: Parts<'_>) -> Vec<Value> {
    crate::key::to_json(key)
}

/// A regular expression of a contract, compiled when it is first searched for.
#[derive(Debug)]
pub struct Search {
    pattern: &'static str,
    regex: std::sync::OnceLock<Option<Regex>>,
}

impl Search {
    /// From a pattern that the contract's check has compiled before.
    #[must_use]
    pub const fn new(pattern: &'static str) -> Self {
        Self { pattern, regex: std::sync::OnceLock::new() }
    }
}

/// `matches`, for generated code.
#[must_use]
pub fn search(fuel: &Fuel, text: Est<'_>, search: &Search) -> Truth {
    match search.regex.get_or_init(|| Regex::new(search.pattern).ok()) {
        Some(regex) => matches(fuel, text, regex),
        None => Truth::Unknown,
    }
}

/// A string as a value.
#[inline]
#[must_use]
pub fn text(text: &str) -> Val<'_> {
    Val::text(text)
}

/// A count as a value.
#[must_use]
pub fn number(number: u32) -> Val<'static> {
    Val::Number(Decimal::from(number))
}

/// A list as a value.
#[must_use]
pub fn list<'a, const N: usize>(items: [Est<'a>; N]) -> Est<'a> {
    Some(Val::List(Vec::from(items)))
}

/// A list of literals as a value.
#[must_use]
pub fn literals<'a, const N: usize>(items: [Val<'a>; N]) -> Val<'a> {
    Val::List(items.into_iter().map(Some).collect())
}

/// The operands of an operation that takes any number.
#[must_use]
pub fn vec<'a, const N: usize>(items: [Est<'a>; N]) -> Vec<Est<'a>> {
    Vec::from(items)
}

/// A path into a result that may not be there.
#[inline]
#[must_use]
pub fn get_in<'a>(value: Option<&'a Value>, path: &[&str]) -> Option<&'a Value> {
    get(value?, path)
}

/// The value of a variable, which is bound to be read again.
#[inline]
#[must_use]
pub fn copied<'a>(value: &Est<'a>) -> Est<'a> {
    value.clone()
}

/// Kleene negation.
#[inline]
#[must_use]
pub fn not(truth: Truth) -> Truth {
    !truth
}

/// One reading of how a call ended: a known outcome, or one of the two that an unknown outcome may have been.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading(u8);

impl Reading {
    /// The outcome is a success.
    pub const OK: u8 = 1;
    /// The outcome is a failure.
    pub const FAILED: u8 = 2;
    /// Nobody knows the outcome.
    pub const UNKNOWN: u8 = 4;

    /// Whether an alternative that speaks of these moments speaks of this one.
    #[inline]
    #[must_use]
    pub fn is(self, phases: u8) -> bool {
        self.0 & phases != 0
    }

    /// A condition that reads the result: not established where nobody knows the result.
    #[inline]
    #[must_use]
    pub fn condition(self, condition: impl FnOnce() -> Truth) -> Truth {
        if self.0 & Self::UNKNOWN == 0 { condition() } else { Truth::Unknown }
    }

    /// The readings of a status.
    #[inline]
    #[must_use]
    pub fn of(status: Status) -> (Self, Option<Self>) {
        match status {
            Status::Ok => (Self(Self::OK), None),
            Status::Failed => (Self(Self::FAILED), None),
            Status::Unknown => (Self(Self::UNKNOWN | Self::OK), Some(Self(Self::UNKNOWN | Self::FAILED))),
        }
    }
}

/// What a result means for an automaton rule.
#[inline]
#[must_use]
pub fn step_of(status: Status, letters: impl Fn(Reading) -> Letters) -> Step {
    match Reading::of(status) {
        (reading, None) => Step::one(letters(reading)),
        (first, Some(second)) => Step::either(letters(first), letters(second)),
    }
}

/// Whether a result is an occurrence: not established where the readings differ.
#[inline]
#[must_use]
pub fn occurs(status: Status, holds: impl Fn(Reading) -> Truth) -> Truth {
    match Reading::of(status) {
        (reading, None) => holds(reading),
        (first, Some(second)) => {
            let (one, other) = (holds(first), holds(second));
            if one == other { one } else { Truth::Unknown }
        }
    }
}

/// The JSON value of a result, unless nobody knows how the call ended: then it proves nothing.
#[inline]
#[must_use]
pub fn proof<'a>(status: Status, outcome: &OutcomeView<'a>) -> Option<&'a Value> {
    if status == Status::Unknown { None } else { outcome.value }
}

/// A JSON value of a contract, from its text.
#[must_use]
pub fn json_literal(text: &str) -> Val<'static> {
    Val::from_owned_json(serde_json::from_str(text).unwrap_or(Value::Null))
}

/// A vector, for generated code that may have no prelude.
#[must_use]
pub fn list_of<T, const N: usize>(items: [T; N]) -> Vec<T> {
    Vec::from(items)
}

/// A box, likewise.
#[must_use]
pub fn boxed<T>(value: T) -> Box<T> {
    Box::new(value)
}

/// The value that a state cell starts with; `[]` is also the empty map.
#[must_use]
pub fn initial(value: Val<'_>, ty: &Type, max_bytes: usize) -> Option<Datum> {
    if let (Type::Map(_), Val::List(list)) = (ty, &value)
        && list.is_empty()
    {
        return Some(Datum::Map(Map::default()));
    }
    Datum::from_val(&value, ty, max_bytes).ok()
}

/// The findings of one event, for generated code that may have no prelude.
pub type Findings = Vec<Finding>;

/// A key's components, for type inference.
#[inline]
#[must_use]
pub fn parts<'p, const N: usize>(parts: [Option<Part<'p>>; N]) -> [Option<Part<'p>>; N] {
    parts
}

/// A key that cannot be read.
#[must_use]
pub fn unreadable<'p, const N: usize>() -> [Option<Part<'p>>; N] {
    [const { None }; N]
}

/// A key that is known only with the result of the call.
#[must_use]
pub fn later<'p, const N: usize>() -> [Option<Part<'p>>; N] {
    [const { Some(Part::Later) }; N]
}

/// The effect of a call whose effect depends on its arguments: the first case that is true; the most dangerous of those that
/// may be the first, where a condition is not established.
#[must_use]
pub fn effect_of(cases: impl IntoIterator<Item = (Truth, Effect)>) -> Effect {
    let mut possible: Option<Effect> = None;
    for (applies, effect) in cases {
        if applies != Truth::False {
            possible = possible.max(Some(effect));
        }
        if applies == Truth::True {
            return possible.unwrap_or(Effect::Irreversible);
        }
    }
    Effect::Irreversible
}

/// What a keyed rule thinks of a call: of the step that the call is, and of the slot that its outcome may need. `None`: the
/// call is neither here nor there.
#[inline]
#[must_use]
pub fn opinion(look: Option<Judged>, room: Room) -> Option<(Verdict, Reason)> {
    match look {
        Some(look) if room != Room::Full || look.verdict >= Verdict::Unestablished => {
            Some((look.verdict, look.reason()))
        }
        _ if room == Room::Full => Some((Verdict::Unestablished, Reason::InstancesFull)),
        _ => None,
    }
}

/// The preconditions of a call, one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Requirement {
    applies: Truth,
    verdict: Verdict,
    reason: Reason,
}

impl Requirement {
    /// Of a call to which the rule applies, or may apply.
    #[must_use]
    pub fn new(applies: Truth) -> Self {
        Self { applies, verdict: Verdict::Satisfied, reason: Reason::Rule }
    }

    /// Takes the next precondition. The first of the worst is the reason.
    pub fn clause(&mut self, index: u16, holds: Truth) {
        let verdict = match (holds, self.applies) {
            (Truth::True, _) => return,
            (Truth::False, Truth::True) => Verdict::Violated,
            _ => Verdict::Unestablished,
        };
        if verdict > self.verdict {
            self.verdict = verdict;
            self.reason = Reason::Clause(index);
        }
    }

    /// The verdict.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Why.
    #[must_use]
    pub fn reason(&self) -> Reason {
        self.reason
    }
}

/// Whether a call failed, as far as anybody knows.
#[must_use]
#[inline]
pub fn failed(status: Status) -> Truth {
    match status {
        Status::Ok => Truth::False,
        Status::Failed => Truth::True,
        Status::Unknown => Truth::Unknown,
    }
}

/// A commit's condition that reads the result: not established where nobody knows the result.
#[must_use]
#[inline]
pub fn proven(status: Status, condition: impl FnOnce() -> Truth) -> Truth {
    if status == Status::Unknown { Truth::Unknown } else { condition() }
}

/// Kleene conjunction that evaluates its right side only where that matters.
#[inline]
pub fn and(left: Truth, right: impl FnOnce() -> Truth) -> Truth {
    if left == Truth::False { Truth::False } else { left.and(right()) }
}

/// Kleene disjunction that evaluates its right side only where that matters.
#[inline]
pub fn or(left: Truth, right: impl FnOnce() -> Truth) -> Truth {
    if left == Truth::True { Truth::True } else { left.or(right()) }
}
