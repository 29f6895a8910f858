//! Equality, order, and membership in lists.

use std::cmp::Ordering;

use serde_json::Value;

use super::{Datum, Est, Fuel, Items, MAX_DEPTH, Map, Val};
use crate::Truth;

/// `a == b`. Values of different types are not comparable, except that everything differs from null; lists and objects are
/// compared by their elements.
#[must_use]
pub fn eq(fuel: &Fuel, left: Est<'_>, right: Est<'_>) -> Truth {
    match (left, right) {
        (Some(left), Some(right)) => same(fuel, &left, &right, MAX_DEPTH),
        _ => Truth::Unknown,
    }
}

/// `a != b`.
#[must_use]
pub fn ne(fuel: &Fuel, left: Est<'_>, right: Est<'_>) -> Truth {
    !eq(fuel, left, right)
}

/// `a < b`: two numbers, two strings (by bytes), two times, or two durations.
#[must_use]
pub fn lt(fuel: &Fuel, left: Est<'_>, right: Est<'_>) -> Truth {
    ordered(fuel, left, right, Ordering::is_lt)
}

/// `a <= b`.
#[must_use]
pub fn le(fuel: &Fuel, left: Est<'_>, right: Est<'_>) -> Truth {
    ordered(fuel, left, right, Ordering::is_le)
}

/// `a > b`.
#[must_use]
pub fn gt(fuel: &Fuel, left: Est<'_>, right: Est<'_>) -> Truth {
    ordered(fuel, left, right, Ordering::is_gt)
}

/// `a >= b`.
#[must_use]
pub fn ge(fuel: &Fuel, left: Est<'_>, right: Est<'_>) -> Truth {
    ordered(fuel, left, right, Ordering::is_ge)
}

/// `item in list`: the Kleene disjunction of `==` over a list, membership in a set, or presence of a key in a state map.
#[must_use]
pub fn is_in(fuel: &Fuel, item: Est<'_>, list: Est<'_>) -> Truth {
    list.map_or(Truth::Unknown, |list| member(fuel, item.as_ref(), &list))
}

/// Membership by reference, so that one list serves many items.
pub(super) fn member(fuel: &Fuel, item: Option<&Val<'_>>, list: &Val<'_>) -> Truth {
    if !fuel.spend(1) {
        return Truth::Unknown;
    }
    let found = |element: Option<&Val<'_>>| match (item, element) {
        (Some(item), Some(element)) => same(fuel, item, element, MAX_DEPTH),
        _ => Truth::Unknown,
    };
    match (list, item) {
        (Val::List(list), _) => exists(fuel, list.iter(), |element| found(element.as_ref())),
        (Val::Json(json), _) => match &**json {
            Value::Array(array) => exists(fuel, array.iter(), |element| found(Some(&Val::from_json(element)))),
            _ => Truth::Unknown,
        },
        (Val::Set(set), Some(item)) => set.membership(item),
        (Val::Map(map), Some(key)) => map.membership(key),
        (Val::Set(set), None) if set.is_empty() && !set.unsure => Truth::False,
        (Val::Map(map), None) if map.is_empty() && !map.unsure => Truth::False,
        _ => Truth::Unknown,
    }
}

/// Kleene disjunction, ended by the first true.
fn exists<T>(fuel: &Fuel, items: impl Iterator<Item = T>, holds: impl Fn(T) -> Truth) -> Truth {
    let mut any = Truth::False;
    for item in items {
        if !fuel.spend(1) {
            return Truth::Unknown;
        }
        any = any.or(holds(item));
        if any == Truth::True {
            break;
        }
    }
    any
}

/// `min(…)`: the smallest of the arguments, or of the one list. They must all be of one type that has an order.
#[must_use]
pub fn min<'a>(fuel: &Fuel, values: Vec<Est<'a>>) -> Est<'a> {
    extreme(fuel, values, Ordering::is_lt)
}

/// `max(…)`: the largest of the arguments, or of the one list.
#[must_use]
pub fn max<'a>(fuel: &Fuel, values: Vec<Est<'a>>) -> Est<'a> {
    extreme(fuel, values, Ordering::is_gt)
}

