//! `interlock checkpoint`: signs a journal's present state, where the key is.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use contract_lang::diagnostic::render;
use contract_runtime::journal::verify::{Options, Problem, Remark, Report, verify};
use contract_runtime::journal::{Checked, Checkpoint, Note, SigningKey};
use serde_json::json;

use super::{notes, shown};
use crate::args::{self, Format};
use crate::output::{Console, Exit};

pub(super) fn run(args: &args::Checkpoint, console: &mut Console<'_>) -> io::Result<Exit> {
    let output = args.output.clone().unwrap_or_else(|| notes::beside(&args.journal));
    let (exit, problem) = match sign(args, &output) {
        Ok((checkpoint, report)) => {
            remark(&report, console)?;
            say(&checkpoint, &output, args.format, console)?;
            return Ok(Exit::Fine);
        }
        Err(Failed::Broken(problem)) => (Exit::Fails, place(&problem)),
        Err(Failed::Unusable(problem)) => (Exit::Unusable, problem),
    };
    writeln!(console.err, "error: {}", render::escape(&problem))?;
    if exit == Exit::Fails {
        writeln!(console.err, "nothing was signed")?;
    }
    Ok(exit)
}

/// Why nothing was signed.
enum Failed {
    Broken(Problem),
    Unusable(String),
}

fn unusable(problem: impl ToString) -> Failed {
    Failed::Unusable(problem.to_string())
}

/// Verifies the journal, signs its state and writes that down.
fn sign(args: &args::Checkpoint, output: &Path) -> Result<(Checkpoint, Report), Failed> {
    let key = SigningKey::read(&args.key).map_err(unusable)?;
    let kept = match fs::symlink_metadata(output) {
        Ok(_) => Some(notes::checkpoint(output).map_err(unusable)?.0),
        Err(_) => None,
    };
    let options = Options { checkpoint: kept.as_ref().map(ToString::to_string), ..Options::default() };
    let mut report = verify(&args.journal, &options).map_err(unusable)?;
    if let Some(problem) = report.problem.take() {
        return Err(Failed::Broken(problem));
    }
    let checkpoint = report.head.clone().ok_or_else(|| unusable("the journal has no records"))?;
    let note = note(&checkpoint, kept, &key).map_err(unusable)?;
    replace(output, &note.to_string())
        .map_err(|error| unusable(format!("cannot write `{}`: {error}", output.display())))?;
    Ok((checkpoint, report))
}

/// The signed note. Where the same was signed before, the signatures are kept.
fn note(checkpoint: &Checkpoint, kept: Option<Note>, key: &SigningKey) -> Result<Note, Box<dyn std::error::Error>> {
    let signed = checkpoint.sign(key)?;
    let Some(mut kept) = kept.filter(|kept| kept.text() == signed.text()) else { return Ok(signed) };
    if kept.check(&checkpoint.verifier(key.public())?) == Checked::Unsigned {
        signed.signatures().iter().try_for_each(|signature| kept.add(signature.clone()))?;
    }
    Ok(kept)
}

/// Replaces a file in one step: what stood there is an older checkpoint, and better than half of a newer one.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut next = path.as_os_str().to_owned();
    next.push(".new");
    let next = PathBuf::from(next);
    let mut file = File::create(&next)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&next, path)
}

fn place(problem: &Problem) -> String {
    let line = problem.line.map(|line| format!(", line {line}")).unwrap_or_default();
    format!("the journal does not hold: `{}`{line}: {} ({})", problem.file, problem.message, problem.code)
}

/// What has to be known about the records that were signed.
fn remark(report: &Report, console: &mut Console<'_>) -> io::Result<()> {
    // These are about signatures, and now there is one.
    let answered = [
        Remark::Unsigned,
        Remark::NoTrustedKey,
        Remark::NoCheckpoint,
        Remark::TailNotAttested,
        Remark::UntrustedSigner,
        Remark::UnusableCheckpoint,
    ];
    let open = report.notices.iter().filter(|notice| !answered.contains(&notice.code));
    open.map(|notice| render::escape(&notice.message)).try_for_each(|message| writeln!(console.err, "note: {message}"))
}

fn say(checkpoint: &Checkpoint, output: &Path, format: Format, console: &mut Console<'_>) -> io::Result<()> {
    let Checkpoint { origin, size, root } = checkpoint;
    match format {
        Format::Human => {
            writeln!(console.out, "signed {size} records of `{}` in `{}`", render::escape(origin), shown(output))
        }
        Format::Json => console.out.json(&json!({
            "checkpoint": output.to_string_lossy(),
            "origin": origin,
            "size": size,
            "root": root.to_string(),
        })),
    }
}
