//! The direction that a change plainly has as written, where no session is needed to see it.
//!
//! INVARIANT: *tightened* is said only where, whatever both versions have admitted, the new one stops, hides and reports at least
//! what the old one does. *Loosened* may be said of what does not loosen anything in this contract.

use std::cmp::Ordering;

use contract_runtime::{ByEffect, Decision, DecisionTable, DefaultPolicy, Effect, Mode};

use super::Direction;
use crate::mir::{Contract, Kind, Register, Rule};

/// Of a field of the contract itself.
pub(super) fn of_setting(name: &str, old: &Contract, new: &Contract) -> Option<Direction> {
    let order = match name {
        "mode" => match (old.mode, new.mode) {
            (Mode::Enforce, Mode::Shadow) => Some(Ordering::Less),
            (Mode::Shadow, Mode::Enforce) => Some(Ordering::Greater),
            _ => None,
        },
        "default" => by_default(&old.default, &new.default),
        "undeclared" => Some(new.undeclared?.cmp(&old.undeclared?)),
        "on_error" => by_effect(&old.on_error, &new.on_error),
        _ => None,
    };
    direction(order)
}

/// Of a rule, by its place in each version. One on trial is none.
pub(super) fn of_rule(old: &Contract, new: &Contract, places: [Option<usize>; 2]) -> Option<Direction> {
    let enforced = |contract: &Contract, place: Option<usize>| {
        contract.rules.get(place?).filter(|rule| !contract.on_trial(rule)).cloned()
    };
    let [before, after] = places;
    match (enforced(old, before), enforced(new, after)) {
        (Some(gone), None) => (!matches!(gone.kind, Kind::Permit { .. })).then_some(Direction::Loosened),
        (None, Some(come)) => match come.kind {
            Kind::Permit { .. } => Some(Direction::Loosened),
            Kind::Rewrite { .. } | Kind::Redact { .. } => None,
            // The default no longer stops what a rule mentions.
            _ => (new.default.by_effect == ByEffect::all(Decision::Allow)).then_some(Direction::Tightened),
        },
        (Some(before), Some(after)) if old.cells == new.cells && old.context == new.context => {
            direction(rules(&before, after))
        }
        _ => None,
    }
}

fn direction(order: Option<Ordering>) -> Option<Direction> {
    match order? {
        Ordering::Less => Some(Direction::Loosened),
        Ordering::Equal => None,
        Ordering::Greater => Some(Direction::Tightened),
    }
}

/// Two orders of which neither contradicts the other.
fn both(one: Option<Ordering>, other: Option<Ordering>) -> Option<Ordering> {
    match (one?, other?) {
        (Ordering::Equal, order) | (order, Ordering::Equal) => Some(order),
        (one, other) => (one == other).then_some(one),
    }
}

fn by_effect(old: &ByEffect<Decision>, new: &ByEffect<Decision>) -> Option<Ordering> {
    let effects = [Effect::Read, Effect::Write, Effect::Irreversible];
    let orders = effects.map(|effect| Some(new.get(effect).cmp(&old.get(effect))));
    orders.into_iter().fold(Some(Ordering::Equal), both)
}

fn by_default(old: &DefaultPolicy, new: &DefaultPolicy) -> Option<Ordering> {
    both(by_effect(&old.by_effect, &new.by_effect), Some(new.strict.cmp(&old.strict)))
}

fn tables(old: &DecisionTable, new: &DecisionTable) -> Option<Ordering> {
    let rows = |table: &DecisionTable| {
        let DecisionTable { satisfied, open, pending, unestablished, violated } = *table;
        [satisfied, open, pending, unestablished, violated]
    };
    rows(old).iter().zip(rows(new)).map(|(old, new)| by_effect(old, &new)).fold(Some(Ordering::Equal), both)
}

/// Rules that are the same but for what they decide, or how much they ask for.
fn rules(old: &Rule, mut new: Rule) -> Option<Ordering> {
    let order = both(tables(&old.table, &new.table), kinds(&old.kind, &new.kind));
    let Rule { id, title, severity, tags, message, says, advice, .. } = old.clone();
    new = Rule { id, title, severity, tags, message, says, advice, ..new };
    new.table = old.table;
    new.kind = old.kind.clone();
    order.filter(|_| new == *old)
}

fn kinds(old: &Kind, new: &Kind) -> Option<Ordering> {
    match (old, new) {
        _ if old == new => Some(Ordering::Equal),
        (
            Kind::Require { pattern: one, clauses: before } | Kind::Ensure { pattern: one, clauses: before },
            Kind::Require { pattern: other, clauses: after } | Kind::Ensure { pattern: other, clauses: after },
        ) if one == other && std::mem::discriminant(old) == std::mem::discriminant(new) => {
            match (
                before.iter().all(|clause| after.contains(clause)),
                after.iter().all(|clause| before.contains(clause)),
            ) {
                (true, false) => Some(Ordering::Greater),
                (false, true) => Some(Ordering::Less),
                (same, _) => same.then_some(Ordering::Equal),
            }
        }
        (Kind::Register { register: before, .. }, Kind::Register { register: after, .. }) => {
            let mut alike = new.clone();
            if let Kind::Register { register, template, .. } = &mut alike {
                *register = before.clone();
                if let Kind::Register { template: name, .. } = old {
                    *template = name;
                }
            }
            registers(before, after).filter(|_| alike == *old)
        }
        _ => None,
    }
}

/// The smaller limit stops more.
fn registers(old: &Register, new: &Register) -> Option<Ordering> {
    match (old, new) {
        (Register::Count { limit: old }, Register::Count { limit: new }) => Some(old.cmp(new)),
        (Register::Total { limit: old }, Register::Total { limit: new }) => Some(old.cmp(new)),
        (Register::Rate { limit: old, window: one }, Register::Rate { limit: new, window: other }) if one == other => {
            Some(old.cmp(new))
        }
        (Register::WindowTotal { limit: old, window: one }, Register::WindowTotal { limit: new, window: other })
            if one == other =>
        {
            Some(old.cmp(new))
        }
        (Register::Distinct { limit: old }, Register::Distinct { limit: new })
        | (Register::OpenIds { limit: old }, Register::OpenIds { limit: new }) => Some(old.cmp(new)),
        _ => None,
    }
}
