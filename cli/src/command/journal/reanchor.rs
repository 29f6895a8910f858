//! `interlock journal reanchor`: go on after a break that a person accepts.

use std::io::{self, Write as _};

use contract_lang::diagnostic::render;
use contract_runtime::journal::{Journal, ReanchorError, Reanchored, SigningKey};
use serde_json::json;

use super::{shown, unusable};
use crate::args::{self, Format};
use crate::output::{Console, Exit};

pub(super) fn run(args: &args::Reanchor, console: &mut Console<'_>) -> io::Result<Exit> {
    let mut options = Journal::at(&args.journal);
    if let Some(path) = &args.key {
        match SigningKey::read(path) {
            Ok(key) => options = options.key(key),
            Err(error) => return unusable(&error, console),
        }
    }
    let Reanchored { journal, broken, moved } = match options.reanchor(&args.reason) {
        Ok(begun) => begun,
        Err(ReanchorError::Holds) => {
            writeln!(console.err, "`{}` holds: there is no break to go on after", shown(&args.journal))?;
            return Ok(Exit::Fails);
        }
        Err(error) => return unusable(&error, console),
    };
    if let Err(error) = journal.close() {
        return unusable(&error, console);
    }
    match args.format {
        Format::Json => console.out.json(&json!({
            "journal": journal.id().to_string(),
            "moved": moved.to_string_lossy(),
            "broken": {
                "bytes": broken.bytes,
                "file": broken.file,
                "line": broken.line,
                "problem": broken.problem,
                "sha256": broken.sha256.to_string(),
            },
        }))?,
        Format::Human => {
            let file = render::escape(&broken.file);
            writeln!(console.out, "the broken journal is now {}", shown(&moved))?;
            writeln!(console.out, "  {file}: {} at line {}, SHA-256 {}", broken.problem, broken.line, broken.sha256)?;
            writeln!(console.out, "a new journal begins at {}: {}", shown(&args.journal), journal.id())?;
        }
    }
    Ok(Exit::Fine)
}
