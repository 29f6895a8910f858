//! Going on after a break that a person accepts: a file that somebody cut, a disk that lost a block.
//!
//! INVARIANT: the broken files stay as they are, under another name, and the new journal begins with a record that names all of
//! them by one hash and says why it is all right to go on. So a break can be explained, but not hidden.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::files::{self, SegmentFile, segment_files};
use super::place::Place;
use super::reader::Records;
use super::record::{Body, Broken};
use super::verify::{self, Unreadable, sha256, verify};
use super::{Journal, JournalError, Options};

/// A journal that continues after a break.
#[derive(Debug)]
pub struct Reanchored {
    /// The new journal.
    pub journal: Journal,
    /// What it says of the old one.
    pub broken: Broken<'static>,
    /// Where the old one is now.
    pub moved: PathBuf,
}

/// Why a journal is not continued.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReanchorError {
    /// It holds.
    Holds,
    /// Its file only has another name than it was begun with.
    Renamed,
    /// It was begun with a key, and the new one would have none.
    Unsigned,
    /// It cannot be read.
    Unreadable(Unreadable),
    /// One of its files cannot be moved.
    Move {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The new journal cannot be written.
    Journal(JournalError),
}

impl fmt::Display for ReanchorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Holds => f.write_str("the journal holds: there is no break to go on after"),
            Self::Renamed => {
                f.write_str("the journal only has another name than it was begun with: give that back to it")
            }
            Self::Unsigned => f.write_str("the journal was begun with a key: give the one that is to sign the new one"),
            Self::Unreadable(error) => error.fmt(f),
            Self::Move { path, error } => write!(f, "cannot move `{}`: {error}", path.display()),
            Self::Journal(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ReanchorError {}

impl From<JournalError> for ReanchorError {
    fn from(error: JournalError) -> Self {
        Self::Journal(error)
    }
}

impl Options {
    /// Moves a journal that does not hold to `<journal>.broken-<k>`, and begins a new one in its place, whose first record but one
    /// says why. It is kept until it is closed.
    ///
    /// # Errors
    /// If the journal holds, cannot be read or moved, if another writer has it, or if the new one cannot be written.
    pub fn reanchor(self, reason: &str) -> Result<Reanchored, ReanchorError> {
        let path = self.path.clone();
        let place = Place::new(&path)?;
        let (medium, lock) = self.locked(&place, None)?;
        let report = verify(&path, &verify::Options::default()).map_err(ReanchorError::Unreadable)?;
        let problem = report.problem.as_ref().ok_or(ReanchorError::Holds)?;
        if problem.code == verify::Code::Renamed {
            return Err(ReanchorError::Renamed);
        }
        if self.key.is_none() && was_signed(&path) {
            return Err(ReanchorError::Unsigned);
        }
        let found = segment_files(&path).map_err(|error| moving(&path, error))?;
        let moved = free_name(&path);
        // The file of the problem; the one that is written where that is missing.
        let bad = found.iter().find(|file| file.name() == problem.file).or(found.last());
        let bad = bad.cloned().unwrap_or(SegmentFile { path: path.clone(), number: None });
        let mut bytes = 0_u64;
        for file in &found {
            let length = std::fs::metadata(&file.path).map_err(|error| moving(&file.path, error))?.len();
            bytes = bytes.saturating_add(length);
        }
        let broken = Broken {
            bytes,
            file: files::name(&numbered(&moved, bad.number)).into(),
            line: problem.line.unwrap_or(0),
            problem: problem.code.as_str().into(),
            sha256: sha256(&found).map_err(|error| moving(&path, error))?,
        };
        let rename = |from: &Path, to: &Path| std::fs::rename(from, to).map_err(|error| moving(from, error));
        let checkpoint = beside(&path, "checkpoint");
        if std::fs::symlink_metadata(&checkpoint).is_ok() {
            rename(&checkpoint, &beside(&moved, "checkpoint"))?;
        }
        // A cache of the old journal.
        let _ = std::fs::remove_file(beside(&path, "head"));
        for file in &found {
            rename(&file.path, &numbered(&moved, file.number))?;
        }
        let journal = self.begin_locked(place, medium, lock, None)?;
        journal.reanchor(&broken, report.last.clone(), reason)?;
        Ok(Reanchored { journal, broken, moved })
    }
}

/// Whether a journal was begun with a key, as far as its first record can be read.
fn was_signed(path: &Path) -> bool {
    let first = Records::open(path).ok().and_then(|mut records| records.next()).and_then(Result::ok);
    let record = first.and_then(|entry| entry.record.ok());
    record.is_some_and(|record| matches!(record.body, Body::Genesis(genesis) if genesis.key.is_some()))
}

fn moving(path: &Path, error: io::Error) -> ReanchorError {
    ReanchorError::Move { path: path.to_owned(), error }
}

fn beside(path: &Path, what: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{what}"));
    path.with_file_name(name)
}

fn numbered(path: &Path, number: Option<u64>) -> PathBuf {
    number.map_or_else(|| path.to_owned(), |number| beside(path, &number.to_string()))
}

/// The first `<journal>.broken-<k>` of which there is no file.
fn free_name(path: &Path) -> PathBuf {
    let mut number = 1_u64;
    loop {
        let name = beside(path, &format!("broken-{number}"));
        let taken =
            std::fs::symlink_metadata(&name).is_ok() || std::fs::symlink_metadata(numbered(&name, Some(1))).is_ok();
        if !taken || number == u64::MAX {
            return name;
        }
        number = number.saturating_add(1);
    }
}
