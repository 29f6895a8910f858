//! The states of a rule's automaton, by what they wait for.

use contract_lang::mir::{Kind, Machine, Pattern, Rule};
use contract_runtime::{Colour, Verdict};

/// A state.
#[derive(Debug, serde::Serialize)]
pub(super) struct State {
    state: u64,
    /// What the rule's verdict is in it.
    verdict: &'static str,
    /// What would violate the rule next.
    violates: Vec<String>,
    /// What would lead to another state.
    moves: Vec<Move>,
}

/// A way to another state.
#[derive(Debug, serde::Serialize)]
struct Move {
    on: String,
    to: u64,
    verdict: &'static str,
}

/// The states with these numbers; empty for a rule without an automaton.
pub(super) fn of(rule: &Rule, states: &[u64]) -> Vec<State> {
    let Kind::Automaton { patterns, machine, .. } = &rule.kind else { return Vec::new() };
    states.iter().filter_map(|state| describe(patterns, machine, *state)).collect()
}

fn describe(patterns: &[Pattern], machine: &Machine, number: u64) -> Option<State> {
    let state = usize::try_from(number).ok()?;
    let colour = *machine.colours.get(state)?;
    let (mut violates, mut moves) = (Vec::new(), Vec::new());
    for letter in &machine.letters {
        let row = state.checked_shl(u32::from(machine.width))?;
        let next = *machine.delta.get(row | usize::from(*letter))?;
        let to = *machine.colours.get(usize::from(next))?;
        if to == Colour::Violated && colour != Colour::Violated {
            violates.push(event(patterns, *letter));
        } else if usize::from(next) != state {
            moves.push(Move { on: event(patterns, *letter), to: u64::from(next), verdict: verdict(to) });
        }
    }
    Some(State { state: number, verdict: verdict(colour), violates, moves })
}

fn verdict(colour: Colour) -> &'static str {
    Verdict::from(colour).as_str()
}

/// What an event is, by the patterns that it matches.
fn event(patterns: &[Pattern], letter: u8) -> String {
    let held = (0u32..).zip(patterns).filter(|(bit, _)| letter.checked_shr(*bit).unwrap_or(0) & 1 == 1);
    held.map(|(_, pattern)| format!("`{}`", pattern.spelled)).collect::<Vec<_>>().join(" with ")
}

impl State {
    /// The state in a sentence without its full stop.
    pub(super) fn sentence(&self) -> String {
        let Self { state, verdict, violates, moves } = self;
        let violates = match violates.as_slice() {
            [] => String::new(),
            events => format!("; {} would violate it", events.join(" or ")),
        };
        let moves: String =
            moves.iter().map(|Move { on, to, verdict }| format!("; {on} leads to {to} ({verdict})")).collect();
        format!("{state} ({verdict}){violates}{moves}")
    }
}
