//! The session of a finding, from `lint --witness` to what `replay` makes of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::run::{Folder, Run, interlock};
use serde_json::Value;

/// A contract with one finding, which has a session: nothing stops `pay`.
const CONTRACT: &str = "version: 1
name: payments
default: allow
tools: { pay: { effect: irreversible }, look: { effect: read } }
rules:
  - { id: looked, call: look, require: args.x }
";

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn lines(run: &Run) -> Vec<Value> {
    run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The contracts that trigger a finding.
fn triggers() -> Vec<PathBuf> {
    let analysis = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/analysis");
    let of = |code: &String| {
        let folder = analysis.join(code);
        let triggers = names(&folder).into_iter().filter(|name| name.starts_with("trigger"));
        triggers.map(move |name| folder.join(name))
    };
    names(&analysis).iter().flat_map(of).collect()
}

/// Whether a replay came to what a finding says of its session.
fn comes_to(replayed: &[Value], shows: &Value) -> bool {
    if let Some(verdict) = shows.get("verdict") {
        let rule = shows["rule"].as_str().unwrap();
        return replayed.iter().any(|line| line["verdicts"].get(rule) == Some(verdict));
    }
    let decided = |line: &&Value| line.get("index").is_some() && line["index"] == shows["call"];
    replayed.iter().find(decided).is_some_and(|line| {
        let findings = line["findings"].as_array().unwrap();
        let mut rules = shows["rules"].as_array().unwrap().iter();
        line["decision"] == shows["decision"] && rules.all(|rule| findings.iter().any(|found| found["rule"] == *rule))
    })
}

/// What is wrong with the sessions of a contract; the codes of those that it has.
fn follow(contract: &Path) -> Result<BTreeSet<String>, String> {
    let folder = Folder::new("witness");
    let path = contract.to_str().unwrap();
    let before = contract.with_file_name("before.json");
    let catalog = if before.exists() { vec!["--catalog-before", before.to_str().unwrap()] } else { Vec::new() };
    let beside = names(contract.parent().unwrap());
    let lint = interlock(&folder, &[&["lint", "--format", "json", "--witness", "found", path][..], &catalog].concat());
    let refused = interlock(&folder, &["explain", path]).code == 2;
    let mut numbers: BTreeMap<String, u32> = BTreeMap::new();
    let mut written = BTreeSet::new();
    for finding in lines(&lint).into_iter().filter(|finding| finding.get("shows").is_some()) {
        let code = finding["code"].as_str().unwrap().to_owned();
        let number = numbers.entry(code.clone()).or_default();
        *number += 1;
        let name = format!("{}-{code}-{number}.jsonl", contract.file_stem().unwrap().to_str().unwrap());
        let run = interlock(&folder, &["replay", "--format", "json", path, &format!("found/{name}")]);
        if run.code > 1 || !comes_to(&lines(&run), &finding["shows"]) {
            return Err(format!("{name} does not come to {}: {run:?}", finding["shows"]));
        }
        let warned = run.err.starts_with("warning: the contract `") && run.err.contains("has errors");
        if warned != refused || (!refused && !run.err.is_empty()) {
            return Err(format!("refused: {refused}, but `replay` says {:?}", run.err));
        }
        written.insert(name);
    }
    let said: BTreeSet<String> = lint.err.lines().map(str::to_owned).collect();
    let expected: BTreeSet<String> = written.iter().map(|name| format!("wrote `found/{name}`")).collect();
    let there = names(&folder.path().join("found"));
    let nowhere_else = names(folder.path()).iter().all(|name| name == "found");
    if said != expected || there != written || !nowhere_else || names(contract.parent().unwrap()) != beside {
        return Err(format!("wrote {there:?} for {written:?}: {lint:?}"));
    }
    Ok(numbers.into_keys().collect())
}

#[test]
fn each_session_is_written_and_replays_to_what_it_shows() {
    let (mut wrong, mut shown, mut all) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    for contract in triggers() {
        let code = contract.parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
        match follow(&contract) {
            Ok(codes) => shown.extend(codes),
            Err(why) => wrong.push(format!("{}: {why}", contract.display())),
        }
        all.insert(code);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // That a bound was reached is of no session.
    let without: Vec<_> = all.difference(&shown).collect();
    assert_eq!(without, ["IL0509"]);
}

#[test]
fn what_is_there_already_is_left_alone() {
    let folder = Folder::new("witness-there");
    folder.write("contract.yaml", CONTRACT);
    let lint = || interlock(&folder, &["lint", "--witness", "found", "contract.yaml"]);
    assert_eq!(lint().code, 0);
    let path = folder.path().join("found/contract-IL0523-1.jsonl");
    let session = fs::read_to_string(&path).unwrap();
    assert_eq!(lint().code, 0, "the same again");

    let older = session.replacen("pay", "wire", 1);
    assert!(older != session);
    fs::write(&path, older).unwrap();
    assert_eq!(lint().code, 0, "an older one");
    assert_eq!(fs::read_to_string(&path).unwrap(), session);

    let spaced = session.replacen(':', ": ", 1);
    for other in [b"my notes\n".as_slice(), b"\xff\xfe", b"", b"{\"end\":true}", spaced.as_bytes()] {
        fs::write(&path, other).unwrap();
        let run = lint();
        assert!(run.code == 2 && run.err.contains("error: cannot write `found/contract-IL0523-1.jsonl`: "), "{run:?}");
        assert_eq!(fs::read(&path).unwrap(), other);
    }
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert_eq!(lint().code, 2, "a folder");
    assert_eq!(names(&folder.path().join("found")).len(), 1);
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_leads_nowhere() {
    let folder = Folder::new("witness-link");
    folder.write("contract.yaml", CONTRACT);
    fs::create_dir(folder.path().join("found")).unwrap();
    std::os::unix::fs::symlink("../outside.jsonl", folder.path().join("found/contract-IL0523-1.jsonl")).unwrap();
    for there in [false, true] {
        if there {
            folder.write("outside.jsonl", "{\"end\":true}\n");
        }
        assert_eq!(interlock(&folder, &["lint", "--witness", "found"]).code, 2);
        assert_eq!(names(folder.path()).contains("outside.jsonl"), there);
    }
    assert_eq!(fs::read_to_string(folder.path().join("outside.jsonl")).unwrap(), "{\"end\":true}\n");
}

#[test]
fn contracts_of_one_name_have_sessions_of_their_own() {
    let folder = Folder::new("witness-alike");
    for name in ["one", "two"] {
        fs::create_dir(folder.path().join(name)).unwrap();
        folder.write(&format!("{name}/contract.yaml"), CONTRACT.replace("pay", name));
    }
    let run = interlock(&folder, &["lint", "--witness", "found", "one/contract.yaml", "two/contract.yaml"]);
    assert_eq!(run.code, 0, "{run:?}");
    for (number, tool) in [(1, "one"), (2, "two")] {
        let session = folder.path().join(format!("found/contract-IL0523-{number}.jsonl"));
        assert!(fs::read_to_string(session).unwrap().contains(&format!("\"tool\":\"{tool}\"")));
    }
}
