//! Checkpoints that are kept outside of the journal: the one that was given, and the one beside it.

use std::io::Read as _;
use std::path::Path;

use crate::journal::checkpoint::Checkpoint;
use crate::journal::note::Note;

/// A checkpoint to hold the journal against.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) note: Note,
    pub(super) checkpoint: Checkpoint,
    pub(super) from: From,
    /// Whether its root was compared.
    pub(super) reached: bool,
}

/// Where a checkpoint is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum From {
    /// The caller.
    Given,
    /// The file `<journal>.checkpoint`.
    Beside,
}

impl Kept {
    /// Reads a checkpoint.
    pub(super) fn parse(text: &str, from: From) -> Result<Self, String> {
        let note = Note::parse(text).map_err(|error| error.to_string())?;
        let checkpoint = Checkpoint::parse(note.text()).map_err(|error| error.to_string())?;
        Ok(Self { note, checkpoint, from, reached: false })
    }

    /// Its name in messages.
    pub(super) fn name(&self) -> &'static str {
        match self.from {
            From::Given => "the checkpoint that was given",
            From::Beside => "the checkpoint beside the journal",
        }
    }
}

/// The text of the checkpoint beside a journal, if there is one.
pub(super) fn beside(journal: &Path) -> Option<Result<String, String>> {
    let mut name = journal.file_name()?.to_owned();
    name.push(".checkpoint");
    let path = journal.with_file_name(name);
    let found = std::fs::metadata(&path).ok()?;
    if !found.is_file() {
        return Some(Err("it is not a file".into()));
    }
    let mut text = String::new();
    let limit = u64::try_from(Note::MOST_BYTES).unwrap_or(u64::MAX);
    let read = std::fs::File::open(&path).and_then(|file| file.take(limit).read_to_string(&mut text));
    Some(read.map(|_| text).map_err(|error| error.to_string()))
}
