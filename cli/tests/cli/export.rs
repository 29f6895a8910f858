//! `export`: what is said of the journal, where the product goes, and what is refused.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;

use contract_runtime::journal::record::{
    Agent, Capture, Content, Contract, ContractId, Counts, Decided, Genesis, Hex, NO_HASH, Outcome, Over, Seen,
    SessionEnd, SessionStart, Sync, encode,
};
use contract_runtime::journal::{Body, Head};
use contract_runtime::value::sha256;
use contract_runtime::{Decision, Effect, Mode, RefusalKind, Status, Time};
use serde_json::Value;

use crate::run::{Folder, Run, interlock};

const SOURCE: &str = r#"{"name":"payments","version":1}"#;

fn content(text: &str) -> Content<'_> {
    Content { digest: Hex(sha256(text.as_bytes())), form: Over::Jcs, text: Some(text.into()) }
}

fn decided<'a>(call: u64, tool: &'a str, args: &'a str) -> Decided<'a> {
    Decided {
        after_divergence: false,
        agent: None,
        approved: false,
        args: content(args),
        batch: None,
        call,
        decision: Decision::Allow,
        effect: Effect::Write,
        evaluated: true,
        findings: Vec::new(),
        id: None,
        original: None,
        ran: true,
        refusal: None,
        server: None,
        tool: tool.into(),
    }
}

/// A journal of one session with two calls, one of which did not run.
fn journal() -> Vec<u8> {
    let contract = Hex(sha256(SOURCE.as_bytes()));
    let genesis = Genesis {
        content: Capture::Captured,
        file: "run.jsonl".into(),
        key: None,
        previous: None,
        program: "contract-runtime 0.1.0".into(),
        secret: Hex([5; 32]),
        segment: 0,
        sync: Sync::Every,
    };
    let start = SessionStart {
        agent: Some(Agent { name: "billing".into(), version: "2.1".into() }),
        context: None,
        contract: ContractId { name: "payments".into(), sha256: contract },
        key: None,
        mode: Mode::Enforce,
        parent: None,
        program: "contract-runtime 0.1.0".into(),
        resumed: false,
        surface: None,
    };
    let outcome = Outcome {
        call: 0,
        decision: Some(3),
        evaluated: true,
        findings: Vec::new(),
        result: Some(content("{\"receipt\":\"r3ceipt\"}")),
        shown: Seen::All,
        status: Status::Ok,
        tool: "pay".into(),
    };
    let refused = Decided {
        decision: Decision::Block,
        ran: false,
        refusal: Some(RefusalKind::Blocked),
        ..decided(1, "pay\u{202e}\u{1b}[31m", "{}")
    };
    let counts = Counts { alert: 0, allow: 1, ask: 0, block: 1 };
    let bodies: [(Option<&str>, Body<'_>); 7] = [
        (None, genesis.into()),
        (None, Contract { name: "payments".into(), sha256: contract, source: SOURCE.into() }.into()),
        (Some("s1"), start.into()),
        (Some("s1"), decided(0, "pay", "{\"card\":\"c4rd\"}").into()),
        (Some("s1"), outcome.into()),
        (Some("s1"), refused.into()),
        (Some("s1"), SessionEnd { counts, findings: Vec::new(), rules: Vec::new() }.into()),
    ];
    let mut out = Vec::new();
    let mut prev = NO_HASH;
    for (seq, (session, body)) in (0..).zip(bodies) {
        let head = Head { at: Time::EPOCH, journal: Hex([7; 8]), prev, seq, session: session.map(Into::into) };
        prev = encode(&head, &body, &mut out);
    }
    out
}

fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("run.jsonl", journal());
    folder
}

fn is_inert(run: &Run) -> bool {
    [&run.out, &run.err].iter().all(|text| !text.contains(['\u{1b}', '\u{202e}']))
}

