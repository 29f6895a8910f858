//! `interlock verify`: does a journal hold, and if not, where does it break first, and how.

use std::fs::File;
use std::io::{self, Read as _, Write};
use std::path::Path;

use contract_lang::diagnostic::render;
use contract_lang::interpret::Interpreted;
use contract_runtime::journal::Note;
use contract_runtime::journal::record::Hex;
use contract_runtime::journal::verify::{Options, Report, verify};
use serde_json::json;

use super::{contract, shown};
use crate::args::{self, Format};
use crate::output::{Console, Exit, some};

pub(super) fn run(args: &args::Verify, console: &mut Console<'_>) -> io::Result<Exit> {
    let Some(options) = options(args, console)? else { return Ok(Exit::Unusable) };
    match verify(&args.journal, &options) {
        Ok(report) => {
            match args.format {
                Format::Json => console.out.json(&report.to_json())?,
                Format::Human => human(&report, &mut console.out)?,
            }
            Ok(if report.holds() { Exit::Fine } else { Exit::Fails })
        }
        Err(error) => {
            if let Format::Json = args.format {
                let file = args.journal.file_name().map(|name| name.to_string_lossy());
                console.out.json(&json!({"file": file, "verdict": "unreadable", "message": error.to_string()}))?;
            }
            writeln!(console.err, "error: {}", render::escape(&error.to_string()))?;
            Ok(Exit::Unusable)
        }
    }
}

/// What the journal is held against; `None` if that cannot be read, which has then been said.
fn options(args: &args::Verify, console: &mut Console<'_>) -> io::Result<Option<Options>> {
    let mut options = Options {
        trust: args.trust.clone(),
        witnesses: args.witness.clone(),
        expect_at_least: args.expect_at_least,
        as_name: args.as_name.clone(),
        ..Options::default()
    };
    if let Some(path) = &args.checkpoint {
        match text(path) {
            Ok(text) => options.checkpoint = Some(text),
            Err(error) => {
                writeln!(console.err, "error: cannot read `{}`: {error}", shown(path))?;
                return Ok(None);
            }
        }
    }
    if let Some(path) = &args.contract {
        let Some(contract) = contract(path, console)? else { return Ok(None) };
        let digest = Interpreted::new(contract).info().digest();
        options.contract = Hex::parse(&digest);
    }
    Ok(Some(options))
}

fn text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    let limit = u64::try_from(Note::MOST_BYTES).unwrap_or(u64::MAX);
    File::open(path)?.take(limit).read_to_string(&mut text)?;
    Ok(text)
}

/// The report in a few lines: the verdict, what it rests on, and what could not be checked.
pub(super) fn human(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let file = render::escape(&report.file);
    match &report.problem {
        None => writeln!(
            out,
            "{file} holds: {} in {}, {}",
            some(report.records, "record"),
            some(report.segments, "file"),
            some(report.sessions, "session"),
        )?,
        Some(problem) => {
            writeln!(out, "{file} does not hold: {}", problem.code)?;
            let place = problem.line.map_or_else(String::new, |line| format!("line {line} of "));
            let record = problem.seq.map_or_else(String::new, |seq| format!(", record {seq}"));
            writeln!(out, "  {place}{}{record}", render::escape(&problem.file))?;
            writeln!(out, "  {}", render::escape(&problem.message))?;
            writeln!(out, "  before that: {}", some(report.records, "record"))?;
        }
    }
    if report.signed {
        let by = if report.trusted { "by a key that was given, or that one named" } else { "by the journal's own key" };
        let records = if report.attested == 1 { "record".to_owned() } else { some(report.attested, "record") };
        writeln!(out, "  signed {by}: the first {records}")?;
    }
    for notice in &report.notices {
        let place = match (&notice.file, notice.line, notice.seq) {
            (Some(file), Some(line), _) => format!(" (line {line} of {})", render::escape(file)),
            (_, _, Some(seq)) => format!(" (record {seq})"),
            _ => String::new(),
        };
        writeln!(out, "  {}: {}{place}", notice.code, render::escape(&notice.message))?;
    }
    Ok(())
}
