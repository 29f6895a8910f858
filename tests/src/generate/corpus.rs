//! Random traces for a given contract: its own tools, paths and literals, so that its rules meet them.

use std::collections::BTreeSet;

use contract_lang::dispatch::{events, named_tools};
use contract_lang::mir::{Contract, Expr, Literal, Path, Root, Step as PathStep};
use contract_runtime::Type;
use serde_json::{Map, Value, json};

use super::{Seed, Step};
use crate::reference::{Call, Status};

/// What a contract speaks of.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    tools: Vec<String>,
    events: Vec<String>,
    args: Vec<Vec<String>>,
    results: Vec<Vec<String>>,
    facts: Map<String, Value>,
    values: Vec<Value>,
}

impl Vocabulary {
    /// Of a contract.
    pub fn of(contract: &Contract) -> Self {
        let mut args = BTreeSet::new();
        let mut results = BTreeSet::new();
        let mut values =
            vec![json!("a"), json!("b"), json!("a"), json!(1), json!(1.0), json!(true), json!(null), json!([])];
        for expr in contract.expressions() {
            expr.visit(&mut |expr| match expr {
                Expr::Path(path) | Expr::Has(path) => match path.root {
                    Root::Args => drop(args.insert(fields(path))),
                    Root::Result | Root::Event => drop(results.insert(fields(path))),
                    _ => {}
                },
                Expr::Literal(literal) => collect(literal, &mut values),
                _ => {}
            });
        }
        let mut tools: Vec<String> = named_tools(contract).into_iter().map(str::to_owned).collect();
        tools.extend(["mystery".to_owned(), "report_a".to_owned()]);
        let events = events(contract).into_iter().map(|glob| glob.as_str().replace(['*', '?'], "x")).collect();
        let fact = |ty: &Type| match ty {
            Type::Bool => json!(true),
            Type::Int | Type::Decimal => json!(1),
            Type::Time => json!("2026-01-01T10:00:00Z"),
            Type::Set(_) => json!(["a"]),
            Type::Map(_) => json!({"a": "a"}),
            Type::String | Type::Json => json!("a"),
        };
        let facts = contract.context.iter().map(|(name, ty)| (name.clone(), fact(ty))).collect();
        Self { tools, events, args: args.into_iter().collect(), results: results.into_iter().collect(), facts, values }
    }

    /// A session of so many steps.
    pub fn trace(&self, seed: &mut Seed, steps: usize) -> Vec<Step> {
        let mut trace = Vec::new();
        if !self.facts.is_empty() && seed.chance(70) {
            trace.push(Step::Context(Value::Object(self.facts.clone())));
        }
        let mut at = 1_767_261_600_000_000_000;
        let mut running: Vec<String> = Vec::new();
        for number in 0..steps {
            at += i128::from(seed.number() % 20_000) * 1_000_000;
            if seed.chance(5) && number > 0 {
                let id = format!("c{}", number - 1);
                trace.push(Step::Approve { id: id.clone(), at });
                running.retain(|running| *running != id);
                trace.push(self.result(seed, id, at));
            } else if seed.chance(5) {
                at += seed.pick(&[1_000_000, 60_000_000_000, 3_600_000_000_000]);
                trace.push(Step::Advance { at });
            } else if seed.chance(10) && !self.events.is_empty() {
                trace.push(Step::Event { name: seed.pick(&self.events), value: self.object(seed, &self.results), at });
            } else if seed.chance(15) && !running.is_empty() {
                let id = running.swap_remove(seed.below(running.len()));
                trace.push(self.result(seed, id, at));
            } else {
                let id = format!("c{number}");
                trace.push(Step::Call(Call {
                    id: id.clone(),
                    tool: seed.pick(&self.tools),
                    server: seed.chance(20).then(|| seed.pick(&["github", "git-hub", "bank"]).to_owned()),
                    args: self.object(seed, &self.args),
                    batch: seed.chance(20).then(|| 1 + seed.number() % 2),
                    agent: seed.chance(10).then(|| seed.pick(&["reviewer", "helper"]).to_owned()),
                    at,
                    approved: seed.chance(15),
                }));
                if seed.chance(75) {
                    trace.push(self.result(seed, id, at + 1_000_000));
                } else {
                    running.push(id);
                }
            }
        }
        trace.push(Step::End);
        trace
    }

    fn result(&self, seed: &mut Seed, id: String, at: i128) -> Step {
        let status =
            seed.pick(&[None, None, Some(Status::Ok), Some(Status::Ok), Some(Status::Failed), Some(Status::Unknown)]);
        let value = if seed.chance(15) {
            seed.pick(&[json!("Error: no"), json!({"error": "no"}), json!("a"), json!({"isError": true}), json!(null)])
        } else {
            self.object(seed, &self.results)
        };
        Step::Result { id, status, value, at }
    }

    fn object(&self, seed: &mut Seed, paths: &[Vec<String>]) -> Value {
        let mut object = json!({});
        for path in paths.iter().filter(|path| !path.is_empty()) {
            if seed.chance(80) {
                put(&mut object, path, self.value(seed));
            }
        }
        object
    }

    fn value(&self, seed: &mut Seed) -> Value {
        if seed.chance(15) {
            let many = seed.below(4);
            return (0..many).map(|_| seed.pick(&self.values)).collect();
        }
        seed.pick(&self.values)
    }
}

fn fields(path: &Path) -> Vec<String> {
    let fields = path.steps.iter().map_while(|step| match step {
        PathStep::Field(name) => Some(name.clone()),
        _ => None,
    });
    fields.collect()
}

fn collect(literal: &Literal, values: &mut Vec<Value>) {
    match literal {
        Literal::Text(text) => values.extend([json!(text), json!(text)]),
        Literal::Number(number) => values.extend(serde_json::from_str::<Value>(&number.to_string())),
        Literal::List(items) => items.iter().for_each(|item| collect(item, values)),
        _ => {}
    }
}

fn put(object: &mut Value, path: &[String], value: Value) {
    let Some((last, first)) = path.split_last() else { return };
    let mut at = object;
    for name in first {
        if !at[name.as_str()].is_object() {
            at[name.as_str()] = json!({});
        }
        at = &mut at[name.as_str()];
    }
    if !at[last.as_str()].is_object() {
        at[last.as_str()] = value;
    }
}
