//! `interlock lint`: what is wrong with contracts.

use std::io::{self, Write as _};

use contract_lang::diagnostic::{Level, json, render};
use contract_lang::{Ambiguity, Checked, check_file};

use super::shown;
use crate::args::{self, LintFormat};
use crate::output::{Console, Exit};

/// How much was found.
#[derive(Default)]
struct Tally {
    files: usize,
    errors: usize,
    warnings: usize,
}

pub(super) fn run(args: &args::Lint, console: &mut Console<'_>) -> io::Result<Exit> {
    for catalog in &args.catalog {
        if let Err(error) = std::fs::File::open(catalog) {
            writeln!(console.err, "error: cannot read the catalog `{}`: {error}", shown(catalog))?;
            return Ok(Exit::Unusable);
        }
    }
    let mut tally = Tally::default();
    let mut exit = Exit::Fine;
    for path in &args.files {
        match check_file(path, &path.to_string_lossy(), Ambiguity::Check, &args.catalog) {
            Ok((checked, _)) => {
                tally.add(&checked);
                exit.worsen(if checked.has_errors() { Exit::Fails } else { Exit::Fine });
                report(&checked, args.format, console)?;
            }
            Err(error) => {
                writeln!(console.err, "error: {}", render::escape(&error.to_string()))?;
                exit = Exit::Unusable;
            }
        }
    }
    if args.format == LintFormat::Human {
        writeln!(console.err, "{tally}")?;
    }
    Ok(exit)
}

fn report(checked: &Checked, format: LintFormat, console: &mut Console<'_>) -> io::Result<()> {
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
    }
}

impl Tally {
    fn add(&mut self, checked: &Checked) {
        let count = |level| checked.diagnostics.iter().filter(|diagnostic| diagnostic.level == level).count();
        self.files = self.files.saturating_add(1);
        self.errors = self.errors.saturating_add(count(Level::Error));
        self.warnings = self.warnings.saturating_add(count(Level::Warning));
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let some = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        let (files, errors) = (some(self.files, "file"), some(self.errors, "error"));
        write!(f, "{files} checked: {errors}, {}", some(self.warnings, "warning"))
    }
}
