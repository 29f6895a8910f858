//! What each finding is found in, and what it is not found in.

use crate::diagnostic::Code;
use crate::{Options, check};

/// The codes of lints, with their places and rules; a head of declared tools goes before the text.
fn found(text: &str) -> Vec<(&'static str, String, Option<String>)> {
    let tools = "tools: { a: {}, b: {}, c: {}, 'get_*': {} }";
    let text = format!("version: 1\nname: x\n{tools}\n{text}\n");
    let checked = check("x", text.as_bytes(), &Options::default());
    // What is only warned of is part of the contract.
    let rules = checked.contract.as_ref().map(|contract| contract.rules.len());
    assert!(rules.is_none_or(|rules| rules == text.matches("{ id: ").count()), "{text}");
    let shown = |found: &crate::diagnostic::Diagnostic| {
        assert!(!found.help.is_empty(), "{}", found.message);
        let place = checked.source.slice(found.primary.span).trim().to_owned();
        (found.code.as_str(), place, found.rule.clone())
    };
    checked.diagnostics.iter().map(shown).collect()
}

fn codes(text: &str) -> Vec<&'static str> {
    found(text).into_iter().map(|(code, ..)| code).collect()
}

const NONE: [&str; 0] = [];

#[test]
fn two_rewrites_of_one_place_of_one_call() {
    let two = |first: &str, second: &str| {
        format!("default: allow\nrules:\n  - {{ id: r, {first} }}\n  - {{ id: s, {second} }}")
    };
    let limit = "rewrite: { args.limit: '1' }";
    for other in [
        "call: a, rewrite: { args.limit: '2' }",
        "call: any, rewrite: { args.x: '2', args.limit.max: '3' }",
        "call: a where args.x, rewrite: { args.limit: '2' }",
    ] {
        let found = found(&two(&format!("call: a, {limit}"), other));
        let [(code, _, rule)] = found.as_slice() else { panic!("{other}: {found:?}") };
        assert_eq!((*code, rule.as_deref()), (Code::OverlappingRewrites.as_str(), Some("s")), "{other}");
    }
    for other in ["call: b, rewrite: { args.limit: '2' }", "call: a, rewrite: { args.limits: '2' }"] {
        assert_eq!(codes(&two(&format!("call: a, {limit}"), other)), NONE, "{other}");
    }
}

#[test]
fn a_rule_for_any_call_defeats_a_default_by_effect() {
    let rule = |default: &str, rule: &str| format!("{default}\nrules:\n  - {{ id: r, {rule} }}");
    let by_effect = "default: { write: block }";
    let code = Code::DefaultDefeated.as_str();
    for (default, text) in [
        ("", "forbid: any where args.x"),
        (by_effect, "call: \"*\", require: args.x"),
        (by_effect, "at_most_n_times: { call: any, n: 1 }"),
        ("", "call: effect(irreversible), require: args.x"),
        ("", "must_be_followed_by: { after: a, then: b }, guards: any"),
    ] {
        assert!(codes(&rule(default, text)).contains(&code), "{text}");
    }
    for (default, text) in [
        ("default: allow", "forbid: any where args.x"),
        ("default: block", "forbid: any where args.x"),
        ("default: { irreversible: allow }", "forbid: any where args.x"),
        ("", "call: effect(read), require: args.x"),
        ("", "forbid: a | get_*"),
        ("", "permit: any where args.x"),
        ("", "after: any, redact: result.x"),
    ] {
        assert_eq!(codes(&rule(default, text)), NONE, "{default} {text}");
    }
    // A permit that speaks of every call leaves to `default` what it does not match.
    let both = "rules:\n  - { id: r, forbid: any where args.x }\n  - { id: s, permit: any where args.y }";
    assert_eq!(codes(both), NONE);
}

#[test]
fn a_bound_past_which_a_rule_only_reports() {
    let rule = "rules:\n  - { id: r, at_most_n_times: { call: a, n: 1 }, per: args.x";
    let note = (Code::AlertWhenFull.as_str(), "alert".to_owned(), Some("r".to_owned()));
    assert_eq!(found(&format!("{rule}, instances: {{ max: 1, when_full: alert }} }}")), [note]);
    assert_eq!(codes(&format!("{rule}, instances: {{ max: 1, when_full: block }} }}")), NONE);
    assert_eq!(codes(&format!("instances: {{ max: 1, when_full: alert }}\n{rule} }}")), [Code::AlertWhenFull.as_str()]);
}

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
    let keyed = "at_most_n_times: { call: a, n: 1 }, per: args.x, instances: { max: 1 }";
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

