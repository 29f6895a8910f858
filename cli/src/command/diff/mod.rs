//! `interlock diff`: what became allowed, what became blocked, each with a session that shows it.

mod human;
mod json;

use std::io::{self, Write as _};
use std::path::Path;

use contract_lang::analysis::diff::{Answer, Change, Diff, Direction, Limits, diff};

use super::{contract, shown, write};
use crate::args::{self, Format, Refused};
use crate::output::{Console, Exit};

pub(super) fn run(args: &args::Diff, console: &mut Console<'_>) -> io::Result<Exit> {
    let Some(old) = contract(&args.old, console)? else { return Ok(Exit::Unusable) };
    let Some(new) = contract(&args.new, console)? else { return Ok(Exit::Unusable) };
    let found = diff(&old, &new, &Limits::default());
    match args.format {
        Format::Json => json::write(&found, console)?,
        Format::Human => human::write(&found, args.deny, &mut console.out)?,
    }
    let mut exit = if refused(&found, args.deny) { Exit::Fails } else { Exit::Fine };
    if let Some(folder) = &args.witness {
        exit.worsen(witnesses(&found, &args.new, folder, console)?);
    }
    Ok(exit)
}

/// Whether something changes in a direction that is refused, or perhaps does.
fn refused(found: &Diff, deny: Refused) -> bool {
    let (yes, perhaps) = match deny {
        Refused::Loosened => found.towards(Direction::Loosened),
        Refused::Tightened => found.towards(Direction::Tightened),
        Refused::Any => return found.answer != Answer::Equal,
    };
    !yes.is_empty() || !perhaps.is_empty()
}

/// Writes each session as a trace.
fn witnesses(found: &Diff, new: &Path, folder: &Path, console: &mut Console<'_>) -> io::Result<Exit> {
    if let Err(error) = std::fs::create_dir_all(folder) {
        writeln!(console.err, "error: cannot make the folder `{}`: {error}", shown(folder))?;
        return Ok(Exit::Unusable);
    }
    let stem = new.file_stem().map_or_else(|| "contract".to_owned(), |stem| stem.to_string_lossy().into_owned());
    let mut exit = Exit::Fine;
    for (number, change) in (1..).zip(found.changes()) {
        let path = folder.join(format!("{stem}-{}-{number}.jsonl", change.direction.as_str()));
        exit.worsen(write(&path, &trace(change), console)?);
        writeln!(console.err, "wrote `{}`", shown(&path))?;
    }
    Ok(exit)
}

fn trace(change: &Change) -> String {
    change.session.iter().map(|line| format!("{}\n", line.encode())).collect()
}
