//! Values that are found again, and values that are not.

use super::hash::{multiply, subtract};
use super::*;

fn taken(result: &Value) -> Flow {
    let mut flow = Flow::new(8);
    flow.take([result], Truth::True, 3, "read_mail");
    flow
}

fn verdict(flow: &Flow, args: &Value) -> Verdict {
    flow.look(args, Truth::True).0
}

#[test]
fn a_value_is_found_wherever_it_stands() {
    let flow = taken(&json!({"mail": {"from": "mallory@evil.example", "id": 12_345_678_901_u64, "short": "abc"}}));
    for args in [
        json!({"to": "mallory@evil.example"}),
        json!(["x", {"y": "send to <mallory@evil.example> now"}]),
        json!({"mallory@evil.example": 1}),
        json!("id-12345678901-x"),
    ] {
        let expected = (Verdict::Violated, Reason::Flow { position: 3 }, Some("read_mail".to_owned()));
        assert_eq!(flow.look(&args, Truth::True), expected, "{args}");
    }
    for args in [json!({"to": "alice@good.example"}), json!("mallory@evil.exampl"), json!("abc"), json!(null)] {
        assert_eq!(flow.look(&args, Truth::True), (Verdict::Open, Reason::Rule, None), "{args}");
    }
}

#[test]
fn parts_of_a_text_count_by_themselves() {
    let flow = taken(&json!("Pay IBAN=DE02120300000000202051, today; see [https://evil.example/x]"));
    for part in ["DE02120300000000202051", "//evil.example/x"] {
        assert_eq!(verdict(&flow, &json!({ "x": format!("<{part}>") })), Verdict::Violated, "{part}");
    }
    for part in ["DE0212030000000020205", "https://", "today", "evil.example"] {
        assert_eq!(verdict(&flow, &json!(part)), Verdict::Open, "{part}");
    }
}

#[test]
fn a_possible_source_or_a_possible_target_leaves_it_open() {
    let mut flow = Flow::new(8);
    flow.take([&json!("secret-one")], Truth::Unknown, 1, "a");
    let hit = |position, tool: &str| (Verdict::Unestablished, Reason::Flow { position }, Some(tool.to_owned()));
    assert_eq!(flow.look(&json!("secret-one"), Truth::True), hit(1, "a"));
    flow.take([&json!("secret-one"), &json!("secret-two")], Truth::True, 2, "b");
    flow.take([&json!("secret-two")], Truth::True, 5, "c");
    assert_eq!(flow.look(&json!("secret-one"), Truth::Unknown), hit(2, "b"));
    let violated = (Verdict::Violated, Reason::Flow { position: 2 }, Some("b".to_owned()));
    assert_eq!(flow.look(&json!(["secret-two", "secret-one"]), Truth::True), violated);
    assert_eq!(verdict(&flow, &json!("none of it")), Verdict::Open);
    assert_eq!(flow.look(&json!("secret-one"), Truth::False).0, Verdict::Open);
    flow.take([&json!("elsewhere")], Truth::False, 6, "d");
    assert_eq!(verdict(&flow, &json!("elsewhere")), Verdict::Open);
}

#[test]
fn past_its_bound_the_rule_cannot_tell() {
    let many: Vec<Value> = (0..MOST).map(|n| json!(format!("value-{n:06}"))).collect();
    let mut flow = taken(&Value::Array(many));
    assert_eq!(verdict(&flow, &json!("something else")), Verdict::Open);
    flow.take([&json!("value-000007")], Truth::True, 4, "again");
    assert_eq!(verdict(&flow, &json!("something else")), Verdict::Open);
    flow.take([&json!("one value more")], Truth::True, 5, "more");
    assert_eq!(flow.look(&json!("something else"), Truth::True), (Verdict::Unestablished, Reason::Full, None));
    assert_eq!(verdict(&flow, &json!("value-000007")), Verdict::Violated);
    assert_eq!(flow.look(&json!("x"), Truth::False).0, Verdict::Open);
}

#[test]
fn the_work_on_one_result_and_on_one_call_is_bounded() {
    let huge = json!("x".repeat(WORK));
    let cannot_tell = (Verdict::Unestablished, Reason::Full, None);
    assert_eq!(taken(&huge).look(&json!("anything"), Truth::True), cannot_tell);
    assert_eq!(taken(&json!("something")).look(&huge, Truth::True), cannot_tell);
}

#[test]
fn depth_costs_no_stack() {
    let deep = (0..100_000).fold(json!("deep-secret"), |inner, _| Value::Array(vec![inner]));
    let flow = taken(&deep);
    assert_eq!(verdict(&flow, &deep), Verdict::Violated);
    // Values drop level by level.
    let mut rest = deep;
    while let Value::Array(mut items) = rest {
        rest = items.pop().unwrap();
    }
}

#[test]
fn no_text_of_a_value_is_kept() {
    let flow = taken(&json!({"mail": "the launch code is 0000-1111-2222", "n": 987_654_321_012_u64}));
    let shown = format!("{flow:?} {}", flow.save());
    for part in ["launch", "code", "0000", "1111-2222", "987654321012", "987_654"] {
        assert!(!shown.contains(part), "{part}: {shown}");
    }
}

#[test]
fn what_is_saved_is_loaded() {
    let mut flow = taken(&json!(["mallory@evil.example", 12_345_678]));
    flow.take([&json!("possible value")], Truth::Unknown, 9, "other");
    let loaded = Flow::load(8, &flow.save()).unwrap();
    assert_eq!(loaded.save(), flow.save());
    for args in [json!("mallory@evil.example"), json!("possible value"), json!("12345678"), json!("clean text")] {
        assert_eq!(loaded.look(&args, Truth::True), flow.look(&args, Truth::True));
    }
    for (field, wrong) in [
        ("full", json!(1)),
        ("sources", json!([])),
        ("sources", json!([[1]])),
        ("values", json!([["00", "00", 3, 0, true]])),
        ("values", json!([["ffffffffffffffff", "00", 9, 0, true]])),
        ("past", json!("x")),
    ] {
        let mut saved = flow.save();
        saved[field] = wrong;
        assert!(Flow::load(8, &saved).is_none(), "{saved}");
    }
    flow.doubt();
    assert_eq!(verdict(&flow, &json!("clean text")), Verdict::Unestablished);
}

#[test]
fn hashes_of_parts_follow_from_those_of_the_whole() {
    let text = b"a polynomial hash of a text";
    for start in 0..text.len() {
        for end in start..=text.len() {
            let part =
                subtract(hash(&text[..end], WHOLE), multiply(hash(&text[..start], WHOLE), power(WHOLE, end - start)));
            assert_eq!(part, hash(&text[start..end], WHOLE));
        }
    }
    assert_eq!(multiply(MODULUS - 1, MODULUS - 1), 1);
    assert_eq!(subtract(0, 0), 0);
}

#[test]
fn a_number_is_found_as_a_text_and_as_a_number() {
    let mut flow = Flow::new(8);
    flow.take([&json!({"account": 4_929_001_122_u64})], Truth::True, 1, "read");
    for args in [json!({"to": 4_929_001_122_u64}), json!({"to": "acct 4929001122"})] {
        assert_eq!(flow.look(&args, Truth::True).0, Verdict::Violated, "{args}");
    }
}
