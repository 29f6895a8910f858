//! Whole contracts: what is accepted, what is reported and where.

use contract_runtime::{ByEffect, Decision, DefaultPolicy, Duration};

use super::*;
use crate::diagnostic::Code;
use crate::mir::{Clock, Counting, Glob, Kind, Literal, Names, Register, Subject, Verb};

/// The example of the language, reduced to the kinds of rules that there are.
const PAYMENTS: &str = r#"
version: 1
name: payments-desk
mode: enforce
default: allow
context:
  user: string
patterns:
  payout: send_payment | schedule_payment
tools:
  authenticate:    { effect: read }
  verify_payee:    { effect: read }
  validate_record: { effect: read }
  delete_record:   { effect: irreversible }
  bash:            { effect: write }
  send_payment:    { effect: irreversible }
  schedule_payment: { effect: irreversible }
  "report_*":      { effect: write }
  find_user:
    effect: read
    succeeds_when: 'not (is_string(result) and starts_with(result, "Error"))'
  issue_write:
    effect:
      - { when: 'args.method == "get"', is: read }
      - { is: write }
state:
  account:  { type: string }
  verified: { type: set<string>, max: 1000, initial: [] }
commit:
  - after: ok(authenticate where result.ok)
    set: { account: result.account }
  - after: ok(verify_payee)
    when: result.status == "active"
    insert: { verified: args.payee }
instances: { max: 10000 }
rules:
  - id: pay-verified-payees
    call: payout
    require: args.payee in state.verified
  - id: own-account
    call: payout | report_*
    require: args.account == state.account
  - id: once-per-invoice
    at_most_n_times: { call: payout, n: 1 }
    per: args.invoice
  - id: spend-cap
    at_most_total: { call: payout, sum: args.amount, limit: 500 }
    per: args.currency
  - id: validate-before-delete
    must_precede: { first: validate_record, then: delete_record }
    per: { validate_record: args.record_id, delete_record: args.id }
    instances: { max: 5000, close_on: call(delete_record) }
  - id: no-wipe
    forbid: bash
    where: any(s in strings(args) => s matches r"\brm\s+-rf\b")
    severity: high
    tags: [owasp-asi02]
  - id: three-a-minute
    rate_limit: { call: report_*, n: 3, window: 60s }
    count: succeeded
"#;

/// Notes are left out: they are no mistakes.
fn checked(text: &str) -> Checked {
    checked_with(text, &[])
}

fn checked_with(text: &str, catalog: &[Catalog]) -> Checked {
    let mut checked =
        check("contract.yaml", text.as_bytes(), &Options { depth: Depth::Lint, catalog, ..Options::default() });
    checked.diagnostics.retain(|found| found.level > Level::Note);
    checked
}

fn shown(checked: &Checked) -> String {
    crate::diagnostic::render::human(&checked.source, &checked.diagnostics, false)
}

fn accepted(text: &str) -> mir::Contract {
    let checked = checked(text);
    assert!(checked.diagnostics.is_empty(), "{}", shown(&checked));
    checked.contract.unwrap()
}

/// The code, the line, the place and the rule of everything that is found, after a head of two lines.
fn found(text: &str) -> Vec<(&'static str, u32, String, Option<String>)> {
    let checked = checked(&format!("version: 1\nname: example\n{text}"));
    assert_eq!(checked.contract.is_none(), checked.has_errors());
    let one = |found: &Diagnostic| {
        let span = found.primary.span;
        let place = checked.source.slice(span).to_owned();
        (found.code.as_str(), checked.source.position(span.start).line, place, found.rule.clone())
    };
    checked.diagnostics.iter().map(one).collect()
}

fn codes(text: &str) -> Vec<&'static str> {
    found(text).into_iter().map(|(code, ..)| code).collect()
}

/// Asserts that a contract has one mistake: its code, place and message.
#[track_caller]
fn assert_one(text: &str, code: Code, place: &str, message: &str) {
    let checked = checked(&format!("version: 1\nname: example\n{text}"));
    let [found] = checked.diagnostics.as_slice() else { panic!("{}", shown(&checked)) };
    let at = checked.source.slice(found.primary.span).trim_end();
    assert_eq!((found.code, at, found.message.as_str()), (code, place, message), "{}", shown(&checked));
}

