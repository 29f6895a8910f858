//! Whether a journal holds, and if not, where it breaks first and how.
//!
//! INVARIANT: memory does not grow with the journal. Lines are looked at on all cores, each by itself; then each is linked to the
//! one before. Only a journal that breaks is read again, to name the kind of break.
//!
//! What can and what cannot be known is said in `docs/evidence.md`. In short: without a signature, whoever can write the file can
//! make it anew; with one, and without a checkpoint that is kept elsewhere, records removed at the end cannot be seen. Each report
//! says so ([`Remark`]).

mod chain;
mod classify;
mod facts;
mod finish;
mod kept;
mod remarks;
mod report;
mod sessions;
mod stream;
mod trust;

use std::fmt;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use super::files::{SegmentFile, name};
use super::key::PublicKey;
use super::note::VerifierKey;
use super::record::Hash;
use super::snapshot::Snapshot;
use chain::{Chain, Stop};
use kept::Kept;

pub(super) use finish::sha256;
pub use report::{Code, Notice, Problem, Remark, Report};

/// What a journal is held against.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Keys that are known to be the right ones. With any, something must be signed by one of them, or by one that they named.
    pub trust: Vec<PublicKey>,
    /// A checkpoint that was kept elsewhere: the text of a signed note.
    pub checkpoint: Option<String>,
    /// Witnesses, each of which must have cosigned a checkpoint.
    pub witnesses: Vec<VerifierKey>,
    /// The journal must have this many records.
    pub expect_at_least: Option<u64>,
    /// The SHA-256 of the contract that all sessions must have used.
    pub contract: Option<Hash>,
    /// The name under which the journal was written, where its file has another now.
    pub as_name: Option<String>,
    /// How many threads look at lines; all cores if left out.
    pub threads: Option<NonZeroUsize>,
}

/// A journal, or what it is to be held against, cannot be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum Unreadable {
    /// A file.
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The checkpoint that was given.
    Checkpoint {
        /// Why.
        why: String,
    },
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, error } => write!(f, "cannot read `{}`: {error}", path.display()),
            Self::Checkpoint { why } => write!(f, "the checkpoint cannot be read: {why}"),
        }
    }
}

impl std::error::Error for Unreadable {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::File { error, .. } => Some(error),
            Self::Checkpoint { .. } => None,
        }
    }
}

/// Verifies a journal with all its segments, as it is when this begins: its writer may go on meanwhile.
///
/// # Errors
/// If one of its files, or the checkpoint that was given, cannot be read.
pub fn verify(journal: &Path, options: &Options) -> Result<Report, Unreadable> {
    let mut kept = Vec::new();
    if let Some(text) = &options.checkpoint {
        kept.push(Kept::parse(text, kept::From::Given).map_err(|why| Unreadable::Checkpoint { why })?);
    }
    let beside = kept::beside(journal).map(|text| text.and_then(|text| Kept::parse(&text, kept::From::Beside)));
    let (usable, unusable) = match beside {
        Some(Ok(beside)) => (Some(beside), None),
        Some(Err(why)) => (None, Some(kept::unusable(&why))),
        None => (None, None),
    };
    kept.extend(usable);
    // After the checkpoint, so that all is there that it is over.
    let snapshot = Snapshot::take(journal).map_err(|error| unreadable(journal, error))?;
    let files = snapshot.files();
    let mut chain = Chain::new(options, files, &name(journal), kept);
    chain.unused.extend(unusable);
    let threads = options.threads.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
    let path = |file: usize| files.get(file).map_or(journal, |file| &file.path);
    let stop = stream::run(&snapshot, threads, |batch| chain.batch(batch))
        .map_err(|failed| unreadable(path(failed.file), failed.error))?;
    let problem = match stop {
        None => None,
        Some(Stop::Problem(problem)) => Some(problem),
        Some(Stop::Break(broken)) => {
            let found = classify::classify(&snapshot, &broken).map_err(|error| unreadable(journal, error))?;
            let file = files.get(found.at.file).map(SegmentFile::name).unwrap_or_default();
            let (line, seq) = (Some(found.at.line), Some(found.seq));
            Some(Problem { code: found.code, file, line, seq, message: found.message })
        }
    };
    Ok(finish::report(chain, options, journal, files, problem))
}

fn unreadable(path: &Path, error: io::Error) -> Unreadable {
    Unreadable::File { path: path.to_owned(), error }
}
