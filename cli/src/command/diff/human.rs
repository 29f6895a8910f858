//! The differences for people: what it comes to, what was written otherwise, then what that does.

use std::io::{self, Write};

use contract_lang::analysis::diff::{Answer, Change, Diff, Direction, Edit, Part, Seen, What, shown_as};
use contract_lang::diagnostic::render;
use contract_lang::replay::Shown;
use contract_lang::trace::{Body, Line, Recorded};
use serde_json::Value;

use crate::args::Refused;

/// Longest value that is shown whole, in characters.
const WIDE: usize = 100;

pub(super) fn write(found: &Diff, deny: Refused, out: &mut impl Write) -> io::Result<()> {
    sums_up(found, deny, out)?;
    if !found.edits.is_empty() {
        writeln!(out, "what was written otherwise")?;
        found.edits.iter().try_for_each(|edit| written(edit, out))?;
        writeln!(out)?;
    }
    let parts = [
        ("newly allowed", &found.newly_allowed),
        ("newly blocked", &found.newly_blocked),
        ("other differences", &found.other),
    ];
    for (name, changes) in parts.into_iter().filter(|(_, changes)| !changes.is_empty()) {
        writeln!(out, "{name}: {}", changes.len())?;
        changes.iter().try_for_each(|change| shows(change, out))?;
        writeln!(out)?;
    }
    let answer = match found.answer {
        Answer::Equal => "proved equal: no session tells the versions apart",
        Answer::Different => "different",
        Answer::Inconclusive => "not proved equal, and no session was found that tells the versions apart",
    };
    writeln!(out, "{answer}")
}

/// What changes in which direction, and what perhaps does.
fn sums_up(found: &Diff, deny: Refused, out: &mut impl Write) -> io::Result<()> {
    let (loosened, perhaps_loosened) = found.towards(Direction::Loosened);
    let (tightened, perhaps_tightened) = found.towards(Direction::Tightened);
    let mut say = |what: &str, parts: &[&Part]| {
        let names: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
        if names.is_empty() { Ok(()) } else { writeln!(out, "{what}: {}", line(&names.join(", "))) }
    };
    say("loosened", &loosened)?;
    say("tightened", &tightened)?;
    match deny {
        Refused::Loosened => say("not proved harmless, it may loosen something", &perhaps_loosened)?,
        Refused::Tightened => say("not proved harmless, it may tighten something", &perhaps_tightened)?,
        Refused::Any => {
            let undecided: Vec<&Part> = found.parts.iter().filter(|part| part.is_undecided()).collect();
            say("not proved harmless", &undecided)?;
        }
    }
    if found.parts.is_empty() { Ok(()) } else { writeln!(out) }
}

fn written(edit: &Edit, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "  {}", line(&edit.place))?;
    let side = |sign: char, value: &Option<Value>, out: &mut dyn Write| match value {
        Some(value) => writeln!(out, "    {sign} {}", line(&value.to_string())),
        None => Ok(()),
    };
    side('-', &edit.old, out)?;
    side('+', &edit.new, out)
}

fn shows(change: &Change, out: &mut impl Write) -> io::Result<()> {
    let what = match (change.what, change.direction) {
        (What::Decision, _) => "the last call is decided otherwise",
        (What::Arguments, _) => "the last call runs with other arguments",
        (What::Result, Direction::Loosened) => "the agent sees more of the last result",
        (What::Result, Direction::Tightened) => "the agent sees less of the last result",
        (What::Result, Direction::Altered) => "the agent sees the last result otherwise",
        (What::Report, Direction::Loosened) => "less is reported in the last line",
        (What::Report, _) => "more is reported in the last line",
    };
    writeln!(out, "  {}: {what}", line(&change.concerns.join(", ")))?;
    let rows: Vec<[String; 3]> = change
        .session
        .iter()
        .zip(&change.seen)
        .map(|(said, (old, new))| [row(said), outcome(old), outcome(new)])
        .collect();
    let wide = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let (first, second) = (wide(0).unwrap_or(0), wide(1).unwrap_or(0).max(3));
    writeln!(out, "    {:first$}  {:second$}  new", "", "old")?;
    for [said, old, new] in &rows {
        writeln!(out, "    {said:first$}  {old:second$}  {new}")?;
    }
    Ok(())
}

/// A line of a session, in short.
fn row(said: &Line) -> String {
    let result = |result: &Recorded| {
        let value = result.value.as_ref().map(|value| format!(" {value}")).unwrap_or_default();
        format!("-> {}{value}", result.status.as_str())
    };
    let text = match &said.body {
        Body::Call(call, came) => {
            let server = call.server.as_ref().map(|server| format!("{server}::")).unwrap_or_default();
            let came = came.as_ref().map(|came| format!(" {}", result(came))).unwrap_or_default();
            format!("{} {server}{} {}{came}", call.id, call.tool, call.args)
        }
        Body::Result(id, came) => format!("{id} {}", result(came)),
        Body::Event { name, value } => format!("event {name} {value}"),
        Body::Context(facts) => format!("context {facts}"),
        Body::End => "end".to_owned(),
    };
    let at = said.at.map(|at| format!("{at} ")).unwrap_or_default();
    line(&format!("{at}{text}"))
}

/// What a version makes of a line.
fn outcome(seen: &Seen) -> String {
    let decision = seen.decision.map(|decision| decision.as_str().to_owned());
    let args = seen.args.as_ref().map(|args| format!("with {args}"));
    let result = seen.shown.filter(|shown| *shown != Shown::All).map(|shown| shown_as(shown).to_owned());
    let masked = seen.masked.as_ref().map(|masked| format!("as {masked}"));
    let reported = seen.reported.map(|verdict| format!("reports {}", verdict.as_str()));
    let rules = Some(seen.rules.join(", ")).filter(|rules| !rules.is_empty()).map(|rules| format!("({rules})"));
    let parts = [decision, args, result, masked, reported, rules].into_iter().flatten();
    let text = parts.collect::<Vec<_>>().join(" ");
    line(if text.is_empty() { "-" } else { &text })
}

/// A text on one line, without what a terminal would obey, and not too long.
fn line(text: &str) -> String {
    let text = render::escape(text);
    if text.chars().count() <= WIDE {
        return text;
    }
    let kept: String = text.chars().take(WIDE).collect();
    format!("{kept}…")
}
