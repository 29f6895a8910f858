//! `mcp` and `doctor`: what they say of themselves, wrong usage, and a canary on ways with and without a guard.

use crate::run::{Folder, Run, interlock};
use serde_json::Value;

const CONTRACT: &str = "version: 1\nname: files\nundeclared: block\ntools: { read: { effect: read }, write: { effect: write } }\nrules:\n  \
    - { id: not-there, call: write, require: 'starts_with(args.path, \"/srv/\")' }\n";

/// A server that writes down what it is called with, and ends when its input does. It says of every tool that it ran.
const SERVER: &str = r#"while read line; do
id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
case "$line" in
*'"initialize"'*) r='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"stub","version":"1"}}';;
*'"tools/list"'*) r='{"tools":[{"name":"read","description":"Reads.","inputSchema":{}},{"name":"write","inputSchema":{}}]}';;
*'"tools/call"'*) printf '%s\n' "$line" >> called; r='{"content":[{"type":"text","text":"done"}]}';;
*) continue;;
esac
echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$r}"
done
"#;

fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("files.yaml", CONTRACT).write("server.sh", SERVER);
    folder
}

/// A command line with the guard in front of the server.
fn guarded(options: &[&str]) -> Vec<String> {
    let guard = [env!("CARGO_BIN_EXE_interlock"), "mcp", "--contract", "files.yaml"];
    [&guard[..], options, &["--", "sh", "server.sh"]].concat().into_iter().map(str::to_owned).collect()
}

#[test]
fn the_help_says_how_a_server_is_guarded_and_checked() {
    let folder = Folder::new("guard-help");
    let help = interlock(&folder, &["mcp", "--help"]);
    assert_eq!((help.code, help.err.as_str()), (0, ""));
    for part in ["-- <COMMAND>...", "--contract <FILE>", "--journal <JOURNAL>", "--protocol-errors", "Exit codes: 0"] {
        assert!(help.out.contains(part), "{part}: {}", help.out);
    }
    let help = interlock(&folder, &["doctor", "--help"]);
    assert!(help.out.contains("--config <FILE>") && help.out.contains("Exit codes: 0"), "{}", help.out);
    assert!(!interlock(&folder, &["--help"]).out.contains("  become"));
}

#[test]
fn shells_and_man_pages_know_them() {
    let folder = Folder::new("guard-completions");
    let run = interlock(&folder, &["completions", "bash"]);
    for part in ["mcp", "doctor", "--protocol-errors", "--allow-changed-tools"] {
        assert!(run.out.contains(part), "{part}");
    }
    assert_eq!(interlock(&folder, &["man", "pages"]).code, 0);
    for page in ["interlock-mcp.1", "interlock-doctor.1"] {
        assert!(folder.path().join("pages").join(page).exists(), "{page}");
    }
}

#[test]
fn a_guard_that_cannot_be_started_says_why_and_starts_no_server() {
    let folder = folder("guard-usage");
    folder.write("wrong.yaml", "version: 1\nname: wrong\nrules: [{ id: r, forbid: x, per: y }]\n");
    let guard = |arguments: &[&str]| -> Run {
        let run = interlock(&folder, &[&["mcp"], arguments].concat());
        assert!(run.code == 2 && run.out.is_empty(), "{arguments:?}: {run:?}");
        run
    };
    for (arguments, says) in [
        (&["--contract", "none.yaml", "--", "touch", "started"][..], "cannot read the contract `none.yaml`"),
        (
            &["--contract", "wrong.yaml", "--", "touch", "started"],
            "the contract `wrong.yaml` has errors and is not used",
        ),
        (&["--contract", "files.yaml", "--context", "[]", "--", "touch", "started"], "`--context` is no JSON object"),
        (&["--contract", "files.yaml", "--journal", "no/such/folder/j", "--", "touch", "started"], "error: "),
        (&["--contract", "files.yaml", "--key", "k", "--", "touch", "started"], "--journal"),
        (
            &["--contract", "files.yaml", "--fail-open", "--fail-closed", "--", "touch", "started"],
            "cannot be used with",
        ),
        (&["--contract", "files.yaml"], "Usage: interlock mcp"),
        (&["--contract", "files.yaml", "touch", "started"], "Usage: interlock mcp"),
    ] {
        let run = guard(arguments);
        assert!(run.err.contains(says), "{arguments:?}: {}", run.err);
    }
    assert!(!folder.path().join("started").exists());
}

