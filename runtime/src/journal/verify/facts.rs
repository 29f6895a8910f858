//! What a line says by itself: found for many lines at once, on all cores.

use std::ops::Range;

use crate::journal::record::{Hash, Hex, Id, Record};
use crate::journal::scan::{Flaw, MAX_LINE, Scanned, scan};

/// A line, by its place in its block.
#[derive(Debug)]
pub(super) struct Fact {
    /// The record, or what is wrong with the line.
    pub(super) brief: Result<Brief, Flaw>,
    /// Whether the record is what its hash was made of.
    pub(super) intact: bool,
}

/// What linking needs to know of a record.
#[derive(Debug)]
pub(super) struct Brief {
    pub(super) link: Link,
    /// The canonical JSON of the session's name, by its place in the block; `None` for `null`.
    pub(super) session: Option<Range<usize>>,
    pub(super) detail: Detail,
}

/// How a record hangs together with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) hash: Hash,
    pub(super) prev: Hash,
    pub(super) journal: Id,
    pub(super) seq: u64,
}

impl From<&Scanned<'_>> for Link {
    fn from(scanned: &Scanned<'_>) -> Self {
        Self { hash: scanned.hash, prev: scanned.prev, journal: scanned.journal, seq: scanned.seq }
    }
}

/// What a record says, as far as others depend on it.
#[derive(Debug)]
pub(super) enum Detail {
    /// A session began.
    Start { contract: Option<Hash>, resumed: bool },
    /// A call was decided.
    Decision { call: u64, ran: bool },
    /// A call ended.
    Outcome { call: u64, decision: Option<u64> },
    /// A session ended.
    End,
    /// Something else about a session.
    Within,
    /// A record about the journal itself. There are few.
    Whole(Box<Record>),
}

/// The facts of whole lines.
pub(super) fn facts(block: &[u8]) -> Vec<Fact> {
    let mut facts = Vec::new();
    let mut at = 0_usize;
    let mut rest = block;
    while !rest.is_empty() {
        let end = newline(rest).unwrap_or(rest.len());
        let (line, further) = rest.split_at_checked(end).unwrap_or((rest, &[]));
        facts.push(fact(line, at));
        at = at.saturating_add(end).saturating_add(1);
        rest = further.get(1..).unwrap_or_default();
    }
    facts
}

fn fact(line: &[u8], at: usize) -> Fact {
    if line.len() >= MAX_LINE {
        return Fact { brief: Err(Flaw::TooLong), intact: false };
    }
    match scan(line) {
        Ok(scanned) => {
            let intact = scanned.computed() == scanned.hash;
            Fact { brief: brief(&scanned, at), intact }
        }
        Err(flaw) => Fact { brief: Err(flaw), intact: false },
    }
}

fn brief(scanned: &Scanned<'_>, at: usize) -> Result<Brief, Flaw> {
    let session = scanned.span("session").filter(|_| scanned.raw("session") != Some("null"));
    let session = session.map(|span| at.saturating_add(span.start)..at.saturating_add(span.end));
    let call = || scanned.integer("call").unwrap_or_default();
    let detail = match scanned.kind() {
        "session_start" => Detail::Start { contract: contract(scanned), resumed: scanned.is_true("resumed") },
        "decision" => Detail::Decision { call: call(), ran: scanned.is_true("ran") },
        "outcome" => Detail::Outcome { call: call(), decision: scanned.integer("decision") },
        "session_end" => Detail::End,
        "event" | "time" | "retirement" | "approval" | "notice" => Detail::Within,
        _ => Detail::Whole(Box::new(Record::decode(scanned.line().as_bytes()).map_err(|error| {
            // The scanner accepts what the decoder accepts.
            Flaw::NotCanonical { at: 0, expected: error.to_string(), found: None }
        })?)),
    };
    Ok(Brief { link: Link::from(scanned), session, detail })
}

/// The hash of a session's contract: the last member of `contract`.
fn contract(scanned: &Scanned<'_>) -> Option<Hash> {
    let raw = scanned.raw("contract")?.strip_suffix("\"}")?;
    raw.get(raw.len().checked_sub(64)?..).and_then(Hex::parse)
}

/// The first newline.
fn newline(bytes: &[u8]) -> Option<usize> {
    let (words, tail) = bytes.as_chunks::<8>();
    let whole = words.len().saturating_mul(8);
    words
        .iter()
        .position(|word| has_newline(u64::from_le_bytes(*word)))
        .and_then(|index| {
            let start = index.saturating_mul(8);
            bytes.get(start..)?.iter().position(|byte| *byte == b'\n').map(|at| at.saturating_add(start))
        })
        .or_else(|| tail.iter().position(|byte| *byte == b'\n').map(|at| at.saturating_add(whole)))
}

/// Whether one of eight bytes is a newline (Warren, Hacker's Delight, §6-1).
const fn has_newline(word: u64) -> bool {
    const ONES: u64 = u64::MAX / 255;
    let zeros = word ^ ONES.wrapping_mul(b'\n' as u64);
    zeros.wrapping_sub(ONES) & !zeros & (ONES << 7) != 0
}
