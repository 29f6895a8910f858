use contract_runtime::Colour::{Open, Pending, Satisfied, Violated};

use crate::check;
use crate::diagnostic::Code;
use crate::mir::Kind;
use crate::rule::fixture::{assert_mistake, contract, mistakes, rule};

fn with(formula: &str, names: &str) -> String {
    format!("formula: {formula}\nlet: {{ {names} }}")
}

#[test]
fn names_are_the_patterns_in_their_order() {
    let rule = rule(&with("always(b implies once a)", "a: ok(a), b: call(b)"));
    let Kind::Automaton { template: "formula", patterns, machine, formula } = rule.kind else { panic!() };
    assert_eq!(patterns.iter().map(|pattern| pattern.name.as_deref()).collect::<Vec<_>>(), [Some("a"), Some("b")]);
    assert_eq!(machine.colours, [Open, Satisfied, Violated]);
    assert_eq!(machine.delta, [0, 1, 2, 0, 1, 1, 1, 1, 2, 2, 2, 2]);
    assert_eq!(formula.as_deref(), Some("always(b implies once a)"));
    assert_eq!(rule.says, "`always(b implies once a)` must hold, where `a` is `ok(a)`, `b` is `call(b)`");
}

#[test]
fn a_kind_and_the_formula_that_it_means_have_one_machine() {
    let machine = |text: &str| match rule(text).kind {
        Kind::Automaton { machine, .. } => machine,
        other => panic!("{other:?}"),
    };
    for (kind, formula, names) in [
        ("must_precede: { first: a, then: b }", "not b weak_until a and not b", "a: ok(a), b: call(b)"),
        ("must_precede: { first: a, then: b }", "always(b implies previous once a)", "a: ok(a), b: call(b)"),
        ("never_after: { call: b, after: a }", "always(b implies not once a)", "a: call(a), b: call(b)"),
        ("never_after: { call: b, after: a }", "always(a implies always not b)", "a: call(a), b: call(b)"),
        ("must_be_followed_by: { after: ok(a), then: b }", "always(a implies next eventually b)", "a: ok(a), b: ok(b)"),
        ("required_before_session_end: a", "eventually a", "a: ok(a)"),
        ("forbid: a", "always not a", "a: call(a)"),
    ] {
        let mut expected = machine(kind);
        let mut written = machine(&with(formula, names));
        if kind.starts_with("must_be_followed_by") {
            // An unknown outcome counts as one here; the letters are those of other events.
            (expected.letters, written.letters) = (vec![], vec![]);
        }
        assert_eq!(written, expected, "{formula}");
    }
}

#[test]
fn names_must_be_known_and_used() {
    assert_mistake(
        &with("always deply", "deploy: call(a), b: call(b)"),
        Code::UnknownName,
        "deply",
        "`deply` is not a name in `let`",
    );
    assert_mistake(&with("always a", "a: call(a), b: call(b)"), Code::UnusedName, "b", "the formula does not use `b`");
}

#[test]
fn patterns_have_phases() {
    assert_mistake(&with("always not a", "a: deploy"), Code::MissingPhase, "deploy", "`deploy` has no phase");
}

#[test]
fn words_are_no_names() {
    for (formula, word) in [("always once", "once"), ("always until", "until"), ("always(next next)", "next")] {
        let message = format!("`{word}` is a word of formulas, and cannot be a name in one");
        assert_mistake(&with(formula, &format!("{word}: call(a)")), Code::BadValue, word, &message);
    }
    assert_mistake(
        &with("always a", "a: call(a), since: call(b)"),
        Code::BadValue,
        "since",
        "`since` is a word of formulas, and cannot be a name in one",
    );
}

#[test]
fn a_formula_has_names_and_at_most_eight() {
    assert_mistake("formula: 'true'", Code::MissingField, "formula", "a rule with `formula` needs the field `let`");
    assert_mistake(
        "formula: always a\nlet: {}",
        Code::MissingField,
        "formula",
        "a rule with `formula` needs the field `let`",
    );
    let names: Vec<String> = (0..9).map(|at| format!("n{at}")).collect();
    let patterns: Vec<String> = names.iter().map(|name| format!("{name}: call({name})")).collect();
    let found = mistakes(&with(&names.join(" or "), &patterns.join(", ")));
    assert!(matches!(found.as_slice(), [(Code::MachineTooLarge, ..)]), "{found:?}");
}

#[test]
fn mistakes_have_their_place_in_every_kind_of_scalar() {
    for (text, line, column) in [
        ("formula: always(p untill q)\nlet: { p: call(a), q: call(b) }", 7, 23),
        ("formula: 'always(p untill q)'\nlet: { p: call(a), q: call(b) }", 7, 24),
        ("formula: |\n  always(\n    p untill q)\nlet: { p: call(a), q: call(b) }", 9, 11),
    ] {
        let checked = check("contract.yaml", contract(text).as_bytes(), &crate::Options::default());
        let found = checked.diagnostics.iter().find(|found| found.code == Code::ExpressionSyntax).unwrap();
        let place = checked.source.position(found.primary.span.start);
        assert_eq!((place.line, place.column), (line, column), "{text}");
    }
}

