//! A contract and its rules, for people.

use std::io::{self, Write};

use contract_lang::diagnostic::render::escape;
use contract_lang::mir::{Contract, Counting, Keyed, Kind, Machine, Pattern, RouteKey, Rule};
use contract_runtime::{Decision, Mode, WhenFull};

use super::{machine, path};
use crate::output::Stream;

pub(super) fn contract(contract: &Contract, out: &mut Stream<'_>) -> io::Result<()> {
    let default = contract.default.by_effect;
    let word = |decision: Decision| decision.as_str();
    writeln!(out, "contract {} ({})", escape(&contract.name), contract.mode.as_str())?;
    let (read, write, irreversible) = (word(default.read), word(default.write), word(default.irreversible));
    let scope = if contract.default.strict { "what no permit matches" } else { "what no rule speaks of" };
    writeln!(out, "  {scope}: read {read}, write {write}, irreversible {irreversible}")
}

pub(super) fn rule(contract: &Contract, rule: &Rule, whole: bool, out: &mut Stream<'_>) -> io::Result<()> {
    let mode = if rule.mode == Mode::Shadow { ", shadow" } else { "" };
    writeln!(out, "\nrule {} ({}, {}{mode})", rule.id, rule.kind(), rule.severity.as_str())?;
    let mut row = |name: &str, text: &str| writeln!(out, "  {name:<10}{}", escape(text));
    if let Some(title) = &rule.title {
        row("title", title)?;
    }
    row("says", &rule.says)?;
    if !rule.advice.is_empty() {
        row("advice", &rule.advice)?;
    }
    let guards: Vec<_> = rule.patterns().iter().filter(|pattern| decides(pattern)).map(text).collect();
    match guards.as_slice() {
        [] => row("guards", "no call; it only reads results and events")?,
        guards => row("guards", &guards.join("; "))?,
    }
    match &rule.kind {
        Kind::Automaton { template, patterns, machine } => {
            for (bit, pattern) in (0u32..).zip(patterns) {
                if let Some(role) = machine::role(template, bit) {
                    row(role, &pattern.text)?;
                }
            }
            automaton(template, patterns, machine, whole, &mut row)?;
        }
        Kind::Register { patterns, register, clock, counting, .. } => {
            for pattern in patterns.iter().skip(1) {
                row("and", &pattern.text)?;
            }
            row("limit", &format!("{} ({})", register.bound(*clock), counted(*counting)))?;
        }
        Kind::Require { clauses, .. } => clauses.iter().try_for_each(|clause| row("requires", &clause.text))?,
        Kind::Ensure { clauses, .. } => clauses.iter().try_for_each(|clause| row("ensures", &clause.text))?,
        Kind::Rewrite { changes, .. } => changes.iter().try_for_each(|change| row("sets", &change.text))?,
        Kind::Permit { .. } | Kind::Redact { .. } | Kind::NoFlow { .. } => {}
    }
    match &rule.per {
        Some(keyed) => key(contract, keyed, &mut row)?,
        None if !rule.steps() => {}
        None => row("key", "none: one instance for the session")?,
    }
    match machine::describe(rule).bound() {
        Some((each, all)) => row("memory", &format!("at most {each} bytes an instance, {all} in all")),
        None => row("memory", "none"),
    }
}

/// Whether a pattern may match a call before it runs.
fn decides(pattern: &Pattern) -> bool {
    pattern.alternatives.iter().any(|alternative| alternative.phases.call)
}

fn text(pattern: &Pattern) -> &str {
    &pattern.text
}

fn counted(counting: Counting) -> &'static str {
    match counting {
        Counting::All => "all calls count",
        Counting::Succeeded => "calls that failed do not count",
    }
}

fn automaton(
    template: &str,
    patterns: &[Pattern],
    machine: &Machine,
    whole: bool,
    row: &mut impl FnMut(&str, &str) -> io::Result<()>,
) -> io::Result<()> {
    let letters: Vec<_> = machine.letters.iter().map(|letter| machine::letter(template, patterns, *letter)).collect();
    let states = machine.colours.iter().enumerate().map(|(state, colour)| {
        let start = if state == usize::from(machine.initial) { " (start)" } else { "" };
        format!("{state} {}{start}", machine::colour(*colour))
    });
    row("states", &states.collect::<Vec<_>>().join(", "))?;
    row("letters", &letters.join(", "))?;
    if !whole {
        return Ok(());
    }
    for state in 0..machine.colours.len() {
        for (letter, next) in letters.iter().zip(machine::successors(machine, state)) {
            row("move", &format!("{state} -> {next} on {letter}"))?;
        }
    }
    Ok(())
}

fn key(contract: &Contract, keyed: &Keyed, row: &mut impl FnMut(&str, &str) -> io::Result<()>) -> io::Result<()> {
    for route in &keyed.routes {
        let of = path::subject(&route.subject);
        let parts: Vec<_> = route.key.expressions().into_iter().map(|part| path::text(contract, part)).collect();
        match &route.key {
            RouteKey::One(_) => row("key", &format!("{} of {of}", parts.join(", ")))?,
            RouteKey::Each { .. } => row("key", &format!("each of {} of {of}", parts.join(", ")))?,
            RouteKey::All => row("key", &format!("every key, at {of}"))?,
        }
    }
    let full = match keyed.when_full {
        WhenFull::Block => "is not established",
        WhenFull::Alert => "runs with an alert, and keys never seen are in doubt",
    };
    row("instances", &format!("at most {} at a time; a call that needs one more {full}", keyed.max))?;
    match &keyed.close_on {
        Some(pattern) => row("close on", &pattern.text),
        None => Ok(()),
    }
}
