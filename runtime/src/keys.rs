//! The keys that an event touches: one, each element of a list, or all.

use std::collections::HashSet;

use serde_json::Value;

use crate::key::{Part, Parts};
use crate::value::{Est, Val};

/// The most elements of a list that an event may fan out to.
const MOST_ELEMENTS: usize = 1_000;

/// The keys that an event touches.
pub trait Keys {
    /// Which they are.
    fn shape(&self) -> Shape<'_>;
}

/// How an event touches keys.
#[derive(Clone, Copy, Debug)]
pub enum Shape<'k> {
    /// One key, readable or not.
    One(Parts<'k>),
    /// Each of these readable, distinct keys.
    Each(&'k [Vec<Option<Part<'k>>>]),
    /// Every key, those never seen too.
    All,
}

/// What a rule with fan-outs or broadcasts makes of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Touched<'p> {
    /// One key.
    One(Vec<Option<Part<'p>>>),
    /// Each of these.
    Each(Vec<Vec<Option<Part<'p>>>>),
    /// Every key.
    All,
}

impl<const N: usize> Keys for [Option<Part<'_>>; N] {
    #[inline]
    fn shape(&self) -> Shape<'_> {
        Shape::One(self)
    }
}

impl Keys for [Option<Part<'_>>] {
    #[inline]
    fn shape(&self) -> Shape<'_> {
        Shape::One(self)
    }
}

impl Keys for Vec<Option<Part<'_>>> {
    #[inline]
    fn shape(&self) -> Shape<'_> {
        Shape::One(self)
    }
}

impl Keys for Touched<'_> {
    #[inline]
    fn shape(&self) -> Shape<'_> {
        match self {
            Self::One(key) => Shape::One(key),
            Self::Each(keys) => Shape::Each(keys),
            Self::All => Shape::All,
        }
    }
}

/// The keys of a fan-out, of which one component is a list; `before` and `after` are the components around it. Unreadable
/// as a whole if the list is none, is empty, has more than 1,000 elements, or has an element that is no component. With `skip`
/// (`missing: skip`), a list that is absent or null leaves the event out.
pub fn fan_out<'p>(
    before: Vec<Option<Part<'p>>>,
    list: Est<'p>,
    skip: bool,
    normalize: impl FnMut(Est<'p>) -> Option<Part<'p>>,
    after: Vec<Option<Part<'p>>>,
) -> Touched<'p> {
    let unread = if skip && matches!(list, None | Some(Val::Null)) { Some(Part::Absent) } else { None };
    // An element that is null is no key of its own: `missing: skip` is about the list.
    let readable = |part: Option<Part<'p>>| part.filter(|part| *part != Part::Absent);
    let parts = elements(list)
        .and_then(|elements| elements.into_iter().map(normalize).map(readable).collect::<Option<Vec<_>>>());
    let around = before.iter().chain(&after);
    let Some(parts) = parts.filter(|_| around.clone().all(|part| !matches!(part, None | Some(Part::Absent)))) else {
        return Touched::One([before, vec![unread], after].concat());
    };
    let mut seen = HashSet::new();
    let distinct = parts.into_iter().filter(|part| seen.insert(part.clone()));
    let key = |part| before.iter().cloned().chain([Some(part)]).chain(after.iter().cloned()).collect();
    Touched::Each(distinct.map(key).collect())
}

fn elements(list: Est<'_>) -> Option<Vec<Est<'_>>> {
    use std::borrow::Cow;
    let length = match &list {
        Some(Val::Json(json)) => json.as_array()?.len(),
        Some(Val::List(list)) => list.len(),
        _ => return None,
    };
    if !(1..=MOST_ELEMENTS).contains(&length) {
        return None;
    }
    match list {
        Some(Val::Json(Cow::Borrowed(Value::Array(list)))) => {
            Some(list.iter().map(|element| Some(Val::from_json(element))).collect())
        }
        Some(Val::Json(Cow::Owned(Value::Array(list)))) => {
            Some(list.into_iter().map(|element| Some(Val::from_owned_json(element))).collect())
        }
        Some(Val::List(list)) => Some(list),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn out(list: &Value) -> Touched<'_> {
        let all = Some(Part::Bool(true));
        fan_out(vec![all.clone()], Some(Val::from_json(list)), false, Part::new, vec![all])
    }

    fn keys(touched: &Touched<'_>) -> Vec<Vec<Value>> {
        match touched.shape() {
            Shape::Each(keys) => keys.iter().map(|key| crate::key::to_json(key)).collect(),
            Shape::One(key) => vec![crate::key::to_json(key)],
            Shape::All => Vec::new(),
        }
    }

    #[test]
    fn a_list_touches_each_distinct_element_in_its_order() {
        let list = json!(["b", "a", 1, "b", 1.0, "1"]);
        let found: Vec<Value> = keys(&out(&list)).into_iter().map(|mut key| key.remove(1)).collect();
        assert_eq!(found, [json!("b"), json!("a"), json!(1), json!("1")]);
    }

    #[test]
    fn what_is_not_a_list_of_keys_is_one_key_that_cannot_be_read() {
        let long = Value::from(vec![0; 1_001]);
        for list in [json!([]), json!("a"), json!({"a": 1}), json!(null), json!(["a", null]), json!([["a"]]), long] {
            let touched = out(&list);
            assert!(matches!(&touched, Touched::One(key) if key.len() == 3 && key[1].is_none()), "{list}");
        }
        assert!(matches!(out(&Value::from(vec![0; 1_000])), Touched::Each(keys) if keys.len() == 1));
        assert!(matches!(fan_out(vec![None], Some(Val::List(vec![])), false, Part::new, vec![]), Touched::One(_)));
    }

    #[test]
    fn a_list_that_is_absent_leaves_the_event_out_where_the_rule_says_so() {
        for list in [None, Some(Val::Null)] {
            let touched = |skip| fan_out(vec![], list.clone(), skip, Part::new, vec![]);
            assert_eq!(touched(true), Touched::One(vec![Some(Part::Absent)]));
            assert_eq!(touched(false), Touched::One(vec![None]));
        }
        assert_eq!(fan_out(vec![], Some(Val::text("a")), true, Part::new, vec![]), Touched::One(vec![None]));
    }

    #[test]
    fn a_component_beside_the_list_that_is_absent_leaves_the_event_out() {
        let list = json!(["a"]);
        let touched = fan_out(vec![Some(Part::Absent)], Some(Val::from_json(&list)), false, Part::new, vec![]);
        assert!(matches!(touched.shape(), Shape::One(key) if crate::key::is_skipped(key)));
    }
}