#[test]
fn the_example_of_the_language_is_accepted() {
    let contract = accepted(PAYMENTS);
    assert_eq!(contract.type_name, "PaymentsDesk");
    assert!(contract.default.strict);
    assert_eq!(contract.rules.len(), 7);
    let [set, insert] = contract.commits.as_slice() else { panic!() };
    assert!(matches!(set.changes.as_slice(), [change] if matches!(change.verb, Verb::Set(_)) && change.cell == 0));
    assert!(
        matches!(insert.changes.as_slice(), [change] if matches!(change.verb, Verb::Insert(_)) && change.cell == 1)
    );
    let verified = &contract.cells[1];
    assert_eq!((verified.max, verified.max_bytes, &verified.initial), (1000, 256, &Some(Literal::List(Vec::new()))));
    let keyed = contract.rules[4].per.as_ref().unwrap();
    assert_eq!((keyed.max, keyed.routes.len(), keyed.close_on.is_some()), (5000, 2, true));
    let Kind::Register { register, clock: Clock::Time, counting: Counting::Succeeded, .. } = &contract.rules[6].kind
    else {
        panic!()
    };
    assert_eq!(*register, Register::Rate { limit: 3, window: Duration::from_nanos(60_000_000_000) });
}

#[test]
fn rules_say_what_they_say() {
    let contract = accepted(PAYMENTS);
    let words: Vec<_> = contract.rules.iter().map(|rule| (rule.says.as_str(), rule.advice.as_str())).collect();
    assert_eq!(
        words,
        [
            (
                "`payout` requires `args.payee in state.verified`",
                "make this hold first, with arguments or calls that establish it"
            ),
            (
                "`payout | report_*` requires `args.account == state.account`",
                "make this hold first, with arguments or calls that establish it"
            ),
            ("`payout` happens at most once, for each `args.invoice`", "nothing in this session for this key"),
            (
                "the sum of `args.amount` over `payout` is at most 500, for each `args.currency`",
                "give `args.amount` as a number that is not negative, smaller if little is left under 500"
            ),
            (
                "`delete_record` is allowed only after `validate_record` has succeeded, for each key",
                "first make a call that matches `validate_record` and succeeds, with the same key"
            ),
            (
                "`bash` is never allowed, where `any(s in strings(args) => s matches r\"\\brm\\s+-rf\\b\")`",
                "nothing; this is never allowed"
            ),
            ("`report_*` happens at most 3 times in any 1m", "wait until fewer than 3 happened in the last 1m"),
        ]
    );
}

#[test]
fn a_file_that_says_little_gets_the_standards() {
    let contract = accepted("version: 1\nname: x\n");
    assert_eq!(contract.default, DefaultPolicy::STANDARD);
    assert_eq!((contract.undeclared, contract.rules.len()), (None, 0));
    let contract = accepted("version: 1\nname: x\ndefault: { write: block }\n");
    let by_effect = ByEffect { read: Decision::Allow, write: Decision::Block, irreversible: Decision::Block };
    assert_eq!(contract.default, DefaultPolicy { by_effect, strict: false });
}

#[test]
fn a_rule_overrides_the_file_and_an_action_the_violations() {
    let contract = accepted(
        "version: 1\nname: x\ndecide: { unestablished: { read: allow }, violated: ask }\ntools: { a: { effect: read } }\nrules:\n  - id: plain\n    forbid: a\n  - id: own\n    forbid: a\n    decide: { unestablished: alert }\n    action: alert\n",
    );
    let [plain, own] = contract.rules.as_slice() else { panic!() };
    assert_eq!(plain.table.unestablished.read, Decision::Allow);
    assert_eq!(plain.table.unestablished.write, Decision::Block);
    assert_eq!(plain.table.violated, ByEffect::all(Decision::Ask));
    assert_eq!(own.table.unestablished, ByEffect::all(Decision::Alert));
    assert_eq!(own.table.violated, ByEffect::all(Decision::Alert));
}

#[test]
fn a_rule_has_the_mode_of_its_contract_or_its_own() {
    let text = "version: 1\nname: x\nmode: shadow\ntools: { a: {} }\nrules:\n  - { id: r, forbid: a }\n  - { id: s, forbid: a, mode: enforce }\n";
    let modes: Vec<_> = accepted(text).rules.iter().map(|rule| rule.mode.as_str()).collect();
    assert_eq!(modes, ["shadow", "enforce"]);
}

