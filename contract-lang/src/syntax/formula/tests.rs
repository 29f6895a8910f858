use std::collections::BTreeSet;

use super::super::parse::formula;
use super::super::random::Random;
use super::*;

fn printed(text: &str) -> String {
    formula(text).unwrap_or_else(|flaw| panic!("{text}: {flaw:?}")).to_string()
}

#[test]
fn operators_bind_from_implies_to_those_before_one_formula() {
    for (text, fully_bracketed) in [
        ("a implies b implies c", "a implies (b implies c)"),
        ("a or b and c", "a or (b and c)"),
        ("a and b implies c or d", "(a and b) implies (c or d)"),
        ("a and b until c", "a and (b until c)"),
        ("a until b since c weak_until d", "a until (b since (c weak_until d))"),
        ("not a until next b", "(not a) until (next b)"),
        ("always p implies once q", "(always p) implies (once q)"),
        ("always not next p", "always(not(next(p)))"),
        ("!a && b || c", "((not a) and b) or c"),
        ("a release b or c", "(a release b) or c"),
    ] {
        assert_eq!(formula(text).unwrap(), formula(fully_bracketed).unwrap(), "{text}");
    }
    assert_ne!(formula("(a until b) until c").unwrap(), formula("a until b until c").unwrap());
    assert_ne!(formula("(a and b) and c").unwrap(), formula("a and b and c").unwrap());
}

#[test]
fn printing_keeps_only_the_brackets_that_matter() {
    for (text, canonical) in [
        ("always((deploy)implies(once(tests_passed)))", "always(deploy implies once tests_passed)"),
        ("(a until b) until c", "(a until b) until c"),
        ("a until (b until c)", "a until b until c"),
        ("(a implies b) implies c", "(a implies b) implies c"),
        ("(a and b) until (c or d)", "(a and b) until (c or d)"),
        ("(a until b) and (c)", "a until b and c"),
        ("!(!a) && !true", "not not a and not true"),
        ("weak_next(previous(a))", "weak_next previous a"),
    ] {
        assert_eq!(printed(text), canonical, "{text}");
        assert_eq!(printed(canonical), canonical);
    }
}

#[test]
fn every_word_is_an_operator_and_no_word_swallows_the_names_that_start_with_it() {
    for word in words() {
        let text = match Unary::from_spelling(word) {
            Some(_) => format!("{word} p"),
            None if matches!(word, "true" | "false") => word.to_owned(),
            None => format!("p {word} q"),
        };
        assert_eq!(printed(&text), text);
        assert!(matches!(formula(&format!("{word}_x")).unwrap().kind, Kind::Name(_)), "{word}");
        assert!(formula(&format!("p and {word}")).is_err() || matches!(word, "true" | "false"), "{word}");
    }
    assert_eq!(words().collect::<BTreeSet<_>>().len(), words().count());
}

#[test]
fn names_are_found_with_their_places() {
    let text = "always(p implies once q) until p";
    let found: Vec<_> = formula(text).unwrap().names().into_iter().map(|(name, at)| (name.to_owned(), at)).collect();
    assert_eq!(found, [("p".to_owned(), 7..8), ("q".to_owned(), 22..23), ("p".to_owned(), 31..32)]);
}

#[test]
fn what_is_printed_reads_as_the_same_tree() {
    let mut random = Random::new(7);
    for _ in 0..2_000 {
        let tree = random_tree(&mut random, 5);
        assert_eq!(formula(&tree.to_string()).unwrap(), tree, "{tree}");
    }
}

fn random_tree(random: &mut Random, levels: usize) -> Formula {
    let choice = if levels <= 1 { random.pick(&[0, 1]) } else { random.pick(&[2, 3, 4, 5]) };
    let mut inner = || random_tree(random, levels.saturating_sub(1));
    let kind = match choice {
        0 => Kind::Bool(random.below(2) == 0),
        1 => Kind::Name(random.pick(&["p", "once_more", "order", "G"]).to_owned()),
        2 => Kind::Unary(Unary::Not, Box::new(inner())),
        3 => {
            let (left, right) = (Box::new(inner()), Box::new(inner()));
            Kind::Binary(random.pick(Binary::ALL), left, right)
        }
        4 => Kind::And(vec![inner(), inner()]),
        _ => Kind::Or(vec![inner(), inner(), inner()]),
    };
    let kind = match kind {
        Kind::Unary(_, inner) => Kind::Unary(random.pick(Unary::ALL), inner),
        other => other,
    };
    Formula::new(kind, 0..0).unwrap()
}

#[test]
fn hostile_texts_are_refused_soon() {
    let deep = |text: &str, times: usize| text.repeat(times);
    for text in [
        deep("(", 100_000),
        deep("not ", 10_000) + "p",
        deep("p until ", 8_000) + "p",
        deep("p implies ", 6_000) + "p",
        deep("(", 60) + &deep("always ", 5_000),
        deep("\"(", 30_000),
    ] {
        assert!(formula(&text).is_err());
    }
    assert!(formula(&(deep("p and ", 10_000) + "p")).is_ok());
}
