//! `keygen`, `checkpoint` and `prove`: keys for other programs, signing on another host, and proofs that are checked without the
//! journal.

use std::fs;

use contract_runtime::Time;
use contract_runtime::journal::record::{self, Hex, NO_HASH};
use contract_runtime::journal::tree::{self, Frontier};
use contract_runtime::journal::{Body, Checkpoint, Head, Id, Note, PublicKey, SigningKey};
use serde_json::Value;

use crate::run::{Folder, Run, interlock};

const JOURNAL: Id = Hex([0x1b; 8]);
const ORIGIN: &str = "interlock.journal/1b1b1b1b1b1b1b1b";

/// A journal without a key, of which records are missing.
fn body(seq: u64) -> Body<'static> {
    if seq > 0 {
        return record::Gap { missing: 1, why: "disk full \u{202e}\u{1b}[2J".into() }.into();
    }
    let genesis = record::Genesis {
        content: record::Capture::Digest,
        file: "j".into(),
        key: None,
        previous: None,
        program: "test".into(),
        secret: NO_HASH,
        segment: 0,
        sync: record::Sync::Every,
    };
    genesis.into()
}

/// Writes a journal of so many records, with a checkpoint of each size in `SIZE.checkpoint`, and the last one beside it.
fn journal(folder: &Folder, records: u64, key: &SigningKey) {
    let (mut lines, mut prev, mut frontier) = (Vec::new(), NO_HASH, Frontier::default());
    for seq in 0..records {
        let head = Head { at: Time::EPOCH, journal: JOURNAL, prev, seq, session: None };
        prev = record::encode(&head, &body(seq), &mut lines);
        frontier.append(tree::leaf(&prev.0));
        let note = Checkpoint::new(JOURNAL, &frontier).sign(key).unwrap().to_string();
        folder.write(&format!("{}.checkpoint", frontier.size()), &note).write("j.checkpoint", &note);
    }
    folder.write("j", lines);
}

fn read(folder: &Folder, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).unwrap()
}

fn key() -> SigningKey {
    SigningKey::from_bytes(&[7; 32])
}

fn with_key(name: &str, records: u64) -> Folder {
    let folder = Folder::new(name);
    journal(&folder, records, &key());
    folder.write("key.pub", key().public().to_pem().unwrap());
    folder
}

fn ran(run: &Run, code: i32) {
    assert_eq!(run.code, code, "{run:?}");
}

#[test]
fn keys_are_made_and_never_overwritten() {
    let folder = Folder::new("keygen");
    let run = interlock(&folder, &["keygen", "-o", "my.key"]);
    ran(&run, 0);
    let path = folder.path().join("my.key");
    let key = SigningKey::read(&path).unwrap();
    assert_eq!(PublicKey::read(&folder.path().join("my.key.pub")).unwrap(), key.public());
    let shown = format!("private key   my.key\npublic key    my.key.pub\n              {}\n", key.public());
    assert_eq!((run.out, run.err), (shown, String::new()));
    let private = read(&folder, "my.key");

    let again = interlock(&folder, &["keygen", "-o", "my.key"]);
    ran(&again, 2);
    assert_eq!(again.err, "error: `my.key.pub` exists already, and keys are never overwritten\n");
    fs::remove_file(folder.path().join("my.key.pub")).unwrap();
    let again = interlock(&folder, &["keygen", "-o", "my.key"]);
    ran(&again, 2);
    assert_eq!(again.err, "error: `my.key` exists already, and keys are never overwritten\n");
    assert_eq!(read(&folder, "my.key"), private);
    ran(&interlock(&folder, &["keygen", "-o", "no/such/folder/key"]), 2);
}

