//! The session under hosts that run calls in parallel, drop permits, panic, and end early.

use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::thread;

use interlock::{AfterError, Call, Decision, Outcome, RefusalKind, RunError, Session, Verdict, contracts};
use serde_json::{Value, json};

contracts!("../interlock/examples/payments.yaml");

fn session() -> Session<Payments> {
    let session = Session::builder(Payments::new()).start().unwrap();
    let payee = json!({"payee": "acme"});
    let permit = session.before(&Call::new("verify_payee", &payee)).unwrap();
    session.after(permit, Outcome::ok(&json!({}))).unwrap();
    session
}

fn payment(invoice: u32) -> Value {
    json!({"payee": "acme", "invoice": invoice, "amount": 1})
}

#[test]
fn parallel_calls_cannot_overshoot_even_if_tools_panic() {
    let session = session();
    let runs = AtomicUsize::new(0);
    thread::scope(|scope| {
        for number in 0..16 {
            let (session, runs) = (&session, &runs);
            scope.spawn(move || {
                for _ in 0..200 {
                    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                        session.run_blocking("send_payment", payment(7), |_| {
                            runs.fetch_add(1, Ordering::Relaxed);
                            assert!(number % 4 != 0, "the tool panics");
                            Ok::<_, String>(json!({}))
                        })
                    }));
                }
            });
        }
    });
    assert_eq!(runs.load(Ordering::Relaxed), 1, "a panicking payment may have been made");
    assert_eq!(session.before(&Call::new("send_payment", &payment(8))).unwrap().decision(), Decision::Allow);
}

#[test]
fn a_dropped_permit_is_an_unknown_outcome() {
    let session = session();
    drop(session.before(&Call::new("send_payment", &payment(1))).unwrap());
    let refusal = session.before(&Call::new("send_payment", &payment(1))).unwrap_err();
    assert_eq!(refusal.findings()[0].verdict, Verdict::Unestablished, "it may have been paid");
    assert!(refusal.text().contains("once-per-invoice"));
}

#[test]
fn a_failed_payment_does_not_count() {
    let session = session();
    let failed = session.run_blocking("send_payment", payment(1), |_| Err::<Value, _>("the bank is down"));
    assert!(matches!(failed, Err(RunError::Failed("the bank is down"))));
    assert!(session.run_blocking("send_payment", payment(1), |_| Ok::<_, String>(json!({}))).is_ok());
}

#[test]
fn a_cancelled_future_is_an_unknown_outcome() {
    let session = session();
    {
        let mut running =
            pin!(session.run("send_payment", payment(1), |_| std::future::pending::<Result<Value, String>>()));
        let mut context = Context::from_waker(Waker::noop());
        assert!(matches!(running.as_mut().poll(&mut context), Poll::Pending));
    }
    assert!(session.before(&Call::new("send_payment", &payment(1))).is_err());
}

#[test]
fn permits_of_another_session_and_after_the_end_are_refused() {
    let (one, other) = (session(), session());
    let permit = one.before(&Call::new("send_payment", &payment(1))).unwrap();
    assert_eq!(other.after(permit, Outcome::ok(&json!({}))).unwrap_err(), AfterError::ForeignPermit);
    let permit = one.before(&Call::new("send_payment", &payment(2))).unwrap();
    let summary = one.end();
    assert_eq!(one.after(permit, Outcome::ok(&json!({}))).unwrap_err(), AfterError::Ended);
    assert_eq!(one.before(&Call::new("send_payment", &payment(3))).unwrap_err().kind(), RefusalKind::Ended);
    assert_eq!(one.end(), summary);
}

#[test]
fn two_calls_with_one_id_in_flight_are_one_too_many() {
    let session = session();
    let args = payment(1);
    let permit = session.before(&Call::new("send_payment", &args).id("c1")).unwrap();
    let refusal = session.before(&Call::new("verify_payee", &args).id("c1")).unwrap_err();
    assert_eq!(refusal.kind(), RefusalKind::DuplicateId);
    session.after(permit, Outcome::ok(&json!({}))).unwrap();
    assert!(session.before(&Call::new("verify_payee", &args).id("c1")).is_ok());
}

#[test]
fn arguments_nested_too_deeply_are_refused_and_do_no_harm() {
    let session = session();
    let deep = (0..3_000).fold(json!(1), |inner, _| Value::Array(vec![inner]));
    let refusal = session.before(&Call::new("verify_payee", &deep)).unwrap_err();
    assert!(refusal.text().contains("nested too deeply"), "{refusal}");
}

#[test]
fn sessions_are_shared_between_threads_and_futures_are_send() {
    fn shared<T: Send + Sync>(_: &T) {}
    fn sent<T: Send>(_: &T) {}
    let session = session();
    shared(&session);
    sent(&session.run("send_payment", payment(1), |_| async { Ok::<_, String>(json!({})) }));
}

#[test]
fn a_refusal_never_shows_another_calls_data() {
    let session = session();
    let secret = json!({"payee": "acme", "invoice": "S3CRET-1", "amount": 1});
    let permit = session.before(&Call::new("send_payment", &secret)).unwrap();
    session.after(permit, Outcome::ok(&json!({"token": "S3CRET-2"}))).unwrap();
    let refusal =
        session.before(&Call::new("send_payment", &json!({"payee": "evil\u{1b}[31m\u{202e}", "invoice": "x"})));
    let text = refusal.unwrap_err().to_string();
    assert!(!text.contains("S3CRET") && !text.contains('\u{1b}') && !text.contains('\u{202e}'), "{text}");
}

#[test]
fn a_qualified_name_is_a_tool_of_a_server() {
    let text = "version: 1\nname: q\ndefault: allow\nrules:\n  - id: no-delete\n    forbid: records::delete\n";
    let checked = contract_lang::check("q.yaml", text.as_bytes(), &contract_lang::Options::default());
    let contract = contract_lang::interpret::Interpreted::new(checked.contract.unwrap());
    let session = Session::builder(contract.monitor()).start().unwrap();
    let args = json!({});
    assert!(session.before(&Call::new("delete", &args).server("records")).is_err());
    assert!(session.before(&Call::new("records::delete", &args)).is_err());
    assert!(session.before(&Call::new("delete", &args).server("notes")).is_ok());
    assert!(session.before(&Call::new("delete", &args)).is_ok());
}
