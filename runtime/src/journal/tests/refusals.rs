//! What a writer finds and does not continue: somebody may have been there.

use std::sync::Arc;

use super::disk::Disk;
use super::{at, body, check, kinds};
use crate::journal::record::{Body, Sync};
use crate::journal::{Hex, Id, Journal, JournalError, Options, Secret};
use crate::value::lcg::Lcg;

const SECRET: [u8; 32] = [1; 32];

fn journal(disk: &Disk, id: Id) -> Options {
    Journal::at("j").medium(Arc::new(disk.clone())).secret(Secret::from_bytes(&SECRET)).id(id).clock(|| at(0))
}

fn open(disk: &Disk) -> Result<Journal, JournalError> {
    journal(disk, Hex([2; 8])).open()
}

/// A journal of five records: its beginning and four more.
fn five() -> Disk {
    let disk = Disk::default();
    let journal = open(&disk).unwrap();
    for number in 1..5 {
        journal.append(None, at(number), &body()).unwrap();
    }
    drop(journal);
    disk
}

fn lines(disk: &Disk) -> Vec<Vec<u8>> {
    let content = disk.content("j").unwrap();
    content.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
}

#[test]
fn a_journal_whose_head_is_gone_or_wrong_is_read_from_its_beginning() {
    for head in [None, Some(&b""[..]), Some(b"interlock journal head v1\n"), Some(&[0; 100_000])] {
        let disk = five();
        match head {
            None => disk.remove("j.head"),
            Some(bytes) => disk.plant("j.head", bytes),
        }
        let journal = open(&disk).unwrap();
        assert_eq!(journal.append(None, at(9), &body()).unwrap().seq, 5);
        drop(journal);
        assert_eq!(check([disk.content("j").unwrap()]).len(), 6);
    }
}

#[test]
fn an_edit_after_what_the_head_knows_is_not_taken_for_a_crash() {
    let old = five();
    let head = old.content("j.head").unwrap();
    let journal = open(&old).unwrap();
    for number in 5..8 {
        journal.append(None, at(number), &body()).unwrap();
    }
    drop(journal);
    let edits: [fn(&mut Vec<Vec<u8>>); 4] = [
        |lines| lines[6][10] ^= 1,
        |lines| drop(lines.remove(6)),
        |lines| lines.swap(5, 6),
        |lines| lines.insert(6, lines[6].clone()),
    ];
    for edit in edits {
        let mut lines = lines(&old);
        edit(&mut lines);
        let disk = Disk::default();
        disk.plant("j", &lines.concat());
        disk.plant("j.head", &head);
        let error = open(&disk).unwrap_err();
        assert!(matches!(&error, JournalError::Broken { .. }), "{error:?}");
        assert!(error.help().unwrap().contains("interlock journal reanchor j --reason"), "{error}");
        assert_eq!(disk.content("j").unwrap(), lines.concat());
    }
}

#[test]
fn what_is_no_journal_is_left_alone() {
    for content in [&b"precious\n"[..], b"precious", b"{}\n", b"\n", &[0; 10]] {
        let disk = Disk::default();
        disk.plant("j", content);
        assert!(matches!(open(&disk), Err(JournalError::Broken { offset: 0, .. })), "{content:?}");
        assert_eq!(disk.content("j").unwrap(), content);
    }
    // What `touch` leaves is nothing yet.
    let disk = Disk::default();
    disk.plant("j", b"");
    open(&disk).unwrap().close().unwrap();
    assert_eq!(check([disk.content("j").unwrap()]).len(), 1);
}

#[test]
fn records_of_another_journal_are_refused() {
    let disk = five();
    let other = Disk::default();
    let journal = journal(&other, Hex([9; 8])).open().unwrap();
    for number in 1..7 {
        journal.append(None, at(number), &body()).unwrap();
    }
    drop(journal);
    let mut lines = lines(&disk);
    lines.extend(self::lines(&other).drain(5..));
    disk.plant("j", &lines.concat());
    assert!(matches!(open(&disk), Err(JournalError::Foreign { found: Hex([9, ..]), .. })));
}

