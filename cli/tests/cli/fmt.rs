//! `interlock fmt`, and contracts in text form for the other commands.

use crate::run::{Folder, interlock};

const YAML: &str = "version:   1\nname: payments\n# what there is\ntools: { pay: { effect: irreversible } }\nrules:\n  - id: small\n    call: pay\n    require: '!args.big && args.amount < 10'\n";

const CANONICAL: &str = "version: 1\nname: payments\n# what there is\ntools:\n  pay: { effect: irreversible }\nrules:\n  - id: small\n    call: pay\n    require: not args.big and args.amount < 10\n";

const TEXT: &str = "contract payments {\n  version 1\n  // what there is\n\n  tool pay { effect irreversible }\n  rule small {\n    call pay\n    require not args.big and args.amount < 10\n  }\n}\n";

fn read(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.path().join(name)).unwrap()
}

#[test]
fn formatting_prints_the_canonical_form() {
    let folder = Folder::new("fmt");
    folder.write("contract.yaml", YAML).write("a.contract", TEXT);
    for (arguments, out) in [
        (&["fmt"][..], CANONICAL),
        (&["fmt", "--to", "text"], TEXT),
        (&["fmt", "a.contract"], TEXT),
        (&["fmt", "a.contract", "--to", "yaml"], CANONICAL),
    ] {
        let run = interlock(&folder, arguments);
        assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (0, out, ""), "{arguments:?}");
    }
    assert_eq!(read(&folder, "contract.yaml"), YAML);
}

#[test]
fn files_are_written_where_that_is_asked_for() {
    let folder = Folder::new("fmt-write");
    folder.write("contract.yaml", YAML);
    let run = interlock(&folder, &["fmt", "--check", "contract.yaml"]);
    assert!(run.code == 1 && run.err.contains("`contract.yaml` is not in its canonical form"), "{run:?}");
    assert_eq!(interlock(&folder, &["fmt", "-o", "b.contract", "contract.yaml"]).code, 0);
    assert_eq!(read(&folder, "b.contract"), TEXT);
    assert_eq!(interlock(&folder, &["fmt", "--write", "contract.yaml", "b.contract"]).code, 0);
    assert_eq!(read(&folder, "contract.yaml"), CANONICAL);
    let run = interlock(&folder, &["fmt", "--check", "contract.yaml", "b.contract"]);
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (0, "", ""));
}

#[test]
fn what_cannot_be_formatted_is_left_alone() {
    let folder = Folder::new("fmt-errors");
    folder.write("bad.contract", "contract a { version 1; rule b { frobid x } }").write("contract.yaml", YAML);
    let run = interlock(&folder, &["fmt", "--write", "bad.contract"]);
    assert!(
        run.code == 1 && run.err.contains("did you mean `forbid`?") && run.err.contains("is not formatted"),
        "{run:?}"
    );
    assert_eq!(read(&folder, "bad.contract"), "contract a { version 1; rule b { frobid x } }");
    for arguments in [
        &["fmt", "nowhere.yaml"][..],
        &["fmt", "-o", "x", "contract.yaml", "bad.contract"],
        &["fmt", "--write", "--to", "text"],
        &["fmt", "--check", "--write"],
        &["fmt", "-o", "nowhere/x"],
    ] {
        let run = interlock(&folder, arguments);
        assert!(run.code == 2 && !run.err.is_empty() && run.out.is_empty(), "{arguments:?}: {run:?}");
    }
}

#[test]
fn every_command_reads_the_text_form() {
    let folder = Folder::new("text-form");
    folder.write("a.contract", TEXT).write("a.yaml", CANONICAL);
    folder.write("t.jsonl", r#"{"call":{"id":"c1","tool":"pay","args":{"amount":40,"big":false}}}"#);
    assert_eq!(interlock(&folder, &["lint", "a.contract"]).code, 0);
    for command in [&["explain"][..], &["compile"]] {
        let [text, yaml] = ["a.contract", "a.yaml"].map(|file| interlock(&folder, &[command, &[file]].concat()));
        assert!(text.code == 0 && text.out == yaml.out.replace("a.yaml", "a.contract"), "{text:?}{yaml:?}");
    }
    let [text, yaml] = ["a.contract", "a.yaml"].map(|file| interlock(&folder, &["replay", file, "t.jsonl"]));
    assert!(text.code == 1 && text.out == yaml.out, "{text:?}{yaml:?}");
    folder.write("bad.contract", "contract a {\n  version 1\n  rule b { frobid x }\n}\n");
    let run = interlock(&folder, &["lint", "--format", "short", "bad.contract"]);
    assert!(run.code == 1 && run.out.starts_with("bad.contract:3:12: error[IL0205]"), "{run:?}");
}
