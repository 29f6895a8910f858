use serde_json::json;

use super::script::Script;
use super::{builder, call, invoice, ok, session};
use crate::call::{Call, Outcome};
use crate::session::OnError;
use crate::{Decision, Mode, RefusalKind, Session, SnapshotError, Verdict};

#[test]
fn a_monitor_that_panics_is_not_asked_again_and_on_error_decides() {
    let session = session();
    let refusal = call(&session, "panic", &json!({})).unwrap_err();
    assert_eq!((refusal.kind(), refusal.evaluated()), (RefusalKind::Blocked, false));
    assert!(refusal.text().contains("could not be evaluated"), "{refusal}");
    assert!(call(&session, "pay", &invoice("i1")).is_err(), "it writes");
    let permit = call(&session, "search", &json!({"limit": 500})).unwrap();
    assert_eq!(
        (permit.evaluated(), permit.decision(), permit.args()),
        (false, Decision::Allow, &json!({"limit": 500}))
    );
    let settled = session.settle(permit, ok(json!({"ssn": 1}))).unwrap();
    assert!(!settled.evaluated && settled.findings.is_empty());
    assert_eq!(session.event("lock", &json!(null), None).unwrap(), []);
    assert!(call(&session, "panic_effect", &json!({})).is_err(), "whose effect is not known counts as irreversible");
    assert_eq!(session.snapshot().unwrap_err(), SnapshotError::Failed);
    assert!(session.end().verdicts.iter().all(|(_, verdict)| *verdict == Verdict::Unestablished));
}

#[test]
fn an_event_that_makes_the_monitor_panic_is_no_way_around_it() {
    let session = session();
    assert_eq!(session.event("panic", &json!(null), None).unwrap(), []);
    assert!(!call(&session, "pay", &invoice("i1")).unwrap_err().evaluated());
}

#[test]
fn a_result_that_nobody_looked_at_is_withheld_where_a_rule_might_have() {
    let session = session();
    let permit = call(&session, "panic_after", &json!({})).unwrap();
    let settled = session.settle(permit, ok(json!({"ssn": 1}))).unwrap();
    assert!(settled.withheld() && !settled.evaluated);
    assert!(!settled.value.to_string().contains("ssn"), "{}", settled.value);
    let permit = call(&session, "search", &json!({})).unwrap();
    assert_eq!(*session.after(permit, Outcome::ok(&json!(1))).unwrap(), json!(1), "scoring never withholds");
}

#[test]
fn the_session_may_fail_open_or_closed() {
    let open = builder().on_error(OnError::Open).start().unwrap();
    assert!(!call(&open, "panic", &json!({})).unwrap().evaluated());
    let closed = builder().on_error(OnError::Closed).start().unwrap();
    assert!(call(&closed, "panic_read", &json!({})).is_err());
    let by_effect = session();
    assert!(call(&by_effect, "panic_read", &json!({})).is_ok());
    let shadow = Session::builder(Script::of_version("1", Mode::Shadow)).start().unwrap();
    let permit = call(&shadow, "panic", &json!({})).unwrap();
    assert!(!permit.evaluated() && permit.after_divergence(), "shadow mode stops nothing");
}

#[test]
fn a_host_whose_own_part_failed_decides_without_the_contract() {
    let session = session();
    let args = invoice("i1");
    let refusal = session.unevaluated(&Call::new("pay", &args), "the store is down").unwrap_err();
    assert!(refusal.text().contains("the store is down") && !refusal.evaluated());
    let permit = session.unevaluated(&Call::new("search", &args).id("c1"), "the store is down").unwrap();
    assert!(session.unevaluated(&Call::new("search", &args).id("c1"), "").is_err(), "the id is in flight");
    assert_eq!(*session.after(permit, Outcome::ok(&json!({"ssn": 1}))).unwrap(), json!({"ssn": 1}));
    assert!(call(&session, "pay", &args).unwrap().evaluated(), "the monitor is as it was");
}
