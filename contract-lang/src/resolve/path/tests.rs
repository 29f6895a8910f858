//! Paths: what is accepted, and what is said of what is not.

use super::super::expr::value;
use super::super::scope::fixture::{assert_fine, assert_mistakes, with_scope, written};
use super::*;
use crate::diagnostic::Code::{NotReadable, TypeMismatch, UnknownName};
use crate::diagnostic::Diagnostics;

#[test]
fn paths_into_what_is_declared_and_what_is_not() {
    assert_fine(&[
        "args",
        "args.a.b[0][\"odd key\"] == 1",
        "args.**.ssn == [] and args.ids[] != [1]",
        "state.orders[args.id].x == 1 and state.orders.k and state.orders[7]",
        "context.user == call.agent and call.batch == 1 and call.server == null",
        "any(row in args.rows => row[0].x == row.y)",
    ]);
}

#[test]
fn unknown_names_are_answered_with_the_nearest() {
    assert_mistakes(&[
        ("arg.x == 1", UnknownName, "arg", "unknown name `arg`"),
        ("account == 1", UnknownName, "account", "unknown name `account`"),
        ("args.a-b == 1", UnknownName, "b", "unknown name `b`"),
        ("state.acount == \"a\"", UnknownName, ".acount", "there is no state cell `acount`"),
        ("state[args.x] == 1", UnknownName, "[args.x]", "`state` is followed by the name of a state cell"),
        ("state == 1", UnknownName, "state", "`state` is followed by the name of a state cell"),
        ("context.usr == \"a\"", UnknownName, ".usr", "there is no context fact `usr`"),
        ("call.name == \"a\"", UnknownName, ".name", "there is no fact about the call `name`"),
        ("result.x", NotReadable, "result", "`result` cannot be read here"),
        ("event.x", NotReadable, "event", "`event` cannot be read here"),
    ]);
}

#[test]
fn suggestions_can_be_put_in_place() {
    for (text, suggested) in [
        ("contxt.user == \"a\"", "context.user == \"a\""),
        ("state.acount == \"a\"", "state.account == \"a\""),
        ("account == \"a\"", "state.account == \"a\""),
        ("arguments.x == \"a\"", "args.x == \"a\""),
        ("True == args.x", "true == args.x"),
        ("None == args.x", "null == args.x"),
        ("any(row in args.r => rwo.x)", "any(row in args.r => row.x)"),
    ] {
        let mut diagnostics = Diagnostics::new();
        with_scope(Roots::OF_CALL, |scope| written(text, |written| value(written, scope, &mut diagnostics)));
        let help = diagnostics.into_sorted().swap_remove(0).help.swap_remove(0);
        let (span, replacement) = help.replacement.unwrap_or_else(|| panic!("{text}: {}", help.text));
        let mut fixed = text.to_owned();
        fixed.replace_range(span.range(), &replacement);
        assert_eq!(fixed, suggested);
    }
}

#[test]
fn scalars_have_no_parts() {
    assert_mistakes(&[
        ("state.account.x == 1", TypeMismatch, ".x", "a string has no parts"),
        ("state.n[] == [1]", TypeMismatch, "[]", "a number has no parts"),
        ("call.tool.x == 1", TypeMismatch, ".x", "a string has no parts"),
        ("now.year == 1", TypeMismatch, ".year", "a time has no parts"),
        ("state.verified.a", TypeMismatch, ".a", "a list has no field `a`"),
        ("state.orders[[1]].x", TypeMismatch, "[1]", "a list cannot be a key"),
        ("lower(args.x).y", TypeMismatch, ".y", "a string has no parts"),
    ]);
}

#[test]
fn the_value_of_a_function_has_parts() {
    let expr = with_scope(Roots::OF_RESULT, |scope| {
        written("json(result).a[\"b c\"][0]", |written| value(written, scope, &mut Diagnostics::new()).unwrap().expr)
    });
    let Expr::Select(_, steps) = expr else { panic!() };
    assert_eq!(steps, [Step::Field("a".into()), Step::Field("b c".into()), Step::Index(0)]);
}
