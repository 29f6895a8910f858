//! What a rule says, as texts that rules share which say the same.
//!
//! A `require`, and a `forbid` without a key, is one precondition for each of its subjects: `where c` before it and `not c`
//! within it are one. Preconditions of one subject are joined, whichever rules they are written in. So are the permits.

use std::collections::BTreeMap;

use contract_runtime::{ByEffect, Colour, Decision, DecisionTable};

use super::events::{Events, Selected};
use super::expression::Words;
use super::form::Form;
use super::{keys, machine};
use crate::mir::{Clause, Kind, Operand, Pattern, Register, Rule};

/// What a rule comes to.
pub(super) enum Said {
    /// Something that rules say together: what, and the part of this rule.
    Shared(Vec<(Together, Form)>),
    /// Something that it says by itself.
    Alone(String),
    /// The same, where the order matters among those that may speak of one event.
    Ordered(&'static str, String),
}

impl Said {
    /// All of it.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Shared(parts) => {
                parts.iter().map(|(together, part)| together.join(vec![part.clone()])).collect::<Vec<_>>().join("; ")
            }
            Self::Alone(part) => part.clone(),
            Self::Ordered(what, part) => format!("{what} {part}"),
        }
    }
}

/// What rules say together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Together {
    /// Conditions that all have to hold.
    Precondition(String),
    /// Conditions of which one has to hold.
    Permit(String),
}

impl Together {
    /// The part of all rules together.
    pub(super) fn join(&self, parts: Vec<Form>) -> String {
        match self {
            Self::Precondition(of) => format!("precondition {of}: {}", Form::all(parts).key()),
            Self::Permit(of) => format!("permit {of}: {}", Form::any(parts).key()),
        }
    }
}

/// What a rule says.
pub(super) fn said(words: Words<'_>, rule: &Rule) -> Said {
    let events = |pattern: &Pattern| Events::of(words, pattern, None);
    let text = |pattern: &Pattern| events(pattern).key();
    match &rule.kind {
        Kind::Permit { pattern } => {
            let of = |one: Selected| (Together::Permit(format!("{:?} {}", rule.mode, subject(&one))), one.condition);
            Said::Shared(events(pattern).0.into_iter().map(of).collect())
        }
        Kind::Require { pattern, clauses } => {
            let holds = all(words, clauses);
            precondition(rule, events(pattern), &holds)
                .unwrap_or_else(|| alone(words, rule, format!("require {} {}", text(pattern), holds.key())))
        }
        Kind::Automaton { patterns, machine, .. } => {
            let texts: Vec<String> = patterns.iter().map(text).collect();
            let forbids = machine.colours == [Colour::Open, Colour::Violated]
                && machine.letters == [1]
                && machine.delta == [0, 1, 1, 1];
            let forbidden = match patterns.as_slice() {
                [only] if forbids => precondition(rule, events(only), &Form::Constant(false)),
                _ => None,
            };
            forbidden.unwrap_or_else(|| alone(words, rule, format!("automaton {}", machine::key(machine, &texts))))
        }
        Kind::Register { patterns, register, clock, operand, counting, .. } => {
            let texts: Vec<String> = patterns.iter().map(text).collect();
            let operand = operand.as_ref().map(|operand| read(words, operand));
            // How often something happened has no time.
            let clock = (!matches!(register, Register::Count { .. })).then_some(clock);
            alone(words, rule, format!("{register:?} {texts:?} {clock:?} {operand:?} {counting:?}"))
        }
        Kind::Ensure { pattern, clauses } => {
            let holds = all(words, clauses);
            match monotone(&rule.table) {
                Some(table) => {
                    let of = Together::Precondition(format!("ensure {} {table} {:?}", text(pattern), rule.mode));
                    Said::Shared(vec![(of, holds)])
                }
                None => alone(words, rule, format!("ensure {} {}", text(pattern), holds.key())),
            }
        }
        Kind::Rewrite { pattern, changes } => {
            let change = |change: &crate::mir::Rewrite| {
                format!("{} = {}", words.steps("args".to_owned(), &change.path), words.value(&change.value))
            };
            let changes: Vec<String> = changes.iter().map(change).collect();
            Said::Ordered("rewrite", format!("{} {changes:?} {}", text(pattern), manner(words, rule)))
        }
        Kind::Redact { pattern, paths } => {
            let mut paths: Vec<String> = paths.iter().map(|steps| words.steps("result".to_owned(), steps)).collect();
            paths.sort();
            paths.dedup();
            Said::Ordered("redact", format!("{} {paths:?} {}", text(pattern), manner(words, rule)))
        }
        Kind::NoFlow { patterns: [from, to], values, min_length } => {
            let mut values: Vec<String> = values.iter().map(|steps| words.steps("result".to_owned(), steps)).collect();
            values.sort();
            values.dedup();
            alone(words, rule, format!("no_flow {} -> {} {values:?} {min_length}", text(from), text(to)))
        }
    }
}