fn extreme<'a>(fuel: &Fuel, mut values: Vec<Est<'a>>, better: fn(Ordering) -> bool) -> Est<'a> {
    let items = match (values.pop(), values.is_empty()) {
        (Some(only), true) => match only? {
            list @ (Val::Json(_) | Val::List(_) | Val::Set(_)) => Items::complete(list)?,
            single => Items::of(Val::List(vec![Some(single)]))?,
        },
        (last, _) => {
            values.extend(last);
            Items::of(Val::List(values))?
        }
    };
    let mut best: Est<'a> = None;
    for item in items {
        let item = item?;
        let ordering = match &best {
            Some(best) => order(fuel, &item, best)?,
            // Also a single value must be of a type that has an order.
            None => order(fuel, &item, &item)?,
        };
        if best.is_none() || better(ordering) {
            best = Some(item);
        }
    }
    best
}

fn ordered(fuel: &Fuel, left: Est<'_>, right: Est<'_>, holds: fn(Ordering) -> bool) -> Truth {
    match (left, right) {
        (Some(left), Some(right)) => {
            order(fuel, &left, &right).map_or(Truth::Unknown, |ordering| Truth::of(holds(ordering)))
        }
        _ => Truth::Unknown,
    }
}

fn order(fuel: &Fuel, left: &Val<'_>, right: &Val<'_>) -> Option<Ordering> {
    let size = match (left, right) {
        (Val::Text(left), Val::Text(right)) => left.len().min(right.len()),
        _ => 0,
    };
    if !fuel.spend_on(size) {
        return None;
    }
    match (left, right) {
        (Val::Number(left), Val::Number(right)) => Some(left.cmp(right)),
        (Val::Text(left), Val::Text(right)) => Some(left.as_bytes().cmp(right.as_bytes())),
        (Val::Time(left), Val::Time(right)) => Some(left.cmp(right)),
        (Val::Duration(left), Val::Duration(right)) => Some(left.cmp(right)),
        _ => None,
    }
}

/// Equality of two established values, followed at most `depth` levels down.
fn same(fuel: &Fuel, left: &Val<'_>, right: &Val<'_>, depth: usize) -> Truth {
    if !fuel.spend(1) {
        return Truth::Unknown;
    }
    match (left, right) {
        (Val::Null, Val::Null) => Truth::True,
        (Val::Null, _) | (_, Val::Null) => Truth::False,
        (Val::Bool(left), Val::Bool(right)) => Truth::of(left == right),
        (Val::Number(left), Val::Number(right)) => Truth::of(left == right),
        (Val::Text(left), Val::Text(right)) => {
            if left.len() != right.len() {
                Truth::False
            } else if left.len() < 256 || fuel.spend_on(left.len()) {
                Truth::of(left == right)
            } else {
                Truth::Unknown
            }
        }
        (Val::Time(left), Val::Time(right)) => Truth::of(left == right),
        (Val::Duration(left), Val::Duration(right)) => Truth::of(left == right),
        (Val::Set(left), Val::Set(right)) => {
            if fuel.spend(u32::try_from(left.len().max(right.len())).unwrap_or(u32::MAX)) {
                left.equals(right)
            } else {
                Truth::Unknown
            }
        }
        (Val::Map(left), Val::Map(right)) => same_maps(fuel, left, right, depth),
        (Val::Json(left), Val::Json(right)) => same_json(fuel, left, right, depth),
        (Val::List(left), Val::List(right)) => {
            all_same(fuel, left.iter().map(view), right.iter().map(view), (left.len(), right.len()), depth)
        }
        (Val::List(list), Val::Json(json)) | (Val::Json(json), Val::List(list)) => match &**json {
            Value::Array(array) => {
                all_same(fuel, list.iter().map(view), array.iter().map(read), (list.len(), array.len()), depth)
            }
            _ => Truth::Unknown,
        },
        _ => Truth::Unknown,
    }
}

fn same_json(fuel: &Fuel, left: &Value, right: &Value, depth: usize) -> Truth {
    match (left, right) {
        (Value::Array(left), Value::Array(right)) => {
            all_same(fuel, left.iter().map(read), right.iter().map(read), (left.len(), right.len()), depth)
        }
        (Value::Object(left), Value::Object(right)) => {
            if left.len() != right.len() {
                return Truth::False;
            }
            let members = left.iter().map(|(key, value)| (key.len(), right.get(key).map(|other| (value, other))));
            for_all(members, |(size, pair)| match (fuel.spend_on(size), pair) {
                (false, _) => Truth::Unknown,
                (true, None) => Truth::False,
                (true, Some((value, other))) => below(fuel, &Val::from_json(value), &Val::from_json(other), depth),
            })
        }
        _ => Truth::Unknown,
    }
}

