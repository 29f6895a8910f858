//! Sets and maps of the trusted state.

use std::collections::{BTreeMap, BTreeSet};

use super::scalar::AsScalar;
use super::{Datum, Scalar, ScalarRef, Val};
use crate::Truth;

/// A set of the trusted state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Set {
    /// The scalars that certainly are members.
    pub members: BTreeSet<Scalar>,
    /// Whether there may be more: then an absent member is not established.
    pub unsure: bool,
}

impl Set {
    /// The empty set.
    #[must_use]
    pub const fn new() -> Self {
        Self { members: BTreeSet::new(), unsure: false }
    }

    /// Whether a scalar certainly is a member.
    #[must_use]
    pub fn contains(&self, item: ScalarRef<'_>) -> bool {
        self.members.contains(&item as &dyn AsScalar)
    }

    /// Whether a value is a member: the Kleene disjunction of `==` over the members.
    #[must_use]
    pub fn membership(&self, item: &Val<'_>) -> Truth {
        membership(item, |item| self.contains(item), self.members.first(), self.members.last(), self.unsure)
    }

    /// Adds a member. False if it was there.
    pub fn insert(&mut self, item: Scalar) -> bool {
        self.members.insert(item)
    }

    /// Removes a member. False if it was not there.
    pub fn remove(&mut self, item: ScalarRef<'_>) -> bool {
        self.members.remove(&item as &dyn AsScalar)
    }

    /// How many certain members.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there is no certain member.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Whether two sets are equal. A member that one has for certain and the other certainly not decides it.
    pub(super) fn equals(&self, other: &Self) -> Truth {
        let lacks = |one: &Self, other: &Self| !other.unsure && !one.members.is_subset(&other.members);
        if lacks(self, other) || lacks(other, self) {
            Truth::False
        } else if self.unsure || other.unsure {
            Truth::Unknown
        } else {
            Truth::True
        }
    }
}

/// A map of the trusted state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Map {
    /// The entries that are established.
    pub entries: BTreeMap<Scalar, Datum>,
    /// Whether there may be more: then an absent key is not established.
    pub unsure: bool,
}

impl Map {
    /// The empty map.
    #[must_use]
    pub const fn new() -> Self {
        Self { entries: BTreeMap::new(), unsure: false }
    }

    /// The value at a key.
    #[must_use]
    pub fn get(&self, key: ScalarRef<'_>) -> Option<&Datum> {
        self.entries.get(&key as &dyn AsScalar)
    }

    /// The value at a key, to be changed.
    pub fn get_mut(&mut self, key: ScalarRef<'_>) -> Option<&mut Datum> {
        self.entries.get_mut(&key as &dyn AsScalar)
    }

    /// Whether a value is a key: the Kleene disjunction of `==` over the keys.
    #[must_use]
    pub fn membership(&self, key: &Val<'_>) -> Truth {
        let [first, last] = [self.entries.first_key_value(), self.entries.last_key_value()];
        let contains = |key: ScalarRef<'_>| self.get(key).is_some();
        membership(key, contains, first.map(|(key, _)| key), last.map(|(key, _)| key), self.unsure)
    }

    /// Sets the value at a key. Returns the former one.
    pub fn insert(&mut self, key: Scalar, value: Datum) -> Option<Datum> {
        self.entries.insert(key, value)
    }

    /// Removes a key. Returns its value.
    pub fn remove(&mut self, key: ScalarRef<'_>) -> Option<Datum> {
        self.entries.remove(&key as &dyn AsScalar)
    }

    /// How many established entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no established entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// Membership in ordered scalars, which stand grouped by type: if the first and the last can be compared with the item, all
/// can.
fn membership(
    item: &Val<'_>,
    contains: impl Fn(ScalarRef<'_>) -> bool,
    first: Option<&Scalar>,
    last: Option<&Scalar>,
    unsure: bool,
) -> Truth {
    if matches!(item, Val::Null) {
        return Truth::False;
    }
    let scalar = ScalarRef::of(item);
    if scalar.is_some_and(contains) {
        return Truth::True;
    }
    let comparable =
        [first, last].into_iter().flatten().all(|member| scalar.is_some_and(|item| item.is_like(member.as_ref())));
    if comparable && !unsure { Truth::False } else { Truth::Unknown }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Decimal;

    fn text(text: &str) -> Scalar {
        Scalar::Text(text.into())
    }

    fn set(members: &[&str], unsure: bool) -> Set {
        Set { members: members.iter().map(|member| text(member)).collect(), unsure }
    }

    #[test]
    fn absent_members_are_established_only_in_a_set_that_is_sure() {
        assert_eq!(set(&["a"], false).membership(&"a".into()), Truth::True);
        assert_eq!(set(&["a"], false).membership(&"b".into()), Truth::False);
        assert_eq!(set(&["a"], true).membership(&"a".into()), Truth::True);
        assert_eq!(set(&["a"], true).membership(&"b".into()), Truth::Unknown);
        assert_eq!(set(&[], true).membership(&"b".into()), Truth::Unknown);
    }

    #[test]
    fn a_value_of_another_type_is_not_established_as_absent() {
        let one = Val::Number(1_i64.into());
        assert_eq!(set(&["1"], false).membership(&one), Truth::Unknown);
        assert_eq!(set(&[], false).membership(&one), Truth::False);
        assert_eq!(set(&["1"], false).membership(&Val::Inexact), Truth::Unknown);
        assert_eq!(set(&["1"], true).membership(&Val::Null), Truth::False);
        let mut mixed = set(&["1"], false);
        mixed.insert(Scalar::Bool(true));
        assert_eq!(mixed.membership(&"2".into()), Truth::Unknown);
    }

    #[test]
    fn keys_are_type_tagged_and_numbers_are_numeric() {
        let mut map = Map::new();
        map.insert(Scalar::Number(Decimal::parse("1.0").unwrap()), Datum::Bool(true));
        map.insert(text("1"), Datum::Bool(false));
        assert_eq!(map.get(ScalarRef::Number(1_i64.into())), Some(&Datum::Bool(true)));
        assert_eq!(map.get(ScalarRef::Text("1")), Some(&Datum::Bool(false)));
        assert_eq!(map.remove(ScalarRef::Text("1")), Some(Datum::Bool(false)));
        assert_eq!(map.membership(&Val::Number(2_i64.into())), Truth::False);
    }

    #[test]
    fn equality_of_sets_is_decided_by_what_is_certain() {
        assert_eq!(set(&["a"], false).equals(&set(&["a"], false)), Truth::True);
        assert_eq!(set(&["a"], false).equals(&set(&["b"], false)), Truth::False);
        assert_eq!(set(&["a"], true).equals(&set(&["a"], false)), Truth::Unknown);
        assert_eq!(set(&["a"], true).equals(&set(&["b"], false)), Truth::False);
        assert_eq!(set(&["a"], true).equals(&set(&["a", "b"], false)), Truth::Unknown);
        assert_eq!(set(&["a"], true).equals(&set(&["b"], true)), Truth::Unknown);
    }
}
