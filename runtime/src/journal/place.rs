//! The names of a journal's files.

use std::path::{Path, PathBuf};

use super::JournalError;

/// Where a journal is.
#[derive(Clone, Debug)]
pub(super) struct Place {
    folder: PathBuf,
    name: String,
}

impl Place {
    /// The journal with this path.
    pub(super) fn new(path: &Path) -> Result<Self, JournalError> {
        // The name is recorded, so that a renamed journal can be told.
        let name = path.file_name().and_then(|name| name.to_str()).filter(|name| !name.contains('\n'));
        let name = name.ok_or_else(|| JournalError::Name { path: path.to_owned() })?.to_owned();
        Ok(Self { folder: path.parent().unwrap_or(Path::new("")).to_owned(), name })
    }

    /// The folder.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The name of the file that is being written.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The name of a file beside it: `<journal>.<what>`.
    pub(super) fn beside(&self, what: &str) -> String {
        format!("{}.{what}", self.name)
    }

    /// The name of a closed segment: the first is `<journal>.1`.
    pub(super) fn segment(&self, segment: u64) -> String {
        format!("{}.{}", self.name, segment.saturating_add(1))
    }

    /// The path of a file in the folder.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The path of the journal.
    pub(super) fn journal(&self) -> PathBuf {
        self.path(&self.name)
    }
}
