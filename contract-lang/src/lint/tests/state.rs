//! Cells, and what changes them.

use super::{NONE, codes, found};
use crate::diagnostic::{Code, Level};
use crate::{Options, check};

#[test]
fn state_that_is_read_and_never_written() {
    let code = Code::NeverCommitted.as_str();
    for rule in [
        "after: a, ensure: result.x == state.n",
        "call: a, rewrite: { args.x: state.n }",
        "forbid: a, unless: args.x == state.n",
        "must_be_followed_by: { after: a, then: b }, guards: c where state.n == 1",
        "must_precede: { first: a, then: b }, reset_on: ok(c where state.n == 1)",
    ] {
        let found = codes(&format!("state: {{ n: {{ type: int }} }}\nrules:\n  - {{ id: r, {rule} }}"));
        assert!(found.contains(&code), "{rule}: {found:?}");
    }
}

#[test]
fn two_changes_of_one_cell_by_one_event() {
    let cells =
        "{ n: { type: int, initial: 0 }, s: { type: set<int>, initial: [] }, m: { type: map<int>, initial: {} } }";
    let of = |one: &str, other: &str| {
        let read = "rules:\n  - { id: r, call: b, require: [state.n == 0, size(state.s) == 0, size(state.m) == 0] }";
        codes(&format!("state: {cells}\ncommit:\n  - {{ {one} }}\n  - {{ {other} }}\n{read}"))
    };
    let code = Code::TwoCommits.as_str();
    for (one, other) in [
        ("after: ok(a), set: { n: 1 }", "after: done(a), set: { n: 2 }"),
        ("after: ok(a), set: { n: 1 }", "after: unknown(*) | ok(a), clear: n"),
        ("after: ok(a), set: { n: 1 }", "after: ok(get_x) | ok(a where result.x), bind: { n: 2 }"),
        ("after: event(e), insert: { s: 1 }", "after: event(e*), remove: { s: 1 }"),
        (
            "after: ok(a), put: { m: { at: result.k, value: 1 } }",
            "after: ok(a), put: { m: { at: result.k, value: 2 } }",
        ),
        ("after: ok(a), put: { m: { at: result.k, value: 1 } }", "after: ok(a), remove: { m: result.k }"),
        ("after: ok(a), set: { n: 1 }, clear: n", "after: ok(b), clear: s"),
        // A text is no object, so the second is not established where the first is true: the cell is not, either.
        ("after: ok(a where is_object(result)), set: { n: 1 }", "after: ok(a where result == \"x\"), set: { n: 2 }"),
    ] {
        assert_eq!(of(one, other), [code], "{one} {other}");
    }
    for (one, other) in [
        ("after: ok(a), set: { n: 1 }", "after: failed(a), set: { n: 2 }"),
        ("after: ok(a), set: { n: 1 }", "after: ok(b) | event(a), set: { n: 2 }"),
        ("after: ok(a), set: { n: 1 }", "after: ok(a), set: { n: 1 }"),
        ("after: ok(a), clear: s", "after: ok(a), insert: { s: result.x }"),
        ("after: ok(a), clear: n", "after: ok(a), bind: { n: result.x }"),
        (
            "after: ok(a), put: { m: { at: result.k, value: 1 } }",
            "after: ok(a), put: { m: { at: result.l, value: 2 } }",
        ),
    ] {
        assert_eq!(of(one, other), NONE, "{one} {other}");
    }
}

