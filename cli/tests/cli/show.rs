//! `interlock show`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use contract_lang::diagnostic::render::is_hidden;
use contract_runtime::journal::record::{Capture, Decided, Outcome};
use serde_json::Value;

use crate::journal::{Journal, allowed, blocked, content, end, outcome, start};
use crate::run::{Folder, interlock};

/// Two sessions of two agents.
fn two_sessions() -> Journal {
    let mut journal = Journal::new("j.jsonl", Capture::Digest);
    journal.add(Some("one"), start("clerk"));
    journal.add(Some("two"), start("auditor"));
    journal.add(Some("one"), blocked(0, "send_payment", "verify-first"));
    let seq = journal.add(Some("one"), Decided { server: Some("bank".into()), ..allowed(1, "verify_payee") });
    let other = journal.add(Some("two"), Decided { agent: Some("helper".into()), ..allowed(0, "verify_payee") });
    journal.add(Some("one"), outcome(1, seq, "verify_payee"));
    journal.add(Some("two"), outcome(0, other, "verify_payee"));
    journal.add(Some("one"), end("receipt"));
    journal
}

/// The numbers of the records that are shown.
fn shown(folder: &Folder, arguments: &[&str]) -> Vec<u64> {
    let run = interlock(folder, &[&["show", "j.jsonl", "--format", "json"], arguments].concat());
    assert_eq!(run.err, "", "{arguments:?}");
    let lines = run.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let records = lines.filter(|line| line["kind"] != "verification");
    records.filter_map(|line| line["seq"].as_u64()).collect()
}

