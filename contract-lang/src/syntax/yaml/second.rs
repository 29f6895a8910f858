//! A second opinion: another YAML reader must see the same file.
//!
//! Readers of YAML differ: on octal numbers, on long integers, on what is a truth value. Whoever reviews a contract with
//! another tool must see what runs. Used by lint and by tests; it is no part of compiling a contract.

use serde_yaml::Value;

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::{SourceFile, Span};
use crate::syntax::tree::{Kind, Node, Resolved, Scalar};

/// Whether the second reader sees the same tree; where not, that is reported. Of a file with errors it has no opinion.
pub fn agrees(file: &SourceFile, node: &Node, diagnostics: &mut Diagnostics) -> bool {
    if diagnostics.has_errors() {
        return true;
    }
    let found = match serde_yaml::from_str::<Value>(file.text()) {
        Ok(value) => differs(node, &value),
        Err(error) => {
            let at = error.location().map_or(0, |location| location.index());
            Some((Span::new(at, at), format!("refuses it: {error}")))
        }
    };
    let Some((span, how)) = found else { return true };
    let message = format!("another YAML reader sees something else here: it {how}");
    diagnostics
        .push(Diagnostic::new(Code::AmbiguousYaml, span, message).help("write it in a plainer way, or in quotes"));
    false
}

/// The first place where the two differ, and what the other sees.
fn differs(node: &Node, value: &Value) -> Option<(Span, String)> {
    match (&node.kind, value) {
        (Kind::Broken, _) => None,
        (Kind::Sequence { items, .. }, Value::Sequence(values)) if items.len() == values.len() => {
            items.iter().zip(values).find_map(|(item, value)| differs(item, value))
        }
        (Kind::Mapping(mapping), Value::Mapping(values)) if mapping.entries.len() == values.len() => {
            mapping.entries.iter().zip(values).find_map(|(entry, (key, value))| match key {
                Value::String(key) if *key == entry.key.text => differs(&entry.value, value),
                key => Some((entry.key.span, format!("reads the key as {}", describe(key)))),
            })
        }
        (Kind::Scalar(scalar), value) if same(scalar, value) => None,
        (_, value) => Some((node.span, format!("reads {}", describe(value)))),
    }
}

/// Scalars are compared by type and source text; numbers by the type alone where the other reader keeps no text.
fn same(scalar: &Scalar, value: &Value) -> bool {
    match value {
        Value::Null => scalar.resolve() == Resolved::Null,
        Value::Bool(value) => scalar.resolve() == Resolved::Bool && scalar.text.eq_ignore_ascii_case(bool_text(*value)),
        Value::String(text) => scalar.text == *text && scalar.resolve() == Resolved::Text,
        Value::Number(number) => scalar.resolve() == Resolved::Number && same_number(&scalar.text, number),
        Value::Sequence(_) | Value::Mapping(_) | Value::Tagged(_) => false,
    }
}

fn bool_text(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

/// Integers are equal exactly; of decimals the other reader has only the nearest float.
fn same_number(text: &str, number: &serde_yaml::Number) -> bool {
    let exact = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
    match exact {
        Some(value) => text.parse() == Ok(value),
        None => text.contains('.') && text.parse::<f64>().is_ok_and(|float| Some(float) == number.as_f64()),
    }
}

fn describe(value: &Value) -> String {
    match value {
        Value::Null => "no value".to_owned(),
        Value::Bool(value) => format!("the truth value `{value}`"),
        Value::Number(number) => format!("the number `{number}`"),
        Value::String(text) => format!("the string `{}`", text.chars().take(60).collect::<String>()),
        Value::Sequence(values) => format!("a list of {}", values.len()),
        Value::Mapping(values) => format!("a mapping of {}", values.len()),
        Value::Tagged(_) => "a value with a tag".to_owned(),
    }
}
