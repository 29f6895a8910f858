//! `interlock report`: a journal as one HTML page.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read as _, Write};
use std::path::Path;

use contract_lang::diagnostic::render;
use contract_runtime::journal::reader::{Entry, Records};
use contract_runtime::journal::verify::{Options, verify};

use super::shown;
use crate::args::{self, Format};
use crate::output::{Console, Exit};
use crate::report::{Bounds, Level, Page, Standing, Summary, Tally};

/// The most bytes of records in a page: more, and browsers give up.
const MOST_BYTES: usize = 256 << 20;

/// What each page begins with.
const DOCTYPE: &str = "<!doctype html>";

pub(super) fn run(args: &args::Report, console: &mut Console<'_>) -> io::Result<Exit> {
    let made = against(args).and_then(|options| make(args, &options));
    let Made { standing, tally, name } = match made {
        Ok(made) => made,
        Err(why) => {
            writeln!(console.err, "error: {}", render::escape(&why))?;
            return Ok(Exit::Unusable);
        }
    };
    match args.format {
        Format::Json => {
            let report = args.output.to_string_lossy();
            console.out.json(&Summary::new(&name, &report, &standing, &tally))?;
        }
        Format::Human => {
            writeln!(console.out, "{}: {}", standing.title, standing.text)?;
            writeln!(console.out, "report: {}", shown(&args.output))?;
        }
    }
    Ok(if standing.level == Level::Broken { Exit::Fails } else { Exit::Fine })
}

/// What the journal is held against.
fn against(args: &args::Report) -> Result<Options, String> {
    let checkpoint = match &args.checkpoint {
        None => None,
        Some(path) => Some(fs::read_to_string(path).map_err(|error| cannot("read", path, &error))?),
    };
    Ok(Options { trust: args.trust.clone(), checkpoint, as_name: args.as_name.clone(), ..Options::default() })
}

/// What a page was made of.
struct Made {
    standing: Standing,
    tally: Tally,
    name: String,
}

fn make(args: &args::Report, options: &Options) -> Result<Made, String> {
    let journal = &args.journal;
    spare(&args.output)?;
    let report = verify(journal, options).map_err(|error| error.to_string())?;
    let standing = Standing::of(&report, &options.trust);
    let name = journal.file_name().unwrap_or_default().to_string_lossy().into_owned();
    // Of a journal that holds, exactly what was verified: it may grow meanwhile.
    let most = if report.holds() { usize::try_from(report.records).unwrap_or(usize::MAX) } else { usize::MAX };
    let lines = || lines(journal).map(|lines| lines.take(most)).map_err(|error| cannot("read", journal, &error));
    let bad = report.problem.and_then(|problem| Some((problem.file, problem.line?)));
    let mut tally = Tally::new(Bounds { records: args.records, bytes: MOST_BYTES }, bad);
    for line in lines()? {
        let (entry, raw) = line.map_err(|error| cannot("read", journal, &error))?;
        tally.line(&entry, raw.len());
    }
    let page = Page { name: &name, standing: &standing, tally: &tally };
    let written = |lines| -> io::Result<()> {
        let mut out = BufWriter::with_capacity(1 << 18, File::create(&args.output)?);
        page.write(lines, &mut out)?;
        out.flush()
    };
    written(lines()?).map_err(|error| cannot("write", &args.output, &error))?;
    Ok(Made { standing, tally, name })
}

fn cannot(what: &str, path: &Path, error: &io::Error) -> String {
    format!("cannot {what} `{}`: {error}", path.display())
}

/// Refuses to write over a file that is no page: a journal, a key, a secret.
fn spare(output: &Path) -> Result<(), String> {
    let mut start = Vec::new();
    match File::open(output) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(cannot("write", output, &error)),
        Ok(file) => {
            let read = file.take(DOCTYPE.len() as u64).read_to_end(&mut start);
            read.map_err(|error| cannot("write", output, &error))?;
        }
    }
    if start.is_empty() || start.eq_ignore_ascii_case(DOCTYPE.as_bytes()) {
        return Ok(());
    }
    Err(format!("`{}` is there and is no HTML page; it is not written over", output.display()))
}

/// The lines of a journal, each as a record and as it stands.
fn lines(journal: &Path) -> io::Result<impl Iterator<Item = io::Result<(Entry, String)>>> {
    let mut records = Records::open(journal)?;
    Ok(std::iter::from_fn(move || {
        let entry = match records.next()? {
            Ok(entry) => entry,
            Err(error) => return Some(Err(error)),
        };
        let raw = records.current().map(|reader| String::from_utf8_lossy(reader.raw()).into_owned());
        Some(Ok((entry, raw.unwrap_or_default())))
    }))
}
