//! `interlock replay --journal`: the evidence of a replay.

use std::process::{Command, Stdio};

use contract_runtime::journal::record::Body;
use contract_runtime::journal::verify::{Options, verify};
use contract_runtime::journal::{Record, Records};

use crate::run::{Folder, interlock};

const CONTRACT: &str = "version: 1\nname: payments\ntools: { pay: { effect: irreversible }, look: { effect: read } }\nrules:\n  \
    - { id: once, at_most_n_times: { call: pay, n: 1 }, per: args.invoice, instances: { max: 10 } }\n";

const TRACE: &str = r#"{"session":"a","at":"2026-01-01T10:00:00Z","context":{}}
{"session":"a","call":{"id":"1","tool":"look","args":{"card":{"number":"4111-secret"}}},"result":{"status":"ok","value":{"token":"t0ken-secret","n":1}}}
{"session":"a","call":{"id":"2","tool":"pay","args":{"invoice":"i7-secret"}},"result":{"status":"ok","value":{}}}
{"session":"a","call":{"id":"3","tool":"pay","args":{"invoice":"i7-secret"}}}
{"session":"a","end":true}
"#;

fn records(folder: &Folder, name: &str) -> Vec<Record> {
    Records::open(&folder.path().join(name)).unwrap().map(|entry| entry.unwrap().record.unwrap()).collect()
}

fn text(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.path().join(name)).unwrap()
}

#[test]
fn a_replay_leaves_a_journal_that_verifies() {
    let folder = Folder::new("recording");
    folder.write("c.yaml", CONTRACT).write("t.jsonl", TRACE);
    let plain = interlock(&folder, &["replay", "c.yaml", "t.jsonl"]);
    let run = interlock(&folder, &["replay", "c.yaml", "t.jsonl", "--journal", "j", "--sync", "never"]);
    assert_eq!((run.code, &run.out, &run.err), (plain.code, &plain.out, &plain.err));
    let kinds: Vec<_> = records(&folder, "j").iter().map(|record| record.body.kind()).collect();
    let expected = [
        "genesis",
        "contract",
        "session_start",
        "decision",
        "outcome",
        "decision",
        "outcome",
        "decision",
        "session_end",
    ];
    assert_eq!(kinds, expected);
    assert!(!text(&folder, "j").contains("-secret"));
    let again = interlock(&folder, &["replay", "c.yaml", "t.jsonl", "--journal", "j", "--sync", "never"]);
    assert_eq!(again.code, run.code, "{again:?}");
    let report = verify(&folder.path().join("j"), &Options::default()).unwrap();
    assert!(report.problem.is_none(), "{:?}", report.problem);
    assert_eq!(records(&folder, "j").len(), expected.len() * 2 - 2);
}

#[test]
fn content_is_stored_only_if_asked_for_and_without_the_fields_named() {
    let folder = Folder::new("recording-content");
    folder.write("c.yaml", CONTRACT).write("t.jsonl", TRACE);
    let arguments = ["replay", "c.yaml", "t.jsonl", "--journal", "j", "--capture-content"];
    interlock(&folder, &[&arguments[..], &["--redact-field", "card.number", "--redact-field", "token"]].concat());
    let journal = text(&folder, "j");
    assert!(journal.contains("i7-secret") && !journal.contains("4111-secret") && !journal.contains("t0ken-secret"));
    let run = interlock(&folder, &["replay", "c.yaml", "t.jsonl", "--capture-content"]);
    assert!(run.code == 2 && run.err.contains("--journal"), "{run:?}");
}

#[test]
fn several_processes_write_one_journal() {
    let folder = Folder::new("recording-processes");
    let calls: String =
        (0..200).map(|n| format!("{{\"call\":{{\"id\":\"{n}\",\"tool\":\"look\",\"args\":{{}}}}}}\n")).collect();
    folder.write("c.yaml", CONTRACT).write("t.jsonl", &calls);
    let arguments = ["replay", "c.yaml", "t.jsonl", "--journal", "j", "--sync", "never"];
    let children: Vec<_> = (0..4)
        .map(|_| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_interlock"));
            command.args(arguments).current_dir(folder.path()).stdout(Stdio::null()).spawn().unwrap()
        })
        .collect();
    for child in children {
        assert!(child.wait_with_output().unwrap().status.success());
    }
    let records = records(&folder, "j");
    let decisions = records.iter().filter(|record| matches!(record.body, Body::Decided(_))).count();
    assert_eq!(decisions, 800);
    assert!(records.iter().enumerate().all(|(index, record)| record.head.seq == index as u64));
    assert!(verify(&folder.path().join("j"), &Options::default()).unwrap().problem.is_none());
}

/// The verdict of `interlock verify`, with its exit code.
fn verdict(folder: &Folder, arguments: &[&str]) -> (i32, serde_json::Value) {
    let run = interlock(folder, &[&["verify", "j", "--format", "json"][..], arguments].concat());
    (run.code, serde_json::from_str(&run.out).unwrap())
}

/// A folder with keys, in which a journal signed by the first is begun.
fn signed(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("c.yaml", CONTRACT).write("t.jsonl", TRACE);
    for key in ["a.key", "b.key"] {
        assert_eq!(interlock(&folder, &["keygen", "-o", key]).code, 0);
    }
    replay(&folder, "a.key");
    folder
}

