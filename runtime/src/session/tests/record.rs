//! What a session hands to its sink, and what becomes of calls that it cannot hand over.

use std::sync::{Arc, Mutex};

use serde_json::json;

use super::*;
use crate::{
    Approval, Decided, Denial, Entry, Happening, Mode, NoticeKind, OnError, RefusalKind, Shown, Sink, SinkError,
    StartError, Ticket,
};

/// Keeps what it is given as lines, and fails where it is told to.
#[derive(Default)]
struct Lines {
    lines: Mutex<Vec<String>>,
    committed: Mutex<Option<u64>>,
    full: Mutex<bool>,
    unsafe_: Mutex<bool>,
    panics: Mutex<bool>,
}

impl Lines {
    fn panic_if_told(&self) {
        let told = *self.panics.lock().unwrap();
        assert!(!told, "the sink has a mistake");
    }
}

impl Sink for Lines {
    fn record(&self, entry: &Entry<'_>) -> Result<Ticket, SinkError> {
        if !*self.unsafe_.lock().unwrap() {
            self.panic_if_told();
        }
        if *self.full.lock().unwrap() {
            return Err(SinkError::new("the disk is full"));
        }
        let mut lines = self.lines.lock().unwrap();
        let seq = u64::try_from(lines.len()).unwrap();
        lines.push(format!("{} {}", entry.session.unwrap_or("-"), line(entry)));
        Ok(Ticket { seq, waits: true })
    }

    fn commit(&self, ticket: Ticket) -> Result<(), SinkError> {
        self.panic_if_told();
        if *self.unsafe_.lock().unwrap() {
            return Err(SinkError::new("the disk does not answer"));
        }
        *self.committed.lock().unwrap() = Some(ticket.seq);
        Ok(())
    }
}

fn line(entry: &Entry<'_>) -> String {
    let rules = |findings: &[crate::Finding]| {
        let ids: Vec<_> = findings.iter().map(|finding| finding.id(entry.contract)).collect();
        ids.join(",")
    };
    match entry.what {
        Happening::Start(start) => format!("start {:?} {}", start.mode, start.resumed),
        Happening::Decided(Decided { call, tool, args, decision, refusal, findings, evaluated, .. }) => {
            let refusal = refusal.map_or("runs", RefusalKind::as_str);
            let args = if crate::value::is_shallow(args) { args.to_string() } else { "?".to_owned() };
            let decision = decision.as_str();
            let unevaluated = if evaluated { "" } else { " unevaluated" };
            format!("call {call} {tool} {args} {decision} {refusal} [{}]{unevaluated}", rules(findings))
        }
        Happening::Completed(done) => {
            let shown = match done.shown {
                Shown::All => "all".to_owned(),
                Shown::Redacted(value) => value.to_string(),
                Shown::Withheld => "withheld".to_owned(),
            };
            let (call, tool, status) = (done.call, done.tool, done.status.as_str());
            format!("done {call} {:?} {tool} {status} {shown} [{}]", done.decision, rules(done.findings))
        }
        Happening::Event { name, findings, .. } => format!("event {name} [{}]", rules(findings)),
        Happening::Time { findings } => format!("time [{}]", rules(findings)),
        Happening::Retired { rule, by, count, .. } => format!("retired {rule} {} {count}", by.as_str()),
        Happening::Answered { request, answer, by, reason } => {
            format!("answer {request:?} {} {by:?} {reason:?}", answer.as_str())
        }
        Happening::Notice { kind, text, about, count } => {
            format!("notice {} {text:?} {:?} {count}", kind.as_str(), about.map(<[u8]>::len))
        }
        Happening::End(summary) => format!("end {:?}", summary.counts),
    }
}

