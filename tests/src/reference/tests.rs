use contract_lang::mir::{
    Alternative, Clock, Counting, Expr, Glob, KeyRoute, Machine, Missing, Names, Operand, Path, Pattern, Phases, Root,
    RouteKey, Step as PathStep, Subject,
};
use contract_runtime::{DecisionTable, DefaultPolicy, Duration, Mode, Severity, WhenFull};
use serde_json::json;

use super::*;

const CALL: Phases = Phases { call: true, ok: false, failed: false, unknown: false, event: false };
const OK: Phases = Phases { call: false, ok: true, failed: false, unknown: false, event: false };

fn pattern(phases: Phases, tool: &str) -> Pattern {
    let subject = Subject::Tools(Names { server: None, tool: Glob::new(tool) });
    Pattern {
        alternatives: vec![Alternative { phases, subject, condition: None }],
        text: tool.to_owned(),
        spelled: tool.to_owned(),
        name: None,
    }
}

fn automaton(template: &'static str, patterns: Vec<Pattern>) -> Kind {
    // Never looked at, but for whether `then` takes a permission.
    let machine = Machine {
        width: 2,
        initial: 0,
        colours: vec![contract_runtime::Colour::Open],
        delta: vec![0; 4],
        letters: (1..1u8 << patterns.len()).collect(),
        stricter: vec![0b1],
    };
    Kind::Automaton { template, patterns, machine, formula: None }
}

fn keyed(max: usize, close_on: Option<Pattern>) -> Option<Keyed> {
    let subject = Subject::Tools(Names { server: None, tool: Glob::new("*") });
    let phases = Phases { call: true, ok: true, failed: true, unknown: true, event: false };
    let routes = vec![KeyRoute { subject, phases, key: RouteKey::One(vec![k()]) }];
    Some(Keyed { routes, max, when_full: WhenFull::Block, idle: None, remember: 0, missing: Missing::Block, close_on })
}

fn k() -> Expr {
    Expr::Path(Path { root: Root::Args, steps: vec![PathStep::Field("k".to_owned())] })
}

fn register(patterns: Vec<Pattern>, register: Register, operand: Option<Expr>) -> Kind {
    let (clock, operand) = (Clock::Time, operand.map(Operand::Same));
    Kind::Register { template: "test", patterns, register, clock, operand, counting: Counting::All }
}

fn contract(kind: Kind, per: Option<Keyed>) -> Contract {
    let rule = Rule {
        id: "r".to_owned(),
        title: None,
        severity: Severity::Medium,
        tags: Vec::new(),
        message: None,
        says: String::new(),
        advice: String::new(),
        mode: Mode::Enforce,
        table: DecisionTable::STANDARD,
        guards: None,
        reset_on: None,
        kind,
        violating: 0..0,
        per,
    };
    Contract {
        name: "c".to_owned(),
        type_name: "C".to_owned(),
        mode: Mode::Enforce,
        default: DefaultPolicy { by_effect: contract_runtime::ByEffect::all(Decision::Allow), strict: false },
        undeclared: None,
        on_error: contract_runtime::ByEffect::all(Decision::Block),
        source: String::new(),
        catalog: Vec::new(),
        context: Vec::new(),
        cells: Vec::new(),
        tools: Vec::new(),
        commits: Vec::new(),
        rules: vec![rule],
    }
}

fn call(reference: &mut Reference<'_>, id: &str, tool: &str, key: Json) -> Option<Verdict> {
    call_at(reference, id, tool, key, 0)
}

fn call_at(reference: &mut Reference<'_>, id: &str, tool: &str, key: Json, at: i128) -> Option<Verdict> {
    let args = json!({"k": key});
    let call = Call {
        id: id.to_owned(),
        tool: tool.to_owned(),
        server: None,
        args,
        batch: None,
        agent: None,
        at,
        approved: false,
    };
    let decided = reference.call(&call);
    assert_eq!(decided.admitted, decided.decision == Decision::Allow);
    decided.findings.first().map(|finding| finding.verdict)
}

fn check_before_pay(max: usize) -> Contract {
    contract(automaton("must_precede", vec![pattern(OK, "check"), pattern(CALL, "pay")]), keyed(max, None))
}

