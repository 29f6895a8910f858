//! Values on both sides of what a predicate says.

use contract_runtime::private::Decimal;
use serde_json::{Value, json};

use crate::mir::{Comparison, Function, Literal};

/// Times before, at and after the moment at which sessions begin.
pub(super) const TIMES: [&str; 3] = ["2026-01-01T10:00:00Z", "2025-12-31T10:00:00Z", "2026-01-02T10:00:00Z"];

/// The longest text or list that is made to have a certain size.
const LONGEST: u64 = 256;

/// A literal as JSON, where it is any.
pub(super) fn literal(literal: &Literal) -> Option<Value> {
    match literal {
        Literal::Null => Some(Value::Null),
        Literal::Bool(value) => Some((*value).into()),
        Literal::Number(number) => number.to_json().map(Value::Number),
        Literal::Text(text) => Some(text.as_str().into()),
        Literal::List(items) => Some(items.iter().filter_map(self::literal).collect()),
        Literal::Json(value) => Some(value.clone()),
        Literal::Duration(_) => None,
    }
}

/// The members of a list, or the value itself.
pub(super) fn members(value: Value) -> Vec<Value> {
    match value {
        Value::Array(items) => items,
        other => vec![other],
    }
}

/// A number, one less and one more: by how much they differ from it.
pub(super) fn numbers(number: Decimal) -> Vec<(i8, Value)> {
    let one = Decimal::from(1u32);
    let around = [(0, Some(number)), (-1, number.checked_sub(one)), (1, number.checked_add(one))];
    let json = |(by, number): (i8, Option<Decimal>)| Some((by, Value::Number(number?.to_json()?)));
    around.into_iter().filter_map(json).collect()
}

/// Values for which a comparison with a constant holds, and does not.
pub(super) fn compared(comparison: Comparison, constant: &Value) -> Vec<(bool, Value)> {
    let number = match constant {
        Value::Number(number) => Decimal::from_json(number),
        _ => None,
    };
    if let Some(number) = number {
        let holds = |by: i8| match comparison {
            Comparison::Equal => by == 0,
            Comparison::NotEqual => by != 0,
            Comparison::Less => by < 0,
            Comparison::LessOrEqual => by <= 0,
            Comparison::Greater => by > 0,
            Comparison::GreaterOrEqual => by >= 0,
        };
        return numbers(number).into_iter().map(|(by, value)| (holds(by), value)).collect();
    }
    let equal = !matches!(comparison, Comparison::NotEqual | Comparison::Less | Comparison::Greater);
    let other = match constant {
        Value::Bool(value) => json!(!value),
        Value::String(text) if matches!(comparison, Comparison::Less | Comparison::LessOrEqual) => {
            json!(format!("{text}x"))
        }
        Value::String(text) if matches!(comparison, Comparison::Greater | Comparison::GreaterOrEqual) => {
            json!(format!("{text}x"))
        }
        _ => json!("other"),
    };
    let greater = matches!(comparison, Comparison::Greater | Comparison::GreaterOrEqual | Comparison::NotEqual);
    vec![(equal, constant.clone()), (greater, other)]
}

/// A text that a glob matches.
pub(super) fn of_glob(glob: &str) -> String {
    glob.chars().filter(|letter| *letter != '*').map(|letter| if letter == '?' { 'x' } else { letter }).collect()
}

/// Texts that a regular expression may match: tried by whoever takes them.
pub(super) fn of_regex(pattern: &str) -> Vec<String> {
    super::regex::sample(pattern).into_iter().collect()
}

/// Values that a function takes to this one.
pub(super) fn undo(function: Function, value: &Value) -> Vec<Value> {
    match (function, value) {
        (Function::Host, Value::String(host)) => vec![json!(format!("https://{host}/"))],
        (Function::Scheme, Value::String(scheme)) => vec![json!(format!("{scheme}://example.org/"))],
        (Function::Size, Value::Number(size)) => {
            let size = size.as_u64().filter(|size| *size <= LONGEST).and_then(|size| usize::try_from(size).ok());
            size.map(|size| vec![json!("x".repeat(size)), json!(vec!["x"; size])]).unwrap_or_default()
        }
        (Function::Keys, Value::String(name)) => vec![json!({name: 1})],
        (Function::Digest, _) => Vec::new(),
        (_, value) => vec![value.clone()],
    }
}

/// Texts that are within what a constant names.
pub(super) fn within(function: Function, constant: &Value) -> Vec<Value> {
    let Value::String(text) = constant else { return Vec::new() };
    match function {
        Function::StartsWith => vec![json!(text), json!(format!("{text}x"))],
        Function::EndsWith => vec![json!(text), json!(format!("x{text}"))],
        Function::PathWithin => vec![json!(text), json!(format!("{}/file", text.trim_end_matches('/')))],
        Function::DomainIn => vec![json!(text), json!(format!("https://{text}/")), json!(format!("someone@{text}"))],
        _ => vec![json!(text)],
    }
}

/// A text that is not.
pub(super) fn outside(function: Function) -> &'static str {
    match function {
        Function::PathWithin => "/elsewhere/file",
        Function::DomainIn => "https://elsewhere.example/",
        _ => "other",
    }
}

/// An address in a network, `10.0.0.0/8`.
pub(super) fn in_network(network: &Value) -> Vec<Value> {
    let Value::String(text) = network else { return Vec::new() };
    text.split('/').next().map(|address| json!(address)).into_iter().collect()
}
