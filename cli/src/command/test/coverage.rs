//! `interlock test --coverage`: what the tests reach of a contract.

use std::io::{self, Write as _};

use contract_lang::diagnostic::render;
use contract_lang::testing::coverage::{Goal, What, goals};
use serde_json::{Map, json};

use super::Suite;
use crate::args::{self, Format};
use crate::output::{Console, Exit};

/// Says what is reached. It fails if that is less than is asked for.
pub(super) fn run(suite: &Suite, args: &args::Test, console: &mut Console<'_>) -> io::Result<Exit> {
    let Some(watch) = &suite.watch else { return Ok(Exit::Fine) };
    let goals = goals(&suite.contract, watch);
    match args.format {
        Format::Human => show(suite, &goals, console)?,
        Format::Json => lines(suite, &goals, console)?,
    }
    Ok(if percent(&goals) < args.min.unwrap_or(0) { Exit::Fails } else { Exit::Fine })
}

fn reached<'g>(goals: impl IntoIterator<Item = &'g Goal>) -> (usize, usize) {
    goals.into_iter().fold((0, 0), |(reached, all): (usize, usize), goal| {
        (reached.saturating_add(usize::from(goal.times > 0)), all.saturating_add(1))
    })
}

/// How many of a hundred goals are reached, rounded down.
fn percent(goals: &[Goal]) -> u8 {
    let (reached, all) = reached(goals);
    reached.saturating_mul(100).checked_div(all).and_then(|percent| u8::try_from(percent).ok()).unwrap_or(100)
}

fn show(suite: &Suite, goals: &[Goal], console: &mut Console<'_>) -> io::Result<()> {
    let out = &mut console.out;
    writeln!(out, "coverage of {}: {} %", suite.name, percent(goals))?;
    for what in What::ALL {
        let (reached, all) = reached(goals.iter().filter(|goal| goal.what == what));
        if all > 0 {
            writeln!(out, "  {reached:>4} of {all:<4} {}", plural(what))?;
        }
    }
    for goal in goals.iter().filter(|goal| goal.times == 0) {
        writeln!(out, "  never: {}: {}", render::escape(&goal.of), render::escape(&goal.text))?;
    }
    Ok(())
}

fn plural(what: What) -> &'static str {
    match what {
        What::Rule => "rules have something to say",
        What::Violation => "rules without an automaton are violated",
        What::State => "states of automata",
        What::Transition => "steps of automata",
        What::Predicate => "outcomes of predicates",
        What::Commit => "commits",
    }
}

fn lines(suite: &Suite, goals: &[Goal], console: &mut Console<'_>) -> io::Result<()> {
    for goal in goals {
        let Goal { of, what, text, times } = goal;
        console
            .out
            .json(&json!({ "file": suite.name, "goal": what.as_str(), "of": of, "text": text, "times": times }))?;
    }
    let counts = |what: What| {
        let (reached, all) = reached(goals.iter().filter(|goal| goal.what == what));
        (what.as_str().to_owned(), json!({ "reached": reached, "goals": all }))
    };
    let by: Map<_, _> = What::ALL.into_iter().map(counts).collect();
    let (reached, all) = reached(goals);
    console
        .out
        .json(&json!({ "file": suite.name, "coverage": percent(goals), "reached": reached, "goals": all, "by": by }))
}