#[test]
fn what_a_guard_saw_is_recorded_and_a_flood_of_it_is_counted() {
    let (session, lines) = recorded();
    session.notice(NoticeKind::Refused, "a message was not passed on", Some(b"[]")).unwrap();
    for _ in 0..1_000 {
        session.notice(NoticeKind::Noise, "no JSON", Some(b"listening")).unwrap();
    }
    session.end();
    session.notice(NoticeKind::Noise, "no JSON", None).unwrap_err();
    let said = lines.lines.lock().unwrap().clone();
    let of = |kind: &str| said.iter().filter(|line| line.contains(&format!(" notice {kind} "))).count();
    assert_eq!(of("refused"), 1);
    assert!(
        said.iter().any(|line| line.ends_with(r#" notice refused "a message was not passed on" Some(2) 1"#)),
        "{said:?}"
    );
    assert!(of("noise") < 110, "{said:?}");
    let count = |line: &String| line.rsplit(' ').next().and_then(|count| count.parse::<u64>().ok());
    let noise = said.iter().filter(|line| line.contains(" notice noise ")).filter_map(count);
    assert_eq!(noise.sum::<u64>(), 1_000);
    assert!(said.last().is_some_and(|line| line.contains(" end ")), "{said:?}");
}

fn recorded() -> (Session<Script>, Arc<Lines>) {
    let sink = Arc::new(Lines::default());
    (builder().journal(Arc::clone(&sink)).start().unwrap(), sink)
}

fn lines(sink: &Lines) -> Vec<String> {
    sink.lines.lock().unwrap().clone()
}

#[test]
fn a_sink_that_panics_has_not_recorded() {
    for in_commit in [false, true] {
        let (session, sink) = recorded();
        *sink.unsafe_.lock().unwrap() = in_commit;
        *sink.panics.lock().unwrap() = true;
        call(&session, "pay", &invoice("i1")).unwrap_err();
        let (missing, why) = session.unrecorded().unwrap();
        assert!(missing > 0);
        assert_eq!(why, SinkError::new("the sink panicked"));
    }
}

#[test]
fn each_thing_is_recorded_in_its_order_and_before_it_happens() {
    let (session, sink) = recorded();
    let args = invoice("i1");
    let permit = call(&session, "pay", &args).unwrap();
    // The intent is there, and safe, before the tool runs.
    assert_eq!(lines(&sink).last().unwrap(), "s0 call 0 pay {\"invoice\":\"i1\"} allow runs []");
    assert_eq!(*sink.committed.lock().unwrap(), Some(1));
    session.after(permit, ok(json!({}))).unwrap();
    call(&session, "pay", &args).unwrap_err();
    drop(call(&session, "other", &args).unwrap());
    session.event("question", &json!(1), None).unwrap();
    session.advance(at(20)).unwrap();
    session.run_blocking("search", json!({"limit": 50}), |_| Ok::<_, String>(json!({"ssn": "1"}))).unwrap();
    session.end();
    call(&session, "other", &args).unwrap_err();
    let expected = [
        "- start Enforce false",
        "s0 call 0 pay {\"invoice\":\"i1\"} allow runs []",
        "s0 done 0 Some(1) pay ok all []",
        "s0 call 1 pay {\"invoice\":\"i1\"} block blocked [once]",
        "s0 call 2 other {\"invoice\":\"i1\"} allow runs []",
        "s0 done 2 Some(4) other unknown all []",
        "s0 event question []",
        "s0 time [answer]",
        "s0 call 3 search {\"limit\":10} allow runs []",
        "s0 done 3 Some(8) search ok {\"ssn\":\"[redacted]\"} []",
        "s0 end Counts { allow: 3, alert: 0, ask: 0, block: 1 }",
        "s0 call 4 other {\"invoice\":\"i1\"} block ended []",
    ];
    assert_eq!(lines(&sink), expected);
    assert_eq!(session.id().as_deref(), Some("s0"));
    assert_eq!(session.unrecorded(), None);
}

#[test]
fn each_refusal_is_recorded_as_what_it_is() {
    let (session, sink) = recorded();
    let args = json!({});
    let ask = || call(&session, "review", &args).unwrap_err();
    let denied = ask();
    session.deny(denied.request().unwrap(), Denial::new().by("ann").reason("too much"));
    let late = ask();
    let approval = Approval::new().by("bob").at(at(601));
    let expired = session.approve(late.request().unwrap(), approval).unwrap_err();
    assert_eq!(expired.kind(), RefusalKind::ApprovalExpired);
    let again = session.approve(denied.request().unwrap(), Approval::new()).unwrap_err();
    assert_eq!(again.kind(), RefusalKind::NoSuchRequest);
    let foreign = recorded().0;
    foreign.approve(denied.request().unwrap(), Approval::new()).unwrap_err();
    let asked = ask();
    session.after(session.approve(asked.request().unwrap(), Approval::new()).unwrap(), ok(json!(1))).unwrap();
    let held = session.before(&Call::new("other", &args).id("c1")).unwrap();
    session.before(&Call::new("other", &args).id("c1")).unwrap_err();
    drop(held);
    let deep = (0..300).fold(json!(1), |inner, _| json!([inner]));
    call(&session, "other", &json!({ "deep": deep })).unwrap_err();
    session.unevaluated(&Call::new("other", &args), "the store is gone").unwrap_err();
    drop(session.unevaluated(&Call::new("search", &args), "the store is gone").unwrap());
    let expected = [
        "- start Enforce false",
        "s0 call 0 review {} ask needs_approval [review]",
        "s0 answer Some(1) denied Some(\"ann\") Some(\"too much\")",
        "s0 call 1 review {} ask needs_approval [review]",
        "s0 answer Some(3) expired Some(\"bob\") None",
        "s0 answer Some(1) not_open None None",
        "s0 call 2 review {} ask needs_approval [review]",
        "s0 answer Some(6) approved None None",
        "s0 call 3 review {} ask runs [review]",
        "s0 done 3 Some(8) review ok all []",
        "s0 call 4 other {} allow runs []",
        "s0 call 5 other {} block duplicate_id []",
        "s0 done 4 Some(10) other unknown all []",
        "s0 call 6 other ? block blocked []",
        "s0 call 7 other {} block blocked [] unevaluated",
        "s0 call 8 search {} allow runs [] unevaluated",
        "s0 done 8 Some(15) search unknown all []",
    ];
    assert_eq!(lines(&sink), expected);

    let sink = Arc::new(Lines::default());
    let alone = builder().nobody_to_ask().journal(Arc::clone(&sink)).id("night").start().unwrap();
    call(&alone, "review", &args).unwrap_err();
    assert_eq!(lines(&sink), ["night start Enforce false", "night call 0 review {} ask nobody_to_ask [review]"]);
}

#[test]
fn what_cannot_be_recorded_runs_only_where_on_error_says_so() {
    for unsafe_only in [false, true] {
        let (session, sink) = recorded();
        let fail = |fails: bool| {
            let switch = if unsafe_only { &sink.unsafe_ } else { &sink.full };
            *switch.lock().unwrap() = fails;
        };
        fail(true);
        let args = invoice("i1");
        let refused = call(&session, "pay", &args).unwrap_err();
        assert_eq!(refused.kind(), RefusalKind::Unrecorded);
        assert!(!refused.evaluated());
        assert_eq!(refused.text(), "`pay` did not run: it could not be recorded, and only what is recorded may run.");
        // Reads run, and are counted.
        let permit = call(&session, "search", &args).unwrap();
        assert!(permit.evaluated());
        fail(false);
        session.after(permit, ok(json!({}))).unwrap();
        // The call that did not run has used nothing up.
        session.after(call(&session, "pay", &args).unwrap(), ok(json!({}))).unwrap();
        let (missing, why) = session.unrecorded().unwrap();
        let summary = session.end();
        assert_eq!(summary.unrecorded, missing);
        assert_eq!((summary.counts.allow, summary.counts.block), (2, 1));
        if unsafe_only {
            assert_eq!((missing, why.to_string().as_str()), (3, "the disk does not answer"));
            assert!(lines(&sink).contains(&"s0 done 0 Some(1) pay failed all []".to_owned()));
        } else {
            assert_eq!((missing, why.to_string().as_str()), (2, "the disk is full"));
            let expected = [
                "- start Enforce false",
                "s0 done 1 None search ok all []",
                "s0 call 2 pay {\"invoice\":\"i1\"} allow runs []",
                "s0 done 2 Some(2) pay ok all []",
                "s0 end Counts { allow: 2, alert: 0, ask: 0, block: 1 }",
            ];
            assert_eq!(lines(&sink), expected);
        }
    }
}

#[test]
fn shadow_mode_stops_nothing_for_want_of_a_record() {
    let sink = Arc::new(Lines::default());
    let session = builder().mode(Mode::Shadow).journal(Arc::clone(&sink)).start().unwrap();
    *sink.full.lock().unwrap() = true;
    drop(call(&session, "pay", &invoice("i1")).unwrap());
    assert_eq!(session.end().unrecorded, 3);
}

#[test]
fn a_session_whose_start_cannot_be_recorded_starts_only_if_everything_may_run() {
    let sink = Arc::new(Lines::default());
    *sink.full.lock().unwrap() = true;
    let started = builder().journal(Arc::clone(&sink)).start();
    assert!(matches!(started, Err(StartError::Journal(_))));
    let session = builder().on_error(OnError::Open).journal(Arc::clone(&sink)).start().unwrap();
    drop(call(&session, "pay", &invoice("i1")).unwrap());
    assert_eq!(session.id(), None);
    *sink.full.lock().unwrap() = false;
    drop(call(&session, "other", &json!({})).unwrap());
    assert_eq!(session.unrecorded().unwrap().0, 3);
    // The start is recorded as soon as that works.
    let expected =
        ["- start Enforce false", "s0 call 1 other {} allow runs []", "s0 done 1 Some(1) other unknown all []"];
    assert_eq!(lines(&sink), expected);
}

#[cfg(feature = "digest")]
#[test]
fn a_session_that_is_taken_up_again_goes_on_in_its_record() {
    let (session, sink) = recorded();
    session.before(&Call::new("other", &json!({})).id("c1")).unwrap().detach();
    let saved = session.snapshot().unwrap();
    let again = builder().journal(Arc::clone(&sink)).restore(&saved).start().unwrap();
    again.after(again.resume("c1").unwrap(), ok(json!({}))).unwrap();
    call(&again, "other", &json!({})).unwrap().detach();
    let expected = [
        "- start Enforce false",
        "s0 call 0 other {} allow runs []",
        "s0 start Enforce true",
        "s0 done 0 Some(1) other ok all []",
        "s0 call 1 other {} allow runs []",
    ];
    assert_eq!(lines(&sink), expected);
}

#[test]
fn parallel_calls_are_recorded_before_they_run() {
    let (session, sink) = recorded();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (session, sink) = (&session, &sink);
            scope.spawn(move || {
                for number in 0..50 {
                    let args = invoice(&format!("{thread}-{number}"));
                    let seen = |_: &Value| {
                        let intent = format!("pay {args} allow runs");
                        let lines = sink.lines.lock().unwrap();
                        let at = lines.iter().position(|line| line.contains(&intent)).unwrap();
                        assert!(sink.committed.lock().unwrap().is_some());
                        Ok::<_, String>(json!(at))
                    };
                    session.run_blocking("pay", args.clone(), seen).unwrap();
                }
            });
        }
    });
    assert_eq!(session.end().counts.allow, 400);
    assert_eq!(lines(&sink).len(), 802);
}
