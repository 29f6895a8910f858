//! The functions: their names, the arguments they take and the type they give.

use Accepts::{Container, List, Numbers, Object, Sized, Text, TextOrTime, Value};

use super::types::Static;
use crate::mir::{Function, JsonType};

/// What a parameter accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accepts {
    /// Anything.
    Value,
    /// A string.
    Text,
    /// A string or a time.
    TextOrTime,
    /// A list or a set.
    List,
    /// A list of numbers.
    Numbers,
    /// An object or a map.
    Object,
    /// Whatever has a length.
    Sized,
    /// A string, a list or a set.
    Container,
}

impl Accepts {
    /// Whether a value of the type may be accepted.
    #[must_use]
    pub fn admits(self, ty: &Static) -> bool {
        match (self, ty) {
            (Self::Value, _) | (_, Static::Any) => true,
            (Self::Text | Self::TextOrTime | Self::Sized | Self::Container, Static::Text) => true,
            (Self::TextOrTime, Static::Time) => true,
            (Self::List | Self::Sized | Self::Container, Static::List(_)) => true,
            (Self::Numbers, Static::List(member)) => matches!(**member, Static::Any | Static::Number),
            (Self::Object | Self::Sized, Static::Map(_)) => true,
            _ => false,
        }
    }

    /// With an article, for messages.
    #[must_use]
    pub fn described(self) -> &'static str {
        match self {
            Self::Value => "a value",
            Self::Text => "a string",
            Self::TextOrTime => "a string or a time",
            Self::List => "a list",
            Self::Numbers => "a list of numbers",
            Self::Object => "an object or a map",
            Self::Sized => "a string, a list, an object or a map",
            Self::Container => "a string or a list",
        }
    }
}

/// What a name with brackets means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// A function of the runtime.
    Function(Function),
    /// `has(path)`
    Has,
    /// `is_string(x)` and its kin.
    Is(JsonType),
}

/// The signature of a function.
#[derive(Clone, Copy, Debug)]
pub struct Signature {
    /// Its name.
    pub name: &'static str,
    /// How it is written, for messages.
    pub usage: &'static str,
    /// What it means.
    pub meaning: Meaning,
    /// What the arguments are. The last one repeats if `most` is larger.
    pub parameters: &'static [Accepts],
    /// The fewest arguments.
    pub least: usize,
    /// The most arguments.
    pub most: usize,
}

const fn function(
    name: &'static str,
    usage: &'static str,
    function: Function,
    parameters: &'static [Accepts],
) -> Signature {
    let most = parameters.len();
    Signature { name, usage, meaning: Meaning::Function(function), parameters, least: most, most }
}

const fn is(name: &'static str, usage: &'static str, ty: JsonType) -> Signature {
    Signature { name, usage, meaning: Meaning::Is(ty), parameters: &[Value], least: 1, most: 1 }
}

/// All functions.
pub const ALL: &[Signature] = &[
    Signature { most: usize::MAX, ..function("min", "min(a, b, …) or min(list)", Function::Min, &[Value]) },
    Signature { most: usize::MAX, ..function("max", "max(a, b, …) or max(list)", Function::Max, &[Value]) },
    function("default", "default(x, literal)", Function::Default, &[Value, Value]),
    function("size", "size(x)", Function::Size, &[Sized]),
    function("lower", "lower(text)", Function::Lower, &[Text]),
    function("upper", "upper(text)", Function::Upper, &[Text]),
    function("trim", "trim(text)", Function::Trim, &[Text]),
    function("starts_with", "starts_with(text, beginning)", Function::StartsWith, &[Text, Text]),
    function("ends_with", "ends_with(text, end)", Function::EndsWith, &[Text, Text]),
    function("contains", "contains(text, part) or contains(list, x)", Function::Contains, &[Container, Value]),
    function("keys", "keys(object)", Function::Keys, &[Object]),
    function("values", "values(object)", Function::Values, &[Object]),
    function("sum", "sum(list)", Function::Sum, &[Numbers]),
    function("distinct", "distinct(list)", Function::Distinct, &[List]),
    function("subset", "subset(list, list)", Function::Subset, &[List, List]),
    function("intersects", "intersects(list, list)", Function::Intersects, &[List, List]),
    function("json", "json(text)", Function::Json, &[Text]),
    Signature { least: 1, ..function("time", "time(text) or time(text, zone)", Function::Time, &[TextOrTime, Text]) },
    function("path_norm", "path_norm(path)", Function::PathNorm, &[Text]),
    function("path_within", "path_within(path, \"/dir\")", Function::PathWithin, &[Text, Text]),
    function("host", "host(url)", Function::Host, &[Text]),
    function("scheme", "scheme(url)", Function::Scheme, &[Text]),
    function("domain_in", "domain_in(x, [\"example.com\", …])", Function::DomainIn, &[Text, List]),
    function("cidr_contains", "cidr_contains(\"10.0.0.0/8\", address)", Function::CidrContains, &[Text, Text]),
    function("strings", "strings(x)", Function::Strings, &[Value]),
    function("digest", "digest(x)", Function::Digest, &[Value]),
    Signature { name: "has", usage: "has(path)", meaning: Meaning::Has, parameters: &[Value], least: 1, most: 1 },
    is("is_string", "is_string(x)", JsonType::String),
    is("is_object", "is_object(x)", JsonType::Object),
    is("is_list", "is_list(x)", JsonType::List),
    is("is_number", "is_number(x)", JsonType::Number),
    is("is_bool", "is_bool(x)", JsonType::Bool),
];

