//! What rules said: counts, and the automata of those that were violated.

use std::cmp::Reverse;
use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::super::html::{Name, Shown, filter, number, plural};
use super::super::machine;
use super::super::page::Page;
use super::super::tally::{Moves, RuleKey, Said, Sides, Tally};
use super::{cell, close, open, sides, tag};

/// The most rules that are listed.
const MOST: usize = 100;
/// The most automata.
const MOST_DRAWN: usize = 24;

/// How often each rule had something to say.
pub(super) fn write_tables(page: &Page<'_>, out: &mut impl Write) -> io::Result<()> {
    let tally = page.tally;
    open(
        "rules",
        "Rules",
        "How often a rule had something to say: of a call, by what it asked for; later, of a result, a host event or time; at the end of a session.",
        out,
    )?;
    let all: Vec<Sides<Said>> = tally.rules.iter().map(|(_, said)| *said).collect();
    if all.is_empty() {
        writeln!(out, "<p class=\"none\">No rule had anything to say.</p>")?;
        return close(out);
    }
    let several = tally.contracts.all().len() > 1;
    sides(&all, out, |name, side, out| {
        let mut rows: Vec<_> = tally.rules.iter().map(|(key, said)| (key, side(said))).collect();
        rows.retain(|(_, said)| **said != Said::default());
        let weight = |said: &Said| Reverse(said.block.saturating_add(said.ask).saturating_add(said.end));
        rows.sort_by(|(a, x), (b, y)| weight(x).cmp(&weight(y)).then(a.cmp(b)));
        if !name.is_empty() {
            write!(out, "<h3>{name}</h3>")?;
        }
        write!(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Rules {name}\"><table>")?;
        write!(out, "<thead><tr><th scope=\"col\">rule</th>")?;
        for name in ["block", "ask", "alert", "later", "at the end"] {
            write!(out, "<th scope=\"col\" class=\"num\">{name}</th>")?;
        }
        write!(out, "</tr></thead><tbody>")?;
        for ((contract, id), said) in rows.iter().take(MOST) {
            let of = tally.contracts.name(*contract).filter(|_| several);
            let of = of.map(|name| format!(" <span class=\"muted\">of {}</span>", Name(name))).unwrap_or_default();
            let says = tally.contracts.rule(*contract, id);
            let says = says.map(|rule| format!("<br><span class=\"muted small\">{}</span>", Shown(&rule.says)));
            let cells = [said.block, said.ask, said.alert, said.later, said.end].map(cell).concat();
            let link = filter(&[("rule", id)]);
            writeln!(
                out,
                "<tr><th scope=\"row\"><a href=\"{link}\">{}</a>{of}{}</th>{cells}</tr>",
                Name(id),
                says.unwrap_or_default()
            )?;
        }
        writeln!(out, "</tbody></table></div>")
    })?;
    let hidden = tally.rules.len().saturating_sub(MOST);
    if hidden > 0 || tally.rules.others().is_some() {
        writeln!(out, "<p class=\"note\">Not all rules are listed; the timeline has their records.</p>")?;
    }
    close(out)
}

/// The rules that were violated, most often first.
fn violated(tally: &Tally) -> Vec<(&RuleKey, &Moves)> {
    let mut rules: Vec<_> = tally.moves.iter().collect();
    rules.sort_by_key(|(key, moves)| (Reverse(moves.violated), *key));
    rules
}

/// What the script has to know of rules: their words, and where their automata are.
pub(in super::super) fn legend(tally: &Tally) -> Value {
    let mut legend = Map::new();
    for ((contract, id), _) in tally.rules.iter() {
        if let Some(rule) = tally.contracts.rule(*contract, id) {
            legend.insert(id.clone(), json!({ "says": rule.says, "anchor": null }));
        }
    }
    for (number, ((_, id), _)) in violated(tally).into_iter().enumerate().take(MOST_DRAWN) {
        if let Some(anchor) = legend.get_mut(id).and_then(|rule| rule.get_mut("anchor")).filter(|at| at.is_null()) {
            *anchor = Value::String(anchor_of(number));
        }
    }
    Value::Object(legend)
}

fn anchor_of(number: usize) -> String {
    format!("rule-{number}")
}

/// The automaton of each rule that was violated.
pub(super) fn write_automata(page: &Page<'_>, out: &mut impl Write) -> io::Result<()> {
    let tally = page.tally;
    let about = "The automaton of each, from the contract that the journal holds, with the moves by which it was violated. A call that was stopped did not move it.";
    open("automata", "Violated rules", about, out)?;
    let rules = violated(tally);
    if rules.is_empty() {
        writeln!(out, "<p class=\"none\">No rule was violated.</p>")?;
    }
    for (place, ((contract, id), moves)) in rules.iter().enumerate().take(MOST_DRAWN) {
        let anchor = anchor_of(place);
        write!(out, "<article class=\"machine\" id=\"{anchor}\"><h3>{} ", Name(id))?;
        let times = if moves.violated == 1 { "once".to_owned() } else { format!("{} times", number(moves.violated)) };
        write!(out, "{}", tag("violated", &format!("violated {times}")))?;
        let rule = tally.contracts.rule(*contract, id);
        let name = tally.contracts.name(*contract).map(|name| format!("of {}", Name(name))).unwrap_or_default();
        let kind = rule.map(|rule| format!("{}, {}, ", rule.kind(), rule.severity.as_str())).unwrap_or_default();
        writeln!(out, " <span class=\"muted small\">{kind}{name}</span></h3>")?;
        match rule {
            Some(rule) => {
                writeln!(out, "<p class=\"muted\">{}</p>", Shown(&rule.says))?;
                machine::write(&anchor, rule, moves, out)?;
            }
            None if is_rule(id) => {
                writeln!(
                    out,
                    "<p class=\"note\">The journal does not hold the contract in a form that this version reads, so what the rule says is not known.</p>"
                )?;
            }
            None => writeln!(out, "<p class=\"note\">No rule, but the contract itself.</p>")?,
        }
        writeln!(out, "</article>")?;
    }
    let hidden = rules.len().saturating_sub(MOST_DRAWN);
    if hidden > 0 {
        writeln!(out, "<p class=\"note\">{} more were violated.</p>", plural(hidden as u64, "rule"))?;
    }
    close(out)
}

/// Whether a finding's subject is a rule: not the default, what becomes of undeclared tools, or a cell of state.
fn is_rule(id: &str) -> bool {
    !matches!(id, "default" | "undeclared") && !id.starts_with("state.")
}
