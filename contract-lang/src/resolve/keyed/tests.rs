//! Keys of whole rules: which route an event has, and which events have none.

use contract_runtime::Duration;

use super::*;
use crate::diagnostic::Level;
use crate::mir::{KeyRoute, Phases, RouteKey};
use crate::{Checked, Options, check};

const HEAD: &str =
    "version: 1\nname: x\ntools: { a: {}, b: {}, c: {}, 'get_*': {} }\ninstances: { max: 10 }\nrules:\n  - id: r\n";

fn checked(rule: &str) -> Checked {
    check("x", format!("{HEAD}    {rule}\n").as_bytes(), &Options::default())
}

fn keyed(rule: &str) -> Keyed {
    let checked = checked(rule);
    let contract = checked.contract.unwrap_or_else(|| panic!("{rule}: {:?}", checked.diagnostics));
    contract.rules.into_iter().next().unwrap().per.unwrap()
}

/// The code, the place and the message of the one mistake.
fn mistake(rule: &str) -> (Code, String, String) {
    let mut checked = checked(rule);
    checked.diagnostics.retain(|found| found.level > Level::Note);
    let [found] = checked.diagnostics.as_slice() else { panic!("{rule}: {:?}", checked.diagnostics) };
    assert!(!found.help.is_empty(), "{rule}");
    (found.code, checked.source.slice(found.primary.span).trim().to_owned(), found.message.clone())
}

fn phases(route: &KeyRoute) -> String {
    let Phases { call, ok, failed, unknown, event } = route.phases;
    let letters = [(call, 'c'), (ok, 'o'), (failed, 'f'), (unknown, 'u'), (event, 'e')];
    letters.into_iter().filter(|(is, _)| *is).map(|(_, letter)| letter).collect()
}

/// The routes in order, `tool@moments`; moments by their first letters.
fn routes(rule: &str) -> Vec<String> {
    keyed(rule).routes.iter().map(|route| format!("{}@{}", described(&route.subject), phases(route))).collect()
}

const BOTH: &str = "must_precede: { first: ok(a) | failed(a) | unknown(a), then: a | b }\n    per:";

#[test]
fn a_moment_of_a_tool_has_its_own_path() {
    let rule = "must_precede: { first: a, then: b }\n    per:";
    assert_eq!(routes(&format!("{rule} args.id")), ["*@cofu"]);
    assert_eq!(routes(&format!("{rule} {{ a: args.id, b: args.id }}")), ["a@cofu", "b@cofu"]);
    assert_eq!(routes(&format!("{rule} {{ a: result.id, b: args.id }}")), ["a@ofu", "b@cofu"]);
    assert_eq!(routes(&format!("{rule} {{ ok(a): result.id, b: args.id }}")), ["a@ou", "b@cofu"]);
    assert_eq!(routes(&format!("{rule} {{ '*': args.id, ok(a): result.id }}")), ["a@ou", "*@cofu"]);
    let each = "{ a: args.id, call(a): args.x, ok(a): result.id, unknown(a): args.id, b: args.id }";
    assert_eq!(routes(&format!("{BOTH} {each}")), ["a@c", "a@o", "a@u", "a@f", "b@cofu"].map(str::to_owned));
    let failures = "{ failed(a): args.x, a: args.id, b: args.id }";
    assert_eq!(routes(&format!("{BOTH} {failures}")), ["a@f", "a@cou", "b@cofu"]);
    let done = "{ call(a): args.x, done(a): result.id, b: args.id }";
    assert_eq!(routes(&format!("{BOTH} {done}")), ["a@c", "a@ofu", "b@cofu"]);
    // An obligation is made by what may be a success, too.
    let obligation =
        "must_be_followed_by: { after: a, then: b }\n    guards: b\n    per: { ok(a): result.id, b: args.id }";
    assert_eq!(routes(obligation), ["a@ou", "b@cofu"]);
    // What calls have is taken, so what is left reads results.
    assert_eq!(routes(&format!("{BOTH} {{ call(a): args.x, a: result.id, b: args.id }}")), ["a@c", "a@ofu", "b@cofu"]);
}

#[test]
fn a_key_fans_out_or_is_every_key() {
    let rule = "must_precede: { first: a, then: b }\n    per:";
    let kinds = |per: &str| -> Vec<String> {
        let kind = |route: &KeyRoute| match &route.key {
            RouteKey::One(parts) => format!("one {}", parts.len()),
            RouteKey::Each { before, after, .. } => format!("each {} {}", before.len(), after.len()),
            RouteKey::All => "all".to_owned(),
        };
        keyed(&format!("{rule} {per}")).routes.iter().map(kind).collect()
    };
    assert_eq!(kinds("'args.ids[]'"), ["each 0 0"]);
    assert_eq!(kinds("{ a: 'lower(args.items[].id)', b: digest(args) }"), ["each 0 0", "one 1"]);
    assert_eq!(kinds("{ a: [args.x, 'args.ids[]', args.y], b: [args.x, args.id, args.y] }"), ["each 1 1", "one 3"]);
    assert_eq!(kinds("{ a: '*', b: [args.x, args.y] }"), ["all", "one 2"]);
    let events = keyed(
        "must_precede: { first: event(go) | event(all), then: b }\n    per: { event(go): 'event.ids[]', event(all): '*', b: args.id }",
    );
    assert_eq!(events.routes.len(), 3);
}

