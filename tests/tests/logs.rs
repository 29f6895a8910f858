//! The logs with which runtime monitors are compared: each violates first where it does in public.

use contract_lang::interpret::Interpreted;
use contract_runtime::{Decision, Monitor, Reason, Subject};
use interlock::contracts;
use interlock_tests::bare::Bare;
use interlock_tests::corpus;
use interlock_tests::logs::{self, Log};
use serde_json::json;

contracts!("benches/contracts/access.yaml");
contracts!("benches/contracts/access_formula.yaml");
contracts!("benches/contracts/file.yaml");
contracts!("benches/contracts/file_formula.yaml");

/// Runs the log: all its events but the last are fine, and the last is not, for the rule and the key.
fn violates_last(log: &Log, monitor: impl Monitor, rule: u16, key: &str) {
    let mut monitor = Bare::new(monitor);
    let ok = json!({"status": "ok"});
    for (line, (tool, args)) in (1..).zip(log) {
        let (decision, findings) = monitor.call(tool, args, &ok);
        if line < log.len() {
            assert_eq!((decision, findings.as_slice()), (Decision::Allow, [].as_slice()), "line {line}");
        } else {
            let found: Vec<_> = findings.iter().map(|found| (found.subject, found.reason, found.key.clone())).collect();
            assert_eq!(decision, Decision::Block, "line {line}");
            assert_eq!(found, [(Subject::Rule(rule), Reason::Rule, vec![json!(key)])]);
        }
    }
}

fn interpreted(text: &str) -> impl Monitor {
    corpus::interpreted("log", text).as_ref().map(Interpreted::monitor).unwrap()
}

#[test]
fn access_violates_first_where_the_user_is_logged_out() {
    for (size, lines) in [(5_000, 11_006), (50_000, 110_006)] {
        let (log, user) = (logs::access(size), size.to_string());
        assert_eq!(log.len(), lines);
        violates_last(&log, Access::new(), 0, &user);
        violates_last(&log, AccessFormula::new(), 0, &user);
        violates_last(&log, interpreted(include_str!("../benches/contracts/access.yaml")), 0, &user);
        violates_last(&log, interpreted(include_str!("../benches/contracts/access_formula.yaml")), 0, &user);
    }
}

#[test]
fn file_violates_first_where_the_file_is_closed_already() {
    for (size, lines) in [(8_000, 11_004), (80_000, 110_004)] {
        let (log, file) = (logs::file(size), size.to_string());
        assert_eq!(log.len(), lines);
        violates_last(&log, File::new(), 0, &file);
        violates_last(&log, FileFormula::new(), 0, &file);
        violates_last(&log, interpreted(include_str!("../benches/contracts/file.yaml")), 0, &file);
        violates_last(&log, interpreted(include_str!("../benches/contracts/file_formula.yaml")), 0, &file);
    }
}
