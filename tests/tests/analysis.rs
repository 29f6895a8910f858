//! Every finding of analysis has a contract that triggers it, one that nearly does, and a session that shows it.
//!
//! `tests/analysis/CODE/trigger*.yaml` has to give the code, `near*.yaml` must not. The first line of a trigger says how sure
//! the finding is: `# expect: proved`, `possible` or `inconclusive`. A finding that asks for a session has to have one, and it
//! has to come to what it shows.

use std::fs;
use std::path::{Path, PathBuf};

use contract_lang::analysis::search::replays;
use contract_lang::diagnostic::{Code, Diagnostic, render};
use contract_lang::interpret::Interpreted;
use contract_lang::{Checked, Depth, FileOptions, check_file};

/// The codes that need a folder besides IL05xx: those with a session.
const WITH_SESSION: [Code; 8] = [
    Code::NoBound,
    Code::EqualPatterns,
    Code::ClaimedState,
    Code::CloseOnOk,
    Code::DetectsOnly,
    Code::NeverCommitted,
    Code::NeverSatisfied,
    Code::NeverViolated,
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("analysis")
}

/// The contracts of a code whose names begin so, in order.
fn contracts(code: Code, kind: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder().join(code.as_str())).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(kind) && [".yaml", ".contract"].iter().any(|ending| name.ends_with(ending))
    });
    paths.sort();
    paths
}

/// A contract, checked; `before.json` in its folder is an older catalog.
fn checked(path: &Path) -> Checked {
    let before: Vec<PathBuf> =
        Some(path.with_file_name("before.json")).filter(|path| path.exists()).into_iter().collect();
    let options = FileOptions { depth: Depth::Lint, before: &before, ..FileOptions::default() };
    check_file(path, &path.display().to_string(), &options).unwrap().0
}

fn shown(checked: &Checked) -> String {
    render::short(&checked.source, &checked.diagnostics)
}

fn triggers(path: &Path, code: Code) -> Result<(), String> {
    let text = fs::read_to_string(path).unwrap();
    let expected = text.lines().next().and_then(|line| line.split_once("expect: ")).map(|(_, expected)| expected);
    let expected = expected.ok_or("the first line says nothing of what to expect")?;
    let checked = checked(path);
    let found: Vec<&Diagnostic> = checked.diagnostics.iter().filter(|found| found.code == code).collect();
    let sure = |found: &&&Diagnostic| found.certainty.map_or("proved", |certainty| certainty.as_str()) == expected;
    let Some(found) = found.iter().find(sure) else {
        return Err(format!("expected {expected}, found\n{}", shown(&checked)));
    };
    match &found.witness {
        None if found.goal.is_some() => Err("no session shows it".to_owned()),
        None => Ok(()),
        Some(witness) => {
            let contract = checked.contract.as_ref().or(checked.runnable.as_ref()).ok_or("it has no meaning")?;
            let replayed = replays(&Interpreted::new(contract.clone()), witness);
            replayed.then_some(()).ok_or_else(|| format!("the session does not come to {:?}", witness.shows))
        }
    }
}

#[test]
fn every_code_has_a_contract_that_triggers_it_and_one_that_nearly_does() {
    let missing: Vec<String> = Code::ALL
        .iter()
        .filter(|code| code.as_str().starts_with("IL05") || WITH_SESSION.contains(code))
        .flat_map(|code| ["trigger", "near"].map(|kind| (*code, kind)))
        .filter(|(code, kind)| contracts(*code, kind).is_empty())
        .map(|(code, kind)| format!("{}/{kind}.yaml", code.as_str()))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
    for entry in fs::read_dir(folder()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(Code::from_spelling(&name).is_some(), "{name}");
    }
}

#[test]
fn each_trigger_gives_its_code_and_a_session_that_shows_it() {
    let mut failures = Vec::new();
    for code in Code::ALL {
        for path in contracts(*code, "trigger") {
            if let Err(why) = triggers(&path, *code) {
                failures.push(format!("{}: {why}", path.display()));
            }
        }
        for path in contracts(*code, "near") {
            let checked = checked(&path);
            if checked.diagnostics.iter().any(|found| found.code == *code) {
                failures.push(format!("{}: {}", path.display(), shown(&checked)));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