#[test]
fn a_change_that_never_stays() {
    let of = |one: &str, other: &str| {
        let commits = format!("commit:\n  - {{ after: {one} }}\n  - {{ after: {other} }}");
        let text = format!("version: 1\nname: x\nstate: {{ n: {{ type: int }} }}\n{commits}\n");
        let checked = check("x", text.as_bytes(), &Options::default());
        let found = checked.diagnostics.iter().find(|found| found.code == Code::TwoCommits).unwrap();
        (found.level, checked.source.position(found.primary.span.start).line)
    };
    for (one, other) in [
        ("ok(a where result.x), set: { n: 1 }", "ok(a), set: { n: 2 }"),
        ("ok(a) | failed(a), when: result.x, bind: { n: 1 }", "done(*), clear: n"),
    ] {
        assert_eq!(of(one, other), (Level::Warning, 5), "{one} {other}");
    }
    for (one, other) in [
        ("ok(a), set: { n: 1 }", "ok(a where result.x), set: { n: 2 }"),
        ("ok(a), set: { n: 1 }", "ok(a), when: result.x, set: { n: 2 }"),
        ("done(a), set: { n: 1 }", "ok(a), set: { n: 2 }"),
        ("ok(*), set: { n: 1 }", "ok(a), set: { n: 2 }"),
        ("ok(a), set: { n: 1 }", "ok(a), bind: { n: 2 }"),
    ] {
        assert_eq!(of(one, other), (Level::Note, 6), "{one} {other}");
    }
}

#[test]
fn conditions_exclude_each_other() {
    let of = |one: &str, other: &str| {
        let read = "rules:\n  - { id: r, call: b, require: has(state.n) }";
        let commit = |when: &str, value: u8| format!("  - {{ after: ok(a), when: '{when}', set: {{ n: {value} }} }}\n");
        codes(&format!("state: {{ n: {{ type: int }} }}\ncommit:\n{}{}{read}", commit(one, 1), commit(other, 2)))
    };
    for (one, other) in [
        ("result.x", "not result.x"),
        ("result.y and not result.x", "result.x and result.z"),
        ("is_object(result)", "is_string(result)"),
        ("is_string(result.x)", "result.x == null"),
        ("result.x == \"a\"", "result.x == \"b\""),
        ("result.x == \"a\"", "result.x != \"a\""),
        ("result.x in [\"a\", \"b\"]", "result.x == \"c\""),
        ("result.x in [1, 2]", "result.x in [3]"),
        ("result.x in [1, 2]", "result.x > 2"),
        ("result.x < 1", "result.x >= 1"),
        ("1 > result.x", "result.x == 1"),
        ("result.x <= 1", "result.x > 1.0"),
        ("has(result.x)", "not has(result.x)"),
    ] {
        assert_eq!((of(one, other), of(other, one)), (vec![], vec![]), "{one} / {other}");
    }
    for (one, other) in [
        ("result.x", "result.y"),
        ("result.x or result.y", "not result.x"),
        ("result.x == \"a\"", "result.x == 1"),
        ("result.x == \"a\"", "result.y == \"b\""),
        ("result.x in [1, 2]", "result.x >= 2"),
        ("result.x <= 1", "result.x >= 1"),
        ("result.x != 1", "result.x != 2"),
    ] {
        let code = vec![Code::TwoCommits.as_str()];
        assert_eq!((of(one, other), of(other, one)), (code.clone(), code), "{one} / {other}");
    }
}

#[test]
fn state_that_nothing_reads() {
    let code = Code::NeverCommitted.as_str();
    let of = |commits: &str, rule: &str| {
        let cells = "state: { n: { type: int }, m: { type: int } }";
        found(&format!("{cells}\ncommit: [{commits}]\nrules:\n  - {{ id: r, {rule} }}"))
    };
    let (n, m) = ("{ after: ok(a), set: { n: result.x } }", "{ after: ok(b where state.n > 1), set: { m: result.y } }");
    let reads = "call: c, require: state.m == args.x";
    let unread = |cell: &str| (code, cell.to_owned(), None);
    assert_eq!(of(&format!("{n}, {m}"), reads), []);
    assert_eq!(of(&format!("{n}, {m}"), "forbid: c"), [unread("n"), unread("m")]);
    assert_eq!(of(n, "call: c, require: state.n == 1"), []);
    // What is read only to write another cell is never established, either.
    assert_eq!(of(m, reads), [unread("n")]);
}
