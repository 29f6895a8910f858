//! The records of a journal, one at a time: for viewers. Whether they hold together is for `verify` to say.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Take};
use std::path::Path;
use std::sync::Arc;

use super::files::SegmentFile;
use super::lines::{self, Line};
use super::record::Record;
use super::scan::{Flaw, scan};
use super::snapshot::Snapshot;

/// One line of a journal.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The file that it is in.
    pub file: Arc<SegmentFile>,
    /// Its number in the file, from 1.
    pub line: u64,
    /// Where it begins in the file, in bytes.
    pub offset: u64,
    /// The record, whose hash is its own. How it is linked to those before it is not looked at.
    pub record: Result<Record, Flaw>,
}

/// Reads the records of a journal in order.
///
/// INVARIANT: memory is that of one line, which is bounded.
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    file: Arc<SegmentFile>,
    line: u64,
    offset: u64,
    buffer: Vec<u8>,
    ended: bool,
}

impl<R: BufRead> Reader<R> {
    /// Reads what begins here.
    pub fn new(input: R, file: SegmentFile) -> Self {
        Self::resumed(input, file, 0, 0)
    }

    /// Reads on where another reader stopped: after so many lines, at this offset, where the input already is.
    pub fn resumed(input: R, file: SegmentFile, lines: u64, offset: u64) -> Self {
        Self { input, file: Arc::new(file), line: lines, offset, buffer: Vec::new(), ended: false }
    }

    /// How many whole lines were read.
    #[must_use]
    pub fn lines(&self) -> u64 {
        self.line
    }

    /// Where the last whole line ended, in bytes.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The line that was read last, without its newline.
    #[must_use]
    pub fn raw(&self) -> &[u8] {
        &self.buffer
    }

    fn entry(&self, line: u64, record: Result<Record, Flaw>) -> Entry {
        Entry { file: Arc::clone(&self.file), line, offset: self.offset, record }
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = io::Result<Entry>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let (found, size) = match lines::next(&mut self.input, &mut self.buffer) {
            Ok(next) => next,
            Err(error) => {
                self.ended = true;
                return Some(Err(error));
            }
        };
        let record = match found {
            Line::End => {
                self.ended = true;
                return None;
            }
            Line::Torn => {
                self.ended = true;
                return Some(Ok(self.entry(self.line.saturating_add(1), Err(Flaw::Torn))));
            }
            Line::TooLong => Err(Flaw::TooLong),
            Line::Whole => decode(&self.buffer),
        };
        self.line = self.line.saturating_add(1);
        let entry = self.entry(self.line, record);
        self.offset = self.offset.saturating_add(size);
        Some(Ok(entry))
    }
}

/// The record of a line.
///
/// # Errors
/// If the line is not the canonical JSON of a record, or the record not what its hash was made of.
pub fn decode(line: &[u8]) -> Result<Record, Flaw> {
    let scanned = scan(line)?;
    if scanned.computed() != scanned.hash {
        return Err(Flaw::Edited);
    }
    // The scanner accepts what the decoder accepts.
    Record::decode(line).map_err(|error| Flaw::NotCanonical { at: 0, expected: error.to_string(), found: None })
}

/// The records of all files of a journal, oldest first, as they are when it is opened: its writer may go on meanwhile.
#[derive(Debug)]
pub struct Records {
    files: Snapshot,
    /// Which of them comes next.
    next: usize,
    current: Option<Reader<BufReader<Take<File>>>>,
}

impl Records {
    /// Opens a journal.
    ///
    /// # Errors
    /// If its folder cannot be read, or it is not there.
    pub fn open(journal: &Path) -> io::Result<Self> {
        Ok(Self { files: Snapshot::take(journal)?, next: 0, current: None })
    }

    /// The reader of the file that is read.
    #[must_use]
    pub fn current(&self) -> Option<&Reader<BufReader<Take<File>>>> {
        self.current.as_ref()
    }
}

impl Iterator for Records {
    type Item = io::Result<Entry>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(entry) = self.current.as_mut().and_then(Iterator::next) {
                return Some(entry);
            }
            let file = self.files.files().get(self.next)?.clone();
            let opened = self.files.open(self.next);
            self.next = self.next.saturating_add(1);
            match opened {
                Ok(input) => self.current = Some(Reader::new(BufReader::new(input), file)),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Time;
    use crate::journal::record::{self, Head, Hex};

    fn lines(count: u64) -> Vec<u8> {
        let mut out = Vec::new();
        let mut prev = record::NO_HASH;
        for seq in 0..count {
            let head = Head { at: Time::EPOCH, journal: Hex([1; 8]), prev, seq, session: None };
            let gap = record::Gap { missing: seq, why: "test".into() };
            prev = record::encode(&head, &gap.into(), &mut out);
        }
        out
    }

    fn read(bytes: &[u8]) -> Vec<(u64, u64, Result<u64, Flaw>)> {
        let file = SegmentFile { path: "j".into(), number: None };
        let entries = Reader::new(bytes, file).map(Result::unwrap);
        entries.map(|entry| (entry.line, entry.offset, entry.record.map(|record| record.head.seq))).collect()
    }

    #[test]
    fn records_come_with_their_places() {
        let bytes = lines(3);
        let length = bytes.len() as u64 / 3;
        assert_eq!(read(&bytes), [(1, 0, Ok(0)), (2, length, Ok(1)), (3, 2 * length, Ok(2))]);
    }

    #[test]
    fn flaws_have_places_too_and_reading_goes_on() {
        let mut bytes = lines(2);
        let length = bytes.len() as u64 / 2;
        let edited = bytes.windows(4).position(|window| window == b"test").unwrap();
        bytes[edited] = b'T';
        bytes.extend_from_slice(b"{\"at\"");
        assert_eq!(read(&bytes), [(1, 0, Err(Flaw::Edited)), (2, length, Ok(1)), (3, 2 * length, Err(Flaw::Torn))]);
        assert_eq!(read(b""), []);
        assert!(matches!(read(b"\n")[..], [(1, 0, Err(Flaw::NotCanonical { .. }))]));
    }

    #[test]
    fn lines_are_bounded() {
        let mut bytes = vec![b'x'; crate::journal::scan::MAX_LINE + 10];
        bytes.push(b'\n');
        let long = bytes.len() as u64;
        bytes.extend_from_slice(&lines(1));
        assert_eq!(read(&bytes), [(1, 0, Err(Flaw::TooLong)), (2, long, Ok(0))]);
        // Without an end, it is what a crash left.
        assert_eq!(read(&bytes[..bytes.len() - lines(1).len() - 1]), [(1, 0, Err(Flaw::Torn))]);
    }
}
