use std::collections::BTreeMap;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use super::session;
use crate::RunError;

type Args = BTreeMap<String, i64>;
type Row = BTreeMap<String, String>;

/// The value of a future that never waits.
fn ready<T>(future: impl Future<Output = T>) -> T {
    let mut context = Context::from_waker(Waker::noop());
    match pin!(future).poll(&mut context) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("it waits"),
    }
}

fn args(name: &str, value: i64) -> Args {
    Args::from([(name.to_owned(), value)])
}

async fn limit(args: Args) -> Result<i64, String> {
    args.get("limit").copied().ok_or_else(|| "no limit".to_owned())
}

#[test]
fn a_plain_function_gets_the_arguments_that_the_contract_makes() {
    let session = session();
    let search = session.tool("search", limit);
    assert_eq!(ready(search.call(args("limit", 5))).unwrap(), 5);
    assert_eq!(ready(search.call(args("limit", 500))).unwrap(), 10);
    assert!(matches!(ready(search.call(args("other", 1))), Err(RunError::Failed(error)) if error == "no limit"));
    let pay = session.tool("pay", limit);
    assert!(matches!(ready(pay.call(args("limit", 1))), Err(RunError::Refused(_))), "it has no invoice");
    assert_eq!(session.end().counts.allow, 3);
}

#[test]
fn the_agent_gets_what_it_may_see() {
    let session = session();
    let row = |name: &'static str| {
        move |_: Args| async move { Ok::<_, String>(Row::from([(name.to_owned(), "x".to_owned())])) }
    };
    let none = Args::new;
    let masked = ready(session.tool("search", row("ssn")).call(none())).unwrap();
    assert_eq!(masked["ssn"], "[redacted]");
    let withheld = ready(session.tool("search", row("secret")).call(none())).unwrap_err();
    assert!(matches!(&withheld, RunError::Withheld(text) if text.starts_with("`search` ran")), "{withheld}");
    let number = |_: Args| async { Ok::<_, String>(args("ssn", 7)) };
    let other = ready(session.tool("search", number).call(none())).unwrap_err();
    assert!(matches!(&other, RunError::Shape(value) if value["ssn"] == "[redacted]"), "{other}");
}

#[test]
fn values_that_are_no_json_do_not_pass_unseen() {
    let session = session();
    let list = session.tool("search", |list: Vec<i64>| async move { Ok::<_, String>(list) });
    assert!(matches!(ready(list.call(vec![1])), Err(RunError::Arguments(_))));
    let keyed = |_: Args| async { Ok::<_, String>(BTreeMap::from([(vec![1], 2)])) };
    assert!(matches!(ready(session.tool("search", keyed).call(Args::new())), Err(RunError::Unreadable(_))));
}
