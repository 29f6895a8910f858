use serde_json::{Value, json};

use super::script::Script;
use super::{at, builder, call, invoice, session};
use crate::call::{Call, Outcome};
use crate::value::lcg::Lcg;
use crate::{Decision, Mode, Reason, Session, SnapshotError, StartError, Subject, Truth};

fn restored(snapshot: &str) -> Session<Script> {
    builder().restore(snapshot).start().unwrap()
}

#[test]
fn a_session_goes_on_where_it_was_saved() {
    let first = builder().context(json!({"user": "u1"})).start().unwrap();
    let args = json!({"limit": 500, "invoice": "i1"});
    let search = first.before(&Call::new("srv::search", &args).id("c1").agent("a").batch(3).at(at(50))).unwrap();
    let pay = first.before(&Call::new("pay", &args).id("c2").at(at(51))).unwrap();
    assert!(call(&first, "pay", &args).is_err());
    let saved = first.snapshot().unwrap();
    drop((search, pay));

    let second = restored(&saved);
    assert_eq!(second.restored(), []);
    assert_eq!(second.snapshot().unwrap(), saved, "nothing is lost on the way");
    assert_eq!(second.blocked(), [("once".to_owned(), 1)]);
    let search = second.resume("c1").unwrap();
    assert_eq!((search.args(), search.original_args()), (&json!({"limit": 10, "invoice": "i1"}), &args));
    assert_eq!((search.tool(), search.decision(), search.evaluated()), ("srv::search", Decision::Allow, true));
    assert!(call(&second, "pay", &args).is_err(), "it has been paid");
    assert!(second.before(&Call::new("search", &args).id("c2")).is_err(), "the id is in flight");
    let pay = second.resume("c2").unwrap();
    assert_eq!(second.shared.lock().flights.len(), 2);
    second.after(pay, Outcome::failed(&json!({}))).unwrap();
    assert!(call(&second, "pay", &args).is_ok(), "what failed is returned, also after a restart");
    let counts = second.end().counts;
    assert_eq!((counts.allow, counts.block), (3, 2));
}

#[test]
fn the_notes_of_a_call_in_flight_survive() {
    let first = session();
    let args = invoice("i1");
    first.before(&Call::new("pay", &args).id("c1").at(at(5))).unwrap().detach();
    let second = restored(&first.snapshot().unwrap());
    let core = second.shared.lock();
    let note = core.flights.values().next().unwrap().flight.unwrap().note(0);
    assert_eq!((note.receipt.counted, note.receipt.at, note.epoch), (Truth::True, at(5), 1));
}

#[test]
fn another_version_of_the_contract_takes_nothing_for_established() {
    let first = session();
    first.before(&Call::new("pay", &invoice("i1")).id("c1")).unwrap().detach();
    let saved = first.snapshot().unwrap();
    let second = Session::builder(Script::of_version("2", Mode::Enforce)).restore(&saved).start().unwrap();
    let found = second.restored();
    assert_eq!((found[0].subject, found[0].reason), (Subject::Rule(0), Reason::Changed));
    let core = second.shared.lock();
    let flight = core.flights.values().next().unwrap().flight.unwrap();
    assert_eq!(flight.note(0).receipt.counted, Truth::False, "nothing is returned");
}

#[test]
fn the_facts_of_the_context_are_the_saved_ones_unless_others_are_given() {
    let user = |session: &Session<Script>| {
        let saved: Value = serde_json::from_str(&session.snapshot().unwrap()).unwrap();
        saved["context"]["user"].clone()
    };
    let saved = builder().context(json!({"user": "u1"})).start().unwrap().snapshot().unwrap();
    assert_eq!(user(&restored(&saved)), "u1");
    assert_eq!(user(&builder().context(json!({"user": "u2"})).restore(&saved).start().unwrap()), "u2");
    assert!(builder().context(json!({})).start().is_ok(), "a fact that is not given is not established");
}

#[test]
fn what_no_session_saved_is_refused() {
    let first = session();
    first.before(&Call::new("pay", &invoice("i1")).id("c1")).unwrap().detach();
    let saved: Value = serde_json::from_str(&first.snapshot().unwrap()).unwrap();
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut saved = saved.clone();
        change(&mut saved);
        matches!(builder().restore(&saved.to_string()).start(), Err(StartError::Restore(_)))
    };
    assert!(!refused(&|_| {}));
    for name in saved.as_object().unwrap().keys().filter(|name| !["contract", "context"].contains(&name.as_str())) {
        assert!(refused(&|saved| drop(saved.as_object_mut().unwrap().remove(name))), "without {name}");
        assert!(refused(&|saved| saved[name] = json!([[1], "x"])), "with another {name}");
    }
    for name in saved["flights"][0].as_object().unwrap().keys() {
        assert!(refused(&|saved| saved["flights"][0][name] = json!([[]])), "with another {name}");
    }
    assert!(refused(&|saved| {
        let twice = saved["flights"][0].clone();
        saved["flights"].as_array_mut().unwrap().push(twice);
    }));
    for text in ["", "[]", "{", "{\"format\": 2}"] {
        assert!(builder().restore(text).start().is_err(), "{text}");
    }
    let error = builder().restore("{}").start().unwrap_err();
    assert_eq!(error.to_string(), "the saved session cannot be taken up: it is not of format 1");
}

#[test]
fn what_cannot_be_saved_says_so() {
    let first = session();
    let deep = (0..150).fold(json!(1), |inner, _| Value::Array(vec![inner]));
    let args = Value::Object([("deep".to_owned(), deep)].into_iter().collect());
    let permit = first.before(&Call::new("search", &args)).unwrap();
    assert_eq!(first.snapshot().unwrap_err(), SnapshotError::TooDeep { tool: "search".to_owned() });
    drop(permit);
    assert!(first.snapshot().is_ok());
    first.end();
    assert_eq!(first.snapshot().unwrap_err(), SnapshotError::Ended);
}

#[test]
fn no_text_makes_a_restart_panic() {
    let first = session();
    let args = json!({"limit": 500, "invoice": "i1"});
    first.before(&Call::new("pay", &args).id("c1")).unwrap().detach();
    first.before(&Call::new("search", &args).id("c2")).unwrap().detach();
    let saved = first.snapshot().unwrap();
    let mut random = Lcg::new(11);
    let mut taken = 0_u32;
    for _ in 0..3_000 {
        let mut bytes = saved.clone().into_bytes();
        for _ in 0..=random.below(3) {
            let place = usize::try_from(random.below(u64::try_from(bytes.len()).unwrap())).unwrap();
            match random.below(3) {
                0 => bytes[place] = *random.pick(b"0123456789\"{}[],:-abz"),
                1 => drop(bytes.remove(place)),
                _ => bytes.truncate(place.max(1)),
            }
        }
        if let Ok(session) = builder().restore(&String::from_utf8_lossy(&bytes)).start() {
            taken = taken.saturating_add(1);
            drop(session.resume("c1"));
            session.end();
        }
    }
    assert!(taken > 0, "a changed argument is no error");
}