#[test]
fn exact_names_come_before_globs_in_a_key() {
    let contract = accepted(
        "version: 1\nname: x\ninstances: { max: 9 }\ntools: { 'get_*': {} }\nrules:\n  - id: r\n    at_most_n_times: { call: 'get_*', n: 1 }\n    per: { 'get_*': args.id, get_all: args.all, 's::get_all': args.own }\n",
    );
    let routes = &contract.rules[0].per.as_ref().unwrap().routes;
    let names = |server: Option<&str>, tool: &str| {
        Subject::Tools(Names { server: server.map(Glob::new), tool: Glob::new(tool) })
    };
    let subjects: Vec<_> = routes.iter().map(|route| &route.subject).collect();
    assert_eq!(subjects, [&names(Some("s"), "get_all"), &names(None, "get_all"), &names(None, "get_*")]);
}

#[test]
fn every_page_of_a_code_shows_it_and_a_way_out() {
    for code in Code::ALL.iter().filter(|code| code.as_str() >= "IL0300") {
        // A page shows its catalog, if that says more than a name, and the older one after it.
        let blocks = |fence: &str| -> Vec<&str> {
            code.page().split(fence).skip(1).filter_map(|rest| rest.split("```").next()).collect()
        };
        let catalogs = blocks("```json\n");
        let file = |text: &str| [Catalog { name: "tools.json".to_owned(), text: Ok(text.to_owned()) }];
        let now = file(catalogs.first().unwrap_or(&r#"[{"name": "search"}]"#));
        let older = catalogs.get(1).map(|text| file(text));
        let before = older.as_ref().map_or(&[][..], |older| older);
        let run = |block: &str| {
            let catalog = if block.contains("tools.json") { &now[..] } else { &[] };
            let options = Options { catalog, before, depth: Depth::Lint, ..Options::default() };
            check("page", head(block).as_bytes(), &options)
        };
        let blocks = blocks("```yaml\n");
        let (example, instead) = blocks.split_first().unwrap();
        let found = run(example);
        assert!(found.diagnostics.iter().any(|found| found.code == *code), "{}: {}", code.as_str(), shown(&found));
        let other = |found: &&Diagnostic| found.level == Level::Error && found.code != *code;
        let unknown = |found: &&Diagnostic| found.code != Code::UnknownTool;
        assert_eq!(found.diagnostics.iter().filter(other).filter(unknown).count(), 0, "{}", shown(&found));
        for block in instead {
            let checked = run(block);
            assert!(!checked.has_errors(), "{}: {}", code.as_str(), shown(&checked));
            assert!(!checked.diagnostics.iter().any(|found| found.code == *code), "{}", shown(&checked));
        }
    }
}

fn head(block: &str) -> String {
    let head = if block.contains("version: 1") { "" } else { "version: 1\nname: example\n" };
    format!("{head}{block}")
}

#[test]
fn all_mistakes_are_reported_in_one_run_with_their_rules() {
    let text = "\
tools: { a: { effect: read, succeeds_when: result.x == }, b: {} }
state: { n: { type: int, initial: two } }
commit:
  - { after: call(a), set: { m: 1 } }
rules:
  - { id: one, forbid: a where args.x + }
  - { id: one, call: b, require: state.o }
  - { id: two, at_most_n_times: { call: b, n: 1 }, per: args.k }
";
    let expected = [
        ("IL0301", 3, None),
        ("IL0305", 4, None),
        ("IL0308", 6, None),
        ("IL0302", 6, None),
        ("IL0301", 8, Some("one")),
        ("IL0401", 9, Some("one")),
        ("IL0302", 9, Some("one")),
        ("IL0404", 10, Some("two")),
    ];
    let found: Vec<_> = found(text).into_iter().map(|(code, line, _, rule)| (code, line, rule)).collect();
    let expected: Vec<_> = expected.map(|(code, line, rule)| (code, line, rule.map(str::to_owned))).into();
    assert_eq!(found, expected);
}

#[test]
fn a_cell_starts_with_a_value_of_its_type() {
    for (ty, initial) in [
        ("bool", "true"),
        ("int", "-3"),
        ("decimal", "0.1"),
        ("string", "x"),
        ("time", "\"2026-01-01T00:00:00Z\""),
        ("json", "{ a: [1, 0.5, null] }"),
        ("set<string>", "[a, b]"),
        ("map<int>", "{ a: 1 }"),
        ("map<set<string>>", "{ a: [x] }"),
        ("map<int>", "[]"),
    ] {
        accepted(&format!("version: 1\nname: x\nstate: {{ c: {{ type: {ty}, initial: {initial} }} }}\n"));
    }
    for (ty, initial) in [
        ("bool", "1"),
        ("int", "0.5"),
        ("int", "\"1\""),
        ("string", "true"),
        ("time", "\"2026-01-01\""),
        ("json", "0.12345678901234567"),
        ("set<string>", "[1]"),
        ("map<int>", "{ a: b }"),
        ("int", "null"),
    ] {
        let text = format!("state: {{ c: {{ type: {ty}, initial: {initial} }} }}\n");
        assert_one(&text, Code::TypeMismatch, initial, &format!("the initial value is not of the type `{ty}`"));
    }
    let full = "state: { c: { type: set<int>, max: 1, initial: [1, 2] } }\n";
    assert_one(full, Code::BadValue, "[1, 2]", "the initial value has more than 1 members");
    let long = "state: { c: { type: string, max_bytes: 2, initial: abc } }\n";
    assert_one(long, Code::BadValue, "abc", "the initial value is larger than 2 bytes");
}

#[test]
fn verbs_fit_the_types_of_cells() {
    let state = "state: { n: { type: int }, s: { type: set<int> }, m: { type: map<int> }, ms: { type: map<set<int>> } }\ncommit:\n";
    for change in [
        "set: { n: 1 }",
        "insert: { s: result.x, ms: { at: result.k, value: 1 } }",
        "remove: { s: 1, m: result.k, ms: result.k }",
        "remove: { ms: { at: result.k, value: 1 } }",
        "put: { m: { at: result.k, value: 1 } }",
        "clear: [n, s, m, ms]",
    ] {
        let text = format!("version: 1\nname: x\ntools: {{ a: {{}} }}\n{state}  - {{ after: ok(a), {change} }}\n");
        accepted(&text);
    }
    for (change, place) in [
        ("insert: { n: 1 }", "n"),
        ("insert: { s: { at: result.k, value: 1 } }", "s"),
        ("insert: { ms: 1 }", "ms"),
        ("remove: { n: 1 }", "n"),
        ("put: { s: { at: result.k, value: 1 } }", "s"),
        ("put: { ms: { at: result.k, value: 1 } }", "ms"),
    ] {
        let found = found(&format!("tools: {{ a: {{}} }}\n{state}  - {{ after: ok(a), {change} }}\n"));
        assert_eq!(found, [("IL0305", 6, place.to_owned(), None)], "{change}");
    }
    let near = format!("tools: {{ a: {{}} }}\n{state}  - {{ after: ok(a), set: {{ nn: 1 }} }}\n");
    assert_one(&near, Code::UnknownName, "nn", "there is no state cell `nn`");
}

const KEYED: &str = "tools: { a: { effect: write }, b: {}, 'get_*': {} }\ninstances: { max: 10 }\nrules:\n  - id: r\n";

#[test]
fn every_event_of_a_keyed_rule_has_a_key() {
    for (rule, place, message) in [
        ("must_precede: { first: a, then: b }\n    per: { a: args.id }", "b", "`per` gives no path for `b`"),
        (
            "must_precede: { first: a, then: any }\n    per: { a: args.id, get_*: args.id }",
            "any",
            "`per` gives no path for `*`",
        ),
        (
            "must_precede: { first: event(go), then: b }\n    per: args.id",
            "event(go)",
            "the event `go` has no key: `per` is a path into the arguments of a call",
        ),
        (
            "must_precede: { first: a, then: b }\n    per: { a: args.id, b: args.id }\n    instances: { max: 1, close_on: event(end) }",
            "event(end)",
            "`per` gives no path for `event(end)`",
        ),
    ] {
        assert_one(&format!("{KEYED}    {rule}\n"), Code::KeyMissing, place, message);
    }
    for rule in [
        "must_precede: { first: event(go), then: b }\n    per: { event(go): event.id, b: args.id }",
        "must_precede: { first: a, then: get_* }\n    per: { any: args.id }",
        "cannot_follow_without: { call: b, without: a }\n    per: { a: result.id, b: args.id }",
        "never_after: { call: get_x, after: get_y }\n    per: { get_?: args.id }",
    ] {
        accepted(&format!("version: 1\nname: x\n{KEYED}    {rule}\n"));
    }
    // The key of a call is known before its result is.
    let early = format!("{KEYED}    never_after: {{ call: b, after: a }}\n    per: {{ a: result.id, b: args.id }}\n");
    assert_eq!(codes(&early), ["IL0204"]);
    let uneven =
        format!("{KEYED}    never_after: {{ call: b, after: a }}\n    per: {{ a: [args.x, args.y], b: args.id }}\n");
    assert_eq!(codes(&uneven), ["IL0204"]);
}

#[test]
fn fields_that_say_nothing_are_refused() {
    for (rule, place) in [
        ("permit: a\n    action: ask", "ask"),
        ("permit: a\n    per: args.x", "args.x"),
        ("call: a\n    require: args.x\n    per: args.x", "args.x"),
        ("forbid: a\n    instances: { max: 1 }", "{ max: 1 }"),
    ] {
        let found = found(&format!("{KEYED}    {rule}\n"));
        let [(code, _, at, Some(id))] = found.as_slice() else { panic!("{rule}: {found:?}") };
        assert_eq!((*code, at.as_str(), id.as_str()), ("IL0201", place, "r"), "{rule}");
    }
    let twice = format!("{KEYED}    forbid: a\n    action: ask\n    decide: {{ violated: block }}\n");
    assert_one(&twice, Code::BadValue, "ask", "the rule says twice what a violation does");
    let huge = "tools: { a: {} }\nrules:\n  - id: r\n    at_most_n_times: { call: a, n: 1 }\n    per: args.x\n    instances: { max: 100000000 }\n";
    assert_one(huge, Code::BadValue, "100000000", "`100000000` instances are more than a rule may keep");
    for id in ["default", "undeclared", "state.x"] {
        let text = format!("tools: {{ a: {{}} }}\nrules:\n  - id: {id}\n    forbid: a\n");
        assert_eq!(codes(&text), ["IL0204"], "{id}");
    }
}

#[test]
fn tools_are_declared_once_and_cases_are_reached() {
    assert_one("tools: { a: {}, ' a': {} }\n", Code::DuplicateKey, "' a'", "the tool ` a` is declared twice");
    let cases = "tools: { a: { effect: [{ is: read }, { is: write }] } }\n";
    assert_one(cases, Code::BadValue, "{ is: write }", "this case is never reached");
}

#[test]
fn a_tool_that_nobody_declares_is_reported_once() {
    let text = "tools: { send: {} }\npatterns: { g: sned | snad }\nrules:\n  - { id: r, forbid: sned }\n  - { id: s, forbid: g }\n";
    assert_eq!(found(text), [("IL0402", 4, "sned".to_owned(), None), ("IL0402", 4, "snad".to_owned(), None),]);
    let catalog = |text: &str| [Catalog { name: "t.json".to_owned(), text: Ok(text.to_owned()) }];
    let contract = "version: 1\nname: x\ncatalog: [t.json]\nrules:\n  - { id: r, forbid: snd }\n";
    let run = |catalog: &[Catalog]| {
        let checked = checked_with(contract, catalog);
        checked.diagnostics.iter().map(|found| (found.code, found.message.clone())).collect::<Vec<_>>()
    };
    let unknown = (Code::UnknownTool, "neither `tools` nor the catalog knows the tool `snd`".to_owned());
    assert_eq!(run(&catalog(r#"{"tools": [{"name": "send"}]}"#)), [unknown]);
    assert_eq!(run(&catalog(r#"[{"name": "snd"}]"#)), []);
    assert_eq!(run(&catalog("{"))[0].0, Code::Catalog);
    assert_eq!(run(&[])[0].0, Code::Catalog);
    assert_eq!(catalog_paths("x", contract.as_bytes()), ["t.json"]);
}

#[test]
fn claims_are_no_state() {
    let contract = |tool: &str, commit: &str| {
        format!("tools: {{ login: {tool} }}\nstate: {{ user: {{ type: string }} }}\ncommit:\n  - {{ {commit} }}\n")
    };
    for (tool, commit) in [
        ("{}", "after: ok(login), set: { user: args.user }"),
        ("{}", "after: failed(login), set: { user: args.user }"),
        ("{ succeeds_when: result.ok }", "after: done(login), set: { user: args.user }"),
        ("{}", "after: ok(login where args.x), set: { user: args.user }"),
        ("{}", "after: ok(login), when: args.sure, set: { user: args.user }"),
    ] {
        assert_eq!(codes(&contract(tool, commit)), ["IL0409"], "{tool} {commit}");
    }
    for (tool, commit) in [
        ("{}", "after: ok(login), set: { user: result.user }"),
        ("{}", "after: ok(login), when: result.ok, set: { user: args.user }"),
        ("{}", "after: ok(login where result.ok), set: { user: args.user }"),
        ("{ succeeds_when: result.ok }", "after: ok(login), set: { user: args.user }"),
        ("{}", "after: failed(login), clear: user"),
        ("{}", "after: event(login), set: { user: event.user }"),
    ] {
        assert_eq!(codes(&contract(tool, commit)), Vec::<&str>::new(), "{tool} {commit}");
    }
}

#[test]
fn nothing_that_is_not_text_or_yaml_goes_wrong() {
    for bytes in [&b"\xff\xfe"[..], b"", b"[", b"a: b: c", b"- 1", b"\0", b"null", b"version: 1\nname: x\nrules: 3\n"] {
        let checked = check("x", bytes, &Options::default());
        assert!(checked.has_errors() && checked.contract.is_none());
    }
}

#[test]
fn what_is_declared_and_wrong_is_no_unknown_name() {
    let head = "version: 1\nname: x\n";
    for (text, codes) in [
        ("tools: { a: read, b: {} }\nrules: [{ id: r, forbid: a }]", &[Code::WrongType][..]),
        (
            "state: { p: { type: number }, s: { type: string } }\ncommit: [{ after: ok(get_*), set: { p: result.x } }]\n\
             rules: [{ id: r, call: 'get_*', require: args.x == state.p }]",
            &[Code::BadValue],
        ),
        (
            "context: { u: text, v: string }\nrules: [{ id: r, call: 'get_*', require: context.u == args.x }]",
            &[Code::BadValue],
        ),
        ("rules: [{ id: r, call: 'get_*', rewrite: { args.x: min(args.x, 5) } }]", &[Code::YamlTrap]),
        (
            "instances: { max: 5 }\nrules: [{ id: r, must_precede: { first: 'a*', then: 'b*' }, \
             per: { 'a*': args.x, 'b*': { args: x } } }]",
            &[Code::YamlTrap],
        ),
    ] {
        let checked = checked(&format!("{head}{text}\n"));
        let found: Vec<Code> = checked.diagnostics.iter().map(|found| found.code).collect();
        assert_eq!(found, codes, "{text}");
    }
}

#[test]
fn levels_are_set_by_the_contract_and_by_who_checks_it() {
    use crate::diagnostic::{Levels, Setting};
    let text = |levels: &str| format!("version: 1\nname: x\nlint: {{ {levels} }}\nrules: [{{ id: r, forbid: 'a' }}]\n");
    let run = |levels: &str, depth, ours: &[Setting]| {
        let mut set = Levels::default();
        ours.iter().for_each(|setting| set.set(Code::UndeclaredTool, *setting));
        let checked =
            check("x.yaml", text(levels).as_bytes(), &Options { depth, levels: Some(&set), ..Options::default() });
        assert_eq!(checked.contract.is_none(), checked.has_errors());
        let levels: Vec<_> = checked.diagnostics.iter().map(|found| (found.code, found.level)).collect();
        (levels, checked.switched_off)
    };
    let undeclared = |level| vec![(Code::UndeclaredTool, level)];
    for (written, level) in
        [("IL0411: off", Level::Warning), ("IL0402: note", Level::Note), ("IL0402: error", Level::Error)]
    {
        assert_eq!(run(written, Depth::Lint, &[]), (undeclared(level), 0), "{written}");
    }
    assert_eq!(run("IL0402: off", Depth::Build, &[]), (vec![], 1));
    assert_eq!(run("IL0402: off", Depth::Lint, &[Setting::Note]), (undeclared(Level::Note), 0));
    // What is an error only by hand stops no build.
    assert_eq!(run("IL0402: error", Depth::Build, &[]), (undeclared(Level::Warning), 0));
    for (written, part) in [
        ("IL0404: off", "the level of `IL0404` cannot be set"),
        ("IL041: off", "`IL041` is not the code of a finding"),
        ("IL0411: of", "`of` is not a level"),
        ("IL0411: false", "expected a level"),
    ] {
        let checked = check("x.yaml", text(written).as_bytes(), &Options::default());
        let shown = shown(&checked);
        assert!(checked.contract.is_none() && shown.contains(part), "{written}: {shown}");
    }
}
