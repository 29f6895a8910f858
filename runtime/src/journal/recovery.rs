//! Finding the end of a journal, whatever happened to its last writer.
//!
//! The head says where the end was; the last line must agree, and what was written after it must continue it. Without a head
//! that agrees, the journal is read from its first record. Only a crash's traces are cut off: a last line without a line
//! end, or zeros, which are what a file system leaves of lost writes and what no record contains. Anything else that does
//! not continue is left as it is, and nothing is appended to it: it may be the trace of somebody.

use std::borrow::Cow;
use std::io::{self, BufReader, Read};
use std::sync::Arc;

use super::JournalError;
use super::head::{self, Known};
use super::lines::{self, Line};
use super::medium::{Medium, Storage};
use super::place::Place;
use super::reader::decode;
use super::record::Body;
use super::scan::{Flaw, MAX_LINE};
use super::secret::Digests;
use super::tip::{Tip, Unfit};

/// What there is of a journal.
#[derive(Debug)]
pub(super) enum Found {
    /// Nothing.
    Nothing,
    /// All segments were closed, and the next was not begun.
    Closed(Box<Tip>),
    /// A file to continue.
    Open(Box<End>),
}

impl Found {
    /// How far the journal goes.
    pub(super) fn tip(&self) -> Option<&Tip> {
        match self {
            Self::Nothing => None,
            Self::Closed(tip) => Some(tip),
            Self::Open(end) => Some(&end.tip),
        }
    }
}

/// The end of a journal's file.
#[derive(Debug)]
pub(super) struct End {
    /// The file.
    pub(super) storage: Arc<dyn Storage>,
    /// Its last whole record, and all before.
    pub(super) tip: Tip,
    /// The last record that is known to be on the disk, and all before.
    pub(super) synced: Tip,
    /// How many bytes a crash left after it.
    pub(super) torn: u64,
    /// How many records the head knew that are not there any more.
    pub(super) lost: u64,
}

/// Finds the end.
pub(super) fn find(medium: &dyn Medium, place: &Place, digests: &Digests) -> Result<Found, JournalError> {
    let finder = Finder { medium, place };
    let head = finder.head()?;
    let known = head.as_deref().and_then(|head| head::read(head, digests));
    let Some(storage) = finder.open(place.name())? else {
        return finder.closed(head.is_some(), known);
    };
    let boot = medium.boot();
    let (synced, start) = match &known {
        // What was written since the computer was started is all there; what was synced is there in any case.
        Some(Known { tip, synced, boot: Some(then) })
            if Some(then) == boot.as_ref() && finder.agrees(&storage, tip)? =>
        {
            (synced.clone(), tip.clone())
        }
        Some(Known { synced, .. }) if finder.agrees(&storage, synced)? => (synced.clone(), synced.clone()),
        _ => {
            let start = finder.beginning(&storage)?;
            (start.clone(), start)
        }
    };
    let journal = start.journal;
    let (tip, torn) = finder.read_on(&storage, place.name(), start)?;
    let known = known.filter(|known| known.tip.journal == journal);
    let lost = known.as_ref().map_or(0, |known| known.tip.next().saturating_sub(tip.next()));
    if lost > 0 && boot.is_some() && known.and_then(|known| known.boot) == boot {
        // Without a loss of power, no line goes by itself.
        let why = format!("it ends, and {lost} records more were written to it");
        return Err(finder.broken(place.name(), tip.end, why.into()));
    }
    Ok(Found::Open(Box::new(End { storage, tip, synced, torn, lost })))
}

struct Finder<'m> {
    medium: &'m dyn Medium,
    place: &'m Place,
}

