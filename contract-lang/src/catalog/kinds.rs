//! Which kinds of JSON value something may be.

use serde_json::Value;

/// A set of kinds of JSON value. Whole numbers are told from others, as JSON Schema does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kinds(u8);

impl Kinds {
    /// None: no value.
    pub const NONE: Self = Self(0);
    /// `null`.
    pub const NULL: Self = Self(1);
    /// A truth value.
    pub const BOOL: Self = Self(2);
    /// A whole number.
    pub const INTEGER: Self = Self(4);
    /// A number that is not whole.
    pub const FRACTION: Self = Self(8);
    /// Any number.
    pub const NUMBER: Self = Self(12);
    /// A string.
    pub const STRING: Self = Self(16);
    /// A list.
    pub const LIST: Self = Self(32);
    /// An object.
    pub const OBJECT: Self = Self(64);
    /// Any value.
    pub const ANY: Self = Self(127);

    /// Each kind, with an article, for messages.
    const DESCRIBED: [(Self, &'static str); 6] = [
        (Self::STRING, "a string"),
        (Self::NUMBER, "a number"),
        (Self::BOOL, "true or false"),
        (Self::LIST, "a list"),
        (Self::OBJECT, "an object"),
        (Self::NULL, "null"),
    ];

    /// The kind of a value.
    #[must_use]
    pub fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOL,
            Value::Number(number) if number.as_f64().is_some_and(|number| number.fract() != 0.0) => Self::FRACTION,
            Value::Number(_) => Self::INTEGER,
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::LIST,
            Value::Object(_) => Self::OBJECT,
        }
    }

    /// The kinds that JSON Schema calls so.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "null" => Self::NULL,
            "boolean" => Self::BOOL,
            "integer" => Self::INTEGER,
            "number" => Self::NUMBER,
            "string" => Self::STRING,
            "array" => Self::LIST,
            "object" => Self::OBJECT,
            _ => return None,
        })
    }

    /// The kinds of either.
    #[must_use]
    pub fn or(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// The kinds of both.
    #[must_use]
    pub fn and(self, others: Self) -> Self {
        Self(self.0 & others.0)
    }

    /// Those that are not among the others.
    #[must_use]
    pub fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    /// Whether a value may be of one of the others.
    #[must_use]
    pub fn meets(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }

    /// With articles, for messages: `a string or a list`.
    #[must_use]
    pub fn described(self) -> String {
        if self == Self::INTEGER {
            return "a whole number".to_owned();
        }
        if self == Self::ANY {
            return "any value".to_owned();
        }
        let kinds: Vec<_> =
            Self::DESCRIBED.iter().filter(|(kinds, _)| self.meets(*kinds)).map(|(_, words)| *words).collect();
        match kinds.split_last() {
            None => "nothing".to_owned(),
            Some((last, [])) => (*last).to_owned(),
            Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        }
    }
}
