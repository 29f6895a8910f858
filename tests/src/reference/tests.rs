use contract_lang::mir::{
    Alternative, Counting, Expr, Glob, KeyRoute, Machine, Names, Path, Pattern, Phases, Root, Step, Subject,
};
use contract_runtime::{DecisionTable, DefaultPolicy, Mode, Severity};
use serde_json::json;

use super::*;

const CALL: Phases = Phases { call: true, ok: false, failed: false, unknown: false, event: false };
const OK: Phases = Phases { call: false, ok: true, failed: false, unknown: false, event: false };

fn pattern(phases: Phases, tool: &str) -> Pattern {
    let subject = Subject::Tools(Names { server: None, tool: Glob::new(tool) });
    Pattern { alternatives: vec![Alternative { phases, subject, condition: None }], text: tool.to_owned() }
}

fn automaton(template: &'static str, patterns: Vec<Pattern>) -> Kind {
    let machine = Machine {
        width: 2,
        initial: 0,
        colours: Vec::new(),
        delta: Vec::new(),
        letters: (1..1u8 << patterns.len()).collect(),
    };
    Kind::Automaton { template, patterns, machine }
}

fn keyed(max: usize, close_on: Option<Pattern>) -> Option<Keyed> {
    let path = Path { root: Root::Args, steps: vec![Step::Field("k".to_owned())] };
    let subject = Subject::Tools(Names { server: None, tool: Glob::new("*") });
    Some(Keyed { routes: vec![KeyRoute { subject, parts: vec![Expr::Path(path)] }], max, close_on })
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
        kind,
        per,
    };
    Contract {
        name: "c".to_owned(),
        type_name: "C".to_owned(),
        mode: Mode::Enforce,
        default: DefaultPolicy { by_effect: contract_runtime::ByEffect::all(Decision::Allow), strict: false },
        undeclared: None,
        catalog: Vec::new(),
        context: Vec::new(),
        cells: Vec::new(),
        tools: Vec::new(),
        commits: Vec::new(),
        rules: vec![rule],
    }
}

fn call(reference: &mut Reference<'_>, id: &str, tool: &str, key: Json) -> Option<Verdict> {
    let args = json!({"k": key});
    let call = Call {
        id: id.to_owned(),
        tool: tool.to_owned(),
        server: None,
        args,
        batch: None,
        agent: None,
        at: 0,
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
    let once = Kind::Count { pattern: pay, limit: 1, counting: Counting::Succeeded };
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
