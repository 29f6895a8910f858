//! Journals that are read while they are written and rotated, and what crashes leave at their ends.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use contract_runtime::Time;
use contract_runtime::journal::record::Gap;
use contract_runtime::journal::verify::{Options, Report, verify};
use contract_runtime::journal::{Flaw, Journal, Records, SigningKey, Sync};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reading").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn check(journal: &Path) -> Report {
    verify(journal, &Options { trust: vec![key().public()], ..Options::default() }).unwrap()
}

fn key() -> SigningKey {
    SigningKey::from_bytes(&[7; 32])
}

fn append(journal: &Journal, missing: u64) {
    journal.append(None, Time::EPOCH, &Gap { missing, why: "a test".into() }.into()).unwrap();
}

#[test]
fn a_journal_holds_while_it_is_rotated() {
    let path = folder("rotated").join("j.jsonl");
    let options = Journal::at(&path).key(key()).rotate_bytes(2_000).checkpoint_every(3).sync(Sync::Never);
    let journal = options.create().unwrap();
    for missing in 0..10 {
        append(&journal, missing);
    }
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for missing in 0..600 {
                append(&journal, missing);
            }
            done.store(true, Ordering::Relaxed);
        });
        let mut last = 0;
        while !done.load(Ordering::Relaxed) {
            let report = check(&path);
            assert!(report.holds(), "{report:?}");
            let numbers = Records::open(&path).unwrap().map(|entry| entry.unwrap().record.unwrap().head.seq);
            let count = numbers.enumerate().map(|(at, seq)| assert_eq!(at as u64, seq)).count() as u64;
            assert!(count >= report.records && report.records >= last, "{count} after {report:?} after {last}");
            last = count;
        }
    });
    journal.close().unwrap();
    // One that is really missing is missed.
    fs::remove_file(path.with_file_name("j.jsonl.2")).unwrap();
    assert_eq!(check(&path).problem.unwrap().code.as_str(), "missing-segment");
}

#[test]
fn a_tail_without_a_newline_is_torn_whatever_its_length() {
    let path = folder("zeros").join("j.jsonl");
    let journal = Journal::at(&path).key(key()).create().unwrap();
    append(&journal, 1);
    journal.close().unwrap();
    let whole = fs::read(&path).unwrap();
    let records = check(&path).records;
    for zeros in [1_000, 20_000_000] {
        let mut bytes = whole.clone();
        bytes.resize(whole.len() + zeros, 0);
        fs::write(&path, &bytes).unwrap();
        let report = check(&path);
        assert!(report.holds() && report.records == records, "{zeros}: {report:?}");
        assert!(report.notices.iter().any(|notice| notice.code.as_str() == "torn-tail"), "{zeros}: {report:?}");
        let last = Records::open(&path).unwrap().last().unwrap().unwrap();
        assert_eq!(last.record.unwrap_err(), Flaw::Torn, "{zeros}");
        // With a newline somewhere after them, it is a line, and none that a crash leaves.
        bytes.push(b'\n');
        fs::write(&path, &bytes).unwrap();
        assert_eq!(check(&path).problem.unwrap().code.as_str(), "not-canonical", "{zeros}");
    }
    fs::write(&path, &whole).unwrap();
    assert!(check(&path).holds());
}
