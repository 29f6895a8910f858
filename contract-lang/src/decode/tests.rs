use crate::ast;
use crate::diagnostic::{Code, Diagnostics, render};
use crate::source::SourceFile;
use crate::syntax::yaml;

/// The codes of the diagnostics, and how they are shown.
fn check(text: &str) -> (Vec<Code>, String) {
    let file = SourceFile::new("contract.yaml", text);
    let mut diagnostics = Diagnostics::new();
    if let Some(node) = yaml::parse(&file, &mut diagnostics) {
        ast::decode(&node, &mut diagnostics);
    }
    let sorted = diagnostics.into_sorted();
    (sorted.iter().map(|diagnostic| diagnostic.code).collect(), render::human(&file, &sorted, false))
}

#[track_caller]
fn refused(lines: &str, code: Code, says: &str) {
    let (codes, shown) = check(&format!("version: 1\nname: a\n{lines}\n"));
    assert_eq!(codes, [code], "{shown}");
    assert!(shown.contains(says), "{says}\n{shown}");
}

#[test]
fn an_unknown_field_is_refused_at_every_level() {
    for lines in [
        "nonsense: 1",
        "default: { nonsense: 1 }",
        "decide: { nonsense: 1 }",
        "decide: { violated: { nonsense: 1 } }",
        "tools: { a: { nonsense: 1 } }",
        "tools: { a: { effect: [{ is: read, nonsense: 1 }] } }",
        "state: { a: { type: int, nonsense: 1 } }",
        "commit: [{ after: ok(a), set: {}, nonsense: 1 }]",
        "commit: [{ after: ok(a), put: { m: { at: b, value: c, nonsense: 1 } } }]",
        "commit: [{ after: ok(a), insert: { m: { at: b, value: c, nonsense: 1 } } }]",
        "instances: { nonsense: 1 }",
        "rules: [{ id: a, forbid: b, nonsense: 1 }]",
        "rules: [{ id: a, forbid: b, instances: { nonsense: 1 } }]",
        "rules: [{ id: a, forbid: b, decide: { nonsense: 1 } }]",
        "rules: [{ id: a, must_precede: { first: a, then: b, nonsense: 1 } }]",
        "rules: [{ id: a, cannot_follow_without: { call: a, without: b, nonsense: 1 } }]",
        "rules: [{ id: a, at_most_n_times: { call: a, n: 1, nonsense: 1 } }]",
        "rules: [{ id: a, at_most_total: { call: a, sum: b, limit: 1, nonsense: 1 } }]",
        "rules: [{ id: a, never_after: { call: a, after: b, nonsense: 1 } }]",
        "rules: [{ id: a, rate_limit: { call: a, n: 1, window: 1s, nonsense: 1 } }]",
    ] {
        refused(lines, Code::UnknownField, "`nonsense` is no field of");
    }
}

#[test]
fn a_misspelt_field_is_one_error_with_the_right_name() {
    refused("tool: {}", Code::UnknownField, "did you mean `tools`?");
    refused("rules: [{ id: a, must_precede: { frist: a, then: b } }]", Code::UnknownField, "did you mean `first`?");
    refused("rules: [{ id: a, must_preceed: { first: a, then: b } }]", Code::RuleKind, "did you mean `must_precede`?");
    refused("rules: [{ di: a, forbid: b }]", Code::UnknownField, "did you mean `id`?");
}

#[test]
fn a_field_in_the_wrong_place_is_sent_home() {
    refused(
        "rules: [{ id: a, must_precede: { first: a, then: b, per: c } }]",
        Code::UnknownField,
        "it is a field of the rule: write it beside `must_precede`, not inside",
    );
    refused(
        "rules: [{ id: a, never_after: { call: a, after: b, without: c } }]",
        Code::UnknownField,
        "it is a field of `cannot_follow_without`",
    );
    refused("rules: [{ id: a, forbid: b, limit: 1 }]", Code::UnknownField, "it is a field of `at_most_total`");
    refused("rules: [{ id: a, forbid: b, count: all }]", Code::UnknownField, "`count` is for rules with");
    refused("rules: [{ id: a, forbid: b, call: c }]", Code::UnknownField, "`call` is for rules with `require`");
}

