//! One pass over a journal's records for the sake of their hashes.

use std::io::BufReader;
use std::path::Path;

use super::ProveError;
use crate::journal::Hash;
use crate::journal::checkpoint::{Checkpoint, origin};
use crate::journal::lines::{self, Line};
use crate::journal::scan::{Flaw, Scanned, scan};
use crate::journal::snapshot::Snapshot;
use crate::journal::tree::{self, Frontier};

/// Shows the first records of a journal with their leaves' hashes, as many as each checkpoint speaks for, and holds their tree
/// against the checkpoints. The checkpoints are given from the smallest to the largest.
///
/// That the records are chained is not looked at: the root of the tree stands for each of them.
pub(super) fn each(
    journal: &Path,
    checkpoints: &[&Checkpoint],
    mut each: impl FnMut(&Scanned<'_>, Hash),
) -> Result<(), ProveError> {
    let mut tree = Frontier::default();
    let mut open = checkpoints.iter().peekable();
    let mut compare = |tree: &Frontier| {
        while let Some(checkpoint) = open.next_if(|checkpoint| checkpoint.size <= tree.size()) {
            if checkpoint.root != tree.root() {
                return Err(ProveError::Differs { size: checkpoint.size });
            }
        }
        Ok(open.peek().map(|checkpoint| checkpoint.size))
    };
    let mut missing = compare(&tree)?;
    let io = |path: &Path, error| ProveError::Io { path: path.to_owned(), error };
    let mut buffer = Vec::new();
    let files = Snapshot::take(journal).map_err(|error| io(journal, error))?;
    for (index, file) in files.files().iter().enumerate() {
        let opened = files.open(index).map_err(|error| io(&file.path, error))?;
        let mut input = BufReader::with_capacity(1 << 16, opened);
        let mut number = 0u64;
        while missing.is_some() {
            let (found, _) = lines::next(&mut input, &mut buffer).map_err(|error| io(&file.path, error))?;
            number = number.saturating_add(1);
            let wrong = |flaw| ProveError::Line { file: file.name(), line: number, flaw };
            let scanned = match found {
                // A line that is being written, or was cut off, is not a record.
                Line::End | Line::Torn => break,
                Line::TooLong => return Err(wrong(Flaw::TooLong)),
                Line::Whole => scan(&buffer).map_err(wrong)?,
            };
            if scanned.computed() != scanned.hash {
                return Err(wrong(Flaw::Edited));
            }
            // Once in each file: where records of other journals stand between, the root is another one anyway.
            for checkpoint in checkpoints.iter().filter(|_| number == 1) {
                let journal = origin(scanned.journal);
                if checkpoint.origin != journal {
                    return Err(ProveError::Foreign { checkpoint: checkpoint.origin.clone(), journal });
                }
            }
            let leaf = tree::leaf(&scanned.hash.0);
            each(&scanned, leaf);
            tree.append(leaf);
            missing = compare(&tree)?;
        }
    }
    match missing {
        Some(size) => Err(ProveError::Short { records: tree.size(), size }),
        None => Ok(()),
    }
}
