use std::time::{Duration, Instant};

use super::super::flaw::Advice;
use super::super::random::Random;
use super::*;

fn printed(text: &str) -> String {
    expression(text).unwrap_or_else(|flaw| panic!("{text}: {flaw:?}")).to_string()
}

#[test]
fn operators_bind_from_implies_to_product() {
    for (text, fully_bracketed) in [
        ("a implies b implies c", "a implies (b implies c)"),
        ("a or b and not c == d", "a or (b and (not (c == d)))"),
        ("a and b implies c or d", "(a and b) implies (c or d)"),
        ("a - b - c * d", "(a - b) - (c * d)"),
        ("a + b in c", "(a + b) in c"),
        ("!a && b || c", "((not a) and b) or c"),
        ("not not a", "not (not a)"),
        ("a - -1", "a - (-1)"),
        ("a-1", "a - 1"),
    ] {
        assert_eq!(expression(text).unwrap(), expression(fully_bracketed).unwrap(), "{text}");
    }
    assert_ne!(expression("(a and b) and c").unwrap(), expression("a and b and c").unwrap());
}

#[test]
fn printing_keeps_only_the_brackets_that_matter() {
    for (text, canonical) in [
        ("((a))and(b or(c))", "a and (b or c)"),
        ("(a implies b) implies c", "(a implies b) implies c"),
        ("a-(b-c)", "a - (b - c)"),
        ("(a-b)-c", "a - b - c"),
        ("not (a == b)", "not a == b"),
        ("(not a) == b", "(not a) == b"),
        ("a[ \"b\" ][0][ c . * ]", "a.b[0][c[]]"),
        ("a.**.ssn", "a.**.ssn"),
        ("r\"\\d\" == \"\\u00e9\\\"\"", "r\"\\d\" == \"é\\\"\""),
        ("json( result )[\"x y\"]", "json(result)[\"x y\"]"),
        ("any(x in a=>x==10m)", "any(x in a => x == 10m)"),
    ] {
        let text = text.replace(" . ", ".");
        assert_eq!(printed(&text), canonical, "{text}");
        assert_eq!(printed(canonical), canonical);
    }
}

#[test]
fn words_of_the_language_do_not_swallow_the_names_that_start_with_them() {
    for text in ["notify", "android", "order_id", "inner", "implies_x", "likely", "matches2", "nullable", "trueish"] {
        assert_eq!(printed(text), text);
    }
    assert_eq!(printed("args.in and args.not or args.where"), "args.in and args.not or args.where");
    assert_eq!(printed("all.x and count"), "all.x and count");
}

#[test]
fn patterns_read_and_print() {
    for text in [
        "a",
        "a where x == 1 or y | call(b) | ok(c where result.ok)",
        "github::issue_*",
        "mcp/read-file.v2:x | ?",
        "event(user_confirmed) | effect(irreversible)",
        "wherever | ok | call",
    ] {
        assert_eq!(pattern(text).unwrap().to_string(), text);
    }
    let guarded = pattern("a where x || y | b").unwrap();
    assert_eq!(guarded.alternatives.len(), 2);
}

#[test]
fn ranges_are_those_of_the_text() {
    let text = "lower(x) == [ args.x ]";
    let tree = expression(text).unwrap();
    assert_eq!(tree.range, 0..text.len());
    let crate::syntax::expr::Kind::Binary(_, left, right) = tree.kind else { panic!() };
    assert_eq!((text.get(left.range), text.get(right.range)), (Some("lower(x)"), Some("[ args.x ]")));
}

#[test]
fn what_is_printed_reads_back() {
    let mut random = Random::new(7);
    for _ in 0..3_000 {
        let tree = random.tree(5);
        let text = tree.to_string();
        let read = expression(&text).unwrap_or_else(|flaw| panic!("{text}: {flaw:?}"));
        assert_eq!(read, tree, "{text}");
        assert_eq!(read.to_string(), text);
    }
}

#[test]
fn any_text_is_read_or_refused_in_its_own_bounds() {
    let mut random = Random::new(11);
    for _ in 0..4_000 {
        let text = random.text(24);
        for flaw in [expression(&text).err(), pattern(&text).err()].into_iter().flatten() {
            assert!(text.get(flaw.range.clone()).is_some(), "{text:?}: {flaw:?}");
            assert!(!flaw.message.contains("atom") && !flaw.message.is_empty());
            for Advice { replacement, .. } in flaw.help {
                assert!(replacement.is_none_or(|(range, _)| text.get(range).is_some()), "{text:?}");
            }
        }
    }
}

#[test]
fn nesting_is_refused_before_it_costs_anything() {
    let nested = |open: &str, depth: usize, inner: &str, close: &str| {
        format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
    };
    for text in [
        nested("(", MAX_NESTING, "a", ")"),
        nested("[", MAX_NESTING, "a", "]"),
        nested("lower(", MAX_NESTING, "a", ")"),
        nested("a[", MAX_NESTING, "a", "]"),
        nested("any(x in a => ", MAX_NESTING, "a", ")"),
    ] {
        assert!(expression(&text).is_ok(), "{text}");
    }
    let start = Instant::now();
    for (open, close) in [("(", ")"), ("[", "]"), ("a[", "]"), ("lower(", ")"), ("not (", ")"), ("any(x in ", " => a)")]
    {
        for text in [nested(open, 9_000, "a", close), nested(open, 9_000, "", "")] {
            assert!(expression(&text).is_err());
            assert!(pattern(&format!("a where {text}")).is_err());
        }
    }
    let flaw = expression(&"(".repeat(60_000)).unwrap_err();
    assert_eq!(flaw.range, MAX_NESTING..MAX_NESTING + 1);
    for text in [
        "not ".repeat(16_000) + "a",
        "a-".repeat(2_000) + "a",
        "a implies ".repeat(2_000) + "a",
        "a*".repeat(2_000) + "a",
    ] {
        assert!(expression(&text).unwrap_err().message.contains("levels"));
    }
    assert!(expression(&("a and ".repeat(2_000) + "a")).is_ok());
    assert!(expression(&format!("\"{}\"", "(".repeat(1_000))).is_ok());
    assert!(expression(&"(".repeat(100_000)).unwrap_err().message.contains("65536 bytes"));
    assert!(start.elapsed() < Duration::from_secs(20));
}
