//! `interlock export`: a journal in the formats of other tools.
//!
//! INVARIANT: what is exported was verified before, unless the user says that it need not be: then that is said with it.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use contract_runtime::journal::verify::{self, verify};
use contract_runtime::journal::{Flaw, Records, segment_files};

use super::shown;
use crate::args::{self, Target as Form};
#[cfg(feature = "http")]
use crate::export::Collector;
use crate::export::{Joiner, Lines, Lost, Ocsf, Otlp, Prometheus, Target};
use crate::output::{Console, Exit, Stream};

pub(super) fn run(args: &args::Export, console: &mut Console<'_>) -> io::Result<Exit> {
    let journal = shown(&args.journal);
    let options = verify::Options { trust: args.trust.clone(), ..verify::Options::default() };
    let report = match verify(&args.journal, &options) {
        Ok(report) => report,
        Err(error) => {
            writeln!(console.err, "error: {}", contract_lang::diagnostic::render::escape(&error.to_string()))?;
            return Ok(Exit::Unusable);
        }
    };
    if !said(&report, &journal, args.unverified, console)? {
        return Ok(Exit::Fails);
    }
    // A journal may grow while it is read: only what was verified is exported.
    let records = if report.holds() { report.records } else { u64::MAX };
    #[cfg(feature = "http")]
    if let Some(endpoint) = &args.endpoint {
        return send(args, endpoint, records, console);
    }
    let Some(path) = &args.output else {
        let Console { out, err } = console;
        return write(args, records, out, err);
    };
    if is_of_journal(path, &args.journal) {
        writeln!(console.err, "error: `{}` is a file of the journal, and is not overwritten", shown(path))?;
        return Ok(Exit::Unusable);
    }
    match File::create(path) {
        Ok(file) => write(args, records, BufWriter::new(file), &mut console.err),
        Err(error) => {
            writeln!(console.err, "error: cannot write `{}`: {error}", shown(path))?;
            Ok(Exit::Unusable)
        }
    }
}

/// Says whether the journal verifies; whether it is to be exported.
fn said(report: &verify::Report, journal: &str, unverified: bool, console: &mut Console<'_>) -> io::Result<bool> {
    let escape = contract_lang::diagnostic::render::escape;
    let Some(problem) = &report.problem else {
        let how = match (report.signed, report.trusted) {
            (_, true) => "hash-chained, signed by a key that you trust",
            (true, false) => "hash-chained and signed; whose key it is was not checked",
            (false, false) => "hash-chained, not signed",
        };
        writeln!(console.err, "`{journal}` verifies: {} records, {how}", report.records)?;
        return Ok(true);
    };
    let line = problem.line.map_or_else(String::new, |line| format!(":{line}"));
    let place = format!("{}{line}", escape(&problem.file));
    writeln!(
        console.err,
        "`{journal}` does not verify: {} at {place}: {}",
        problem.code.as_str(),
        escape(&problem.message)
    )?;
    if unverified {
        writeln!(console.err, "it is exported all the same: nothing in it is certain")?;
    } else {
        writeln!(console.err, "error: it is not exported; `--unverified` exports it all the same")?;
    }
    Ok(unverified)
}

fn write(args: &args::Export, records: u64, to: impl io::Write, err: &mut Stream<'_>) -> io::Result<Exit> {
    match args.to {
        Form::Otlp => export(args, records, &mut Otlp::new(Lines(to), args.content), err),
        Form::Ocsf => export(args, records, &mut Ocsf::new(to, args.content), err),
        Form::Prometheus => {
            let mut target = Prometheus::new(to);
            let files = segment_files(&args.journal)?;
            let bytes = files.iter().map(|file| match std::fs::metadata(&file.path) {
                // Between two segments there is no file that is written.
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
                found => found.map(|found| found.len()),
            });
            let bytes = bytes.sum::<io::Result<u64>>()?;
            target.journal(records, Some(bytes));
            export(args, records, &mut target, err)
        }
    }
}

#[cfg(feature = "http")]
fn send(args: &args::Export, endpoint: &str, records: u64, console: &mut Console<'_>) -> io::Result<Exit> {
    if args.to != Form::Otlp {
        writeln!(console.err, "error: only `--to otlp` can be sent to an endpoint")?;
        return Ok(Exit::Unusable);
    }
    let headers = std::env::var("OTEL_EXPORTER_OTLP_HEADERS").ok();
    let certificates = match std::env::var_os("OTEL_EXPORTER_OTLP_CERTIFICATE").map(std::fs::read).transpose() {
        Ok(certificates) => certificates,
        Err(error) => {
            writeln!(console.err, "error: cannot read the file that `OTEL_EXPORTER_OTLP_CERTIFICATE` names: {error}")?;
            return Ok(Exit::Unusable);
        }
    };
    let mut collector = match Collector::new(endpoint, headers.as_deref(), certificates.as_deref()) {
        Ok(collector) => collector,
        Err(error) => {
            writeln!(console.err, "error: {error}")?;
            return Ok(Exit::Unusable);
        }
    };
    let exported = export(args, records, &mut Otlp::new(&mut collector, args.content), &mut console.err);
    if collector.rejected > 0 {
        writeln!(console.err, "warning: the collector rejected {} spans", collector.rejected)?;
    }
    match exported {
        Ok(exit) => Ok(exit),
        Err(error) => {
            writeln!(console.err, "error: {error}")?;
            Ok(Exit::Unusable)
        }
    }
}

/// Hands the first records of the journal to a target.
fn export(args: &args::Export, records: u64, target: &mut dyn Target, err: &mut Stream<'_>) -> io::Result<Exit> {
    let mut joiner = Joiner::new(args.content);
    let (mut taken, mut unread) = (0_u64, 0_u64);
    let mut journal = Records::open(&args.journal)?;
    while taken < records
        && let Some(entry) = journal.next()
    {
        match entry?.record {
            Ok(record) => {
                taken = taken.saturating_add(1);
                let bytes = journal.current().map_or(0, |file| file.raw().len());
                joiner.record(record, bytes, target)?;
            }
            Err(Flaw::Torn) => (),
            Err(_) => unread = unread.saturating_add(1),
        }
    }
    let Lost { calls, sessions } = joiner.finish(target)?;
    for (count, what) in [
        (unread, "lines that are no records were left out"),
        (calls, "calls were exported before their outcome, because too many were open at once"),
        (sessions, "sessions were exported before their end, because too many were open at once"),
    ] {
        if count > 0 {
            writeln!(err, "warning: {count} {what}")?;
        }
    }
    Ok(Exit::Fine)
}

/// Whether a path leads to a file of the journal: the journal, or one that has its name and something after it.
fn is_of_journal(path: &Path, journal: &Path) -> bool {
    let (Ok(path), Ok(journal)) = (path.canonicalize(), journal.canonicalize()) else { return false };
    let (path, journal) = (path.as_os_str().as_encoded_bytes(), journal.as_os_str().as_encoded_bytes());
    path.strip_prefix(journal).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"."))
}
