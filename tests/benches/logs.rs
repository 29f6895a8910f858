//! How long a monitor takes for a public log of 110,000 events, in nanoseconds for an event.
//!
//! An event is a call with its result: its decision, and what rules make of the outcome. A round begins with a new monitor,
//! ends with the first violation, which is the last event, and includes the memory of all keys, made and freed. Not included
//! is what is before a monitor: the log is in memory, as calls with JSON arguments.

use std::hint::black_box;

use contract_runtime::{Call, Decision, Monitor, Outcome, Session, Time};
use hashbrown::HashSet;
use interlock::contracts;
use interlock_tests::bare::Bare;
use interlock_tests::corpus;
use interlock_tests::logs::{self, Log};
use interlock_tests::race::{Case, race};
use serde_json::{Value, json};

contracts!("benches/contracts/access.yaml");
contracts!("benches/contracts/access_formula.yaml");
contracts!("benches/contracts/file.yaml");
contracts!("benches/contracts/file_formula.yaml");

const ROUNDS: usize = 21;

type Keys = HashSet<Box<str>, foldhash::fast::RandomState>;

/// What one would write by hand for both logs.
#[derive(Default)]
struct Floor {
    users: Keys,
    files: Keys,
}

impl Floor {
    fn call(&mut self, tool: &str, args: &Value, keeps_order: bool) -> bool {
        let text = |name| args.get(name).and_then(Value::as_str);
        let insert = |keys: &mut Keys, key: &str| {
            if !keys.contains(key) {
                keys.insert(key.into());
            }
            true
        };
        match tool {
            "login" => text("user").is_some_and(|user| insert(&mut self.users, user)),
            "logout" => text("user").is_some_and(|user| self.users.remove(user) || !keeps_order),
            "open" => text("file").is_some_and(|file| insert(&mut self.files, file)),
            "close" => text("file").is_some_and(|file| self.files.remove(file) || !keeps_order),
            "access" => text("user")
                .zip(text("file"))
                .is_some_and(|(user, file)| self.users.contains(user) && self.files.contains(file)),
            _ => true,
        }
    }
}

/// Runs a log until the first violation. Panics if that is not the last event.
fn run(log: &Log, mut call: impl FnMut(&str, &Value) -> bool) {
    let violation = log.iter().position(|(tool, args)| !call(black_box(tool), black_box(args)));
    assert_eq!(violation, log.len().checked_sub(1), "the last event violates");
}

fn run_bare(log: &Log, monitor: impl Monitor, result: &Value) {
    let mut monitor = Bare::new(monitor);
    run(log, |tool, args| monitor.call(tool, args, result).0 == Decision::Allow);
}

fn run_session(log: &Log, monitor: impl Monitor, result: &Value) {
    let session = Session::builder(monitor).start().expect("a session without context starts");
    run(log, |tool, args| {
        let permit = session.before(&Call::new(tool, args).at(Time::EPOCH));
        permit.is_ok_and(|permit| session.after(permit, Outcome::ok(result).at(Time::EPOCH)).is_ok())
    });
}

/// Times a log by hand, with a rule of a kind, with a formula, interpreted and in a session.
fn time<M: Monitor, F: Monitor>(
    name: &str,
    log: &Log,
    fresh: fn() -> M,
    formula: fn() -> F,
    text: &str,
    keeps_order: bool,
) {
    let ok = json!({"status": "ok"});
    let interpreted = corpus::interpreted(name, text).expect("the bench contracts have no errors");
    let mut cases = [
        Case::new("floor, by hand", || {
            let mut floor = Floor::default();
            run(log, |tool, args| floor.call(tool, args, keeps_order));
        }),
        Case::new("compiled", || run_bare(log, fresh(), &ok)),
        Case::new("compiled, as a formula", || run_bare(log, formula(), &ok)),
        Case::new("interpreted", || run_bare(log, interpreted.monitor(), &ok)),
        Case::new("compiled, in a Session", || run_session(log, fresh(), &ok)),
    ];
    race(&format!("the log `{name}`, {} events", log.len()), &mut cases, ROUNDS, log.len());
}

fn main() {
    let (access, file) = (include_str!("contracts/access.yaml"), include_str!("contracts/file.yaml"));
    time("access", &logs::access(50_000), Access::new, AccessFormula::new, access, false);
    time("file", &logs::file(80_000), File::new, FileFormula::new, file, true);
}
