//! The contracts that others learn from have nothing for lint to find: no errors and no warnings, by all that it can prove. Where a
//! contract does on purpose what lint warns of, it says so with `lint`.

#![expect(clippy::unwrap_used, reason = "test code: a file that cannot be read fails the test")]

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use contract_lang::diagnostic::Level;
use contract_lang::{Depth, FileOptions, check_file};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The contracts in a folder and those in it.
fn contracts(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let extension = path.extension().and_then(|extension| extension.to_str());
        if path.is_dir() {
            contracts(&path, found);
        } else if matches!(extension, Some("yaml" | "contract"))
            && fs::read_to_string(&path)
                .unwrap()
                .lines()
                .any(|line| line == "version: 1" || line.starts_with("contract "))
        {
            found.push(path);
        }
    }
}

/// What lint has against a contract.
fn found(path: &Path) -> Vec<String> {
    let options = FileOptions { depth: Depth::Lint, ..FileOptions::default() };
    let (checked, _) = check_file(path, &path.display().to_string(), &options).unwrap();
    let bad = checked.diagnostics.iter().filter(|found| found.level >= Level::Warning);
    bad.map(|found| format!("{}: {:?}: {}", path.display(), found.code, found.message)).collect()
}

#[test]
fn contracts_to_learn_from_are_clean() {
    let mut all = Vec::new();
    for folder in ["tests/contracts", "examples", "cli/src/command/demo"] {
        contracts(&root().join(folder), &mut all);
    }
    all.sort();
    assert!(all.len() > 70, "where have the contracts gone?");
    let half = all.len().div_ceil(2);
    let said = thread::scope(|scope| {
        let each: Vec<_> = all
            .chunks(half)
            .map(|part| scope.spawn(move || part.iter().flat_map(|path| found(path)).collect::<Vec<_>>()))
            .collect();
        each.into_iter().flat_map(|part| part.join().unwrap()).collect::<Vec<_>>()
    });
    assert!(said.is_empty(), "{}", said.join("\n"));
}
