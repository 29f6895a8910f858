//! Contracts for public MCP servers, held against what these say of their tools (`tests/catalogs`).

#![expect(clippy::unwrap_used, reason = "test code")]

use std::fs;
use std::path::{Path, PathBuf};

use contract_lang::catalog::Reply;
use contract_lang::diagnostic::{Level, render};
use contract_lang::{Checked, Depth, FileOptions, check_file};

fn files(ending: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("catalogs");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.to_string_lossy().ends_with(ending));
    paths.sort();
    paths
}

fn checked(path: &Path) -> Checked {
    let options = FileOptions { depth: Depth::Lint, ..FileOptions::default() };
    check_file(path, &path.display().to_string(), &options).unwrap().0
}

#[test]
fn every_catalog_is_read_and_has_a_contract() {
    let catalogs = files(".json");
    assert_eq!(catalogs.len(), 9);
    let mut tools = 0;
    for path in catalogs {
        let reply = Reply::parse(&fs::read_to_string(&path).unwrap()).unwrap();
        assert!(!reply.is_cut && !reply.is_part && reply.tools.iter().all(|tool| tool.server.is_some()));
        tools += reply.tools.len();
        assert!(path.with_extension("yaml").exists() && path.with_extension("mistakes.yaml").exists());
    }
    assert_eq!(tools, 179);
}

#[test]
fn the_contracts_are_clean() {
    for path in files(".yaml").into_iter().filter(|path| !path.to_string_lossy().ends_with(".mistakes.yaml")) {
        let checked = checked(&path);
        let shown = render::short(&checked.source, &checked.diagnostics);
        assert!(checked.diagnostics.iter().all(|found| found.level == Level::Note), "{shown}");
    }
}

#[test]
fn every_mistake_is_found_at_its_line() {
    for path in files(".mistakes.yaml") {
        let text = fs::read_to_string(&path).unwrap();
        let planted = text.lines().enumerate().filter_map(|(at, line)| Some((at + 1, line.rsplit_once("# IL")?.1)));
        let expected: Vec<(usize, String)> = planted.map(|(at, code)| (at, format!("IL{code}"))).collect();
        let checked = checked(&path);
        let mut found: Vec<(usize, String)> = Vec::new();
        for each in &checked.diagnostics {
            let code = each.code.as_str();
            let at = (checked.source.position(each.primary.span.start).line as usize, code.to_owned());
            if (code == "IL0403" || code.starts_with("IL054")) && !found.contains(&at) {
                found.push(at);
            }
        }
        let shown = render::short(&checked.source, &checked.diagnostics);
        assert_eq!(found, expected, "{}\n{shown}", path.display());
    }
}
