//! Exact arithmetic on numbers, times and durations.

use super::{Decimal, Est, Fuel, Items, Val};

/// `a + b`: two numbers, two durations, or a time and a duration.
#[must_use]
pub fn add<'a>(fuel: &Fuel, left: Est<'a>, right: Est<'a>) -> Est<'a> {
    if !fuel.spend(1) {
        return None;
    }
    match (left?, right?) {
        (Val::Number(left), Val::Number(right)) => left.checked_add(right).map(Val::Number),
        (Val::Duration(left), Val::Duration(right)) => left.checked_add(right).map(Val::Duration),
        (Val::Time(time), Val::Duration(duration)) | (Val::Duration(duration), Val::Time(time)) => {
            time.checked_add(duration).map(Val::Time)
        }
        _ => None,
    }
}

/// `a - b`: two numbers, two durations, two times, or a duration from a time.
#[must_use]
pub fn subtract<'a>(fuel: &Fuel, left: Est<'a>, right: Est<'a>) -> Est<'a> {
    if !fuel.spend(1) {
        return None;
    }
    match (left?, right?) {
        (Val::Number(left), Val::Number(right)) => left.checked_sub(right).map(Val::Number),
        (Val::Duration(left), Val::Duration(right)) => left.checked_sub(right).map(Val::Duration),
        (Val::Time(left), Val::Time(right)) => Some(Val::Duration(left.since(right))),
        (Val::Time(time), Val::Duration(duration)) => time.checked_sub(duration).map(Val::Time),
        _ => None,
    }
}

/// `a * b`: two numbers, or a number and a duration.
#[must_use]
pub fn multiply<'a>(fuel: &Fuel, left: Est<'a>, right: Est<'a>) -> Est<'a> {
    if !fuel.spend(1) {
        return None;
    }
    match (left?, right?) {
        (Val::Number(left), Val::Number(right)) => left.checked_mul(right).map(Val::Number),
        (Val::Number(factor), Val::Duration(duration)) | (Val::Duration(duration), Val::Number(factor)) => {
            duration.checked_mul(factor).map(Val::Duration)
        }
        _ => None,
    }
}

/// `sum(list)`: the exact sum of a list of numbers; 0 for an empty one.
#[must_use]
pub fn sum<'a>(fuel: &Fuel, list: Est<'a>) -> Est<'a> {
    let mut sum = Decimal::ZERO;
    for item in Items::complete(list?)? {
        match item? {
            Val::Number(number) if fuel.spend(1) => sum = sum.checked_add(number)?,
            _ => return None,
        }
    }
    Some(Val::Number(sum))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::value::{Duration, Time};

    fn read(value: &Value) -> Est<'_> {
        Some(Val::from_json(value))
    }

    fn number<'a>(text: &str) -> Est<'a> {
        Decimal::parse(text).map(Val::Number)
    }

    #[test]
    fn numbers_are_exact_and_overflow_is_not_established() {
        let fuel = Fuel::new();
        assert_eq!(add(&fuel, read(&json!(0.1)), read(&json!(0.2))), number("0.3"));
        assert_eq!(subtract(&fuel, number("1"), number("0.9")), number("0.1"));
        assert_eq!(multiply(&fuel, number("1e30"), number("1e30")), None);
        assert_eq!(add(&fuel, read(&json!(1e300)), number("1")), None);
        assert_eq!(add(&fuel, read(&json!("1")), number("1")), None);
        assert_eq!(add(&fuel, None, number("1")), None);
    }

    #[test]
    fn times_and_durations_combine() {
        let fuel = Fuel::new();
        let hour = || Duration::parse("1h").map(Val::Duration);
        let time = |text: &str| Time::parse(text).map(Val::Time);
        assert_eq!(add(&fuel, hour(), time("2024-01-01T23:30:00Z")), time("2024-01-02T00:30:00Z"));
        assert_eq!(subtract(&fuel, time("2024-01-02T00:30:00Z"), hour()), time("2024-01-01T23:30:00Z"));
        assert_eq!(subtract(&fuel, time("2024-01-01T01:00:00Z"), time("2024-01-01T00:00:00Z")), hour());
        assert_eq!(subtract(&fuel, hour(), time("2024-01-01T01:00:00Z")), None);
        assert_eq!(multiply(&fuel, number("1.5"), hour()), Duration::parse("90m").map(Val::Duration));
        assert_eq!(multiply(&fuel, hour(), number("0.0000000000000001")), None, "not whole nanoseconds");
        assert_eq!(add(&fuel, time("9999-12-31T23:30:00Z"), hour()), None);
    }

    #[test]
    fn a_sum_needs_every_number() {
        let fuel = Fuel::new();
        assert_eq!(sum(&fuel, read(&json!([0.1, 0.2, 1]))), number("1.3"));
        assert_eq!(sum(&fuel, read(&json!([]))), number("0"));
        assert_eq!(sum(&fuel, read(&json!([1, "2"]))), None);
        assert_eq!(sum(&fuel, read(&json!([1, 1e300]))), None);
        assert_eq!(sum(&fuel, Some(Val::List(vec![number("1"), None]))), None);
        assert_eq!(sum(&fuel, read(&json!(1))), None);
    }
}
