//! `interlock demo`.

use std::fs;
use std::path::Path;

use crate::run::{Folder, interlock};

/// What it prints, and the folder that it wrote to.
fn run(name: &str) -> (String, Folder) {
    let folder = Folder::new(name);
    let run = interlock(&folder, &["demo", "--dir", "out"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    (run.out, folder)
}

#[test]
fn it_is_the_same_each_time_and_its_journal_holds() {
    let (out, one) = run("demo_one");
    let (again, other) = run("demo_other");
    assert_eq!(out, again);
    let bytes = |folder: &Folder, name: &str| fs::read(folder.path().join("out").join(name)).unwrap();
    assert_eq!(bytes(&one, "records.jsonl"), bytes(&other, "records.jsonl"));
    let (journal, copy) = (bytes(&one, "records.jsonl"), bytes(&one, "tampered/records.jsonl"));
    assert_eq!(journal.iter().zip(&copy).filter(|(a, b)| a != b).count(), 1);
    assert_eq!(journal.len(), copy.len());
    for arguments in [["show", "out/records.jsonl"].as_slice(), &["why", "out/records.jsonl", "4"]] {
        assert_eq!(interlock(&one, arguments).code, 0, "{arguments:?}");
    }
    let replay = interlock(&one, &["replay", "out/records.yaml", "out/records.jsonl"]);
    assert!(replay.out.ends_with("; 0 undecided, 0 decided otherwise then\n"), "{}", replay.out);
}

#[test]
fn what_is_there_is_not_overwritten() {
    let (_, folder) = run("demo_twice");
    let run = interlock(&folder, &["demo", "--dir", "out"]);
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    assert!(run.err.contains("records.jsonl` is there already; give an empty folder"), "{}", run.err);
}

#[test]
fn the_readme_shows_what_it_prints() {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md")).unwrap();
    let block = readme.split("```text demo\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let (out, _folder) = run("demo_readme");
    let mut rest = out.as_str();
    for part in block.split("…\n") {
        let at = rest.find(part).unwrap_or_else(|| panic!("not printed:\n{part}in\n{out}"));
        rest = &rest[at + part.len()..];
    }
}
