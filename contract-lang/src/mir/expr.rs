//! Expressions: predicates, values and paths.

use contract_runtime::{Decimal, Duration};

/// A literal value.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An exact number.
    Number(Decimal),
    /// A string.
    Text(String),
    /// A duration, `15m`.
    Duration(Duration),
    /// A list of literals.
    List(Vec<Literal>),
    /// A JSON value (initial values of `json` cells and maps).
    Json(serde_json::Value),
}

/// A checked expression. Evaluates to a value or to "not established"; predicates evaluate to a Kleene truth value.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A literal.
    Literal(Literal),
    /// A list of expressions that are not all literals.
    List(Vec<Expr>),
    /// A path.
    Path(Path),
    /// Steps into the value of a function: `json(result).status`. At least one step.
    Select(Box<Expr>, Vec<Step>),
    /// The time of the event.
    Now,
    /// Kleene negation.
    Not(Box<Expr>),
    /// Kleene conjunction of at least two, left to right.
    And(Vec<Expr>),
    /// Kleene disjunction of at least two, left to right.
    Or(Vec<Expr>),
    /// `not a or b`.
    Implies(Box<Expr>, Box<Expr>),
    /// A comparison.
    Compare(Comparison, Box<Expr>, Box<Expr>),
    /// Membership in a list, set, or the keys of a state map.
    In(Box<Expr>, Box<Expr>),
    /// An anchored glob over a string.
    Like(Box<Expr>, String),
    /// A regular expression search.
    Matches(Box<Expr>, String),
    /// Exact arithmetic.
    Arithmetic(Arithmetic, Box<Expr>, Box<Expr>),
    /// Whether the path exists (a JSON null exists); for state and context, whether it is established. Always definite.
    Has(Path),
    /// A test of a value's JSON type. Always definite: false where the operand is not established.
    Is(JsonType, Box<Expr>),
    /// A function.
    Call(Function, Vec<Expr>),
    /// A quantifier over a list.
    Quantified {
        /// Which.
        quantifier: Quantifier,
        /// The slot of the bound variable: its nesting depth, from 0.
        slot: usize,
        /// The list.
        list: Box<Expr>,
        /// The predicate for one element.
        body: Box<Expr>,
    },
}

impl Expr {
    /// The path that the normalisers of a key component are around.
    #[must_use]
    pub fn innermost(&self) -> &Self {
        let mut inner = self;
        while let Self::Call(_, args) = inner
            && let Some(first) = args.first()
        {
            inner = first;
        }
        inner
    }

    /// Whether it evaluates to a truth value by itself (so that "not established" is [`contract_runtime::Truth::Unknown`]).
    #[must_use]
    pub fn is_predicate(&self) -> bool {
        match self {
            Self::Not(_)
            | Self::And(_)
            | Self::Or(_)
            | Self::Implies(..)
            | Self::Compare(..)
            | Self::In(..)
            | Self::Like(..)
            | Self::Matches(..)
            | Self::Has(_)
            | Self::Is(..) => true,
            Self::Quantified { quantifier, .. } => *quantifier != Quantifier::Count,
            Self::Call(function, _) => function.is_predicate(),
            Self::Literal(_) | Self::List(_) | Self::Path(_) | Self::Select(..) | Self::Now | Self::Arithmetic(..) => {
                false
            }
        }
    }
}

/// A path.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// Where it starts.
    pub root: Root,
    /// What it walks.
    pub steps: Vec<Step>,
}

/// Where a path starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// The call's arguments.
    Args,
    /// The result's value.
    Result,
    /// A state cell, by index.
    State(usize),
    /// A declared context fact, by index.
    Context(usize),
    /// The host event's value.
    Event,
    /// A fact about the call: the first step of the source path, already resolved.
    Call(CallFact),
    /// A bound variable, by slot.
    Variable(usize),
}

/// A fact about the call itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallFact {
    /// `call.tool`: its name.
    Tool,
    /// `call.server`: the server, where there is one.
    Server,
    /// `call.batch`: how many calls the same model turn made.
    Batch,
    /// `call.agent`: the sub-agent, where there is one.
    Agent,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// `.name` or `["name"]`.
    Field(String),
    /// `[0]`.
    Index(u32),
    /// `[expression]`: a field or map key (text), or an index (number).
    Dynamic(Box<Expr>),
    /// `[]` or `.*`: each element of a list or value of an object; the path then yields a list.
    Each,
    /// `.**`: the value itself and everything below it.
    Deep,
}

/// A comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Comparison {
    /// The same comparison with its sides swapped.
    #[must_use]
    pub fn mirrored(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
            same => same,
        }
    }
}

/// An arithmetic operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// `+`: numbers; time and duration; durations.
    Add,
    /// `-`: numbers; time and duration; two times; durations.
    Subtract,
    /// `*`: numbers; number and duration.
    Multiply,
}

/// A JSON type, for `is_string(x)` and its kin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonType {
    /// `is_string`
    String,
    /// `is_object`
    Object,
    /// `is_list`
    List,
    /// `is_number`
    Number,
    /// `is_bool`
    Bool,
}

/// A quantifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// Kleene conjunction over the elements.
    All,
    /// Kleene disjunction over the elements.
    Any,
    /// `not any`.
    None,
    /// How many elements hold; not established if one is not.
    Count,
}

/// A function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// The smallest of the arguments, or of one list.
    Min,
    /// The largest of the arguments, or of one list.
    Max,
    /// The first argument, or the second (a literal) where the first is not established.
    Default,
    /// Length: characters of a string, members of a list, object, set or map.
    Size,
    /// Lower case (Unicode).
    Lower,
    /// Upper case (Unicode).
    Upper,
    /// Without surrounding white space.
    Trim,
    /// Predicate on two strings.
    StartsWith,
    /// Predicate on two strings.
    EndsWith,
    /// A string contains a string; a list or set contains a value.
    Contains,
    /// The keys of an object or map, as a list.
    Keys,
    /// The values of an object or map, as a list.
    Values,
    /// The exact sum of a list of numbers.
    Sum,
    /// The list without repeated elements, in order of first occurrence.
    Distinct,
    /// Every element of the first is in the second (lists, sets).
    Subset,
    /// Some element of the first is in the second (lists, sets).
    Intersects,
    /// The value of a JSON text.
    Json,
    /// The time of an RFC 3339 text; the second argument is the zone of a text that has none.
    Time,
    /// A path, lexically normalised.
    PathNorm,
    /// The first path lies within the second.
    PathWithin,
    /// The host of a URL, in lower case.
    Host,
    /// The scheme of a URL, in lower case.
    Scheme,
    /// The domain of a URL, e-mail address or host is one of the listed ones or below it.
    DomainIn,
    /// The second, an IP address, is in the first, a network.
    CidrContains,
    /// All string leaves and keys of a value, as a list.
    Strings,
    /// The digest of a value, in hexadecimal.
    Digest,
}

impl Function {
    /// Whether it yields a truth value.
    #[must_use]
    pub fn is_predicate(self) -> bool {
        matches!(
            self,
            Self::StartsWith
                | Self::EndsWith
                | Self::Contains
                | Self::Subset
                | Self::Intersects
                | Self::PathWithin
                | Self::DomainIn
                | Self::CidrContains
        )
    }
}
