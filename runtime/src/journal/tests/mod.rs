#![expect(clippy::arithmetic_side_effects, reason = "test code")]

mod costs;
mod disk;
mod losses;
mod refusals;
mod writing;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use super::record::{Body, Passed, Record};
use super::tree::{self, Frontier};
use super::{Checkpoint, NO_HASH, Note};
use crate::Time;

/// A folder that goes with the test.
pub(in crate::journal) struct Scratch(PathBuf);

impl Scratch {
    pub(in crate::journal) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!("interlock-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }

    pub(in crate::journal) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn at(second: u64) -> Time {
    Time::from_nanos(1_800_000_000_000_000_000 + i128::from(second) * 1_000_000_000)
}

fn body() -> Body<'static> {
    Passed { findings: Vec::new() }.into()
}

/// The records of segments in order: each in canonical form with its own hash, numbered and chained; checkpoints are of the
/// tree until them.
fn check(segments: impl IntoIterator<Item = Vec<u8>>) -> Vec<Record> {
    let mut all: Vec<Record> = Vec::new();
    let (mut prev, mut frontier) = (NO_HASH, Frontier::default());
    for text in segments {
        let text = text.strip_suffix(b"\n").expect("a last line that is whole");
        for line in text.split(|byte| *byte == b'\n') {
            let record = Record::decode(line).unwrap();
            assert_eq!(record.head.seq, frontier.size());
            assert_eq!(record.head.prev, prev);
            assert_eq!(record.hash, record.expected_hash());
            assert_eq!(record.head.journal, all.first().map_or(record.head.journal, |first| first.head.journal));
            if let Body::Checkpoint(checkpoint) = &record.body {
                check_note(&checkpoint.note, &frontier);
            }
            prev = record.hash;
            frontier.append(tree::leaf(&record.hash.0));
            all.push(record);
        }
    }
    all
}

fn check_note(note: &str, frontier: &Frontier) {
    let checkpoint = Checkpoint::parse(Note::parse(note).unwrap().text()).unwrap();
    assert_eq!((checkpoint.size, checkpoint.root), (frontier.size(), frontier.root()));
}

fn kinds(records: &[Record]) -> Vec<&'static str> {
    records.iter().map(|record| record.body.kind()).collect()
}
