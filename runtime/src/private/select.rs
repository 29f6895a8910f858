//! The values that a path leads to.

use std::collections::HashSet;
use std::ptr;

use serde_json::Value;

use super::RedactStep;

/// The values that a path leads to, each once. What `**` at its end leads to is below the values given.
///
/// Cost: that of one walk of the value for each step.
#[must_use]
pub fn select<'v>(value: &'v Value, path: &[RedactStep<'_>]) -> Vec<&'v Value> {
    let path = match path {
        [before @ .., RedactStep::Deep] => before,
        path => path,
    };
    let mut found = vec![value];
    for step in path {
        found = match step {
            RedactStep::Field(name) => found.into_iter().filter_map(|value| value.as_object()?.get(*name)).collect(),
            RedactStep::Index(index) => {
                let element = |value: &'v Value| value.as_array()?.get(usize::try_from(*index).ok()?);
                found.into_iter().filter_map(element).collect()
            }
            RedactStep::Each => found.into_iter().flat_map(below).collect(),
            RedactStep::Deep => deep(found),
        };
    }
    found
}

fn below(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(list) => list.iter().collect(),
        Value::Object(object) => object.values().collect(),
        _ => Vec::new(),
    }
}

/// The values and everything below them. One may lie below another.
fn deep(mut open: Vec<&Value>) -> Vec<&Value> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    while let Some(value) = open.pop() {
        if seen.insert(ptr::from_ref(value)) {
            found.push(value);
            open.extend(below(value));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::RedactStep::{Deep, Each, Field, Index};
    use super::*;

    #[test]
    fn a_path_leads_to_each_value_once() {
        let value = json!({"rows": [{"id": 1, "row": {"id": 2}}, {"id": 3}]});
        let found = |path: &[RedactStep<'_>]| {
            let mut found: Vec<String> = select(&value, path).into_iter().map(ToString::to_string).collect();
            found.sort();
            found
        };
        assert_eq!(found(&[Deep, Field("id")]), ["1", "2", "3"]);
        assert_eq!(found(&[Deep, Deep, Field("id")]), ["1", "2", "3"]);
        assert_eq!(found(&[Field("rows"), Each, Field("id")]), ["1", "3"]);
        assert_eq!(found(&[Field("rows"), Index(1)]), [r#"{"id":3}"#]);
        assert_eq!(found(&[Field("rows"), Index(1), Deep]), [r#"{"id":3}"#]);
        assert!(found(&[Index(0)]).is_empty() && found(&[Field("rows"), Index(2)]).is_empty());
    }
}