#[test]
fn a_journal_that_is_gone_is_not_silently_begun_again() {
    let disk = five();
    disk.remove("j");
    let error = open(&disk).unwrap_err();
    assert!(matches!(&error, JournalError::Gone { left, .. } if left == "j.head"), "{error:?}");
    assert_eq!(disk.content("j"), None);

    let disk = Disk::default();
    let journal = journal(&disk, Hex([2; 8])).rotate_bytes(1).open().unwrap();
    for number in 1..5 {
        journal.append(None, at(number), &body()).unwrap();
    }
    drop(journal);
    disk.remove("j");
    assert!(matches!(open(&disk), Err(JournalError::Gone { .. })));
    let disk_of_a_crash = disk;
    // Without the head nobody can tell this from a crash between two segments.
    disk_of_a_crash.remove("j.head");
    open(&disk_of_a_crash).unwrap();
}

#[test]
fn a_tail_that_is_gone_is_a_gap_after_a_loss_of_power_and_a_break_without_one() {
    let disk = five();
    let mut lines = lines(&disk);
    lines.truncate(3);
    disk.plant("j", &lines.concat());
    let error = open(&disk).unwrap_err();
    assert!(error.to_string().ends_with("it ends, and 2 records more were written to it"), "{error}");
    disk.plant("j.head", &disk.content("j.head").unwrap());
    disk.lose_power(&mut Lcg::new(1));
    drop(open(&disk).unwrap());
    let records = check([disk.content("j").unwrap()]);
    assert_eq!(kinds(&records), ["genesis", "time", "time", "gap"]);
    assert!(matches!(&records[3].body, Body::Gap(gap) if gap.missing == 2));
}

#[test]
fn a_file_that_somebody_else_writes_to_is_not_forked() {
    let disk = Disk::default();
    let journal = open(&disk).unwrap();
    journal.append(None, at(1), &body()).unwrap();
    let mut content = disk.content("j").unwrap();
    content.extend_from_slice(b"mine\n");
    disk.overwrite("j", &content);
    assert!(matches!(journal.append(None, at(2), &body()), Err(JournalError::Halted { .. })));
    assert_eq!(disk.content("j").unwrap(), content);
}

#[test]
fn where_the_name_of_the_next_segment_is_taken_the_old_one_is_written_on() {
    for planted in [&b""[..], b"planted"] {
        let disk = Disk::default();
        let journal = journal(&disk, Hex([2; 8])).rotate_bytes(1).open().unwrap();
        disk.plant("j.1", planted);
        for number in 1..50 {
            assert_eq!(journal.append(None, at(number), &body()).unwrap().seq, number);
        }
        assert_eq!(disk.content("j.1").unwrap(), planted);
        assert!(matches!(journal.rotate(), Err(JournalError::Io { .. })));
        disk.remove("j.1");
        for number in 50..150 {
            assert_eq!(journal.missing(), 0);
            journal.append(None, at(number), &body()).unwrap();
        }
        drop(journal);
        let mut segments: Vec<_> = (1..).map_while(|number| disk.content(&format!("j.{number}"))).collect();
        segments.push(disk.content("j").unwrap());
        assert!(segments.len() > 1, "it was tried again");
        check(segments);
    }
}

#[test]
fn files_of_the_names_for_torn_lines_do_not_keep_a_journal_from_going_on() {
    let disk = five();
    for number in 1..=1000 {
        let name = if number == 1 { "j.torn".into() } else { format!("j.torn-{number}") };
        disk.plant(&name, b"planted");
    }
    let mut content = disk.content("j").unwrap();
    content.extend_from_slice(b"{\"at");
    disk.plant("j", &content);
    drop(open(&disk).unwrap());
    let records = check([disk.content("j").unwrap()]);
    let Body::Recovery(recovery) = &records[5].body else { panic!("{records:?}") };
    assert_eq!((recovery.bytes, &*recovery.file), (4, "j.torn"));
    assert_eq!(disk.content("j.torn").unwrap(), b"planted{\"at");
}

#[test]
fn a_secret_that_was_destroyed_is_replaced_and_the_journal_says_so() {
    let disk = five();
    let other = journal(&disk, Hex([2; 8])).secret(Secret::from_bytes(&[5; 32])).sync(Sync::Never).open().unwrap();
    drop(other);
    let records = check([disk.content("j.1").unwrap(), disk.content("j").unwrap()]);
    // Another policy is another segment.
    assert_eq!(kinds(&records), ["genesis", "time", "time", "time", "time", "genesis", "secret"]);
}