/// What other languages call them.
const FOREIGN: [(&str, &str); 25] = [
    ("len", "size"),
    ("length", "size"),
    ("tolower", "lower"),
    ("lowercase", "lower"),
    ("to_lower", "lower"),
    ("toupper", "upper"),
    ("uppercase", "upper"),
    ("to_upper", "upper"),
    ("strip", "trim"),
    ("startswith", "starts_with"),
    ("hasprefix", "starts_with"),
    ("endswith", "ends_with"),
    ("hassuffix", "ends_with"),
    ("includes", "contains"),
    ("exists", "has"),
    ("defined", "has"),
    ("isset", "has"),
    ("some", "any"),
    ("every", "all"),
    ("unique", "distinct"),
    ("coalesce", "default"),
    ("hash", "digest"),
    ("cidr", "cidr_contains"),
    ("cidrmatch", "cidr_contains"),
    ("in_network", "cidr_contains"),
];

impl Signature {
    /// The function of a name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        ALL.iter().find(|signature| signature.name == name)
    }

    /// The parameter at a position.
    #[must_use]
    pub fn parameter(&self, position: usize) -> Accepts {
        self.parameters.get(position).or(self.parameters.last()).copied().unwrap_or(Value)
    }
}

/// The name that was probably meant, of a function or a quantifier.
#[must_use]
pub fn meant(name: &str) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase();
    let foreign = FOREIGN.into_iter().find(|(foreign, _)| *foreign == lower).map(|(_, ours)| ours);
    foreign.or_else(|| {
        let names = ALL.iter().map(|signature| signature.name).chain(["any", "all", "none", "count"]);
        crate::diagnostic::nearest(&lower, names)
    })
}

/// The type of what a function gives for arguments of these types.
#[must_use]
pub fn returns(function: Function, arguments: &[Static]) -> Static {
    let first = arguments.first().cloned().unwrap_or(Static::Any);
    match function {
        Function::Min | Function::Max => match (first, arguments.len()) {
            (Static::List(member), 1) => *member,
            (_, 1) => Static::Any,
            (first, _) => arguments.iter().skip(1).cloned().fold(first, Static::join),
        },
        Function::Default => arguments.iter().skip(1).cloned().fold(first, Static::join),
        Function::Size | Function::Sum => Static::Number,
        Function::Lower
        | Function::Upper
        | Function::Trim
        | Function::PathNorm
        | Function::Host
        | Function::Scheme
        | Function::Digest => Static::Text,
        Function::StartsWith
        | Function::EndsWith
        | Function::Contains
        | Function::Subset
        | Function::Intersects
        | Function::PathWithin
        | Function::DomainIn
        | Function::CidrContains => Static::Bool,
        Function::Keys => Static::list(Static::Any),
        Function::Values => match first {
            Static::Map(value) => Static::List(value),
            _ => Static::list(Static::Any),
        },
        Function::Distinct => match first {
            list @ Static::List(_) => list,
            _ => Static::list(Static::Any),
        },
        Function::Json => Static::Any,
        Function::Time => Static::Time,
        Function::Strings => Static::list(Static::Text),
    }
}
