//! What both kinds of proof are written in: lines of hashes, an empty line, a checkpoint.

use std::fmt;

use super::ProofError;
use crate::journal::Hash;
use crate::journal::checkpoint::Checkpoint;
use crate::journal::note::Note;
use crate::journal::record::{Base64, Hex};
use crate::journal::tree::LONGEST_PROOF;

/// Reads the path and the checkpoint.
pub(super) fn parse(rest: &str) -> Result<(Vec<Hash>, Note, Checkpoint), ProofError> {
    let (lines, note) = match rest.strip_prefix('\n') {
        Some(note) => ("", note),
        None => rest.split_once("\n\n").ok_or(ProofError::NoCheckpoint)?,
    };
    let lines = lines.split('\n').filter(|_| !lines.is_empty());
    let hash = |line| Base64::parse(line).map(|hash| Hex(hash.0)).ok_or(ProofError::Path);
    // One more than allowed is enough to see that there are too many.
    let path = lines.take(LONGEST_PROOF.saturating_add(1)).map(hash).collect::<Result<Vec<_>, _>>()?;
    if path.len() > LONGEST_PROOF {
        return Err(ProofError::Path);
    }
    let note = Note::parse(note)?;
    let checkpoint = Checkpoint::parse(note.text())?;
    Ok((path, note, checkpoint))
}

/// Writes the path and the checkpoint.
pub(super) fn write(f: &mut fmt::Formatter<'_>, path: &[Hash], note: &Note) -> fmt::Result {
    path.iter().try_for_each(|hash| writeln!(f, "{}", Base64(hash.0)))?;
    write!(f, "\n{note}")
}

/// The line that begins with a word, and what follows it.
pub(super) fn line<'a>(text: &'a str, word: &str) -> Option<(&'a str, &'a str)> {
    text.strip_prefix(word)?.strip_prefix(' ')?.split_once('\n')
}
