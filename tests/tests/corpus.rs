//! The interpreter gives the answers that the corpus says. Every case is tried; all that went wrong is shown at once.

use contract_lang::diagnostic::{Level, render};
use contract_lang::{Depth, Options, check};
use contract_runtime::{Decision, Ltl3, Monitor, Verdict};
use interlock_tests::corpus::{
    Decided, Replay, case_contract, cases, contracts, expectation, interpreted, replay, scenario,
};
use serde_json::Value;

/// Collects what went wrong.
#[derive(Default)]
struct Failures {
    tried: usize,
    list: Vec<String>,
}

impl Failures {
    fn expect(&mut self, what: &str, fine: Result<(), String>) {
        self.tried += 1;
        if let Err(why) = fine {
            self.list.push(format!("{what}: {why}"));
        }
    }

    fn assert_none(self, cases: usize) {
        assert!(self.list.is_empty(), "{} of {}:\n{}", self.list.len(), self.tried, self.list.join("\n"));
        assert_eq!(self.tried, cases, "the corpus has changed its size");
    }
}

fn text<'v>(case: &'v Value, field: &str) -> &'v str {
    case[field].as_str().unwrap_or_else(|| panic!("{field}: {case}"))
}

fn run(case: &Value, contract: &str) -> Result<Replay, String> {
    let contract = interpreted(text(case, "id"), contract)?;
    replay(&|| contract.monitor(), case["trace"].as_array().unwrap())
}

#[test]
fn every_contract_is_accepted_and_every_trace_is_decided_as_it_says() {
    let mut failures = Failures::default();
    for contract in contracts().unwrap() {
        let ready = match interpreted(&contract.name, &contract.text) {
            Ok(ready) => ready,
            Err(why) => {
                failures.list.push(why);
                continue;
            }
        };
        for trace in &contract.traces {
            let found = replay(&|| ready.monitor(), &trace.lines).map(|replay| expectation(&replay));
            let fine = match found {
                Ok(found) if found == trace.expected => Ok(()),
                Ok(found) => Err(format!("expected\n{}found\n{found}", trace.expected)),
                Err(why) => Err(why),
            };
            failures.expect(&format!("{}/{}", contract.name, trace.name), fine);
        }
    }
    failures.assert_none(TRACES);
}

const TRACES: usize = 291;

#[test]
fn the_desks_of_tau_bench_are_guarded_as_their_policies_say() {
    let ready = |name: &str| {
        let contract = contracts().unwrap().into_iter().find(|contract| contract.name == name).unwrap();
        interpreted(name, &contract.text).unwrap()
    };
    let (retail, airline) = (ready("retail"), ready("airline"));
    let mut failures = Failures::default();
    for case in cases("retail_airline.jsonl").unwrap() {
        let contract = if text(&case, "contract") == "retail" { &retail } else { &airline };
        let deny = case["deny_at"].as_u64().map(|at| usize::try_from(at).unwrap());
        let fine = replay(&|| contract.monitor(), case["trace"].as_array().unwrap()).and_then(|replay| {
            let blocked: Vec<usize> = positions(&replay, |call| call.decision >= Decision::Ask);
            if blocked == deny.into_iter().collect::<Vec<_>>() {
                return Ok(());
            }
            let why = blocked.first().map(|at| format!("{:?}", replay.calls[*at].findings));
            Err(format!("blocked at {blocked:?}, not at {deny:?}: {}", why.unwrap_or_default()))
        });
        failures.expect(text(&case, "id"), fine);
    }
    failures.assert_none(239);
}

fn positions(replay: &Replay, wanted: impl Fn(&Decided) -> bool) -> Vec<usize> {
    replay.calls.iter().enumerate().filter(|(_, call)| wanted(call)).map(|(at, _)| at).collect()
}

#[test]
fn the_rule_templates_are_violated_where_their_traces_are_labelled() {
    let mut failures = Failures::default();
    for case in cases("templates.jsonl").unwrap() {
        let fine = run(&case, text(&case, "contract")).and_then(|replay| templates(&case, &replay));
        failures.expect(text(&case, "id"), fine);
    }
    failures.assert_none(108);
}