#[test]
fn a_success_of_the_same_key_must_precede() {
    let contract = check_before_pay(10);
    let mut reference = Reference::new(&contract);
    assert_eq!(call(&mut reference, "1", "pay", json!("a")), Some(Verdict::Violated));
    assert_eq!(call(&mut reference, "2", "check", json!("a")), None);
    assert_eq!(call(&mut reference, "3", "pay", json!("a")), Some(Verdict::Violated));
    reference.result("2", Status::Ok, None, 0);
    assert_eq!(call(&mut reference, "4", "pay", json!("a")), None);
    assert_eq!(call(&mut reference, "5", "pay", json!("b")), Some(Verdict::Violated));
    assert_eq!(call(&mut reference, "6", "pay", Json::Null), Some(Verdict::Unestablished));
    assert_eq!(reference.verdict("r"), Some(Verdict::Open));
}

#[test]
fn an_unknown_outcome_leaves_the_key_unestablished_until_a_success() {
    let contract = check_before_pay(10);
    let mut reference = Reference::new(&contract);
    call(&mut reference, "1", "check", json!(1));
    reference.result("1", Status::Unknown, None, 0);
    assert_eq!(call(&mut reference, "2", "pay", json!(1.0)), Some(Verdict::Unestablished));
    call(&mut reference, "3", "check", json!(1));
    reference.result("3", Status::Ok, None, 0);
    assert_eq!(call(&mut reference, "4", "pay", json!(1)), None);
    assert_eq!(reference.end().1, [("r".to_owned(), Verdict::Satisfied)]);
}

#[test]
fn calls_in_flight_reserve_instances() {
    let contract = check_before_pay(1);
    let mut reference = Reference::new(&contract);
    assert_eq!(call(&mut reference, "1", "check", json!("a")), None);
    assert_eq!(call(&mut reference, "2", "check", json!("b")), Some(Verdict::Unestablished));
    reference.result("1", Status::Failed, None, 0);
    assert_eq!(call(&mut reference, "3", "check", json!("b")), None);
    reference.result("3", Status::Ok, None, 0);
    assert_eq!(reference.live_keys("r").unwrap().len(), 1);
}

#[test]
fn a_failed_call_is_returned_and_a_closed_key_is_fresh() {
    let pay = pattern(CALL, "pay");
    let mut once = register(vec![pay], Register::Count { limit: 1 }, None);
    if let Kind::Register { counting, .. } = &mut once {
        *counting = Counting::Succeeded;
    }
    let contract = contract(once, keyed(10, Some(pattern(CALL, "drop"))));
    let mut reference = Reference::new(&contract);
    assert_eq!(call(&mut reference, "1", "pay", json!("a")), None);
    assert_eq!(call(&mut reference, "2", "pay", json!("a")), Some(Verdict::Violated));
    reference.result("1", Status::Failed, None, 0);
    assert_eq!(call(&mut reference, "3", "pay", json!("a")), None);
    reference.result("3", Status::Unknown, None, 0);
    assert_eq!(call(&mut reference, "4", "pay", json!("a")), Some(Verdict::Unestablished));
    call(&mut reference, "5", "drop", json!("a"));
    assert_eq!(call(&mut reference, "6", "pay", json!("a")), None);
}

#[test]
fn an_obligation_left_open_is_a_violation_at_the_end() {
    let contract = contract(automaton("required_before_session_end", vec![pattern(OK, "check")]), None);
    let mut reference = Reference::new(&contract);
    assert_eq!(reference.verdict("r"), Some(Verdict::Pending));
    call(&mut reference, "1", "check", json!("a"));
    let mut other = reference.clone();
    other.result("1", Status::Ok, None, 0);
    assert_eq!(other.end(), (Vec::new(), vec![("r".to_owned(), Verdict::Satisfied)]));
    reference.result("1", Status::Failed, None, 0);
    let (findings, verdicts) = reference.end();
    assert_eq!((findings.len(), &verdicts[0].1), (1, &Verdict::Violated));
}

#[test]
fn only_so_many_values_differ() {
    let distinct = register(vec![pattern(CALL, "pay")], Register::Distinct { limit: 2 }, Some(k()));
    let contract = contract(distinct, None);
    let mut reference = Reference::new(&contract);
    for (id, key, said) in [
        ("1", json!("a"), None),
        ("2", json!("b"), None),
        ("3", json!("a"), None),
        ("4", json!("c"), Some(Verdict::Violated)),
        ("5", json!(["c"]), Some(Verdict::Unestablished)),
        ("6", json!("b"), None),
    ] {
        assert_eq!(call(&mut reference, id, "pay", key), said, "{id}");
    }
}

