//! Quantifiers over lists and sets: Kleene, in the order of the elements, ended by the element that decides.

use super::{Est, Fuel, Items, Val};
use crate::Truth;

/// `all(x in list => p)`: true for an empty list.
pub fn all<'a>(fuel: &Fuel, list: Est<'a>, mut holds: impl FnMut(Est<'a>) -> Truth) -> Truth {
    let Some(items) = list.and_then(Items::of) else { return Truth::Unknown };
    // Members that a set may have besides could fail.
    let mut all = if items.is_complete() { Truth::True } else { Truth::Unknown };
    for item in items {
        if !fuel.spend(1) {
            return Truth::Unknown;
        }
        all = all.and(holds(item));
        if all == Truth::False {
            break;
        }
    }
    all
}

/// `any(x in list => p)`: false for an empty list.
pub fn any<'a>(fuel: &Fuel, list: Est<'a>, mut holds: impl FnMut(Est<'a>) -> Truth) -> Truth {
    !all(fuel, list, |item| !holds(item))
}

/// `none(x in list => p)`: true for an empty list.
pub fn none<'a>(fuel: &Fuel, list: Est<'a>, mut holds: impl FnMut(Est<'a>) -> Truth) -> Truth {
    all(fuel, list, |item| !holds(item))
}

/// `count(x in list => p)`: how many elements hold; not established if one is not.
pub fn count<'a>(fuel: &Fuel, list: Est<'a>, mut holds: impl FnMut(Est<'a>) -> Truth) -> Est<'a> {
    let mut count = 0_u64;
    for item in Items::complete(list?)? {
        if !fuel.spend(1) {
            return None;
        }
        match holds(item) {
            Truth::True => count = count.checked_add(1)?,
            Truth::False => {}
            Truth::Unknown => return None,
        }
    }
    Some(Val::Number(count.into()))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::value::{Scalar, Set, eq, truth};

    fn over(list: &Value) -> (Truth, Truth, Truth, Option<usize>) {
        let fuel = Fuel::new();
        let list = || Some(Val::from_json(list));
        let count = count(&fuel, list(), truth).and_then(|count| count.as_number()?.as_index());
        (all(&fuel, list(), truth), any(&fuel, list(), truth), none(&fuel, list(), truth), count)
    }

    #[test]
    fn quantifiers_are_kleene() {
        use Truth::{False, True, Unknown};
        assert_eq!(over(&json!([])), (True, False, True, Some(0)));
        assert_eq!(over(&json!([true, true])), (True, True, False, Some(2)));
        assert_eq!(over(&json!([true, false])), (False, True, False, Some(1)));
        assert_eq!(over(&json!([true, "x"])), (Unknown, True, False, None));
        assert_eq!(over(&json!(["x", false])), (False, Unknown, Unknown, None));
        assert_eq!(over(&json!({"a": true})), (Unknown, Unknown, Unknown, None));
    }

    #[test]
    fn an_unsure_set_may_have_more_members() {
        let fuel = Fuel::new();
        let set = Set { members: [Scalar::Text("a".into())].into(), unsure: true };
        let set = || Some(Val::Set(&set));
        let is = |text: &'static str| move |item: Est<'_>| eq(&Fuel::new(), item, Some(text.into()));
        assert_eq!(all(&fuel, set(), is("a")), Truth::Unknown);
        assert_eq!(all(&fuel, set(), is("b")), Truth::False);
        assert_eq!(any(&fuel, set(), is("a")), Truth::True);
        assert_eq!(any(&fuel, set(), is("b")), Truth::Unknown);
        assert_eq!(count(&fuel, set(), is("a")), None);
    }

    #[test]
    fn nesting_is_bounded_by_fuel() {
        let fuel = Fuel::new();
        let list = json!(vec![1; 1_000]);
        let list = || Some(Val::from_json(&list));
        let mut visits = 0_u32;
        let nested = all(&fuel, list(), |_| {
            all(&fuel, list(), |_| {
                visits = visits.saturating_add(1);
                Truth::True
            })
        });
        assert_eq!(nested, Truth::Unknown);
        assert!(visits <= Fuel::BUDGET);
    }
}
