//! Masks parts of a result before the agent sees it.

use serde_json::{Map, Value};

use crate::value::{MAX_DEPTH, is_shallow};

/// What stands in for what the agent does not see.
const REDACTED: &str = "[redacted]";

/// One step of a path into a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedactStep<'p> {
    /// A member of an object.
    Field(&'p str),
    /// An element of a list.
    Index(u32),
    /// Each element of a list, each value of an object.
    Each,
    /// The value itself and everything below it.
    Deep,
}

/// What is left to walk of a path.
type Rest<'p> = &'p [RedactStep<'p>];

/// Where the walk is, from the value's parent.
#[derive(Clone, Copy)]
enum Label<'v> {
    Field(&'v str),
    Index(usize),
}

/// The value with each part that a path leads to replaced by `[redacted]`; `None` if there is no such part.
///
/// All paths are walked at once, so that the cost is that of one walk times the length of the paths. What is nested deeper
/// than values are followed is masked as a whole if a path may lead into it: nobody has looked at it.
#[must_use]
pub fn redact(value: &Value, paths: &[&[RedactStep<'_>]]) -> Option<Value> {
    let mut rests: Vec<Rest<'_>> = Vec::with_capacity(paths.len());
    paths.iter().for_each(|path| enter(&mut rests, path));
    finds(value, &rests, MAX_DEPTH).then(|| mask(value, &rests, MAX_DEPTH, is_shallow(value)))
}

/// Adds what is left of a path. `**` also stands for no step at all.
fn enter<'p>(rests: &mut Vec<Rest<'p>>, mut rest: Rest<'p>) {
    loop {
        if !rests.iter().any(|known| std::ptr::eq(*known, rest)) {
            rests.push(rest);
        }
        match rest.split_first() {
            Some((RedactStep::Deep, further)) => rest = further,
            _ => return,
        }
    }
}

/// What is left of the paths one level below.
fn below<'p>(rests: &[Rest<'p>], label: Label<'_>) -> Vec<Rest<'p>> {
    let mut next = Vec::new();
    for rest in rests {
        match (rest.split_first(), label) {
            (Some((RedactStep::Deep, _)), _) => enter(&mut next, rest),
            (Some((RedactStep::Each, further)), _) => enter(&mut next, further),
            (Some((RedactStep::Field(name), further)), Label::Field(field)) if *name == field => {
                enter(&mut next, further);
            }
            (Some((RedactStep::Index(at), further)), Label::Index(index)) if usize::try_from(*at) == Ok(index) => {
                enter(&mut next, further);
            }
            _ => {}
        }
    }
    next
}

fn arrives(rests: &[Rest<'_>]) -> bool {
    rests.iter().any(|rest| rest.is_empty())
}

fn finds(value: &Value, rests: &[Rest<'_>], depth: usize) -> bool {
    if arrives(rests) {
        return true;
    }
    if rests.is_empty() {
        return false;
    }
    let Some(depth) = depth.checked_sub(1) else { return value.is_array() || value.is_object() };
    match value {
        Value::Array(list) => {
            let mut elements = list.iter().enumerate();
            elements.any(|(index, element)| finds(element, &below(rests, Label::Index(index)), depth))
        }
        Value::Object(object) => {
            object.iter().any(|(name, member)| finds(member, &below(rests, Label::Field(name)), depth))
        }
        _ => false,
    }
}

/// `shallow`: the value can be copied by recursion.
fn mask(value: &Value, rests: &[Rest<'_>], depth: usize, shallow: bool) -> Value {
    let masked = || Value::from(REDACTED);
    if arrives(rests) {
        return masked();
    }
    if rests.is_empty() && shallow {
        return value.clone();
    }
    match (value, depth.checked_sub(1)) {
        (Value::Array(list), Some(depth)) => {
            let elements = list.iter().enumerate();
            elements.map(|(index, element)| mask(element, &below(rests, Label::Index(index)), depth, shallow)).collect()
        }
        (Value::Object(object), Some(depth)) => {
            let members = object.iter();
            let members = members
                .map(|(name, member)| (name.clone(), mask(member, &below(rests, Label::Field(name)), depth, shallow)));
            Value::Object(members.collect::<Map<_, _>>())
        }
        (Value::Array(_) | Value::Object(_), None) => masked(),
        (scalar, _) => scalar.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::RedactStep::{Deep, Each, Field, Index};
    use super::*;

    #[test]
    fn each_part_that_a_path_leads_to_is_masked() {
        let value = json!({"rows": [{"ssn": 1, "name": "a"}, {"name": "b", "more": {"ssn": [2]}}], "ssn": "3"});
        let deep = redact(&value, &[&[Deep, Field("ssn")]]);
        let masked = json!({"rows": [{"ssn": "[redacted]", "name": "a"}, {"name": "b", "more": {"ssn": "[redacted]"}}],
            "ssn": "[redacted]"});
        assert_eq!(deep, Some(masked));
        let each = redact(&value, &[&[Field("rows"), Each, Field("name")], &[Field("rows"), Index(0), Field("ssn")]]);
        let masked = json!({"rows": [{"ssn": "[redacted]", "name": "[redacted]"},
            {"name": "[redacted]", "more": {"ssn": [2]}}], "ssn": "3"});
        assert_eq!(each, Some(masked));
        assert_eq!(redact(&value, &[&[]]), Some(json!("[redacted]")));
        assert_eq!(redact(&value, &[&[Deep]]), Some(json!("[redacted]")));
    }

    #[test]
    fn nothing_found_is_nothing_masked() {
        let value = json!({"rows": [1]});
        assert_eq!(
            redact(&value, &[&[Field("rows"), Field("a")], &[Deep, Field("b")], &[Field("rows"), Index(1)]]),
            None
        );
        assert_eq!(redact(&value, &[]), None);
        assert_eq!(redact(&json!("text"), &[&[Each], &[Deep, Field("a")]]), None);
    }

    fn nested(depth: usize, inner: Value) -> Value {
        (0..depth).fold(inner, |inner, _| Value::Object([("a".to_owned(), inner)].into_iter().collect()))
    }

    #[test]
    fn a_value_too_deep_to_look_at_is_masked_as_a_whole() {
        let deep = nested(2_000, json!({"ssn": 1}));
        let Some(mut seen) = redact(&deep, &[&[Deep, Field("ssn")]]) else { panic!() };
        let mut depth = 0;
        while let Some(inner) = seen.get_mut("a") {
            seen = inner.take();
            depth += 1;
        }
        assert_eq!((depth, seen), (MAX_DEPTH, json!("[redacted]")));
        assert_eq!(redact(&deep, &[&[Field("b")]]), None);
        let members = [("b".to_owned(), json!(1)), ("deep".to_owned(), deep)];
        assert!(redact(&Value::Object(members.into_iter().collect()), &[&[Field("b")]]).is_some());
    }

    #[test]
    fn many_deep_steps_cost_no_more_than_their_number() {
        let value = nested(150, json!(1));
        let path: Vec<_> = (0..60).flat_map(|_| [Deep, Field("a")]).chain([Field("none")]).collect();
        assert_eq!(redact(&value, &[&path]), None);
    }
}
