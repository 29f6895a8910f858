//! `interlock replay`: what a contract decides about recorded calls.

pub(super) mod journal;
mod player;
mod recorded;
mod report;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write as _};
use std::path::Path;

use contract_lang::interpret::Interpreted;

use self::player::Player;
use self::report::{Reporter, Tally};
use super::{advised, shown, tried};
use crate::args;
use crate::output::{Console, Exit};
use contract_lang::trace::Reader;

pub(super) fn run(args: &args::Replay, console: &mut Console<'_>) -> io::Result<Exit> {
    let Some(checked) = tried(&args.file, console)? else { return Ok(Exit::Unusable) };
    let contract = Interpreted::new(checked.clone());
    let journal = match args.recording.shared() {
        Ok(journal) => journal,
        Err(error) => {
            writeln!(console.err, "{}", advised(&*error))?;
            return Ok(Exit::Unusable);
        }
    };
    let mut exit = Exit::Fine;
    let mut tally = Tally::default();
    for path in &args.traces {
        let name = if path.as_os_str() == "-" { "<stdin>".to_owned() } else { shown(path) };
        let file = (args.traces.len() > 1).then_some(name.as_str());
        if recorded::is_journal(path) {
            let reporter = Reporter::new(contract.info(), args.format, file, console, &mut tally);
            exit.worsen(recorded::play(&contract, &checked, args, path, reporter)?);
            continue;
        }
        let input = match open(path) {
            Ok(input) => input,
            Err(error) => {
                writeln!(console.err, "error: cannot read the trace `{name}`: {error}")?;
                exit = Exit::Unusable;
                continue;
            }
        };
        let reporter = Reporter::new(contract.info(), args.format, file, console, &mut tally);
        let played = Player::new(&contract, args, journal.as_ref(), &name, reporter).play(Reader::new(input))?;
        exit.worsen(played);
    }
    if let Some(Err(error)) = journal.map(|journal| journal.close()) {
        writeln!(console.err, "{}", advised(&error))?;
        exit = Exit::Unusable;
    }
    report::summary(&tally, args.format, console)?;
    exit.worsen(if tally.fails() { Exit::Fails } else { Exit::Fine });
    Ok(exit)
}

fn open(path: &Path) -> io::Result<Box<dyn BufRead>> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(BufReader::new(io::stdin())));
    }
    Ok(Box::new(BufReader::new(File::open(path)?)))
}
