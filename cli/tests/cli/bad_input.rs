//! Bad input of every kind: a located error and exit code 1 or 2, never a panic, never silence.

use crate::run::{Folder, interlock};

const HEAD: &str = "version: 1\nname: c\n";

/// Where the first error of a contract is, `line:column`, with its code.
fn first_error(folder: &Folder, contract: impl AsRef<[u8]>) -> String {
    folder.write("c.yaml", &contract);
    let run = interlock(folder, &["lint", "c.yaml", "--format", "short"]);
    let human = interlock(folder, &["lint", "c.yaml"]);
    let text = String::from_utf8_lossy(contract.as_ref().get(..300).unwrap_or(contract.as_ref())).into_owned();
    assert!(human.code == 1 && human.err.contains("error[IL"), "{text}\n{human:?}");
    assert_eq!((run.code, run.err.as_str()), (1, ""), "{text}\n{}", run.out);
    let error = run.out.lines().find(|line| line.contains("error[")).expect("no error");
    let rest = error.strip_prefix("c.yaml:").unwrap();
    let (place, rest) = rest.split_once(": error[").unwrap();
    format!("{place} {}", &rest.get(..6).unwrap())
}

#[test]
fn files_that_are_no_contract() {
    let folder = Folder::new("bad-files");
    assert_eq!(first_error(&folder, "").split(' ').next(), Some("1:1"));
    assert_eq!(first_error(&folder, b"\x7fELF\x02\x01\x01\x00\xff\xfe\x00"), "1:8 IL0101");
    assert!(first_error(&folder, "[".repeat(100_000)).ends_with("IL0106"));
    assert!(first_error(&folder, "{a: ".repeat(100_000)).ends_with("IL0106"));
    let large = format!("{HEAD}{}", "#".repeat((1 << 20) + 1 - HEAD.len()));
    assert!(first_error(&folder, &large).ends_with("IL0102"));
    let fits = large.strip_suffix('#').unwrap();
    folder.write("c.yaml", fits);
    assert_eq!(interlock(&folder, &["lint", "c.yaml"]).code, 0);
}

#[test]
fn contracts_with_mistakes() {
    let folder = Folder::new("bad-contracts");
    let cases = [
        ("rules:\n  - { id: a, forbid: t }\n  - { id: a, forbid: u }\n", "5:11 IL0401"),
        ("rules:\n  - { id: a, at_most_n_times: { call: t, n: -1 } }\n", "4:45 IL0204"),
        ("rules:\n  - { id: a, at_most_n_times: { call: t, n: 99999999999999999999 } }\n", ""),
        ("rules:\n  - { id: a, at_most_n_times: { call: t, n: .nan } }\n", ""),
        ("rules:\n  - { id: a, at_most_total: { call: t, sum: args.x, limit: .nan } }\n", ""),
        ("rules:\n  - { id: a, at_most_total: { call: t, sum: args.x, limit: 1e400 } }\n", ""),
        ("state:\n  n: { type: int }\nrules:\n  - { id: a, call: t, require: state.n.x == 1 }\n", ""),
        ("state:\n  n: { type: set<string>, max: 99999999999999999999 }\nrules: [{ id: a, forbid: t }]\n", ""),
        ("rules:\n  - { id: a, forbid: t, per: args.x, instances: { max: 99999999999999999999 } }\n", ""),
        ("rules:\n  - { id: a, call: t, require: state.missing == 1 }\n", ""),
        ("rules:\n  - { id: a, call: t, require: \"args.x ==\" }\n", ""),
        ("rules:\n  - { id: a, call: t, require: \"args.x matches '('\" }\n", ""),
        ("rules:\n  - { id: a }\n", "4:7 IL0205"),
    ];
    for (text, expected) in cases {
        let found = first_error(&folder, format!("{HEAD}{text}"));
        assert!(expected.is_empty() || found == expected, "{text}: {found}, not {expected}");
    }
}

#[test]
fn undeclared_tools_are_warned_of() {
    let folder = Folder::new("bad-undeclared");
    let text = "tools: { send_payment: { effect: read } }\nrules:\n  - { id: a, forbid: send_paymnt }\n";
    folder.write("c.yaml", format!("{HEAD}{text}"));
    let run = interlock(&folder, &["lint", "c.yaml", "--format", "short"]);
    assert!(run.out.contains("[IL04") && run.out.contains("send_paymnt"), "{run:?}");
}

#[test]
fn unknown_fields_at_every_level() {
    let folder = Folder::new("bad-fields");
    let cases = [
        "odd: 1\nrules: []\n",
        "tools: { t: { odd: 1 } }\nrules: []\n",
        "tools: { t: { effect: [{ when: args.x == 1, is: read, odd: 1 }] } }\nrules: []\n",
        "state: { s: { type: int, odd: 1 } }\nrules: []\n",
        "commit: [{ after: ok(t), odd: 1 }]\nrules: []\n",
        "default: { read: allow, odd: 1 }\nrules: []\n",
        "decide: { violated: block, odd: 1 }\nrules: []\n",
        "instances: { max: 1, odd: 1 }\nrules: []\n",
        "rules: [{ id: a, forbid: t, odd: 1 }]\n",
        "rules: [{ id: a, must_precede: { first: t, then: u, odd: 1 } }]\n",
        "rules: [{ id: a, forbid: t, per: args.x, instances: { max: 1, odd: 1 } }]\n",
        "rules: [{ id: a, forbid: t, decide: { violated: block, odd: 1 } }]\n",
    ];
    for text in cases {
        folder.write("c.yaml", format!("{HEAD}{text}"));
        let run = interlock(&folder, &["lint", "c.yaml", "--format", "short"]);
        assert!(run.code == 1 && run.out.contains("error[IL0201]") && run.out.contains("`odd`"), "{text}: {run:?}");
    }
}

