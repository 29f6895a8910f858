//! Operations on strings.

use std::borrow::Cow;

use regex::Regex;

use super::compare::member;
use super::{Est, Fuel, Val, glob_matches};
use crate::Truth;

/// `x like "glob"`: anchored, `*` for any characters, `?` for one.
#[must_use]
pub fn like(fuel: &Fuel, text: Est<'_>, glob: &str) -> Truth {
    test(fuel, text, |text| glob_matches(glob, text))
}

/// `x matches r"regex"`: a search, not anchored.
#[must_use]
pub fn matches(fuel: &Fuel, text: Est<'_>, regex: &Regex) -> Truth {
    test(fuel, text, |text| regex.is_match(text))
}

/// `lower(x)`, by the rules of Unicode.
#[must_use]
pub fn lower<'a>(fuel: &Fuel, text: Est<'a>) -> Est<'a> {
    let text = take(fuel, text)?;
    let is_lower = text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
    Some(Val::Text(if is_lower { text } else { Cow::Owned(text.to_lowercase()) }))
}

/// `upper(x)`, by the rules of Unicode.
#[must_use]
pub fn upper<'a>(fuel: &Fuel, text: Est<'a>) -> Est<'a> {
    let text = take(fuel, text)?;
    let is_upper = text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_lowercase());
    Some(Val::Text(if is_upper { text } else { Cow::Owned(text.to_uppercase()) }))
}

/// `trim(x)`: without the white space (of Unicode) around it.
#[must_use]
pub fn trim<'a>(fuel: &Fuel, text: Est<'a>) -> Est<'a> {
    Some(Val::Text(match take(fuel, text)? {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    }))
}

/// `starts_with(text, start)`.
#[must_use]
pub fn starts_with(fuel: &Fuel, text: Est<'_>, start: Est<'_>) -> Truth {
    test_pair(fuel, text, start, |text, start| text.starts_with(start))
}

/// `ends_with(text, end)`.
#[must_use]
pub fn ends_with(fuel: &Fuel, text: Est<'_>, end: Est<'_>) -> Truth {
    test_pair(fuel, text, end, |text, end| text.ends_with(end))
}

/// `contains(x, y)`: a string contains a string; a list or set contains a value, a state map a key.
#[must_use]
pub fn contains(fuel: &Fuel, whole: Est<'_>, part: Est<'_>) -> Truth {
    match whole {
        Some(text @ Val::Text(_)) => test_pair(fuel, Some(text), part, |text, part| text.contains(part)),
        Some(list) => member(fuel, part.as_ref(), &list),
        None => Truth::Unknown,
    }
}

/// The string, paid for.
fn take<'a>(fuel: &Fuel, text: Est<'a>) -> Option<Cow<'a, str>> {
    match text {
        Some(Val::Text(text)) if fuel.spend_on(text.len()) => Some(text),
        _ => None,
    }
}

fn test(fuel: &Fuel, text: Est<'_>, holds: impl FnOnce(&str) -> bool) -> Truth {
    take(fuel, text).map_or(Truth::Unknown, |text| Truth::of(holds(&text)))
}

fn test_pair(fuel: &Fuel, text: Est<'_>, part: Est<'_>, holds: impl FnOnce(&str, &str) -> bool) -> Truth {
    match (take(fuel, text), take(fuel, part)) {
        (Some(text), Some(part)) => Truth::of(holds(&text, &part)),
        _ => Truth::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::value::{Scalar, Set};

    #[test]
    fn tests_of_strings_are_not_established_on_anything_else() {
        let fuel = Fuel::new();
        let regex = Regex::new("b+").unwrap();
        assert_eq!(matches(&fuel, Some("abbc".into()), &regex), Truth::True);
        assert_eq!(matches(&fuel, Some("ac".into()), &regex), Truth::False);
        assert_eq!(like(&fuel, Some("abc".into()), "a*"), Truth::True);
        assert_eq!(starts_with(&fuel, Some("abc".into()), Some("ab".into())), Truth::True);
        assert_eq!(ends_with(&fuel, Some("abc".into()), Some("ab".into())), Truth::False);
        for other in [None, Some(Val::Null), Some(Val::Bool(true)), Some(Val::Inexact)] {
            assert_eq!(matches(&fuel, other.clone(), &regex), Truth::Unknown);
            assert_eq!(like(&fuel, other.clone(), "*"), Truth::Unknown);
            assert_eq!(starts_with(&fuel, Some("a".into()), other.clone()), Truth::Unknown);
            assert_eq!(lower(&fuel, other), None);
        }
    }

    #[test]
    fn case_and_white_space_are_those_of_unicode() {
        let fuel = Fuel::new();
        assert_eq!(lower(&fuel, Some("ÀB".into())), Some("àb".into()));
        assert_eq!(upper(&fuel, Some("straße".into())), Some("STRASSE".into()));
        assert_eq!(trim(&fuel, Some("\u{a0} a b\n".into())), Some("a b".into()));
        assert!(matches!(lower(&fuel, Some("ab".into())), Some(Val::Text(Cow::Borrowed(_)))));
    }

    #[test]
    fn contains_depends_on_the_first_operand() {
        let fuel = Fuel::new();
        let list = json!(["a", 1]);
        let list = || Some(Val::from_json(&list));
        assert_eq!(contains(&fuel, Some("abc".into()), Some("bc".into())), Truth::True);
        assert_eq!(contains(&fuel, Some("abc".into()), Some(Val::Bool(true))), Truth::Unknown);
        assert_eq!(contains(&fuel, list(), Some("a".into())), Truth::True);
        assert_eq!(contains(&fuel, list(), Some("b".into())), Truth::Unknown);
        let set = Set { members: [Scalar::Text("a".into())].into(), unsure: false };
        assert_eq!(contains(&fuel, Some(Val::Set(&set)), Some("b".into())), Truth::False);
    }
}
