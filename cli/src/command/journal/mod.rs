//! `interlock journal`: what can be done to a journal, one file for each command.

mod reanchor;
mod rekey;
mod rotate;

use std::error::Error;
use std::io::{self, Write as _};

use super::{advised, shown};
use crate::args;
use crate::output::{Console, Exit};

pub(super) fn run(args: &args::Journal, console: &mut Console<'_>) -> io::Result<Exit> {
    match args {
        args::Journal::Reanchor(args) => reanchor::run(args, console),
        args::Journal::Rotate(args) => rotate::run(args, console),
        args::Journal::Rekey(args) => rekey::run(args, console),
    }
}

fn unusable(error: &(dyn Error + 'static), console: &mut Console<'_>) -> io::Result<Exit> {
    writeln!(console.err, "{}", advised(error))?;
    Ok(Exit::Unusable)
}
