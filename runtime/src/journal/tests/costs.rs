//! What an append costs, in bytes read and written: the same at any size of the journal.

use std::sync::Arc;
use std::time::Duration;

use super::disk::Disk;
use super::{at, body};
use crate::journal::record::{self, Body, Genesis, Head};
use crate::journal::tip::Tip;
use crate::journal::tree::{self, Frontier};
use crate::journal::{Hex, Journal, NO_HASH, Options, Secret, Sync, head};

fn journal(disk: &Disk) -> Options {
    let options =
        Journal::at("j").medium(Arc::new(disk.clone())).secret(Secret::from_bytes(&[1; 32])).sync(Sync::Never);
    options.id(Hex([2; 8])).clock(|| at(0)).checkpoint_every(1000)
}

/// What it costs to open the journal, append, and close it; and then one append of many.
fn cost(disk: &Disk) -> (u64, u64) {
    disk.traffic();
    let journal = journal(disk).open().unwrap();
    journal.append(None, at(1), &body()).unwrap();
    drop(journal);
    let (read, written) = disk.traffic();
    (read, written)
}

/// A journal of so many records, of which only the last line is really there.
fn large(size: u64) -> Disk {
    let disk = Disk::default();
    drop(journal(&disk).open().unwrap());
    let digests = Secret::from_bytes(&[1; 32]).digests();
    let mut frontier = Frontier::default();
    for _ in 0..size - 1 {
        frontier.append(tree::leaf(&NO_HASH.0));
    }
    let head = Head { at: at(0), journal: Hex([2; 8]), prev: NO_HASH, seq: size - 1, session: None };
    let mut line = Vec::new();
    let hash = record::encode(&head, &body(), &mut line);
    let mut content = vec![b' '; usize::try_from(size).unwrap() * 50];
    content.extend_from_slice(&line);
    let genesis = Genesis {
        content: record::Capture::Digest,
        file: "j".into(),
        key: None,
        previous: None,
        program: "".into(),
        secret: digests.commitment(),
        segment: 0,
        sync: Sync::Never,
    };
    let mut tip = Tip::before(Hex([2; 8]), &genesis, at(0));
    tip.end = content.len() as u64;
    tip.frontier = frontier;
    // The line, as if the tip had been at its beginning.
    tip.push(at(0), &Body::from(record::Passed { findings: Vec::new() }), hash, 0);
    tip.line = content.len() as u64 - line.len() as u64;
    tip.mark.size = size;
    disk.plant("j", &content);
    disk.plant("j.head", &head::write(&tip, &tip, Some("0"), &digests));
    disk
}

#[test]
fn an_append_costs_the_same_at_any_size_opening_included() {
    let costs = [10, 10_000, 1_000_000].map(|size| cost(&large(size)));
    for (read, written) in costs {
        assert!(read < 16_000 && written < 16_000, "{costs:?}");
    }
    // The head grows with the logarithm.
    let [(_, least), _, (_, most)] = costs;
    assert!(most < least + 4 * 20 * 65, "{costs:?}");
}

#[test]
fn a_real_journal_costs_what_a_short_one_costs() {
    let disk = Disk::default();
    drop(journal(&disk).open().unwrap());
    let (short_read, short_written) = cost(&disk);
    let journal = journal(&disk).open().unwrap();
    for second in 0..10_000 {
        journal.append(None, at(second % 50), &body()).unwrap();
    }
    drop(journal);
    let (read, written) = cost(&disk);
    assert!(
        read < short_read + 4000 && written < short_written + 4000,
        "{read} {written} {short_read} {short_written}"
    );
}

#[test]
fn writers_that_take_turns_read_only_what_others_wrote() {
    let disk = large(100_000);
    let [one, other] = [(), ()].map(|()| journal(&disk).shared(Duration::from_secs(60)).unwrap());
    disk.traffic();
    for second in 0..10 {
        one.append(None, at(second), &body()).unwrap();
        other.append(None, at(second), &body()).unwrap();
    }
    let (read, written) = disk.traffic();
    assert!(read < 20 * 16_000 && written < 20 * 16_000, "{read} {written}");
}
