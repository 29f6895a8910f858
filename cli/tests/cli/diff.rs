//! `interlock diff`: what a change comes to, and which is refused.

use serde_json::Value;

use crate::run::{Folder, Run, interlock};

/// A contract with these fields of its rule about payments.
fn contract(rule: &str) -> String {
    format!(
        "version: 1\nname: a\ntools: {{ pay: {{ effect: write }}, see: {{ effect: read }} }}\n\
         rules: [{{ id: payments, {rule} }}]\n"
    )
}

fn diff(name: &str, [old, new]: [&str; 2], options: &[&str]) -> Run {
    let folder = Folder::new(name);
    folder.write("old.yaml", old).write("new.yaml", new);
    interlock(&folder, &[&["diff", "old.yaml", "new.yaml"], options].concat())
}

fn deny(name: &str, old: &str, new: &str) -> [i32; 3] {
    ["loosened", "tightened", "any"].map(|deny| diff(name, [old, new], &["--deny", deny]).code)
}

const ONCE: &str = "at_most_n_times: { call: pay, n: 1 }";
const TWICE: &str = "at_most_n_times: { call: pay, n: 2 }";

#[test]
fn what_is_refused_is_exit_code_1() {
    let (once, twice) = (contract(ONCE), contract(TWICE));
    assert_eq!(deny("diff-loosened", &once, &twice), [1, 0, 1]);
    assert_eq!(deny("diff-loosened", &twice, &once), [0, 1, 1]);
    assert_eq!(deny("diff-loosened", &once, &contract(&format!("{ONCE}, title: Once"))), [0, 0, 0]);
}

#[test]
fn what_no_session_shows_is_read() {
    let once = contract(ONCE);
    let open = format!("{once}on_error: allow\n");
    assert_eq!(deny("diff-read", &once, &open)[0], 1);
    assert_eq!(deny("diff-read", &open, &once)[0], 0);
    let run = diff("diff-read", [&once, &open], &[]);
    assert!(run.out.starts_with("loosened: `on_error`\n"), "{}", run.out);
    assert_eq!(deny("diff-read", &once, &format!("{once}mode: shadow\n"))[0], 1);
}

#[test]
fn what_is_neither_shown_nor_proved_is_refused_and_named() {
    // No text is both, so this makes no difference; but nobody has proved that.
    let one = contract("call: pay, require: not (args.to == \"a\" and args.to == \"b\")");
    let other = contract("call: pay, require: not (args.to == \"a\" and args.to == \"c\")");
    assert_eq!(deny("diff-open", &one, &other), [1, 1, 1]);
    let run = diff("diff-open", [&one, &other], &[]);
    let first = run.out.lines().next().unwrap_or_default();
    assert_eq!(first, "not proved harmless, it may loosen something: rule `payments`", "{}", run.out);
    assert!(
        run.out.ends_with("not proved equal, and no session was found that tells the versions apart\n"),
        "{}",
        run.out
    );
}

#[test]
fn a_program_reads_the_same() {
    let run = diff("diff-json", [&contract(ONCE), &contract(TWICE)], &["--format", "json"]);
    let lines: Vec<Value> = run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [edit, part, change, summary] = lines.as_slice() else { panic!("{}", run.out) };
    assert_eq!((&edit["old"], &edit["new"]), (&1.into(), &2.into()));
    assert_eq!((&part["part"], &part["reads"]), (&"rule `payments`".into(), &"loosened".into()));
    assert_eq!((&change["change"], &change["concerns"][0]), (&"newly_allowed".into(), &"rule `payments`".into()));
    assert_eq!((&summary["answer"], &summary["newly_allowed"]), (&"different".into(), &1.into()));
    assert_eq!((run.code, run.err.as_str()), (1, ""));
}

#[test]
fn a_session_that_shows_a_difference_can_be_replayed() {
    let folder = Folder::new("diff-witness");
    folder.write("old.yaml", contract(ONCE)).write("new.yaml", contract(TWICE));
    interlock(&folder, &["diff", "old.yaml", "new.yaml", "--witness", "found"]);
    let replay = |contract| interlock(&folder, &["replay", contract, "found/new-loosened-1.jsonl"]).code;
    assert_eq!((replay("old.yaml"), replay("new.yaml")), (1, 0));
}

#[test]
fn a_contract_that_cannot_be_read_is_exit_code_2() {
    assert_eq!(diff("diff-bad", [&contract(ONCE), "version: 9\n"], &[]).code, 2);
}
