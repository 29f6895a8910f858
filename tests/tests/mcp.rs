//! Messages between MCP clients and servers, and what becomes of them (`tests/mcp`); and messages that nobody would write.
//!
//! A case has a contract, and steps: a line of the client or the server (`client`, `server`: text as it is sent, or JSON; `hex`:
//! bytes), and what becomes of it (`then`): the other side gets it byte for byte (`same`) or otherwise (`changed`), the sender
//! gets an answer (`answer`), the client is asked (`ask`), or nobody gets anything (`nothing`). `has` and `lacks` are parts of what
//! is sent. `notices` are the kinds of what was noted, in order.

#![expect(clippy::unwrap_used, clippy::panic, reason = "test code")]

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use contract_lang::interpret::{Interpreted, Interpreter};
use contract_lang::{Options, check, mir};
use contract_runtime::Session;
use interlock_gateway::mcp::{Action, Gate, Listed, Pins, Settings, admits_strangers, may_run};
use serde_json::{Value, json};

type Notes = Arc<Mutex<Vec<String>>>;

fn contract(text: &str) -> mir::Contract {
    let text = format!("version: 1\nname: guarded\n{text}\n");
    let checked = check("guarded.yaml", text.as_bytes(), &Options::default());
    checked.contract.unwrap_or_else(|| panic!("{text}\n{:?}", checked.diagnostics))
}

fn gate(case: &Value) -> (Gate<Interpreter>, Notes) {
    let lines = |value: &Value| -> String {
        let lines = value.as_array().map(Vec::as_slice).unwrap_or_default();
        lines.iter().map(|line| line.as_str().unwrap()).collect::<Vec<_>>().join("\n")
    };
    let contract = contract(&lines(&case["contract"]));
    let session = Session::builder(Interpreted::new(contract.clone()).monitor()).start().unwrap();
    let notes = Notes::default();
    let noted = Arc::clone(&notes);
    let is_on = |name: &str| case[name] == json!(true);
    let strangers = admits_strangers(&contract);
    let decided: Vec<String> =
        case["decides"].as_array().into_iter().flatten().map(|method| method.as_str().unwrap().to_owned()).collect();
    let settings = Settings {
        protocol_errors: is_on("protocol_errors"),
        decides: Some(Box::new(move |method| decided.iter().any(|decided| decided == method))),
        listed: if is_on("report_only") { Listed::Report } else { Listed::Block },
        pins: (!case["pins"].is_null()).then(|| Pins::of_list(&case["pins"].to_string(), None).unwrap()),
        strangers: Some(Box::new(move |_| strangers)),
        shows: is_on("hide_blocked")
            .then(|| -> interlock_gateway::mcp::Choice { Box::new(move |tool| may_run(&contract, None, tool)) }),
        notices: Some(Box::new(move |notice| noted.lock().unwrap().push(notice.kind.as_str().to_owned()))),
        prefix: "guard-".to_owned(),
        ..Settings::default()
    };
    (Gate::new(session, settings), notes)
}

