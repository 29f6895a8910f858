//! The session under hosts that run calls in parallel, drop permits, panic, and end early.

use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::thread;

use contract_lang::interpret::{Interpreted, Interpreter};
use interlock::{
    AfterError, Approval, Call, Decision, Denial, Outcome, Reason, RefusalKind, RunError, Session, Status, Time,
    Verdict, contracts,
};
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

fn interpreted(contract: &str) -> Interpreter {
    let text = format!("version: 1\nname: q\ndefault: allow\ninstances: {{ max: 100 }}\n{contract}");
    let checked = contract_lang::check("q.yaml", text.as_bytes(), &contract_lang::Options::default());
    let contract = checked.contract.unwrap_or_else(|| panic!("{:?}", checked.diagnostics));
    Interpreted::new(contract).monitor()
}

fn at(second: u32) -> Time {
    Time::from_nanos(i128::from(second).saturating_mul(1_000_000_000))
}

#[test]
fn a_qualified_name_is_a_tool_of_a_server() {
    let session =
        Session::builder(interpreted("rules:\n  - id: no-delete\n    forbid: records::delete\n")).start().unwrap();
    let args = json!({});
    assert!(session.before(&Call::new("delete", &args).server("records")).is_err());
    assert!(session.before(&Call::new("records::delete", &args)).is_err());
    assert!(session.before(&Call::new("delete", &args).server("notes")).is_ok());
    assert!(session.before(&Call::new("delete", &args)).is_ok());
}

#[test]
fn sub_agents_share_prerequisites_and_counts() {
    let session = Session::builder(Payments::new()).start().unwrap();
    let (payee, args) = (json!({"payee": "acme"}), payment(1));
    let permit = session.before(&Call::new("verify_payee", &payee).agent("researcher")).unwrap();
    session.after(permit, Outcome::ok(&json!({}))).unwrap();
    let permit = session.before(&Call::new("send_payment", &args).agent("payer")).unwrap();
    assert!(session.before(&Call::new("send_payment", &args).agent("researcher")).is_err(), "one is under way");
    session.after(permit, Outcome::ok(&json!({}))).unwrap();
    assert!(session.before(&Call::new("send_payment", &args)).is_err(), "it is paid, whoever asks");
}

#[test]
fn a_compiled_session_goes_on_after_a_restart() {
    let first = session();
    let args = payment(1);
    first.before(&Call::new("send_payment", &args).id("c1")).unwrap().detach();
    let saved = first.snapshot().unwrap();
    drop(first);

    let second = Session::builder(Payments::new()).restore(&saved).start().unwrap();
    assert_eq!(second.restored(), []);
    assert_eq!(second.snapshot().unwrap(), saved);
    let refusal = second.before(&Call::new("send_payment", &args)).unwrap_err();
    assert_eq!(refusal.findings()[0].verdict, Verdict::Violated);
    let permit = second.resume("c1").unwrap();
    second.after(permit, Outcome::failed(&json!({"error": "declined"}))).unwrap();
    assert!(second.before(&Call::new("send_payment", &args)).is_ok(), "the failed payment is given back");
    assert!(second.before(&Call::new("send_payment", &json!({"payee": "other", "invoice": 2}))).is_err());
}

#[test]
fn another_contract_takes_nothing_for_established() {
    let verify = "  - id: verify\n    must_precede: { first: verify, then: pay }\n    per: args.id\n";
    let first = Session::builder(interpreted(&format!("rules:\n{verify}"))).start().unwrap();
    let args = json!({"id": 1});
    let permit = first.before(&Call::new("verify", &args)).unwrap();
    first.after(permit, Outcome::ok(&json!({}))).unwrap();
    let saved = first.snapshot().unwrap();
    let changed = interpreted(&format!("rules:\n{verify}  - id: once\n    at_most_n_times: {{ call: pay, n: 1 }}\n"));
    let second = Session::builder(changed).restore(&saved).start().unwrap();
    assert!(second.restored().iter().any(|finding| finding.reason == Reason::Changed));
    let refusal = second.before(&Call::new("pay", &args)).unwrap_err();
    assert!(refusal.findings().iter().all(|finding| finding.verdict == Verdict::Unestablished), "{refusal}");
}

