//! The functions of predicates. An operand that is not established makes the result so, unless its text says otherwise.

use contract_lang::mir::Function;

use super::number::Number;
use super::text;
use super::value::{Kleene, Value};

/// The value of a function that is not a predicate. `default` is not among them: it looks at what is not established.
pub fn value(function: Function, operands: &[Value]) -> Option<Value> {
    let first = operands.first()?;
    match function {
        Function::Min => extreme(operands, std::cmp::Ordering::Less),
        Function::Max => extreme(operands, std::cmp::Ordering::Greater),
        Function::Size => size(first).map(Value::Number),
        Function::Lower => first.as_text().map(|text| Value::text(text.to_lowercase())),
        Function::Upper => first.as_text().map(|text| Value::text(text.to_uppercase())),
        Function::Trim => first.as_text().map(|text| Value::text(text.trim())),
        Function::Keys => match first {
            Value::Object(fields) => Some(Value::List(fields.keys().map(Value::text).collect())),
            Value::Map(map) => Some(Value::List(map.known()?.keys().cloned().collect())),
            _ => None,
        },
        Function::Values => match first {
            Value::Object(fields) => Some(Value::List(fields.values().cloned().collect())),
            Value::Map(map) => Some(Value::List(map.known()?.values().cloned().collect())),
            _ => None,
        },
        Function::Sum => settled(first)?
            .iter()
            .try_fold(Number::zero(), |sum, item| match item {
                Value::Number(number) => sum.plus(number),
                _ => None,
            })
            .map(Value::Number),
        Function::Distinct => {
            let mut kept: Vec<Value> = Vec::new();
            for item in settled(first)? {
                if !item.is_exact() {
                    return None;
                }
                if !kept.contains(item) {
                    kept.push(item.clone());
                }
            }
            Some(Value::List(kept))
        }
        Function::Json => serde_json::from_str(first.as_text()?).ok().map(|json| Value::from_json(&json)),
        Function::Time => {
            let zone = match operands.get(1) {
                Some(zone) => Some(zone.as_text()?),
                None => None,
            };
            text::time(first.as_text()?, zone).map(Value::Time)
        }
        Function::PathNorm => text::path_norm(first.as_text()?).map(Value::text),
        Function::Host => text::host(first.as_text()?).map(Value::text),
        Function::Scheme => text::scheme(first.as_text()?).map(Value::text),
        Function::Strings => {
            let mut found = Vec::new();
            strings(first, &mut found);
            Some(Value::List(found))
        }
        // Digests are only ever compared, so that the canonical text itself serves as one.
        Function::Digest => first.is_exact().then(|| Value::text(format!("digest of {first:?}"))),
        // `default` looks at what is not established, and predicates have no value.
        _ => None,
    }
}

/// The truth of a function that is a predicate on two operands.
pub fn truth(function: Function, left: &Value, right: &Value) -> Kleene {
    let texts = left.as_text().zip(right.as_text());
    let on_texts = |holds: fn(&str, &str) -> Option<bool>| {
        texts.and_then(|(left, right)| holds(left, right)).map_or(Kleene::Perhaps, Kleene::of)
    };
    match function {
        Function::StartsWith => on_texts(|text, part| Some(text.starts_with(part))),
        Function::EndsWith => on_texts(|text, part| Some(text.ends_with(part))),
        Function::Contains => on_texts(|text, part| Some(text.contains(part))),
        Function::PathWithin => on_texts(text::path_within),
        Function::CidrContains => on_texts(text::cidr_contains),
        Function::DomainIn => domain_in(left, right).map_or(Kleene::Perhaps, Kleene::of),
        _ => Kleene::Perhaps,
    }
}

/// How the members of one list or set are in another. With no members, nothing is asked of the other.
pub fn overlap(function: Function, part: Option<&Value>, whole: Option<&Value>) -> Kleene {
    let Some((members, unsure)) = part.and_then(Value::members) else { return Kleene::Perhaps };
    let is_in = |member| match whole {
        Some(whole @ (Value::List(_) | Value::Set(_))) => whole.has_member(Some(member)),
        _ => Kleene::Perhaps,
    };
    let each = members.iter().map(is_in).chain(unsure.then_some(Kleene::Perhaps));
    if function == Function::Subset { Kleene::all(each) } else { Kleene::any(each) }
}

fn domain_in(left: &Value, right: &Value) -> Option<bool> {
    let listed: Option<Vec<&str>> = settled(right)?.iter().map(Value::as_text).collect();
    text::domain_in(left.as_text()?, listed?.into_iter())
}

/// The members of a list, or of a set of which all are known.
fn settled(value: &Value) -> Option<&[Value]> {
    value.members().and_then(|(members, unsure)| (!unsure).then_some(members))
}

fn extreme(operands: &[Value], wanted: std::cmp::Ordering) -> Option<Value> {
    let candidates = match operands {
        [only] => settled(only)?,
        several => several,
    };
    let (first, rest) = candidates.split_first()?;
    first.order(first)?;
    let best = rest.iter().try_fold(first, |best, one| {
        let order = one.order(best)?;
        Some(if order == wanted { one } else { best })
    });
    best.cloned()
}

fn size(value: &Value) -> Option<Number> {
    let size = match value {
        Value::Text(text) => text.chars().count(),
        Value::List(items) => items.len(),
        Value::Object(fields) => fields.len(),
        Value::Set(set) if !set.unsure => set.members.len(),
        Value::Map(map) => map.known()?.len(),
        _ => return None,
    };
    u64::try_from(size).ok().map(Number::whole)
}

fn strings(value: &Value, found: &mut Vec<Value>) {
    match value {
        Value::Text(_) => found.push(value.clone()),
        Value::List(items) => items.iter().for_each(|item| strings(item, found)),
        Value::Object(fields) => {
            for (name, value) in fields {
                found.push(Value::text(name));
                strings(value, found);
            }
        }
        _ => {}
    }
}