/// The bytes of a line.
fn line(step: &Value, of: &str) -> Option<Vec<u8>> {
    match &step[of] {
        Value::Null => None,
        Value::String(text) => Some(text.clone().into_bytes()),
        value => Some(value.to_string().into_bytes()),
    }
}

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.chars().map(|digit| digit.to_digit(16).unwrap() as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

/// What became of a line, and what was sent.
fn outcome(action: &Action<'_>, sent: &[u8]) -> (&'static str, Vec<u8>) {
    match action {
        Action::Forward(bytes) if **bytes == *sent => ("same", bytes.to_vec()),
        Action::Forward(bytes) => ("changed", bytes.to_vec()),
        Action::Answer(bytes) => ("answer", bytes.clone()),
        Action::Ask(_, bytes) => ("ask", bytes.clone()),
        Action::Answered(_, then) => {
            let (what, bytes) = outcome(then, sent);
            (if what == "changed" { "resumed" } else { what }, bytes)
        }
        Action::Drop => ("nothing", Vec::new()),
    }
}

fn wrong(case: &Value) -> Vec<String> {
    let (gate, notes) = gate(case);
    let mut wrong = Vec::new();
    for (at, step) in case["steps"].as_array().unwrap().iter().enumerate() {
        let is_client = step["server"].is_null();
        let sent = line(step, "client").or_else(|| line(step, "server"));
        let sent = sent.unwrap_or_else(|| hex(step["hex"].as_str().unwrap()));
        let action = if is_client { gate.from_client(&sent) } else { gate.from_server(&sent) };
        let (then, bytes) = outcome(&action, &sent);
        let text = String::from_utf8_lossy(&bytes);
        let all = |of: &str| step[of].as_array().cloned().unwrap_or_default();
        let has = all("has").iter().all(|part| text.contains(part.as_str().unwrap()));
        let lacks = all("lacks").iter().all(|part| !text.contains(part.as_str().unwrap()));
        if then != step["then"] || !has || !lacks {
            wrong.push(format!("step {}: {then}: {text}", at + 1));
        }
        if !bytes.is_empty() && then != "same" && serde_json::from_slice::<Value>(&bytes).is_err() {
            wrong.push(format!("step {}: what was sent is no JSON: {text}", at + 1));
        }
    }
    let noted = json!(*notes.lock().unwrap());
    if !case["notices"].is_null() && noted != case["notices"] {
        wrong.push(format!("notices: {noted}"));
    }
    wrong
}

#[test]
fn every_message_goes_where_it_should() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("mcp");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let (mut count, mut all) = (0, Vec::new());
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let cases: Vec<Value> =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        for case in &cases {
            count += 1;
            let name = format!("{}: {}", file.file_name().unwrap().to_string_lossy(), case["name"]);
            all.extend(wrong(case).iter().map(|wrong| format!("{name}: {wrong}")));
        }
    }
    assert!(all.is_empty(), "{} of {count}:\n{}", all.len(), all.join("\n"));
    assert!(count >= CASES, "{count}");
}

/// How many cases there are, at least: one that is lost is missed.
const CASES: usize = 45;

const FORBIDS: &str = "undeclared: allow\nrules: [{ id: no, forbid: delete_file }]";

fn plain(text: &str) -> Gate<Interpreter> {
    gate(&json!({ "contract": text.lines().collect::<Vec<_>>() })).0
}

fn call(tool: &str, arguments: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#)
}

