//! The differences as JSON, one object a line.

use std::io;

use contract_lang::analysis::diff::{Change, Diff, Direction};
use contract_lang::trace::Line;
use serde_json::{Value, json};

use crate::output::Console;

pub(super) fn write(found: &Diff, console: &mut Console<'_>) -> io::Result<()> {
    for edit in &found.edits {
        console.out.json(&json!({"edit": edit.place, "old": edit.old, "new": edit.new}))?;
    }
    for part in &found.parts {
        let shown: Vec<&str> = part.shown.iter().map(|direction| direction.as_str()).collect();
        console.out.json(&json!({
            "part": part.name,
            "reads": part.reads.map(Direction::as_str),
            "shown": shown,
        }))?;
    }
    let parts =
        [("newly_allowed", &found.newly_allowed), ("newly_blocked", &found.newly_blocked), ("other", &found.other)];
    for (name, changes) in parts {
        changes.iter().try_for_each(|change| console.out.json(&object(name, change)))?;
    }
    console.out.json(&json!({
        "summary": true,
        "answer": found.answer.as_str(),
        "newly_allowed": found.newly_allowed.len(),
        "newly_blocked": found.newly_blocked.len(),
        "other": found.other.len(),
        "undecided": found.parts.iter().filter(|part| part.is_undecided()).map(|part| &part.name).collect::<Vec<_>>(),
    }))
}

fn object(kind: &str, change: &Change) -> Value {
    let (old, new): (Vec<Value>, Vec<Value>) =
        change.seen.iter().map(|(old, new)| (old.encode(), new.encode())).unzip();
    json!({
        "change": kind,
        "what": change.what.as_str(),
        "direction": change.direction.as_str(),
        "concerns": change.concerns,
        "trace": change.session.iter().map(Line::encode).collect::<Vec<_>>(),
        "old": old,
        "new": new,
    })
}
