//! The automaton of a rule that was violated, with the moves by which it was: as a drawing, and in words.

mod graph;
mod layout;

use std::fmt::Write as _;
use std::io::{self, Write};

use contract_lang::mir::{Kind, Pattern, Rule};

use self::graph::{Graph, Path};
use self::layout::{Curve, Layout, RADIUS};
use super::html::{Name, Shown, escaped, number, plural};
use super::tally::Moves;

/// Larger automata are told in words only: nobody sees a path in them.
const MOST_STATES: usize = 16;
const MOST_EDGES: usize = 48;

/// Writes the automaton of a rule, if it has one.
pub(super) fn write(id: &str, rule: &Rule, moves: &Moves, out: &mut impl Write) -> io::Result<()> {
    let Kind::Automaton { patterns, machine, .. } = &rule.kind else {
        return writeln!(out, "<p class=\"note\">{}</p>", without(rule));
    };
    let graph = Graph::of(patterns, machine);
    let path = graph.path(moves);
    writeln!(out, "<div class=\"drawing\">")?;
    if graph.states.len() <= MOST_STATES && graph.edges.len() <= MOST_EDGES {
        draw(id, rule, &graph, &path, out)?;
    } else {
        writeln!(out, "<p class=\"note\">Its automaton has {} states, too many to draw.</p>", graph.states.len())?;
    }
    writeln!(out, "<div class=\"tell\">")?;
    legend(patterns, out)?;
    writeln!(out, "<p class=\"note\">{}</p>", said(&graph, &path))?;
    words(&graph, &path, out)?;
    writeln!(out, "</div></div>")
}

/// What the letters stand for, where their names do not say it.
fn legend(patterns: &[Pattern], out: &mut impl Write) -> io::Result<()> {
    let named = patterns.iter().filter_map(|pattern| Some((pattern.name.as_ref()?, &pattern.spelled)));
    let named: Vec<_> =
        named.map(|(name, text)| format!("<dt>{}</dt><dd><code>{}</code></dd>", Name(name), Shown(text))).collect();
    if named.is_empty() { Ok(()) } else { writeln!(out, "<dl class=\"letters\">{}</dl>", named.concat()) }
}

/// Why there is nothing to draw.
fn without(rule: &Rule) -> String {
    match &rule.kind {
        Kind::Register { register, .. } => {
            format!("This rule keeps {}, not an automaton.", escaped(&article(register.keeps())))
        }
        Kind::NoFlow { .. } => "This rule remembers values, not an automaton.".to_owned(),
        _ => "This rule looks at one call or result by itself, and remembers nothing.".to_owned(),
    }
}

fn article(what: &str) -> String {
    if what.ends_with('s') { what.to_owned() } else { format!("a {what}") }
}

/// The path in a sentence or two.
fn said(graph: &Graph, path: &Path) -> String {
    let mut text = String::new();
    for ((from, to), count) in path.counts.iter().take(6) {
        let letters = graph.edges.get(&(*from, *to)).map(Vec::as_slice).unwrap_or_default();
        let letters: Vec<_> = letters.iter().map(|letter| format!("<code>{}</code>", Shown(letter))).collect();
        let letters = letters.join(" or ");
        let times = if *count == 1 { "Once".to_owned() } else { format!("{} times", number(*count)) };
        // Writing to a string does not fail.
        let _ = write!(text, "{times} it was in state {from} when {letters} came, which leads to state {to}. ");
    }
    if path.counts.is_empty() && !path.here.is_empty() {
        let states: Vec<_> = path.here.iter().map(usize::to_string).collect();
        let _ = write!(text, "It was in state {} when the session or its instance ended. ", states.join(" or "));
    }
    if path.here.is_empty() {
        text.push_str("The journal does not say in which state it was. ");
    }
    if path.doubt {
        text.push_str("Its state was not always known exactly: then every state that it may have been in is marked. ");
    }
    if !path.way.is_empty() {
        text.push_str(
            "Dashed: a shortest way there; the journal records states only where a rule has something to say.",
        );
    }
    text
}