#[test]
fn depth_bombs_are_refused_in_both_directions() {
    let gate = plain(FORBIDS);
    for depth in [200, 100_000] {
        for (open, close) in [("[", "]"), (r#"{"a":"#, "}")] {
            let bomb = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            for text in [
                call("read", &format!(r#"{{"x":{bomb}}}"#)),
                bomb.clone(),
                format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"x":{bomb}}}}}"#),
                format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","ext":{bomb}}}"#),
                format!(r#"{{"jsonrpc":"2.0","id":{bomb},"method":"ping"}}"#),
            ] {
                assert!(
                    matches!(gate.from_client(text.as_bytes()), Action::Answer(_)),
                    "{}",
                    &text[..80.min(text.len())]
                );
            }
            assert!(matches!(gate.from_client(call("read", "{}").as_bytes()), Action::Forward(_)));
            let result = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"content":[],"x":{bomb}}}}}"#);
            match gate.from_server(result.as_bytes()) {
                // The result is not passed on, the request is answered.
                Action::Forward(bytes) => assert_ne!(*bytes, *result.as_bytes()),
                Action::Drop => {
                    let whole = br#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#;
                    assert!(matches!(gate.from_server(whole), Action::Forward(_)));
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn messages_of_64_mib_are_decided_like_small_ones() {
    let gate = plain(FORBIDS);
    let text = "x".repeat(64 << 20);
    let large = call("read", &format!(r#"{{"x":"{text}"}}"#));
    assert!(matches!(gate.from_client(large.as_bytes()), Action::Forward(bytes) if *bytes == *large.as_bytes()));
    let result = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"content":[{{"type":"text","text":"{text}"}}]}}}}"#);
    assert!(matches!(gate.from_server(result.as_bytes()), Action::Forward(bytes) if *bytes == *result.as_bytes()));
    let blocked = call("delete_file", &format!(r#"{{"x":"{text}"}}"#));
    assert!(matches!(gate.from_client(blocked.as_bytes()), Action::Answer(answer) if answer.len() < 10_000));
    let other = format!(r#"{{"jsonrpc":"2.0","id":2,"method":"x/y","params":{{"x":"{text}"}}}}"#);
    assert!(matches!(gate.from_client(other.as_bytes()), Action::Forward(bytes) if *bytes == *other.as_bytes()));
}

#[test]
fn what_waits_for_an_answer_is_bounded() {
    let gate = plain(FORBIDS);
    let sent = |id: usize| {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        matches!(gate.from_client(text.as_bytes()), Action::Forward(_))
    };
    assert_eq!((0..20_000).filter(|id| sent(*id)).count(), 10_000);
    assert!(matches!(gate.from_server(br#"{"jsonrpc":"2.0","id":7,"result":{}}"#), Action::Forward(_)));
    assert!(sent(20_001) && !sent(20_002));
}

/// Numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }
}

const SEEDS: [&str; 8] = [
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete_file","arguments":{"path":"a"}}}"#,
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read","arguments":{"path":"a","n":1.5e3}}}"#,
    r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"delete_file","arguments":{}}}"#,
    r#"{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{"cursor":"x"}}"#,
    r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#,
    r#"{"jsonrpc":"2.0","id":"srv-1","result":{"roots":[]}}"#,
    r#"[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete_file"}}]"#,
];

const PIECES: [&str; 16] = [
    "\"id\":1,",
    "\"method\":\"tools/call\",",
    "null",
    "1e400",
    "\\u0000",
    "\\ud800",
    "{",
    "}",
    "[",
    "]",
    "\"",
    ",",
    ":",
    "\"name\":\"delete_file\",",
    "\"params\":{},",
    "\u{feff}",
];

/// A message with a few changes.
fn mutated(dice: &mut Dice) -> Vec<u8> {
    let mut bytes = SEEDS[dice.below(SEEDS.len())].as_bytes().to_vec();
    for _ in 0..dice.below(4) {
        let at = dice.below(bytes.len().max(1));
        match dice.below(6) {
            0 if !bytes.is_empty() => bytes[at.min(bytes.len() - 1)] = u8::try_from(dice.below(256)).unwrap(),
            1 => {
                let piece = PIECES[dice.below(PIECES.len())];
                bytes.splice(at.min(bytes.len())..at.min(bytes.len()), piece.bytes());
            }
            2 => bytes.truncate(at),
            3 => {
                let end = (at + dice.below(20)).min(bytes.len());
                let part = bytes[at.min(end)..end].to_vec();
                bytes.splice(at.min(end)..at.min(end), part);
            }
            4 => {
                let end = (at + dice.below(8)).min(bytes.len());
                bytes.drain(at.min(end)..end);
            }
            _ => bytes.push(b"\r\n \t}]"[dice.below(6)]),
        }
    }
    bytes
}

/// Whether some reader could see a call of the forbidden tool in a message: one that takes the last of two keys, and ignores case.
fn could_delete(bytes: &[u8]) -> bool {
    let Ok(message) = serde_json::from_slice::<Value>(bytes) else { return false };
    let messages = message.as_array().cloned().unwrap_or_else(|| vec![message]);
    messages.iter().any(|message| {
        let method = message.get("method").and_then(Value::as_str).unwrap_or_default();
        let name = message.pointer("/params/name").and_then(Value::as_str).unwrap_or_default();
        method.eq_ignore_ascii_case("tools/call") && name == "delete_file"
    })
}

#[test]
fn whatever_is_sent_a_forbidden_call_never_goes_on_and_nothing_changes_on_its_way() {
    let gate = plain(FORBIDS);
    let mut dice = Dice(20_260_728);
    let mut forwarded = 0;
    for _ in 0..60_000 {
        let bytes = mutated(&mut dice);
        if let Action::Forward(sent) = gate.from_client(&bytes) {
            forwarded += 1;
            assert_eq!(*sent, *bytes, "{}", String::from_utf8_lossy(&bytes));
            assert!(!could_delete(&bytes), "{}", String::from_utf8_lossy(&bytes));
        }
        // The server answers now and then, with as little sense.
        let answer = mutated(&mut dice);
        if let Action::Forward(sent) = gate.from_server(&answer) {
            assert!(serde_json::from_slice::<Value>(&sent).is_ok(), "{}", String::from_utf8_lossy(&sent));
        }
        for id in ["1", "2", "3", "\"a\""] {
            let _ = gate.from_server(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#).as_bytes());
        }
    }
    assert!(forwarded > 1_000, "{forwarded}");
}
