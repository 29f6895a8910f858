//! `interlock diff`: what became allowed, what became blocked, each with a session that shows it.

mod human;
mod json;

use std::io;

use contract_lang::analysis::diff::{Answer, Diff, Direction, Limits, diff};

use super::contract;
use super::witness::Witnesses;
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
        let mut witnesses = Witnesses::new(folder);
        for change in found.changes() {
            exit.worsen(witnesses.write(&args.new, change.direction.as_str(), &change.session, console)?);
        }
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
