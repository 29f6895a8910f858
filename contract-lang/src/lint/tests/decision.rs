//! What is decided: by defaults, bounds and rules that nothing stops or that change nothing.

use super::{NONE, codes, found, found_in};
use crate::diagnostic::Code;
use crate::{Catalog, Options, check};

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
