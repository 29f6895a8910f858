//! `init`: from nothing, from a file, and from servers that are shell scripts, hostile ones among them.

use std::fs;

use crate::run::{Folder, Run, interlock};

const TOOLS: &str = r#"{"tools": [{"name": "get_issue", "description": "Gets it.", "annotations": {"readOnlyHint": true},
  "inputSchema": {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]}},
  {"name": "delete_issue", "inputSchema": {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]}}]}"#;

fn clean(folder: &Folder, file: &str) {
    let run = interlock(folder, &["lint", "--deny", "warnings", "--format", "short", file]);
    assert!(run.code == 0 && !run.out.contains("warning["), "{run:?}");
}

#[test]
fn a_contract_to_start_from_is_written_once_and_lints_clean() {
    let folder = Folder::new("init");
    let run = interlock(&folder, &["init", "--name", "desk"]);
    assert!(run.code == 0 && run.out.is_empty() && run.err.contains("wrote `contract.yaml`"), "{run:?}");
    assert!(fs::read_to_string(folder.path().join("contract.yaml")).unwrap().contains("\nname: desk\n"));
    clean(&folder, "contract.yaml");
    let run = interlock(&folder, &["init"]);
    assert!(run.code == 2 && run.err.contains("`contract.yaml` exists, and is not overwritten"), "{run:?}");
    let run = interlock(&folder, &["init", "-o", "-"]);
    assert!(run.code == 0 && run.out.contains("\nversion: 1\nname: my-agent\n") && run.err.is_empty(), "{run:?}");
    for arguments in [
        &["init", "--name", "a: b"][..],
        &["init", "--from-server"],
        &["init", "--", "cat"],
        &["init", "--save", "x.json"],
        &["init", "--from", "none.json", "-o", "-"],
    ] {
        assert_eq!(interlock(&folder, arguments).code, 2, "{arguments:?}");
    }
}

#[test]
fn the_tools_of_a_file_are_declared() {
    let folder = Folder::new("init-from");
    folder.write("tools.json", TOOLS);
    let run = interlock(&folder, &["init", "--from", "tools.json"]);
    assert!(run.code == 0 && run.err.contains("with 2 tools"), "{run:?}");
    let text = fs::read_to_string(folder.path().join("contract.yaml")).unwrap();
    for part in [
        "catalog: [\"tools.json\"]\n",
        "  # Gets it.\n  # the server says: readOnlyHint: true (not trusted)\n  get_issue: { effect: irreversible }\n",
        "#    must_precede: { first: get_issue, then: delete_issue }\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    clean(&folder, "contract.yaml");
    folder.write("broken.json", "{");
    let run = interlock(&folder, &["init", "--from", "broken.json", "-o", "-"]);
    assert!(run.code == 2 && run.err.contains("is no list of tools"), "{run:?}");
}

/// Runs `init` with a server that is a shell script.
#[cfg(unix)]
fn from_server(folder: &Folder, script: &str, more: &[&str]) -> Run {
    folder.write("server.sh", script);
    let arguments = [&["init", "--from-server", "-o", "-"], more, &["--", "sh", "server.sh"]].concat();
    interlock(folder, &arguments)
}

/// A server that greets, and then does something with each line that it gets.
#[cfg(unix)]
fn greeting(then: &str) -> String {
    let hello = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}"#;
    format!("read line\necho '{hello}'\nread line\nn=2\nwhile read line; do\n{then}\nn=$((n+1))\ndone\n")
}

#[cfg(unix)]
#[test]
fn a_server_is_asked_for_the_tools_of_all_pages() {
    let folder = Folder::new("init-server");
    let script = greeting(
        r#"case "$n" in
2) echo 'starting up …'
   echo '{"jsonrpc":"2.0","method":"notifications/message","params":{}}'
   echo '{"jsonrpc":"2.0","id":"p","method":"ping"}'
   read pong
   echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"get_issue","description":"Gets\u202e it.","inputSchema":{}}],"nextCursor":"b"}}' ;;
3) echo '{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"delete_issue","inputSchema":{}}]}}' ;;
esac"#,
    );
    folder.write("server.sh", script);
    let arguments = ["init", "--from-server", "--save", "tools.json", "-o", "contract.yaml", "--", "sh", "server.sh"];
    let run = interlock(&folder, &arguments);
    assert!(run.code == 0 && run.err.contains("with 2 tools"), "{run:?}");
    let text = fs::read_to_string(folder.path().join("contract.yaml")).unwrap();
    assert!(
        text.contains("  get_issue: {") && text.contains("  delete_issue: {") && text.contains("Gets\\u{202e} it."),
        "{text}"
    );
    let saved = fs::read_to_string(folder.path().join("tools.json")).unwrap();
    assert!(saved.contains("\\u202e") && saved.contains("\"server\": \"s\""), "{saved}");
    clean(&folder, "contract.yaml");
    let run =
        interlock(&folder, &["init", "--from-server", "-o", "b.yaml", "--save", "tools.json", "--", "sh", "server.sh"]);
    assert!(run.code == 2 && run.err.contains("`tools.json` exists"), "{run:?}");
}

#[cfg(unix)]
#[test]
fn a_server_that_does_not_behave_is_refused_with_a_reason() {
    let folder = Folder::new("init-hostile");
    let pages = greeting(r#"echo "{\"jsonrpc\":\"2.0\",\"id\":$n,\"result\":{\"tools\":[],\"nextCursor\":\"c$n\"}}""#);
    let circle = greeting(r#"echo "{\"jsonrpc\":\"2.0\",\"id\":$n,\"result\":{\"tools\":[],\"nextCursor\":\"c\"}}""#);
    let refuses =
        greeting(r#"printf '{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"no\\u001b[31m\\u202eway"}}\n'"#);
    for (script, said) in [
        ("exit 0\n", "the server ended before it answered"),
        ("read line\nprintf '%s' \"$line\"\n", "the server ended before it answered"),
        ("cat /dev/zero\n", "a line of more bytes, and 16777216 is the most"),
        ("yes\n", "does not speak MCP: `y` is no message"),
        ("yes '{}'\n", "more messages, and 10000 is the most"),
        (&pages, "more pages, and 1000 is the most"),
        (&circle, "its pages go in a circle"),
        (&refuses, "the server refuses: no\\u{1b}[31m\\u{202e}way"),
        (
            &greeting("echo '{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[{}]}}'"),
            "one of its tools has no `name`",
        ),
        (&greeting("echo '{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":[]}'"), "has no `tools`"),
        (&greeting("echo '{\"jsonrpc\":\"2.0\",\"id\":2}'"), "neither `result` nor `error`"),
    ] {
        let run = from_server(&folder, script, &[]);
        assert!(run.code == 2 && run.out.is_empty() && run.err.contains(said), "{said}: {run:?}");
        assert!(!run.err.contains('\u{1b}') && !run.err.contains('\u{202e}'));
    }
    let run = from_server(&folder, "exec sleep 600\n", &["--timeout", "1"]);
    assert!(run.code == 2 && run.err.contains("did not answer in time"), "{run:?}");
    let run = interlock(&folder, &["init", "--from-server", "-o", "-", "--", "./no-such-program"]);
    assert!(run.code == 2 && run.err.contains("the server cannot be started"), "{run:?}");
}
