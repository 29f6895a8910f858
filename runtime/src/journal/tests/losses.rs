//! What survives when the process dies, the power goes, or the disk is full, at any point.

use std::sync::Arc;

use super::disk::Disk;
use super::{at, body, check, kinds};
use crate::journal::record::{Body, Record, Sync};
use crate::journal::{Checkpoint, Hex, Journal, JournalError, Note, Options, Secret, SigningKey};
use crate::value::lcg::Lcg;

fn journal(disk: &Disk) -> Options {
    Journal::at("j")
        .medium(Arc::new(disk.clone()))
        .secret(Secret::from_bytes(&[1; 32]))
        .id(Hex([2; 8]))
        .key(SigningKey::from_bytes(&[3; 32]))
        .clock(|| at(0))
        .checkpoint_every(4)
        .rotate_bytes(4000)
}

/// Opens the journal and appends until something fails. The records whose commit came back, by number and session.
fn write(disk: &Disk, sync: Sync, from: u64, count: u64) -> (Vec<(u64, String)>, Option<JournalError>) {
    let mut acknowledged = Vec::new();
    let run = || -> Result<(), JournalError> {
        let journal = journal(disk).sync(sync).open()?;
        for number in from..from + count {
            let session = format!("call {number}");
            let appended = journal.append(Some(&session), at(number), &body())?;
            journal.commit(appended)?;
            acknowledged.push((appended.seq, session));
        }
        journal.close()
    };
    let mut run = run;
    let error = run().err();
    (acknowledged, error)
}

fn segments(disk: &Disk) -> Vec<Vec<u8>> {
    let mut segments: Vec<_> = (1..).map_while(|number| disk.content(&format!("j.{number}"))).collect();
    segments.push(disk.content("j").unwrap());
    segments
}

/// That all these are there, and the note beside the journal is of this journal.
fn holds(disk: &Disk, acknowledged: &[(u64, String)], context: &str) -> Vec<Record> {
    let records = check(segments(disk));
    for (seq, session) in acknowledged {
        let record = records.get(usize::try_from(*seq).unwrap());
        let found = record.and_then(|record| record.head.session.as_deref());
        assert_eq!(found, Some(session.as_str()), "{context}: record {seq}");
    }
    if let Some(note) = disk.content("j.checkpoint").filter(|note| !note.is_empty()) {
        let note = Note::parse(std::str::from_utf8(&note).unwrap()).unwrap();
        let checkpoint = Checkpoint::parse(note.text()).unwrap();
        let size = usize::try_from(checkpoint.size).unwrap();
        assert!(size < records.len(), "{context}: a checkpoint of {size} records, and there are {}", records.len());
        let Body::Checkpoint(recorded) = &records[size].body else { panic!("{context}: no checkpoint at {size}") };
        assert_eq!(recorded.note, note.to_string());
    }
    records
}

/// How many operations an undisturbed run takes.
fn length_of_a_run(sync: Sync) -> u64 {
    let disk = Disk::default();
    let (_, error) = write(&disk, sync, 0, 20);
    assert!(error.is_none(), "{error:?}");
    disk.operations()
}

#[test]
fn a_process_may_die_at_any_point_and_nothing_that_was_written_is_lost() {
    for sync in [Sync::Every, Sync::Never] {
        for operations in 0..length_of_a_run(sync) {
            let part = operations % 2 * 57;
            let context = format!("{sync:?}, dead after {operations} operations, {part} bytes into the next");
            let disk = Disk::default();
            disk.die_after(operations, part);
            let (mut acknowledged, _) = write(&disk, sync, 0, 20);
            disk.revive();
            let (more, error) = write(&disk, sync, 30, 3);
            assert!(error.is_none(), "{context}: {error:?}");
            acknowledged.extend(more);
            holds(&disk, &acknowledged, &context);
        }
    }
}

#[test]
fn a_loss_of_power_at_any_point_loses_nothing_that_was_acknowledged() {
    for operations in 0..length_of_a_run(Sync::Every) {
        for seed in 0..2 {
            let context = format!("power lost after {operations} operations, seed {seed}");
            let mut random = Lcg::new(seed);
            let disk = Disk::default();
            disk.die_after(operations, seed * 31);
            let (mut acknowledged, _) = write(&disk, Sync::Every, 0, 20);
            disk.lose_power(&mut random);
            // And once more, while it recovers.
            disk.die_after(random.below(40), 100);
            let (more, _) = write(&disk, Sync::Every, 30, 3);
            acknowledged.extend(more);
            disk.lose_power(&mut random);
            let (more, error) = write(&disk, Sync::Every, 60, 3);
            assert!(error.is_none(), "{context}: {error:?}");
            acknowledged.extend(more);
            holds(&disk, &acknowledged, &context);
        }
    }
}