#[cfg(unix)]
#[test]
fn a_server_that_is_not_there_is_said_to_be() {
    let folder = folder("guard-no-server");
    let run = interlock(&folder, &["mcp", "--contract", "files.yaml", "--", "./no-such-server"]);
    assert!(run.err.contains("the server `./no-such-server` cannot be run"), "{run:?}");
    assert_eq!((run.code, run.out.as_str()), (127, ""));
}

#[cfg(unix)]
#[test]
fn a_journal_has_one_guard_at_a_time() {
    use std::io::Write as _;
    use std::process::{Command, Stdio};

    let folder = folder("guard-journal");
    let words = guarded(&["--journal", "j"]);
    let mut first = Command::new(&words[0])
        .args(&words[1..])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = first.stdin.take().unwrap();
    input.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n").unwrap();
    // Its answer says that the guard runs.
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(first.stdout.take().unwrap()), &mut line).unwrap();
    assert!(line.contains("Reads."), "{line}");
    let words: Vec<&str> = words[1..].iter().map(String::as_str).collect();
    let second = interlock(&folder, &words);
    assert!(second.code == 2 && second.err.contains("error: ") && second.err.contains('j'), "{second:?}");
    drop(input);
    assert!(first.wait().unwrap().success());
}

#[cfg(unix)]
fn doctor(folder: &Folder, command: &[String]) -> (i32, Vec<(String, String, String)>) {
    let words: Vec<&str> = command.iter().map(String::as_str).collect();
    let run = interlock(folder, &[&["doctor", "--format", "json", "--"], &words[..]].concat());
    let text = |line: &Value, key: &str| line[key].as_str().unwrap().to_owned();
    let lines = run.out.lines().map(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        (text(&line, "check"), text(&line, "status"), text(&line, "says"))
    });
    (run.code, lines.collect())
}

#[cfg(unix)]
fn status<'a>(found: &'a [(String, String, String)], check: &str) -> &'a str {
    found.iter().find(|(name, ..)| name == check).map_or("", |(_, status, _)| status)
}

