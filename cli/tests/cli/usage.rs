//! `--help`, `schema`, `explain`, `lint` and `compile`: what they print where, and exit codes.

use crate::run::{Folder, interlock};
use serde_json::{Value, json};

const CONTRACT: &str = r#"version: 1
name: payments
tools:
  approve: { effect: write }
  send_payment: { effect: irreversible }
rules:
  - id: approved-first
    must_precede: { first: approve, then: send_payment }
    per: { approve: args.id, send_payment: 'lower(args["invoice no"])' }
    instances: { max: 10 }
  - id: not-too-much
    at_most_total: { call: send_payment, sum: args.amount, limit: 100.50 }
"#;

#[test]
fn help_is_there_for_every_command() {
    let folder = Folder::new("help");
    let run = interlock(&folder, &["--help"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    for command in
        ["init", "lint", "fmt", "schema", "explain", "compile", "replay", "keygen", "checkpoint", "prove", "export"]
    {
        assert!(run.out.contains(&format!("  {command}")), "{}", run.out);
        let run = interlock(&folder, &[command, "--help"]);
        assert!(run.code == 0 && run.out.contains("Usage: interlock"), "{run:?}");
    }
    assert!(interlock(&folder, &["replay", "--help"]).out.contains("\"result_of\""));
}

#[test]
fn wrong_usage_is_exit_2() {
    let folder = Folder::new("usage");
    for arguments in [&["frobnicate"][..], &[], &["replay"], &["lint", "--format", "xml"], &["schema", "--draft", "3"]]
    {
        let run = interlock(&folder, arguments);
        assert!(run.code == 2 && !run.err.is_empty() && run.out.is_empty(), "{arguments:?}: {run:?}");
    }
}

#[test]
fn the_schema_is_printed_in_both_drafts() {
    let folder = Folder::new("schema");
    for (arguments, draft) in [(&["schema"][..], "2020-12"), (&["schema", "--draft", "7"][..], "draft-07")] {
        let run = interlock(&folder, arguments);
        let schema: Value = serde_json::from_str(&run.out).unwrap();
        assert!(schema["$schema"].as_str().unwrap().contains(draft));
        assert_eq!((run.code, run.err.as_str()), (0, ""));
    }
}

#[test]
fn a_code_has_a_page() {
    let folder = Folder::new("code");
    let run = interlock(&folder, &["explain", "--code", "il0101"]);
    assert!(run.code == 0 && run.out.starts_with("# IL0101: "), "{run:?}");
    let run = interlock(&folder, &["explain", "--code", "IL01O1"]);
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    assert_eq!(run.err, "error: there is no code `IL01O1`; did you mean `IL0101`?\n");
}

#[test]
fn a_rule_is_explained_to_people() {
    let folder = Folder::new("explain-human");
    folder.write("contract.yaml", CONTRACT);
    let run = interlock(&folder, &["explain", "contract.yaml", "approved-first"]);
    assert_eq!(run.code, 0, "{run:?}");
    for part in [
        "contract payments (enforce)",
        "rule approved-first (must_precede, medium)",
        "  guards    send_payment",
        "  first     approve",
        "  states    0 open (start)",
        "  key       args.id of approve",
        "  key       lower(args[\"invoice no\"]) of send_payment",
        "  instances at most 10 at a time",
    ] {
        assert!(run.out.contains(part), "{part}: {}", run.out);
    }
    assert!(!run.out.contains("not-too-much"));
    assert!(interlock(&folder, &["explain"]).out.contains("not-too-much"));
    let run = interlock(&folder, &["explain", "contract.yaml", "approve-first"]);
    assert_eq!(
        (run.code, run.err.as_str()),
        (2, "error: there is no rule `approve-first`; did you mean `approved-first`?\n")
    );
}

#[test]
fn what_a_rule_reads_and_does_is_explained() {
    let folder = Folder::new("explain-fields");
    folder.write(
        "contract.yaml",
        r#"version: 1
name: fields
instances: { max: 10 }
rules:
  - id: owed
    must_be_followed_by: { after: deploy, then: smoke, within: 10m }
    guards: release
    reset_on: event(done)
    action: ask
    message: "{{see}} {tool} of {args.x[0]}"
  - { id: fresh, must_precede: { first: yes_do, then: cut, expires: 5m, void_on: failed(cut) } }
  - { id: each, must_precede: { first: look, then: cut }, per: { look: args.id, cut: 'lower(args.items[].id)' } }
  - { id: open, at_most_open: { open: take, close: give, n: 1, of: { take: args.id, give: args.lock } } }
  - { id: flow, no_flow: { from: secret, to: post, values: result.value } }
  - { id: rows, after: list, ensure: result.ok }
  - { id: sum, at_most_total: { call: pay, sum: args.n * args.price, limit: 5 } }
"#,
    );
    let explained = |rule: &str| interlock(&folder, &["explain", "contract.yaml", rule]).out;
    for (rule, parts) in [
        (
            "owed",
            &["  guards    release\n", "  reset_on  event(done)\n", "  after     deploy\n", "  limit     10m\n"][..],
        ),
        (
            "owed",
            &["  message   {{see}} {tool} of {args.x[0]}\n", "  action    violated: ask; not established: block\n"],
        ),
        ("fresh", &["  guards    cut\n", "  first     yes_do\n", "  then      cut\n", "  void_on   failed(cut)\n"]),
        ("each", &["  key       each lower(args.items[].id) of cut\n"]),
        ("open", &["  guards    take\n", "  of        args.id of take\n", "  of        args.lock of give\n"]),
        ("flow", &["  guards    post\n", "  values    result.value\n", "  limit     texts of 8 bytes and more\n"]),
        ("rows", &["  after     list\n", "  action    violated: withhold; not established: withhold\n"]),
        ("sum", &["  of        (args.n * args.price)\n", "  limit     5 (all calls count)\n"]),
    ] {
        let out = explained(rule);
        assert!(parts.iter().all(|part| out.contains(part)), "{parts:?}: {out}");
    }
}

#[test]
fn the_way_out_of_each_state_is_explained() {
    let folder = Folder::new("explain-way-out");
    folder.write("contract.yaml", WAYS);
    let ways = |rule: &str| {
        let out = interlock(&folder, &["explain", "contract.yaml", rule]).out;
        out.lines().filter_map(|line| line.strip_prefix("  way out   ").map(str::to_owned)).collect::<Vec<_>>()
    };
    assert_eq!(ways("once-each"), ["in 0, then: allowed after first"]);
    assert_eq!(ways("banned"), ["in 1, call: allowed after event(turn)"]);
    assert_eq!(ways("one"), ["in 1, b: nothing makes it allowed", "in 2, a: nothing makes it allowed"]);
    assert_eq!(ways("owed"), ["in 1, close: allowed after then"]);
    assert!(!interlock(&folder, &["explain"]).out.contains("way out"));
}

/// What is drawn is looked at like code.
#[test]
fn automata_are_drawn() {
    let folder = Folder::new("explain-dot");
    folder.write("contract.yaml", WAYS);
    let run = interlock(&folder, &["explain", "contract.yaml", "once-each", "--dot"]);
    let expected = r##"digraph rules {
  rankdir=LR;
  node [shape=circle, style=filled, fixedsize=true, width=0.9, fontname="Helvetica", fontsize=11];
  edge [fontname="Helvetica", fontsize=10];
  subgraph cluster_0 {
    label="once-each (must_precede)"; fontname="Helvetica"; color=gray;
    start_0 [shape=point, width=0.1, label=""];
    start_0 -> s0_0;
    s0_0 [label="0\nopen", fillcolor="#dbe9f6"];
    s0_1 [label="1\nopen", fillcolor="#dbe9f6"];
    s0_2 [label="2\nviolated", fillcolor="#f4b6b6"];
    s0_0 -> s0_1 [label="first"];
    s0_0 -> s0_2 [label="then"];
    s0_1 -> s0_0 [label="then"];
    s0_1 -> s0_1 [label="first"];
  }
}
"##;
    assert_eq!((run.code, run.out.as_str()), (0, expected));
    let all = interlock(&folder, &["explain", "--dot"]).out;
    assert_eq!(all.matches("subgraph").count(), 5);
    assert!(all.contains(r#"[label="call(x where args.y == \"\\\\\")"]"#), "{all}");
    let run = interlock(&folder, &["explain", "contract.yaml", "count", "--dot"]);
    let error = "error: the rule `count` has no automaton to draw: `at_most_n_times` is none\n";
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (2, "", error));
}

const WAYS: &str = r#"version: 1
name: ways
rules:
  - { id: once-each, must_precede: { first: look, then: cut, consume: true } }
  - { id: banned, never_after: { after: freeze, call: send }, reset_on: event(turn) }
  - { id: one, mutually_exclusive: [a, b] }
  - { id: owed, must_be_followed_by: { after: pay, then: receipt }, guards: close }
  - { id: escaped, forbid: 'call(x where args.y == "\\")' }
  - { id: count, at_most_n_times: { call: a, n: 1 } }
"#;

#[test]
fn a_rule_is_explained_to_programs() {
    let folder = Folder::new("explain-json");
    folder.write("contract.yaml", CONTRACT);
    let run = interlock(&folder, &["explain", "contract.yaml", "--format", "json"]);
    let rules: Vec<Value> = run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [automaton, register] = rules.as_slice() else { panic!("{run:?}") };
    assert_eq!(automaton["kind"], "must_precede");
    assert_eq!(automaton["letters"], json!(["first", "then"]));
    let states = automaton["states"].as_u64().unwrap();
    assert_eq!(automaton["colours"].as_array().unwrap().len() as u64, states);
    assert_eq!(automaton["transitions"].as_array().unwrap().len() as u64, states);
    assert_eq!(automaton["transitions"][0].as_array().unwrap().len(), 2);
    assert_eq!(automaton["patterns"], json!({ "first": "ok(approve)", "then": "call(send_payment)" }));
    assert_eq!(automaton["bytes_per_instance"], 1);
    let each: u64 =
        ["bytes_per_instance", "doubt_bytes", "key_bytes"].map(|of| automaton[of].as_u64().unwrap()).iter().sum();
    assert_eq!(automaton["bound_bytes"], 10 * each);
    assert_eq!((&register["registers"], &register["limit"]), (&json!(["total"]), &json!("100.5")));
    assert!(register.get("states").is_none());
}

#[test]
fn lint_says_the_same_in_all_formats() {
    let folder = Folder::new("lint");
    let bad = CONTRACT.replace("sum: args.amount", "summ: args.amount").replace("write }", "wirte }");
    let fine = CONTRACT.replace("max: 10", "max: 10, close_on: call(send_payment)");
    folder.write("contract.yaml", fine).write("bad.yaml", bad);
    let run = interlock(&folder, &["lint"]);
    assert_eq!(
        (run.code, run.out.as_str(), run.err.as_str()),
        (0, "", "1 file checked: 0 errors, 0 warnings, 0 notes\n")
    );
    let human = interlock(&folder, &["lint", "bad.yaml", "contract.yaml"]);
    assert_eq!((human.code, human.out.as_str()), (1, ""));
    assert!(human.err.contains(" --> bad.yaml:4:"), "{}", human.err);
    assert!(!human.err.contains('\u{1b}'));
    assert!(human.err.contains("\n2 files checked: 2 errors, 0 warnings, "), "{}", human.err);
    let short = interlock(&folder, &["lint", "bad.yaml", "--format", "short"]);
    assert!(short.code == 1 && short.err.is_empty() && short.out.starts_with("bad.yaml:4:"), "{short:?}");
    let lines = interlock(&folder, &["lint", "bad.yaml", "--format", "json"]);
    let first: Value = serde_json::from_str(lines.out.lines().next().unwrap()).unwrap();
    assert_eq!((&first["file"], &first["line"], &first["level"]), (&json!("bad.yaml"), &json!(4), &json!("error")));
    assert_eq!(lines.out.lines().count(), short.out.lines().count());
    let annotations = interlock(&folder, &["lint", "bad.yaml", "--format", "github"]);
    assert!(annotations.code == 1 && annotations.out.starts_with("::error file=bad.yaml,line=4,"), "{annotations:?}");
    assert_eq!(annotations.out.lines().count(), short.out.lines().count());
    let log = interlock(&folder, &["lint", "bad.yaml", "contract.yaml", "--format", "sarif"]);
    let log: Value = serde_json::from_str(&log.out).unwrap();
    assert_eq!(log["runs"][0]["results"].as_array().unwrap().len(), short.out.lines().count());
}

#[test]
fn levels_change_what_is_shown_and_what_fails() {
    let folder = Folder::new("lint-levels");
    let contract = "version: 1\nname: c\nrules:\n  - id: r\n    forbid: wire_money\n";
    folder.write("contract.yaml", contract);
    let last = |arguments: &[&str]| {
        let run = interlock(&folder, &[&["lint"], arguments].concat());
        (run.code, run.err.lines().last().unwrap().to_owned())
    };
    let said = |text: &str| format!("1 file checked: {text}");
    assert_eq!(last(&[]), (0, said("0 errors, 1 warning, 0 notes")));
    assert_eq!(last(&["--deny", "warnings"]), (1, said("0 errors, 1 warning, 0 notes")));
    assert_eq!(last(&["--level", "IL0402=note", "--deny", "warnings"]), (0, said("0 errors, 0 warnings, 1 note")));
    assert_eq!(last(&["--level", "IL0402=error"]), (1, said("1 error, 0 warnings, 0 notes")));
    let off = said("0 errors, 0 warnings, 0 notes; 1 finding is switched off");
    assert_eq!(last(&["--level", "IL0402=off"]), (0, off.clone()));
    folder.write("contract.yaml", format!("{contract}lint: {{ IL0402: off }}\n"));
    assert_eq!(last(&[]), (0, off));
    assert_eq!(last(&["--level", "il0402=warning"]), (0, said("0 errors, 1 warning, 0 notes")));
    for (level, part) in [
        ("IL042=off", "did you mean `IL0402`?"),
        ("IL0404=off", "cannot be set"),
        ("IL0402", "write `IL0402=off`"),
        ("IL0402=none", "write `IL0402=off`"),
    ] {
        let run = interlock(&folder, &["lint", "--level", level]);
        assert!(run.code == 2 && run.err.contains(part), "{level}: {run:?}");
    }
}

#[test]
fn what_is_certain_is_corrected_in_the_file_or_shown_as_a_patch() {
    let folder = Folder::new("lint-fix");
    let contract = "version: 1 # keep me\nname: c\ntools: { pay: { effect: wirte } }\nrules:\n  - id: r\n    call: pay\n    require: args.a OR args.b\n";
    folder.write("contract.yaml", contract);
    let shown = interlock(&folder, &["lint", "--fix", "--diff"]);
    assert!(shown.out.contains("\n-    require: args.a OR args.b\n+    require: args.a or args.b\n"), "{shown:?}");
    assert!(shown.code == 1 && shown.err.ends_with("; 2 corrections shown\n"), "{shown:?}");
    let file = folder.path().join("contract.yaml");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), contract);
    let run = interlock(&folder, &["lint", "--fix"]);
    assert_eq!(
        (run.code, run.err.as_str()),
        (0, "1 file checked: 0 errors, 0 warnings, 0 notes; 2 corrections made\n")
    );
    let fixed = contract.replace("wirte", "write").replace("OR", "or");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), fixed);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    let run = interlock(&folder, &["lint", "--diff"]);
    assert_eq!(run.code, 2);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        folder.write("contract.yaml", contract);
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&file, folder.path().join("link.yaml")).unwrap();
        let run = interlock(&folder, &["lint", "--fix", "link.yaml"]);
        assert!(run.code == 2 && run.err.contains("it is a symbolic link"), "{run:?}");
        assert_eq!(interlock(&folder, &["lint", "--fix"]).code, 0);
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    }
}

