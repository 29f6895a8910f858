//! `interlock lint`: what is wrong with contracts.

use std::io::{self, Write as _};

use contract_lang::diagnostic::{Level, Levels, github, json, render, sarif};
use contract_lang::{Checked, Depth, FileOptions, check_file};

use super::fix::Corrections;
use super::shown;
use super::witness::Witnesses;
use crate::args::{self, Deny, LintFormat};
use crate::output::{Console, Exit, some};

/// How much was found.
#[derive(Default)]
struct Tally {
    files: usize,
    errors: usize,
    warnings: usize,
    notes: usize,
    switched_off: usize,
}

pub(super) fn run(args: &args::Lint, console: &mut Console<'_>) -> io::Result<Exit> {
    for catalog in args.catalog.iter().chain(&args.catalog_before) {
        if let Err(error) = std::fs::File::open(catalog) {
            writeln!(console.err, "error: cannot read the catalog `{}`: {error}", shown(catalog))?;
            return Ok(Exit::Unusable);
        }
    }
    let mut levels = Levels::default();
    args.level.iter().for_each(|(code, setting)| levels.set(*code, *setting));
    let (catalog, before) = (&args.catalog, &args.catalog_before);
    let options = FileOptions { depth: Depth::Lint, catalog, before, levels: Some(&levels) };
    let mut corrections = args.fix.then(|| Corrections::new(args.diff));
    let mut witnesses = args.witness.as_deref().map(Witnesses::new);
    let mut tally = Tally::default();
    let mut log = sarif::Log::new();
    let mut exit = Exit::Fine;
    for path in &args.files {
        match check_file(path, &path.to_string_lossy(), &options) {
            Ok((checked, _)) => {
                let checked = match &mut corrections {
                    Some(corrections) => corrections.apply(path, checked, &options, console)?,
                    None => checked,
                };
                tally.add(&checked);
                report(&checked, args.format, &mut log, console)?;
                for found in &checked.diagnostics {
                    if let (Some(witnesses), Some(witness)) = (&mut witnesses, &found.witness) {
                        exit.worsen(witnesses.write(path, found.code.as_str(), &witness.trace, console)?);
                    }
                }
            }
            Err(error) => {
                writeln!(console.err, "error: {}", render::escape(&error.to_string()))?;
                exit = Exit::Unusable;
            }
        }
    }
    if tally.errors > 0 || (tally.warnings > 0 && args.deny == Some(Deny::Warnings)) {
        exit.worsen(Exit::Fails);
    }
    match args.format {
        LintFormat::Human => {
            let corrected = corrections.as_ref().map(ToString::to_string).unwrap_or_default();
            writeln!(console.err, "{tally}{corrected}")?;
        }
        LintFormat::Sarif => console.out.json(&log.finish(env!("CARGO_PKG_VERSION")))?,
        LintFormat::Short | LintFormat::Json | LintFormat::Github => {}
    }
    if corrections.is_some_and(|corrections| corrections.failed) {
        exit = Exit::Unusable;
    }
    Ok(exit)
}

fn report(checked: &Checked, format: LintFormat, log: &mut sarif::Log, console: &mut Console<'_>) -> io::Result<()> {
    let Checked { source, diagnostics, .. } = checked;
    match format {
        LintFormat::Human => {
            let styled = console.err.styled();
            console.err.write_all(render::human(source, diagnostics, styled).as_bytes())
        }
        LintFormat::Short => console.out.write_all(render::short(source, diagnostics).as_bytes()),
        LintFormat::Json => {
            diagnostics.iter().try_for_each(|diagnostic| console.out.json(&json::line(source, diagnostic)))
        }
        LintFormat::Github => console.out.write_all(github::annotations(source, diagnostics).as_bytes()),
        LintFormat::Sarif => {
            log.add(source, diagnostics);
            Ok(())
        }
    }
}

impl Tally {
    fn add(&mut self, checked: &Checked) {
        let count = |level| checked.diagnostics.iter().filter(|diagnostic| diagnostic.level == level).count();
        self.files = self.files.saturating_add(1);
        self.errors = self.errors.saturating_add(count(Level::Error));
        self.warnings = self.warnings.saturating_add(count(Level::Warning));
        self.notes = self.notes.saturating_add(count(Level::Note));
        self.switched_off = self.switched_off.saturating_add(checked.switched_off);
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let some = |count: usize, what| some(count as u64, what);
        let (files, errors) = (some(self.files, "file"), some(self.errors, "error"));
        let (warnings, notes) = (some(self.warnings, "warning"), some(self.notes, "note"));
        write!(f, "{files} checked: {errors}, {warnings}, {notes}")?;
        match self.switched_off {
            0 => Ok(()),
            1 => f.write_str("; 1 finding is switched off"),
            many => write!(f, "; {many} findings are switched off"),
        }
    }
}
