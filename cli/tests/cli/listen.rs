//! `mcp --listen`: a guard in front of a server that is reached over HTTP.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::thread;

use crate::run::{Folder, interlock};

const CONTRACT: &str = "version: 1\nname: files\ntools: { read: { effect: read }, write: { effect: write } }\nrules:\n  - { id: no, forbid: write }\n";

/// The head and the body of what comes next.
fn hear(from: &mut BufReader<TcpStream>) -> Option<(String, String)> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if from.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length =
        head.to_ascii_lowercase().lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    from.read_exact(&mut body).ok()?;
    Some((head, String::from_utf8(body).unwrap()))
}

/// A server that says of every request that it is done.
fn server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            thread::spawn(move || {
                let mut stream = BufReader::new(stream.unwrap());
                while hear(&mut stream).is_some() {
                    let body = r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#;
                    let head =
                        format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}", body.len());
                    stream
                        .get_mut()
                        .write_all(format!("{head}\r\nmcp-session-id: s1\r\n\r\n{body}").as_bytes())
                        .unwrap();
                }
            });
        }
    });
    url
}

fn post(to: &str, session: &str, body: &str) -> (String, String) {
    let mut stream = BufReader::new(TcpStream::connect(to).unwrap());
    let length = body.len();
    let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
    stream.get_mut().write_all(format!("{head}{session}content-length: {length}\r\n\r\n{body}").as_bytes()).unwrap();
    hear(&mut stream).unwrap()
}

#[test]
fn a_guard_listens_blocks_records_and_ends_when_it_is_asked_to() {
    let folder = Folder::new("listen");
    folder.write("files.yaml", CONTRACT);
    let mut guard = Command::new(env!("CARGO_BIN_EXE_interlock"))
        .args([
            "mcp",
            "--contract",
            "files.yaml",
            "--journal",
            "j.jsonl",
            "--listen",
            "127.0.0.1:0",
            "--upstream",
            &server(),
        ])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(guard.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address =
        line.trim_end().strip_prefix("listening on http://").and_then(|url| url.strip_suffix("/mcp")).unwrap();
    post(address, "", r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#);
    let call = |tool: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}"}}}}"#);
    let (_, blocked) = post(address, "mcp-session-id: s1\r\n", &call("write"));
    assert!(blocked.contains("did not run"), "{blocked}");
    let (_, ran) = post(address, "mcp-session-id: s1\r\n", &call("read"));
    assert_eq!(ran, r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#);
    assert!(Command::new("kill").arg(guard.id().to_string()).status().unwrap().success());
    assert_eq!(guard.wait().unwrap().code(), Some(0));
    let verified = interlock(&folder, &["verify", "j.jsonl"]);
    assert_eq!(verified.code, 0, "{verified:?}");
    let shown = interlock(&folder, &["show", "j.jsonl"]);
    assert!(shown.out.contains("write") && shown.out.contains("read"), "{shown:?}");
}

#[test]
fn what_cannot_be_listened_at_or_reached_is_told_at_once() {
    let folder = Folder::new("listen-usage");
    folder.write("files.yaml", CONTRACT);
    for (arguments, says) in [
        (&["--listen", "127.0.0.1:0"][..], "--upstream"),
        (&["--upstream", "http://a/mcp", "--", "true"], "--listen"),
        (&["--listen", "127.0.0.1:0", "--upstream", "http://a/mcp", "--", "true"], "cannot be used with"),
        (&["--listen", "0.0.0.0:0", "--upstream", "http://a/mcp"], "--allow-host"),
        (&["--listen", "127.0.0.1:0", "--upstream", "a"], "`a`"),
        (&["--listen", "127.0.0.1:0", "--upstream", "https://a/mcp", "--upstream-ca", "none.pem"], "`none.pem`"),
        (&["--listen", "127.0.0.1:0", "--upstream", "http://a/mcp", "--session", "cookie"], "header:NAME"),
        (&["--session", "bearer", "--", "true"], "--listen"),
    ] {
        let run = interlock(&folder, &[&["mcp", "--contract", "files.yaml"], arguments].concat());
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{arguments:?}: {run:?}");
        assert!(run.err.contains(says), "{arguments:?}: {run:?}");
    }
}
