//! Keys of rules.

use super::{NONE, codes};
use crate::diagnostic::Code;

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
