//! What each finding is found in, and what it is not found in.

use crate::diagnostic::{Code, Level};
use crate::{Catalog, Options, check};

/// The codes of lints, with their places and rules; a head of declared tools goes before the text.
fn found(text: &str) -> Vec<(&'static str, String, Option<String>)> {
    let tools = ["a", "b", "c", "'get_*'"].map(|tool| format!("{tool}: {{ effect: write }}")).join(", ");
    found_in(&format!("tools: {{ {tools} }}\n{text}"), &[])
}

/// The same of a contract with its own tools.
fn found_in(text: &str, catalog: &[Catalog]) -> Vec<(&'static str, String, Option<String>)> {
    let text = format!("version: 1\nname: x\n{text}\n");
    let checked = check("x", text.as_bytes(), &Options { catalog, ..Options::default() });
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
        ("default: { irreversible: allow }", "forbid: any where args.x"),
        ("", "call: effect(read), require: args.x"),
        ("", "forbid: a | get_*"),
        ("", "permit: any where args.x"),
        ("", "after: any, redact: result.x"),
    ] {
        assert_eq!(codes(&rule(default, text)), NONE, "{default} {text}");
    }
    let code = Code::DefaultDefeated.as_str();
    assert!(!codes(&rule("default: block", "forbid: any where args.x")).contains(&code));
    // A permit that speaks of every call leaves to `default` what it does not match.
    let both = "rules:\n  - { id: r, forbid: any where args.x }\n  - { id: s, permit: any where args.y }";
    assert_eq!(codes(both), NONE);
}