#[test]
fn a_rule_has_exactly_one_kind() {
    refused("rules: [{ id: a }]", Code::RuleKind, "write exactly one of `must_precede`");
    refused("rules: [{ id: a, call: b }]", Code::RuleKind, "it has no kind");
    refused("rules: [{ id: a, forbid: b, permit: c }]", Code::RuleKind, "this one has `forbid` and `permit`");
    refused("rules: [{ id: a, require: b }]", Code::MissingField, "a rule with `require` needs the field `call`");
}

#[test]
fn what_is_missing_is_named() {
    refused("rules: [{ forbid: b }]", Code::MissingField, "a rule needs the field `id`");
    refused("rules: [{ id: a, rate_limit: { call: b, n: 1 } }]", Code::MissingField, "needs the field `window`");
    refused("commit: [{ after: ok(a) }]", Code::MissingField, "the commit changes nothing");
    refused("state: { a: {} }", Code::MissingField, "a state cell needs the field `type`");
    refused("tools: { a: read }", Code::WrongType, "write them in `{ }`: `effect`, `succeeds_when`");
    assert_eq!(check("rules: []").0, [Code::MissingField, Code::MissingField]);
    assert_eq!(check("version: 1\nname: a\nmode:\n").0, [Code::WrongType]);
    assert_eq!(check("just text").0, [Code::WrongType]);
}

#[test]
fn numbers_are_read_from_their_text() {
    let n = |text: &str| format!("rules: [{{ id: a, at_most_n_times: {{ call: b, n: {text} }} }}]");
    refused(&n("-1"), Code::BadValue, "`-1` is too small");
    refused(&n("99999999999999999999999999999999999999999999999"), Code::BadValue, "is too large");
    refused(&n("9007199254740992"), Code::BadValue, "is too large");
    refused(&n("1.5"), Code::BadValue, "`1.5` is not a whole number");
    refused(&n("0755"), Code::BadValue, "`0755` has a leading zero");
    refused(&n("0x10"), Code::BadValue, "not a decimal number");
    refused(&n("0o17"), Code::BadValue, "not a decimal number");
    refused(&n(".nan"), Code::BadValue, "`.nan` is not a number that a contract can mean");
    refused(&n("-.inf"), Code::BadValue, "`-.inf` is not a number that a contract can mean");
    refused(&n("1e3"), Code::BadValue, "`1e3` has an exponent");
    refused(&n("+1"), Code::BadValue, "has a sign that says nothing");
    refused(&n(".5"), Code::BadValue, "no digit on one side");
    refused(&n("1_000"), Code::WrongType, "write the digits alone");
    refused(&n("'1'"), Code::WrongType, "expected a number, found a string `1`");
    refused(&n("yes"), Code::WrongType, "expected a number, found a string `yes`");
    let limit = |text: &str| format!("rules: [{{ id: a, at_most_total: {{ call: b, sum: c, limit: {text} }} }}]");
    refused(&limit("1000000000000000001"), Code::BadValue, "is too large");
    refused(&limit("-0.01"), Code::BadValue, "is below zero");
    refused(&limit("0.0000000000000000001"), Code::BadValue, "more than 18 digits");
    assert!(check(&format!("version: 1\nname: a\n{}", limit("0.100000000000000000"))).0.is_empty());
}

#[test]
fn durations_have_a_unit() {
    let window = |text: &str| format!("rules: [{{ id: a, rate_limit: {{ call: b, n: 1, window: {text} }} }}]");
    for good in ["500ms", "30s", "10m", "24h", "7d"] {
        assert!(check(&format!("version: 1\nname: a\n{}", window(good))).0.is_empty());
    }
    refused(&window("30"), Code::WrongType, "expected a duration, found a number");
    refused(&window("30 s"), Code::BadValue, "`30 s` is not a duration");
    refused(&window("0s"), Code::BadValue, "`0s` is not a duration");
    refused(&window("99999999999999999999d"), Code::BadValue, "is not a duration");
}

