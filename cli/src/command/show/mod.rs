//! `interlock show`: a journal as a timeline.
//!
//! INVARIANT: memory does not grow with the journal, and nothing of it reaches the terminal but through `evidence::text`.

mod filter;
mod follow;
mod row;

use std::io::{self, Write as _};
use std::thread;
use std::time::Duration;

use contract_runtime::journal::{Entry, Flaw, Record, Records};

use self::filter::Filter;
use self::follow::Follower;
use self::row::{Paint, Row};
use super::shown;
use crate::args::{self, Format};
use crate::evidence::{badge, text};
use crate::output::{Console, Exit, Stream};

/// How long to wait before looking again whether a journal has grown.
const POLL: Duration = Duration::from_millis(200);

/// Where details begin: below what happened.
const INDENT: &str = "                                    ";

pub(super) fn run(args: &args::Show, console: &mut Console<'_>) -> io::Result<Exit> {
    let report = match badge::check(&args.journal) {
        Ok(report) => report,
        Err(why) => {
            writeln!(console.err, "error: {why}")?;
            return Ok(Exit::Unusable);
        }
    };
    match args.format {
        Format::Human => badge::print(&report, &mut console.out)?,
        Format::Json => console.out.json(&Verification { kind: "verification", report: report.to_json() })?,
    }
    let exit = badge::exit(&report);
    let mut timeline =
        Timeline { filter: Filter::new(args), format: args.format, read: 0, taken: 0, exit, followed: false };
    let read = if args.follow { follow(args, &mut timeline, console) } else { all(args, &mut timeline, console) };
    match read {
        Ok(()) => {}
        Err(Trouble::Output(error)) => return Err(error),
        Err(Trouble::Input(error)) => {
            writeln!(console.err, "error: cannot read the journal `{}`: {error}", shown(&args.journal))?;
            return Ok(Exit::Unusable);
        }
    }
    timeline.finish(console)?;
    Ok(timeline.exit)
}

/// The journal cannot be read, or what it says cannot be written.
enum Trouble {
    Input(io::Error),
    Output(io::Error),
}

/// Shows what there is.
fn all(args: &args::Show, timeline: &mut Timeline<'_>, console: &mut Console<'_>) -> Result<(), Trouble> {
    for entry in Records::open(&args.journal).map_err(Trouble::Input)? {
        timeline.entry(&entry.map_err(Trouble::Input)?, &mut console.out).map_err(Trouble::Output)?;
    }
    Ok(())
}

/// Shows what there is, and what comes, until nobody listens.
fn follow(args: &args::Show, timeline: &mut Timeline<'_>, console: &mut Console<'_>) -> Result<(), Trouble> {
    let mut journal = Follower::open(&args.journal).map_err(Trouble::Input)?;
    loop {
        match journal.next_entry().map_err(Trouble::Input)? {
            Some(entry) => timeline.entry(&entry, &mut console.out).map_err(Trouble::Output)?,
            None => {
                if !std::mem::replace(&mut timeline.followed, true) && timeline.format == Format::Human {
                    let what = "-- what follows was written since, and is not verified";
                    writeln!(console.out, "{what}").map_err(Trouble::Output)?;
                }
                console.out.flush().map_err(Trouble::Output)?;
                thread::sleep(POLL);
            }
        }
    }
}

/// Prints records.
struct Timeline<'a> {
    filter: Filter<'a>,
    format: Format,
    read: u64,
    taken: u64,
    exit: Exit,
    /// Whether all is shown that there was at first.
    followed: bool,
}

/// Whether the journal holds, before its records.
#[derive(serde::Serialize)]
struct Verification {
    kind: &'static str,
    #[serde(flatten)]
    report: serde_json::Value,
}

/// A line that is no record.
#[derive(serde::Serialize)]
struct FlawLine<'a> {
    file: &'a str,
    line: u64,
    problem: &'a str,
}

impl Timeline<'_> {
    fn entry(&mut self, entry: &Entry, out: &mut Stream<'_>) -> io::Result<()> {
        match &entry.record {
            Ok(record) => {
                self.read = self.read.saturating_add(1);
                if self.filter.takes(record) {
                    self.taken = self.taken.saturating_add(1);
                    match self.format {
                        Format::Human => print(record, out)?,
                        Format::Json => out.json_text(&String::from_utf8_lossy(&record.line()))?,
                    }
                }
            }
            Err(flaw) => {
                // A line that a crash cut off is no wrong one.
                self.exit.worsen(if *flaw == Flaw::Torn { Exit::Fine } else { Exit::Fails });
                let (file, line, problem) = (entry.file.name(), entry.line, flaw.to_string());
                match self.format {
                    Format::Human => writeln!(out, "{}:{line}: {}", text::name(&file), text::text(&problem))?,
                    Format::Json => out.json(&FlawLine { file: &file, line, problem: &problem })?,
                }
            }
        }
        Ok(())
    }

    fn finish(&self, console: &mut Console<'_>) -> io::Result<()> {
        if self.filter.selects() && self.format == Format::Human {
            writeln!(console.out, "{} of {} records", self.taken, self.read)?;
        }
        if self.filter.full() {
            let why = "more was under way at once than is kept track of; some of what is shown may not be asked for";
            writeln!(console.err, "note: {why}")?;
        }
        Ok(())
    }
}

/// A record as lines of the timeline.
fn print(record: &Record, out: &mut Stream<'_>) -> io::Result<()> {
    let Row { word, paint, what, details } = row::of(&record.body);
    let session = record.head.session.as_deref().map_or_else(|| "-".to_owned(), text::name);
    let word = painted(word, paint, out.styled());
    let (seq, at) = (record.head.seq, record.head.at);
    writeln!(out, "{seq:>6}  {at}  {session}  {word}  {what}")?;
    details.iter().try_for_each(|detail| writeln!(out, "{INDENT}{detail}"))
}

fn painted(word: &str, paint: Paint, styled: bool) -> String {
    let color = match paint {
        Paint::Good => "\x1b[32m",
        Paint::Doubtful => "\x1b[33m",
        Paint::Bad => "\x1b[1;31m",
        Paint::None => "",
    };
    if styled && !color.is_empty() { format!("{color}{word:<8}\x1b[0m") } else { format!("{word:<8}") }
}