fn replay(folder: &Folder, key: &str) {
    let run = interlock(folder, &["replay", "c.yaml", "t.jsonl", "--journal", "j", "--sync", "never", "--key", key]);
    assert!(run.code == 1 && run.err.is_empty(), "{run:?}");
}

#[test]
fn a_journal_goes_on_in_a_new_file_and_a_missing_one_is_named() {
    let folder = signed("recording-rotate");
    for _ in 0..2 {
        let run = interlock(&folder, &["journal", "rotate", "j", "--key", "a.key"]);
        assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (0, "a new file of `j` was begun\n", ""));
        replay(&folder, "a.key");
    }
    let (code, found) = verdict(&folder, &["--trust", "a.key.pub"]);
    assert_eq!((code, &found["segments"], &found["trusted"]), (0, &3.into(), &true.into()), "{found}");
    std::fs::rename(folder.path().join("j.2"), folder.path().join("away")).unwrap();
    let (code, found) = verdict(&folder, &[]);
    assert_eq!((code, &found["problem"]), (1, &"missing-segment".into()), "{found}");
    let run = interlock(&folder, &["journal", "rotate", "nothing"]);
    assert!(run.code == 2 && run.err.starts_with("error: cannot open"), "{run:?}");
    assert!(!folder.path().join("nothing.secret").exists());
}

#[test]
fn another_key_signs_and_the_first_vouches_for_it() {
    let folder = signed("recording-rekey");
    let run = interlock(&folder, &["journal", "rekey", "j", "--key", "a.key", "--new", "b.key"]);
    assert!(run.code == 0 && run.err.is_empty(), "{run:?}");
    let stale = interlock(&folder, &["replay", "c.yaml", "t.jsonl", "--journal", "j", "--key", "a.key"]);
    assert!(stale.code == 2 && stale.err.contains("another key signs it\nhelp: "), "{stale:?}");
    replay(&folder, "b.key");
    for trusted in ["a.key.pub", "b.key.pub"] {
        let (code, found) = verdict(&folder, &["--trust", trusted]);
        assert_eq!((code, &found["trusted"]), (0, &true.into()), "{trusted}: {found}");
    }
    assert_eq!(interlock(&folder, &["keygen", "-o", "c.key"]).code, 0);
    let (code, found) = verdict(&folder, &["--trust", "c.key.pub"]);
    assert_eq!((code, &found["problem"]), (1, &"wrong-key".into()), "{found}");
}

#[test]
fn nothing_that_is_made_of_a_journal_tells_a_secret() {
    let contract = "version: 1\nname: c\ntools: { pay: { effect: irreversible }, look: { effect: read } }\n\
        context: { user: string }\nrules:\n  \
        - { id: once, message: 'paid {args.invoice} to {args.to} before', at_most_n_times: { call: pay, n: 1 }, per: args.invoice, instances: { max: 10 } }\n  \
        - { id: mine, call: pay, require: 'args.user == context.user' }\n";
    let trace = r#"{"session":"a","context":{"user":"S3CRET-user"}}
{"session":"a","call":{"id":"1","tool":"look","args":{"q":"S3CRET-arg"}},"result":{"status":"failed","value":{"error":"S3CRET-error"}}}
{"session":"a","call":{"id":"2","tool":"pay","args":{"invoice":"S3CRET-key","to":"S3CRET-to","user":"S3CRET-user"}},"result":{"status":"ok","value":{"n":["S3CRET-result"]}}}
{"session":"a","call":{"id":"3","tool":"pay","args":{"invoice":"S3CRET-key","to":"x","user":"S3CRET-other"}}}
{"session":"a","event":{"name":"turn","value":{"text":"S3CRET-event"}}}
{"session":"a","end":true}
"#;
    for redacted in [&[][..], &["--capture-content", "--redact-field", "**"]] {
        let folder = Folder::new("recording-secrets");
        folder.write("c.yaml", contract).write("t.jsonl", trace);
        let arguments = ["replay", "c.yaml", "t.jsonl", "--journal", "j", "--format", "json"];
        let run = interlock(&folder, &[&arguments[..], redacted].concat());
        assert!(run.code == 1 && run.err.is_empty(), "{run:?}");
        let mut said = String::new();
        for command in [
            &["verify", "j"][..],
            &["show", "j"],
            &["show", "j", "--format", "json"],
            &["why", "j", "7"],
            &["report", "j", "-o", "r.html"],
            &["export", "j", "--to", "otlp"],
            &["export", "j", "--to", "otlp", "--content"],
            &["export", "j", "--to", "ocsf"],
            &["export", "j", "--to", "prometheus"],
            &["replay", "c.yaml", "j"],
        ] {
            let run = interlock(&folder, command);
            assert!(!run.out.is_empty() || !run.err.is_empty() || command.contains(&"report"), "{command:?}");
            said += &format!("{command:?}\n{}{}", run.out, run.err);
        }
        for file in ["j", "j.head", "r.html"] {
            said += &text(&folder, file);
        }
        let told: Vec<_> = said.lines().filter(|line| line.contains("S3CRET")).collect();
        assert_eq!(told, Vec::<&str>::new());
    }
}