fn templates(case: &Value, replay: &Replay) -> Result<(), String> {
    for (rule, expected) in case["verdicts"].as_object().unwrap() {
        let after = replay.calls.iter().map(|call| verdict_of(&call.verdicts, rule));
        let found: Vec<&str> = after.chain([verdict_of(&replay.ends, rule)]).map(three_valued).collect();
        let expected: Vec<&str> =
            expected.as_array().unwrap().iter().map(|verdict| verdict.as_str().unwrap()).collect();
        if found != expected {
            return Err(format!("{rule}: verdicts {found:?}, not {expected:?}"));
        }
        let label = case["violations"].as_array().unwrap().iter().find(|label| label["rule"] == rule.as_str());
        let label = label.map(|label| label["at"].clone());
        let found = first_violation(replay, rule);
        if found != label {
            return Err(format!("{rule}: first violated at {found:?}, not at {label:?}"));
        }
    }
    Ok(())
}

fn verdict_of(verdicts: &[(String, Verdict)], rule: &str) -> Verdict {
    verdicts.iter().find(|(id, _)| id == rule).unwrap_or_else(|| panic!("no rule {rule}")).1
}

fn three_valued(verdict: Verdict) -> &'static str {
    match verdict.ltl3() {
        Ltl3::True => "satisfied",
        Ltl3::False => "violated",
        Ltl3::Unknown => "unknown",
    }
}

fn first_violation(replay: &Replay, rule: &str) -> Option<Value> {
    let violated = |call: &Decided| {
        let mut all = call.findings.iter().chain(&call.later);
        all.any(|named| named.id == rule && named.finding.verdict == Verdict::Violated)
    };
    match replay.calls.iter().position(violated) {
        Some(at) => Some(Value::from(at)),
        None => replay.violated.iter().any(|id| id == rule).then(|| Value::from("end")),
    }
}

#[test]
fn small_scenarios_are_decided_as_expected() {
    let mut failures = Failures::default();
    for case in cases("sessions.jsonl").unwrap() {
        let fine = case_contract("sessions", text(&case, "contract"))
            .and_then(|contract| run(&case, &contract))
            .and_then(|replay| scenario(&case, &replay));
        failures.expect(text(&case, "id"), fine);
    }
    failures.assert_none(20);
}

#[test]
fn contracts_of_another_product_are_decided_as_they_were_meant() {
    let mut failures = Failures::default();
    for case in cases("other_contracts.jsonl").unwrap() {
        let name = text(&case, "contract");
        let fine = case_contract("other_contracts", name).and_then(|contract| {
            let options = Options { depth: Depth::Lint, ..Options::default() };
            let checked = check(name, contract.as_bytes(), &options);
            let worst = checked.diagnostics.iter().map(|found| found.level).max();
            let found = worst.filter(|level| *level > Level::Note).map(Level::as_str);
            if found != case["lint"].as_str() {
                let shown = render::short(&checked.source, &checked.diagnostics);
                return Err(format!("lint says {found:?}, not {}: {shown}", case["lint"]));
            }
            if case["trace"].is_null() {
                Ok(())
            } else {
                run(&case, &contract).and_then(|replay| decided(&case, &replay))
            }
        });
        failures.expect(text(&case, "id"), fine);
    }
    failures.assert_none(31);
}

/// What was said of each call, in the form of an `.expect` file.
fn decided(case: &Value, replay: &Replay) -> Result<(), String> {
    let said = expectation(replay);
    let calls = said.lines().filter_map(|line| line.split_once(' ')).filter(|(index, _)| *index != "end");
    let found: Vec<Value> = calls.map(|(_, what)| Value::from(what)).collect();
    if *case["expected"].as_array().unwrap() == found {
        Ok(())
    } else {
        Err(format!("{found:?}, not {}", case["expected"]))
    }
}

#[test]
fn an_engine_is_asked_through_the_interface_that_generated_code_has() {
    fn takes_any<M: Monitor>(fresh: impl Fn() -> M) -> usize {
        replay(&fresh, &[]).unwrap().calls.len()
    }
    let ready = interpreted("empty", "version: 1\nname: empty\n").unwrap();
    assert_eq!(takes_any(|| ready.monitor()), 0);
}