#[test]
fn traps_of_yaml() {
    let folder = Folder::new("bad-yaml");
    let rules = "rules:\n  - { id: a, forbid: t }\n";
    let require = |text: &str| format!("{HEAD}rules:\n  - {{ id: a, call: t, require: {text} }}\n");
    let block = |text: &str| format!("{HEAD}rules:\n  - id: a\n    call: t\n    require: {text}\n");
    let cases = [
        format!("{HEAD}{HEAD}{rules}"),
        format!("{HEAD}x: &a 1\ny: *a\n{rules}"),
        format!("{HEAD}<<: {{ mode: shadow }}\n{rules}"),
        format!("{HEAD}mode: !!str shadow\n{rules}"),
        format!("{HEAD}{rules}---\n{HEAD}{rules}"),
        format!("%YAML 1.1\n---\n{HEAD}{rules}"),
        format!("version: 1\nname: NULL\n{rules}"),
        format!("version: 0x1\nname: c\n{rules}"),
        format!("version: 1_0\nname: c\n{rules}"),
        format!("version: 01\nname: c\n{rules}"),
        format!("{HEAD}rules:\n  - {{ id: a, at_most_n_times: {{ call: t, n: 010 }} }}\n"),
        format!("{HEAD}rules:\n\t- {{ id: a, forbid: t }}\n"),
        format!("{HEAD}? [a, b]\n: 1\n{rules}"),
        format!("{HEAD}rules:\n  - id: a\n    forbid: t\n    message: \"unclosed\n"),
        format!("{HEAD}rules:\n  - {{ id: a, forbid: call(t where args.x == 1, args.y == 2) }}\n"),
        format!("{HEAD}rules:\n  - {{ id: a, must_precede: {{ first: ok(a, b), then: t }} }}\n"),
        format!("{HEAD}rules:\n  - {{ id: a, forbid: *t }}\n"),
        format!("{HEAD}rules:\n  - id: a\n    forbid: *_delete\n"),
        require("args[\"x\"] == 1"),
        require("args.x in [1, 2]"),
        require("contains(args.x, args.y)"),
        block("\"a\" == args.x"),
        block("[1, 2] == args.x"),
        block("!args.x"),
        block("args.x == 1 # and args.y == 2\n      and args.z"),
        block(">\n      args.x ==\n      1"),
        block("args.x == 1\n      and args.y == 2"),
    ];
    for text in cases {
        first_error(&folder, &text);
    }
}

#[test]
fn traces_that_are_none() {
    let folder = Folder::new("bad-traces");
    folder.write("c.yaml", format!("{HEAD}rules:\n  - {{ id: a, forbid: t }}\n"));
    let cases: [(&str, &[u8]); 6] = [
        ("binary", b"\x7fELF\x02\x01\x01\x00\xff\xfe\x00"),
        ("brackets", &b"[".repeat(100_000)),
        ("contract", b"version: 1\nname: c\n"),
        ("array", b"[{\"end\":true}]"),
        ("cut", b"{\"call\":{\"id\":\"c\",\"tool\":\"t\",\"args\":{"),
        ("null", b"null\n"),
    ];
    for (name, bytes) in cases {
        folder.write(name, bytes);
        for format in ["human", "json"] {
            let run = interlock(&folder, &["replay", "c.yaml", name, "--format", format]);
            assert!(run.code == 2 && run.err.starts_with(&format!("{name}:1:")), "{run:?}");
            assert!(!run.out.is_empty(), "{run:?}");
        }
    }
    folder.write("empty", "");
    let run = interlock(&folder, &["replay", "c.yaml", "empty"]);
    assert_eq!(run.code, 0);
    assert!(run.out.starts_with("0 sessions, 0 calls"), "{run:?}");
}

#[test]
fn a_line_of_100_mb_is_refused_and_not_kept() {
    let folder = Folder::new("bad-long-line");
    let mut trace = b"{\"session\":\"".to_vec();
    trace.resize(100_000_000, b'x');
    trace.extend_from_slice(b"\",\"end\":true}\n{\"call\":{\"id\":\"c\",\"tool\":\"u\",\"args\":{}}}\n");
    folder.write("c.yaml", format!("{HEAD}rules:\n  - {{ id: a, forbid: t }}\n")).write("trace.jsonl", &trace);
    let run = interlock(&folder, &["replay", "c.yaml", "trace.jsonl"]);
    assert_eq!(run.code, 2);
    assert_eq!(run.err, "trace.jsonl:1: error: the line is longer than 64 MiB, the most that is read\n");
    assert!(run.out.contains("1 session, 1 call:"), "{run:?}");
    let _ = std::fs::remove_file(folder.path().join("trace.jsonl"));
}
