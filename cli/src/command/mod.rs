//! The commands, one file each.

mod approve;
mod checkpoint;
mod compile;
mod completions;
mod demo;
mod diff;
mod doctor;
pub(crate) mod explain;
mod export;
mod fix;
mod fmt;
mod init;
mod journal;
mod keygen;
mod lint;
mod mcp;
mod notes;
mod prove;
mod replay;
mod report;
mod schema;
mod show;
mod test;
mod verify;
mod why;
mod witness;

use std::error::Error;
use std::io::{self, Write as _};
use std::path::Path;

use contract_lang::diagnostic::render;
use contract_lang::{Checked, FileOptions, LoadError, Loaded, check_file, load, mir};
use contract_runtime::journal::JournalError;
use interlock_gateway::approval::Problem;

use crate::args::{Cli, Command};
use crate::output::{Console, Exit};

/// Runs a command.
///
/// # Errors
/// If its output cannot be written.
pub fn run(cli: &Cli, console: &mut Console<'_>) -> io::Result<Exit> {
    let exit = match &cli.command {
        Command::Init(args) => init::run(args, console),
        Command::Lint(args) => lint::run(args, console),
        Command::Fmt(args) => fmt::run(args, console),
        Command::Schema(args) => schema::run(args, console),
        Command::Explain(args) => explain::run(args, console),
        Command::Compile(args) => compile::run(args, console),
        Command::Diff(args) => diff::run(args, console),
        Command::Mcp(args) => mcp::run(args, console),
        Command::Doctor(args) => doctor::run(args, console),
        Command::Approve(args) => approve::run(args, console),
        Command::Become(args) => mcp::become_child(args, console),
        Command::Replay(args) => replay::run(args, console),
        Command::Test(args) => test::run(args, console),
        Command::Show(args) => show::run(args, console),
        Command::Completions(args) => completions::run(args, console),
        Command::Man(args) => completions::man(args, console),
        Command::Demo(args) => demo::run(args, console),
        Command::Why(args) => why::run(args, console),
        Command::Keygen(args) => keygen::run(args, console),
        Command::Checkpoint(args) => checkpoint::run(args, console),
        Command::Prove(args) => prove::run(args, console),
        Command::Export(args) => export::run(args, console),
        Command::Report(args) => report::run(args, console),
        Command::Verify(args) => verify::run(args, console),
        Command::Journal(args) => journal::run(args, console),
    }?;
    console.out.flush()?;
    Ok(exit)
}

/// A path as it is shown.
fn shown(path: &Path) -> String {
    render::escape(&path.to_string_lossy())
}

/// Writes a file; says so if that fails.
fn write(path: &Path, text: &str, console: &mut Console<'_>) -> io::Result<Exit> {
    if let Err(error) = std::fs::write(path, text) {
        writeln!(console.err, "error: cannot write `{}`: {error}", shown(path))?;
        return Ok(Exit::Unusable);
    }
    Ok(Exit::Fine)
}

/// The contract of a file that has to be free of errors; `None` if it cannot be used, which has then been said.
fn contract(path: &Path, console: &mut Console<'_>) -> io::Result<Option<mir::Contract>> {
    Ok(loaded(path, console)?.map(|loaded| loaded.contract))
}

/// The same, with the files that it was read from.
fn loaded(path: &Path, console: &mut Console<'_>) -> io::Result<Option<Loaded>> {
    match load(path) {
        // Warnings are for those who write the contract: `lint` tells them.
        Ok(loaded) => Ok(Some(loaded)),
        Err(LoadError::Invalid(rendered)) => {
            console.err.write_all(rendered.as_bytes())?;
            writeln!(console.err, "error: the contract `{}` has errors and is not used", shown(path))?;
            Ok(None)
        }
        Err(error) => {
            writeln!(console.err, "error: {}", render::escape(&error.to_string()))?;
            Ok(None)
        }
    }
}

/// The contract of a file to be tried on recorded calls: also one that has errors, as long as these leave its meaning clear.
fn tried(path: &Path, console: &mut Console<'_>) -> io::Result<Option<mir::Contract>> {
    match check_file(path, &path.display().to_string(), &FileOptions::default()) {
        Ok((Checked { runnable: Some(contract), .. }, _)) => {
            writeln!(console.err, "warning: the contract `{}` has errors; `interlock lint` tells them", shown(path))?;
            Ok(Some(contract))
        }
        Ok((Checked { contract: Some(contract), .. }, _)) => Ok(Some(contract)),
        _ => contract(path, console),
    }
}

/// An error with what can be done about it, for standard error.
fn advised(error: &(dyn Error + 'static)) -> String {
    let help = error.downcast_ref::<JournalError>().and_then(JournalError::help);
    let help = help.or_else(|| Some(error.downcast_ref::<Problem>()?.advice()?.to_owned()));
    let help = help.map(|help| format!("\nhelp: {}", render::escape(&help)));
    format!("error: {}{}", render::escape(&error.to_string()), help.unwrap_or_default())
}