#[test]
fn an_id_is_open_until_it_is_closed_or_its_opening_failed() {
    let patterns = vec![pattern(CALL, "open"), pattern(OK, "close")];
    let contract = contract(register(patterns, Register::OpenIds { limit: 1 }, Some(k())), None);
    let mut reference = Reference::new(&contract);
    assert_eq!(call(&mut reference, "1", "open", json!("a")), None);
    assert_eq!(call(&mut reference, "2", "open", json!("b")), Some(Verdict::Violated));
    assert_eq!(call(&mut reference, "3", "open", json!("a")), None);
    reference.result("3", Status::Failed, None, 0);
    assert_eq!(call(&mut reference, "4", "open", json!("b")), Some(Verdict::Violated));
    call(&mut reference, "5", "close", json!("a"));
    reference.result("5", Status::Ok, None, 0);
    assert_eq!(call(&mut reference, "6", "open", json!("b")), None);
    reference.result("6", Status::Unknown, None, 0);
    assert_eq!(call(&mut reference, "7", "open", json!("c")), Some(Verdict::Unestablished));
}

#[test]
fn a_deadline_is_one_finding_and_then_over() {
    let patterns = vec![pattern(CALL, "pay"), pattern(CALL, "report")];
    let within = Register::Deadline { within: Duration::from_nanos(10) };
    let contract = contract(register(patterns, within, None), keyed(10, None));
    let mut reference = Reference::new(&contract);
    call_at(&mut reference, "1", "pay", json!("a"), 0);
    call_at(&mut reference, "2", "pay", json!("b"), 5);
    call_at(&mut reference, "3", "pay", json!("a"), 6);
    assert_eq!(reference.verdict("r"), Some(Verdict::Pending));
    assert_eq!(reference.advance(10), []);
    let late = [Finding::new("r", Verdict::Violated, Decision::Alert, Cause::Expired)];
    assert_eq!(reference.advance(11), late);
    assert_eq!(reference.advance(16).len(), 1);
    assert_eq!(reference.live_keys("r").unwrap().len(), 1);
    call_at(&mut reference, "4", "report", json!("a"), 16);
    assert_eq!((reference.advance(100), reference.live_keys("r").unwrap().len()), (Vec::new(), 0));
}

#[test]
fn a_permission_expires() {
    let patterns = vec![pattern(CALL, "check"), pattern(CALL, "pay")];
    let expires = Register::Permission { expires: Duration::from_nanos(10), consume: true };
    let contract = contract(register(patterns, expires, None), keyed(10, None));
    let mut reference = Reference::new(&contract);
    call_at(&mut reference, "1", "check", json!("a"), 0);
    assert_eq!(call_at(&mut reference, "2", "pay", json!("a"), 10), None);
    assert_eq!(call_at(&mut reference, "3", "pay", json!("a"), 10), Some(Verdict::Violated));
    call_at(&mut reference, "4", "check", json!("a"), 20);
    assert_eq!(call_at(&mut reference, "5", "pay", json!("a"), 31), Some(Verdict::Violated));
    assert!(reference.live_keys("r").unwrap().is_empty());
}

/// The last rule of a contract may be given more.
fn with(mut contract: Contract, change: impl FnOnce(&mut Rule)) -> Contract {
    if let Some(rule) = contract.rules.last_mut() {
        change(rule);
    }
    contract
}

#[test]
fn a_guard_stops_while_an_obligation_is_open_and_a_reset_leaves_none() {
    let required = automaton("must_be_followed_by", vec![pattern(OK, "pay"), pattern(OK, "report")]);
    let contract = with(contract(required, None), |rule| {
        rule.guards = Some(pattern(CALL, "leave"));
        rule.reset_on = Some(pattern(CALL, "turn"));
    });
    let mut reference = Reference::new(&contract);
    assert_eq!(call(&mut reference, "1", "leave", Json::Null), None);
    call(&mut reference, "2", "pay", Json::Null);
    reference.result("2", Status::Unknown, None, 0);
    // What may be pending is as good as pending: an automaton has its worst state.
    assert_eq!(call(&mut reference, "3", "leave", Json::Null), Some(Verdict::Pending));
    call(&mut reference, "4", "pay", Json::Null);
    reference.result("4", Status::Ok, None, 0);
    assert_eq!(call(&mut reference, "5", "leave", Json::Null), Some(Verdict::Pending));
    assert_eq!(reference.verdict("r"), Some(Verdict::Pending));
    let mut reset = reference.clone();
    let turn = Call { tool: "turn".to_owned(), ..sample() };
    let findings = reset.call(&turn).findings;
    assert_eq!(findings, [Finding::new("r", Verdict::Violated, Decision::Alert, Cause::LeftOpen)]);
    assert_eq!(call(&mut reset, "7", "leave", Json::Null), None);
    call(&mut reference, "8", "report", Json::Null);
    reference.result("8", Status::Ok, None, 0);
    assert_eq!(call(&mut reference, "9", "leave", Json::Null), None);
}

