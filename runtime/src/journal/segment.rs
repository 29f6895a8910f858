//! Segments: a journal goes on in a new file when the old one is large or old enough.
//!
//! The file that is being written is always `<journal>`; segment `n` becomes `<journal>.<n+1>` when it is closed. The first
//! record of the next says which file came before, its last hash and how many records there were. INVARIANT: a new file
//! appears with its first record in it, so a file without one is no crash's doing.

use super::JournalError;
use super::medium::{Durability, Medium};
use super::options::Settings;
use super::place::Place;
use super::record::{self, Body, Genesis, Hash, Head, Id, Key, Previous};
use super::tip::Tip;
use super::writer::Writer;
use crate::Time;

/// The tip before a journal's very first record.
pub(super) fn first(journal: Id, settings: &Settings, key: Option<Key>, secret: Hash, at: Time) -> Tip {
    let genesis = Genesis {
        content: settings.content,
        file: "".into(),
        key,
        previous: None,
        program: "".into(),
        secret,
        segment: 0,
        sync: settings.sync,
    };
    Tip::before(journal, &genesis, at)
}

/// Begins the file of the tip's segment, and moves the tip behind its first record.
pub(super) fn begin(
    medium: &dyn Medium,
    place: &Place,
    settings: &Settings,
    mut tip: Tip,
    secret: Hash,
    at: Time,
) -> Result<Tip, JournalError> {
    let previous = tip.segment.checked_sub(1).map(|before| Previous {
        file: place.segment(before).into(),
        hash: tip.last,
        size: tip.next(),
    });
    let body = Body::from(Genesis {
        content: settings.content,
        file: place.name().into(),
        key: tip.key,
        previous,
        program: concat!("contract-runtime ", env!("CARGO_PKG_VERSION")).into(),
        secret,
        segment: tip.segment,
        sync: settings.sync,
    });
    let head = Head { at, journal: tip.journal, prev: tip.last, seq: tip.next(), session: None };
    let mut line = Vec::new();
    let hash = record::encode(&head, &body, &mut line);
    medium.replace(place.name(), &line, Durability::Synced)?;
    tip.push(at, &body, hash, u64::try_from(line.len()).unwrap_or(u64::MAX));
    Ok(tip)
}

/// Closes the file, and goes on in a new one.
pub(super) fn turn(writer: &mut Writer, at: Time) -> Result<(), JournalError> {
    let (medium, place) = (writer.medium.clone(), writer.place.clone());
    // Whatever the policy: a hole between two segments looks like somebody's work.
    writer.settle()?;
    writer.save_head();
    let closed = place.segment(writer.tip.segment);
    medium.rename(place.name(), &closed)?;
    let mut tip = writer.tip.clone();
    tip.turn();
    let begun = begin(&*medium, &place, &writer.settings, tip, writer.tip.secret, at)
        .and_then(|tip| Ok((tip, medium.open(place.name())?)));
    match begun {
        Ok((tip, Some(storage))) => {
            (writer.synced, writer.tip, writer.storage) = (tip.clone(), tip, storage);
            writer.save_head();
            Ok(())
        }
        Ok((_, None)) => Err(writer.halt("the file of a new segment is gone")),
        Err(error) => {
            // The old file is still the one that is being written, if it gets its name back.
            if medium.rename(&closed, place.name()).is_err() {
                writer.halt(&format!("a new segment could not be begun: {error}"));
            }
            Err(error)
        }
    }
}
