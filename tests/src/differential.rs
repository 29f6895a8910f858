//! Runs one trace through an engine and the reference, step by step, and says where they differ.

use std::collections::BTreeMap;

use contract_lang::mir::Contract;
use contract_runtime::{Call, Decision, Finding, Monitor, Outcome, Permit, Session, Status, Time, Verdict};
use serde_json::Value;

use crate::generate::Step;
use crate::reference::{self, Reference};

/// One finding, comparable.
type Said = (String, Verdict, Decision);

/// Runs a trace through a session around `monitor` and through the reference.
///
/// # Errors
/// The number of the first step at which they differ, and how.
pub fn compare<M: Monitor>(contract: &Contract, monitor: M, trace: &[Step]) -> Result<(), String> {
    let facts = trace.iter().find_map(|step| match step {
        Step::Context(facts) => Some(declared(contract, facts)),
        _ => None,
    });
    let mut reference = Reference::new(contract);
    let builder = Session::builder(monitor).clock(|| Time::EPOCH);
    let builder = match &facts {
        Some(facts) => {
            reference.context(facts);
            builder.context(facts.clone())
        }
        None => builder,
    };
    let session = builder.start().map_err(|error| error.to_string())?;
    let mut permits: BTreeMap<String, Permit<M>> = BTreeMap::new();
    for (number, step) in trace.iter().enumerate() {
        let at = |what: &str| format!("step {number}, {what}: {step:?}");
        match step {
            Step::Context(_) => continue,
            Step::Call(call) => {
                let ours = session.before(&owned(call));
                let theirs = reference.call(call);
                let (decision, findings, runs) = match &ours {
                    Ok(permit) => (Some(permit.decision()), permit.findings(), true),
                    Err(refusal) => (None, refusal.findings(), false),
                };
                same(&at("admission"), runs, theirs.admitted)?;
                if let Some(decision) = decision {
                    same(&at("decision"), decision, theirs.decision)?;
                }
                same(&at("findings"), said(&session, findings), told(&theirs.findings))?;
                if let Ok(permit) = ours {
                    permits.insert(call.id.clone(), permit);
                }
            }
            Step::Result { id, status, value, at: time } => {
                let status = status.unwrap_or(reference::Status::Ok);
                let theirs = reference.result(id, status, Some(value), *time);
                let Some(permit) = permits.remove(id) else {
                    same(&at("ignored result"), theirs.len(), 0)?;
                    continue;
                };
                let status = match status {
                    reference::Status::Ok => Status::Ok,
                    reference::Status::Failed => Status::Failed,
                    reference::Status::Unknown => Status::Unknown,
                };
                let outcome = Outcome::new(status, Some(value.clone())).at(Time::from_nanos(*time));
                let settled = session.settle(permit, outcome).map_err(|error| at(&error.to_string()))?;
                same(&at("findings"), said(&session, &settled.findings), told(&theirs))?;
            }
            Step::Event { name, value, at: time } => {
                let theirs = reference.event(name, value, *time);
                let ours = session
                    .event(name, value, Some(Time::from_nanos(*time)))
                    .map_err(|error| at(&error.to_string()))?;
                same(&at("findings"), said(&session, &ours), told(&theirs))?;
            }
            Step::End => {
                let summary = session.end();
                let (_, verdicts) = reference.end();
                same(&at("verdicts"), &summary.verdicts, &verdicts)?;
                return Ok(());
            }
        }
        same(&at("verdicts"), session.verdicts(), reference.verdicts())?;
    }
    Ok(())
}

/// Both engines over the same trace must say the same, to the letter.
///
/// # Errors
/// The first step at which they differ, and how.
pub fn same_answers<A: Monitor, B: Monitor>(
    one: A,
    other: B,
    contract: &Contract,
    trace: &[Step],
) -> Result<(), String> {
    let (one, other) = (transcript(one, contract, trace), transcript(other, contract, trace));
    for (number, (one, other)) in one.iter().zip(&other).enumerate() {
        same(&format!("answer {number}"), one, other)?;
    }
    same("length", one.len(), other.len())
}

