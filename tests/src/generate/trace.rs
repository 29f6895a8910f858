//! Random traces, and the JSON-lines form in which they are replayed.

use serde_json::{Map, Value, json};

use super::Seed;
use super::pattern::TOOLS;
use crate::reference::text::print_time;
use crate::reference::{Call, Status};

/// One thing that happens in a session.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// The host gives the context.
    Context(Value),
    /// The agent calls a tool.
    Call(Call),
    /// A call ends.
    Result {
        /// The call.
        id: String,
        /// What the host says of it.
        status: Option<Status>,
        /// The result.
        value: Value,
        /// Nanoseconds since 1970.
        at: i128,
    },
    /// The host says something.
    Event {
        /// Its name.
        name: String,
        /// Its value.
        value: Value,
        /// Nanoseconds since 1970.
        at: i128,
    },
    /// A person allows a call, if somebody was asked about it.
    Approve {
        /// The call.
        id: String,
        /// Nanoseconds since 1970.
        at: i128,
    },
    /// Time goes by.
    Advance {
        /// Nanoseconds since 1970.
        at: i128,
    },
    /// The session ends.
    End,
}

/// 2026-01-01T10:00:00Z.
const START: i128 = 1_767_261_600_000_000_000;

/// A session of so many steps at most, besides its context and end.
pub fn trace(seed: &mut Seed, steps: usize) -> Vec<Step> {
    let mut trace = Vec::new();
    if seed.chance(70) {
        trace.push(Step::Context(context(seed)));
    }
    let mut at = START;
    let mut running: Vec<String> = Vec::new();
    for number in 0..steps {
        at += match seed.below(40) {
            0 | 1 => -2_000,
            2 => 300_000,
            3 => 700_000,
            4..=11 => 0,
            12..=15 => 5_000,
            _ => i128::from(seed.number() % 12_000),
        } * 1_000_000;
        if seed.chance(6) && number > 0 {
            let id = format!("c{}", number - 1 - seed.below(3.min(number)));
            trace.push(Step::Approve { id: id.clone(), at });
            if seed.chance(70) {
                running.retain(|running| *running != id);
                trace.push(result(seed, id, at));
            }
        }
        if seed.chance(4) {
            trace.push(Step::Advance { at });
        }
        match seed.below(10) {
            0 => {
                let name = seed.pick(&["tick", "tick", "stop", "other"]).to_owned();
                trace.push(Step::Event { name, value: event(seed), at });
            }
            1 | 2 if !running.is_empty() => {
                let index = seed.below(running.len());
                let id = running.swap_remove(index);
                trace.push(result(seed, id, at));
            }
            _ => {
                let id = format!("c{number}");
                trace.push(Step::Call(call(seed, &id, at)));
                if seed.chance(60) {
                    trace.push(result(seed, id, at + 1_000_000));
                    at += 1_000_000;
                } else {
                    running.push(id);
                }
            }
        }
    }
    trace.push(Step::End);
    trace
}

fn context(seed: &mut Seed) -> Value {
    let mut facts = Map::new();
    if seed.chance(80) {
        facts.insert("user".to_owned(), seed.pick(&[json!("a"), json!("b")]));
    }
    if seed.chance(60) {
        facts.insert("vip".to_owned(), json!(seed.chance(50)));
    }
    Value::Object(facts)
}

fn call(seed: &mut Seed, id: &str, at: i128) -> Call {
    let tool = if seed.chance(7) { "mystery" } else { seed.pick(TOOLS) };
    let mut args = Map::new();
    insert(&mut args, "k", key(seed));
    insert(&mut args, "n", amount(seed));
    if seed.chance(70) {
        args.insert("mode".to_owned(), seed.pick(&[json!("soft"), json!("hard"), json!("a"), json!("Soft"), json!(1)]));
    }
    if seed.chance(60) {
        args.insert("tags".to_owned(), tags(seed));
    }
    if seed.chance(30) {
        args.insert("note".to_owned(), note(seed));
    }
    if seed.chance(10) {
        args.insert("page".to_owned(), seed.pick(&[json!({"limit": 3}), json!({}), json!(1)]));
    }
    Call {
        id: id.to_owned(),
        tool: tool.to_owned(),
        server: if seed.chance(20) { Some(seed.pick(&["bank", "shop"]).to_owned()) } else { None },
        args: Value::Object(args),
        batch: if seed.chance(25) { Some(1 + seed.number() % 2) } else { None },
        agent: if seed.chance(5) { Some("helper".to_owned()) } else { None },
        at,
        approved: seed.chance(20),
    }
}

fn insert(fields: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        fields.insert(name.to_owned(), value);
    }
}

/// Mostly one of a few texts; now and then something that is hard to compare, or no key at all.
fn key(seed: &mut Seed) -> Option<Value> {
    match seed.below(40) {
        0..=15 => Some(json!("a")),
        16..=24 => Some(json!("b")),
        25..=28 => Some(json!("c")),
        29 | 30 => Some(json!(1)),
        31 => Some(json!(1.0)),
        32 => Some(json!("1")),
        33 => Some(json!(true)),
        34 => Some(Value::Null),
        35 => Some(json!(["a"])),
        36 => Some(json!(0.123_456_789_012_345_67)),
        37 => Some(json!("A")),
        _ => None,
    }
}

