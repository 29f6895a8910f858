//! Follows a journal: what is there, then what is written from now on.
//!
//! The segment that is written to is `<journal>`; when it is closed it becomes `<journal>.<n>`, and another begins. So whoever
//! waits at its end looks whether it has its other name by now, and if so reads it to its end and goes on with the next.

use std::fs::File;
use std::io::{self, BufReader, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use contract_runtime::journal::{Entry, Flaw, Reader, SegmentFile, segment_files};

/// A journal that is followed.
#[derive(Debug)]
pub(super) struct Follower {
    journal: PathBuf,
    /// The file that is read, under whatever name.
    file: File,
    reader: Reader<BufReader<File>>,
    /// The number that the file has, or gets when it is closed.
    number: u64,
    /// Whether it is still written to, as far as is known.
    active: bool,
}

impl Follower {
    pub(super) fn open(journal: &Path) -> io::Result<Self> {
        let (file, segment) = after(journal, 0)?;
        let (number, active) = (segment.number.unwrap_or(1), segment.number.is_none());
        let reader = Reader::new(BufReader::new(file.try_clone()?), segment);
        Ok(Self { journal: journal.to_owned(), file, reader, number, active })
    }

    /// The next line; `None` where it is still to come.
    pub(super) fn next_entry(&mut self) -> io::Result<Option<Entry>> {
        loop {
            match self.reader.next().transpose()? {
                // The rest of a line that is being written is still to come.
                Some(entry) if self.active && entry.record == Err(Flaw::Torn) => {}
                Some(entry) => return Ok(Some(entry)),
                None if !self.active => match self.advance() {
                    Ok(()) => continue,
                    // Between two segments there is no file that is written.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                    Err(error) => return Err(error),
                },
                None => {}
            }
            self.active = !closed(&self.journal, self.number).exists();
            self.resume()?;
            if self.active {
                return Ok(None);
            }
        }
    }

    /// Reads on after the last whole line.
    fn resume(&mut self) -> io::Result<()> {
        let (lines, offset) = (self.reader.lines(), self.reader.offset());
        self.file.seek(SeekFrom::Start(offset))?;
        let path = if self.active { self.journal.clone() } else { closed(&self.journal, self.number) };
        let segment = SegmentFile { path, number: (!self.active).then_some(self.number) };
        self.reader = Reader::resumed(BufReader::new(self.file.try_clone()?), segment, lines, offset);
        Ok(())
    }

    /// Goes on with the segment after this one.
    fn advance(&mut self) -> io::Result<()> {
        let (file, segment) = after(&self.journal, self.number)?;
        self.active = segment.number.is_none();
        self.number = segment.number.unwrap_or_else(|| self.number.saturating_add(1));
        self.reader = Reader::new(BufReader::new(file.try_clone()?), segment);
        self.file = file;
        Ok(())
    }
}

/// The segment after this one, opened.
fn after(journal: &Path, number: u64) -> io::Result<(File, SegmentFile)> {
    // Opened first: the file may be closed at any time, and then it has its other name.
    let active = File::open(journal);
    let files = segment_files(journal)?;
    let Some(mut later) = files.into_iter().find(|file| file.number.is_some_and(|later| later > number)) else {
        return Ok((active?, SegmentFile { path: journal.to_owned(), number: None }));
    };
    // A listing may leave out what was closed while it was made.
    let next = number.saturating_add(1);
    let path = closed(journal, next);
    if path.exists() {
        later = SegmentFile { path, number: Some(next) };
    }
    Ok((File::open(&later.path)?, later))
}

/// The name of a segment that is closed.
fn closed(journal: &Path, number: u64) -> PathBuf {
    let mut name = journal.as_os_str().to_owned();
    name.push(format!(".{number}"));
    PathBuf::from(name)
}
