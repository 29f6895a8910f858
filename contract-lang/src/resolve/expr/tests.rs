use super::super::scope::fixture::{assert_fine, assert_mistakes, mistakes, with_scope, written};
use super::*;
use crate::syntax::expr::MAX_DEPTH;

fn checked(text: &str) -> Checked {
    with_scope(Roots::OF_RESULT, |scope| {
        written(text, |written| value(written, scope, &mut Diagnostics::new()).unwrap_or_else(|| panic!("{text}")))
    })
}

#[test]
fn chains_become_flat() {
    let mir::Expr::And(parts) = checked("args.a and (args.b and args.c) and args.d").expr else { panic!() };
    assert_eq!(parts.len(), 4);
    let mir::Expr::Or(parts) = checked("args.a or (args.b or args.c)").expr else { panic!() };
    assert_eq!(parts.len(), 3);
}

#[test]
fn lists_of_literals_are_literals() {
    assert!(
        matches!(checked("[1, [\"a\"], null]").expr, mir::Expr::Literal(mir::Literal::List(items)) if items.len() == 3)
    );
    assert!(matches!(checked("[1, args.x]").expr, mir::Expr::List(items) if items.len() == 2));
}

#[test]
fn elements_are_counted_by_nesting() {
    let expr = checked("any(x in args.a => all(y in x.b => y == x) and none(z in args.c => z == x))").expr;
    let mut slots = Vec::new();
    let mir::Expr::Quantified { slot, body, .. } = expr else { panic!() };
    slots.push(slot);
    let mir::Expr::And(parts) = *body else { panic!() };
    for part in parts {
        let mir::Expr::Quantified { slot, .. } = part else { panic!() };
        slots.push(slot);
    }
    assert_eq!(slots, [0, 1, 1]);
}

#[test]
fn what_is_read_is_known() {
    assert_eq!(
        checked("args.x == state.n and any(r in result.rows => has(r.x))").reads.listed(),
        "`args`, `state` and `result`"
    );
    assert_eq!(checked("state.orders[args.id] == now").reads.listed(), "`args`, `state` and `now`");
}

#[test]
fn conditions_are_truth_values() {
    assert_fine(&["args.x", "true", "state.open", "not args.x implies state.open", "count(x in args.l => x.ok) > 1"]);
    assert_mistakes(&[
        ("state.n", Code::TypeMismatch, "state.n", "a condition is true or false, this is a number"),
        ("args.x and \"a\"", Code::TypeMismatch, "\"a\"", "a condition is true or false, this is a string"),
        ("not state.verified", Code::TypeMismatch, "state.verified", "a condition is true or false, this is a list"),
        ("all(x in args.l => x + 1)", Code::TypeMismatch, "x + 1", "a condition is true or false, this is a number"),
    ]);
}

#[test]
fn elements_go_through_lists_and_have_names_of_their_own() {
    assert_fine(&["any(x in state.verified => x == args.p)", "all(k in keys(args.o) => k != \"a\")"]);
    assert_mistakes(&[
        ("any(x in state.n => true)", Code::TypeMismatch, "state.n", "`any` goes through a list, this is a number"),
        (
            "any(x in state.orders => true)",
            Code::TypeMismatch,
            "state.orders",
            "`any` goes through a list, this is a map",
        ),
        (
            "any(x in state.verified => x == 1)",
            Code::TypeMismatch,
            "x == 1",
            "a string is never comparable with a number",
        ),
        ("any(args in args.l => true)", Code::BadValue, "args", "`args` is a root"),
        ("any(x in args.l => any(x in x => true))", Code::BadValue, "x", "`x` is already the name of an outer element"),
        ("any(x in args.l => true) and x.y", Code::UnknownName, "x", "unknown name `x`"),
    ]);
}

#[test]
fn every_mistake_of_an_expression_is_found() {
    let text = "lowr(argz.x) == state.nn and now < 3 and result.x";
    assert_eq!(mistakes(text).len(), 5);
}

#[test]
fn right_sides_fit_their_cells() {
    let fits = |ty: &str, text: &str| {
        let ty = Type::parse(ty).unwrap();
        with_scope(Roots::OF_RESULT, |scope| {
            written(text, |written| value_for(&ty, written, scope, &mut Diagnostics::new()).is_some())
        })
    };
    for (ty, text) in [
        ("string", "result.x"),
        ("int", "state.n + 1"),
        ("time", "now"),
        ("time", "\"2026-01-01T00:00:00Z\""),
        ("set<string>", "[\"a\", result.b]"),
        ("set<string>", "state.verified"),
        ("json", "\"a\""),
        ("bool", "result.a == 1"),
    ] {
        assert!(fits(ty, text), "{ty} {text}");
    }
    for (ty, text) in [
        ("string", "3"),
        ("int", "\"3\""),
        ("int", "null"),
        ("time", "now - state.since"),
        ("set<string>", "\"a\""),
        ("set<string>", "[1]"),
        ("json", "now"),
        ("bool", "size(result)"),
    ] {
        assert!(!fits(ty, text), "{ty} {text}");
    }
}

#[test]
fn the_deepest_expressions_are_checked_on_a_small_stack() {
    let nested = |open: &str, close: &str| format!("{}args.a{}", open.repeat(64), close.repeat(64));
    let brackets = [("lower(", ")"), ("not (", ")"), ("args.a[", "]"), ("[", "]"), ("1 + (", ")")];
    let mut texts: Vec<_> = brackets.into_iter().map(|(open, close)| nested(open, close)).collect();
    texts.push("args.a".to_owned() + &" - args.a".repeat(MAX_DEPTH.saturating_sub(1)));
    for text in texts {
        assert!(parse::expression(&text).unwrap().depth() > 64, "{text}");
        let _ = mistakes(&text);
    }
}
