//! What makes the calls allowed that a rule stops, state by state.

use std::collections::BTreeMap;

use contract_lang::interpret::{Move, Repair};
use contract_lang::mir::{Machine, Pattern, Rule};
use contract_runtime::Colour;

use super::machine;

/// A line for each state and way out of it: the letters of calls that it helps.
pub(super) fn of(rule: &Rule, patterns: &[Pattern], machine: &Machine) -> Vec<String> {
    let named = |letter: u8| machine::letter(patterns, letter);
    let is_call = |letter: u8| {
        let held = (0u32..).zip(patterns).filter(|(bit, _)| letter.checked_shr(*bit).unwrap_or(0) & 1 == 1);
        held.into_iter().any(|(_, pattern)| pattern.alternatives.iter().any(|of| of.phases.call))
    };
    let mut lines = Vec::new();
    // The violated state is never entered.
    for (state, colour) in (0u8..).zip(&machine.colours).filter(|(_, colour)| **colour != Colour::Violated) {
        let mut ways: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (letter, next) in machine.letters.iter().zip(machine::successors(machine, usize::from(state))) {
            if is_call(*letter) && machine.colours.get(usize::from(next)) == Some(&Colour::Violated) {
                ways.entry(way(&rule.repair(state, *letter), named, rule)).or_default().push(named(*letter));
            }
        }
        lines.extend(ways.iter().map(|(way, letters)| format!("in {state}, {}: {way}", letters.join(", "))));
        if let (Colour::Pending, Some(guards)) = (colour, &rule.guards) {
            let way = way(&rule.settlement(state), named, rule);
            lines.push(format!("in {state}, {}: {way}", guards.text));
        }
    }
    lines
}

fn way(repair: &Repair, named: impl Fn(u8) -> String, rule: &Rule) -> String {
    match repair {
        Repair::Unknown | Repair::Unread => "no short way is known".to_owned(),
        Repair::Never => "nothing makes it allowed".to_owned(),
        Repair::Moves(moves) => {
            let events: Vec<_> = moves
                .iter()
                .map(|by| match by {
                    Move::Letter { letter, without: 0 } => named(*letter),
                    Move::Letter { letter, without } => {
                        let others = (0..8).map(|bit| without & (1 << bit)).filter(|other| *other != 0);
                        let others: Vec<_> = others.map(&named).collect();
                        format!("{} without {}", named(*letter), others.join(" or "))
                    }
                    Move::Fresh => {
                        let fresh = rule.reset_on.iter().chain(rule.close_on());
                        fresh.map(|pattern| pattern.spelled.as_str()).collect::<Vec<_>>().join(" or ")
                    }
                })
                .collect();
            format!("allowed after {}", events.join(", then "))
        }
    }
}