#[test]
fn each_form_is_written_where_it_is_wanted() {
    let folder = folder("export-forms");
    for form in ["otlp", "ocsf", "prometheus"] {
        let run = interlock(&folder, &["export", "run.jsonl", "--to", form]);
        assert_eq!(run.code, 0, "{run:?}");
        assert!(run.err.starts_with("`run.jsonl` verifies: 7 records, hash-chained, not signed\n"), "{}", run.err);
        assert!(!run.out.is_empty() && is_inert(&run), "{run:?}");
        assert!(!run.out.contains("c4rd") && !run.out.contains("r3ceipt"), "{run:?}");
        let to_file = interlock(&folder, &["export", "run.jsonl", "--to", form, "-o", "out"]);
        assert_eq!((to_file.code, to_file.out.as_str()), (0, ""));
        assert_eq!(std::fs::read_to_string(folder.path().join("out")).unwrap(), run.out);
    }
    let run = interlock(&folder, &["export", "run.jsonl", "--to", "ocsf", "--content"]);
    assert!(run.out.contains("c4rd") && run.out.contains("r3ceipt"), "{run:?}");
    let run = interlock(&folder, &["export", "run.jsonl", "--to", "prometheus"]);
    let size = journal().len();
    for line in ["interlock_journal_records 7", &format!("interlock_journal_bytes {size}")] {
        assert!(run.out.lines().any(|found| found == line), "{line}: {run:?}");
    }
}

#[test]
fn a_journal_that_does_not_verify_is_exported_only_on_demand() {
    let folder = folder("export-broken");
    let text = String::from_utf8(journal()).unwrap().replace("\"tool\":\"pay\"", "\"tool\":\"PAY\"");
    folder.write("run.jsonl", &text);
    let run = interlock(&folder, &["export", "run.jsonl", "--to", "otlp", "-o", "out"]);
    assert_eq!((run.code, run.out.as_str()), (1, ""));
    assert!(run.err.starts_with("`run.jsonl` does not verify: edited at run.jsonl:4: "), "{}", run.err);
    assert!(!folder.path().join("out").exists());
    let run = interlock(&folder, &["export", "run.jsonl", "--to", "otlp", "--unverified"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(
        run.err.contains("nothing in it is certain") && run.err.contains("2 lines that are no records"),
        "{}",
        run.err
    );
    // What is left: the call that did not run, and the session.
    assert_eq!(spans(&run.out), ["execute_tool pay\\u{202e}\\u{1b}[31m", "invoke_agent billing"]);
}

fn spans(request: &str) -> Vec<String> {
    let request: Value = serde_json::from_str(request).unwrap();
    let spans = request.pointer("/resourceSpans/0/scopeSpans/0/spans").and_then(Value::as_array).unwrap();
    spans.iter().map(|span| span["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn evidence_is_not_overwritten() {
    let folder = folder("export-over");
    std::fs::write(folder.path().join("run.jsonl.head"), "head").unwrap();
    for target in ["run.jsonl", "./run.jsonl", "run.jsonl.head"] {
        let run = interlock(&folder, &["export", "run.jsonl", "--to", "ocsf", "-o", target]);
        assert!(run.code == 2 && run.err.contains("is a file of the journal"), "{run:?}");
    }
    assert_eq!(std::fs::read(folder.path().join("run.jsonl")).unwrap(), journal());
}

#[test]
fn what_cannot_be_read_or_makes_no_sense_is_exit_2() {
    let folder = folder("export-usage");
    for arguments in [
        &["export", "none.jsonl", "--to", "otlp"][..],
        &["export", "run.jsonl"],
        &["export", "run.jsonl", "--to", "csv"],
        &["export", "run.jsonl", "--to", "ocsf", "-o", "no/such/folder"],
        &["export", "run.jsonl", "--to", "ocsf", "--endpoint", "http://127.0.0.1:1/"],
        &["export", "run.jsonl", "--to", "otlp", "--endpoint", "collector:4318"],
        &["export", "run.jsonl", "--to", "otlp", "-o", "out", "--endpoint", "http://127.0.0.1:1/"],
    ] {
        let run = interlock(&folder, arguments);
        assert!(run.code == 2 && run.out.is_empty() && !run.err.is_empty(), "{arguments:?}: {run:?}");
    }
}

#[test]
fn spans_reach_a_collector() {
    let folder = folder("export-collector");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}/v1/traces", listener.local_addr().unwrap());
    let collector = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(&stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            if let Some(value) = line.to_lowercase().strip_prefix("content-length: ") {
                length = value.trim().parse().unwrap();
            }
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        (&stream).write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}").unwrap();
        String::from_utf8(body).unwrap()
    });
    let run = interlock(&folder, &["export", "run.jsonl", "--to", "otlp", "--endpoint", &endpoint]);
    assert_eq!((run.code, run.out.as_str()), (0, ""), "{run:?}");
    let request = collector.join().unwrap();
    assert_eq!(spans(&request), ["execute_tool pay", "execute_tool pay\\u{202e}\\u{1b}[31m", "invoke_agent billing"]);
    // It is what a file would have.
    let file = interlock(&folder, &["export", "run.jsonl", "--to", "otlp"]).out;
    assert_eq!(file.trim_end(), request);
}
