//! The files of a journal as batches of lines, in order: read by one thread, looked at by several, in bounded memory.
//!
//! INVARIANT: there are so many buffers and no more. Whoever reads ahead waits for one to come back.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read as _, Take};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

use super::facts::{Fact, facts};
use crate::journal::lines::{self, Line};
use crate::journal::scan::MAX_LINE;
use crate::journal::snapshot::Snapshot;

/// About how much is read at once.
const BLOCK: usize = 1 << 20;

/// Lines of one file.
#[derive(Debug)]
pub(super) struct Batch {
    /// Which file, by its place in the list.
    pub(super) file: usize,
    /// The lines, with their newlines.
    pub(super) block: Vec<u8>,
    /// What each line says.
    pub(super) facts: Vec<Fact>,
    /// What comes after them.
    pub(super) then: Then,
}

/// What comes after a block of whole lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// More of the file.
    More,
    /// Its end.
    End,
    /// Bytes without a newline, and the end of the file.
    Torn,
    /// A line that is longer than records are.
    TooLong,
}

/// A file that is there, and cannot be read.
#[derive(Debug)]
pub(super) struct Failed {
    pub(super) file: usize,
    pub(super) error: io::Error,
}

/// Gives all lines of the files to `link`, in order, until it breaks off.
pub(super) fn run<B>(
    files: &Snapshot,
    threads: NonZeroUsize,
    mut link: impl FnMut(&Batch) -> ControlFlow<B>,
) -> Result<Option<B>, Failed> {
    if threads.get() == 1 {
        let mut source = Source::new(files);
        let mut buffer = Vec::new();
        while let Some(read) = source.next(buffer) {
            let batch = read?.looked_at();
            if let ControlFlow::Break(value) = link(&batch) {
                return Ok(Some(value));
            }
            buffer = batch.block;
        }
        return Ok(None);
    }
    let (give, buffers) = mpsc::channel();
    for _ in 0..threads.get().saturating_mul(2).saturating_add(2) {
        // The receiver is alive.
        let _ = give.send(Vec::new());
    }
    let (send_work, work) = mpsc::channel();
    let work = Mutex::new(work);
    let (send_done, done) = mpsc::channel();
    thread::scope(|scope| {
        // Everything below ends when its channels do, and those do when this closure returns.
        let failed = send_done.clone();
        scope.spawn(move || {
            let mut source = Source::new(files);
            let mut index = 0_u64;
            while let Ok(buffer) = buffers.recv() {
                let sent = match source.next(buffer) {
                    None => return,
                    Some(Ok(batch)) => send_work.send((index, batch)).is_ok(),
                    Some(Err(error)) => failed.send((index, Err(error))).is_ok(),
                };
                if !sent {
                    return;
                }
                index = index.wrapping_add(1);
            }
        });
        let work = &work;
        for _ in 0..threads.get() {
            let done = send_done.clone();
            scope.spawn(move || {
                loop {
                    let next = work.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok((index, batch)): Result<(u64, Batch), _> = next else { return };
                    if done.send((index, Ok(batch.looked_at()))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send_done);
        let give = give;
        let done = done;
        let mut waiting = BTreeMap::new();
        let mut next = 0_u64;
        while let Ok((index, batch)) = done.recv() {
            waiting.insert(index, batch);
            while let Some(batch) = waiting.remove(&next) {
                let batch = batch?;
                if let ControlFlow::Break(value) = link(&batch) {
                    return Ok(Some(value));
                }
                next = next.wrapping_add(1);
                // The reader may have reached the end.
                let _ = give.send(batch.block);
            }
        }
        Ok(None)
    })
}

impl Batch {
    fn looked_at(mut self) -> Self {
        self.facts = facts(&self.block);
        self
    }
}

/// Reads file after file.
struct Source<'f> {
    files: &'f Snapshot,
    /// Which file comes next.
    next: usize,
    open: Option<Take<File>>,
    /// The beginning of a line that goes on in the next block.
    carried: Vec<u8>,
}

impl<'f> Source<'f> {
    fn new(files: &'f Snapshot) -> Self {
        Self { files, next: 0, open: None, carried: Vec::new() }
    }

    fn next(&mut self, buffer: Vec<u8>) -> Option<Result<Batch, Failed>> {
        if self.open.is_none() {
            let index = self.next;
            self.files.files().get(index)?;
            self.next = index.saturating_add(1);
            match self.files.open(index) {
                Ok(open) => self.open = Some(open),
                Err(error) => return Some(Err(self.failed(error))),
            }
            self.carried.clear();
        }
        let read = self.block(buffer);
        Some(read.map_err(|error| self.failed(error)))
    }

    fn failed(&self, error: io::Error) -> Failed {
        Failed { file: self.next.saturating_sub(1), error }
    }

    fn block(&mut self, mut block: Vec<u8>) -> io::Result<Batch> {
        block.clear();
        block.append(&mut self.carried);
        let batch = |block, then| Ok(Batch { file: self.next.saturating_sub(1), block, facts: Vec::new(), then });
        let Some(file) = &mut self.open else { return batch(block, Then::End) };
        loop {
            let unsearched = block.len();
            let read = file.take(BLOCK as u64).read_to_end(&mut block)?;
            let last = block.get(unsearched..).unwrap_or_default().iter().rposition(|byte| *byte == b'\n');
            let whole = last.map_or(0, |at| unsearched.saturating_add(at).saturating_add(1));
            if read < BLOCK {
                // The end of the file.
                self.open = None;
                let whole = block.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at.saturating_add(1));
                let torn = whole < block.len();
                block.truncate(whole);
                return batch(block, if torn { Then::Torn } else { Then::End });
            }
            if whole > 0 {
                self.carried = block.split_off(whole);
                return batch(block, Then::More);
            }
            if block.len() > MAX_LINE {
                let (_, found) = lines::rest(&mut BufReader::with_capacity(1 << 18, file))?;
                self.open = None;
                block.clear();
                return batch(block, if found == Line::Torn { Then::Torn } else { Then::TooLong });
            }
        }
    }
}