#[test]
fn names_and_words_are_checked() {
    refused("mode: shadoww", Code::BadValue, "did you mean `shadow`?");
    refused("mode: true", Code::WrongType, "write one of `enforce`, `shadow`");
    refused("context: { a: strin }", Code::BadValue, "`strin` is not a type");
    refused("context: { a: set<json> }", Code::BadValue, "`set<json>` is not a type");
    refused("context: { a-b: int }", Code::BadValue, "`a-b` cannot be a name in expressions");
    refused("rules: [{ id: a b, forbid: c }]", Code::BadValue, "`a b` cannot be a rule id");
    assert_eq!(check("version: 1\nname: self\n").0, [Code::BadValue]);
    assert_eq!(check("version: 1\nname: 1a\n").0, [Code::BadValue]);
    refused("catalog: tools.json", Code::WrongType, "expected a list, found a string");
    refused("state: { a: { type: bool, initial: True } }", Code::BadValue, "truth values are `true` and `false`");
    refused("state: { a: { type: int, initial: 0x1 } }", Code::BadValue, "not a decimal number");
    refused("state: { a: { type: int, initial: ~ } }", Code::BadValue, "the null value is spelled `null`");
}

#[test]
fn an_expression_may_be_written_as_a_truth_value_or_number() {
    let (codes, shown) = check("version: 1\nname: a\nrules: [{ id: a, call: b, require: [true, 0755, null] }]\n");
    assert!(codes.is_empty(), "{shown}");
    refused("rules: [{ id: a, forbid: ~ }]", Code::WrongType, "the null value is spelled `null`");
    refused("rules:\n  - id: a\n    forbid:\n", Code::WrongType, "there is no value");
    refused("rules: [{ id: a, forbid: '' }]", Code::BadValue, "the expression is empty");
    refused(
        "rules: [{ id: a, sequence: [t, u] }]",
        Code::WrongType,
        "write the list as the field `steps`: `sequence: { steps: [t, u] }`",
    );
    refused("rules: [{ id: a, alternate: [t, u] }]", Code::WrongType, "write them in `{ }`: `first`, `second`");
    refused("rules: [{ id: a, forbid: [b] }]", Code::YamlTrap, "found a list");
}

#[test]
fn errors_carry_the_id_of_their_rule() {
    let file = SourceFile::new("x", "version: 1\nname: a\nrules: [{ forbid: 'b', id: here, nonsense: 1 }]");
    let mut diagnostics = Diagnostics::new();
    let node = yaml::parse(&file, &mut diagnostics).expect("YAML");
    ast::decode(&node, &mut diagnostics);
    assert!(diagnostics.iter().all(|diagnostic| diagnostic.rule.as_deref() == Some("here")));
}

#[test]
fn only_true_and_false_are_truth_values() {
    let read = |text: &str| {
        let file =
            SourceFile::new("x", format!("version: 1\nname: a\nstate: {{ a: {{ type: bool, initial: {text} }} }}"));
        let mut diagnostics = Diagnostics::new();
        let node = yaml::parse(&file, &mut diagnostics).expect("YAML");
        let contract = ast::decode(&node, &mut diagnostics).expect("a contract");
        let value = contract.state.entries[0].1.initial.clone().expect("a value");
        value.boolean().map_err(|error| error.help.first().map(|help| help.text.clone()))
    };
    assert_eq!(read("true"), Ok(true));
    assert_eq!(read("false"), Ok(false));
    assert_eq!(read("yes"), Err(Some("write `true`".to_owned())));
    assert_eq!(read("off"), Err(Some("write `false`".to_owned())));
    assert_eq!(read("'true'"), Err(Some("write `true`".to_owned())));
    assert_eq!(read("maybe"), Err(None));
    assert_eq!(read("[]"), Err(None));
}