#[test]
fn a_bound_past_which_a_rule_only_reports() {
    let rule = "rules:\n  - { id: r, cooldown: { call: a, gap: 1m }, per: args.x";
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

#[test]
fn an_irreversible_tool_that_nothing_stops() {
    let code = Code::UnguardedIrreversible.as_str();
    let contract = |default: &str, effect: &str, rule: &str| {
        let tools = format!("tools: {{ pay: {{ effect: {effect} }}, look: {{ effect: read }} }}");
        found_in(&format!("{default}\n{tools}\nrules:\n  - {{ id: r, {rule} }}"), &[])
    };
    let cases = "[{ when: args.dry, is: read }, { is: irreversible }]";
    for (default, effect, rule) in [
        ("default: allow", "irreversible", "call: look, require: args.x"),
        ("default: alert", "irreversible", "after: pay, ensure: result.x"),
        ("default: { irreversible: allow }", cases, "call: look, require: args.x"),
        ("default: allow", "irreversible", "call: pay, require: args.x, mode: shadow"),
    ] {
        assert_eq!(contract(default, effect, rule), [(code, "pay".to_owned(), None)], "{default} {effect} {rule}");
    }
    for (default, effect, rule) in [
        ("", "irreversible", "call: look, require: args.x"),
        ("default: ask", "irreversible", "call: look, require: args.x"),
        ("default: allow", "write", "call: look, require: args.x"),
        ("default: allow", "irreversible", "call: p* where args.x, require: args.y"),
        ("default: allow", "irreversible", "call: effect(irreversible), require: args.x"),
        ("default: allow", "irreversible", "must_be_followed_by: { after: look, then: look }, guards: pay"),
        ("default: allow", "irreversible", "permit: server::pay"),
        ("default: allow", cases, "call: effect(read), require: args.x"),
    ] {
        assert!(contract(default, effect, rule).iter().all(|(found, ..)| *found != code), "{default} {effect} {rule}");
    }
}

#[test]
fn a_tool_that_nobody_classified() {
    let code = Code::UnclassifiedTool.as_str();
    let rule = "rules:\n  - { id: r, call: a, require: args.x }";
    let tools = "tools: { a: { succeeds_when: result.ok }, b: { effect: read }, 'get_*': {} }";
    let of = |place: &str| (code, place.to_owned(), None);
    assert_eq!(found_in(&format!("{tools}\n{rule}"), &[]), [of("a"), of("'get_*'")]);

    assert_eq!(found_in(&format!("tools: {{ a: {{ effect: wirte }} }}\n{rule}"), &[])[0].0, Code::BadValue.as_str());
    assert_eq!(found_in(&format!("tools: {{ a: {{ effect: wirte }} }}\n{rule}"), &[]).len(), 1);

    let names = ["a", "b", "get_x", "c", "d", "e", "f"].map(|name| format!("{{\"name\": \"{name}\"}}"));
    let catalog = Catalog { name: "t.json".to_owned(), text: Ok(format!("[{}]", names.join(","))) };
    let tools = "tools: { a: { effect: write }, 'get_*': { effect: read } }";
    let text = format!("version: 1\nname: x\ncatalog: [t.json]\n{tools}\n{rule}\n");
    let checked = check("x", text.as_bytes(), &Options { catalog: &[catalog], ..Options::default() });
    let messages: Vec<_> = checked.diagnostics.iter().map(|found| found.message.as_str()).collect();
    let message = "calls of `b`, `c`, `d` and 2 more count as irreversible, for `tools` says nothing of them";
    assert_eq!(messages, [message]);
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

#[test]
fn a_rule_that_changes_nothing_beside_the_default() {
    let tools = "tools: { look: { effect: read }, pay: { effect: irreversible } }";
    let of = |default: &str, rules: &[&str]| {
        let rules: Vec<_> =
            rules.iter().enumerate().map(|(at, rule)| format!("  - {{ id: r{at}, {rule} }}\n")).collect();
        found_in(&format!("{default}\n{tools}\nrules:\n{}", rules.concat()), &[])
    };
    let masked = |place: &str, rule: &str| (Code::MaskedRule.as_str(), place.to_owned(), Some(rule.to_owned()));
    for (default, rule) in [
        ("default: allow", "permit: pay where args.x"),
        ("", "permit: look | server::look"),
        ("default: { read: allow, write: block }", "permit: effect(read)"),
        ("default: allow\nundeclared: block", "permit: pay"),
    ] {
        assert!(of(default, &[rule]).contains(&masked("permit", "r0")), "{default} {rule}");
    }
    for (default, rule) in [
        ("", "permit: pay"),
        ("", "permit: l*"),
        ("default: allow\nundeclared: block", "permit: pa*"),
        ("default: ask", "permit: look"),
        ("default: allow", "permit: pay, mode: shadow"),
    ] {
        assert!(!of(default, &[rule]).contains(&masked("permit", "r0")), "{default} {rule}");
    }
    let (precede, code) = ("must_precede: { first: look, then: pay }", Code::MaskedRule.as_str());
    for (default, rules, place) in [
        ("default: block", [precede, "permit: look"], "must_precede"),
        ("default: block", ["forbid: pay", "permit: look | server::look"], "forbid"),
        (
            "default: block\nundeclared: block",
            ["call: pay, require: args.x", "permit: effect(read), mode: shadow"],
            "require",
        ),
    ] {
        assert_eq!(of(default, &rules), [masked(place, "r0")], "{default} {rules:?}");
    }
    for (default, rules) in [
        ("default: block", [precede, "permit: p*"]),
        ("default: block", [precede, "permit: effect(irreversible)"]),
        ("default: { irreversible: block }", [precede, "permit: look where args.x"]),
        ("default: block\nundeclared: ask", [precede, "permit: look"]),
        ("default: block", ["call: pay, require: args.x, mode: shadow", "permit: look"]),
        ("default: block", ["must_precede: { first: pay, then: ok(pay) }", "permit: look"]),
        ("default: block", ["required_before_session_end: call(pay)", "permit: look"]),
        ("default: block", ["must_precede: { first: call(look), then: pay }", "permit: look"]),
    ] {
        let found = of(default, &rules);
        assert!(
            !found.iter().any(|(found, _, rule)| *found == code && rule.as_deref() == Some("r0")),
            "{default} {rules:?}"
        );
    }
}

#[test]
fn two_changes_of_one_cell_by_one_event() {
    let cells =
        "{ n: { type: int, initial: 0 }, s: { type: set<int>, initial: [] }, m: { type: map<int>, initial: {} } }";
    let of = |one: &str, other: &str| {
        let read = "rules:\n  - { id: r, call: b, require: [state.n == 0, size(state.s) == 0, size(state.m) == 0] }";
        codes(&format!("state: {cells}\ncommit:\n  - {{ {one} }}\n  - {{ {other} }}\n{read}"))
    };
    let code = Code::TwoCommits.as_str();
    for (one, other) in [
        ("after: ok(a), set: { n: 1 }", "after: done(a), set: { n: 2 }"),
        ("after: ok(a), set: { n: 1 }", "after: unknown(*) | ok(a), clear: n"),
        ("after: ok(a), set: { n: 1 }", "after: ok(get_x) | ok(a where result.x), bind: { n: 2 }"),
        ("after: event(e), insert: { s: 1 }", "after: event(e*), remove: { s: 1 }"),
        (
            "after: ok(a), put: { m: { at: result.k, value: 1 } }",
            "after: ok(a), put: { m: { at: result.k, value: 2 } }",
        ),
        ("after: ok(a), put: { m: { at: result.k, value: 1 } }", "after: ok(a), remove: { m: result.k }"),
        ("after: ok(a), set: { n: 1 }, clear: n", "after: ok(b), clear: s"),
        // A text is no object, so the second is not established where the first is true: the cell is not, either.
        ("after: ok(a where is_object(result)), set: { n: 1 }", "after: ok(a where result == \"x\"), set: { n: 2 }"),
    ] {
        assert_eq!(of(one, other), [code], "{one} {other}");
    }
    for (one, other) in [
        ("after: ok(a), set: { n: 1 }", "after: failed(a), set: { n: 2 }"),
        ("after: ok(a), set: { n: 1 }", "after: ok(b) | event(a), set: { n: 2 }"),
        ("after: ok(a), set: { n: 1 }", "after: ok(a), set: { n: 1 }"),
        ("after: ok(a), clear: s", "after: ok(a), insert: { s: result.x }"),
        ("after: ok(a), clear: n", "after: ok(a), bind: { n: result.x }"),
        (
            "after: ok(a), put: { m: { at: result.k, value: 1 } }",
            "after: ok(a), put: { m: { at: result.l, value: 2 } }",
        ),
    ] {
        assert_eq!(of(one, other), NONE, "{one} {other}");
    }
}

#[test]
fn a_change_that_never_stays() {
    let of = |one: &str, other: &str| {
        let commits = format!("commit:\n  - {{ after: {one} }}\n  - {{ after: {other} }}");
        let text = format!("version: 1\nname: x\nstate: {{ n: {{ type: int }} }}\n{commits}\n");
        let checked = check("x", text.as_bytes(), &Options::default());
        let found = checked.diagnostics.iter().find(|found| found.code == Code::TwoCommits).unwrap();
        (found.level, checked.source.position(found.primary.span.start).line)
    };
    for (one, other) in [
        ("ok(a where result.x), set: { n: 1 }", "ok(a), set: { n: 2 }"),
        ("ok(a) | failed(a), when: result.x, bind: { n: 1 }", "done(*), clear: n"),
    ] {
        assert_eq!(of(one, other), (Level::Warning, 5), "{one} {other}");
    }
    for (one, other) in [
        ("ok(a), set: { n: 1 }", "ok(a where result.x), set: { n: 2 }"),
        ("ok(a), set: { n: 1 }", "ok(a), when: result.x, set: { n: 2 }"),
        ("done(a), set: { n: 1 }", "ok(a), set: { n: 2 }"),
        ("ok(*), set: { n: 1 }", "ok(a), set: { n: 2 }"),
        ("ok(a), set: { n: 1 }", "ok(a), bind: { n: 2 }"),
    ] {
        assert_eq!(of(one, other), (Level::Note, 6), "{one} {other}");
    }
}

#[test]
fn conditions_exclude_each_other() {
    let of = |one: &str, other: &str| {
        let read = "rules:\n  - { id: r, call: b, require: has(state.n) }";
        let commit = |when: &str, value: u8| format!("  - {{ after: ok(a), when: '{when}', set: {{ n: {value} }} }}\n");
        codes(&format!("state: {{ n: {{ type: int }} }}\ncommit:\n{}{}{read}", commit(one, 1), commit(other, 2)))
    };
    for (one, other) in [
        ("result.x", "not result.x"),
        ("result.y and not result.x", "result.x and result.z"),
        ("is_object(result)", "is_string(result)"),
        ("is_string(result.x)", "result.x == null"),
        ("result.x == \"a\"", "result.x == \"b\""),
        ("result.x == \"a\"", "result.x != \"a\""),
        ("result.x in [\"a\", \"b\"]", "result.x == \"c\""),
        ("result.x in [1, 2]", "result.x in [3]"),
        ("result.x in [1, 2]", "result.x > 2"),
        ("result.x < 1", "result.x >= 1"),
        ("1 > result.x", "result.x == 1"),
        ("result.x <= 1", "result.x > 1.0"),
        ("has(result.x)", "not has(result.x)"),
    ] {
        assert_eq!((of(one, other), of(other, one)), (vec![], vec![]), "{one} / {other}");
    }
    for (one, other) in [
        ("result.x", "result.y"),
        ("result.x or result.y", "not result.x"),
        ("result.x == \"a\"", "result.x == 1"),
        ("result.x == \"a\"", "result.y == \"b\""),
        ("result.x in [1, 2]", "result.x >= 2"),
        ("result.x <= 1", "result.x >= 1"),
        ("result.x != 1", "result.x != 2"),
    ] {
        let code = vec![Code::TwoCommits.as_str()];
        assert_eq!((of(one, other), of(other, one)), (code.clone(), code), "{one} / {other}");
    }
}

#[test]
fn keys_that_are_named_alike() {
    let code = Code::KeysDiffer.as_str();
    let of = |rules: &[&str]| {
        let rule = |(at, per): (usize, &&str)| {
            let instances = "instances: { max: 9, idle: 1h }";
            format!("  - {{ id: r{at}, at_most_n_times: {{ call: a | b, n: 1 }}, per: {per}, {instances} }}\n")
        };
        codes(&format!("rules:\n{}", rules.iter().enumerate().map(rule).collect::<String>()))
    };
    for rules in [
        ["args.id", "args.record_id"],
        ["args.invoice", "args.invoiceId"],
        ["args.orderId", "args.order_id"],
        ["args.order.id", "args.order_id"],
        ["args.path", "path_norm(args.path)"],
        ["{ a: args.id, b: args.x }", "{ a: args.x_id, b: args.y }"],
    ] {
        assert_eq!(of(&rules), [code], "{rules:?}");
    }
    for rules in [
        &["args.id", "args.id"][..],
        &["args.from", "args.to"],
        &["args.order.id", "args.customer.id"],
        &["args.id", "{ a: args.id, b: args.id }"],
        &["args.id", "args.record_id", "[args.id, args.record_id]"],
        &["args.id", "[args.record_id, args.x]"],
        &["args.paid", "args.id"],
    ] {
        assert_eq!(of(rules), NONE, "{rules:?}");
    }
}

#[test]
fn keys_that_are_kept_until_the_end() {
    let code = Code::NeverRetires.as_str();
    let of = |rule: &str, instances: &str| {
        codes(&format!("rules:\n  - {{ id: r, {rule}, per: args.x, instances: {{ max: 9{instances} }} }}"))
    };
    for rule in [
        "must_precede: { first: a, then: b }",
        "never_after: { call: b, after: a }",
        "sequence: { steps: [a, b, c] }",
        "at_most_n_times: { call: a, n: 1 }",
        "at_most_n_times: { call: a, n: 1 }, count: succeeded",
        "at_most_total: { call: a, sum: args.y, limit: 9 }",
        "at_most_distinct: { call: a, of: args.y, n: 3 }",
    ] {
        assert_eq!(of(rule, ""), [code], "{rule}");
        for instances in [", close_on: call(c)", ", idle: 1h", ", when_full: evict"] {
            assert!(!of(rule, instances).contains(&code), "{rule} {instances}");
        }
    }
    for rule in [
        "must_precede: { first: a, then: b, void_on: call(b) }",
        "must_precede: { first: a, then: b, expires: 1h }",
        "must_precede: { first: a, then: b }, reset_on: event(turn)",
        "alternate: { first: ok(a), second: call(b) }",
        "between: { open: a, close: b, forbid: c }",
        "at_most_n_times: { call: a, n: 1, window: 1h }",
        "at_most_n_times: { call: a, n: 0 }",
        "at_most_open: { open: a, close: b, n: 3 }",
        "must_be_followed_by: { after: a, then: b }, guards: c",
        "forbid: a",
    ] {
        assert!(!of(rule, "").contains(&code), "{rule}");
    }
}

#[test]
fn state_that_nothing_reads() {
    let code = Code::NeverCommitted.as_str();
    let of = |commits: &str, rule: &str| {
        let cells = "state: { n: { type: int }, m: { type: int } }";
        found(&format!("{cells}\ncommit: [{commits}]\nrules:\n  - {{ id: r, {rule} }}"))
    };
    let (n, m) = ("{ after: ok(a), set: { n: result.x } }", "{ after: ok(b where state.n > 1), set: { m: result.y } }");
    let reads = "call: c, require: state.m == args.x";
    let unread = |cell: &str| (code, cell.to_owned(), None);
    assert_eq!(of(&format!("{n}, {m}"), reads), []);
    assert_eq!(of(&format!("{n}, {m}"), "forbid: c"), [unread("n"), unread("m")]);
    assert_eq!(of(n, "call: c, require: state.n == 1"), []);
    // What is read only to write another cell is never established, either.
    assert_eq!(of(m, reads), [unread("n")]);
}
