use super::{Scratch, at, body, check, kinds};
use crate::journal::record::Record;
use crate::journal::{Journal, JournalError, Options, SigningKey};

fn journal(folder: &Scratch) -> Options {
    Journal::at(folder.path("j.jsonl")).clock(|| at(0))
}

/// All records of these files.
fn records(folder: &Scratch, names: &[&str]) -> Vec<Record> {
    check(names.iter().map(|name| std::fs::read(folder.path(name)).unwrap()))
}

#[test]
fn a_journal_is_begun_continued_and_closed() {
    let folder = Scratch::new();
    let key = || SigningKey::from_bytes(&[7; 32]);
    let first = journal(&folder).key(key()).create().unwrap();
    let appended = first.append(Some("a"), at(1), &body()).unwrap();
    assert_eq!(appended.seq, 1);
    first.commit(appended).unwrap();
    assert!(matches!(journal(&folder).key(key()).open(), Err(JournalError::InUse { by: Some(_), .. })));
    drop(first);
    assert!(matches!(journal(&folder).key(key()).create(), Err(JournalError::Exists { .. })));
    let second = journal(&folder).key(key()).open().unwrap();
    second.append(None, at(2), &body()).unwrap();
    second.close().unwrap();
    assert!(matches!(second.append(None, at(2), &body()), Err(JournalError::Closed { .. })));
    let third = journal(&folder).key(key()).open().unwrap();
    third.rotate_key(SigningKey::from_bytes(&[8; 32])).unwrap();
    drop(third);
    assert!(matches!(journal(&folder).key(key()).open(), Err(JournalError::Key { .. })));
    let all = records(&folder, &["j.jsonl"]);
    assert_eq!(kinds(&all), ["genesis", "time", "checkpoint", "time", "checkpoint", "key", "checkpoint"]);
}
