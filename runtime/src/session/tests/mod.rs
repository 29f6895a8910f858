mod approval;
mod events;
mod failure;
mod record;
mod results;
mod script;
#[cfg(feature = "digest")]
mod snapshot;
mod tool;

use serde_json::{Value, json};

use self::script::Script;
use super::{Session, SessionBuilder};
use crate::call::{Call, Outcome};
use crate::refusal::Refusal;
use crate::{Permit, Status, Time};

fn at(second: i128) -> Time {
    Time::from_nanos(second.saturating_mul(1_000_000_000))
}

/// A session whose events are at the beginning of time unless they say otherwise.
fn builder() -> SessionBuilder<Script> {
    Session::builder(Script::new()).clock(|| at(0))
}

fn session() -> Session<Script> {
    builder().start().unwrap()
}

fn invoice(number: &str) -> Value {
    json!({ "invoice": number })
}

type Asked = Result<Permit<Script>, Refusal>;

fn call(session: &Session<Script>, tool: &str, args: &Value) -> Asked {
    session.before(&Call::new(tool, args))
}

/// What a call returned.
fn ok(value: Value) -> Outcome<'static> {
    Outcome::new(Status::Ok, Some(value))
}

/// Makes a call that runs, and takes its result.
fn run(session: &Session<Script>, tool: &str, args: &Value, result: &Value) {
    let permit = call(session, tool, args).unwrap();
    session.after(permit, Outcome::ok(result)).unwrap();
}