#[test]
fn a_journal_is_a_timeline() {
    let folder = Folder::new("show_timeline");
    folder.write("j.jsonl", two_sessions().bytes());
    let run = interlock(&folder, &["show", "j.jsonl"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let at = run.out.find("     3  ").unwrap();
    let expected = "     3  2026-01-01T10:00:03.000Z  one  block     #0 send_payment  c0
                                    - verify-first: violated, key 050505050505: block
                                      what helps: first let `ok(verify_payee)` happen for the same key
     4  2026-01-01T10:00:04.000Z  one  allow     #1 bank::verify_payee  c1
     5  2026-01-01T10:00:05.000Z  two  allow     #0 verify_payee  c0  by helper
     6  2026-01-01T10:00:06.000Z  one  ok        #1 verify_payee
     7  2026-01-01T10:00:07.000Z  two  ok        #0 verify_payee
     8  2026-01-01T10:00:08.000Z  one  end       1 allow, 0 alert, 0 ask, 1 block; violated: receipt
";
    assert_eq!(&run.out[at..], expected);
}

#[test]
fn records_are_filtered() {
    let folder = Folder::new("show_filters");
    folder.write("j.jsonl", two_sessions().bytes());
    for (arguments, expected) in [
        (vec![], vec![0, 1, 2, 3, 4, 5, 6, 7, 8]),
        (vec!["--session", "one"], vec![1, 3, 4, 6, 8]),
        (vec!["--session", "t*", "--session", "x"], vec![2, 5, 7]),
        (vec!["--agent", "cl?rk"], vec![1, 3, 4, 6, 8]),
        (vec!["--agent", "helper"], vec![5]),
        (vec!["--tool", "verify_*"], vec![4, 5, 6, 7]),
        (vec!["--tool", "bank::*"], vec![4, 6]),
        (vec!["--tool", "send_payment"], vec![3]),
        (vec!["--rule", "verify-*"], vec![3]),
        (vec!["--decision", "block"], vec![3]),
        (vec!["--decision", "block", "--decision", "allow", "--session", "one"], vec![3, 4]),
        (vec!["--kind", "outcome", "--kind", "session_end"], vec![6, 7, 8]),
        (vec!["--since", "2026-01-01T10:00:06Z"], vec![6, 7, 8]),
        (vec!["--since", "2026-01-01T10:00:02Z", "--until", "2026-01-01T10:00:04Z"], vec![2, 3]),
        (vec!["--session", "nobody"], vec![]),
    ] {
        assert_eq!(shown(&folder, &arguments), expected, "{arguments:?}");
    }
    let run = interlock(&folder, &["show", "j.jsonl", "--tool", "send_*"]);
    assert!(run.out.ends_with("1 of 9 records\n"), "{}", run.out);
}

#[test]
fn segments_are_shown_in_order() {
    let folder = Folder::new("show_segments");
    let mut journal = Journal::new("j.jsonl", Capture::Digest);
    for segment in 1..=11 {
        journal.add(Some("one"), start("clerk"));
        folder.write(&format!("j.jsonl.{segment}"), journal.drain());
    }
    journal.add(Some("one"), end("receipt"));
    folder.write("j.jsonl", journal.bytes()).write("j.jsonl.lock", "1").write("j.jsonl.011", "x");
    assert_eq!(shown(&folder, &[]), (0..=12).collect::<Vec<_>>());
}

#[test]
fn what_is_no_record_is_named_and_the_others_are_shown() {
    let folder = Folder::new("show_flaws");
    let mut bytes = two_sessions().bytes().to_vec();
    let text =
        String::from_utf8(bytes.clone()).unwrap().replacen("\"kind\":\"session_start\"", "\"kind\":\"start\"", 1);
    bytes = text.into_bytes();
    bytes.extend_from_slice(b"{\"at\":");
    folder.write("j.jsonl", &bytes);
    let run = interlock(&folder, &["show", "j.jsonl"]);
    assert_eq!(run.code, 1);
    assert!(run.out.contains("j.jsonl:2: not a record in canonical JSON: "), "{}", run.out);
    assert!(run.out.contains("j.jsonl:10: the last line has no newline: "), "{}", run.out);
    assert_eq!(shown(&folder, &[]), [0, 2, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn hostile_names_are_inert_and_short() {
    const HOSTILE: &str = "\x1b]0;owned\x07\x1b[2J\u{202e}txt\u{200b}\r\nFAKE  allow\u{9b}31m";
    let long = format!("{HOSTILE}{}", "A".repeat(100_000));
    let folder = Folder::new("show_hostile");
    let mut journal = Journal::new(&long, Capture::Captured);
    journal.add(Some(&long), start(&long));
    let hidden = serde_json::to_string(&long).unwrap();
    let call = Decided {
        args: content(Some(&hidden)),
        agent: Some(long.clone().into()),
        id: Some(long.clone().into()),
        server: Some(long.clone().into()),
        ..blocked(0, &long, &long)
    };
    let seq = journal.add(Some(&long), call);
    journal.add(Some(&long), Outcome { result: Some(content(Some(&hidden))), ..outcome(0, seq, &long) });
    journal.add(Some(&long), end(&long));
    folder.write("j.jsonl", journal.bytes());
    let run = interlock(&folder, &["show", "j.jsonl"]);
    for line in run.out.lines() {
        assert!(line.chars().all(|c| !is_hidden(c)), "{line:?}");
        assert!(line.chars().count() < 4000, "{} characters", line.chars().count());
        assert!(!line.starts_with("FAKE"), "{line}");
    }
    let run = interlock(&folder, &["show", "j.jsonl", "--format", "json"]);
    for line in run.out.lines() {
        assert!(line.chars().all(|c| !is_hidden(c)), "{line:?}");
    }
    // What is recorded is all there.
    let line = run.out.lines().find(|line| line.contains("\"kind\":\"decision\"")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(line).unwrap()["tool"].as_str().unwrap(), long);
}

#[test]
fn a_journal_is_followed_over_its_segments_until_nobody_listens() {
    let folder = Folder::new("show_follow");
    let mut journal = two_sessions();
    let path = folder.path().join("j.jsonl");
    folder.write("j.jsonl", journal.drain());
    let mut child = Command::new(env!("CARGO_BIN_EXE_interlock"))
        .args(["show", "j.jsonl", "--follow", "--format", "json", "--kind", "outcome"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut next = || loop {
        let mut line = String::new();
        assert!(out.read_line(&mut line).unwrap() > 0, "it ended");
        if let Some(seq) = serde_json::from_str::<Value>(&line).unwrap()["seq"].as_u64() {
            return seq;
        }
    };
    assert_eq!((next(), next()), (6, 7));
    let append = |bytes: &[u8]| {
        let mut file = std::fs::OpenOptions::new().append(true).create(true).open(&path).unwrap();
        file.write_all(bytes).unwrap();
    };
    // A line that comes in two pieces is one line.
    let nine = journal.add(Some("two"), outcome(1, 5, "verify_payee"));
    let line = journal.drain();
    append(&line[..40]);
    std::thread::sleep(std::time::Duration::from_millis(500));
    append(&line[40..]);
    assert_eq!(next(), nine);
    for segment in 1..=3 {
        let last = journal.add(Some("two"), outcome(2, 5, "verify_payee"));
        append(&journal.drain());
        std::fs::rename(&path, folder.path().join(format!("j.jsonl.{segment}"))).unwrap();
        let first = journal.add(Some("two"), outcome(3, 5, "verify_payee"));
        append(&journal.drain());
        assert_eq!((next(), next()), (last, first), "{segment}");
    }
    drop(out);
    // It notices with the next record.
    let mut ended = None;
    for call in 4..104 {
        journal.add(Some("two"), outcome(call, 5, "verify_payee"));
        append(&journal.drain());
        std::thread::sleep(std::time::Duration::from_millis(100));
        ended = child.try_wait().unwrap();
        if ended.is_some() {
            break;
        }
    }
    assert_eq!(ended.and_then(|status| status.code()), Some(0));
}

#[test]
fn more_sessions_than_are_kept_track_of_are_said() {
    let folder = Folder::new("show_many");
    let mut journal = Journal::new("j.jsonl", Capture::Digest);
    for number in 0..10_001 {
        journal.add(Some(&format!("s{number}")), start("clerk"));
    }
    folder.write("j.jsonl", journal.bytes());
    let run = interlock(&folder, &["show", "j.jsonl", "--agent", "nobody"]);
    assert!(run.err.starts_with("note: more was under way at once than is kept track of"), "{}", run.err);
}

#[test]
#[cfg(target_os = "linux")]
fn memory_does_not_grow_with_the_journal() {
    let folder = Folder::new("show_memory");
    let mut journal = Journal::new("j.jsonl", Capture::Captured);
    journal.add(Some("one"), start("clerk"));
    let args = format!("{{\"text\":\"{}\"}}", "x".repeat(64 << 10));
    for call in 0..2000 {
        journal.add(Some("one"), Decided { args: content(Some(&args)), ..allowed(call, "verify_payee") });
    }
    journal.add(Some("one"), end("receipt"));
    let size = journal.bytes().len();
    folder.write("j.jsonl", journal.bytes());
    // One that is followed is still there when all is shown.
    let mut child = Command::new(env!("CARGO_BIN_EXE_interlock"))
        .args(["show", "j.jsonl", "--follow", "--kind", "session_end"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains("  end  ") {
        line.clear();
        assert!(out.read_line(&mut line).unwrap() > 0, "it ended");
    }
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap().trim().trim_end_matches(" kB");
    let peak = peak.parse::<usize>().unwrap() * 1024;
    child.kill().unwrap();
    child.wait().unwrap();
    std::fs::remove_file(folder.path().join("j.jsonl")).unwrap();
    assert!(peak < size / 2, "{peak} bytes for {size}");
}
