#![expect(clippy::arithmetic_side_effects, reason = "test code")]

use std::sync::LazyLock;

use jsonschema::Validator;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Draft, text};
use crate::diagnostic::{Diagnostics, render};
use crate::source::SourceFile;
use crate::{ast, syntax};

const DRAFTS: [(Draft, &str); 2] =
    [(Draft::Draft2020, "contract.schema.json"), (Draft::Draft7, "contract.schema.draft-07.json")];

static VALIDATORS: LazyLock<Vec<Validator>> = LazyLock::new(|| {
    DRAFTS.iter().map(|(draft, _)| jsonschema::validator_for(&super::schema(*draft)).expect("a schema")).collect()
});

#[test]
fn the_committed_schemas_are_current() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../schema");
    for (draft, name) in DRAFTS {
        let path = folder.join(name);
        if std::env::var_os("UPDATE_SCHEMA").is_some() {
            std::fs::write(&path, text(draft)).expect("the schema is written");
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(committed == text(draft), "{name} is not current: run the tests with UPDATE_SCHEMA=1");
    }
}

#[test]
fn the_schemas_are_good_schemas() {
    for (draft, _) in DRAFTS {
        assert!(jsonschema::meta::is_valid(&super::schema(draft)), "{draft:?}");
    }
}

/// A document as YAML in flow style.
fn yaml(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(yaml).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(key, value)| format!("{}: {}", Value::from(key.as_str()), yaml(value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        scalar => scalar.to_string(),
    }
}

/// What the decoder says of a document; `None` if it accepts it.
fn refusal(document: &Value) -> Option<String> {
    let file = SourceFile::new("test", yaml(document));
    let mut diagnostics = Diagnostics::new();
    if let Some(node) = syntax::yaml::parse(&file, &mut diagnostics) {
        assert!(syntax::yaml::second::agrees(&file, &node, &mut diagnostics), "{document:#}");
        ast::decode(&node, &mut diagnostics);
    }
    diagnostics.has_errors().then(|| render::short(&file, &diagnostics.into_sorted()))
}

/// A contract that uses everything once.
fn everything() -> Value {
    json!({
        "version": 1, "name": "payments", "mode": "enforce", "undeclared": "ask",
        "default": { "read": "allow", "write": "alert", "irreversible": "block" },
        "decide": { "unestablished": { "read": "allow" }, "pending": "ask" }, "on_error": "allow",
        "catalog": ["tools.json"], "context": { "user": "string" }, "patterns": { "payout": "a | b" },
        "tools": {
            "a": { "effect": "read" },
            "b_*": { "effect": [{ "when": "args.x", "is": "read" }, { "is": "write" }], "succeeds_when": true },
            "c": {},
        },
        "state": {
            "account": { "type": "string" },
            "verified": { "type": "set<string>", "max": 10, "max_bytes": 64, "initial": [], "fresh": "15m" },
        },
        "commit": [
            { "after": "ok(a)", "when": "result.ok", "set": { "account": "result.account" }, "bind": { "x": 1 } },
            { "after": "ok(a)", "insert": { "verified": "args.x", "m": { "at": "args.k", "value": 1.5 } } },
            { "after": "ok(a)", "remove": { "verified": "args.x" }, "put": { "m": { "at": "args.k", "value": null } } },
            { "after": "ok(a)", "clear": "account" }, { "after": "ok(a)", "clear": ["account", "verified"] },
        ],
        "instances": { "max": 10, "close_on": "call(a)", "when_full": "evict", "idle": "1h", "remember": 1000 },
        "rules": ([rules(), further_rules()].concat()),
        "tests": tests(),
    })
}

fn tests() -> Value {
    json!([
        { "name": "a", "trace": "traces/a.jsonl", "expect": [{ "call": "c1", "decision": "block", "rules": ["a"] }] },
        {
            "name": "b", "start": "2026-01-01T10:00:00Z", "context": { "user": "u" }, "mode": "shadow", "verdicts": { "a": "violated" },
            "trace": [
                { "call": "a", "args": { "x": 1 }, "id": "c", "server": "s", "agent": "t", "batch": 2, "approved": true, "ok": null },
                { "call": { "id": "c", "tool": "a", "args": {}, "server": "s", "batch": 1, "agent": "t", "approved": false },
                  "result": { "status": "failed", "value": 1 }, "expect": "block", "at": "2026-01-01T10:00:00Z" },
                { "result_of": "c", "failed": {}, "later": "5m", "session": "s",
                  "expect": { "outcome": "unknown", "shown": "redacted", "sees": [], "args": {}, "message": "m" } },
                { "event": "e", "value": 1 }, { "event": { "name": "e", "value": 1 } }, { "context": {} }, { "unknown": 1 },
                { "end": true, "expect": { "verdicts": { "a": "satisfied" } } },
            ],
        },
    ])
}

fn rules() -> Vec<Value> {
    let rules = json!([
        { "id": "a", "must_precede": { "first": "a", "then": "b" }, "per": "args.x", "title": "t", "tags": ["t"] },
        { "id": "b", "cannot_follow_without": { "call": "a", "without": "b" }, "per": ["args.x", "args.y"] },
        { "id": "c", "at_most_n_times": { "call": "a", "n": 0 }, "per": { "a": "args.x", "b": ["args.y"] } },
        { "id": "d", "at_most_total": { "call": "a", "sum": "args.x", "limit": 0.25 }, "count": "succeeded" },
        { "id": "e", "never_after": { "call": "a", "after": "b" }, "instances": { "max": 3 }, "severity": "high" },
        { "id": "f", "mutually_exclusive": ["a", "b"], "message": "m", "action": "ask", "mode": "shadow" },
        { "id": "g", "required_before_session_end": "a", "decide": { "violated": "alert" } },
        { "id": "h", "required_before_session_end": ["a", "b"] },
        { "id": "i", "rate_limit": { "call": "a", "n": 3, "window": "30s" }, "count": "all" },
        { "id": "j", "forbid": "a", "where": "args.x" }, { "id": "k", "permit": "a" },
        { "id": "l", "call": "a", "require": "args.x" }, { "id": "m", "call": "a", "require": ["args.x", true] },
    ]);
    rules.as_array().cloned().unwrap_or_default()
}

fn further_rules() -> Vec<Value> {
    let rules = json!([
        { "id": "n", "must_precede": { "first": "a", "then": "b", "consume": true, "expires": "10m", "void_on": "ok(c)" } },
        { "id": "o", "cannot_follow_without": { "call": "a", "without": "b", "consume": false, "void_on": "ok(c)" } },
        { "id": "p", "must_be_followed_by": { "after": "a", "then": "b", "within": "5 calls" }, "guards": "c" },
        { "id": "q", "must_be_followed_by": { "after": "a", "then": "b" }, "per": "args.x", "missing": "skip" },
        { "id": "r", "at_most_n_times": { "call": "a", "n": 0, "window": "24h" }, "reset_on": "event(turn)" },
        { "id": "s", "at_most_total": { "call": "a", "sum": "args.x", "limit": 1, "window": "1 call" } },
        { "id": "t", "at_most_distinct": { "call": "a", "of": { "a": "args.x" }, "n": 2 }, "unless": "args.y" },
        { "id": "u", "cooldown": { "call": "a", "gap": "10m" }, "count": "succeeded" },
        { "id": "v", "at_most_open": { "open": "a", "close": "b", "n": 2, "of": "args.x" } },
        { "id": "w", "at_most_open": { "open": "a", "close": "b", "n": 1 }, "instances": { "when_full": "alert" } },
        { "id": "x", "after": "a", "ensure": "result.x", "otherwise": "alert" },
        { "id": "y", "after": "a", "ensure": ["result.x", "result.y"] },
        { "id": "z", "after": "a", "redact": ["result.x"] }, { "id": "A", "after": "a", "redact": "result" },
        { "id": "B", "call": "a", "rewrite": { "args.x": "min(args.x, 1)", "args.y": 2 } },
        { "id": "C", "no_flow": { "from": "a", "to": "b", "values": ["result.x"], "min_length": 4 } },
        { "id": "E", "alternate": { "first": "a", "second": "b" } },
        { "id": "F", "between": { "open": "a", "close": "b", "forbid": "c" } },
        { "id": "G", "between": { "open": "a", "close": "b", "needs": "c" }, "per": "args.x" },
        { "id": "H", "sequence": { "steps": ["a", "b", "c"], "restart": true } },
        { "id": "D", "no_flow": { "from": "a", "to": "b", "values": "result.x" } },
    ]);
    rules.as_array().cloned().unwrap_or_default()
}

#[test]
fn the_contract_with_everything_is_accepted() {
    let document = everything();
    assert_eq!(refusal(&document), None);
    for validator in VALIDATORS.iter() {
        assert!(validator.is_valid(&document), "{:?}", validator.iter_errors(&document).next());
    }
}

#[test]
fn a_failing_monitor_has_a_decision_by_effect() {
    let mut document = everything();
    document["on_error"] = json!({ "read": "block", "write": "allow" });
    assert_eq!(refusal(&document), None);
    assert!(VALIDATORS.iter().all(|validator| validator.is_valid(&document)));
}

#[test]
fn the_schema_names_the_missing_companion() {
    let document = json!({ "version": 1, "name": "a", "rules": [{ "id": "a", "require": "args.x" }] });
    for validator in VALIDATORS.iter() {
        let errors: Vec<_> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
        assert!(errors.iter().any(|error| error.contains("\"call\"")), "{errors:?}");
    }
}

/// Values to put anywhere.
fn values() -> Vec<Value> {
    vec![
        json!(null),
        json!(true),
        json!(0),
        json!(1),
        json!(1.0),
        json!(-1),
        json!(0.5),
        json!(-0.5),
        json!(100_000),
        json!(100_001),
        json!(1_000_000_001),
        json!(9_007_199_254_740_991_u64),
        json!(9_007_199_254_740_992_u64),
        json!(1_000_000_000_000_000_000_u64),
        json!(1_000_000_000_000_000_001_u64),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(""),
        json!(" "),
        json!("a"),
        json!("1"),
        json!("self"),
        json!("Self-_"),
        json!("-a"),
        json!("a b"),
        json!("é"),
        json!("a.b"),
        json!("block"),
        json!("alert"),
        json!("allow"),
        json!("read"),
        json!("shadow"),
        json!("high"),
        json!("succeeded"),
        json!("string"),
        json!("set<int>"),
        json!("map<json>"),
        json!("set<json>"),
        json!("map<set<time>>"),
        json!("map<map<int>>"),
        json!("withhold"),
        json!("skip"),
        json!("0s"),
        json!("5 calls"),
        json!("1 call"),
        json!("0 calls"),
        json!("5  calls"),
        json!("30s"),
        json!("1234567890ms"),
        json!("5x"),
        json!("true"),
        json!("null"),
        json!("yes"),
        json!("a #b"),
        json!("*"),
        json!("{a, b}: c"),
        json!("a\nb\t"),
        json!("x".repeat(129)),
        json!([]),
        json!(["a"]),
        json!(["a", "b"]),
        json!([1, null]),
        json!([[]]),
        json!([{}]),
        json!({}),
        json!({ "a": "b" }),
        json!({ "": "b" }),
        json!({ " ": "a" }),
        json!({ "at": "a", "value": "b" }),
        json!({ "read": "ask" }),
        json!({ "max": 1 }),
        json!({ "first": "a", "then": "b" }),
        json!({ "is": "read" }),
        json!({ "call": "a", "n": 1 }),
        json!({ "type": "int" }),
        json!({ "a b": [] }),
        json!({ "effect": "write" }),
    ]
}

/// Names to put anywhere.
fn names() -> Vec<&'static str> {
    let mut names: Vec<_> = ast::HOMES.iter().flat_map(|(_, fields)| fields.iter().copied()).collect();
    names.extend(ast::Rule::KINDS.iter().flat_map(|kind| kind.beside.iter().copied().chain([kind.name])));
    names.extend(ast::Contract::FIELDS);
    names.extend(ast::Commit::FIELDS);
    names
        .extend(["call", "effect", "is", "at", "value", "type", "max", "read", "violated", "nonsense", "a", "A b", ""]);
    names
}

