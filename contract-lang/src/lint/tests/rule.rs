//! What a rule says: its patterns, its answer, what it changes.

use super::{NONE, codes, found};
use crate::diagnostic::Code;

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

#[test]
fn a_postcondition_that_the_call_could_have_met() {
    let rule =
        |rule: &str| codes(&format!("state: {{ n: {{ type: int, initial: 0 }} }}\nrules:\n  - {{ id: r, {rule} }}"));
    let code = Code::LatePrecondition.as_str();
    for text in [
        "after: a, ensure: args.x == state.n",
        "after: ok(a) | done(b), ensure: [result.ok, args.x]",
        "after: a where args.y, ensure: has(args.x)",
    ] {
        assert!(rule(text).contains(&code), "{text}");
    }
    for text in [
        "after: a, ensure: result.x == args.x",
        "after: a, ensure: now == args.x",
        "after: failed(a), ensure: args.x",
        "after: a where result.y, ensure: args.x",
        "after: a, ensure: 'false'",
    ] {
        assert!(!rule(text).contains(&code), "{text}");
    }
}
