//! Contracts held against small catalogs.

use crate::{Catalog, Depth, Options, check};

const TOOLS: &str = r#"[
  {"name": "pay", "inputSchema": {"type": "object", "additionalProperties": false, "required": ["to", "amount", "lines"],
    "properties": {"to": {"type": "string"}, "amount": {"type": "number"}, "note": {"type": "string"},
      "kind": {"enum": ["wire", "card"]}, "urgent": {"type": "boolean"}, "tags": {"type": "array", "items": {"type": "string"}},
      "lines": {"type": "array", "items": {"type": "object", "required": ["sku"],
        "properties": {"sku": {"type": "string"}, "count": {"type": "integer"}}}}}}},
  {"name": "search", "inputSchema": {"type": "object", "required": ["q"],
    "properties": {"q": {"type": "string"}, "limit": {"type": "integer"}, "kind": {"type": "string"}}},
   "outputSchema": {"type": "object", "properties": {"rows": {"type": "array", "items": {"type": "object",
     "properties": {"tenant": {"type": "string"}}}}}}},
  {"name": "ping"}
]"#;

/// What is found in the rules of a contract: code, level, the text at the place, and the message.
fn found(rules: &str) -> Vec<String> {
    let text = format!(
        "version: 1\nname: x\ncatalog: [tools.json]\ninstances: {{ max: 10 }}\ntools: {{ search: {{ effect: read }} }}\nrules:\n{rules}\n"
    );
    let catalog = [Catalog { name: "tools.json".to_owned(), text: Ok(TOOLS.to_owned()) }];
    let checked =
        check("x.yaml", text.as_bytes(), &Options { catalog: &catalog, depth: Depth::Build, ..Options::default() });
    let mine = checked.diagnostics.iter().filter(|found| found.code.as_str().starts_with("IL054"));
    mine.map(|found| {
        let place = checked.source.slice(found.primary.span);
        format!("{} {} `{place}`: {}", found.code.as_str(), found.level.as_str(), found.message)
    })
    .collect()
}

/// What is found where a predicate is required of calls of a tool.
fn required(tool: &str, predicate: &str) -> Vec<String> {
    found(&format!("  - {{ id: r, call: {tool}, require: '{predicate}' }}"))
}

#[test]
fn what_a_tool_does_not_have_is_found() {
    let blocked = "where the rule depends on it, it is not established, and the call is blocked";
    assert_eq!(
        required("pay", "args.amuont < 5"),
        [format!("IL0541 error `.amuont`: `pay` has no argument `amuont`; {blocked}")]
    );
    assert_eq!(
        required("search", "args.query like \"a*\""),
        [format!("IL0541 warning `.query`: `search` lists no argument `query`; {blocked}")]
    );
    assert_eq!(required("ping", "args.x == 1"), [] as [String; 0]);
    assert_eq!(
        required("pay", "any(l in args.lines => l.skuu == \"a\")"),
        [format!("IL0541 warning `.skuu`: `pay` lists no `l.skuu`; {blocked}")]
    );
    // A name that no tool has is a mistake, also where it is looked for.
    assert_eq!(required("pay | search", "has(args.x) implies args.to == \"a\"").len(), 2);
    // One tool has it, and the other is kept apart.
    assert_eq!(required("pay | search", "has(args.to) implies args.to == \"a\""), [] as [String; 0]);
    assert_eq!(
        required("pay | search", "args.to == \"a\""),
        [format!("IL0541 warning `.to`: `search` lists no argument `to`; {blocked}")]
    );
    assert_eq!(
        found("  - { id: r, at_most_n_times: { call: pay | search, n: 1 }, per: args.to, missing: skip }"),
        [] as [String; 0]
    );
    assert_eq!(found("  - { id: r, at_most_n_times: { call: pay, n: 1 }, per: args.t }").len(), 1);
    assert_eq!(
        found("  - { id: r, after: search, ensure: 'all(r in result.rows => r.tenat == \"a\")' }"),
        [
            "IL0541 warning `.tenat`: `search` lists no `r.tenat`; where the rule depends on it, it is not established, and the result is withheld"
        ]
    );
    assert_eq!(
        found("  - { id: r, after: search, redact: result.rowz }"),
        ["IL0541 warning `.rowz`: `search` lists no `result.rowz`; nothing is there"]
    );
    assert_eq!(
        found("  - { id: r, call: pay, rewrite: { args.amountt: 1 } }"),
        ["IL0541 error `.amountt`: `pay` has no argument `amountt`; nothing is there"]
    );
}