#[test]
fn a_person_is_asked_about_exactly_this_call() {
    let contract = "rules:\n  - id: limit\n    call: pay\n    require: args.amount <= 100\n    action: ask\n";
    let session = Session::builder(interpreted(contract)).clock(|| at(0)).start().unwrap();
    let args = json!({"amount": 500});
    let refusal = session.before(&Call::new("pay", &args)).unwrap_err();
    assert_eq!(refusal.kind(), RefusalKind::NeedsApproval);
    let request = refusal.request().unwrap();
    let permit = session.approve(request, Approval::new().by("ann").at(at(599))).unwrap();
    assert_eq!((permit.decision(), permit.args()), (Decision::Ask, &args));
    assert_eq!(session.approve(request, Approval::new()).unwrap_err().kind(), RefusalKind::NoSuchRequest);
    drop(permit);
    let late = session.before(&Call::new("pay", &args).at(at(1000))).unwrap_err();
    let answer = session.approve(late.request().unwrap(), Approval::new().at(at(1601))).unwrap_err();
    assert_eq!(answer.kind(), RefusalKind::ApprovalExpired);
    let asked = session.before(&Call::new("pay", &args)).unwrap_err();
    let denied = session.deny(asked.request().unwrap(), Denial::new().reason("too much"));
    assert_eq!(denied.kind(), RefusalKind::ApprovalDenied);
    assert_eq!(session.end().verdicts[0].1, Verdict::Satisfied, "an approved call is no violation");
}

#[test]
fn a_deadline_is_found_when_time_goes_by() {
    let contract = "rules:\n  - id: receipt\n    must_be_followed_by: { after: pay, then: receipt, within: 60s }\n";
    let session = Session::builder(interpreted(contract)).clock(|| at(0)).start().unwrap();
    let args = json!({});
    let permit = session.before(&Call::new("pay", &args)).unwrap();
    session.after(permit, Outcome::ok(&json!({}))).unwrap();
    assert_eq!(session.advance(at(60)).unwrap(), []);
    let found = session.advance(at(61)).unwrap();
    assert_eq!((found.len(), found[0].reason, found[0].action), (1, Reason::Expired, Decision::Alert));
    assert_eq!(session.advance(at(99)).unwrap(), [], "it is found once");
    assert_eq!(session.end().verdicts[0].1, Verdict::Violated);
}

#[test]
fn a_withheld_result_proves_nothing() {
    let contract = "rules:\n  - id: own-rows\n    after: search\n    ensure: result.tenant == \"t1\"\n    otherwise: withhold\n  \
                    - id: search-first\n    must_precede: { first: search, then: export }\n";
    let session = Session::builder(interpreted(contract)).start().unwrap();
    let args = json!({});
    let permit = session.before(&Call::new("search", &args)).unwrap();
    let foreign = json!({"tenant": "t2", "rows": ["S3CRET"]});
    let settled = session.settle(permit, Outcome::ok(&foreign)).unwrap();
    assert!(settled.withheld() && !settled.value.to_string().contains("S3CRET"), "{}", settled.value);
    assert_eq!(settled.status, Status::Unknown);
    assert!(session.before(&Call::new("export", &args)).is_err());
    let permit = session.before(&Call::new("search", &args)).unwrap();
    session.after(permit, Outcome::ok(&json!({"tenant": "t1"}))).unwrap();
    assert!(session.before(&Call::new("export", &args)).is_ok());
}

#[test]
fn a_plain_function_is_guarded() {
    async fn send_payment(args: Value) -> Result<String, String> {
        Ok(format!("paid {}", args["invoice"]))
    }
    let session = session();
    let tool = session.tool("send_payment", send_payment);
    let mut context = Context::from_waker(Waker::noop());
    let mut pay = || {
        let mut call = pin!(tool.call(payment(1)));
        match call.as_mut().poll(&mut context) {
            Poll::Ready(result) => result,
            Poll::Pending => panic!("it waits"),
        }
    };
    assert_eq!(pay().unwrap(), "paid 1");
    assert!(matches!(pay(), Err(RunError::Refused(refusal)) if refusal.kind() == RefusalKind::Blocked));
}