#[test]
fn only_what_can_be_pending_guards() {
    let safe = with("always(b implies once a)", "a: ok(a), b: call(b)");
    assert_mistake(
        &format!("{safe}\nguards: c"),
        Code::UnknownField,
        "c",
        "the rule is never pending, so it guards nothing",
    );
    let owing = rule(&format!("{}\nguards: c", with("always(a implies eventually b)", "a: ok(a), b: ok(b)")));
    let Kind::Automaton { machine, .. } = owing.kind else { panic!() };
    assert_eq!(machine.colours, [Open, Pending]);
}

#[test]
fn the_part_that_is_too_large_is_named() {
    let next = |times: usize| "next ".repeat(times);
    let long = format!("eventually(p and {}q)", next(7));
    let text = with(&format!("eventually q and {long}"), "p: call(a*), q: call('*b')");
    assert_mistake(&text.replace('\'', ""), Code::MachineTooLarge, &long, "the formula needs more than 64 states");
    let joined: Vec<String> = (0..4).map(|at| format!("always(n{at} implies next next next n{})", at + 4)).collect();
    let names: Vec<String> = (0..8).map(|at| format!("n{at}: call(t{at})")).collect();
    let text = with(&joined.join(" and "), &names.join(", "));
    let checked = check("contract.yaml", contract(&text).as_bytes(), &crate::Options::default());
    let found = checked.diagnostics.iter().find(|found| found.code == Code::MachineTooLarge).unwrap();
    assert!(
        found.help[0].text.starts_with("make each part that is joined with `and` a rule of its own; its positions")
    );
    let text = with(&format!("eventually n0 or ({})", joined.join(" and ")), &names.join(", "));
    let checked = check("contract.yaml", contract(&text).as_bytes(), &crate::Options::default());
    let found = checked.diagnostics.iter().find(|found| found.code == Code::MachineTooLarge).unwrap();
    assert!(found.help[0].text.starts_with("remember less: "), "{}", found.help[0].text);
}

#[test]
fn formulas_that_would_explode_are_refused_soon() {
    let mut nested = "p".to_owned();
    for _ in 0..60 {
        nested = format!("q weak_until ({nested} or p)");
    }
    for formula in [nested, "p weak_until ".repeat(120) + "q", "p and ".repeat(5_000) + "q"] {
        let found = mistakes(&with(&formula, "p: call(a), q: call(b)"));
        assert!(matches!(found.as_slice(), [(Code::MachineTooLarge, ..)]), "{found:?}");
    }
}

#[test]
fn names_without_patterns_are_the_only_mistake() {
    for (names, places) in
        [("{ t, u }", &["t", "u"][..]), ("{ t: call(a), u }", &["u"]), ("\n  t:\n  u: call(a)", &["t"])]
    {
        let expected: Vec<_> = places
            .iter()
            .map(|name| (Code::WrongType, (*name).to_owned(), format!("the name `{name}` has no pattern")))
            .collect();
        assert_eq!(mistakes(&format!("formula: always(t or u)\nlet: {names}")), expected, "{names}");
    }
    for (names, found) in [("[t: call(a), u: ok(b)]", "found a list"), ("call(a)", "found a string")] {
        let message = format!("expected the names of the formula with their patterns, {found}");
        assert_mistake(&format!("formula: always(t or u)\nlet: {names}"), Code::WrongType, names, &message);
    }
    let split = mistakes("formula: always t\nlet: { t: call(a where max(args.x, args.y) > 1) }");
    assert!(matches!(split.as_slice(), [(Code::YamlTrap, ..)]), "{split:?}");
}

#[test]
fn a_list_of_formulas_is_joined_with_and() {
    for (list, joined) in [
        ("[always(p), eventually(q)]", ": `always p and eventually q`"),
        ("[p implies q, q]", ": `(p implies q) and q`"),
        ("[p, q q]", ""),
        ("\n  - always p\n  - q", ": `always p and q`"),
    ] {
        let text = contract(&format!("formula: {list}\nlet: {{ p: call(a), q: call(b) }}"));
        let checked = check("contract.yaml", text.as_bytes(), &crate::Options::default());
        let [found] = checked.diagnostics.as_slice() else { panic!("{:?}", checked.diagnostics) };
        assert_eq!((found.code, found.message.as_str()), (Code::WrongType, "expected a formula, found a list"));
        assert_eq!(found.help[0].text, format!("several formulas are one, joined with `and`{joined}"));
    }
}
