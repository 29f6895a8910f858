//! Checkpoints that are kept outside of the journal: the one that was given, and the one beside it.
//!
//! INVARIANT: the one beside the journal can be anybody's, who must not be able to make a journal look broken with it. So it speaks
//! against the journal only if a key signed it that was given, or that the journal names.

use std::io::Read as _;
use std::path::Path;

use super::report::Remark;
use crate::journal::checkpoint::Checkpoint;
use crate::journal::note::Note;

/// A checkpoint to hold the journal against.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) note: Note,
    pub(super) checkpoint: Checkpoint,
    pub(super) from: From,
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
        Ok(Self { note, checkpoint, from })
    }

    /// Its name in messages.
    pub(super) fn name(&self) -> &'static str {
        match self.from {
            From::Given => "the checkpoint that was given",
            From::Beside => "the checkpoint beside the journal",
        }
    }
}

/// What is said of the checkpoint beside the journal if no known key signed it.
pub(super) fn by_nobody() -> (Remark, String) {
    let message =
        "the checkpoint beside the journal is signed by no known key, and does not count: give its key with `--trust`";
    (Remark::UntrustedSigner, message.into())
}

/// What is said of the checkpoint beside the journal if it is none, or its signatures are not what they say.
pub(super) fn unusable(why: &str) -> (Remark, String) {
    (Remark::UnusableCheckpoint, format!("the checkpoint beside the journal cannot be used: {why}"))
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
