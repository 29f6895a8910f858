//! `interlock completions` and `interlock man`: the command line for shells and for `man`.

use std::fs;
use std::io::{self, Write as _};

use clap::CommandFactory as _;

use super::shown;
use crate::args::{self, Cli};
use crate::output::{Console, Exit};

pub(super) fn run(args: &args::Completions, console: &mut Console<'_>) -> io::Result<Exit> {
    // Into memory first: the generator does not take a failure to write.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "interlock", &mut script);
    console.out.write_all(&script)?;
    Ok(Exit::Fine)
}

pub(super) fn man(args: &args::Man, console: &mut Console<'_>) -> io::Result<Exit> {
    let written = fs::create_dir_all(&args.dir).and_then(|()| clap_mangen::generate_to(Cli::command(), &args.dir));
    match written {
        Ok(()) => Ok(Exit::Fine),
        Err(error) => {
            writeln!(console.err, "error: cannot write man pages to `{}`: {error}", shown(&args.dir))?;
            Ok(Exit::Unusable)
        }
    }
}
