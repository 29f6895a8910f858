//! Random patterns, with the tools that they name.

use std::collections::BTreeSet;

use super::Seed;
use super::predicate::{Place, predicate};

/// The tools that contracts name; `mystery` is in none of their declarations.
pub const TOOLS: &[&str] = &["look", "check", "pay", "post_a", "post_b", "drop"];

/// A pattern.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// Its text.
    pub text: String,
    /// What it names, as keys of `per`; `None`: more than can be listed.
    pub tools: Option<BTreeSet<String>>,
    /// The host events that it speaks of, as keys of `per`.
    pub events: BTreeSet<String>,
}

/// The role of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A bare tool is a call.
    Call,
    /// A bare tool is a success.
    Ok,
    /// A bare tool is any outcome; results only.
    Done,
    /// A bare tool is an error; calls and results.
    Close,
}

/// A pattern of one or two alternatives.
pub fn pattern(seed: &mut Seed, role: Role, host: bool) -> Pattern {
    let mut pattern = alternative(seed, role, host);
    if seed.chance(20) {
        let other = alternative(seed, role, host);
        if other.text != pattern.text {
            pattern.text = format!("{} | {}", pattern.text, other.text);
            pattern.events.extend(other.events);
            pattern.tools = pattern.tools.zip(other.tools).map(|(mut tools, others)| {
                tools.extend(others);
                tools
            });
        }
    }
    pattern
}

fn alternative(seed: &mut Seed, role: Role, host: bool) -> Pattern {
    if host && role != Role::Done && seed.chance(15) {
        let name = seed.pick(&["tick", "stop", "t*"]);
        let text = format!("event({name}{})", condition(seed, Place::Event));
        let events = BTreeSet::from([format!("event({name})")]);
        return Pattern { text, tools: Some(BTreeSet::new()), events };
    }
    let events = BTreeSet::new();
    if role == Role::Call && seed.chance(8) {
        let effect = seed.pick(&["read", "write", "irreversible"]);
        let text = format!("effect({effect}{})", condition(seed, Place::Call));
        return Pattern { text, tools: None, events };
    }
    let (name, tools) = name(seed);
    let text = match role {
        Role::Call if seed.chance(90) => format!("{name}{}", condition(seed, Place::Call)),
        Role::Ok | Role::Done if seed.chance(60) => format!("{name}{}", condition(seed, Place::Result)),
        Role::Close if seed.chance(50) => format!("call({name}{})", condition(seed, Place::Call)),
        Role::Call | Role::Ok | Role::Done | Role::Close => {
            let phase = seed.pick(&["ok", "ok", "failed", "unknown", "done"]);
            format!("{phase}({name}{})", condition(seed, Place::Result))
        }
    };
    Pattern { text, tools, events }
}

fn name(seed: &mut Seed) -> (String, Option<BTreeSet<String>>) {
    let (name, tools): (&str, &[&str]) = match seed.below(20) {
        0 => ("post_*", &["post_*"]),
        1 | 2 => ("money", &["pay", "post_a"]),
        3 => ("mystery", &["mystery"]),
        4 => return ("*".to_owned(), None),
        5 => ("bank::pay", &["pay"]),
        _ => {
            let tool = seed.pick(TOOLS);
            return (tool.to_owned(), Some(BTreeSet::from([tool.to_owned()])));
        }
    };
    (name.to_owned(), Some(tools.iter().map(|tool| (*tool).to_owned()).collect()))
}

fn condition(seed: &mut Seed, place: Place) -> String {
    if seed.chance(30) { format!(" where {}", predicate(seed, place)) } else { String::new() }
}