/// Every place of a document, as JSON pointers.
fn places(value: &Value, at: &str, into: &mut Vec<String>) {
    into.push(at.to_owned());
    match value {
        Value::Array(items) => items.iter().enumerate().for_each(|(i, item)| places(item, &format!("{at}/{i}"), into)),
        Value::Object(fields) => {
            for (key, value) in fields {
                places(value, &format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")), into);
            }
        }
        _ => {}
    }
}

/// Changes a document somewhere.
fn mutate(document: &mut Value, (place, how, what): (usize, u8, usize)) {
    let mut all = Vec::new();
    places(document, "", &mut all);
    let donor = document.pointer(&all[what % all.len()]).cloned();
    let values = values();
    let value = values[what % values.len()].clone();
    let name = names()[what % names().len()];
    let Some(target) = document.pointer_mut(&all[place % all.len()]) else { return };
    match (how % 6, target) {
        (0, target) => *target = value,
        (1, target) => *target = donor.unwrap_or_default(),
        (2, Value::Object(fields)) => drop(fields.insert(name.to_owned(), values[place % values.len()].clone())),
        (3, Value::Object(fields)) => {
            if let Some(key) = fields.keys().nth(what % fields.len().max(1)).cloned() {
                fields.remove(&key);
            }
        }
        (4, Value::Object(fields)) => {
            if let Some(key) = fields.keys().nth(place % fields.len().max(1)).cloned() {
                let value = fields.remove(&key).unwrap_or_default();
                fields.insert(name.to_owned(), value);
            }
        }
        (5, Value::Object(fields)) => {
            if let Some(Value::Object(donor)) = donor {
                fields.extend(donor);
            }
        }
        (2 | 3, Value::Array(items)) => items.push(value),
        (4 | 5, Value::Array(items)) => drop(items.pop()),
        (_, target) => *target = value,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_decoder_accepts_what_the_schema_accepts(
        changes in prop::collection::vec((any::<usize>(), any::<u8>(), any::<usize>()), 0..4),
    ) {
        let mut document = everything();
        for change in changes {
            mutate(&mut document, change);
        }
        let refusal = refusal(&document);
        for (validator, (draft, _)) in VALIDATORS.iter().zip(DRAFTS) {
            let error = validator.iter_errors(&document).next().map(|error| format!("{}: {error}", error.instance_path()));
            prop_assert!(
                error.is_none() == refusal.is_none(),
                "{draft:?}\nschema: {error:?}\ndecoder: {refusal:?}\n{document:#}"
            );
        }
    }
}
