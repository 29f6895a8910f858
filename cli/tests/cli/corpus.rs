//! The command line decides the corpus as the corpus says: the whole way from two files to JSON lines.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::run::{Folder, interlock};
use serde_json::Value;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests")
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries.filter(|path| path.extension().is_some_and(|found| found == extension)).collect();
    files.sort();
    files
}

/// What the lines of a replay come to, in the form of an `.expect` file.
fn outcome(lines: &[Value]) -> String {
    let mut out = String::new();
    let mut violated = BTreeSet::new();
    let mut rules = Vec::new();
    let mut calls = 0..;
    for line in lines {
        if let Some(decision) = line["decision"].as_str() {
            let findings = line["findings"].as_array().unwrap();
            let stronger = findings.iter().filter(|finding| finding["action"] != "allow");
            let found: Vec<_> = stronger.map(|finding| finding["rule"].as_str().unwrap()).collect();
            let line = format!("{} {decision} {}", calls.next().unwrap(), found.join(","));
            out.push_str(line.trim_end());
            out.push('\n');
        } else if let Some(verdicts) = line["verdicts"].as_object() {
            rules = verdicts.keys().cloned().collect();
            violated
                .extend(verdicts.iter().filter(|(_, verdict)| *verdict == "violated").map(|(rule, _)| rule.clone()));
        }
    }
    let violated: Vec<_> = rules.into_iter().filter(|rule| violated.contains(rule)).collect();
    out.push_str(format!("end {}", violated.join(",")).trim_end());
    out.push('\n');
    out
}

/// The decisions and the end, without what else an expectation says; the rules of the last line in alphabetical order, as
/// those of a JSON object may be.
fn normal(expected: &str) -> String {
    let decides = |line: &&str| {
        let word = line.split(' ').nth(1).unwrap_or_default();
        line.starts_with("end") || ["allow", "alert", "ask", "block"].contains(&word)
    };
    let expected = expected.lines().filter(decides).collect::<Vec<_>>().join("\n");
    let (calls, end) = expected.rsplit_once('\n').unwrap_or(("", &expected));
    let mut rules: Vec<_> = end.trim_start_matches("end").split([',', ' ']).filter(|rule| !rule.is_empty()).collect();
    rules.sort_unstable();
    format!("{calls}\nend {}", rules.join(",")).trim_end().to_owned()
}

#[test]
fn every_trace_is_decided_as_it_says() {
    let mut count = 0;
    let mut wrong = Vec::new();
    for contract in files(&corpus().join("contracts"), "yaml") {
        for trace in files(&corpus().join("traces").join(contract.file_stem().unwrap()), "jsonl") {
            let folder = Folder::new("corpus");
            let run = interlock(
                &folder,
                &["replay", contract.to_str().unwrap(), trace.to_str().unwrap(), "--format", "json"],
            );
            let lines: Vec<Value> = run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            let expected = std::fs::read_to_string(trace.with_extension("expect")).unwrap();
            let (found, expected) = (normal(&outcome(&lines)), normal(&expected));
            if found != expected || run.code > 1 {
                wrong.push(format!("{}\nfound\n{found}\nexpected\n{expected}\n{}", trace.display(), run.err));
            }
            count += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 50, "{count} traces");
}

#[test]
fn every_contract_has_no_errors_and_can_be_explained_and_compiled() {
    let folder = Folder::new("corpus-lint");
    for contract in files(&corpus().join("contracts"), "yaml") {
        let path = contract.to_str().unwrap();
        let run = interlock(&folder, &["lint", path]);
        assert_eq!(run.code, 0, "{path}: {}", run.err);
        let run = interlock(&folder, &["explain", path, "--format", "json"]);
        assert_eq!(run.code, 0, "{path}: {}", run.err);
        for line in run.out.lines() {
            let rule: Value = serde_json::from_str(line).unwrap();
            let human = interlock(&folder, &["explain", path, rule["rule"].as_str().unwrap()]);
            assert!(human.code == 0 && human.out.contains("says"), "{path}: {human:?}");
        }
        let run = interlock(&folder, &["compile", path]);
        assert!(run.code == 0 && run.out.contains("pub struct"), "{path}: {}", run.err);
    }
}