fn amount(seed: &mut Seed) -> Option<Value> {
    match seed.below(24) {
        0..=9 => Some(json!(1)),
        10..=13 => Some(json!(2)),
        14 | 15 => Some(json!(1.0)),
        16 | 17 => Some(json!(0.5)),
        18 => Some(json!(0)),
        19 => Some(json!(-1)),
        20 => Some(json!("1")),
        21 => Some(json!(0.300_000_000_000_000_04)),
        22 => Some(Value::Null),
        _ => None,
    }
}

/// Texts that share parts with one another.
fn note(seed: &mut Seed) -> Value {
    seed.pick(&[
        json!("token-aaaa-1111"),
        json!("see token-aaaa-1111, please"),
        json!("<token-bbbb-2222>"),
        json!("nothing to see"),
        json!(["k", {"token-bbbb-2222": 1}]),
        json!(12_345_678),
        json!("12345678"),
        json!("short"),
    ])
}

fn tags(seed: &mut Seed) -> Value {
    if seed.chance(5) {
        return seed.pick(&[json!("hot"), json!(["a", null]), json!([["a"]]), Value::Null]);
    }
    let many = seed.below(4);
    (0..many).map(|_| seed.pick(&[json!("hot"), json!("a"), json!("b"), json!("cold"), json!(1)])).collect()
}

fn event(seed: &mut Seed) -> Value {
    let mut fields = Map::new();
    insert(&mut fields, "k", key(seed));
    insert(&mut fields, "n", amount(seed));
    Value::Object(fields)
}

fn result(seed: &mut Seed, id: String, at: i128) -> Step {
    let status =
        seed.pick(&[None, None, None, Some(Status::Ok), Some(Status::Ok), Some(Status::Failed), Some(Status::Unknown)]);
    let value = match seed.below(12) {
        0 => json!("Error: no such thing"),
        1 => json!({"error": "broken"}),
        2 => json!({"error": null, "ok": true}),
        3 => json!({"isError": true, "ok": true}),
        4 => Value::Null,
        _ => {
            let mut fields = Map::new();
            if seed.chance(90) {
                fields.insert(
                    "ok".to_owned(),
                    seed.pick(&[json!(true), json!(true), json!(true), json!(false), json!("yes")]),
                );
            }
            insert(&mut fields, "k", key(seed));
            insert(&mut fields, "n", amount(seed));
            fields.insert("status".to_owned(), seed.pick(&[json!("active"), json!("new"), json!("closed")]));
            if seed.chance(40) {
                fields.insert("tags".to_owned(), tags(seed));
            }
            if seed.chance(40) {
                fields.insert("note".to_owned(), note(seed));
            }
            if seed.chance(20) {
                let row = |seed: &mut Seed| seed.pick(&[json!({"k": "a"}), json!({"k": "token-aaaa-1111"}), json!({})]);
                fields.insert("rows".to_owned(), json!([row(seed), row(seed)]));
            }
            Value::Object(fields)
        }
    };
    Step::Result { id, status, value, at }
}

/// The trace as JSON lines.
pub fn print(session: &str, trace: &[Step]) -> String {
    trace.iter().map(|step| format!("{}\n", line(session, step))).collect()
}

fn line(session: &str, step: &Step) -> Value {
    match step {
        Step::Context(facts) => json!({"session": session, "context": facts}),
        Step::Call(call) => {
            let mut fields = Map::new();
            fields.insert("id".to_owned(), json!(call.id));
            fields.insert("tool".to_owned(), json!(call.tool));
            insert(&mut fields, "server", call.server.as_ref().map(|server| json!(server)));
            insert(&mut fields, "batch", call.batch.map(|batch| json!(batch)));
            insert(&mut fields, "agent", call.agent.as_ref().map(|agent| json!(agent)));
            insert(&mut fields, "approved", call.approved.then_some(json!(true)));
            fields.insert("args".to_owned(), call.args.clone());
            json!({"session": session, "at": print_time(call.at), "call": fields})
        }
        Step::Result { id, status, value, at } => {
            let mut fields = Map::new();
            let status = status.map(|status| match status {
                Status::Ok => json!("ok"),
                Status::Failed => json!("failed"),
                Status::Unknown => json!("unknown"),
            });
            insert(&mut fields, "status", status);
            fields.insert("value".to_owned(), value.clone());
            json!({"session": session, "at": print_time(*at), "result_of": id, "result": fields})
        }
        Step::Event { name, value, at } => {
            json!({"session": session, "at": print_time(*at), "event": {"name": name, "value": value}})
        }
        Step::Approve { id, at } => json!({"session": session, "at": print_time(*at), "approve": id}),
        Step::Advance { at } => json!({"session": session, "at": print_time(*at), "advance": true}),
        Step::End => json!({"session": session, "end": true}),
    }
}
