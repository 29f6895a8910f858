//! A contract and its rules, for people.

use std::io::{self, Write};

use contract_lang::Bytes;
use contract_lang::diagnostic::render::escape;
use contract_lang::mir::{Contract, Counting, Keyed, Kind, Machine, Operand, Pattern, Register, RouteKey, Rule};
use contract_runtime::{ByEffect, Decision, Mode, WhenFull};

use super::path::{self, Speller};
use super::{machine, way_out};
use crate::output::Stream;

pub(super) fn contract(contract: &Contract, out: &mut Stream<'_>) -> io::Result<()> {
    let default = contract.default;
    writeln!(out, "contract {} ({})", escape(&contract.name), contract.mode.as_str())?;
    let scope = if default.strict { "what no permit matches" } else { "what no rule speaks of" };
    writeln!(out, "  {scope}: {}", by_effect(default.by_effect, Decision::as_str))
}

pub(super) fn rule(contract: &Contract, rule: &Rule, whole: bool, out: &mut Stream<'_>) -> io::Result<()> {
    let mode = if rule.mode == Mode::Shadow { ", shadow" } else { "" };
    writeln!(out, "\nrule {} ({}, {}{mode})", rule.id, rule.kind(), rule.severity.as_str())?;
    let speller = Speller::new(contract);
    let mut row = |name: &str, text: &str| writeln!(out, "  {name:<10}{}", escape(text));
    if let Some(title) = &rule.title {
        row("title", title)?;
    }
    row("says", &rule.says)?;
    if !rule.advice.is_empty() {
        row("advice", &rule.advice)?;
    }
    if let Some(message) = &rule.message {
        row("message", &speller.message(message))?;
    }
    let guards: Vec<_> = guards(rule).map(|pattern| pattern.text.as_str()).collect();
    match guards.as_slice() {
        [] => row("guards", "no call; it only reads results and events")?,
        guards => row("guards", &guards.join("; "))?,
    }
    if let Some(action) = action(rule, !guards.is_empty()) {
        row("action", &action)?;
    }
    for pattern in rule.patterns() {
        if let Some(name) = &pattern.name {
            row(name, &pattern.text)?;
        }
    }
    match &rule.kind {
        Kind::Automaton { patterns, machine, .. } => automaton(rule, patterns, machine, whole, &mut row)?,
        Kind::Register { register, clock, counting, operand, .. } => {
            operand.iter().flat_map(|operand| operands(&speller, operand)).try_for_each(|of| row("of", &of))?;
            row("limit", &format!("{}{}", register.bound(*clock), counted(register, *counting)))?;
        }
        Kind::Require { clauses, .. } => clauses.iter().try_for_each(|clause| row("requires", &clause.text))?,
        Kind::Ensure { clauses, .. } => clauses.iter().try_for_each(|clause| row("ensures", &clause.text))?,
        Kind::Rewrite { changes, .. } => changes
            .iter()
            .try_for_each(|change| row("sets", &format!("args{} = {}", speller.steps(&change.path), change.text)))?,
        Kind::NoFlow { values, min_length, .. } => {
            values.iter().try_for_each(|steps| row("values", &format!("result{}", speller.steps(steps))))?;
            row("limit", &format!("texts of {min_length} bytes and more"))?;
        }
        Kind::Redact { paths, .. } => {
            paths.iter().try_for_each(|steps| row("hides", &format!("result{}", speller.steps(steps))))?;
        }
        Kind::Permit { .. } => {}
    }
    match &rule.per {
        Some(keyed) => key(&speller, keyed, &mut row)?,
        None if !rule.steps() => {}
        None => row("key", "none: one instance for the session")?,
    }
    if let Some(pattern) = &rule.reset_on {
        row("reset_on", &pattern.text)?;
    }
    match rule.bytes() {
        Some(bytes) => row("memory", &memory(&bytes)),
        None => row("memory", "none"),
    }
}

fn memory(bytes: &Bytes) -> String {
    let some = |bytes: usize, what: &str| if bytes == 0 { String::new() } else { format!(", {bytes} {what}") };
    let unit = if bytes.state == 1 { "byte" } else { "bytes" };
    let (doubt, key) = (some(bytes.doubt, "more while it is in doubt"), some(bytes.key, "for its key and place"));
    let filter = some(bytes.filter, "for the keys that were let go");
    format!("an instance at most {} {unit}{doubt}{key}{filter}; {} in all", bytes.state, bytes.bound)
}

