//! Automata as drawings, in the language of Graphviz.

use std::io::{self, Write};

use contract_lang::diagnostic::render::escape;
use contract_lang::mir::{Kind, Machine, Pattern, Rule};
use contract_runtime::Colour;

use super::machine;
use crate::output::Stream;

/// Most letters that stand at an edge.
const MOST_LETTERS: usize = 8;

/// Draws the automata of rules, each in a box of its own.
pub(super) fn draw(rules: &[&Rule], out: &mut Stream<'_>) -> io::Result<()> {
    writeln!(out, "digraph rules {{")?;
    writeln!(out, "  rankdir=LR;")?;
    writeln!(
        out,
        "  node [shape=circle, style=filled, fixedsize=true, width=0.9, fontname=\"Helvetica\", fontsize=11];"
    )?;
    writeln!(out, "  edge [fontname=\"Helvetica\", fontsize=10];")?;
    for (number, rule) in rules.iter().enumerate() {
        if let Kind::Automaton { patterns, machine, .. } = &rule.kind {
            automaton(number, rule, patterns, machine, out)?;
        }
    }
    writeln!(out, "}}")
}

fn automaton(
    number: usize,
    rule: &Rule,
    patterns: &[Pattern],
    machine: &Machine,
    out: &mut Stream<'_>,
) -> io::Result<()> {
    let node = |state: usize| format!("s{number}_{state}");
    writeln!(out, "  subgraph cluster_{number} {{")?;
    writeln!(
        out,
        "    label={}; fontname=\"Helvetica\"; color=gray;",
        quoted(&format!("{} ({})", rule.id, rule.kind()))
    )?;
    writeln!(out, "    start_{number} [shape=point, width=0.1, label=\"\"];")?;
    writeln!(out, "    start_{number} -> {};", node(usize::from(machine.initial)))?;
    for (state, colour) in machine.colours.iter().enumerate() {
        let text = format!("\"{state}\\n{}\"", machine::colour(*colour));
        writeln!(out, "    {} [label={text}, fillcolor=\"{}\"];", node(state), fill(*colour))?;
    }
    let letters: Vec<_> = machine.letters.iter().map(|letter| machine::letter(patterns, *letter)).collect();
    for state in 0..machine.colours.len() {
        let successors = machine::successors(machine, state);
        // What every event leaves as it is needs no edge.
        if successors.iter().all(|next| usize::from(*next) == state) {
            continue;
        }
        for next in 0..machine.colours.len() {
            let moves = letters.iter().zip(&successors).filter(|(_, to)| usize::from(**to) == next);
            let label = label(&moves.map(|(letter, _)| letter.as_str()).collect::<Vec<_>>());
            if let Some(label) = label {
                writeln!(out, "    {} -> {} [label={label}];", node(state), node(next))?;
            }
        }
    }
    writeln!(out, "  }}")
}

/// The letters of an edge, one a line.
fn label(letters: &[&str]) -> Option<String> {
    if letters.is_empty() {
        return None;
    }
    let mut lines: Vec<String> = letters.iter().take(MOST_LETTERS).map(|letter| escaped(letter)).collect();
    match letters.len().saturating_sub(MOST_LETTERS) {
        0 => {}
        more => lines.push(format!("and {more} more")),
    }
    Some(format!("\"{}\"", lines.join("\\n")))
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

fn escaped(text: &str) -> String {
    escape(text).replace('\\', "\\\\").replace('"', "\\\"")
}

/// Light enough for black letters; the words say the same, for those who do not tell the colours apart.
fn fill(colour: Colour) -> &'static str {
    match colour {
        Colour::Satisfied => "#b7e4c7",
        Colour::Open => "#dbe9f6",
        Colour::Pending => "#ffe8a3",
        Colour::Violated => "#f4b6b6",
    }
}