#[test]
fn what_is_of_another_type_is_found() {
    for (predicate, place) in [
        ("args.amount like \"1*\"", "args.amount"),
        ("args.to > 5", "args.to > 5"),
        ("args.amount == \"5\"", "args.amount == \"5\""),
        ("args.to in args.amount", "args.amount"),
        ("lower(args.amount) == \"a\"", "args.amount"),
        ("args.to + 1 > 2", "args.to"),
        ("any(l in args.to => l == 1)", "args.to"),
        ("args.to", "args.to"),
        ("args.to.first == 1", ".first"),
        ("args.to < now", "args.to < now"),
        ("all(l in args.lines => l.sku > 5)", "l.sku > 5"),
    ] {
        let found = required("pay", predicate);
        assert!(found.len() == 1 && found[0].starts_with(&format!("IL0542 error `{place}`")), "{predicate}: {found:?}");
    }
    for predicate in [
        "is_string(args.amount) implies args.amount like \"1*\"",
        "args.amount == 5 and args.amount > 1.5 and args.amount + 1 > 2",
        "not has(args.kind) or args.kind in [\"wire\", \"card\"]",
        "all(l in args.lines => l.sku like \"a*\")",
        "size(args.lines) > 1 and strings(args) != [] and digest(args.lines) != \"\"",
        "time(args.to) < now",
        "args.to != null",
    ] {
        let found = required("pay", predicate);
        assert!(
            found.iter().all(|found| predicate.contains("null") && found.contains("never null")),
            "{predicate}: {found:?}"
        );
    }
    for (rule, place) in [
        ("{ id: r, at_most_n_times: { call: pay, n: 1 }, per: args.lines }", "args.lines"),
        ("{ id: r, at_most_total: { call: pay, sum: args.to, limit: 5 } }", "args.to"),
        ("{ id: r, forbid: pay where args.kind == \"wirre\" }", "wirre"),
        ("{ id: r, forbid: pay, where: 'args.kind in [\"card\", \"cash\"]' }", "\"cash\""),
        ("{ id: r, call: pay, rewrite: { args.amount: '\"5\"' } }", "\"5\""),
        ("{ id: r, call: pay, rewrite: { args.kind: '\"cash\"' } }", "\"cash\""),
    ] {
        let found = found(&format!("  - {rule}"));
        assert!(
            found.iter().any(|found| found.starts_with("IL0542 error") && found.contains(place)),
            "{rule}: {found:?}"
        );
    }
    // One of the tools may have the value.
    assert_eq!(
        found("  - { id: r, forbid: 'pay | search', where: 'has(args.kind) and args.kind == \"cash\"' }"),
        [] as [String; 0]
    );
    assert_eq!(
        found("  - { id: r, at_most_n_times: { call: pay, n: 1 }, per: 'args.lines[].sku' }"),
        [] as [String; 0]
    );
}