impl Finder<'_> {
    /// A file, unless there is none or it is empty.
    fn open(&self, name: &str) -> Result<Option<Arc<dyn Storage>>, JournalError> {
        let Some(storage) = self.medium.open(name)? else { return Ok(None) };
        let length = storage.length().map_err(|error| JournalError::io("read", &self.place.path(name), error))?;
        Ok((length > 0).then_some(storage))
    }

    /// What the head's file holds.
    fn head(&self) -> Result<Option<Vec<u8>>, JournalError> {
        let name = self.place.beside("head");
        let Some(storage) = self.open(&name)? else { return Ok(None) };
        read(&*storage, 0, head::MOST_BYTES)
            .map(Some)
            .map_err(|error| JournalError::io("read", &self.place.path(&name), error))
    }

    /// What there is when there is no journal's file.
    fn closed(&self, headed: bool, known: Option<Known>) -> Result<Found, JournalError> {
        let gone = |left: String| Err(JournalError::Gone { journal: self.place.journal(), left });
        // A segment is synced before it is closed.
        if let Some(Known { tip, .. }) = &known {
            let name = self.place.segment(tip.segment);
            if let Some(storage) = self.open(&name)?
                && storage.length().is_ok_and(|length| length == tip.end)
                && self.agrees(&storage, tip)?
            {
                let mut tip = tip.clone();
                tip.turn();
                return Ok(Found::Closed(Box::new(tip)));
            }
        }
        let Some(first) = self.open(&self.place.segment(0))? else {
            let signed = self.place.beside("checkpoint");
            return match self.open(&signed)? {
                Some(_) => gone(signed),
                None if headed => gone(self.place.beside("head")),
                None => Ok(Found::Nothing),
            };
        };
        let mut tip = self.first(&first)?;
        loop {
            let name = self.place.segment(tip.segment);
            let Some(storage) = self.open(&name)? else { break };
            tip = self.read_whole(&storage, &name, tip)?;
            tip.turn();
        }
        match known {
            // The head is written before a segment is closed. It knows more if segments were removed.
            Some(known) if known.tip.next() > tip.next() => gone(self.place.beside("head")),
            _ => Ok(Found::Closed(Box::new(tip))),
        }
    }

    /// Whether the file's last line is where the tip says, and the tip's.
    fn agrees(&self, storage: &Arc<dyn Storage>, tip: &Tip) -> Result<bool, JournalError> {
        let length = storage.length().map_err(|error| self.unreadable(error))?;
        let line = tip.end.checked_sub(tip.line).and_then(|length| usize::try_from(length).ok());
        let Some(line) = line.filter(|line| *line <= MAX_LINE) else { return Ok(false) };
        if tip.end > length {
            return Ok(false);
        }
        let bytes = read(&**storage, tip.line, line).map_err(|error| self.unreadable(error))?;
        let Some(Ok(record)) = bytes.strip_suffix(b"\n").map(decode) else { return Ok(false) };
        Ok(record.hash == tip.last
            && record.head.journal == tip.journal
            && record.head.seq.checked_add(1) == Some(tip.next()))
    }

    /// The journal until the file begins.
    fn beginning(&self, storage: &Arc<dyn Storage>) -> Result<Tip, JournalError> {
        let tip = self.first(storage)?;
        let wanted = tip.segment;
        if wanted == 0 {
            return Ok(tip);
        }
        let missing = |segment| JournalError::MissingSegment { path: self.place.path(&self.place.segment(segment)) };
        let mut before = self.first(&self.open(&self.place.segment(0))?.ok_or_else(|| missing(0))?)?;
        while before.segment < wanted {
            let name = self.place.segment(before.segment);
            let storage = self.open(&name)?.ok_or_else(|| missing(before.segment))?;
            before = self.read_whole(&storage, &name, before)?;
            before.turn();
        }
        Ok(before)
    }

    /// The tip before the first record of a file.
    fn first(&self, storage: &Arc<dyn Storage>) -> Result<Tip, JournalError> {
        let mut line = Vec::new();
        let (first, _) = lines::next(&mut input(&**storage, 0), &mut line).map_err(|error| self.unreadable(error))?;
        let broken = |why| self.broken(self.place.name(), 0, why);
        if first != Line::Whole {
            return Err(broken("there is no whole line".into()));
        }
        let record = decode(&line).map_err(|flaw| broken(flaw.to_string().into()))?;
        match &record.body {
            Body::Genesis(genesis) => Ok(Tip::before(record.head.journal, genesis, record.head.at)),
            _ => Err(broken("the first record does not begin a journal".into())),
        }
    }

    /// Reads a closed segment.
    fn read_whole(&self, storage: &Arc<dyn Storage>, name: &str, tip: Tip) -> Result<Tip, JournalError> {
        let (tip, torn) = self.read_on(storage, name, tip)?;
        if torn > 0 {
            return Err(self.broken(name, tip.end, "a closed segment ends within a line".into()));
        }
        Ok(tip)
    }

    /// Reads on from a tip to the last whole record, and says how many bytes a crash left after it.
    fn read_on(&self, storage: &Arc<dyn Storage>, name: &str, mut tip: Tip) -> Result<(Tip, u64), JournalError> {
        let mut input = input(&**storage, tip.end);
        let mut line = Vec::new();
        loop {
            let offset = tip.end;
            let (next, size) = lines::next(&mut input, &mut line).map_err(|error| self.unreadable(error))?;
            let flaw = match next {
                Line::End => return Ok((tip, 0)),
                Line::Whole => match decode(&line) {
                    Ok(record) => match tip.follow(&record, size) {
                        Ok(()) => continue,
                        Err(Unfit::Foreign(found)) => {
                            return Err(JournalError::Foreign { path: self.place.path(name), offset, found });
                        }
                        Err(Unfit::Wrong(why)) => Cow::Borrowed(why),
                    },
                    Err(flaw) => flaw.to_string().into(),
                },
                Line::Torn => "".into(),
                Line::TooLong => Flaw::TooLong.to_string().into(),
            };
            let start = read(&**storage, offset, CHUNK).map_err(|error| self.unreadable(error))?;
            let of_this_line = start.get(..usize::try_from(size).unwrap_or(usize::MAX)).unwrap_or(&start);
            if next != Line::Torn && !of_this_line.contains(&0) && !line.contains(&0) {
                return Err(self.broken(name, offset, flaw));
            }
            let length = storage.length().map_err(|error| self.unreadable(error))?;
            return Ok((tip, length.saturating_sub(offset)));
        }
    }

    fn broken(&self, name: &str, offset: u64, why: Cow<'static, str>) -> JournalError {
        JournalError::Broken { path: self.place.path(name), offset, why }
    }

    fn unreadable(&self, error: io::Error) -> JournalError {
        JournalError::io("read", &self.place.journal(), error)
    }
}

const CHUNK: usize = 64 * 1024;

/// The bytes of a file from here on.
fn input(storage: &dyn Storage, offset: u64) -> BufReader<Bytes<'_>> {
    BufReader::with_capacity(CHUNK, Bytes { storage, offset })
}

struct Bytes<'s> {
    storage: &'s dyn Storage,
    offset: u64,
}

impl Read for Bytes<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.storage.read_at(self.offset, into)?;
        self.offset = self.offset.saturating_add(u64::try_from(read).unwrap_or(u64::MAX));
        Ok(read)
    }
}

/// At most so many bytes.
fn read(storage: &dyn Storage, offset: u64, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; most];
    let mut filled: usize = 0;
    while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        let at = offset.saturating_add(u64::try_from(filled).unwrap_or(u64::MAX));
        match storage.read_at(at, rest)? {
            0 => break,
            count => filled = filled.saturating_add(count),
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}