fn same_maps(fuel: &Fuel, left: &Map, right: &Map, depth: usize) -> Truth {
    if left.unsure || right.unsure {
        return Truth::Unknown;
    }
    if left.len() != right.len() {
        return Truth::False;
    }
    for_all(left.entries.iter(), |(key, value)| {
        let other = right.get(key.as_ref()).map(Datum::as_val);
        other.map_or(Truth::False, |other| below(fuel, &value.as_val(), &other, depth))
    })
}

fn all_same<'v>(
    fuel: &Fuel,
    left: impl Iterator<Item = Est<'v>>,
    right: impl Iterator<Item = Est<'v>>,
    lengths: (usize, usize),
    depth: usize,
) -> Truth {
    if lengths.0 != lengths.1 {
        return Truth::False;
    }
    for_all(left.zip(right), |pair| match pair {
        (Some(left), Some(right)) => below(fuel, &left, &right, depth),
        _ => Truth::Unknown,
    })
}

/// Equality one level down.
fn below(fuel: &Fuel, left: &Val<'_>, right: &Val<'_>, depth: usize) -> Truth {
    depth.checked_sub(1).map_or(Truth::Unknown, |depth| same(fuel, left, right, depth))
}

/// Kleene conjunction, ended by the first false.
fn for_all<T>(items: impl Iterator<Item = T>, mut holds: impl FnMut(T) -> Truth) -> Truth {
    let mut all = Truth::True;
    for item in items {
        all = all.and(holds(item));
        if all == Truth::False {
            break;
        }
    }
    all
}

fn view<'v>(element: &'v Est<'_>) -> Est<'v> {
    element.as_ref().map(Val::view)
}