#[test]
fn with_fewer_syncs_a_loss_of_power_loses_the_end_but_never_the_chain() {
    for sync in [Sync::Checkpoint, Sync::Never] {
        for seed in 0..100 {
            let mut random = Lcg::new(seed);
            let disk = Disk::default();
            disk.die_after(random.below(length_of_a_run(sync)), seed);
            write(&disk, sync, 0, 20);
            disk.lose_power(&mut random);
            let (_, error) = write(&disk, sync, 30, 3);
            assert!(error.is_none(), "{sync:?}, seed {seed}: {error:?}");
            holds(&disk, &[], &format!("{sync:?}, seed {seed}"));
        }
    }
}

#[test]
fn a_disk_that_is_full_at_any_byte_leaves_whole_lines_and_the_journal_says_what_is_missing() {
    let whole: usize = {
        let disk = Disk::default();
        write(&disk, Sync::Every, 0, 12);
        usize::try_from(disk.traffic().1).unwrap()
    };
    for room in (0..whole).step_by(71) {
        let disk = Disk::default();
        disk.leave_room(Some(room));
        let Ok(journal) = journal(&disk).open() else { continue };
        let (mut written, mut failed) = (Vec::new(), 0);
        for number in 0..12 {
            let session = format!("call {number}");
            match journal.append(Some(&session), at(number), &body()) {
                Ok(appended) => written.push((appended.seq, session)),
                Err(JournalError::Full { .. }) => failed += 1,
                Err(error) => panic!("room for {room} bytes: {error:?}"),
            }
        }
        assert_eq!(journal.missing(), failed);
        // Also without anybody cleaning up.
        holds(&disk, &written, &format!("room for {room} bytes"));
        disk.leave_room(None);
        let appended = journal.append(Some("after"), at(20), &body()).unwrap();
        written.push((appended.seq, "after".to_owned()));
        assert_eq!(journal.missing(), 0);
        drop(journal);
        let records = holds(&disk, &written, &format!("room for {room} bytes, then more"));
        let missing: u64 =
            records.iter().map(|record| if let Body::Gap(gap) = &record.body { gap.missing } else { 0 }).sum();
        assert_eq!(missing, failed, "room for {room} bytes");
        assert!(!disk.names().iter().any(|name| name.starts_with("j.torn")), "nothing was torn");
    }
}

#[test]
fn a_line_that_can_neither_be_finished_nor_cut_stops_the_writer_until_it_is_opened_again() {
    let disk = Disk::default();
    let journal = || journal(&disk).open();
    let first = journal().unwrap();
    disk.leave_room(Some(100));
    disk.fail_cuts();
    assert!(matches!(first.append(None, at(1), &body()), Err(JournalError::Halted { .. })));
    disk.revive();
    let error = first.append(None, at(1), &body()).unwrap_err();
    assert!(matches!(&error, JournalError::Halted { .. }), "{error:?}");
    assert!(error.help().unwrap().contains("open the journal again"));
    drop(first);
    let torn = disk.content("j").unwrap();
    let second = journal().unwrap();
    second.append(None, at(2), &body()).unwrap();
    drop(second);
    let records = check(segments(&disk));
    assert_eq!(kinds(&records), ["genesis", "checkpoint", "recovery", "time", "checkpoint"]);
    let Body::Recovery(recovery) = &records[2].body else { panic!() };
    assert_eq!((recovery.bytes, &*recovery.file), (100, "j.torn"));
    assert_eq!(disk.content("j.torn").unwrap(), torn[torn.len() - 100..]);
}

#[test]
fn what_cannot_be_synced_is_not_acknowledged() {
    let disk = Disk::default();
    let journal = journal(&disk).open().unwrap();
    let appended = journal.append(None, at(1), &body()).unwrap();
    disk.fail_syncs();
    assert!(matches!(journal.commit(appended), Err(JournalError::Io { .. })));
    disk.revive();
    // A sync that succeeds now says nothing about the pages that the failed one lost.
    assert!(journal.commit(appended).is_err());
    assert!(matches!(journal.append(None, at(2), &body()), Err(JournalError::Halted { .. })));
}
