//! The files of a journal: rotated segments `J.1`, `J.2`, …, and `J`, which is written.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

/// One file of a journal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SegmentFile {
    /// Where it is.
    pub path: PathBuf,
    /// The number in its name, from 1; `None` for the file that is written.
    pub number: Option<u64>,
}

impl SegmentFile {
    /// The last part of its path, as it is shown.
    #[must_use]
    pub fn name(&self) -> String {
        name(&self.path)
    }
}

/// The last part of a path.
pub(super) fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// The files of a journal that are there, oldest first. One that is missing in between is for `verify` to see.
///
/// # Errors
/// If the folder cannot be read.
pub fn segment_files(journal: &Path) -> io::Result<Vec<SegmentFile>> {
    let folder = journal.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut rotated = Vec::new();
    if let Some(base) = journal.file_name() {
        for entry in std::fs::read_dir(folder)? {
            let name = entry?.file_name();
            if let Some(number) = number(base, &name) {
                rotated.push((number, journal.with_file_name(name)));
            }
        }
    }
    rotated.sort_unstable();
    let mut files: Vec<_> =
        rotated.into_iter().map(|(number, path)| SegmentFile { path, number: Some(number) }).collect();
    if std::fs::symlink_metadata(journal).is_ok() || files.is_empty() {
        files.push(SegmentFile { path: journal.to_owned(), number: None });
    }
    Ok(files)
}

/// The number of a segment by its name: digits without leading zeros.
fn number(base: &OsStr, name: &OsStr) -> Option<u64> {
    let digits = name.to_str()?.strip_prefix(base.to_str()?)?.strip_prefix('.')?;
    let number: u64 = digits.parse().ok()?;
    (number > 0 && number.to_string() == digits).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_known_by_their_names_alone() {
        let number = |name: &str| number(OsStr::new("j.jsonl"), OsStr::new(name));
        assert_eq!(number("j.jsonl.1"), Some(1));
        assert_eq!(number("j.jsonl.20"), Some(20));
        for other in [
            "j.jsonl",
            "j.jsonl.0",
            "j.jsonl.01",
            "j.jsonl.+1",
            "j.jsonl.head",
            "j.jsonl.1.bak",
            "k.jsonl.1",
            "j.jsonl.",
        ] {
            assert_eq!(number(other), None, "{other}");
        }
    }
}