fn draw(id: &str, rule: &Rule, graph: &Graph, path: &Path, out: &mut impl Write) -> io::Result<()> {
    let layout = layout::lay_out(graph);
    let Layout { corner, size, .. } = &layout;
    write!(
        out,
        "<figure tabindex=\"0\" aria-label=\"automaton\"><svg role=\"img\" aria-labelledby=\"{id}-t {id}-d\" width=\"{:.0}\" height=\"{:.0}\" viewBox=\"{:.1} {:.1} {:.1} {:.1}\">",
        size.x, size.y, corner.x, corner.y, size.x, size.y
    )?;
    write!(out, "<title id=\"{id}-t\">Automaton of {}</title>", escaped(&rule.id))?;
    write!(
        out,
        "<desc id=\"{id}-d\">{}, the moves that violate the rule highlighted; the table below says the same</desc>",
        plural(graph.states.len() as u64, "state")
    )?;
    let class = |curve: &Curve| match curve.between {
        between if path.taken.contains(&between) => "taken",
        between if path.way.contains(&between) => "way",
        _ => "other",
    };
    // What matters is drawn last, on top.
    for wanted in ["other", "way", "taken"] {
        for curve in layout.curves.iter().filter(|curve| class(curve) == wanted) {
            edge(curve, wanted, out)?;
        }
    }
    if let Some(start) = layout.states.get(graph.initial) {
        let (x, y) = (start.x - RADIUS - 2.0, start.y);
        write!(out, "<g class=\"start\"><path class=\"edge\" d=\"M{:.1} {y:.1}H{:.1}\"/>", x - 26.0, x - 6.0)?;
        write!(out, "<path class=\"tip\" d=\"M{x:.1} {y:.1}l-9 -4v8z\"/></g>")?;
    }
    for (state, (at, colour)) in layout.states.iter().zip(&graph.states).enumerate() {
        let here = if path.here.contains(&state) { " here" } else { "" };
        write!(
            out,
            "<g class=\"node {colour}{here}\"><circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{RADIUS:.0}\"/>",
            at.x, at.y
        )?;
        write!(out, "<text x=\"{:.1}\" y=\"{:.1}\">{state}</text>", at.x, at.y + 4.5)?;
        write!(out, "<text class=\"colour\" x=\"{:.1}\" y=\"{:.1}\">{colour}</text></g>", at.x, at.y + RADIUS + 14.0)?;
    }
    writeln!(out, "</svg></figure>")
}

fn edge(curve: &Curve, class: &str, out: &mut impl Write) -> io::Result<()> {
    let [p0, p1, p2, p3] = curve.points;
    write!(
        out,
        "<g class=\"{class}\"><path class=\"edge\" d=\"M{:.1} {:.1}C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}\"/>",
        p0.x, p0.y, p1.x, p1.y, p2.x, p2.y, p3.x, p3.y
    )?;
    let (dx, dy) = (p3.x - p2.x, p3.y - p2.y);
    let length = dx.hypot(dy).max(1.0);
    let (ux, uy) = (dx / length, dy / length);
    let wing = |side: f64| (p3.x - ux * 9.0 - uy * 4.0 * side, p3.y - uy * 9.0 + ux * 4.0 * side);
    let ((ax, ay), (bx, by)) = (wing(1.0), wing(-1.0));
    write!(out, "<path class=\"tip\" d=\"M{:.1} {:.1}L{ax:.1} {ay:.1}L{bx:.1} {by:.1}z\"/>", p3.x, p3.y)?;
    let mut y = curve.label.y - f64::from(u32::try_from(curve.lines.len().saturating_sub(1)).unwrap_or_default()) * 6.5;
    for line in &curve.lines {
        write!(out, "<text class=\"label\" x=\"{:.1}\" y=\"{y:.1}\">{}</text>", curve.label.x, escaped(line))?;
        y += 13.0;
    }
    write!(out, "</g>")
}

/// All states and moves, for who does not see the drawing, and for letters that are too long for it.
fn words(graph: &Graph, path: &Path, out: &mut impl Write) -> io::Result<()> {
    write!(
        out,
        "<details><summary>The same in words</summary><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"moves\"><table><thead><tr>"
    )?;
    write!(
        out,
        "<th scope=\"col\">In state</th><th scope=\"col\">on</th><th scope=\"col\">to state</th><th scope=\"col\">violated</th></tr></thead><tbody>"
    )?;
    let colour = |state: usize| graph.states.get(state).copied().unwrap_or_default();
    for ((from, to), letters) in &graph.edges {
        let start = if *from == graph.initial { ", start" } else { "" };
        let count = path.counts.iter().find(|(between, _)| between == &(*from, *to)).map(|(_, count)| *count);
        write!(out, "<tr><td>{from} ({}{start})</td><td>", colour(*from))?;
        for (index, letter) in letters.iter().enumerate() {
            write!(out, "{}<code>{}</code>", if index > 0 { ", " } else { "" }, Shown(letter))?;
        }
        let count = count.map(|count| format!("{}×", number(count))).unwrap_or_default();
        write!(out, "</td><td>{to} ({})</td><td>{count}</td></tr>", colour(*to))?;
    }
    writeln!(out, "</tbody></table></div></details>")
}

#[cfg(test)]
mod tests;