#[test]
fn a_file_that_cannot_be_read_does_not_hide_the_others() {
    let folder = Folder::new("lint-missing");
    folder.write("bad.yaml", "version: 1\n");
    let run = interlock(&folder, &["lint", "missing.yaml", "bad.yaml", "."]);
    assert_eq!(run.code, 2);
    for part in ["cannot read the contract `missing.yaml`", "bad.yaml:1:1", "cannot read the contract `.`"] {
        assert!(run.err.contains(part), "{part}: {}", run.err);
    }
    let run = interlock(&folder, &["lint", "bad.yaml", "--catalog", "tools.json"]);
    assert!(run.code == 2 && run.err.contains("cannot read the catalog `tools.json`"), "{run:?}");
}

#[test]
fn catalogs_are_found_beside_the_contract() {
    let folder = Folder::new("lint-catalog");
    std::fs::create_dir_all(folder.path().join("deep")).unwrap();
    let tools = r#"{"tools":[{"name":"refund","inputSchema":{"type":"object"}}]}"#;
    let contract = "version: 1\nname: c\ncatalog: [tools.json]\nrules:\n  - id: r\n    forbid: refnd\n";
    folder.write("deep/contract.yaml", contract).write("deep/tools.json", tools);
    let run = interlock(&folder, &["lint", "deep/contract.yaml", "--format", "short"]);
    assert!(run.out.contains("refnd"), "{run:?}");
    folder.write("deep/contract.yaml", contract.replace("refnd", "refund"));
    let run = interlock(&folder, &["lint", "deep/contract.yaml", "--format", "short", "--level", "IL0525=off"]);
    assert_eq!((run.code, run.out.as_str()), (0, ""));
    folder.write("deep/contract.yaml", contract.replace("catalog: [tools.json]\n", ""));
    let run = interlock(&folder, &["lint", "deep/contract.yaml", "--catalog", "deep/tools.json", "--format", "short"]);
    assert!(run.out.contains("refnd"), "{run:?}");
    folder.write("deep/tools.json", "{");
    let run = interlock(&folder, &["lint", "deep/contract.yaml", "--catalog", "deep/tools.json"]);
    assert!(run.code == 1 && run.err.contains("tools.json"), "{run:?}");
}