/// All that a session says of a trace: decisions, findings, refusal texts, verdicts.
pub fn transcript<M: Monitor>(monitor: M, contract: &Contract, trace: &[Step]) -> Vec<String> {
    let facts = trace.iter().find_map(|step| match step {
        Step::Context(facts) => Some(declared(contract, facts)),
        _ => None,
    });
    let builder = Session::builder(monitor).clock(|| Time::EPOCH);
    let builder = match facts {
        Some(facts) => builder.context(facts),
        None => builder,
    };
    let Ok(session) = builder.start() else { return vec!["does not start".to_owned()] };
    let mut permits: BTreeMap<String, Permit<M>> = BTreeMap::new();
    let mut answers = Vec::new();
    for step in trace {
        match step {
            Step::Context(_) => {}
            Step::Call(call) => match session.before(&owned(call)) {
                Ok(permit) => {
                    answers.push(format!(
                        "{:?} {:?} {}",
                        permit.decision(),
                        permit.findings(),
                        permit.after_divergence()
                    ));
                    permits.insert(call.id.clone(), permit);
                }
                Err(refusal) => answers.push(format!("{:?} {refusal} {:?}", refusal.kind(), refusal.findings())),
            },
            Step::Result { id, status, value, at } => {
                let Some(permit) = permits.remove(id) else { continue };
                let status = match status {
                    None | Some(reference::Status::Ok) => Status::Ok,
                    Some(reference::Status::Failed) => Status::Failed,
                    Some(reference::Status::Unknown) => Status::Unknown,
                };
                let outcome = Outcome::new(status, Some(value.clone())).at(Time::from_nanos(*at));
                if let Ok(settled) = session.settle(permit, outcome) {
                    answers.push(format!("{:?} {:?}", settled.status, settled.findings));
                }
            }
            Step::Event { name, value, at } => {
                answers.push(format!("{:?}", session.event(name, value, Some(Time::from_nanos(*at)))));
            }
            Step::End => answers.push(format!("{:?}", session.end())),
        }
        answers.push(format!("{:?}", session.verdicts()));
    }
    answers
}

fn owned(call: &reference::Call) -> Call<'_> {
    let mut made = Call::new(call.tool.as_str(), &call.args).id(call.id.as_str()).at(Time::from_nanos(call.at));
    if let Some(server) = &call.server {
        made = made.server(server.as_str());
    }
    if let Some(agent) = &call.agent {
        made = made.agent(agent.as_str());
    }
    if let Some(batch) = call.batch {
        made = made.batch(u32::try_from(batch).unwrap_or(u32::MAX));
    }
    if call.approved { made.approved() } else { made }
}

fn declared(contract: &Contract, facts: &Value) -> Value {
    let known = |name: &String| contract.context.iter().any(|(declared, _)| declared == name);
    let object = facts.as_object().into_iter().flatten();
    Value::Object(object.filter(|(name, _)| known(name)).map(|(name, fact)| (name.clone(), fact.clone())).collect())
}

fn said<M: Monitor>(session: &Session<M>, findings: &[Finding]) -> Vec<Said> {
    let mut said: Vec<Said> =
        findings.iter().map(|found| (found.id(session.info()), found.verdict, found.action)).collect();
    said.sort();
    said
}

fn told(findings: &[reference::Finding]) -> Vec<Said> {
    let mut told: Vec<Said> = findings.iter().map(|found| (found.rule.clone(), found.verdict, found.action)).collect();
    told.sort();
    told
}

fn same<T: std::fmt::Debug + PartialEq<U>, U: std::fmt::Debug>(what: &str, ours: T, theirs: U) -> Result<(), String> {
    if ours == theirs { Ok(()) } else { Err(format!("{what}\n  here:  {ours:?}\n  there: {theirs:?}")) }
}
