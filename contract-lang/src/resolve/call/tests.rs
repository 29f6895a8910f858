//! Functions: what is accepted, and what is said of what is not.

use super::super::scope::fixture::{assert_fine, assert_mistakes};
use crate::diagnostic::Code::{TypeMismatch, UnknownFunction, WrongArguments};

#[test]
fn every_function_has_its_use() {
    assert_fine(&[
        "min(1, args.x) == max(args.list) and min([1, 2]) < 3 and max(now, args.t) == now",
        "default(args.x, 0) + default(args.y, [1, \"a\"]) == 1 and default(args.d, 10m) < 1h",
        "size(args.x) + size(state.verified) + size(\"a\") + size(state.orders) == sum(args.items[].price)",
        "lower(args.a) == upper(trim(args.b)) and starts_with(args.x, \"a\") and ends_with(args.x, state.account)",
        "contains(args.x, 1) and contains(state.account, \"a\") and contains(state.verified, args.x)",
        "keys(args.o) == distinct(values(state.orders)) and subset(args.l, state.verified) and intersects(args.l, [1])",
        "json(args.text).a == 1 and time(args.t) < now and time(args.t, \"EST\") < now and time(args.t, args.zone) < now",
        "time(\"2026-01-31T12:00:00+02:00\") < now and time(\"2026-01-31 12:00:00\", \"UTC\") < now",
        "path_within(path_norm(args.p), \"/srv/data\") and path_within(args.p, context.user) and path_within(args.p, \"src\")",
        "host(args.u) == scheme(args.u) and domain_in(args.u, [\"example.com\", \"localhost\"]) and domain_in(args.u, args.l)",
        "cidr_contains(\"10.0.0.0/8\", host(args.u)) or cidr_contains(\"2001:db8::/32\", args.ip) or cidr_contains(args.net, args.ip)",
        "any(s in strings(args) => s matches r\"x\") and digest(args) == \"a\"",
        "has(args.x) and has(state.n) and is_string(args.x) and is_object(args) and is_list(args.l) and is_number(1) and is_bool(args.b)",
    ]);
}

#[test]
fn wrong_calls_are_mistakes() {
    assert_mistakes(&[
        ("len(args.x) == 1", UnknownFunction, "len", "unknown function `len`"),
        ("commands(args.x)", UnknownFunction, "commands", "unknown function `commands`"),
        ("lower() == \"a\"", WrongArguments, "lower", "`lower` takes one argument, not 0"),
        ("default(args.x) == 1", WrongArguments, "default", "`default` takes 2 arguments, not 1"),
        ("time(args.x, \"UTC\", 1) < now", WrongArguments, "time", "`time` takes 1 or 2 arguments, not 3"),
        ("lower(3) == \"a\"", TypeMismatch, "3", "`lower` needs a string, this is a number"),
        ("sum([\"a\"]) == 1", TypeMismatch, "[\"a\"]", "`sum` adds up numbers, each of these is a string"),
        ("min(1, \"a\") == 1", TypeMismatch, "\"a\"", "a string is never comparable with a number"),
        (
            "min(state.n) == 1",
            TypeMismatch,
            "state.n",
            "one argument must be a list of values with an order, this is a number",
        ),
        ("contains(state.account, 1)", TypeMismatch, "1", "a string does not contain a number"),
        ("default(args.x, args.y) == 1", WrongArguments, "args.y", "the second argument of `default` is a literal"),
        ("has(lower(args.x))", WrongArguments, "lower(args.x)", "`has` takes a path"),
        ("has(now)", WrongArguments, "now", "`has` takes a path"),
        ("time(\"2026-01-31\") < now", WrongArguments, "\"2026-01-31\"", "`2026-01-31` is not a time"),
        (
            "time(args.t, \"Europe/Paris\") < now",
            WrongArguments,
            "\"Europe/Paris\"",
            "`Europe/Paris` is not a time zone",
        ),
        ("path_within(args.p, \"C:\\\\x\")", WrongArguments, "\"C:\\\\x\"", "`C:\\x` is not a directory"),
        ("path_within(args.p, \"/srv/*\")", WrongArguments, "\"/srv/*\"", "`/srv/*` is not a directory"),
        ("domain_in(args.u, [\"a.org\", \"*.b.org\"])", WrongArguments, "\"*.b.org\"", "`*.b.org` is not a domain"),
        (
            "domain_in(args.u, [\"https://a.org\"])",
            WrongArguments,
            "\"https://a.org\"",
            "`https://a.org` is not a domain",
        ),
        ("cidr_contains(\"10.1.0.0/8\", args.ip)", WrongArguments, "\"10.1.0.0/8\"", "`10.1.0.0/8` is not a network"),
        ("cidr_contains(\"10.1.0.0\", args.ip)", WrongArguments, "\"10.1.0.0\"", "`10.1.0.0` is not a network"),
        ("cidr_contains(args.ip)", WrongArguments, "cidr_contains", "`cidr_contains` takes 2 arguments, not 1"),
        ("domain_in(args.u, [1])", WrongArguments, "1", "a domain is a string"),
        ("domain_in(args.u, [])", WrongArguments, "[]", "the list of domains is empty"),
    ]);
}
