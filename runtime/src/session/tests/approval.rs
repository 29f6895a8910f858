use serde_json::json;

use super::{at, builder, call, session};
use crate::call::{Call, Outcome};
use crate::session::{Approval, Denial};
use crate::{Decision, Duration, RefusalKind};

#[test]
fn an_approval_is_for_one_run_of_exactly_this_call() {
    let session = session();
    let args = json!({"limit": 500});
    let refusal = call(&session, "review", &args).unwrap_err();
    assert_eq!(refusal.kind(), RefusalKind::NeedsApproval);
    let request = refusal.request().unwrap();
    assert_eq!((request.args(), request.original_args()), (&json!({"limit": 10}), &args));
    let permit = session.approve(request, Approval::new().by("ops")).unwrap();
    assert_eq!((permit.args(), permit.original_args()), (&json!({"limit": 10}), &args));
    assert_eq!((permit.decision(), permit.rewritten()), (Decision::Ask, true));
    assert_eq!(permit.approval(), Some(&Approval::new().by("ops")));
    session.after(permit, Outcome::ok(&json!({}))).unwrap();
    let again = session.approve(request, Approval::new()).unwrap_err();
    assert_eq!(again.kind(), RefusalKind::NoSuchRequest);
    assert_eq!(call(&session, "review", &args).unwrap_err().kind(), RefusalKind::NeedsApproval);
    let counts = session.end().counts;
    assert_eq!((counts.ask, counts.allow), (2, 0), "a call is not counted again when it is approved");
}

#[test]
fn an_approval_decides_afresh_and_never_lifts_a_block() {
    let session = session();
    let request = call(&session, "review", &json!({})).unwrap_err().request().unwrap().clone();
    session.event("lock", &json!(null), None).unwrap();
    let refusal = session.approve(&request, Approval::new()).unwrap_err();
    assert_eq!((refusal.kind(), refusal.request()), (RefusalKind::Blocked, None));
}

#[test]
fn what_the_contract_makes_of_the_arguments_by_now_has_to_be_seen_again() {
    let session = session();
    let request = call(&session, "review", &json!({"limit": 500})).unwrap_err().request().unwrap().clone();
    session.shared.lock().monitor.page = 20;
    let refusal = session.approve(&request, Approval::new()).unwrap_err();
    assert_eq!(refusal.kind(), RefusalKind::NeedsApproval);
    let request = refusal.request().unwrap();
    assert_eq!(request.args(), &json!({"limit": 20}));
    assert!(session.approve(request, Approval::new()).is_ok());
}

#[test]
fn denied_expired_and_nobody_there_are_three_reasons() {
    let session = builder().approval_window(Duration::from_nanos(60_000_000_000)).start().unwrap();
    let ask = || call(&session, "review", &json!({})).unwrap_err().request().unwrap().clone();
    let (denied, late, expired) = (ask(), ask(), ask());
    let refusal = session.deny(&denied, Denial::new().reason("not on a \u{202e}Friday"));
    assert_eq!(refusal.kind(), RefusalKind::ApprovalDenied);
    assert_eq!(refusal.text(), "`review` did not run: a person did not approve it: not on a \\u{202e}Friday.");
    assert_eq!(session.deny(&denied, Denial::new()).kind(), RefusalKind::NoSuchRequest);
    let refusal = session.approve(&late, Approval::new().at(at(61))).unwrap_err();
    assert_eq!(refusal.kind(), RefusalKind::ApprovalExpired);
    assert_eq!(session.deny(&expired, Denial::new().at(at(61))).kind(), RefusalKind::ApprovalExpired);

    let alone = builder().nobody_to_ask().start().unwrap();
    let refusal = call(&alone, "review", &json!({})).unwrap_err();
    assert_eq!((refusal.kind(), refusal.request()), (RefusalKind::NobodyToAsk, None));
    assert!(alone.approve(&ask(), Approval::new()).is_err());
    assert!(alone.before(&Call::new("review", &json!({})).approved()).is_ok(), "the host has asked by itself");
}

#[test]
fn requests_of_other_sessions_and_ended_ones_are_refused() {
    let (one, other) = (session(), session());
    let request = call(&one, "review", &json!({})).unwrap_err().request().unwrap().clone();
    assert_eq!(other.approve(&request, Approval::new()).unwrap_err().kind(), RefusalKind::NoSuchRequest);
    one.end();
    assert_eq!(one.approve(&request, Approval::new()).unwrap_err().kind(), RefusalKind::Ended);
}

#[test]
fn only_what_did_not_run_was_stopped() {
    let session = session();
    let request = call(&session, "review", &json!({})).unwrap_err().request().unwrap().clone();
    assert!(session.approve(&request, Approval::new()).is_ok());
    assert_eq!(session.blocked(), [("review".to_owned(), 1)]);
}
