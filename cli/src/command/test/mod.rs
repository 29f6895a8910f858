//! `interlock test`: runs the contract's own tests, and says what they do not notice.

mod coverage;
mod human;
mod lines;
mod mutate;

use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;

use contract_lang::diagnostic::{Level, render};
use contract_lang::interpret::{Interpreted, Watch};
use contract_lang::mir::Glob;
use contract_lang::source::SourceFile;
use contract_lang::testing::{self, Case, Place, Script};
use contract_lang::trace::{Line, Reader};
use contract_lang::{Catalog, FileOptions, Form, check_file};

use super::shown;
use crate::args::{self, Format};
use crate::output::{Console, Exit};

/// How many tests there were.
#[derive(Default)]
struct Tally {
    passed: u64,
    failed: u64,
}

/// A contract with its tests.
struct Suite {
    /// The file, as it is shown.
    name: String,
    source: SourceFile,
    form: Form,
    catalogs: Vec<Catalog>,
    contract: Interpreted,
    /// What the tests touch, where that is asked for.
    watch: Option<Arc<Watch>>,
    tests: Vec<Test>,
}

/// A test, with the lines of its file.
struct Test {
    case: Case,
    lines: Vec<(u64, Line)>,
}

pub(super) fn run(args: &args::Test, console: &mut Console<'_>) -> io::Result<Exit> {
    let mut exit = Exit::Fine;
    let (mut tally, mut mutants) = (Tally::default(), mutate::Tally::default());
    for path in &args.files {
        let Some(suite) = open(path, args, console)? else {
            exit = Exit::Unusable;
            continue;
        };
        let passed = suite.run(args.format, &mut tally, console)?;
        exit.worsen(passed);
        exit.worsen(coverage::run(&suite, args, console)?);
        if args.mutate && passed == Exit::Fine && !suite.tests.is_empty() {
            exit.worsen(mutate::run(&suite, args, &mut mutants, console)?);
        }
    }
    match args.format {
        Format::Human => human::summary(&tally, console)?,
        Format::Json => lines::summary(&tally, console)?,
    }
    if args.mutate {
        mutate::summary(&mutants, args.format, console)?;
    }
    Ok(exit)
}

/// A contract with those of its tests that a glob matches; `None` if it cannot be used, which has then been said.
fn open(path: &Path, args: &args::Test, console: &mut Console<'_>) -> io::Result<Option<Suite>> {
    let checked = match check_file(path, &path.to_string_lossy(), &FileOptions::default()) {
        Ok((checked, _)) => checked,
        Err(error) => {
            writeln!(console.err, "error: {}", render::escape(&error.to_string()))?;
            return Ok(None);
        }
    };
    let name = shown(path);
    let Some(contract) = checked.contract else {
        let errors: Vec<_> = checked.diagnostics.into_iter().filter(|found| found.level == Level::Error).collect();
        let styled = console.err.styled();
        console.err.write_all(render::human(&checked.source, &errors, styled).as_bytes())?;
        writeln!(console.err, "error: the contract `{name}` has errors and is not tested")?;
        return Ok(None);
    };
    let source = checked.source;
    let form = Form::of(&path.to_string_lossy());
    let cases = testing::read(form, source.name(), source.text().as_bytes());
    if cases.is_empty() {
        writeln!(console.err, "note: the contract `{name}` has no tests; write them under `tests`")?;
    }
    let glob = args.name.as_deref().map(Glob::new);
    let cases = cases.into_iter().filter(|case| glob.as_ref().is_none_or(|glob| glob.matches(&case.name)));
    let folder = path.parent().unwrap_or_else(|| Path::new(""));
    let mut tests = Vec::new();
    for case in cases {
        let Some(lines) = lines_of(&case, folder, console)? else { return Ok(None) };
        tests.push(Test { case, lines });
    }
    let catalogs = catalogs(form, &source, folder);
    let (contract, watch) = if args.coverage {
        let (contract, watch) = Interpreted::watched(contract);
        (contract, Some(watch))
    } else {
        (Interpreted::new(contract), None)
    };
    Ok(Some(Suite { name, source, form, catalogs, contract, watch, tests }))
}

/// The catalogs that a contract names.
fn catalogs(form: Form, source: &SourceFile, folder: &Path) -> Vec<Catalog> {
    let names = contract_lang::catalog_paths_as(form, source.name(), source.text().as_bytes());
    let read = |name: String| {
        let text = std::fs::read_to_string(folder.join(&name)).map_err(|error| error.to_string());
        Catalog { name, text }
    };
    names.into_iter().map(read).collect()
}

/// The lines of the file of a test; `None` if they cannot be read, which has then been said.
fn lines_of(case: &Case, folder: &Path, console: &mut Console<'_>) -> io::Result<Option<Vec<(u64, Line)>>> {
    let Script::File(file) = &case.script else { return Ok(Some(Vec::new())) };
    let path = folder.join(&file.value);
    let trace = shown(&path);
    let mut reader = match std::fs::File::open(&path) {
        Ok(file) => Reader::new(io::BufReader::new(file)),
        Err(error) => {
            writeln!(console.err, "error: cannot read the trace `{trace}`: {error}")?;
            return Ok(None);
        }
    };
    let mut lines = Vec::new();
    loop {
        match reader.next_line() {
            Ok(Some(entry)) => match entry.line {
                Ok(line) => lines.push((entry.number, line)),
                Err(flaw) => {
                    let column = flaw.column.map(|column| format!(":{column}")).unwrap_or_default();
                    let message = render::escape(&flaw.message);
                    writeln!(console.err, "{trace}:{}{column}: error: {message}", entry.number)?;
                    return Ok(None);
                }
            },
            Ok(None) => return Ok(Some(lines)),
            Err(error) => {
                writeln!(console.err, "error: cannot read the trace `{trace}`: {error}")?;
                return Ok(None);
            }
        }
    }
}

impl Suite {
    fn run(&self, format: Format, tally: &mut Tally, console: &mut Console<'_>) -> io::Result<Exit> {
        let mut exit = Exit::Fine;
        for test in &self.tests {
            let outcome = testing::run(&self.contract, &test.case, &test.lines);
            let count = if outcome.failures.is_empty() { &mut tally.passed } else { &mut tally.failed };
            *count = count.saturating_add(1);
            if !outcome.failures.is_empty() {
                exit = Exit::Fails;
            }
            match format {
                Format::Human => human::outcome(self, &test.case, &outcome, console)?,
                Format::Json => lines::outcome(self, &test.case, &outcome, console)?,
            }
        }
        Ok(exit)
    }

    /// The file and line of a place.
    fn place(&self, case: &Case, place: Place) -> (String, u64) {
        match (place, &case.script) {
            (Place::Trace(number), Script::File(file)) => (render::escape(&file.value), number),
            (Place::Trace(number), Script::Lines(_)) => (self.name.clone(), number),
            (Place::Contract(span), _) => (self.name.clone(), u64::from(self.source.position(span.start).line)),
        }
    }
}
