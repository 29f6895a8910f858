//! What messages show.

use super::{NONE, codes, found};
use crate::diagnostic::Code;

#[test]
fn a_message_shows_nothing_that_is_redacted() {
    let message = |after: &str, hole: &str, redact: &str| {
        format!(
            "rules:\n  - {{ id: m, after: {after}, redact: {redact} }}\n  - {{ id: r, after: a, ensure: result.ok, message: \"see {hole}\"}}"
        )
    };
    for (after, hole, redact) in [
        ("a", "{result.ssn}", "result.ssn"),
        ("any", "{result.user.ssn}", "result.user"),
        ("a", "{result.user}", "result.user.ssn"),
        ("failed(a)", "{result.rows[0].ssn}", "\"result.rows[].ssn\""),
        ("a", "{result.x}", "result.**.ssn"),
        ("a", "{result}", "result.ssn"),
    ] {
        let found = found(&message(after, hole, redact));
        let expected = (Code::RedactedHole.as_str(), hole.trim_matches(['{', '}']).to_owned(), Some("r".to_owned()));
        assert_eq!(found, [expected], "{after} {hole} {redact}");
    }
    for (after, hole, redact) in
        [("b", "{result.ssn}", "result.ssn"), ("a", "{result.id}", "result.ssn"), ("a", "{args.ssn}", "result.ssn")]
    {
        assert_eq!(codes(&message(after, hole, redact)), NONE, "{after} {hole} {redact}");
    }
}

#[test]
fn a_message_shows_what_the_events_of_the_rule_have() {
    let rule = |rule: &str, message: &str| format!("rules:\n  - {{ id: r, {rule}, message: \"{message}\"}}");
    let code = Code::NotReadable.as_str();
    let keyed = "cooldown: { call: a, gap: 1m }, per: args.x, instances: { max: 1 }";
    for (text, hole) in [
        ("forbid: a", "{key}"),
        ("forbid: a", "{result.x}"),
        ("forbid: a", "{event.x}"),
        ("never_after: { call: event(b), after: event(c) }", "{args.x}"),
    ] {
        let found = found(&rule(text, &format!("see {hole}!")));
        let place = hole.trim_matches(['{', '}']);
        assert!(found.iter().any(|(is, at, _)| *is == code && at == place), "{text} {hole}: {found:?}");
    }
    for (text, message) in
        [("forbid: a", "{tool} {args.x}"), (keyed, "{key} {{x}}"), ("after: a, ensure: result.ok", "{result} {args.x}")]
    {
        assert_eq!(codes(&rule(text, message)), NONE, "{text}");
    }
    // What comes before is no violation: nothing of it is at hand when a call is stopped.
    for (text, message) in [
        ("must_precede: { first: event(go), then: a }", "{event.x} {args.x}"),
        ("must_precede: { first: b, then: a }", "{result.x}"),
        ("no_flow: { from: b, to: a }", "{result.x}"),
        ("between: { open: a, close: b, forbid: c }", "{result.x}"),
    ] {
        assert_eq!(codes(&rule(text, message)), [code], "{text}");
    }
}
