//! What kind of break it is: an operator has to tell an accident from an attack.
//!
//! Only a journal that does not hold is read a second time, in the same memory: whether the record where the chain breaks is
//! there twice, whether what it continues stands before or after it, and whether the one that should be in its place comes
//! later.

use std::io::{self, BufReader};

use super::facts::Link;
use super::report::Code;
use crate::journal::files::SegmentFile;
use crate::journal::lines::{self, Line};
use crate::journal::record::{Hash, NO_HASH};
use crate::journal::scan::scan;
use crate::journal::snapshot::Snapshot;

/// The place of a line: which file, and which line in it, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) file: usize,
    pub(super) line: u64,
}

/// Where the chain breaks: the record there is intact, and does not continue the one before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Break {
    /// The record.
    pub(super) found: Link,
    pub(super) at: Place,
    /// The last record that holds; none if this is the first.
    pub(super) before: Option<(Link, Place)>,
}

impl Break {
    /// What the record should have as `seq` and `prev`.
    fn expected(&self) -> (u64, Hash) {
        self.before.map_or((0, NO_HASH), |(link, _)| (link.seq.saturating_add(1), link.hash))
    }
}

/// What a break is.
#[derive(Debug)]
pub(super) struct Verdict {
    pub(super) code: Code,
    pub(super) at: Place,
    pub(super) seq: u64,
    pub(super) message: String,
}

/// What the other lines say about the record where the chain breaks.
#[derive(Debug, Default)]
struct Surroundings {
    /// The line after it, if it is a record.
    next: Option<Link>,
    /// The same record elsewhere.
    twin: Option<Place>,
    /// The record that it continues, before it.
    parent_before: Option<Place>,
    /// The record that it continues, after it.
    parent_after: Option<Place>,
    /// The record that should be in its place, after it.
    due: Option<Place>,
}

/// Finds out what a break is.
pub(super) fn classify(files: &Snapshot, broken: &Break) -> io::Result<Verdict> {
    Ok(verdict(broken, &surroundings(files, broken)?, &|place| shown(files.files(), place)))
}

fn shown(files: &[SegmentFile], place: Place) -> String {
    match files.get(place.file) {
        Some(file) if files.len() > 1 => format!("line {} of `{}`", place.line, file.name()),
        _ => format!("line {}", place.line),
    }
}

fn verdict(broken: &Break, around: &Surroundings, shown: &dyn Fn(Place) -> String) -> Verdict {
    let Break { found, at, before } = *broken;
    let (seq, prev) = broken.expected();
    let here = |code, message| Verdict { code, at, seq: found.seq, message };
    let foreign = |link: Link, at| Verdict {
        code: Code::Foreign,
        at,
        seq: link.seq,
        message: format!("the record is of the journal `{}`, another one", link.journal),
    };
    match before {
        // The first record says which journal this is; if the next two agree on another, it is the stranger.
        Some((first, place)) if first.journal != found.journal => {
            let alone = first.seq == 0 && around.next.is_some_and(|next| next.journal == found.journal);
            return if alone { foreign(first, place) } else { foreign(found, at) };
        }
        None if around.next.is_some_and(|next| next.journal != found.journal) => return foreign(found, at),
        _ => {}
    }
    if let Some(twin) = around.twin {
        return here(Code::Duplicated, format!("the same record is in {}", shown(twin)));
    }
    if found.prev == prev {
        return here(Code::Edited, format!("the record continues the one before, but its number is not {seq}"));
    }
    if let Some(parent) = around.parent_before {
        let message = format!(
            "the record continues {}, which another one continues already: two writers at once, or a record put in",
            shown(parent)
        );
        return here(Code::Forked, message);
    }
    if before.is_some() && (found.seq, found.prev) == (0, NO_HASH) {
        let message = "the journal begins a second time: two writers at once, or a record put in";
        return here(Code::Forked, message.into());
    }
    if let Some(due) = around.due {
        return match around.parent_after {
            Some(_) => here(Code::Reordered, format!("record {seq}, which belongs here, is in {}", shown(due))),
            None => here(Code::Inserted, format!("the record continues nothing; record {seq} is in {}", shown(due))),
        };
    }
    if found.seq > seq {
        let last = found.seq.saturating_sub(1);
        let missing = if last == seq { format!("record {seq} is") } else { format!("records {seq} to {last} are") };
        return here(Code::Removed, format!("{missing} missing before this one"));
    }
    if found.seq < seq {
        return here(Code::Inserted, "the record continues nothing that is in the journal".into());
    }
    // The numbers fit, the hashes do not: either this record was made anew, or the one before it. If the chain goes on from this
    // one, then that other.
    match (before, around.next) {
        (Some(_), Some(next)) if next.prev != found.hash => {
            here(Code::Edited, "the record was made anew: it does not continue the one before".into())
        }
        (Some((link, place)), _) => Verdict {
            code: Code::Edited,
            at: place,
            seq: link.seq,
            message: "the record was made anew: the next one continues another".into(),
        },
        (None, _) => here(Code::Edited, "the first record has something before it".into()),
    }
}

fn surroundings(files: &Snapshot, broken: &Break) -> io::Result<Surroundings> {
    let Break { found, at, .. } = *broken;
    let (seq, prev) = broken.expected();
    let mut around = Surroundings::default();
    let mut buffer = Vec::new();
    let mut directly_after = false;
    for file in 0..files.files().len() {
        let mut input = BufReader::with_capacity(1 << 18, files.open(file)?);
        let mut line = 0_u64;
        loop {
            line = line.saturating_add(1);
            let link = match lines::next(&mut input, &mut buffer)?.0 {
                Line::End | Line::Torn => break,
                Line::TooLong => None,
                Line::Whole => scan(&buffer).ok().map(|scanned| Link::from(&scanned)),
            };
            let place = Place { file, line };
            if place == at {
                directly_after = true;
                continue;
            }
            if std::mem::take(&mut directly_after) {
                around.next = link;
            }
            let Some(link) = link else { continue };
            if link.hash == found.hash {
                around.twin.get_or_insert(place);
            }
            if link.hash == found.prev {
                if place < at {
                    around.parent_before.get_or_insert(place);
                } else {
                    around.parent_after.get_or_insert(place);
                }
            }
            if place > at && (link.seq, link.prev) == (seq, prev) {
                around.due.get_or_insert(place);
            }
        }
    }
    Ok(around)
}
