//! What can be wrong with keys, secrets and their files.

use std::path::PathBuf;
use std::{fmt, io};

/// Why a key or a secret cannot be used.
#[non_exhaustive]
pub enum KeyError {
    /// The file exists, and keys are never overwritten.
    Exists(PathBuf),
    /// The file cannot be read or written.
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// Not a regular file.
    NotAFile(PathBuf),
    /// Others than the owner may read or change the file.
    Exposed {
        /// The file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// The file holds something else.
    Malformed {
        /// The file, where it came from one.
        path: Option<PathBuf>,
        /// What is wrong, and what it should be.
        problem: &'static str,
    },
    /// The system gives no random bytes.
    Random,
}

impl KeyError {
    pub(super) fn malformed(problem: &'static str) -> Self {
        Self::Malformed { path: None, problem }
    }

    /// The same, and it says which file it is about.
    pub(crate) fn in_file(self, file: &std::path::Path) -> Self {
        match self {
            Self::Malformed { problem, .. } => Self::Malformed { path: Some(file.to_owned()), problem },
            other => other,
        }
    }
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exists(path) => write!(f, "`{}` exists already, and keys are never overwritten", path.display()),
            Self::Io { path, error } => write!(f, "`{}`: {error}", path.display()),
            Self::NotAFile(path) => write!(f, "`{}` is not a regular file", path.display()),
            Self::Exposed { path, mode } => {
                let path = path.display();
                write!(f, "others can read or change `{path}` (mode {mode:04o}): run `chmod 600 {path}`")
            }
            Self::Malformed { path: Some(path), problem } => write!(f, "`{}` {problem}", path.display()),
            Self::Malformed { path: None, problem } => write!(f, "the key {problem}"),
            Self::Random => f.write_str("the system gives no random bytes"),
        }
    }
}

/// The same as its display: this is what a `main` shows that returns it.
impl fmt::Debug for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for KeyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { error, .. } => Some(error),
            _ => None,
        }
    }
}