#[test]
fn what_only_results_violate_is_detected() {
    let rule = |rule: &str| codes(&format!("rules:\n  - {{ id: r, {rule} }}"));
    let code = Code::DetectsOnly.as_str();
    for text in [
        "forbid: failed(a)",
        "must_precede: { first: a, then: ok(b), void_on: call(c) }",
        "never_after: { call: ok(b), after: a }",
        "at_most_n_times: { call: failed(a), n: 3 }",
        "at_most_distinct: { call: ok(a), of: args.x, n: 3 }",
        "rate_limit: { call: event(a), n: 3, window: 1m }",
        "cooldown: { call: done(a), gap: 1m }",
        "at_most_open: { open: ok(a), close: b, n: 3 }",
        "mutually_exclusive: [ok(a), ok(b)]",
        "alternate: { first: ok(a), second: failed(a) }",
        "between: { open: call(a), close: call(b), forbid: ok(c) }",
        "between: { open: call(a), close: ok(b), needs: c }",
        "sequence: { steps: [ok(a), ok(b)] }",
        "must_be_followed_by: { after: a, then: b }",
        "must_be_followed_by: { after: a, then: b, within: 5 calls }",
    ] {
        assert_eq!(rule(text), [code], "{text}");
    }
    for text in [
        "forbid: failed(a) | call(b)",
        "must_precede: { first: a, then: b, expires: 1m }",
        "must_precede: { first: a, then: b, void_on: ok(c) }",
        "never_after: { call: b, after: ok(a) }",
        "at_most_n_times: { call: a, n: 3 }",
        "alternate: { first: ok(a), second: a }",
        "between: { open: ok(a), close: b, needs: c }",
        "between: { open: a, close: b, forbid: c }",
        "sequence: { steps: [ok(a), b] }",
        "at_most_open: { open: a, close: b, n: 3 }",
        "must_be_followed_by: { after: a, then: b }, guards: c",
        "required_before_session_end: a",
        "after: a, ensure: result.x",
    ] {
        assert_eq!(rule(text), NONE, "{text}");
    }
}

#[test]
fn a_mistake_in_an_obligation_may_be_about_its_guards() {
    for rule in [
        "must_be_followed_by: { after: a, then: b, guards: c }",
        "must_be_followed_by: { after: a, then: b }, guards: [c]",
    ] {
        let codes = codes(&format!("rules:\n  - {{ id: r, {rule} }}"));
        assert!(!codes.contains(&Code::DetectsOnly.as_str()) && codes.len() == 1, "{rule}: {codes:?}");
    }
}

#[test]
fn what_meets_a_rule_is_not_guarded() {
    let rule = |rule: &str| codes(&format!("default: allow\nrules:\n  - {{ id: r, {rule} }}"));
    for text in [
        "must_be_followed_by: { after: a, then: b }, guards: b",
        "must_be_followed_by: { after: a, then: b, within: 5m }, guards: any",
        "must_be_followed_by: { after: a, then: done(b) | get_x* }, guards: c | b | get_*",
        "required_before_session_end: [a, b], guards: b",
    ] {
        assert_eq!(rule(text), [Code::GuardedAnswer.as_str()], "{text}");
    }
    for text in [
        "must_be_followed_by: { after: a, then: b }, guards: a | c",
        "must_be_followed_by: { after: a, then: b | c }, guards: b",
        "must_be_followed_by: { after: a, then: b }, guards: b where args.final",
        "must_be_followed_by: { after: a, then: call(b) }, guards: b",
        "must_be_followed_by: { after: a, then: event(b) }, guards: any",
    ] {
        assert_eq!(rule(text), NONE, "{text}");
    }
}

#[test]
fn two_equal_patterns() {
    let rule = |rule: &str| codes(&format!("rules:\n  - {{ id: r, {rule} }}"));
    let code = Code::EqualPatterns.as_str();
    for text in [
        "must_precede: { first: ok(a), then: b, void_on: ok(a) }",
        "at_most_open: { open: call(a), close: call(a), n: 1 }",
        "must_be_followed_by: { after: call(a), then: call(a) }",
    ] {
        assert_eq!(rule(text), [code], "{text}");
    }
    assert_eq!(rule("at_most_open: { open: a, close: a, n: 1 }"), NONE);
}

#[test]
fn state_that_is_read_and_never_written() {
    let code = Code::NeverCommitted.as_str();
    for rule in [
        "after: a, ensure: result.x == state.n",
        "call: a, rewrite: { args.x: state.n }",
        "forbid: a, unless: args.x == state.n",
        "must_be_followed_by: { after: a, then: b }, guards: c where state.n == 1",
        "must_precede: { first: a, then: b }, reset_on: ok(c where state.n == 1)",
    ] {
        let found = codes(&format!("state: {{ n: {{ type: int }} }}\nrules:\n  - {{ id: r, {rule} }}"));
        assert!(found.contains(&code), "{rule}: {found:?}");
    }
}

#[test]
fn a_rule_whose_verdict_is_fixed_from_the_start() {
    let formula = |text: &str| format!("rules:\n  - {{ id: r, formula: {text}, let: {{ x: call(a), y: call(b) }} }}");
    for (text, code) in [
        ("eventually (x and y)", Code::NeverSatisfied),
        ("always not x and eventually (x or x and y)", Code::NeverSatisfied),
        ("always not (x and y)", Code::NeverViolated),
        ("once x or not once x or y", Code::NeverViolated),
    ] {
        assert_eq!(codes(&formula(text)), [code.as_str()], "{text}");
    }
    assert_eq!(codes(&formula("always (x implies once y)")), NONE);
}