#[test]
fn a_key_has_a_name_for_witnesses() {
    let folder = with_key("keygen-journal", 1);
    let run = interlock(&folder, &["keygen", "--journal", "j", "--format", "json"]);
    ran(&run, 0);
    assert!(run.err.starts_with("warning: the key lies beside the journal"), "{}", run.err);
    let made: Value = serde_json::from_str(&run.out).unwrap();
    let key = SigningKey::read(&folder.path().join("interlock.key")).unwrap().public();
    assert_eq!(made["public_key"], key.to_string());
    let verifier = made["verifier_key"].as_str().unwrap();
    assert!(verifier.starts_with(&format!("{ORIGIN}+")), "{verifier}");
    assert_eq!(PublicKey::parse(verifier).unwrap(), key);

    fs::create_dir(folder.path().join("away")).unwrap();
    let run = interlock(&folder, &["keygen", "--journal", "j", "-o", "away/key"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let run = interlock(&folder, &["keygen", "--journal", "none", "-o", "other"]);
    ran(&run, 2);
    assert!(!folder.path().join("other").exists(), "nothing is left behind");
}

#[test]
fn a_record_is_proved_and_the_proof_is_checked_with_the_public_key_alone() {
    let folder = with_key("prove", 11);
    let proved = interlock(&folder, &["prove", "j", "--seq", "4", "-o", "4.tlog-proof"]);
    assert_eq!(proved.out, "wrote `4.tlog-proof`, a proof that record 4 is among the 11 of the checkpoint\n");
    ran(&proved, 0);
    assert_eq!(interlock(&folder, &["prove", "j", "--seq", "4"]).out, read(&folder, "4.tlog-proof"));
    let line = read(&folder, "j").lines().nth(4).unwrap().to_owned();
    fs::remove_file(folder.path().join("j")).unwrap();

    let public = key().public().to_string();
    for trusted in ["key.pub", public.as_str()] {
        let run = interlock(&folder, &["prove", "--check", "4.tlog-proof", "--trust", trusted]);
        ran(&run, 0);
        let says = format!("holds: record 4 is in `{ORIGIN}`, among 11 records\nsigned by {public}\n");
        assert!(run.out.starts_with(&says), "{}", run.out);
        // What the record says is shown, and does nothing to a terminal.
        assert!(run.out.contains("disk full ") && !run.out.contains(['\u{202e}', '\u{1b}']), "{}", run.out);
    }
    let json = interlock(&folder, &["prove", "--check", "4.tlog-proof", "--trust", &public, "--format", "json"]);
    let json: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(json["record"], line);
    assert_eq!((&json["verdict"], &json["seq"], &json["size"]), (&"holds".into(), &4.into(), &11.into()));

    folder.write("record", format!("{line}\n"));
    ran(&interlock(&folder, &["prove", "--check", "4.tlog-proof", "--record", "record", "--trust", &public]), 0);
    folder.write("record", line.replace("\"missing\":1", "\"missing\":0"));
    let run = interlock(&folder, &["prove", "--check", "4.tlog-proof", "--record", "record", "--trust", &public]);
    ran(&run, 1);
    assert!(run.out.starts_with("does not hold (bad-proof): "), "{}", run.out);
}

#[test]
fn a_proof_that_does_not_hold_says_why() {
    let folder = with_key("prove-broken", 8);
    ran(&interlock(&folder, &["prove", "j", "--seq", "3", "-o", "fine"]), 0);
    let other = SigningKey::from_bytes(&[8; 32]).public().to_string();
    let public = key().public().to_string();
    let check = |proof: &str, key: &str| {
        let run = interlock(&folder, &["prove", "--check", proof, "--trust", key, "--format", "json"]);
        ran(&run, 1);
        let json: Value = serde_json::from_str(&run.out).unwrap();
        assert_eq!(json["verdict"], "broken");
        json["problem"].as_str().unwrap().to_owned()
    };
    assert_eq!(check("fine", &other), "wrong-key");
    let fine = read(&folder, "fine");
    folder.write("moved", fine.replace("index 3", "index 2"));
    assert_eq!(check("moved", &public), "foreign");
    folder.write("resized", fine.replace("\n8\n", "\n9\n"));
    assert_eq!(check("resized", &public), "bad-proof");
    folder.write("signed", read(&folder, "7.checkpoint"));
    let signature = read(&folder, "7.checkpoint").lines().last().unwrap().to_owned();
    let last = fine.lines().last().unwrap();
    folder.write("pasted", fine.replace(last, &signature));
    assert_eq!(check("pasted", &public), "bad-signature");
    let witness = ["--witness", "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"];
    let run = interlock(&folder, &[&["prove", "--check", "fine", "--trust", &public], &witness[..]].concat());
    assert_eq!(run.out, "does not hold (bad-checkpoint): the witness `PeterNeumann` did not sign the checkpoint\n");
}

#[test]
fn an_earlier_checkpoint_is_continued() {
    let folder = with_key("prove-from", 9);
    let proved = interlock(&folder, &["prove", "j", "--from", "5.checkpoint", "-o", "proof"]);
    assert_eq!(proved.out, "wrote `proof`, a proof that the 9 records continue the 5 of `5.checkpoint`\n");
    assert!(read(&folder, "proof").starts_with("old 5\n"));
    let run = interlock(&folder, &["prove", "--check", "proof", "--from", "5.checkpoint", "--trust", "key.pub"]);
    ran(&run, 0);
    let says = format!("holds: `{ORIGIN}` has 9 records, and the first 5 are those of the earlier checkpoint\n");
    assert!(run.out.starts_with(&says), "{}", run.out);
    let run = interlock(&folder, &["prove", "--check", "proof", "--from", "4.checkpoint", "--trust", "key.pub"]);
    ran(&run, 1);

    // An earlier checkpoint that says something else of the same records.
    folder.write("other.checkpoint", read(&folder, "6.checkpoint").replace("\n6\n", "\n5\n"));
    let run = interlock(&folder, &["prove", "j", "--from", "other.checkpoint"]);
    assert_eq!(run.err, "error: the first 5 records are not those of the checkpoint\n");
    ran(&run, 1);
}

#[test]
fn what_cannot_be_proved_is_said() {
    let folder = with_key("prove-wrong", 3);
    let cases: [(&[&str], i32, &str); 9] = [
        (&["prove", "j"], 2, "--seq <N>"),
        (&["prove"], 2, "JOURNAL"),
        (&["prove", "j", "--seq", "3"], 2, "the checkpoint speaks for 3 records, and record 3 is not among them"),
        (&["prove", "j", "--from", "3.checkpoint", "--checkpoint", "1.checkpoint"], 2, "are they in the right order?"),
        (&["prove", "none", "--seq", "0"], 2, ", and `interlock checkpoint` makes one)\n"),
        (&["prove", "none", "--seq", "0", "--checkpoint", "j.checkpoint"], 2, "none"),
        (&["prove", "--check", "j.checkpoint"], 2, "--trust <PUBLIC-KEY>"),
        (&["prove", "--check", "j.checkpoint", "--trust", "key.pub"], 2, "a proof begins with"),
        (&["prove", "--check", "j.checkpoint", "--trust", "nonsense"], 2, "is not a public key"),
    ];
    for (arguments, code, part) in cases {
        let run = interlock(&folder, arguments);
        assert!(run.code == code && run.err.contains(part) && run.out.is_empty(), "{arguments:?}: {run:?}");
    }
    let lines = read(&folder, "j");
    folder.write("j", lines.replacen("\"missing\":1", "\"missing\":2", 1));
    let run = interlock(&folder, &["prove", "j", "--seq", "2"]);
    assert_eq!(run.err, "error: `j`, line 2: the record does not have the hash that it states\n");
    ran(&run, 1);
    folder.write("j", lines.lines().take(2).map(|line| format!("{line}\n")).collect::<String>());
    let run = interlock(&folder, &["prove", "j", "--seq", "0"]);
    assert_eq!(run.err, "error: the journal has 2 records, and the checkpoint speaks for 3: some were removed\n");
    ran(&run, 1);
}

#[test]
fn a_journal_is_signed_where_the_key_is() {
    let folder = with_key("checkpoint", 6);
    fs::remove_file(folder.path().join("j.checkpoint")).unwrap();
    key().write_new(&folder.path().join("key")).unwrap();
    let run = interlock(&folder, &["checkpoint", "j", "--key", "key"]);
    assert_eq!(run.out, format!("signed 6 records of `{ORIGIN}` in `j.checkpoint`\n"));
    ran(&run, 0);
    assert_eq!(read(&folder, "j.checkpoint"), read(&folder, "6.checkpoint"));

    // A second signature of the same is added; of the same key there is one.
    SigningKey::from_bytes(&[8; 32]).write_new(&folder.path().join("second")).unwrap();
    for (key, signatures) in [("second", 2), ("second", 2), ("key", 2)] {
        ran(&interlock(&folder, &["checkpoint", "j", "--key", key]), 0);
        assert_eq!(Note::parse(&read(&folder, "j.checkpoint")).unwrap().signatures().len(), signatures);
    }
    // An earlier one is replaced.
    for (earlier, output) in [("2.checkpoint", "j.checkpoint"), ("3.checkpoint", "3.checkpoint")] {
        folder.write(output, read(&folder, earlier));
        ran(&interlock(&folder, &["checkpoint", "j", "--key", "key", "-o", output]), 0);
        assert_eq!(read(&folder, output), read(&folder, "6.checkpoint"));
    }
    // A line that is being written is not signed, and that is said.
    let lines = read(&folder, "j");
    folder.write("j", format!("{lines}{{\"at\""));
    let run = interlock(&folder, &["checkpoint", "j", "--key", "key", "--format", "json"]);
    let json: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!((run.code, &json["size"]), (0, &6.into()), "{run:?}");
    assert!(run.err.contains("note: ") && !run.err.contains("disk full \u{202e}"), "{}", run.err);
}

#[test]
fn what_does_not_hold_is_not_signed() {
    let folder = with_key("checkpoint-broken", 6);
    key().write_new(&folder.path().join("key")).unwrap();
    let kept = read(&folder, "j.checkpoint");
    let refused = |code: i32, part: &str| {
        let run = interlock(&folder, &["checkpoint", "j", "--key", "key"]);
        assert!(run.code == code && run.out.is_empty() && run.err.contains(part), "{part}: {run:?}");
        assert_eq!(run.err.contains("nothing was signed"), code == 1);
    };
    let lines = read(&folder, "j");
    folder.write("j", lines.replacen("\"missing\":1", "\"missing\":2", 1));
    refused(1, "error: the journal does not hold: `j`, line 2: ");
    folder.write("j", lines.lines().take(4).map(|line| format!("{line}\n")).collect::<String>());
    refused(1, "(truncated)");
    assert_eq!(read(&folder, "j.checkpoint"), kept);
    folder.write("j", &lines).write("j.checkpoint", "my notes");
    refused(2, "the checkpoint `j.checkpoint` cannot be used");
    assert_eq!(read(&folder, "j.checkpoint"), "my notes");
    fs::remove_file(folder.path().join("j.checkpoint")).unwrap();
    folder.write("j", "");
    refused(1, "(truncated)");
    fs::remove_file(folder.path().join("j")).unwrap();
    refused(2, "cannot read `j`");
    folder.write("j", &lines).write("key", "nonsense");
    refused(2, "`key` is not an Ed25519 private key");
}
