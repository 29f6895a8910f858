//! What an append needs to know of all that was written before it.
//!
//! INVARIANT: a tip is what its records make of it, one after the other, whether it was read from the journal's head or made
//! from the journal itself. (But for when a checkpoint would have been due that nobody could sign.)

use super::record::{Body, Capture, Genesis, Hash, Id, Key, NO_HASH, Previous, Record, Sync};
use super::tree::{self, Frontier};
use crate::Time;

/// How many contracts of one file are remembered. One that was forgotten is recorded again, which does no harm.
const MOST_CONTRACTS: usize = 64;

/// The end of a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tip {
    /// The journal's id.
    pub(super) journal: Id,
    /// How many segments there were before this one.
    pub(super) segment: u64,
    /// When this segment began.
    pub(super) begun: Time,
    /// Whether the segment says that it holds content.
    pub(super) content: Capture,
    /// When the segment says that it is forced to the disk.
    pub(super) sync: Sync,
    /// The key that signs.
    pub(super) key: Option<Key>,
    /// What names the secret.
    pub(super) secret: Hash,
    /// The tree of all records; as large as the next record's number.
    pub(super) frontier: Frontier,
    /// The last record's hash.
    pub(super) last: Hash,
    /// Where its line begins.
    pub(super) line: u64,
    /// Where it ends: the length of the file.
    pub(super) end: u64,
    /// The last checkpoint, or the last time that one was due.
    pub(super) mark: Mark,
    /// The contracts that this file has.
    pub(super) contracts: Vec<Hash>,
}

/// When a checkpoint was due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// How many records there were with it.
    pub(super) size: u64,
    /// When.
    pub(super) at: Time,
}

/// Why a record cannot come next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unfit {
    /// It is of another journal.
    Foreign(Id),
    /// Its place or what it says is wrong.
    Wrong(&'static str),
}

/// Whether the first record of a file says that so many files came before, with so many records, the last with this hash.
pub(super) fn continues(genesis: &Genesis<'_>, segments: u64, records: u64, last: Hash) -> bool {
    let previous = (segments > 0).then(|| Previous {
        file: format!("{}.{segments}", genesis.file).into(),
        hash: last,
        size: records,
    });
    genesis.segment == segments && genesis.previous == previous
}

impl Tip {
    /// Of a journal that has no records yet.
    pub(super) fn before(journal: Id, genesis: &Genesis<'_>, at: Time) -> Self {
        Self {
            journal,
            segment: genesis.segment,
            begun: at,
            content: genesis.content,
            sync: genesis.sync,
            key: genesis.key,
            secret: genesis.secret,
            frontier: Frontier::default(),
            last: NO_HASH,
            line: 0,
            end: 0,
            mark: Mark { size: 0, at },
            contracts: Vec::new(),
        }
    }

    /// The number of the next record.
    pub(super) fn next(&self) -> u64 {
        self.frontier.size()
    }

    /// Goes on to the next segment, whose file is empty.
    pub(super) fn turn(&mut self) {
        self.segment = self.segment.saturating_add(1);
        (self.line, self.end) = (0, 0);
        self.contracts.clear();
    }

    /// Takes note of a record that was written at the end, whose line has this length.
    pub(super) fn push(&mut self, at: Time, body: &Body<'_>, hash: Hash, length: u64) {
        self.frontier.append(tree::leaf(&hash.0));
        self.last = hash;
        self.line = self.end;
        self.end = self.end.saturating_add(length);
        match body {
            Body::Genesis(genesis) => {
                self.segment = genesis.segment;
                self.begun = at;
                self.content = genesis.content;
                self.sync = genesis.sync;
                self.secret = genesis.secret;
            }
            Body::Checkpoint(_) => self.mark = Mark { size: self.next(), at },
            Body::KeyChange(change) => self.key = Some(change.key),
            Body::SecretChange(change) => self.secret = change.secret,
            Body::Contract(contract) => {
                if self.contracts.len() >= MOST_CONTRACTS {
                    self.contracts.remove(0);
                }
                self.contracts.push(contract.sha256);
            }
            _ => {}
        }
    }

    /// Takes a record that was read at the end and whose hash is its own, if it continues what was read before.
    pub(super) fn follow(&mut self, record: &Record, length: u64) -> Result<(), Unfit> {
        if record.head.journal != self.journal {
            return Err(Unfit::Foreign(record.head.journal));
        }
        if record.head.seq != self.next() {
            return Err(Unfit::Wrong("a record has another number than the next"));
        }
        if record.head.prev != self.last {
            return Err(Unfit::Wrong("a record does not continue the one before"));
        }
        let begins = self.end == 0;
        match &record.body {
            Body::Genesis(genesis) if begins => {
                let fits = continues(genesis, self.segment, self.next(), self.last) && genesis.key == self.key;
                if !fits {
                    return Err(Unfit::Wrong("the segment does not continue the one before"));
                }
            }
            Body::Genesis(_) => return Err(Unfit::Wrong("a record begins a journal in the middle of one")),
            _ if begins => return Err(Unfit::Wrong("the first record does not begin a journal")),
            Body::KeyChange(change) if Some(change.by) != self.key => {
                return Err(Unfit::Wrong("a key is replaced that did not sign"));
            }
            _ => {}
        }
        self.push(record.head.at, &record.body, record.hash, length);
        Ok(())
    }
}
