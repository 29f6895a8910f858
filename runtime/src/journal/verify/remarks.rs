//! What a journal says of its own history: what is missing, what was recovered, what it continues.

use crate::journal::record::{Hash, Reanchor};

/// How much, and the first record that says so.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum {
    pub(super) count: u64,
    pub(super) first: Option<u64>,
}

impl Sum {
    pub(super) fn add(&mut self, seq: u64, count: u64) {
        self.count = self.count.saturating_add(count);
        self.first.get_or_insert(seq);
    }
}

/// A journal that this one continues.
#[derive(Debug)]
pub(super) struct Before {
    /// The record that says so.
    pub(super) seq: u64,
    pub(super) file: String,
    pub(super) sha256: Hash,
    pub(super) bytes: u64,
    pub(super) message: String,
}

/// A journal continues one other. More than a few such records are nobody's work.
const MOST_BEFORE: usize = 16;

/// What was seen on the way.
#[derive(Debug, Default)]
pub(super) struct Remarks {
    /// The file and line of a torn tail.
    pub(super) torn: Option<(String, u64)>,
    pub(super) gaps: Sum,
    pub(super) recovered: Sum,
    pub(super) before: Vec<Before>,
}

impl Remarks {
    pub(super) fn reanchored(&mut self, seq: u64, record: &Reanchor<'_>, signed: bool) {
        if self.before.len() >= MOST_BEFORE {
            return;
        }
        let broken = &record.broken;
        let signed = if signed { "signed" } else { "not signed" };
        let message = format!(
            "continues after `{}`, which does not hold ({} at line {}); {signed}, with the reason: {}",
            broken.file, broken.problem, broken.line, record.reason
        );
        let (file, sha256, bytes) = (broken.file.clone().into_owned(), broken.sha256, broken.bytes);
        self.before.push(Before { seq, file, sha256, bytes, message });
    }
}
