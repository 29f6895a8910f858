//! Names: of contracts, rules, cells, patterns, types.

use crate::decode::{Leaf, Refusal, string};
use crate::syntax::yaml::Scalar;

/// Leaves that are names: a first character, further characters, a greatest length.
macro_rules! names {
    ($($(#[$doc:meta])* $ty:ident, $expected:literal, $first:literal, $further:literal, $help:literal;)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $ty(pub String);

        impl Leaf for $ty {
            const NAME: &'static str = stringify!($ty);
            const EXPECTED: &'static str = $expected;

            fn read(scalar: &Scalar) -> Result<Self, Refusal> {
                let text = string(scalar, Self::EXPECTED)?;
                if is_name(text, $first, $further) {
                    return Ok(Self(text.to_owned()));
                }
                let shown = crate::decode::shorten(text);
                Err(Refusal::bad_value(format!("`{shown}` cannot be {}", Self::EXPECTED)).help($help))
            }

            fn recover() -> Option<Self> {
                Some(Self(String::new()))
            }

            #[cfg(feature = "schema")]
            fn schema() -> serde_json::Value {
                let pattern = format!("^[{}][{}]{{0,127}}$", class($first), class($further));
                serde_json::json!({ "type": "string", "pattern": pattern })
            }
        }
    )* };
}

names! {
    /// The id of a rule. Empty only where it is missing, which was reported.
    RuleId, "a rule id", "Aa0", "Aa0_.-", "write letters, digits, `_`, `.` and `-`, with a letter or digit first, at most 128";
    /// The name of a state cell or context fact: what can follow `state.` in an expression.
    Ident, "a name in expressions", "Aa_", "Aa0_", "write letters, digits and `_`, with no digit first, at most 128";
    /// The name of a group of patterns.
    Group, "the name of a pattern", "Aa_", "Aa0_.-", "write letters, digits, `_`, `.` and `-`, with a letter or `_` first, at most 128";
}

/// Whether a text is a name. In the classes, `A`, `a` and `0` stand for all letters and digits of their kind.
fn is_name(text: &str, first: &str, further: &str) -> bool {
    let is = |c: char, class: &str| {
        let representative = match c {
            'A'..='Z' => 'A',
            'a'..='z' => 'a',
            '0'..='9' => '0',
            other => other,
        };
        class.contains(representative)
    };
    text.len() <= 128
        && text.chars().enumerate().all(|(at, c)| is(c, if at == 0 { first } else { further }))
        && !text.is_empty()
}

#[cfg(feature = "schema")]
fn class(class: &str) -> String {
    class.replace('A', "A-Z").replace('a', "a-z").replace('0', "0-9").replace('.', "\\.")
}

/// The name of a contract, of which a type name can be made: letters, digits, `-` and `_`, with a letter first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(pub String);

impl Leaf for Name {
    const NAME: &'static str = "Name";
    const EXPECTED: &'static str = "the name of a contract";

    fn read(scalar: &Scalar) -> Result<Self, Refusal> {
        let text = string(scalar, Self::EXPECTED)?;
        let refuse =
            || Refusal::bad_value(format!("`{}` cannot be the name of a contract", crate::decode::shorten(text)));
        if !is_name(text, "Aa", "Aa0_-") {
            return Err(refuse().help("write letters, digits, `-` and `_`, with a letter first, at most 128"));
        }
        if text.trim_end_matches(['-', '_']).eq_ignore_ascii_case("self") {
            return Err(refuse().help("the generated type is named after it, and `Self` is a Rust keyword"));
        }
        Ok(Self(text.to_owned()))
    }

    fn recover() -> Option<Self> {
        Some(Self("unnamed".to_owned()))
    }

    #[cfg(feature = "schema")]
    fn schema() -> serde_json::Value {
        let pattern = format!("^[{}][{}]{{0,127}}$", class("Aa"), class("Aa0_-"));
        serde_json::json!({ "type": "string", "pattern": pattern, "not": { "pattern": "^[Ss][Ee][Ll][Ff][-_]*$" } })
    }
}

/// The type of a state cell or context fact, as written: `string`, `set<string>`, `map<set<int>>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellType(pub String);

/// The types of single values.
const SCALARS: &[&str] = &["bool", "int", "decimal", "string", "time"];

impl Leaf for CellType {
    const NAME: &'static str = "Type";
    const EXPECTED: &'static str = "a type";

    fn read(scalar: &Scalar) -> Result<Self, Refusal> {
        let text = string(scalar, Self::EXPECTED)?;
        let inside = |text: &str, name: &str| {
            text.strip_prefix(name)
                .and_then(|rest| rest.strip_prefix('<'))
                .and_then(|rest| rest.strip_suffix('>'))
                .map(str::to_owned)
        };
        let is_scalar = |text: &str| SCALARS.contains(&text);
        let set = |text: &str| inside(text, "set").is_some_and(|member| is_scalar(&member));
        let map = inside(text, "map").is_some_and(|value| is_scalar(&value) || value == "json" || set(&value));
        if is_scalar(text) || text == "json" || set(text) || map {
            return Ok(Self(text.to_owned()));
        }
        let shown = crate::decode::shorten(text);
        Err(Refusal::bad_value(format!("`{shown}` is not a type")).help(
            "write `bool`, `int`, `decimal`, `string`, `time`, `json`, or `set<T>`, `map<T>`, `map<json>`, \
             `map<set<T>>` of one of the first five",
        ))
    }

    #[cfg(feature = "schema")]
    fn schema() -> serde_json::Value {
        let scalar = SCALARS.join("|");
        let pattern = format!("^({scalar}|json|set<({scalar})>|map<({scalar}|json|set<({scalar})>)>)$");
        serde_json::json!({ "type": "string", "pattern": pattern })
    }
}
