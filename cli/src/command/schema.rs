//! `interlock schema`: the JSON schema of contract files.

use std::io::{self, Write as _};

use contract_lang::schema;

use crate::args;
use crate::output::{Console, Exit};

pub(super) fn run(args: &args::Schema, console: &mut Console<'_>) -> io::Result<Exit> {
    let draft = match args.draft {
        args::Draft::Draft2020 => schema::Draft::Draft2020,
        args::Draft::Draft7 => schema::Draft::Draft7,
    };
    console.out.write_all(schema::text(draft).as_bytes())?;
    Ok(Exit::Fine)
}
