//! `interlock test`: what the tests of contracts come to.

use std::path::Path;

use crate::run::{Folder, interlock};

const CONTRACT: &str = "version: 1
name: a
tools: { pay: { effect: write } }
rules: [{ id: once, at_most_n_times: { call: pay, n: 1 } }]
";

#[test]
fn the_tests_of_the_retail_desk_notice_every_change() {
    let contracts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/contracts");
    let folder = Folder::new("test-retail");
    folder.write("retail.yaml", std::fs::read_to_string(contracts.join("retail.yaml")).unwrap());
    let run = interlock(&folder, &["test", "retail.yaml", "--mutate"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    let last = run.out.lines().last().unwrap_or_default();
    assert!(last.ends_with("0 survived") && last.starts_with("163 changes"), "{last}");
}

#[test]
fn a_contract_without_tests_is_a_note() {
    let folder = Folder::new("test-none");
    folder.write("contract.yaml", CONTRACT);
    let run = interlock(&folder, &["test"]);
    assert_eq!(run.code, 0);
    assert_eq!(run.out, "0 tests: 0 passed, 0 failed\n");
    assert_eq!(run.err, "note: the contract `contract.yaml` has no tests; write them under `tests`\n");
}

#[test]
fn a_trace_may_be_in_a_file_beside_the_contract() {
    let folder = Folder::new("test-file");
    let tests =
        "tests: [{ name: twice, trace: twice.jsonl, expect: [{ call: c1, decision: block, rules: [once] }] }]\n";
    folder.write("contract.yaml", format!("{CONTRACT}{tests}"));
    let line = |id: &str| format!("{{\"call\":{{\"id\":\"{id}\",\"tool\":\"pay\",\"args\":{{}}}},\"result\":{{}}}}\n");
    folder.write("twice.jsonl", format!("{}{}", line("c0"), line("c1")));
    let run = interlock(&folder, &["test"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    folder.write("twice.jsonl", format!("{}{}{}", line("c0"), line("c1"), line("c2")));
    let run = interlock(&folder, &["test"]);
    assert_eq!(run.code, 1);
    assert!(run.out.contains("twice.jsonl:3: call `c2` of `pay`: decision"), "{}", run.out);
    folder.write("twice.jsonl", "{}\n");
    let run = interlock(&folder, &["test"]);
    assert_eq!((run.code, run.err.starts_with("twice.jsonl:1: error: ")), (2, true), "{}", run.err);
}

#[test]
fn less_than_is_asked_for_fails() {
    let folder = Folder::new("test-coverage");
    let tests = "tests: [{ name: once, trace: [{ call: pay, ok: {} }] }]\n";
    folder.write("contract.yaml", format!("{CONTRACT}{tests}"));
    let cover = |min: &str| interlock(&folder, &["test", "--coverage", "--min", min, "--format", "json"]);
    assert_eq!(cover("50").code, 0);
    let run = cover("51");
    assert_eq!(run.code, 1);
    assert!(run.out.contains("\"coverage\":50"), "{}", run.out);
}
