use serde_json::json;

use super::script::Script;
use super::{call, ok, session};
use crate::call::Outcome;
use crate::{Decision, Mode, Reason, RunError, Session, Status, Verdict};

#[test]
fn a_withheld_result_is_a_text_and_proves_nothing() {
    let session = session();
    let permit = call(&session, "search", &json!({})).unwrap();
    let settled = session.settle(permit, ok(json!({"secret": "S3CRET", "ssn": 1}))).unwrap();
    assert!(settled.withheld() && !settled.redacted());
    assert_eq!(settled.status, Status::Unknown);
    let text = settled.value["withheld"].as_str().unwrap();
    assert_eq!(text, "`search` ran, its result is withheld.\n- secret: search ? ?");
    assert_eq!(settled.findings[0].message.as_deref(), Some("search ? S3CRET"), "the host may see it");
    assert_eq!((settled.findings[0].verdict, settled.findings[0].action), (Verdict::Violated, Decision::Block));
}

#[test]
fn a_redacted_result_is_masked_for_the_agent() {
    let session = session();
    let permit = call(&session, "search", &json!({})).unwrap();
    let value = json!({"rows": [{"ssn": "1", "name": "a"}]});
    let settled = session.settle(permit, Outcome::ok(&value)).unwrap();
    assert!(settled.redacted() && settled.findings.is_empty());
    assert_eq!(*settled.value, json!({"rows": [{"ssn": "[redacted]", "name": "a"}]}));
    assert_eq!(settled.status, Status::Ok);
}

#[test]
fn shadow_mode_shows_everything_and_says_what_it_would_not() {
    let session = Session::builder(Script::of_version("1", Mode::Shadow)).start().unwrap();
    let permit = call(&session, "search", &json!({})).unwrap();
    let value = json!({"secret": 1, "ssn": 2});
    let settled = session.settle(permit, Outcome::ok(&value)).unwrap();
    assert!(!settled.withheld() && !settled.redacted());
    assert_eq!((&*settled.value, settled.status), (&value, Status::Ok));
    let found: Vec<_> = settled.findings.iter().map(|found| (found.reason, found.verdict, found.action)).collect();
    let withheld = (Reason::Clause(0), Verdict::Violated, Decision::Block);
    assert_eq!(found, [withheld, (Reason::Redacted, Verdict::Open, Decision::Alert)]);
}

#[test]
fn running_gives_what_the_agent_may_see() {
    let session = session();
    let value = session.run_blocking("search", json!({}), |_| Ok::<_, String>(json!({"ssn": 1}))).unwrap();
    assert_eq!(value, json!({"ssn": "[redacted]"}));
    let value = session.run_blocking("search", json!({}), |_| Ok::<_, String>(json!({"secret": 1}))).unwrap();
    assert!(value["withheld"].as_str().unwrap().starts_with("`search` ran"));
    let failed = session.run_blocking("search", json!({}), |_| Err::<serde_json::Value, _>("the disk is full"));
    assert!(matches!(failed, Err(RunError::Failed("the disk is full"))));
}
