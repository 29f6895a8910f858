//! Writes sessions that show something, each as a trace that `replay` plays.
//!
//! INVARIANT: nothing is written outside of the folder, and nothing over what was not written like this.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use contract_lang::trace::{Line, Reader};

use super::shown;
use crate::output::{Console, Exit};
use crate::replace;

/// The sessions that a run writes into a folder.
pub(super) struct Witnesses<'f> {
    folder: &'f Path,
    /// How many there are of a name.
    numbers: BTreeMap<String, u32>,
}

impl<'f> Witnesses<'f> {
    /// None yet. The folder is made with the first.
    pub(super) fn new(folder: &'f Path) -> Self {
        Self { folder, numbers: BTreeMap::new() }
    }

    /// Writes a session as `<stem of the contract>-<kind>-<n>.jsonl` and says where. Contracts of one name are counted on.
    pub(super) fn write(
        &mut self,
        contract: &Path,
        kind: &str,
        lines: &[Line],
        console: &mut Console<'_>,
    ) -> io::Result<Exit> {
        let name = format!("{}-{kind}", stem(contract));
        let number = self.numbers.entry(name.clone()).or_default();
        *number = number.saturating_add(1);
        let path = self.folder.join(format!("{name}-{number}.jsonl"));
        match fs::create_dir_all(self.folder).and_then(|()| put(&path, &text(lines))) {
            Ok(()) => writeln!(console.err, "wrote `{}`", shown(&path)).map(|()| Exit::Fine),
            Err(error) => {
                writeln!(console.err, "error: cannot write `{}`: {error}", shown(&path)).map(|()| Exit::Unusable)
            }
        }
    }
}

/// The name of the contract's file without its ending, of letters that are safe in names of files.
fn stem(contract: &Path) -> String {
    let stem = contract.file_stem().unwrap_or_default().to_string_lossy();
    let safe = |letter: char| if letter.is_ascii_alphanumeric() || letter == '_' { letter } else { '-' };
    stem.chars().map(safe).take(64).collect()
}

fn text(lines: &[Line]) -> String {
    lines.iter().map(|line| format!("{}\n", line.encode())).collect()
}

/// Writes a trace where nothing is yet, or an older trace.
fn put(path: &Path, text: &str) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            OpenOptions::new().write(true).create_new(true).open(path)?.write_all(text.as_bytes())
        }
        Err(error) => Err(error),
        Ok(about) => {
            let old = if about.is_file() { String::from_utf8(fs::read(path)?).ok() } else { None };
            match old.filter(|old| is_ours(old)) {
                Some(old) if old == text => Ok(()),
                Some(old) => replace::file(path, &old, text),
                None => Err(io::Error::other("what is there is no session that was written like this; move it away")),
            }
        }
    }
}

/// Whether a file is, letter by letter, a trace as it is written here.
fn is_ours(old: &str) -> bool {
    let mut reader = Reader::new(old.as_bytes());
    let mut lines = Vec::new();
    while let Ok(Some(entry)) = reader.next_line() {
        let Ok(line) = entry.line else { return false };
        lines.push(line);
    }
    !lines.is_empty() && text(&lines) == old
}