#[cfg(unix)]
#[test]
fn a_way_with_a_guard_is_proved_to_block() {
    let folder = folder("doctor-guarded");
    for options in [&["--journal", "j"][..], &["--journal", "j", "--protocol-errors"], &["--server", "fs"]] {
        let (code, found) = doctor(&folder, &guarded(options));
        assert_eq!(code, 0, "{found:?}");
        for check in ["contract", "mode", "path", "tools", "canary"] {
            assert_eq!(status(&found, check), "ok", "{check}: {found:?}");
        }
        let journal = if options[0] == "--journal" { "ok" } else { "not_checked" };
        assert_eq!(status(&found, "journal"), journal, "{found:?}");
    }
    assert!(!folder.path().join("called").exists(), "a call reached the server");
    let words = guarded(&[]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let run = interlock(&folder, &[&["doctor", "--"], &words[..]].concat());
    assert!(run.code == 0 && run.out.ends_with("\na forbidden call is blocked\n"), "{run:?}");
}

#[cfg(unix)]
#[test]
fn a_way_without_a_guard_fails() {
    let folder = folder("doctor-bare");
    let (code, found) = doctor(&folder, &["sh".to_owned(), "server.sh".to_owned()]);
    assert_eq!((code, status(&found, "guard"), status(&found, "canary")), (1, "failed", "failed"), "{found:?}");
    // What reached the server is a tool that nobody has.
    let called = std::fs::read_to_string(folder.path().join("called")).unwrap();
    assert!(called.lines().count() == 1 && called.contains("interlock_canary_"), "{called}");
    // A server that imitates the words, but is not the contract's guard.
    folder.write(
        "server.sh",
        SERVER.replace(
            "\"text\":\"done\"}]",
            "\"text\":\"`x` did not run: the contract `files` blocks it\"}],\"isError\":true",
        ),
    );
    let (code, found) = doctor(&folder, &["sh".to_owned(), "server.sh".to_owned()]);
    assert_eq!((code, status(&found, "canary")), (1, "failed"), "{found:?}");
}

#[cfg(unix)]
#[test]
fn what_weakens_a_guard_is_found() {
    let folder = folder("doctor-weak");
    let with = |contract: &str, options: &[&str]| {
        folder.write("files.yaml", contract);
        doctor(&folder, &guarded(options))
    };
    let (code, found) = with(CONTRACT, &["--mode", "shadow"]);
    assert_eq!((code, status(&found, "mode")), (1, "failed"), "{found:?}");
    // The contract would let the canary run, so none is sent.
    let open = "version: 1\nname: files\nundeclared: allow\ntools: { read: { effect: read } }\ndefault: allow\n";
    let (code, found) = with(open, &[]);
    assert_eq!((code, status(&found, "canary"), status(&found, "tools")), (1, "not_checked", "ok"), "{found:?}");
    let silent = open.replace("undeclared: allow\n", "");
    let (code, found) = with(&silent, &[]);
    assert_eq!((code, status(&found, "tools")), (1, "failed"), "{found:?}");
    // One rule is enough for a canary, if what it forbids can be made up.
    let (code, found) = with(&format!("{open}rules: [{{ id: no, forbid: 'drop_*' }}]\n"), &[]);
    assert_eq!((code, status(&found, "canary")), (0, "ok"), "{found:?}");
    let (code, found) = with("version: 1\nname: files\nrules: [{ id: r, forbidd: x }]\n", &[]);
    assert_eq!((code, status(&found, "contract"), status(&found, "path")), (1, "failed", "failed"), "{found:?}");
    assert!(!folder.path().join("called").exists());
}

#[cfg(unix)]
#[test]
fn tools_are_held_against_the_catalog() {
    let folder = folder("doctor-pins");
    folder.write("files.yaml", format!("{CONTRACT}catalog: [tools.json]\n"));
    let tools =
        r#"{"tools":[{"name":"read","description":"Reads.","inputSchema":{}},{"name":"write","inputSchema":{}}]}"#;
    folder.write("tools.json", tools);
    let (code, found) = doctor(&folder, &guarded(&[]));
    assert_eq!((code, status(&found, "pins")), (0, "ok"), "{found:?}");
    folder.write("tools.json", tools.replace("Reads.", "Reads a file."));
    let (code, found) = doctor(&folder, &guarded(&[]));
    assert_eq!((code, status(&found, "pins")), (1, "failed"), "{found:?}");
}

#[cfg(unix)]
#[test]
fn the_servers_of_a_configuration_are_started_as_the_client_does() {
    let folder = folder("doctor-config");
    let words = guarded(&[]);
    let config = serde_json::json!({ "mcpServers": {
        "files": { "command": words[0], "args": words[1..], "env": { "A": "1" }, "cwd": folder.path() },
        "bare": { "type": "stdio", "command": "sh", "args": ["server.sh"] },
        "far": { "type": "http", "url": "https://example.com/mcp" },
        "open": { "command": "sh", "args": ["${workspaceFolder}/server.sh"] },
    }});
    folder.write("mcp.json", config.to_string());
    let run = interlock(&folder, &["doctor", "--config", "mcp.json", "--server", "files"]);
    assert!(run.code == 0 && run.out.starts_with("files\nok          contract  `files`"), "{run:?}");
    let run = interlock(&folder, &["doctor", "--config", "mcp.json"]);
    assert_eq!(run.code, 1, "{run:?}");
    for part in ["bare\nFAILED      guard", "it is reached over HTTP", "which the client fills in"] {
        assert!(run.out.contains(part), "{part}: {}", run.out);
    }
    folder.write("vscode.json", config.to_string().replace("mcpServers", "servers"));
    assert_eq!(interlock(&folder, &["doctor", "--config", "vscode.json", "--server", "files"]).code, 0);
    folder.write("config.toml", "[mcp_servers.files]\n").write("empty.json", "{}");
    for arguments in [
        &["--config", "mcp.json", "--server", "other"][..],
        &["--config", "none.json"],
        &["--config", "config.toml"],
        &["--config", "empty.json"],
        &[],
    ] {
        let run = interlock(&folder, &[&["doctor"], arguments].concat());
        assert!(run.code == 2 && run.out.is_empty() && !run.err.is_empty(), "{arguments:?}: {run:?}");
    }
}
