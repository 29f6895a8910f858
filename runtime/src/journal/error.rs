//! What can go wrong with a journal.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::Id;
use super::key::KeyError;

/// Why a journal could not be opened or written.
#[derive(Clone)]
#[non_exhaustive]
pub enum JournalError {
    /// Another writer has the journal.
    InUse {
        /// The journal.
        journal: PathBuf,
        /// The process that has it, if that is known.
        by: Option<u32>,
    },
    /// Other writers had the journal for longer than this one may wait.
    Deadline {
        /// The journal.
        journal: PathBuf,
        /// How long it waited.
        waited: Duration,
        /// The process that has it, if that is known.
        by: Option<u32>,
    },
    /// There is a journal where one was to be created.
    Exists {
        /// The journal.
        journal: PathBuf,
    },
    /// The journal is gone, but files of it are there.
    Gone {
        /// The journal.
        journal: PathBuf,
        /// What shows that there was one.
        left: String,
    },
    /// The file or folder cannot be written to.
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// The disk or a quota is full.
    Full {
        /// The file.
        path: PathBuf,
    },
    /// Another error of the system.
    Io {
        /// What failed.
        doing: &'static str,
        /// With which file.
        path: PathBuf,
        /// The error.
        error: Arc<io::Error>,
    },
    /// Whoever can write to the folder could make the writer do harm.
    Unsafe {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// What the file holds does not continue as a journal.
    Broken {
        /// The file.
        path: PathBuf,
        /// Where its first bad line begins.
        offset: u64,
        /// What is wrong there.
        why: Cow<'static, str>,
    },
    /// A segment is missing, without which the tree cannot be continued.
    MissingSegment {
        /// The file that should be there.
        path: PathBuf,
    },
    /// Records of another journal are in the file.
    Foreign {
        /// The file.
        path: PathBuf,
        /// Where the first of them begins.
        offset: u64,
        /// The journal that it says it is of.
        found: Id,
    },
    /// The key is not the one that signs this journal.
    Key {
        /// The journal.
        journal: PathBuf,
        /// What is wrong.
        why: &'static str,
    },
    /// The journal's secret cannot be used.
    Secret {
        /// Its file.
        path: PathBuf,
        /// What is wrong.
        error: Arc<KeyError>,
    },
    /// The secret is another one than the journal's digests were made with.
    OtherSecret {
        /// Its file.
        path: PathBuf,
    },
    /// A record is longer than readers accept.
    TooLong {
        /// Its length in bytes.
        bytes: usize,
    },
    /// An error before this one left the file in a state that only opening it again can mend.
    Halted {
        /// The journal.
        journal: PathBuf,
        /// The error.
        why: Arc<str>,
    },
    /// The journal was closed.
    Closed {
        /// The journal.
        journal: PathBuf,
    },
    /// The file's name cannot be recorded.
    Name {
        /// The path.
        path: PathBuf,
    },
    /// The system gives no random numbers.
    Random,
}

impl JournalError {
    /// An error of the system, by its kind.
    pub(super) fn io(doing: &'static str, path: &Path, error: io::Error) -> Self {
        let path = path.to_owned();
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                Self::Full { path }
            }
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly { path },
            _ => Self::Io { doing, path, error: Arc::new(error) },
        }
    }

    /// An error of the journal's secret.
    pub(super) fn secret(path: &Path, error: KeyError) -> Self {
        Self::Secret { path: path.to_owned(), error: Arc::new(error) }
    }

    /// What to do about it.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        let help = match self {
            Self::InUse { .. } => "let the other writer finish, or open the journal as a shared one in both".to_owned(),
            Self::Deadline { .. } => "wait longer, or find out what holds the journal for so long".to_owned(),
            Self::Exists { .. } => "open it to continue it".to_owned(),
            Self::Gone { journal, .. } => format!(
                "put it back; or, to begin a new one, move the files that begin with `{}.` away",
                journal.display()
            ),
            Self::ReadOnly { .. } => "give the process the right to write there".to_owned(),
            Self::Full { .. } => {
                "free space; the journal continues by itself, and says how many records are missing".to_owned()
            }
            Self::Unsafe { path, .. } => {
                format!("make `{}` a plain file that only its owner can write to", path.display())
            }
            Self::Broken { path, .. } | Self::Foreign { path, .. } => format!(
                "find out what happened (`interlock verify {0}`); to continue after it, run `interlock journal reanchor {0} --reason …`",
                path.display()
            ),
            Self::MissingSegment { .. } => "put it back beside the journal".to_owned(),
            Self::Key { .. } => "open it with the key that signs it, or begin a new journal".to_owned(),
            Self::Secret { path, .. } | Self::OtherSecret { path } => {
                format!("put the right file back, or remove `{}` to begin a new secret", path.display())
            }
            Self::Halted { .. } => "open the journal again".to_owned(),
            Self::Io { .. } | Self::TooLong { .. } | Self::Closed { .. } | Self::Name { .. } | Self::Random => {
                return None;
            }
        };
        Some(help)
    }
}

impl fmt::Display for JournalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let process = |by: &Option<u32>| by.map_or("another process".to_owned(), |by| format!("process {by}"));
        match self {
            Self::InUse { journal, by } => write!(f, "`{}` is being written by {}", journal.display(), process(by)),
            Self::Deadline { journal, waited, by } => {
                write!(f, "`{}` was not free within {waited:?}: {} writes it", journal.display(), process(by))
            }
            Self::Exists { journal } => write!(f, "there is already a journal `{}`", journal.display()),
            Self::Gone { journal, left } => {
                write!(f, "there is no `{}`, but `{left}` shows that there was one", journal.display())
            }
            Self::ReadOnly { path } => write!(f, "`{}` cannot be written to", path.display()),
            Self::Full { path } => write!(f, "there is no space left for `{}`", path.display()),
            Self::Io { doing, path, error } => write!(f, "cannot {doing} `{}`: {error}", path.display()),
            Self::Unsafe { path, why } => write!(f, "`{}` is not used: {why}", path.display()),
            Self::Broken { path, offset, why } => {
                write!(f, "`{}` cannot be continued: at byte {offset}, {why}", path.display())
            }
            Self::MissingSegment { path } => write!(f, "the segment `{}` is missing", path.display()),
            Self::Foreign { path, offset, found } => {
                write!(f, "`{}` cannot be continued: at byte {offset} is a record of journal {found}", path.display())
            }
            Self::Key { journal, why } => write!(f, "`{}` cannot be signed: {why}", journal.display()),
            Self::Secret { error, .. } => write!(f, "the journal's secret cannot be used: {error}"),
            Self::OtherSecret { path } => {
                write!(f, "the secret `{}` is another one than the journal's", path.display())
            }
            Self::TooLong { bytes } => write!(f, "a record of {bytes} bytes is longer than readers accept"),
            Self::Halted { journal, why } => write!(f, "`{}` is not written since an error: {why}", journal.display()),
            Self::Closed { journal } => write!(f, "`{}` was closed", journal.display()),
            Self::Name { path } => write!(f, "`{}` is no file name that a journal can record", path.display()),
            Self::Random => f.write_str("the system gives no random numbers"),
        }
    }
}

/// The same as its display: this is what a `main` shows that returns it.
impl fmt::Debug for JournalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for JournalError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { error, .. } => Some(error.as_ref()),
            Self::Secret { error, .. } => Some(error.as_ref()),
            _ => None,
        }
    }
}
