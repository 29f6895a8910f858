//! Checkpoints in files.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use contract_runtime::journal::{Checkpoint, Note};

use super::shown;

/// The file beside a journal that has its latest checkpoint.
pub(super) fn beside(journal: &Path) -> PathBuf {
    let mut name = journal.file_name().map(OsString::from).unwrap_or_default();
    name.push(".checkpoint");
    journal.with_file_name(name)
}

/// Reads a small text file, in bounded memory.
pub(super) fn read(path: &Path, most: u64) -> io::Result<String> {
    let mut text = String::new();
    let file = File::open(path)?;
    if file.take(most.saturating_add(1)).read_to_string(&mut text)? > usize::try_from(most).unwrap_or(usize::MAX) {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "the file is too large to be what it should"));
    }
    Ok(text)
}

/// Reads a signed checkpoint. Who signed it is not looked at.
pub(super) fn checkpoint(path: &Path) -> Result<(Note, Checkpoint), String> {
    let problem = |error: &dyn std::fmt::Display| format!("the checkpoint `{}` cannot be used: {error}", shown(path));
    let most = u64::try_from(Note::MOST_BYTES).unwrap_or(u64::MAX);
    let note = Note::parse(&read(path, most).map_err(|error| problem(&error))?).map_err(|error| problem(&error))?;
    let checkpoint = Checkpoint::parse(note.text()).map_err(|error| problem(&error))?;
    Ok((note, checkpoint))
}
