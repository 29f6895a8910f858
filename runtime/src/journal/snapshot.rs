//! The files of a journal as they are at one moment, while its writer goes on.
//!
//! A closed segment neither changes nor gets another name. The file that is written grows, and gets another name when it is
//! closed; so it is opened before the others are listed, and what is written to it later is not looked at. INVARIANT: the
//! others are those that were closed before it was begun, however often the journal is rotated meanwhile.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom, Take};
use std::path::Path;
use std::thread;
use std::time::Duration;

use super::file::is_same;
use super::files::{SegmentFile, segment_files};

/// Between two segments there is no file that is written. It is waited for as long as a slow disk may need.
const TRIES: u32 = 50;

/// How long each time.
const WAIT: Duration = Duration::from_millis(4);

/// The files of a journal, as they were.
#[derive(Debug)]
pub(super) struct Snapshot {
    files: Vec<SegmentFile>,
    /// The last of them.
    last: File,
    /// Its length.
    length: u64,
}

impl Snapshot {
    /// Takes a snapshot.
    ///
    /// # Errors
    /// If there is no journal, or if its folder or the last of its files cannot be read.
    pub(super) fn take(journal: &Path) -> io::Result<Self> {
        for _ in 0..TRIES {
            match open_plain(journal) {
                Ok(active) => {
                    if let Some(files) = with_active(journal, &active)? {
                        return Self::of(files, active);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound && !closed(journal)?.is_empty() => {}
                Err(error) => return Err(error),
            }
            thread::sleep(WAIT);
        }
        // A crash came between two segments, or the file was removed.
        let files = closed(journal)?;
        let last = files.last().map_or(journal, |last| &last.path);
        let last = open_plain(last)?;
        Self::of(files, last)
    }

    fn of(files: Vec<SegmentFile>, last: File) -> io::Result<Self> {
        let length = settled(&last)?;
        Ok(Self { files, last, length })
    }

    /// The files, oldest first. One that is missing in between is for `verify` to see.
    pub(super) fn files(&self) -> &[SegmentFile] {
        &self.files
    }

    /// Opens one of the files, up to where it went. The last one is read by one reader at a time: they share a position.
    pub(super) fn open(&self, index: usize) -> io::Result<Take<File>> {
        match self.files.get(index..) {
            Some([_]) => {
                let mut last = self.last.try_clone()?;
                last.seek(SeekFrom::Start(0))?;
                Ok(last.take(self.length))
            }
            Some([file, ..]) => Ok(open_plain(&file.path)?.take(u64::MAX)),
            _ => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

/// The closed segments, oldest first.
fn closed(journal: &Path) -> io::Result<Vec<SegmentFile>> {
    let mut files = segment_files(journal)?;
    files.retain(|file| file.number.is_some());
    Ok(files)
}

/// The segments that were closed before this file was begun, and the file; `None` if it is no file of the journal any more.
fn with_active(journal: &Path, active: &File) -> io::Result<Option<Vec<SegmentFile>>> {
    let opened = active.metadata()?;
    let is_active = |path: &Path| fs::metadata(path).is_ok_and(|found| is_same(&found, &opened));
    let mut files = closed(journal)?;
    if !is_active(journal) {
        // It was closed since. A listing that begins after that has it, and all that were closed before.
        files = closed(journal)?;
        let Some(at) = files.iter().rposition(|file| is_active(&file.path)) else { return Ok(None) };
        files.truncate(at);
    }
    files.push(SegmentFile { path: journal.to_owned(), number: None });
    Ok(Some(files))
}

/// The length of a file, at the end of a line; or of what a crash left, if nobody writes the rest.
fn settled(mut file: &File) -> io::Result<u64> {
    let mut length = file.metadata()?.len();
    for _ in 0..TRIES {
        let Some(last) = length.checked_sub(1) else { break };
        let mut byte = [0];
        file.seek(SeekFrom::Start(last))?;
        if file.read(&mut byte)? == 1 && byte == *b"\n" {
            break;
        }
        thread::sleep(WAIT);
        let now = file.metadata()?.len();
        if now == length {
            break;
        }
        length = now;
    }
    Ok(length)
}

fn open_plain(path: &Path) -> io::Result<File> {
    // A directory can be opened, and a pipe has no end.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a file"));
    }
    File::open(path)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::arithmetic_side_effects, reason = "test code")]

    use super::*;
    use std::path::PathBuf;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("interlock-snapshot-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn contents(snapshot: &Snapshot) -> Vec<String> {
        let read = |index| {
            let mut text = String::new();
            snapshot.open(index).unwrap().read_to_string(&mut text).unwrap();
            text
        };
        (0..snapshot.files().len()).map(read).collect()
    }

    fn rotate(journal: &Path, number: u64) {
        fs::rename(journal, format!("{}.{number}", journal.display())).unwrap();
        fs::write(journal, format!("{}\n", number + 1)).unwrap();
    }

    #[test]
    fn what_is_written_later_is_not_in_it() {
        let folder = folder("later");
        let journal = folder.join("j");
        fs::write(&journal, "1\n").unwrap();
        rotate(&journal, 1);
        let snapshot = Snapshot::take(&journal).unwrap();
        fs::write(&journal, "2\nmore\n").unwrap();
        rotate(&journal, 2);
        rotate(&journal, 3);
        for _ in 0..2 {
            assert_eq!(contents(&snapshot), ["1\n", "2\n"]);
        }
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_file_that_is_closed_while_the_others_are_listed_stays_the_last() {
        let folder = folder("closed");
        let journal = folder.join("j");
        fs::write(&journal, "1\n").unwrap();
        let active = File::open(&journal).unwrap();
        for number in 1..4 {
            rotate(&journal, number);
        }
        let numbers = |active: &File| {
            let files = with_active(&journal, active).unwrap()?;
            Some(files.iter().map(|file| file.number).collect::<Vec<_>>())
        };
        assert_eq!(numbers(&active), Some(vec![None]));
        assert_eq!(numbers(&File::open(folder.join("j.3")).unwrap()), Some(vec![Some(1), Some(2), None]));
        fs::remove_file(folder.join("j.1")).unwrap();
        assert_eq!(numbers(&active), None);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn between_two_segments_the_next_one_is_waited_for() {
        let folder = folder("between");
        let journal = folder.join("j");
        assert_eq!(Snapshot::take(&journal).unwrap_err().kind(), io::ErrorKind::NotFound);
        fs::write(folder.join("j.1"), "1\n").unwrap();
        assert_eq!(contents(&Snapshot::take(&journal).unwrap()), ["1\n"]);
        let next = thread::scope(|scope| {
            let taken = scope.spawn(|| Snapshot::take(&journal).unwrap());
            thread::sleep(WAIT);
            fs::write(folder.join("new"), "2\n").unwrap();
            fs::rename(folder.join("new"), &journal).unwrap();
            taken.join().unwrap()
        });
        assert_eq!(contents(&next), ["1\n", "2\n"]);
        fs::remove_dir_all(folder).unwrap();
    }
}
