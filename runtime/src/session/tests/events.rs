use serde_json::json;

use super::script::Script;
use super::{at, call, invoice, ok, run, session};
use crate::call::{Call, Outcome};
use crate::{Mode, Reason, RefusalKind, Session, Verdict};

#[test]
fn time_that_goes_by_is_reported_with_the_event_that_reveals_it_after_its_own_findings() {
    let session = session();
    session.event("question", &json!(null), Some(at(0))).unwrap();
    assert!(session.advance(at(10)).unwrap().is_empty(), "exactly in time");
    let found = session.advance(at(11)).unwrap();
    assert_eq!(found.iter().map(|finding| finding.reason).collect::<Vec<_>>(), [Reason::Expired]);
    assert!(session.advance(at(5)).unwrap().is_empty(), "time does not run backwards");

    run(&session, "pay", &invoice("i1"), &json!({}));
    session.event("question", &json!(null), None).unwrap();
    let args = invoice("i1");
    let refusal = session.before(&Call::new("pay", &args).at(at(30))).unwrap_err();
    let reasons: Vec<_> = refusal.findings().iter().map(|finding| finding.reason).collect();
    assert_eq!(reasons, [Reason::Rule, Reason::Expired]);
    assert!(!refusal.text().contains("answer"), "expiry never blocks the call that reveals it");

    session.event("question", &json!(null), Some(at(40))).unwrap();
    let permit = call(&session, "search", &json!({})).unwrap();
    let settled = session.settle(permit, ok(json!({})).at(at(60))).unwrap();
    assert_eq!(settled.findings.len(), 1);
    session.event("question", &json!(null), Some(at(70))).unwrap();
    assert_eq!(session.event("other", &json!(null), Some(at(90))).unwrap().len(), 1);
    session.event("question", &json!(null), None).unwrap();
    let summary = session.end();
    assert_eq!(summary.findings[0].reason, Reason::Ended);
    assert!(session.advance(at(99)).is_err());
}

#[test]
fn messages_speak_of_the_call_in_hand() {
    let session = session();
    run(&session, "pay", &invoice("i1"), &json!({}));
    let refusal = call(&session, "pay", &invoice("i1")).unwrap_err();
    assert_eq!(refusal.findings()[0].message.as_deref(), Some("pay i1 ?"));
    assert_eq!(refusal.text(), "`pay` did not run: the contract `script` blocks it.\n- once (key \"i1\"): pay i1 ?");
}

#[test]
fn sub_agents_share_the_session() {
    let session = session();
    let args = invoice("i1");
    let first = session.before(&Call::new("pay", &args).agent("researcher")).unwrap();
    let refusal = session.before(&Call::new("pay", &args).agent("writer")).unwrap_err();
    assert_eq!(refusal.findings()[0].verdict, Verdict::Violated);
    session.after(first, Outcome::failed(&json!({}))).unwrap();
    assert!(session.before(&Call::new("pay", &args).agent("writer")).is_ok());
}

#[test]
fn arguments_are_rewritten_and_may_not_get_too_deep() {
    let session = session();
    let permit = call(&session, "search", &json!({"limit": 500})).unwrap();
    assert_eq!(permit.args(), &json!({"limit": 10}));
    let refusal = call(&session, "deepen", &json!({})).unwrap_err();
    assert!(refusal.text().contains("nested too deeply"), "{refusal}");
    let small = call(&session, "search", &json!({"limit": 5})).unwrap();
    assert!(!small.rewritten());
}

#[test]
fn shadow_mode_rewrites_nothing_and_says_so() {
    let session = Session::builder(Script::of_version("1", Mode::Shadow)).start().unwrap();
    let permit = call(&session, "search", &json!({"limit": 500})).unwrap();
    assert_eq!(permit.args(), &json!({"limit": 500}));
    assert_eq!((permit.findings()[0].reason, permit.findings()[0].verdict), (Reason::Rewritten, Verdict::Open));
    run(&session, "pay", &invoice("i1"), &json!({}));
    assert!(call(&session, "pay", &invoice("i1")).unwrap().after_divergence());
    assert!(call(&session, "review", &json!({})).is_ok());
}

#[test]
fn a_call_is_taken_over_by_another_permit() {
    let session = session();
    let args = invoice("i1");
    let first = session.before(&Call::new("pay", &args).id("c1")).unwrap();
    let second = session.resume("c1").unwrap();
    assert_eq!(session.after(first, Outcome::ok(&json!({}))).unwrap_err(), crate::AfterError::TakenOver);
    second.detach();
    let duplicate = session.before(&Call::new("search", &args).id("c1")).unwrap_err();
    assert_eq!(duplicate.kind(), RefusalKind::DuplicateId);
    let third = session.resume("c1").unwrap();
    drop(session.resume("c1").unwrap());
    drop(third);
    assert!(session.resume("c1").is_none());
}
