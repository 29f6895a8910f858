//! What the documentation shows of the command line is what it prints.
//!
//! A block `text explain RULE`, `json explain RULE` or `dot explain RULE` shows what is printed of a rule of the last `yaml
//! contract` before it; `text diff` and `json diff`, of the two last; `text replay` and `json replay`, of the last `json trace`; `text verify`, of the last `jsonl`, and `text
//! verify edited`, of the same with one letter changed; `json guarded`, what a client gets of the messages of the last `json client`
//! through a guard in front of a server that answers the first of them with the last `json server`. `UPDATE_DOCS=1` writes them anew.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use contract_runtime::journal::SigningKey;
use serde_json::Value;

use crate::run::{Folder, interlock, interlock_with};

fn pages() -> Vec<PathBuf> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let found = [docs.clone(), docs.join("language")].into_iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    let mut pages: Vec<_> = found.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect();
    pages.sort();
    pages
}

const VERIFY: [&str; 4] = ["verify", "audit.jsonl", "--trust", "audit.pub"];

/// What a block with this info shows; `None` for blocks of other kinds.
fn shown(info: &str, folder: &Folder) -> Option<String> {
    let words: Vec<_> = info.split(' ').collect();
    let run = match words.as_slice() {
        ["text", "explain", rule] => interlock(folder, &["explain", "contract.yaml", rule]),
        ["json", "explain", rule] => interlock(folder, &["explain", "contract.yaml", rule, "--format", "json"]),
        ["dot", "explain", rule] => interlock(folder, &["explain", "contract.yaml", rule, "--dot"]),
        ["text", "test", options @ ..] => interlock(folder, &[&["test", "contract.yaml"], options].concat()),
        ["json", "test", options @ ..] => {
            interlock(folder, &[&["test", "contract.yaml", "--format", "json"], options].concat())
        }
        ["text", "diff"] => interlock(folder, &["diff", "old.yaml", "contract.yaml"]),
        ["json", "diff"] => interlock(folder, &["diff", "old.yaml", "contract.yaml", "--format", "json"]),
        ["text", "replay"] => interlock(folder, &["replay", "contract.yaml", "trace.jsonl"]),
        ["json", "replay"] => interlock(folder, &["replay", "contract.yaml", "trace.jsonl", "--format", "json"]),
        ["text", "verify"] => interlock(folder, &VERIFY),
        ["text", "verify", "edited"] => {
            let journal = folder.path().join("audit.jsonl");
            let text = fs::read_to_string(&journal).unwrap();
            folder.write("audit.jsonl", text.replacen("\"tool\":\"pay\"", "\"tool\":\"say\"", 1));
            let run = interlock(folder, &VERIFY);
            folder.write("audit.jsonl", text);
            run
        }
        ["json", "guarded"] if cfg!(unix) => {
            let client = fs::read(folder.path().join("client.jsonl")).unwrap();
            let server = "if read line; then cat server.jsonl; fi; cat > unread";
            let guard = ["mcp", "--contract", "contract.yaml", "--", "sh", "-c", server];
            let mut run = interlock_with(folder, &guard, &client);
            folder.write("server.jsonl", "");
            // What it refuses, it says here too.
            run.err.clear();
            run
        }
        _ => return None,
    };
    assert_eq!(run.err, "", "{info}");
    Some(run.out)
}

#[test]
fn what_is_shown_is_what_is_printed() {
    let folder = Folder::new("docs");
    folder.write("server.jsonl", "").write("audit.pub", SigningKey::from_bytes(&[1; 32]).public().to_pem().unwrap());
    let mut seen = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        let mut actual = String::new();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            writeln!(actual, "{line}").unwrap();
            let Some(info) = line.strip_prefix("```").filter(|info| !info.is_empty()) else { continue };
            let block: String =
                lines.by_ref().take_while(|line| *line != "```").map(|line| format!("{line}\n")).collect();
            match info {
                "yaml contract" => {
                    let before = fs::read(folder.path().join("contract.yaml")).unwrap_or_default();
                    folder.write("old.yaml", before).write("contract.yaml", &block);
                }
                "jsonl" => drop(folder.write("audit.jsonl", &block)),
                "json client" => drop(folder.write("client.jsonl", &block)),
                "json server" => drop(folder.write("server.jsonl", &block)),
                "json trace" => drop(folder.write("trace.jsonl", &block)),
                _ => {}
            }
            let printed = shown(info, &folder);
            seen += usize::from(printed.is_some());
            writeln!(actual, "{}```", printed.unwrap_or(block)).unwrap();
        }
        if std::env::var_os("UPDATE_DOCS").is_some() {
            fs::write(&page, &actual).unwrap();
        }
        let same = text == actual || std::env::var_os("UPDATE_DOCS").is_some();
        assert!(same, "{}: look at it with UPDATE_DOCS=1 and git diff", page.display());
    }
    assert!(seen >= 4, "where have the blocks gone?");
}

/// The blocks of a page with this info.
fn blocks(page: &str, info: &str) -> Vec<String> {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(page)).unwrap();
    let of = |block: &str| block.strip_prefix(&format!("{info}\n")).map(str::to_owned);
    text.split("```").skip(1).step_by(2).filter_map(of).collect()
}

#[test]
fn every_configuration_of_a_client_starts_a_guard() {
    let folder = Folder::new("docs-config");
    let mut all = Vec::new();
    for block in blocks("mcp.md", "json config") {
        let config: Value = serde_json::from_str(&block).unwrap();
        let servers = config.as_object().unwrap().values().flat_map(|servers| servers.as_object().unwrap().values());
        all.extend(servers.map(|server| server["args"].clone()));
    }
    for block in blocks("mcp.md", "toml") {
        let list = block.split_once("args = ").unwrap().1.replace(",\n]", "\n]");
        all.push(serde_json::from_str(&list).unwrap());
    }
    assert_eq!(all.len(), 3);
    for args in &all {
        assert_eq!(args, &all[0]);
        let args: Vec<&str> = args.as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
        // All of it is understood; only the contract is not there.
        let run = interlock(&folder, &args);
        assert_eq!(run.code, 2);
        assert!(run.err.starts_with("error: cannot read the contract `/home/ann/files.yaml`"), "{run:?}");
    }
}

#[test]
fn the_guard_that_is_shown_is_that_of_the_example() {
    let code =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/mcp_guard/src/main.rs")).unwrap();
    let shown = blocks("mcp.md", "rust");
    let parts: Vec<&str> = shown.iter().flat_map(|block| block.trim().split("\n\n")).collect();
    assert!(parts.len() >= 3);
    for part in parts {
        assert!(code.contains(part), "{part}");
    }
}