#[test]
fn a_contract_is_compiled_to_a_file_or_to_standard_output() {
    let folder = Folder::new("compile");
    folder.write("contract.yaml", CONTRACT);
    let printed = interlock(&folder, &["compile"]);
    assert!(printed.code == 0 && printed.out.contains("pub struct Payments"), "{printed:?}");
    let written = interlock(&folder, &["compile", "contract.yaml", "-o", "out.rs"]);
    assert_eq!((written.code, written.out.as_str()), (0, ""));
    assert_eq!(std::fs::read_to_string(folder.path().join("out.rs")).unwrap(), printed.out);
    let renamed = interlock(&folder, &["compile", "--crate", "guard::interlock"]);
    assert!(renamed.out.contains("guard::interlock::__private"), "{renamed:?}");
    for krate in ["", "a b", "x; fn main() {}", "::"] {
        let run = interlock(&folder, &["compile", "--crate", krate]);
        assert!(run.code == 2 && run.err.contains("is not the path of a crate"), "{run:?}");
    }
    let run = interlock(&folder, &["compile", "contract.yaml", "-o", "no/such/folder.rs"]);
    assert!(run.code == 2 && run.err.contains("cannot write `no/such/folder.rs`"), "{run:?}");
}

#[test]
fn shells_and_man_know_every_command() {
    let folder = Folder::new("completions");
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let run = interlock(&folder, &["completions", shell]);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{shell}");
        assert!(run.out.contains("replay") && run.out.contains("format"), "{shell}");
    }
    assert_eq!(interlock(&folder, &["man", "pages"]).code, 0);
    for page in ["interlock.1", "interlock-replay.1", "interlock-show.1"] {
        assert!(folder.path().join("pages").join(page).exists(), "{page}");
    }
    folder.write("file", "");
    assert_eq!(interlock(&folder, &["man", "file"]).code, 2);
}

#[test]
fn the_hooks_and_the_action_call_what_there_is() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |name: &str| std::fs::read_to_string(root.join(name)).unwrap();
    let folder = Folder::new("hooks");
    folder.write("contract.yaml", "version: 1\nname: c\n");
    let hooks = read(".pre-commit-hooks.yaml");
    let entries: Vec<Vec<&str>> = hooks
        .lines()
        .filter_map(|line| line.trim().strip_prefix("entry: interlock "))
        .map(|entry| entry.split(' ').collect())
        .collect();
    assert_eq!(entries.len(), 2);
    for entry in entries {
        let run = interlock(&folder, &[entry.as_slice(), &["contract.yaml"]].concat());
        assert_eq!(run.code, 0, "{entry:?}: {run:?}");
    }
    let action = read("action.yml");
    for format in ["github", "sarif", "short"] {
        assert!(action.contains(format));
        let run = interlock(&folder, &["lint", "--format", format, "--deny", "warnings", "contract.yaml"]);
        assert_eq!(run.code, 0, "{format}: {run:?}");
    }
    // Inputs are never part of a script.
    let scripts = action.lines().filter(|line| line.contains("${{")).filter(|line| line.contains("run:"));
    assert_eq!(scripts.count(), 0);
}
