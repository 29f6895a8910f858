//! The binary `interlock`: arguments in, exit code out.

use std::io;
use std::process::ExitCode;

use clap::Parser as _;
use interlock_cli::{Cli, Console, Exit, run};

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let exit = if error.use_stderr() { Exit::Unusable } else { Exit::Fine };
            // Nobody is left to tell that the help could not be printed.
            let _ = error.print();
            return exit.into();
        }
    };
    match run(&cli, &mut Console::standard()) {
        Ok(exit) => exit.into(),
        // Whoever closes the pipe has read enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Fine.into(),
        Err(error) => {
            use io::Write as _;
            let _ = writeln!(io::stderr(), "error: cannot write the output: {error}");
            Exit::Unusable.into()
        }
    }
}
