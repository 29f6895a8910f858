//! `interlock report`: what the page begins with, and what it does not write over.

use std::fs;

use contract_runtime::Time;
use contract_runtime::journal::record::{Body, Decided, Gap};
use contract_runtime::journal::record::{Content, Hex, Over};
use contract_runtime::journal::{Journal, SigningKey};
use contract_runtime::{Decision, Effect};

use crate::run::{Folder, Run, interlock};

fn key() -> SigningKey {
    SigningKey::from_bytes(&[7; 32])
}

fn gap() -> Body<'static> {
    Gap { missing: 1, why: "a disk was full".into() }.into()
}

/// A call that ran, and of which no outcome is recorded.
fn call() -> Body<'static> {
    Decided {
        after_divergence: false,
        agent: None,
        approved: false,
        args: Content { digest: Hex([1; 32]), form: Over::Jcs, text: None },
        batch: None,
        call: 0,
        decision: Decision::Allow,
        effect: Effect::Write,
        evaluated: true,
        findings: vec![],
        id: None,
        original: None,
        ran: true,
        refusal: None,
        server: None,
        tool: "delete_everything".into(),
    }
    .into()
}

/// A journal of some records, signed where a key is given.
fn journal(folder: &Folder, key: Option<SigningKey>) {
    let options = Journal::at(folder.path().join("j"));
    let options = match key {
        Some(key) => options.key(key),
        None => options,
    };
    let journal = options.create().unwrap();
    for body in [gap(), gap(), call()] {
        journal.append(None, Time::EPOCH, &body).unwrap();
    }
    journal.close().unwrap();
}

fn report(folder: &Folder, more: &[&str]) -> (Run, String) {
    let run = interlock(folder, &[&["report", "j", "-o", "r.html"], more].concat());
    let page = fs::read_to_string(folder.path().join("r.html")).unwrap_or_default();
    (run, page)
}

fn badge(page: &str) -> &str {
    let from = page.split_once("<div class=\"verdict ").unwrap().1;
    from.split_once('"').unwrap().0
}

#[test]
fn a_page_is_green_only_with_a_trusted_key() {
    let folder = Folder::new("report_trust");
    journal(&folder, Some(key()));
    folder.write("k.pub", key().public().to_pem().unwrap());
    folder.write("other.pub", SigningKey::from_bytes(&[8; 32]).public().to_pem().unwrap());
    let (run, page) = report(&folder, &["--trust", "k.pub"]);
    assert_eq!((run.code, badge(&page)), (0, "good"), "{run:?}");
    assert!(run.out.starts_with("Verified: All "), "{}", run.out);
    assert!(page.contains(&key().public().to_string()));
    let (run, page) = report(&folder, &[]);
    assert_eq!((run.code, badge(&page)), (0, "warn"), "{run:?}");
    let (run, page) = report(&folder, &["--trust", "other.pub"]);
    assert_eq!((run.code, badge(&page)), (1, "bad"), "{run:?}");
}

#[test]
fn a_journal_that_nobody_signed_is_not_called_verified() {
    let folder = Folder::new("report_unsigned");
    journal(&folder, None);
    let (run, page) = report(&folder, &[]);
    assert_eq!((run.code, badge(&page)), (0, "plain"), "{run:?}");
    assert!(page.contains("<h2>Consistent, but not signed</h2>") && !page.contains("<h2>Verified"));
    assert!(page.contains("delete_everything") && page.contains("Calls without an outcome"));
}

#[test]
fn a_break_is_named_and_the_records_are_shown_all_the_same() {
    let folder = Folder::new("report_broken");
    journal(&folder, None);
    let path = folder.path().join("j");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen("a disk was full", "a disk was fine", 1)).unwrap();
    let (run, page) = report(&folder, &["--format", "json"]);
    assert_eq!((run.code, badge(&page)), (1, "bad"), "{run:?}");
    assert!(
        page.contains("<h2>Does not verify: edited</h2><p>In j, line 2, record 1: "),
        "{}",
        page.split_once("<h2>").unwrap().1
    );
    let summary: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!((&summary["standing"], &summary["unreadable"]), (&"broken".into(), &1.into()));
    assert!(page.contains("\"broken\":1"), "the timeline marks records from there on");
}

#[test]
fn nothing_but_a_page_is_written_over() {
    let folder = Folder::new("report_over");
    journal(&folder, None);
    let before = fs::read(folder.path().join("j")).unwrap();
    for name in ["j", "j.secret", "other.txt"] {
        folder.write("other.txt", "notes");
        let run = interlock(&folder, &["report", "j", "-o", name]);
        assert_eq!(run.code, 2, "{name}");
        assert!(run.err.contains("is there and is no HTML page"), "{}", run.err);
    }
    assert_eq!(fs::read(folder.path().join("j")).unwrap(), before);
    assert_eq!(report(&folder, &[]).0.code, 0);
    assert_eq!(report(&folder, &[]).0.code, 0, "a page is written anew");
}

#[test]
fn the_same_journal_gives_the_same_page() {
    let folder = Folder::new("report_same");
    journal(&folder, None);
    let (_, one) = report(&folder, &[]);
    let (_, other) = report(&folder, &[]);
    assert!(one == other);
}

#[test]
fn what_cannot_be_read_is_said() {
    let folder = Folder::new("report_none");
    let (run, page) = report(&folder, &[]);
    assert_eq!((run.code, page.as_str()), (2, ""));
    assert!(run.err.starts_with("error: cannot read `j`"), "{}", run.err);
    journal(&folder, None);
    let (run, _) = report(&folder, &["--trust", "nobody.pub"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("nobody.pub"), "{}", run.err);
}