fn read(value: &Value) -> Est<'_> {
    Some(Val::from_json(value))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::value::{Duration, Scalar, Set, Time};

    fn equal(left: &Value, right: &Value) -> Truth {
        let fuel = Fuel::new();
        let one = eq(&fuel, read(left), read(right));
        assert_eq!(one, eq(&fuel, read(right), read(left)), "symmetric: {left} {right}");
        assert_eq!(one, !ne(&fuel, read(left), read(right)));
        one
    }

    #[test]
    fn equal_numbers_are_equal_however_they_are_spelled() {
        assert_eq!(equal(&json!(1), &json!(1.0)), Truth::True);
        assert_eq!(equal(&json!(0.1), &json!(0.10)), Truth::True);
        assert_eq!(equal(&json!(9_007_199_254_740_993_i64), &json!(9_007_199_254_740_992_i64)), Truth::False);
        assert_eq!(equal(&json!(1e300), &json!(1e300)), Truth::Unknown);
    }

    #[test]
    fn types_do_not_compare_except_with_null() {
        let values = [json!(1), json!("1"), json!(true), json!([1]), json!({"a": 1})];
        for (i, left) in values.iter().enumerate() {
            for (j, right) in values.iter().enumerate() {
                assert_eq!(equal(left, right), if i == j { Truth::True } else { Truth::Unknown });
            }
            assert_eq!(equal(left, &json!(null)), Truth::False);
        }
        assert_eq!(equal(&json!(null), &json!(null)), Truth::True);
        assert_eq!(equal(&json!(1e300), &json!(null)), Truth::False);
        assert_eq!(eq(&Fuel::new(), None, Some(Val::Null)), Truth::Unknown);
    }

    #[test]
    fn structures_compare_by_kleene_conjunction() {
        assert_eq!(equal(&json!([1, "a"]), &json!([1, "a"])), Truth::True);
        assert_eq!(equal(&json!([1]), &json!([1, 2])), Truth::False);
        assert_eq!(equal(&json!([1, 2]), &json!(["1", 2])), Truth::Unknown);
        assert_eq!(equal(&json!([1, 2]), &json!(["1", 3])), Truth::False);
        assert_eq!(equal(&json!({"a": 1}), &json!({"b": 1})), Truth::False);
        assert_eq!(equal(&json!({"a": 1, "b": 2}), &json!({"b": 2, "a": 1})), Truth::True);
        assert_eq!(equal(&json!({"a": 1, "b": 2}), &json!({"a": "1", "b": 3})), Truth::False);
        let fuel = Fuel::new();
        let list = || Some(Val::List(vec![Some(Val::Number(1_i64.into())), None]));
        assert_eq!(eq(&fuel, list(), read(&json!([1, 2]))), Truth::Unknown);
        assert_eq!(eq(&fuel, list(), read(&json!([2, 2]))), Truth::False);
        assert_eq!(eq(&fuel, list(), list()), Truth::Unknown);
    }

    #[test]
    fn order_needs_one_type() {
        let fuel = Fuel::new();
        assert_eq!(lt(&fuel, read(&json!(1)), read(&json!(1.5))), Truth::True);
        assert_eq!(ge(&fuel, read(&json!(1)), read(&json!(1.0))), Truth::True);
        assert_eq!(lt(&fuel, read(&json!("Z")), read(&json!("a"))), Truth::True);
        assert_eq!(gt(&fuel, read(&json!("é")), read(&json!("z"))), Truth::True, "by bytes");
        assert_eq!(le(&fuel, read(&json!("1")), read(&json!(2))), Truth::Unknown);
        assert_eq!(le(&fuel, read(&json!(1e300)), read(&json!(2))), Truth::Unknown);
        assert_eq!(lt(&fuel, read(&json!(false)), read(&json!(true))), Truth::Unknown);
        assert_eq!(le(&fuel, read(&json!(null)), read(&json!(null))), Truth::Unknown);
        let [day, time] = [Val::Duration(Duration::from_nanos(1)), Val::Time(Time::EPOCH)];
        assert_eq!(le(&fuel, Some(day.view()), Some(day.view())), Truth::True);
        assert_eq!(le(&fuel, Some(day), Some(time)), Truth::Unknown);
    }

    #[test]
    fn membership_is_the_disjunction_of_equalities() {
        let fuel = Fuel::new();
        let within = |item: &Value, list: &Value| is_in(&fuel, read(item), read(list));
        assert_eq!(within(&json!("a"), &json!(["b", "a"])), Truth::True);
        assert_eq!(within(&json!("a"), &json!(["b"])), Truth::False);
        assert_eq!(within(&json!("a"), &json!([1, "a"])), Truth::True);
        assert_eq!(within(&json!("a"), &json!([1, "b"])), Truth::Unknown);
        assert_eq!(within(&json!("a"), &json!([])), Truth::False);
        assert_eq!(within(&json!("a"), &json!("abc")), Truth::Unknown);
        assert_eq!(within(&json!("a"), &json!({"a": 1})), Truth::Unknown);
        assert_eq!(is_in(&fuel, None, read(&json!([]))), Truth::False);
        assert_eq!(is_in(&fuel, None, read(&json!([1]))), Truth::Unknown);
        let mut set = Set::new();
        assert_eq!(is_in(&fuel, None, Some(Val::Set(&set))), Truth::False);
        set.insert(Scalar::Text("a".into()));
        assert_eq!(is_in(&fuel, Some("a".into()), Some(Val::Set(&set))), Truth::True);
        assert_eq!(is_in(&fuel, None, Some(Val::Set(&set))), Truth::Unknown);
    }

    #[test]
    fn extremes_are_of_the_arguments_or_of_one_list() {
        let fuel = Fuel::new();
        let number = |n: i64| Some(Val::Number(n.into()));
        assert_eq!(min(&fuel, vec![number(3), number(1), number(2)]), number(1));
        assert_eq!(max(&fuel, vec![read(&json!([3, 1, 2]))]), number(3));
        assert_eq!(max(&fuel, vec![number(3)]), number(3));
        assert_eq!(min(&fuel, vec![read(&json!([]))]), None);
        assert_eq!(min(&fuel, vec![number(3), None]), None);
        assert_eq!(min(&fuel, vec![number(3), Some("a".into())]), None);
        assert_eq!(min(&fuel, vec![Some(Val::Inexact)]), None);
        assert_eq!(min(&fuel, vec![]), None);
    }

    #[test]
    fn values_nested_without_end_are_not_established() {
        let nested = |depth: usize| (0..depth).fold(json!(1), |inner, _| Value::Array(vec![inner]));
        assert_eq!(equal(&nested(127), &nested(127)), Truth::True);
        assert_eq!(equal(&nested(5_000), &nested(5_000)), Truth::Unknown);
    }

    #[test]
    fn comparing_costs_fuel() {
        let fuel = Fuel::new();
        let long = Value::Array(vec![json!("x"); 100_000]);
        assert_eq!(eq(&fuel, read(&long), read(&long)), Truth::Unknown);
        assert_eq!(eq(&fuel, read(&json!(1)), read(&json!(1))), Truth::Unknown, "stays exhausted");
        let text = json!("x".repeat(256 * 70_000));
        assert_eq!(eq(&Fuel::new(), read(&text), read(&text)), Truth::Unknown);
        assert_eq!(is_in(&Fuel::new(), read(&json!("y")), read(&long)), Truth::Unknown);
    }
}
