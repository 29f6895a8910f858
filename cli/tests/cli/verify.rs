//! Journals: `verify`, and `journal reanchor`.

use contract_runtime::journal::record::Gap;
use contract_runtime::journal::{Journal, PublicKey, SigningKey};
use contract_runtime::{Clock, Time};
use serde_json::Value;

use crate::run::{Folder, interlock};

/// The same time, always.
struct Still;

impl Clock for Still {
    fn now(&self) -> Time {
        Time::EPOCH
    }
}

fn key(folder: &Folder, byte: u8, name: &str) -> SigningKey {
    let key = SigningKey::from_bytes(&[byte; 32]);
    let path = folder.path().join(name);
    let _ = std::fs::remove_file(&path);
    key.write_new(&path).unwrap();
    let public: PublicKey = key.public();
    folder.write(&format!("{name}.pub"), public.to_pem().unwrap());
    key
}

fn journal(folder: &Folder, key: Option<SigningKey>) {
    let options = Journal::at(folder.path().join("audit.jsonl")).clock(Still);
    let options = key.into_iter().fold(options, |options, key| options.key(key));
    let journal = options.create().unwrap();
    for missing in 0..5 {
        journal.append(None, Time::EPOCH, &Gap { missing, why: "a test".into() }.into()).unwrap();
    }
    journal.close().unwrap();
}

fn json(folder: &Folder, arguments: &[&str]) -> (i32, Value) {
    let all: Vec<&str> = ["verify", "--format", "json"].iter().chain(arguments).copied().collect();
    let run = interlock(folder, &all);
    (run.code, serde_json::from_str(&run.out).expect(&run.err))
}

#[test]
fn a_journal_holds_until_somebody_changes_it() {
    let folder = Folder::new("verify");
    journal(&folder, Some(key(&folder, 1, "audit")));
    key(&folder, 2, "other");
    let (code, report) = json(&folder, &["audit.jsonl", "--trust", "audit.pub"]);
    assert_eq!((code, &report["verdict"], &report["trusted"]), (0, &"holds".into(), &true.into()), "{report}");
    let human = interlock(&folder, &["verify", "audit.jsonl", "--trust", "audit.pub"]);
    assert!(human.code == 0 && human.out.starts_with("audit.jsonl holds: "), "{human:?}");
    let (code, report) = json(&folder, &["audit.jsonl", "--trust", "other.pub"]);
    assert_eq!((code, &report["problem"]), (1, &"wrong-key".into()));
    let (code, report) = json(&folder, &["audit.jsonl", "--expect-at-least", "1000"]);
    assert_eq!((code, &report["problem"]), (1, &"truncated".into()));
    let (code, report) = json(&folder, &["nothing.jsonl"]);
    assert_eq!((code, &report["verdict"]), (2, &"unreadable".into()));

    let path = folder.path().join("audit.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replacen("a test", "a\u{202e}test", 1)).unwrap();
    let (code, report) = json(&folder, &["audit.jsonl"]);
    assert_eq!((code, &report["problem"], &report["file"]), (1, &"edited".into(), &"audit.jsonl".into()));
    let human = interlock(&folder, &["verify", "audit.jsonl"]);
    assert!(human.code == 1 && human.out.starts_with("audit.jsonl does not hold: edited\n"), "{human:?}");
}

#[test]
fn a_break_that_is_accepted_is_named_for_ever() {
    let folder = Folder::new("reanchor");
    journal(&folder, None);
    let path = folder.path().join("audit.jsonl");
    let reanchor =
        || interlock(&folder, &["journal", "reanchor", "audit.jsonl", "--reason", "the disk\nlied", "--key", "k"]);
    let signer = key(&folder, 3, "k");
    assert_eq!(reanchor().code, 1, "it holds");
    let text = std::fs::read_to_string(&path).unwrap();
    let without: String =
        text.lines().filter(|line| !line.contains("\"missing\":2")).map(|line| format!("{line}\n")).collect();
    std::fs::write(&path, &without).unwrap();
    assert_eq!(json(&folder, &["audit.jsonl"]).1["problem"], "removed");
    let run = reanchor();
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(std::fs::read_to_string(folder.path().join("audit.jsonl.broken-1")).unwrap(), without);

    let (code, report) = json(&folder, &["audit.jsonl", "--trust", "k.pub"]);
    assert_eq!((code, &report["trusted"]), (0, &true.into()), "{report}");
    let notice = report["notices"].as_array().unwrap().iter().find(|notice| notice["code"] == "reanchored").unwrap();
    let message = notice["message"].as_str().unwrap();
    assert!(
        message.contains("`audit.jsonl.broken-1`")
            && message.contains("removed")
            && message.ends_with("the disk\nlied")
    );
    let human = interlock(&folder, &["verify", "audit.jsonl"]);
    assert!(human.out.contains("the disk\\nlied") || human.out.contains("the disk\\u{a}lied"), "{human:?}");
    // The broken one is still what it was, and the new one goes on.
    assert_eq!(json(&folder, &["audit.jsonl.broken-1", "--as", "audit.jsonl"]).1["problem"], "removed");
    Journal::at(&path).key(signer).open().unwrap().close().unwrap();
    assert_eq!(json(&folder, &["audit.jsonl"]).0, 0);
    std::fs::write(folder.path().join("audit.jsonl.broken-1"), text).unwrap();
    let (code, report) = json(&folder, &["audit.jsonl"]);
    assert_eq!((code, &report["problem"], &report["file"]), (1, &"edited".into(), &"audit.jsonl.broken-1".into()));
}
