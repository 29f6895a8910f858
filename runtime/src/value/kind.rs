//! Types of state cells and context facts.

use std::fmt;

/// The type of a state cell or of a context fact.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `bool`
    Bool,
    /// `int`: a number without decimal places.
    Int,
    /// `decimal`: an exact number.
    Decimal,
    /// `string`
    String,
    /// `time`
    Time,
    /// `json`: any JSON value.
    Json,
    /// `set<T>`, of scalars.
    Set(Box<Type>),
    /// `map<T>`: from scalars to scalars, to `json`, or to a set.
    Map(Box<Type>),
}

impl Type {
    /// Reads `string`, `set<int>`, `map<set<string>>`, `map<json>`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(value) = inside(text, "map<") {
            let value = Self::word(value).or_else(|| Self::set(value))?;
            return Some(Self::Map(Box::new(value)));
        }
        Self::word(text).or_else(|| Self::set(text))
    }

    fn set(text: &str) -> Option<Self> {
        let member = Self::word(inside(text, "set<")?).filter(Self::is_scalar)?;
        Some(Self::Set(Box::new(member)))
    }

    /// Whether its values can be members of a set and keys of a map.
    #[must_use]
    pub fn is_scalar(&self) -> bool {
        !matches!(self, Self::Json | Self::Set(_) | Self::Map(_))
    }

    /// Whether it is a set or a map.
    #[must_use]
    pub fn is_collection(&self) -> bool {
        matches!(self, Self::Set(_) | Self::Map(_))
    }

    /// A type that is one word.
    fn word(text: &str) -> Option<Self> {
        match text.trim() {
            "bool" => Some(Self::Bool),
            "int" => Some(Self::Int),
            "decimal" => Some(Self::Decimal),
            "string" => Some(Self::String),
            "time" => Some(Self::Time),
            "json" => Some(Self::Json),
            _ => None,
        }
    }
}

/// What stands between `open` and the closing bracket.
fn inside<'a>(text: &'a str, open: &str) -> Option<&'a str> {
    text.trim().strip_prefix(open)?.strip_suffix('>')
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => f.write_str("bool"),
            Self::Int => f.write_str("int"),
            Self::Decimal => f.write_str("decimal"),
            Self::String => f.write_str("string"),
            Self::Time => f.write_str("time"),
            Self::Json => f.write_str("json"),
            Self::Set(member) => write!(f, "set<{member}>"),
            Self::Map(value) => write!(f, "map<{value}>"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_read_and_print() {
        for text in [
            "bool",
            "int",
            "decimal",
            "string",
            "time",
            "json",
            "set<string>",
            "map<int>",
            "map<set<time>>",
            "map<json>",
        ] {
            assert_eq!(Type::parse(text).map(|ty| ty.to_string()).as_deref(), Some(text));
        }
        assert_eq!(Type::parse(" map< set< int > > "), Some(Type::Map(Box::new(Type::Set(Box::new(Type::Int))))));
    }

    #[test]
    fn collections_nest_only_as_maps_of_sets() {
        let deep = format!("{}int{}", "set<".repeat(10_000), ">".repeat(10_000));
        for text in [
            "",
            "str",
            "set",
            "set<>",
            "set<json>",
            "set<set<int>>",
            "map<map<int>>",
            "set<int",
            "map<set<json>>",
            "set<set<set<set<int>>>>",
        ] {
            assert_eq!(Type::parse(text), None, "{text}");
        }
        assert_eq!(Type::parse(&deep), None);
    }
}