#[test]
fn what_guards_has_a_key_and_what_resets_needs_none() {
    let rule = "must_be_followed_by: { after: a, then: b }\n    guards: c\n    reset_on: event(turn)\n    per:";
    assert_eq!(routes(&format!("{rule} {{ a: args.id, b: args.id, c: '*' }}")), ["a@cofu", "b@cofu", "c@cofu"]);
    let (code, at, message) = mistake(&format!("{rule} {{ a: args.id, b: args.id }}"));
    assert_eq!((code, at.as_str(), message.as_str()), (Code::KeyMissing, "c", "`per` gives no path for `c`"));
}

#[test]
fn the_words_of_a_keyed_rule_are_taken_over() {
    let rule = "at_most_n_times: { call: a, n: 1 }\n    per: args.id";
    let plain = keyed(rule);
    assert_eq!((plain.when_full, plain.missing), (WhenFull::Block, Missing::Block));
    let other = keyed(&format!("{rule}\n    missing: skip\n    instances: {{ max: 3, when_full: alert }}"));
    assert_eq!((other.when_full, other.missing, other.max), (WhenFull::Alert, Missing::Skip, 3));
}

#[test]
fn retirement_is_by_room_or_by_time_and_has_a_memory() {
    let rule = "at_most_n_times: { call: a, n: 1 }\n    per: args.id\n    instances:";
    let evicts = keyed(&format!("{rule} {{ max: 3, when_full: evict }}"));
    assert_eq!((evicts.when_full, evicts.idle, evicts.remember), (WhenFull::Evict, None, 100_000));
    let idles = keyed(&format!("{rule} {{ max: 3, idle: 1h, remember: 5 }}"));
    assert_eq!((idles.when_full, idles.idle, idles.remember), (WhenFull::Block, Duration::parse("1h"), 5));
    let (code, at, message) = mistake(&format!("{rule} {{ max: 3, remember: 5 }}"));
    let expected = "`remember` is about retired keys, and this rule retires none";
    assert_eq!((code, at.as_str(), message.as_str()), (Code::UnknownField, "5", expected));
}

#[test]
fn there_is_a_most_of_paths() {
    let many: Vec<String> = (0..513).map(|n| format!("t{n}: args.id")).collect();
    let (code, _, message) = mistake(&format!("forbid: a\n    per: {{ {} }}", many.join(", ")));
    assert_eq!((code, message.as_str()), (Code::BadValue, "`per` gives 513 paths, and 512 is the most"));
}

#[test]
fn wrong_keys_are_mistakes() {
    let two = "must_precede: { first: a, then: b }\n    per:";
    for (rule, code, at, message) in [
        (
            format!("{two} '*'"),
            Code::KeyMissing,
            "'*'",
            "no event has a key: `*` is every key that another event of the rule made",
        ),
        (
            format!("{two} {{ a: '*', b: '*' }}"),
            Code::KeyMissing,
            "a: '*', b: '*'",
            "no event has a key: `*` is every key that another event of the rule made",
        ),
        (format!("{two} [args.x, '*']"), Code::BadValue, "'*'", "`*` is every key, and no part of one"),
        (format!("{two} ['args.x[]', 'args.y[]']"), Code::BadValue, "'args.y[]'", "two parts of the key fan out"),
        (
            format!("{two} {{ a: args.id, b: [args.x, args.y] }}"),
            Code::BadValue,
            "[args.x, args.y]",
            "the keys of one rule have the same number of parts",
        ),
        (format!("{two} {{ call(a): args.id, b: args.id }}"), Code::KeyMissing, "a", "`per` gives no path for `ok(a)`"),
        (
            format!("{BOTH} {{ done(a): result.id, b: args.id }}"),
            Code::KeyMissing,
            "a | b",
            "`per` gives no path for `call(a)`",
        ),
        (
            format!("{BOTH} {{ a: result.id, b: args.id }}"),
            Code::BadValue,
            "result",
            "the key of a call is read before there is a result",
        ),
        (format!("{two} {{ a: args.x, a | b: args.y }}"), Code::DuplicateKey, "a | b", "`a` has two keys"),
        (
            format!("{two} {{ call(a): args.x, done(a): args.x, a: args.x, b: args.y }}"),
            Code::DuplicateKey,
            "a",
            "every moment of `a` has a path already",
        ),
        (
            format!("{two} {{ a where args.x: args.x, b: args.y }}"),
            Code::WrongPhase,
            "a where args.x",
            "a path is given for tools, whatever their arguments",
        ),
    ] {
        assert_eq!(mistake(&rule), (code, at.to_owned(), message.to_owned()), "{rule}");
    }
}
