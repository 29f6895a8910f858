//! Writes the sessions that show findings, each as a trace that `replay` plays.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use contract_lang::Checked;
use contract_lang::diagnostic::Witness;

use super::{shown, write};
use crate::output::{Console, Exit};

/// Writes `<stem>-<code>-<n>.jsonl` for each finding that has a session, and says where. A file of that name that is another
/// trace is left alone.
pub(super) fn write_all(
    checked: &Checked,
    contract: &Path,
    folder: &Path,
    console: &mut Console<'_>,
) -> io::Result<Exit> {
    let mut exit = Exit::Fine;
    let mut numbers: BTreeMap<&str, u32> = BTreeMap::new();
    for diagnostic in &checked.diagnostics {
        let Some(witness) = &diagnostic.witness else { continue };
        if let Err(error) = fs::create_dir_all(folder) {
            writeln!(console.err, "error: cannot make the folder `{}`: {error}", shown(folder))?;
            return Ok(Exit::Unusable);
        }
        let code = diagnostic.code.as_str();
        let number = numbers.entry(code).or_default();
        *number = number.saturating_add(1);
        let path = folder.join(format!("{}-{code}-{number}.jsonl", stem(contract)));
        let text = text(witness);
        match fs::read_to_string(&path) {
            Ok(old) if old != text && !is_ours(&old) => {
                writeln!(console.err, "error: `{}` is there, and no session of `lint`; move it away", shown(&path))?;
                exit = Exit::Unusable;
                continue;
            }
            _ => exit.worsen(write(&path, &text, console)?),
        }
        if exit != Exit::Unusable {
            writeln!(console.err, "wrote `{}`", shown(&path))?;
        }
    }
    Ok(exit)
}

/// The name of the contract's file without its ending, of letters that are safe in names of files.
fn stem(contract: &Path) -> String {
    let stem = contract.file_stem().unwrap_or_default().to_string_lossy();
    let safe = |letter: char| if letter.is_ascii_alphanumeric() || letter == '_' { letter } else { '-' };
    stem.chars().map(safe).take(64).collect()
}

fn text(witness: &Witness) -> String {
    witness.trace.iter().map(|line| format!("{}\n", line.encode())).collect()
}

/// Whether a file is what this command wrote for a version of the contract: lines of a trace.
fn is_ours(text: &str) -> bool {
    let mut reader = contract_lang::trace::Reader::new(text.as_bytes());
    loop {
        match reader.next_line() {
            Ok(None) => return true,
            Ok(Some(entry)) if entry.line.as_ref().is_ok_and(|line| line.session == "default") => {}
            _ => return false,
        }
    }
}
