//! `interlock replay`: formats and exit codes.

use crate::run::{Folder, Run, interlock, interlock_with};
use serde_json::{Value, json};

const CONTRACT: &str = r#"version: 1
name: payments
context: { user: string }
tools:
  look_up: { effect: read }
  send_payment: { effect: irreversible }
  write_note: { effect: write }
rules:
  - id: once-per-invoice
    message: an invoice is paid once
    at_most_n_times: { call: send_payment, n: 1 }
    per: args.invoice
    instances: { max: 100 }
  - id: receipt
    required_before_session_end: send_payment
  - id: person
    forbid: write_note
    action: ask
"#;

const PAY: &str = r#"{"call":{"id":"c1","tool":"send_payment","args":{"invoice":"i7"}},"result":{"status":"ok"}}"#;
const NOTE: &str = r#"{"call":{"id":"n","tool":"write_note","args":{}},"result":{"status":"ok"}}"#;

fn replay(test: &str, trace: &str, more: &[&str]) -> Run {
    let folder = Folder::new(&format!("replay-{test}"));
    folder.write("contract.yaml", CONTRACT).write("trace.jsonl", trace);
    let arguments: Vec<&str> =
        ["replay", "contract.yaml", "trace.jsonl"].into_iter().chain(more.iter().copied()).collect();
    interlock(&folder, &arguments)
}