fn sample() -> Call {
    Call {
        id: "sample".to_owned(),
        tool: "sample".to_owned(),
        server: None,
        args: json!({}),
        batch: None,
        agent: None,
        at: 0,
        approved: false,
    }
}

#[test]
fn a_fan_out_touches_each_key_and_a_broadcast_all() {
    let once = register(vec![pattern(CALL, "pay")], Register::Count { limit: 1 }, None);
    let list = Expr::Path(Path { root: Root::Args, steps: vec![PathStep::Field("ids".to_owned())] });
    let element = Expr::Path(Path { root: Root::Variable(0), steps: Vec::new() });
    let contract = with(contract(once, keyed(3, None)), |rule| {
        if let Some(keyed) = &mut rule.per {
            keyed.routes[0].key = RouteKey::Each { before: Vec::new(), list, component: element, after: Vec::new() };
        }
    });
    let mut reference = Reference::new(&contract);
    let mut pay = |id: &str, ids: Json| {
        let call = Call { id: id.to_owned(), tool: "pay".to_owned(), args: json!({ "ids": ids }), ..sample() };
        reference.call(&call).findings.first().map(|finding| (finding.verdict, finding.cause.clone()))
    };
    assert_eq!(pay("1", json!(["a", "b", "a"])), None);
    assert_eq!(pay("2", json!(["c", "b"])), Some((Verdict::Violated, Cause::Rule)));
    assert_eq!(pay("3", json!(["c", "d"])), Some((Verdict::Unestablished, Cause::Full)));
    assert_eq!(pay("4", json!([])), Some((Verdict::Unestablished, Cause::Rule)));
    assert_eq!(pay("5", json!(["c"])), None);
}

#[test]
fn what_a_result_brought_must_not_go_on() {
    let values = vec![vec![PathStep::Deep]];
    let patterns = [pattern(OK, "read"), pattern(CALL, "send")];
    let contract = contract(Kind::NoFlow { patterns, values, min_length: 8 }, None);
    let mut reference = Reference::new(&contract);
    call(&mut reference, "1", "read", json!(1));
    let value = json!({"mail": "the code is (secret-code), ok"});
    reference.result("1", Status::Ok, Some(&value), 0);
    assert_eq!(call(&mut reference, "2", "send", json!("code is")), None);
    let send = Call { tool: "send".to_owned(), args: json!({"to": ["x secret-code y"]}), ..sample() };
    let found = reference.call(&send).findings;
    assert_eq!(found[0].cause, Cause::Flow(1, "read".to_owned()));
}

#[test]
fn what_is_withheld_proves_nothing_and_what_is_redacted_is_not_seen() {
    let ok = Expr::Path(Path { root: Root::Result, steps: vec![PathStep::Field("ok".to_owned())] });
    let clauses = vec![contract_lang::mir::Clause { predicate: ok, text: "result.ok".to_owned() }];
    let mut contract = contract(Kind::Ensure { pattern: pattern(OK, "check"), clauses }, None);
    let redact = |paths| Kind::Redact { pattern: pattern(OK, "check"), paths };
    let field = |name: &str| PathStep::Field(name.to_owned());
    for kind in [
        redact(vec![vec![PathStep::Deep, field("ssn")]]),
        automaton("must_precede", vec![pattern(OK, "check"), pattern(CALL, "pay")]),
    ] {
        contract.rules.push(Rule { kind, ..contract.rules[0].clone() });
    }
    let mut reference = Reference::new(&contract);
    call(&mut reference, "1", "check", json!(1));
    let settled = reference.result("1", Status::Ok, Some(&json!({"ok": false})), 0).unwrap();
    assert_eq!((settled.status, settled.delivery), (Status::Unknown, Delivery::Withheld));
    assert_eq!(call(&mut reference, "2", "pay", json!(1)), Some(Verdict::Unestablished));
    call(&mut reference, "3", "check", json!(1));
    let value = json!({"ok": true, "rows": [{"ssn": 1, "n": 2}]});
    let settled = reference.result("3", Status::Ok, Some(&value), 0).unwrap();
    let seen = json!({"ok": true, "rows": [{"ssn": "[redacted]", "n": 2}]});
    assert_eq!((settled.status, settled.delivery), (Status::Ok, Delivery::Redacted(seen)));
    assert_eq!(call(&mut reference, "4", "pay", json!(1)), None);
}