fn alone(words: Words<'_>, rule: &Rule, what: String) -> Said {
    Said::Alone(format!("{what} {}", manner(words, rule)))
}

/// What all kinds of rules have: what is done about verdicts, what else moves them, and their keys.
fn manner(words: Words<'_>, rule: &Rule) -> String {
    let text = |pattern: &Option<Pattern>| pattern.as_ref().map(|pattern| Events::of(words, pattern, None).key());
    let key = rule.per.as_ref().map(|keyed| {
        let retires = keyed.retires().then_some(keyed.remember);
        let close = text(&keyed.close_on);
        let bounds = (keyed.max, keyed.when_full, keyed.idle, retires, keyed.missing);
        format!("{} {bounds:?} close {close:?}", keys::key(words, rule, keyed))
    });
    let (guards, reset) = (text(&rule.guards), text(&rule.reset_on));
    format!("{:?} {:?} guards {guards:?} reset {reset:?} per {key:?}", rule.mode, rule.table)
}

/// The conditions of a rule that looks at one call by itself, one for each subject. `None` if it does more than that.
fn precondition(rule: &Rule, events: Events, holds: &Form) -> Option<Said> {
    let plain = rule.per.is_none() && rule.guards.is_none() && rule.reset_on.is_none();
    let table = monotone(&rule.table).filter(|_| plain && events.0.iter().all(|one| one.moment == "call"))?;
    let of = |one: Selected| {
        let of = Together::Precondition(format!("{} {table} {:?}", subject(&one), rule.mode));
        (of, Form::any([one.condition.negated(), holds.clone()]))
    };
    Some(Said::Shared(events.0.into_iter().map(of).collect()))
}

/// What becomes of what is violated or not established, if all else is allowed and what is violated is decided no milder. Then it
/// makes no difference whether two conditions are judged together or apart.
fn monotone(table: &DecisionTable) -> Option<String> {
    let allows = ByEffect::all(Decision::Allow);
    let DecisionTable { satisfied, open, pending: _, unestablished, violated } = table;
    let stronger = unestablished.read <= violated.read
        && unestablished.write <= violated.write
        && unestablished.irreversible <= violated.irreversible;
    (*satisfied == allows && *open == allows && stronger).then(|| format!("{unestablished:?} {violated:?}"))
}

fn subject(one: &Selected) -> String {
    format!("{} {:?}", one.moment, one.subject)
}

fn all(words: Words<'_>, clauses: &[Clause]) -> Form {
    Form::all(clauses.iter().map(|clause| words.predicate(&clause.predicate)))
}

fn read(words: Words<'_>, operand: &Operand) -> String {
    match operand {
        Operand::Same(expr) => words.value(expr),
        Operand::ByTool(routes) => {
            let route = |(subject, expr): &(crate::mir::Subject, crate::mir::Expr)| {
                format!("{subject:?} {}", words.value(expr))
            };
            routes.iter().map(route).collect::<Vec<_>>().join("; ")
        }
    }
}

/// The shared parts of several rules, with the rules.
pub(super) type Shared = BTreeMap<Together, (Vec<Form>, Vec<usize>)>;
