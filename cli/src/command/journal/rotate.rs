//! `interlock journal rotate`: go on in a new file.

use std::error::Error;
use std::io::{self, Write as _};

use contract_runtime::journal::{Journal, SigningKey};

use super::{shown, unusable};
use crate::args;
use crate::output::{Console, Exit};

pub(super) fn run(args: &args::Rotate, console: &mut Console<'_>) -> io::Result<Exit> {
    if let Err(error) = rotate(args) {
        return unusable(&*error, console);
    }
    writeln!(console.out, "a new file of `{}` was begun", shown(&args.journal))?;
    Ok(Exit::Fine)
}

fn rotate(args: &args::Rotate) -> Result<(), Box<dyn Error>> {
    let mut options = Journal::at(&args.journal);
    if let Some(key) = &args.key {
        options = options.key(SigningKey::read(key)?);
    }
    let journal = options.resume()?;
    journal.rotate()?;
    Ok(journal.close()?)
}