/// The patterns whose calls the rule may stop before they run.
fn guards(rule: &Rule) -> impl Iterator<Item = &Pattern> {
    let own = rule.patterns().get(rule.violating.clone()).unwrap_or_default();
    let calls = own.iter().filter(|pattern| pattern.alternatives.iter().any(|alternative| alternative.phases.call));
    calls.chain(&rule.guards)
}

/// What becomes of what violates the rule, and of what is not established.
fn action(rule: &Rule, guards: bool) -> Option<String> {
    let table = &rule.table;
    let unestablished = |word| format!("not established: {}", by_effect(table.unestablished, word));
    let both = |word| Some(format!("violated: {}; {}", by_effect(table.violated, word), unestablished(word)));
    match rule.kind {
        Kind::Permit { .. } | Kind::Redact { .. } => None,
        Kind::Rewrite { .. } => Some(unestablished(Decision::as_str)),
        Kind::Ensure { .. } => both(of_result),
        _ if guards => both(Decision::as_str),
        _ => None,
    }
}

/// What a decision about a result comes to.
fn of_result(decision: Decision) -> &'static str {
    match decision {
        Decision::Block | Decision::Ask => "withhold",
        Decision::Allow | Decision::Alert => decision.as_str(),
    }
}

fn by_effect(decisions: ByEffect<Decision>, word: fn(Decision) -> &'static str) -> String {
    let ByEffect { read, write, irreversible } = decisions;
    match read == write && write == irreversible {
        true => word(read).to_owned(),
        false => format!("read {}, write {}, irreversible {}", word(read), word(write), word(irreversible)),
    }
}

/// Which calls count, for registers that count calls.
fn counted(register: &Register, counting: Counting) -> &'static str {
    use Register::{Count, Deadline, Distinct, OpenIds, Permission, Rate, Total, WindowTotal};
    match (register, counting) {
        (Distinct { .. } | OpenIds { .. } | Deadline { .. } | Permission { .. }, _) => "",
        (Count { .. } | Total { .. } | Rate { .. } | WindowTotal { .. }, Counting::All) => " (all calls count)",
        (Count { .. } | Total { .. } | Rate { .. } | WindowTotal { .. }, Counting::Succeeded) => {
            " (calls that failed do not count)"
        }
    }
}

/// What a register reads of an event.
fn operands(speller: &Speller<'_>, operand: &Operand) -> Vec<String> {
    match operand {
        Operand::Same(expr) => vec![speller.text(expr)],
        Operand::ByTool(tools) => tools
            .iter()
            .map(|(subject, expr)| format!("{} of {}", speller.text(expr), path::subject(subject)))
            .collect(),
    }
}

fn automaton(
    rule: &Rule,
    patterns: &[Pattern],
    machine: &Machine,
    whole: bool,
    row: &mut impl FnMut(&str, &str) -> io::Result<()>,
) -> io::Result<()> {
    let letters: Vec<_> = machine.letters.iter().map(|letter| machine::letter(patterns, *letter)).collect();
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
    way_out::of(rule, patterns, machine).iter().try_for_each(|text| row("way out", text))
}

fn key(speller: &Speller<'_>, keyed: &Keyed, row: &mut impl FnMut(&str, &str) -> io::Result<()>) -> io::Result<()> {
    for route in &keyed.routes {
        let (key, of) = (speller.key(&route.key), path::subject(&route.subject));
        match &route.key {
            RouteKey::One(_) => row("key", &format!("{key} of {of}"))?,
            RouteKey::Each { .. } => row("key", &format!("each {key} of {of}"))?,
            RouteKey::All => row("key", &format!("{key}, at {of}"))?,
        }
    }
    let full = match keyed.when_full {
        WhenFull::Block => "is not established",
        WhenFull::Alert => "runs with an alert, and keys never seen are in doubt",
        WhenFull::Evict => "retires the instance of another key",
    };
    row("instances", &format!("at most {} at a time; a call that needs one more {full}", keyed.max))?;
    if let Some(idle) = keyed.idle {
        row("idle", &format!("retired after {idle} without an event of the key"))?;
    }
    if keyed.retires() {
        row("remember", &format!("{} retired keys", keyed.remember))?;
    }
    match &keyed.close_on {
        Some(pattern) => row("close_on", &pattern.text),
        None => Ok(()),
    }
}
