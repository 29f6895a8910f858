//! `interlock replay` and `interlock why` on journals.

use contract_runtime::Decision;
use contract_runtime::journal::record::{Capture, Content, Decided, Event, Outcome, SessionStart};
use serde_json::Value;

use crate::journal::{Journal, allowed, blocked, content, contract, end, outcome, under};
use crate::run::{Folder, interlock};

const CONTRACT: &str = "version: 1
name: payments
tools:
  verify_payee: { effect: read }
  send_payment: { effect: irreversible }
  note: { effect: read }
instances: { max: 100 }
rules:
  - id: verify-first
    must_precede: { first: verify_payee, then: send_payment }
    per: args.payee
  - id: one-note
    at_most_n_times: { call: note, n: 1 }
";

fn call(call: u64, tool: &str, args: Content<'static>) -> Decided<'static> {
    Decided { args, ..allowed(call, tool) }
}

fn stopped(call: u64, tool: &str, args: Content<'static>) -> Decided<'static> {
    Decided { args, ..blocked(call, tool, "verify-first") }
}

/// A payment that is blocked, a check of the payee, the payment again; with these arguments.
fn payments(args: impl Fn() -> Content<'static>) -> Journal {
    let mut journal = Journal::new("j.jsonl", Capture::Captured);
    let contract = contract(CONTRACT);
    let start = under(&contract);
    journal.add(None, contract);
    journal.add(Some("s"), start);
    journal.add(Some("s"), stopped(0, "send_payment", args()));
    let seq = journal.add(Some("s"), call(1, "verify_payee", args()));
    journal.add(Some("s"), Outcome { result: Some(content(Some("{}"))), ..outcome(1, seq, "verify_payee") });
    let seq = journal.add(Some("s"), call(2, "send_payment", args()));
    journal.add(Some("s"), Outcome { result: Some(content(Some("{}"))), ..outcome(2, seq, "send_payment") });
    let seq = journal.add(Some("s"), call(3, "note", content(Some("{}"))));
    journal.add(Some("s"), Outcome { result: Some(content(Some("{}"))), ..outcome(3, seq, "note") });
    journal.add(Some("s"), end("verify-first"));
    journal
}

fn captured() -> Journal {
    payments(|| content(Some(r#"{"payee":"acme"}"#)))
}

fn folder(name: &str, journal: &Journal) -> Folder {
    let folder = Folder::new(name);
    folder.write("j.jsonl", journal.bytes()).write("contract.yaml", CONTRACT);
    folder
}

/// The decisions of a replay, and the summary.
fn replayed(folder: &Folder, contract: &str, code: i32) -> (Vec<String>, Value) {
    let run = interlock(folder, &["replay", contract, "j.jsonl", "--format", "json"]);
    assert_eq!(run.code, code, "{}", run.out);
    assert!(run.err.starts_with("j.jsonl holds: 11 records") && run.err.lines().count() == 1, "{}", run.err);
    let lines: Vec<Value> = run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let decisions = lines.iter().filter_map(|line| line["decision"].as_str()).map(str::to_owned).collect();
    (decisions, lines.last().unwrap().clone())
}

#[test]
fn what_was_captured_is_decided_again() {
    let folder = folder("recorded_again", &captured());
    let (decisions, summary) = replayed(&folder, "contract.yaml", 1);
    assert_eq!(decisions, ["block", "allow", "allow", "allow"]);
    assert_eq!((&summary["differ"], &summary["undecided"]), (&0.into(), &0.into()));
    let human = interlock(&folder, &["replay", "contract.yaml", "j.jsonl"]);
    assert!(human.out.ends_with("0 violations at the end; 0 undecided, 0 decided otherwise then\n"), "{}", human.out);
}

#[test]
fn what_another_contract_decides_is_compared() {
    let folder = folder("recorded_other", &captured());
    folder.write(
        "other.yaml",
        CONTRACT
            .replace("first: verify_payee, then: send_payment", "first: note, then: verify_payee")
            .replace("irreversible", "write"),
    );
    let run = interlock(&folder, &["replay", "other.yaml", "j.jsonl"]);
    assert!(run.out.contains("     0  allow  send_payment  (recorded: block, it did not run)\n"), "{}", run.out);
    assert!(run.out.contains("     1  block  verify_payee  (recorded: allow, it ran)\n"), "{}", run.out);
    assert!(run.out.ends_with("; 0 undecided, 2 decided otherwise then\n"), "{}", run.out);
}

#[test]
fn digests_decide_nothing() {
    let folder = folder("recorded_digests", &payments(|| content(None)));
    let (decisions, summary) = replayed(&folder, "contract.yaml", 2);
    // The last call has its arguments, and no rule of those before concerns it.
    assert_eq!(decisions, ["undecided", "undecided", "undecided", "allow"]);
    assert_eq!((&summary["allow"], &summary["undecided"]), (&1.into(), &3.into()));
    let human = interlock(&folder, &["replay", "contract.yaml", "j.jsonl"]);
    let why = "undecided: the journal holds no more of its arguments than a digest";
    assert_eq!(human.out.matches(why).count(), 3, "{}", human.out);
}

#[test]
fn redacted_parts_decide_nothing_where_a_rule_reads_them() {
    let mark = format!(r#"{{"redacted":"{}"}}"#, "0123456789abcdef".repeat(4));
    let read = folder("recorded_redacted", &payments(|| content(Some(&format!(r#"{{"payee":{mark}}}"#)))));
    assert_eq!(replayed(&read, "contract.yaml", 2).0, ["undecided", "undecided", "undecided", "allow"]);
    let unread =
        folder("recorded_unread", &payments(|| content(Some(&format!(r#"{{"payee":"acme","iban":{mark}}}"#)))));
    assert_eq!(replayed(&unread, "contract.yaml", 1).0, ["block", "allow", "allow", "allow"]);
}

#[test]
fn what_depends_on_what_is_missing_is_undecided() {
    // A note without arguments may have been the one that is allowed.
    let mut journal = Journal::new("j.jsonl", Capture::Captured);
    let contract = contract(CONTRACT);
    let start = under(&contract);
    journal.add(None, contract);
    journal.add(Some("s"), start.clone());
    journal.add(Some("s"), call(0, "note", content(None)));
    journal.add(Some("s"), call(1, "note", content(Some("{}"))));
    journal.add(Some("s"), call(2, "verify_payee", content(Some(r#"{"payee":"a"}"#))));
    journal.add(Some("r"), SessionStart { resumed: true, ..start });
    journal.add(Some("r"), call(0, "note", content(Some("{}"))));
    journal.add(Some("s"), Event { findings: Vec::new(), name: "turn".into(), value: content(None) });
    journal.add(None, contract_runtime::journal::record::Gap { missing: 1, why: "disk full".into() });
    journal.add(Some("s"), call(3, "verify_payee", content(Some(r#"{"payee":"a"}"#))));
    let folder = folder("recorded_missing", &journal);
    let (decisions, _) = replayed(&folder, "contract.yaml", 2);
    assert_eq!(decisions, ["undecided", "undecided", "allow", "undecided", "undecided"]);
    let run = interlock(&folder, &["replay", "contract.yaml", "j.jsonl"]);
    for why in [
        "what the rule `one-note` remembers depends on what the journal does not hold",
        "its session was taken up from a snapshot that the journal does not hold",
        "records before it are missing or damaged",
    ] {
        assert!(run.out.contains(why), "{why}: {}", run.out);
    }
}

#[test]
fn a_journal_that_is_damaged_decides_no_more() {
    let journal = captured();
    let text = String::from_utf8(journal.bytes().to_vec()).unwrap();
    let folder = folder("recorded_damaged", &journal);
    folder.write("j.jsonl", text.replacen("\"status\":\"ok\"", "\"status\":\"failed\"", 1));
    let run = interlock(&folder, &["replay", "contract.yaml", "j.jsonl", "--format", "json"]);
    assert_eq!(run.code, 2);
    assert!(run.err.starts_with("j.jsonl DOES NOT HOLD: edited, line 6: "), "{}", run.err);
    assert!(run.err.ends_with("\nj.jsonl:6: error: the record does not have the hash that it states\n"), "{}", run.err);
    let decisions: Vec<_> =
        run.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["decision"].clone()).collect();
    assert_eq!(decisions[..4], ["block", "allow", "undecided", "undecided"]);
}

#[test]
fn a_decision_is_explained() {
    let folder = folder("why_blocked", &captured());
    let run = interlock(&folder, &["why", "j.jsonl", "3"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let expected = "j.jsonl holds: 11 records, 1 session, unsigned: whoever can write it can make it anew
record 3, 2026-01-01T10:00:03.000Z, session s of clerk 1.0
contract payments SHA, as recorded in the journal
call #0 c0: send_payment (read)
  args    {\"payee\":\"acme\"}
block: it did not run

verify-first (must_precede): violated: block
  why     `send_payment` is allowed only after `verify_payee` has succeeded, for each `args.payee`
  key     \"acme\"
  before  0 (open); `call(send_payment)` would violate it; `ok(verify_payee)` leads to 1 (satisfied)
  after   2 (violated)
  helps   first let `ok(verify_payee)` happen for the same key

replayed from what is recorded: the same, block
";
    let shown = run.out.replace(&contract(CONTRACT).sha256.to_string()[..12], "SHA");
    assert_eq!(shown, expected);
}

#[test]
fn a_call_that_nothing_stopped_is_explained_by_its_decision_or_its_outcome() {
    let folder = folder("why_allowed", &captured());
    let run = interlock(&folder, &["why", "j.jsonl", "6"]);
    assert_eq!(run.out, interlock(&folder, &["why", "j.jsonl", "7"]).out);
    for part in [
        "allow: it ran\n",
        "verify-first (must_precede): no objection\n",
        "record 7: the call ended, ok\n",
        "replayed from what is recorded: the same, allow\n",
    ] {
        assert!(run.out.contains(part), "{part}: {}", run.out);
    }
    let json = interlock(&folder, &["why", "j.jsonl", "6", "--format", "json"]);
    let told: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(told["silent"][0]["rule"], "verify-first");
    assert_eq!(told["replay"]["agrees"], true);
}

#[test]
fn what_digests_hide_is_said() {
    let folder = folder("why_digests", &payments(|| content(None)));
    let run = interlock(&folder, &["why", "j.jsonl", "3"]);
    assert!(run.out.contains("  key     digest 05050505"), "{}", run.out);
    assert!(run.out.contains("  before  0 (open); "), "{}", run.out);
    assert!(run.out.contains("not known: the arguments, "), "{}", run.out);
}

#[test]
fn the_contract_has_to_be_the_one_that_was_in_force() {
    let mut journal = captured();
    let bytes = String::from_utf8(journal.drain()).unwrap();
    let folder = Folder::new("why_contract");
    // Without the record of the contract.
    let lines: Vec<_> = bytes.lines().filter(|line| !line.contains("\"kind\":\"contract\"")).collect();
    folder
        .write("j.jsonl", lines.join("\n") + "\n")
        .write("contract.yaml", CONTRACT)
        .write("other.yaml", CONTRACT.replace("note, n: 1", "note, n: 2"));
    let run = interlock(&folder, &["why", "j.jsonl", "3"]);
    assert!(run.out.contains("whose text is not at hand\n"), "{}", run.out);
    assert!(run.out.contains("not known: the text of the contract"), "{}", run.out);
    let run = interlock(&folder, &["why", "j.jsonl", "3", "--contract", "contract.yaml"]);
    assert!(run.out.contains(", from contract.yaml\n") && run.out.contains("(must_precede)"), "{}", run.out);
    let run = interlock(&folder, &["why", "j.jsonl", "3", "--contract", "other.yaml"]);
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    assert!(run.err.starts_with("error: `other.yaml` is another version of the contract"), "{}", run.err);
}

#[test]
fn other_records_and_none_are_told_apart() {
    let folder = folder("why_others", &captured());
    let run = interlock(&folder, &["why", "j.jsonl", "99"]);
    assert_eq!(
        (run.code, run.err.as_str()),
        (2, "error: the journal `j.jsonl` has no record 99 that can be read; the last is 10\n")
    );
    assert_eq!(interlock(&folder, &["why", "j.jsonl", "0"]).code, 0);
    assert_eq!(interlock(&folder, &["why", "j.jsonl", "10"]).code, 0);
    assert_eq!(interlock(&folder, &["why", "nothing.jsonl", "1"]).code, 2);
}

#[test]
fn hostile_texts_are_inert_in_explanations() {
    const HOSTILE: &str = "\x1b[2J\u{202e}x\r\nFAKE";
    let mut journal = Journal::new("j.jsonl", Capture::Captured);
    let contract = contract(CONTRACT);
    let start = under(&contract);
    journal.add(None, contract);
    journal.add(Some(HOSTILE), start);
    let args = serde_json::json!({ "payee": HOSTILE }).to_string();
    let mut call = stopped(0, "send_payment", content(Some(&args)));
    call.id = Some(HOSTILE.into());
    call.findings[0].help = Some(HOSTILE.into());
    journal.add(Some(HOSTILE), call);
    let odd = Decided { decision: Decision::Block, ..blocked(1, HOSTILE, HOSTILE) };
    journal.add(Some(HOSTILE), odd);
    let folder = folder("why_hostile", &journal);
    for arguments in [
        vec!["why", "j.jsonl", "3"],
        vec!["why", "j.jsonl", "4"],
        vec!["why", "j.jsonl", "3", "--format", "json"],
        vec!["replay", "contract.yaml", "j.jsonl"],
    ] {
        let run = interlock(&folder, &arguments);
        for line in run.out.lines().chain(run.err.lines()) {
            assert!(!line.starts_with("FAKE"), "{line}");
            assert!(line.chars().all(|c| !contract_lang::diagnostic::render::is_hidden(c)), "{line:?}");
        }
    }
}
