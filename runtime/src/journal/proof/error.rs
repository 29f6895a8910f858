//! What can go wrong with proofs: they cannot be read, cannot be made, or do not hold.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::journal::checkpoint::CheckpointError;
use crate::journal::note::NoteError;
use crate::journal::scan::Flaw;

/// Why a text is not a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProofError {
    /// It does not begin as one.
    Kind,
    /// It has no line for the index, or for the old size.
    Number,
    /// The extra data is not in base64.
    Extra,
    /// A line of the path is not a hash in base64, or there are too many.
    Path,
    /// There is no checkpoint after an empty line.
    NoCheckpoint,
    /// The note of its checkpoint.
    Note(NoteError),
    /// What its note says.
    Checkpoint(CheckpointError),
}

impl fmt::Display for ProofError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kind => f.write_str("a proof begins with `c2sp.org/tlog-proof@v1` or `old <size>`"),
            Self::Number => f.write_str("the line `index <number>` or `old <number>` is missing or misspelt"),
            Self::Extra => f.write_str("the line `extra <base64>` is misspelt"),
            Self::Path => f.write_str("the path must be at most 65 lines, each of 32 bytes in base64"),
            Self::NoCheckpoint => f.write_str("the checkpoint is missing: it follows the path after an empty line"),
            Self::Note(error) => error.fmt(f),
            Self::Checkpoint(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ProofError {}

impl From<NoteError> for ProofError {
    fn from(error: NoteError) -> Self {
        Self::Note(error)
    }
}

impl From<CheckpointError> for ProofError {
    fn from(error: CheckpointError) -> Self {
        Self::Checkpoint(error)
    }
}

/// Why a proof cannot be made.
#[derive(Debug)]
#[non_exhaustive]
pub enum ProveError {
    /// A file cannot be read.
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The note is not a checkpoint.
    Checkpoint(CheckpointError),
    /// The record is not among those that the checkpoint speaks for.
    NotYet {
        /// The record.
        seq: u64,
        /// The size of the checkpoint.
        size: u64,
    },
    /// The earlier checkpoint is larger than the later one.
    Backwards {
        /// The size of the earlier one.
        old: u64,
        /// The size of the later one.
        new: u64,
    },
    /// A line is not a record.
    Line {
        /// The name of the file.
        file: String,
        /// The line's number, from 1.
        line: u64,
        /// What is wrong with it.
        flaw: Flaw,
    },
    /// The checkpoint is of another journal.
    Foreign {
        /// The origin of the checkpoint.
        checkpoint: String,
        /// The origin of the journal.
        journal: String,
    },
    /// The journal has fewer records than the checkpoint says.
    Short {
        /// How many it has.
        records: u64,
        /// The size of the checkpoint.
        size: u64,
    },
    /// The records are not those of the checkpoint.
    Differs {
        /// The size of the checkpoint.
        size: u64,
    },
}

impl ProveError {
    /// Whether it is the journal that does not hold, rather than what was asked.
    #[must_use]
    pub fn is_of_the_journal(&self) -> bool {
        matches!(self, Self::Line { .. } | Self::Foreign { .. } | Self::Short { .. } | Self::Differs { .. })
    }
}

impl fmt::Display for ProveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, error } => write!(f, "`{}`: {error}", path.display()),
            Self::Checkpoint(error) => error.fmt(f),
            Self::NotYet { seq, size } => {
                write!(
                    f,
                    "the checkpoint speaks for {size} records, and record {seq} is not among them: make a newer one"
                )
            }
            Self::Backwards { old, new } => {
                write!(
                    f,
                    "the earlier checkpoint has {old} records and the later one {new}: are they in the right order?"
                )
            }
            Self::Line { file, line, flaw } => write!(f, "`{file}`, line {line}: {flaw}"),
            Self::Foreign { checkpoint, journal } => {
                write!(f, "the checkpoint is of `{checkpoint}`, and the journal is `{journal}`")
            }
            Self::Short { records, size } => {
                write!(f, "the journal has {records} records, and the checkpoint speaks for {size}: some were removed")
            }
            Self::Differs { size } => write!(f, "the first {size} records are not those of the checkpoint"),
        }
    }
}

impl std::error::Error for ProveError {}

/// Why a proof shows nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refuted {
    /// There is no record in it, and none was given.
    NoRecord,
    /// The line is not a record.
    Record(Flaw),
    /// The record says that it is another one, or of another journal.
    OtherRecord,
    /// The path does not lead from the record, or from the earlier checkpoint, to the root.
    Path,
    /// The two checkpoints are of different journals.
    OtherJournal,
    /// A signature is not of the key that it names.
    BadSignature,
    /// None of the trusted keys signed the checkpoint.
    Untrusted,
    /// A witness did not.
    NotWitnessed(String),
}

impl Refuted {
    /// A word for it; those of `verify` where they mean the same.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoRecord | Self::Record(_) | Self::Path => "bad-proof",
            Self::OtherRecord | Self::OtherJournal => "foreign",
            Self::BadSignature => "bad-signature",
            Self::Untrusted => "wrong-key",
            Self::NotWitnessed(_) => "bad-checkpoint",
        }
    }
}

impl fmt::Display for Refuted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRecord => f.write_str("the proof has no record, so it has to be given"),
            Self::Record(flaw) => write!(f, "the record does not hold: {flaw}"),
            Self::OtherRecord => {
                f.write_str("the record is another one than the proof is about, or of another journal")
            }
            Self::Path => f.write_str("the path does not lead to the root of the checkpoint"),
            Self::OtherJournal => f.write_str("the two checkpoints are of different journals"),
            Self::BadSignature => f.write_str("a signature of the checkpoint is not of the key that it names"),
            Self::Untrusted => f.write_str("no trusted key signed the checkpoint"),
            Self::NotWitnessed(name) => write!(f, "the witness `{name}` did not sign the checkpoint"),
        }
    }
}

impl std::error::Error for Refuted {}
