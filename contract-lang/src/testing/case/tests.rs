use serde_json::json;

use super::*;
use crate::{Form, Options, check};

/// What is said of a test with this trace, and more: the code, the text that it points at, and the message.
fn said(rest: &str) -> Vec<(Code, String, String)> {
    let text = format!(
        "version: 1\nname: a\nrules: [{{ id: once, forbid: pay }}]\ntools: {{ pay: {{}} }}\ntests:\n  - name: t\n    {rest}\n"
    );
    let checked = check("a.yaml", text.as_bytes(), &Options::default());
    let errors = checked.diagnostics.iter().filter(|found| found.level == crate::diagnostic::Level::Error);
    errors
        .map(|found| (found.code, checked.source.slice(found.primary.span).to_owned(), found.message.clone()))
        .collect()
}

#[test]
fn a_line_says_one_thing() {
    for (line, at, message) in [
        ("{ session: x }", "{ session: x }", "the line does not say what happens"),
        ("{ call: pay, end: true }", "{ call: pay, end: true }", "the line says two things"),
        ("{ call: pay, ok: 1, failed: 2 }", "2", "a call has one result, and `failed` is a second one"),
        ("{ event: e, ok: 1 }", "1", "`ok` says nothing beside `event`"),
        ("{ event: e, args: {} }", "{}", "`args` says nothing beside `event`"),
        ("{ call: pay, value: 1 }", "1", "`value` says nothing beside `call`"),
        ("{ result_of: a }", "{ result_of: a }", "the line has no result"),
        (
            "{ call: { id: a, tool: pay, args: {} }, id: b }",
            "b",
            "`id` says nothing beside a `call` with fields of its own",
        ),
        ("{ end: false }", "false", "the line says that nothing ends"),
        ("{ call: pay, at: noon }", "noon", "this is not a time"),
        ("{ call: pay, args: [1] }", "[1]", "expected a mapping, found a list"),
        ("{ call: pay, batch: 0 }", "0", "this is not a number of calls"),
        (
            "{ call: pay, args: { n: 99999999999999999999 } }",
            "{ n: 99999999999999999999 }",
            "a number in this is beyond 64 bits, or has more than 15 digits",
        ),
        ("{ end: true, expect: block }", "block", "`decision` says nothing beside `end`"),
        ("{ call: pay, expect: { call: a } }", "a", "a line speaks of its own call"),
        ("{ call: pay, expect: { verdicts: { once: violated } } }", "once", "`verdicts` says nothing beside `call`"),
        ("{ call: pay, expect: { rules: [onec] } }", "onec", "there is no rule `onec`"),
    ] {
        let found = said(&format!("trace: [{line}]"));
        let [(_, place, text)] = &found[..] else { panic!("{line}: {found:?}") };
        assert_eq!((place.as_str(), text.as_str()), (at, message), "{line}");
    }
}

#[test]
fn what_a_test_names_is_there() {
    let call = "trace: [{ call: pay }]";
    assert_eq!(
        said(&format!("{call}\n    verdicts: {{ once: satisfied }}\n    expect: [{{ call: \"0\", decision: block }}]")),
        []
    );
    let found = said(&format!(
        "{call}\n    verdicts: {{ onc: satisfied }}\n    expect: [{{ call: b }}, {{ decision: block }}]"
    ));
    let messages: Vec<_> = found.iter().map(|(.., message)| message.as_str()).collect();
    assert_eq!(
        messages,
        ["there is no rule `onc`", "no call of the test has the id `b`", "of which call this is expected is not said"]
    );
}

#[test]
fn what_is_short_is_what_a_trace_has() {
    let text = "version: 1\nname: a\ntests:\n  - name: t\n    trace:\n      \
                - { call: pay, args: { n: 1.5 }, server: s, batch: 2, approved: true, ok: null, session: z }\n      \
                - { call: pay }\n      - { result_of: \"1\", unknown: 1, at: 2026-01-01T10:00:00Z }\n      - { event: e, value: [1] }\n      - { end: true }\n";
    let [case] = &super::super::read(Form::Yaml, "a", text.as_bytes())[..] else { panic!("one test") };
    let Script::Lines(lines) = &case.script else { panic!("lines") };
    let lines: Vec<_> = lines.iter().map(|scripted| scripted.line.encode()).collect();
    assert_eq!(
        lines,
        [
            json!({"session": "z", "call": {"id": "0", "tool": "pay", "args": {"n": 1.5}, "server": "s", "batch": 2, "approved": true},
                "result": {"status": "ok", "value": null}}),
            json!({"call": {"id": "1", "tool": "pay", "args": {}}}),
            json!({"at": "2026-01-01T10:00:00.000Z", "result_of": "1", "result": {"status": "unknown", "value": 1}}),
            json!({"event": {"name": "e", "value": [1]}}),
            json!({"end": true}),
        ]
    );
}