#[test]
fn what_calls_need_not_have_is_found() {
    let blocked = "where the rule depends on it, it is not established, and the call is blocked";
    assert_eq!(
        required("pay", "args.note != \"\""),
        [format!("IL0543 warning `args.note`: `pay` can be called without `args.note`: {blocked}")]
    );
    for predicate in [
        "has(args.note) implies args.note != \"\"",
        "not has(args.note) or args.note != \"\"",
        "default(args.note, \"\") != \"x\"",
        "is_string(args.note) and args.note != \"\"",
        "args.amount > 5",
        "all(l in args.lines => has(l.count) implies l.count < 5)",
    ] {
        assert_eq!(required("pay", predicate), [] as [String; 0], "{predicate}");
    }
    assert_eq!(required("pay", "has(args.note) and args.note != \"\" and args.urgent").len(), 1);
    assert_eq!(required("pay", "all(l in args.lines => l.count < 5)").len(), 1);
    for (rule, level) in [
        ("{ id: r, at_most_n_times: { call: pay, n: 1 }, per: args.note }", "warning"),
        ("{ id: r, at_most_total: { call: pay, sum: args.note, limit: 5 } }", "warning"),
        ("{ id: r, forbid: pay where args.urgent }", "warning"),
        ("{ id: r, must_precede: { first: pay where args.urgent, then: search } }", "note"),
        ("{ id: r, call: pay, require: args.urgent, decide: { unestablished: allow } }", "note"),
        ("{ id: r, call: pay, require: args.urgent, mode: shadow }", "note"),
        ("{ id: r, call: search, rewrite: { args.limit: 'min(args.limit, 100)' } }", "warning"),
    ] {
        let found = found(&format!("  - {rule}"));
        let expected = format!("IL0543 {level}");
        assert!(found.iter().any(|found| found.starts_with(&expected)), "{rule}: {found:?}");
    }
    for rule in [
        "{ id: r, at_most_n_times: { call: pay, n: 1 }, per: args.note, missing: skip }",
        "{ id: r, at_most_total: { call: search, sum: 'default(args.limit, 0)', limit: 5 } }",
        "{ id: r, call: search, rewrite: { args.limit: 'min(default(args.limit, 20), 100)' } }",
    ] {
        assert_eq!(found(&format!("  - {rule}")), [] as [String; 0], "{rule}");
    }
    // The contract sets it itself.
    let both = "  - { id: a, call: search, rewrite: { args.limit: 20 } }\n  - { id: b, call: search, require: args.limit < 50 }";
    assert_eq!(found(both), [] as [String; 0]);
}

#[test]
fn what_was_renamed_is_found() {
    let now = r#"[{"name": "payments_send", "inputSchema": {"type": "object", "properties": {"invoice": {"type": "string"}, "amount": {}}}},
      {"name": "search", "inputSchema": {"type": "object", "properties": {"search_query": {"type": "string"}, "page": {"type": "number"}}}}]"#;
    let before = r#"[{"name": "send_payment", "inputSchema": {"type": "object", "properties": {"invoice": {"type": "string"}, "amount": {}}}},
      {"name": "search", "inputSchema": {"type": "object", "properties": {"query": {"type": "string"}, "page": {"type": "number"}}}}, {"name": "gone"}]"#;
    let file = |text: &str| [Catalog { name: "t.json".to_owned(), text: Ok(text.to_owned()) }];
    let (catalog, before) = (file(now), file(before));
    let text = "version: 1\nname: x\ncatalog: [t.json]\ntools: { send_payment: {} }\nrules:\n  - { id: a, at_most_n_times: { call: send_payment, n: 1 } }\n  - { id: b, forbid: search where args.query == \"x\" }\n  - { id: c, forbid: gone }\n";
    let checked =
        check("x.yaml", text.as_bytes(), &Options { catalog: &catalog, before: &before, ..Options::default() });
    let mine = checked.diagnostics.iter().filter(|found| found.level == crate::diagnostic::Level::Error);
    let found: Vec<_> = mine
        .map(|found| {
            let fix = found.help[0].replacement.as_ref().map(|(_, text)| text.as_str());
            (found.code.as_str(), checked.source.slice(found.primary.span), fix)
        })
        .collect();
    assert_eq!(
        found,
        [
            ("IL0544", "send_payment", Some("payments_send")),
            ("IL0544", "send_payment", Some("payments_send")),
            ("IL0544", ".query", Some(".search_query")),
            ("IL0403", "gone", None),
        ]
    );
}

#[test]
fn hostile_catalogs_are_held_against_a_contract_soon() {
    let tools: Vec<_> =
        (0..5_000).map(|n| format!(r#"{{"name": "t{n}", "inputSchema": {{"properties": {{"a": {{}}}}}}}}"#)).collect();
    let rules: Vec<_> = (0..100).map(|n| format!("  - {{ id: r{n}, forbid: 't*' , where: args.b == 1 }}")).collect();
    let text = format!("version: 1\nname: x\ncatalog: [tools.json]\nrules:\n{}\n", rules.join("\n"));
    let catalog = [Catalog { name: "tools.json".to_owned(), text: Ok(format!("[{}]", tools.join(","))) }];
    let checked = check("x.yaml", text.as_bytes(), &Options { catalog: &catalog, ..Options::default() });
    let is_bound = |found: &&crate::diagnostic::Diagnostic| found.message.contains("more paths and tools");
    assert_eq!(checked.diagnostics.iter().filter(is_bound).count(), 1);
}
