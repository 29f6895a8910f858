use super::{Scratch, at, body, check, kinds};
use crate::journal::record::Record;
use crate::journal::{Hex, Journal, JournalError, Options, Secret, SigningKey};

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
    assert_eq!(appended.seq, 2);
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
    assert_eq!(kinds(&all), ["genesis", "checkpoint", "time", "checkpoint", "time", "checkpoint", "key", "checkpoint"]);
}

#[test]
fn the_same_calls_make_the_same_bytes() {
    let bytes = |folder: &Scratch| {
        let options = journal(folder).id(Hex([4; 8])).secret(Secret::from_bytes(&[5; 32]));
        let journal = options.key(SigningKey::from_bytes(&[6; 32])).rotate_bytes(3000).open().unwrap();
        for second in 1..20 {
            journal.append(Some("s"), at(second), &body()).unwrap();
        }
        journal.close().unwrap();
        ["j.jsonl", "j.jsonl.1", "j.jsonl.checkpoint"].map(|name| std::fs::read(folder.path(name)).unwrap())
    };
    assert_eq!(bytes(&Scratch::new()), bytes(&Scratch::new()));
}

#[cfg(unix)]
#[test]
fn files_are_their_owners_and_links_and_pipes_are_refused() {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let folder = Scratch::new();
    drop(journal(&folder).key(SigningKey::from_bytes(&[7; 32])).open().unwrap());
    for name in ["j.jsonl", "j.jsonl.lock", "j.jsonl.head", "j.jsonl.secret", "j.jsonl.checkpoint"] {
        assert_eq!(fs::metadata(folder.path(name)).unwrap().permissions().mode() & 0o777, 0o600, "{name}");
    }

    let refused = |folder: &Scratch| matches!(journal(folder).open(), Err(JournalError::Unsafe { .. }));
    fs::set_permissions(folder.path("j.jsonl"), Permissions::from_mode(0o666)).unwrap();
    assert!(refused(&folder));

    let folder = Scratch::new();
    fs::write(folder.path("precious"), "").unwrap();
    symlink(folder.path("precious"), folder.path("j.jsonl")).unwrap();
    assert!(refused(&folder));
    assert_eq!(fs::read(folder.path("precious")).unwrap(), b"");

    let folder = Scratch::new();
    fs::create_dir(folder.path("j.jsonl")).unwrap();
    assert!(refused(&folder));

    let folder = Scratch::new();
    let _listener = std::os::unix::net::UnixListener::bind(folder.path("j.jsonl")).unwrap();
    assert!(refused(&folder));

    // Where the next file is to be written, a link is replaced and not followed.
    let folder = Scratch::new();
    fs::write(folder.path("precious"), "keep").unwrap();
    symlink(folder.path("precious"), folder.path("j.jsonl.head.new")).unwrap();
    symlink(folder.path("precious"), folder.path("j.jsonl.new")).unwrap();
    drop(journal(&folder).open().unwrap());
    assert_eq!(fs::read(folder.path("precious")).unwrap(), b"keep");

    // A secret that others can read is none.
    let folder = Scratch::new();
    drop(journal(&folder).open().unwrap());
    fs::set_permissions(folder.path("j.jsonl.secret"), Permissions::from_mode(0o644)).unwrap();
    assert!(matches!(journal(&folder).open(), Err(JournalError::Secret { .. })));
}

#[test]
fn writers_that_take_turns_lose_nothing_and_wait_no_longer_than_they_may() {
    use std::time::Duration;

    let folder = Scratch::new();
    let shared = |most| journal(&folder).rotate_bytes(2000).shared(Duration::from_millis(most));
    let (one, other) = (shared(60_000).unwrap(), shared(60_000).unwrap());
    for second in 1..10 {
        let seq = one.append(Some("one"), at(second), &body()).unwrap().seq;
        assert!(other.append(Some("other"), at(second), &body()).unwrap().seq > seq);
    }
    drop(one);
    let impatient = shared(60_000).unwrap();
    let lock = crate::journal::lock::Lock::take(&folder.path("j.jsonl.lock")).unwrap();
    assert!(matches!(shared(10), Err(JournalError::Deadline { by: Some(_), .. })));
    drop(lock);
    let kept = {
        drop((impatient, other));
        journal(&folder).rotate_bytes(2000).open().unwrap()
    };
    assert!(matches!(shared(10), Err(JournalError::Deadline { .. })));
    drop(kept);
    let segments = (1..).map(|number| format!("j.jsonl.{number}")).take_while(|name| folder.path(name).exists());
    let mut names: Vec<String> = segments.collect();
    names.push("j.jsonl".to_owned());
    assert!(names.len() > 2);
    let all = records(&folder, &names.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(all.iter().filter(|record| record.body.kind() == "time").count(), 18);
}
