//! `no_flow`: what a result brought must not appear in arguments. Here the texts themselves are kept.

use contract_lang::mir::{Kind, Rule};
use contract_runtime::Verdict;

use super::Cause;
use super::event::Moment;
use super::expr::Scope;
use super::pattern;
use super::review::{applies, below, select};
use super::value::{Kleene, Value};

/// A text that a result brought.
#[derive(Clone, Debug)]
pub struct Brought {
    text: String,
    /// Whether the rule certainly speaks of the result.
    certain: bool,
    /// The position of the call.
    position: u64,
    /// Its tool.
    tool: String,
}

/// What a result brings.
pub fn brought(rule: &Rule, moment: &Moment<'_>, scope: &Scope<'_>, position: u64) -> Vec<Brought> {
    let (Kind::NoFlow { patterns: [from, _], values, min_length }, Moment::Result { call, result: Some(result), .. }) =
        (&rule.kind, moment)
    else {
        return Vec::new();
    };
    let holds = applies(from, moment, scope);
    if holds == Kleene::No {
        return Vec::new();
    }
    let min_length = usize::try_from(*min_length).unwrap_or(usize::MAX);
    let mut texts = Vec::new();
    for steps in values {
        let mut selected = Vec::new();
        select(result, steps, &mut selected);
        let mut parts = Vec::new();
        selected.into_iter().for_each(|value| below(value, &mut parts));
        for part in parts {
            let text = match part {
                Value::Text(text) | Value::Inexact(text) => text.clone(),
                Value::Number(number) => number.to_string(),
                _ => continue,
            };
            let pieces = text.split(|one: char| one.is_whitespace() || "\"'`,;:=()[]{}<>|&".contains(one));
            texts.extend(pieces.map(str::to_owned));
            texts.push(text);
        }
    }
    texts.retain(|text| text.len() >= min_length);
    let brought = |text| Brought { text, certain: holds == Kleene::Yes, position, tool: call.tool.clone() };
    texts.into_iter().map(brought).collect()
}

/// What the rule says of a call.
pub fn look(rule: &Rule, moment: &Moment<'_>, scope: &Scope<'_>, known: &[Brought]) -> Option<(Verdict, Cause)> {
    let (Kind::NoFlow { patterns: [_, to], .. }, Some(args)) = (&rule.kind, scope.args) else { return None };
    let concerned = pattern::status(to, moment, scope);
    if concerned == Kleene::No {
        return None;
    }
    let mut texts: Vec<String> = Vec::new();
    let mut parts = Vec::new();
    below(args, &mut parts);
    for part in parts {
        match part {
            Value::Text(text) | Value::Inexact(text) => texts.push(text.clone()),
            Value::Number(number) => texts.push(number.to_string()),
            Value::Object(fields) => texts.extend(fields.keys().cloned()),
            _ => {}
        }
    }
    let hits = known.iter().filter(|one| texts.iter().any(|text| text.contains(&one.text)));
    let Some(hit) = hits.min_by_key(|one| (!one.certain, one.position)) else {
        return Some((Verdict::Open, Cause::Rule));
    };
    let certain = hit.certain && concerned == Kleene::Yes;
    let verdict = if certain { Verdict::Violated } else { Verdict::Unestablished };
    Some((verdict, Cause::Flow(hit.position, hit.tool.clone())))
}