fn lines(run: &Run) -> Vec<Value> {
    run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn json_lines(test: &str, trace: &str, more: &[&str]) -> (i32, Vec<Value>, String) {
    let run = replay(test, trace, &[&["--format", "json"], more].concat());
    let lines = lines(&run);
    (run.code, lines, run.err)
}

#[test]
fn lines_are_as_documented() {
    let run = replay("documented", &format!("{PAY}\n{PAY}\n"), &["--format", "json"]);
    let expected = r#"{"session":"default","index":0,"id":"c1","tool":"send_payment","decision":"allow","after_divergence":false,"evaluated":true,"findings":[]}
{"session":"default","index":1,"id":"c1","tool":"send_payment","decision":"block","after_divergence":false,"evaluated":true,"findings":[{"rule":"once-per-invoice","verdict":"violated","action":"block","key":["i7"],"message":"an invoice is paid once"#;
    assert!(run.out.starts_with(expected), "{}", run.out);
    let end = r#"{"session":"default","end":true,"findings":[],"verdicts":{"once-per-invoice":"satisfied","receipt":"satisfied","person":"satisfied"},"blocked":{"once-per-invoice":1}}
{"summary":true,"sessions":1,"calls":2,"allow":1,"alert":0,"ask":0,"block":1,"end_violations":0}
"#;
    assert!(run.out.ends_with(end), "{}", run.out);
    assert_eq!((run.code, run.err.as_str()), (1, ""));
}

#[test]
fn an_obligation_that_is_left_open_is_an_end_violation() {
    let (code, lines, _) = json_lines("obligation", r#"{"call":{"id":"c","tool":"look_up","args":{}}}"#, &[]);
    assert_eq!(code, 1);
    assert_eq!(lines[1]["findings"][0]["rule"], "receipt");
    assert_eq!(lines[1]["findings"][0].get("action"), None);
    assert_eq!(lines[1]["verdicts"]["receipt"], "violated");
    assert_eq!(lines[2]["end_violations"], 1);
}

#[test]
fn an_open_session_is_not_ended() {
    let (code, lines, _) = json_lines("open", r#"{"call":{"id":"c","tool":"look_up","args":{}}}"#, &["--open"]);
    assert_eq!(code, 0);
    assert_eq!(lines[1]["end"], false);
    assert_eq!(lines[1]["verdicts"]["receipt"], "pending");
}

#[test]
fn an_ask_needs_an_approval() {
    let (code, lines, _) = json_lines("ask", &format!("{PAY}\n{NOTE}"), &[]);
    assert_eq!((code, &lines[1]["decision"]), (1, &json!("ask")));
    let approved = NOTE.replace(r#""args":{}"#, r#""args":{},"approved":true"#);
    let (code, lines, _) = json_lines("approved", &format!("{PAY}\n{approved}"), &[]);
    assert_eq!((code, &lines[1]["decision"]), (0, &json!("ask")));
    assert_eq!(lines[3]["ask"], 1);
}

#[test]
fn a_call_that_was_blocked_did_not_happen() {
    let again = PAY.replace("c1", "c2").replace(r#","result":{"status":"ok"}"#, "");
    let trace = format!("{PAY}\n{again}\n{}\n", r#"{"result_of":"c2","result":{"status":"ok"}}"#);
    let (code, lines, err) = json_lines("ignored", &trace, &[]);
    assert_eq!((code, lines.len(), err.as_str()), (1, 4, ""));
    assert_eq!(lines[2]["verdicts"]["once-per-invoice"], "satisfied");
}

#[test]
fn shadow_mode_lets_run_and_says_where_it_would_have_stopped() {
    let (code, lines, _) = json_lines("shadow", &format!("{PAY}\n{PAY}\n{PAY}"), &["--mode", "shadow"]);
    assert_eq!((&lines[1]["decision"], &lines[1]["findings"][0]["action"]), (&json!("allow"), &json!("block")));
    assert_eq!(lines[1]["after_divergence"], true);
    assert_eq!(lines[3]["verdicts"]["once-per-invoice"], "violated");
    assert_eq!((code, &lines[4]["end_violations"]), (1, &json!(1)));
    let run = replay("shadow", &format!("{PAY}\n{PAY}"), &["--mode", "shadow"]);
    assert!(
        run.out.contains("     1  allow  send_payment (shadow: would block)\n              - once-per-invoice"),
        "{}",
        run.out
    );
}

#[test]
fn sessions_are_apart_and_end_in_the_order_in_which_they_began() {
    let of = |session: &str, line: &str| line.replacen('{', &format!(r#"{{"session":"{session}","#), 1);
    let trace = [of("z", PAY), of("a", PAY), of("z", r#"{"end":true}"#), of("b", PAY)].join("\n");
    let (code, lines, _) = json_lines("sessions", &trace, &[]);
    let sessions: Vec<_> = lines.iter().filter_map(|line| line["session"].as_str()).collect();
    assert_eq!((code, sessions.as_slice()), (0, ["z", "a", "z", "b", "a", "b"].as_slice()));
    assert_eq!(lines[6]["sessions"], 3);
}

#[test]
fn several_traces_are_apart_and_named() {
    let folder = Folder::new("replay-several");
    folder.write("contract.yaml", CONTRACT).write("one.jsonl", PAY).write("two.jsonl", PAY);
    let run = interlock(&folder, &["replay", "contract.yaml", "one.jsonl", "two.jsonl", "--format", "json"]);
    let lines = lines(&run);
    let traces: Vec<_> = lines.iter().map(|line| line["trace"].as_str()).collect();
    assert_eq!(traces, [Some("one.jsonl"), Some("one.jsonl"), Some("two.jsonl"), Some("two.jsonl"), None]);
    assert_eq!((run.code, &lines[4]["sessions"]), (0, &json!(2)));
}

#[test]
fn a_trace_may_come_from_standard_input() {
    let folder = Folder::new("replay-stdin");
    folder.write("contract.yaml", CONTRACT);
    let run = interlock_with(&folder, &["replay", "contract.yaml", "-"], PAY.as_bytes());
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let run = interlock_with(&folder, &["replay", "contract.yaml", "-"], b"{}");
    assert!(run.err.starts_with("<stdin>:1: error: "), "{}", run.err);
}

#[test]
fn every_line_that_cannot_be_played_is_reported_and_the_others_are_played() {
    let trace = [
        PAY,
        "not json",
        r#"{"result_of":"c9","result":{}}"#,
        r#"{"session":"nobody","result_of":"c1","result":{}}"#,
        r#"{"context":{"user":"u1"}}"#,
        r#"{"session":"s","context":{"user":1}}"#,
        r#"{"session":"s","context":{"uesr":"u1"}}"#,
        r#"{"call":{"id":"f","tool":"look_up","args":{}}}"#,
        r#"{"call":{"id":"f","tool":"look_up","args":{}}}"#,
        r#"{"result_of":"f","result":{}}"#,
        r#"{"result_of":"f","result":{}}"#,
        r#"{"call":{"id":"f","tool":"look_up","args":{}}}"#,
        r#"{"end":true}"#,
        r#"{"end":true}"#,
    ]
    .join("\n");
    let (code, lines, err) = json_lines("flaws", &trace, &[]);
    let expected = "\
trace.jsonl:2:2: error: the line is not one JSON object: expected ident
trace.jsonl:3: error: no call `c9` of this session is waiting for a result
trace.jsonl:4: error: nothing is known of the session `nobody`; expected its call before the result
trace.jsonl:5: error: the session `default` has begun; expected its context before all else
trace.jsonl:6: error: the context fact `user` is not of its declared type `string`
trace.jsonl:7: error: the contract declares no context fact `uesr`
trace.jsonl:9: error: the call `f` is in flight already; expected its result first, or another id
trace.jsonl:11: error: no call `f` of this session is waiting for a result
trace.jsonl:14: error: the session `default` has ended in line 13; expected no more of it
";
    assert_eq!(err, expected);
    assert_eq!((code, lines.len()), (2, 5));
}

#[test]
fn a_time_that_runs_backwards_is_reported_and_counts_as_the_latest() {
    let at = |at: &str| PAY.replacen('{', &format!(r#"{{"at":"{at}","#), 1);
    let trace = [at("2026-01-01T10:00:00Z"), at("2026-01-01T09:00:00Z")].join("\n");
    let (code, _, err) = json_lines("backwards", &trace, &[]);
    let expected = "trace.jsonl:2: warning: the time 2026-01-01T09:00:00.000Z is before the session's latest, and counts as \
                    2026-01-01T10:00:00.000Z\n";
    assert_eq!((code, err.as_str()), (1, expected));
}

#[test]
fn the_timeline_is_for_people() {
    let trace = [PAY, PAY, NOTE, r#"{"session":"b","call":{"id":"x","tool":"look_up","args":{}}}"#].join("\n");
    let run = replay("timeline", &trace, &[]);
    let expected = "\
session default
     0  allow  send_payment
     1  block  send_payment
               `send_payment` did not run: the contract `payments` blocks it.
               - once-per-invoice (key \"i7\"): an invoice is paid once. What helps: nothing in this session for this key
     2  ask    write_note
               `write_note` did not run: a person has to approve it.
               - person: `write_note` is never allowed. What helps: nothing in this session makes it allowed
session b
     0  allow  look_up
session default
   end  no rule is violated
session b
   end  violated: receipt
              - receipt: before the session ends, `send_payment` has succeeded
2 sessions, 4 calls: 2 allow, 0 alert, 1 ask, 1 block; 1 violation at the end
";
    assert_eq!(run.out, expected);
    assert_eq!(run.code, 1);
}

#[test]
fn what_an_agent_says_cannot_drive_the_terminal() {
    let trace = r#"{"session":"\u001b[2J\u202e","call":{"id":"\u009b","tool":"\u001b]0;x\u0007\n\u2066y","args":{}}}"#;
    for format in ["human", "json"] {
        let run = replay("terminal", trace, &["--format", format]);
        let hidden =
            |c: char| (c.is_control() && c != '\n') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        assert!(!run.out.contains(hidden) && !run.err.contains(hidden), "{:?}", run.out);
    }
    let (_, lines, _) = json_lines("terminal-json", trace, &[]);
    assert_eq!(lines[0]["tool"], "\u{1b}]0;x\u{7}\n\u{2066}y");
}

#[test]
fn a_reader_that_stops_reading_is_no_failure() {
    let folder = Folder::new("replay-pipe");
    folder.write("contract.yaml", CONTRACT).write("trace.jsonl", vec![PAY; 20_000].join("\n"));
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_interlock"))
        .args(["replay", "contract.yaml", "trace.jsonl", "--format", "json"])
        .current_dir(folder.path())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()));
}

#[test]
fn what_cannot_be_used_is_said() {
    let folder = Folder::new("replay-unusable");
    folder.write("contract.yaml", CONTRACT).write("bad.yaml", "version: 1\n").write("trace.jsonl", PAY);
    let run = interlock(&folder, &["replay", "missing.yaml", "trace.jsonl"]);
    assert!(run.code == 2 && run.err.contains("cannot read the contract `missing.yaml`"), "{run:?}");
    let run = interlock(&folder, &["replay", "bad.yaml", "trace.jsonl"]);
    assert!(run.code == 2 && run.err.contains("the contract `bad.yaml` has errors and is not used"), "{run:?}");
    for trace in ["missing.jsonl", "."] {
        let run = interlock(&folder, &["replay", "contract.yaml", trace, "trace.jsonl"]);
        assert!(run.code == 2 && run.err.contains(&format!("cannot read the trace `{trace}`")), "{run:?}");
        assert!(run.out.contains("1 session, 1 call"), "{run:?}");
    }
    for wrong in [["--mode", "off"], ["--start", "noon"], ["--format", "xml"]] {
        let run = interlock(&folder, &["replay", "contract.yaml", "trace.jsonl", wrong[0], wrong[1]]);
        assert!(run.code == 2 && run.err.contains("error: invalid value"), "{run:?}");
    }
}

#[test]
fn the_arguments_that_a_call_runs_with_are_shown_where_the_contract_changes_them() {
    let folder = Folder::new("replay-rewritten");
    let contract = r#"version: 1
name: clamped
tools: { search: { effect: read } }
rules:
  - id: clamp
    call: search
    rewrite: { args.limit: "min(args.limit, 100)" }
"#;
    let trace = [
        r#"{"call":{"id":"a","tool":"search","args":{"limit":500}},"result":{}}"#,
        r#"{"call":{"id":"b","tool":"search","args":{"limit":50}},"result":{}}"#,
    ]
    .join("\n");
    folder.write("contract.yaml", contract).write("trace.jsonl", trace);
    let run = interlock(&folder, &["replay", "contract.yaml", "trace.jsonl", "--format", "json"]);
    let lines = lines(&run);
    assert_eq!((&lines[0]["rewritten"], lines[1].get("rewritten")), (&json!({"limit": 100}), None), "{run:?}");
    let run = interlock(&folder, &["replay", "contract.yaml", "trace.jsonl"]);
    let shown = "     0  allow  search\n               runs with {\"limit\":100}\n     1  allow  search\n   end";
    assert!(run.out.contains(shown), "{}", run.out);
}

#[test]
fn findings_about_events_and_results_have_lines_of_their_own() {
    let folder = Folder::new("replay-findings");
    let contract = r#"version: 1
name: findings
tools: { act: { effect: write } }
rules:
  - id: no-alarm
    forbid: event(alarm)
    action: alert
  - id: no-failure
    forbid: failed(act)
    action: alert
"#;
    let trace = [
        r#"{"call":{"id":"c","tool":"act","args":{}},"result":{"status":"failed"}}"#,
        r#"{"event":{"name":"alarm"}}"#,
        r#"{"event":{"name":"calm"}}"#,
    ]
    .join("\n");
    folder.write("contract.yaml", contract).write("trace.jsonl", trace);
    let run = interlock(&folder, &["replay", "contract.yaml", "trace.jsonl", "--format", "json"]);
    let lines = lines(&run);
    assert_eq!(lines.len(), 5, "{run:?}");
    assert_eq!((&lines[1]["index"], &lines[1]["status"]), (&json!(0), &json!("failed")));
    assert_eq!(lines[1]["findings"][0]["rule"], "no-failure");
    assert_eq!((&lines[2]["event"], &lines[2]["findings"][0]["rule"]), (&json!("alarm"), &json!("no-alarm")));
    let run = interlock(&folder, &["replay", "contract.yaml", "trace.jsonl"]);
    assert!(
        run.out.contains("found in the result (failed):") && run.out.contains("found in the event alarm:"),
        "{run:?}"
    );
}

/// What the model is told to do does what it says, and where nothing is said, nothing is known.
#[test]
fn what_helps_is_true() {
    let folder = Folder::new("replay-helps");
    folder.write("contract.yaml", HELPS);
    let helps = |rule: &str, trace: &[&str]| {
        folder.write("trace.jsonl", trace.join("\n"));
        let run = interlock(&folder, &["replay", "contract.yaml", "trace.jsonl", "--format", "json"]);
        let lines: Vec<Value> = run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let findings = lines.iter().filter_map(|line| line["findings"].as_array()).flatten();
        findings
            .filter(|found| found["rule"] == rule)
            .map(|found| found["help"].as_str().unwrap_or("").to_owned())
            .collect::<Vec<_>>()
    };
    let call = |tool: &str, args: &str| format!(r#"{{"call":{{"id":"-","tool":"{tool}","args":{args}}}}}"#);
    let ran = |tool: &str, args: &str, status: &str| {
        format!(r#"{{"call":{{"id":"-","tool":"{tool}","args":{args}}},"result":{{"status":"{status}"}}}}"#)
    };
    let (a, c) = (|status| ran("a", "{}", status), call("c", "{}"));
    let turn = "it is the turn of the other one of `ok(a)` and `call(c)`";
    assert_eq!(
        helps("turns", &[&a("unknown"), &c, &a("ok"), &c]),
        [turn, turn],
        "the result may violate, and settles it"
    );
    let ban = ran("ban", "{}", "unknown");
    let banned = "nothing in this session: it is banned after `ok(ban)`";
    assert_eq!(helps("banned", &[&ban, &call("pay", "{}")]), [banned]);
    let (s, both, r) =
        (ran("d", r#"{"h":1,"g":2}"#, "ok"), call("d", r#"{"h":1,"g":1}"#), call("d", r#"{"h":2,"g":1}"#));
    let first = "first let `call(d where args.h == 1)` that does not match `call(d where args.g == 1)` happen, then this \
                 call is allowed";
    assert_eq!(helps("overlap", &[&both, &r, &s, &r]), [first, first]);
    let read = "give every argument that the rule reads a value of the right type";
    assert_eq!(helps("small", &[&call("e", "{}")]), [read]);
    let f = r#"{"n":4}"#;
    assert_eq!(helps("spent", &[&ran("f", f, "ok"), &call("f", "{}")]), [read]);
    let spent = "nothing in this session, unless one that counts fails";
    assert_eq!(helps("spent", &[&ran("f", f, "unknown"), &call("f", f)]), [spent]);
    let [one, two] = [r#"{"k":1}"#, r#"{"k":2}"#];
    assert_eq!(helps("kept", &[&ran("keep", one, "ok"), &call("keep", two)]), [""]);
    let finish = "finish what is under way before you start more";
    assert_eq!(helps("paired", &[&ran("take", one, "ok"), &call("take", two)]), [finish]);
}

const HELPS: &str = r#"version: 1
name: helps
default: { irreversible: allow, write: allow }
rules:
  - { id: turns, alternate: { first: ok(a), second: call(c) } }
  - { id: banned, never_after: { call: pay, after: ok(ban) }, reset_on: call(ban) }
  - id: overlap
    formula: always(r implies previous(s and not r))
    let: { r: call(d where args.g == 1), s: call(d where args.h == 1) }
  - { id: small, forbid: e where args.n > 3 }
  - { id: spent, at_most_n_times: { call: f where args.n > 3, n: 1 }, count: succeeded }
  - { id: kept, never_after: { call: drop, after: ok(keep) }, per: args.k, instances: { max: 1 } }
  - { id: paired, must_precede: { first: ok(take), then: call(give), consume: true }, per: args.k, instances: { max: 1 } }
"#;
