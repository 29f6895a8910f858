//! The syntax tree of expressions: what was written, with the byte range of every part in the expression's own text.
//!
//! INVARIANT: trees are at most [`MAX_DEPTH`] deep, so that recursion over them is safe. Two trees are equal if they say
//! the same; ranges do not take part.

use std::ops::Range;

/// The deepest tree that is accepted.
pub const MAX_DEPTH: usize = 128;

/// An expression and where it was written.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: Kind,
    /// Where, in bytes of the expression's text.
    pub range: Range<usize>,
    depth: usize,
}

impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl Expr {
    /// An expression.
    #[must_use]
    pub fn new(kind: Kind, range: Range<usize>) -> Self {
        let depth = kind.children().map(|child| child.depth).max().unwrap_or(0).saturating_add(1);
        Self { kind, range, depth }
    }

    /// The same expression with brackets around it.
    #[must_use]
    pub fn within(self, range: Range<usize>) -> Self {
        Self { range, ..self }
    }

    /// How many levels the tree has.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.depth
    }
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number, as written.
    Number(String),
    /// A duration, as written.
    Duration(String),
    /// A string, decoded.
    Text(String),
    /// `[a, b]`
    List(Vec<Expr>),
    /// `args.a[0]`
    Path(Path),
    /// `json(result).status`: at least one step.
    Select(Box<Expr>, Vec<Step>),
    /// `not a`
    Not(Box<Expr>),
    /// `a and b and c`: at least two.
    And(Vec<Expr>),
    /// `a or b or c`: at least two.
    Or(Vec<Expr>),
    /// `a implies b`
    Implies(Box<Expr>, Box<Expr>),
    /// `a == b`, `a + b`, …
    Binary(Operator, Box<Expr>, Box<Expr>),
    /// `lower(a)`
    Call(Word, Vec<Expr>),
    /// `all(x in list => p)`
    Quantified {
        /// Which quantifier.
        quantifier: Quantifier,
        /// The name of an element.
        variable: Word,
        /// The list.
        list: Box<Expr>,
        /// What is said of each element.
        body: Box<Expr>,
    },
}

impl Kind {
    fn children(&self) -> Box<dyn Iterator<Item = &Expr> + '_> {
        match self {
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Duration(_) | Self::Text(_) => {
                Box::new(std::iter::empty())
            }
            Self::List(items) | Self::And(items) | Self::Or(items) | Self::Call(_, items) => Box::new(items.iter()),
            Self::Path(path) => Box::new(dynamic(&path.steps)),
            Self::Select(value, steps) => Box::new(std::iter::once(&**value).chain(dynamic(steps))),
            Self::Not(inner) => Box::new(std::iter::once(&**inner)),
            Self::Implies(left, right)
            | Self::Binary(_, left, right)
            | Self::Quantified { list: left, body: right, .. } => Box::new([&**left, &**right].into_iter()),
        }
    }
}

fn dynamic(steps: &[Step]) -> impl Iterator<Item = &Expr> {
    steps.iter().filter_map(|step| match &step.kind {
        StepKind::Dynamic(inner) => Some(&**inner),
        StepKind::Field(_) | StepKind::Index(_) | StepKind::Each | StepKind::Deep => None,
    })
}

/// A word and where it was written.
#[derive(Clone, Debug)]
pub struct Word {
    /// The word.
    pub text: String,
    /// Where.
    pub range: Range<usize>,
}

impl PartialEq for Word {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

/// A path: a root and steps from it.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// `args`, `state`, `now`, a variable, …
    pub root: Word,
    /// The steps.
    pub steps: Vec<Step>,
}

/// One step of a path and where it was written.
#[derive(Clone, Debug)]
pub struct Step {
    /// What it is.
    pub kind: StepKind,
    /// Where, with its dot or brackets.
    pub range: Range<usize>,
}

impl PartialEq for Step {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

/// What a step is.
#[derive(Clone, Debug, PartialEq)]
pub enum StepKind {
    /// `.name`, `["name"]`
    Field(String),
    /// `[0]`
    Index(u32),
    /// `[args.id]`
    Dynamic(Box<Expr>),
    /// `[]`, `.*`
    Each,
    /// `.**`
    Deep,
}

/// An operator between two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
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
    /// `in`
    In,
    /// `like`
    Like,
    /// `matches`
    Matches,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
}

impl Operator {
    /// All, with their spelling.
    pub const ALL: [(&'static str, Self); 12] = [
        ("==", Self::Equal),
        ("!=", Self::NotEqual),
        ("<", Self::Less),
        ("<=", Self::LessOrEqual),
        (">", Self::Greater),
        (">=", Self::GreaterOrEqual),
        ("in", Self::In),
        ("like", Self::Like),
        ("matches", Self::Matches),
        ("+", Self::Add),
        ("-", Self::Subtract),
        ("*", Self::Multiply),
    ];

    /// The operator of a spelling.
    #[must_use]
    pub fn from_spelling(text: &str) -> Option<Self> {
        Self::ALL.iter().find(|(spelling, _)| *spelling == text).map(|(_, operator)| *operator)
    }

    /// Its spelling.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(_, operator)| *operator == self).map_or("", |(spelling, _)| spelling)
    }
}

/// A quantifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// `all`
    All,
    /// `any`
    Any,
    /// `none`
    None,
    /// `count`
    Count,
}

impl Quantifier {
    /// The quantifier of a spelling.
    #[must_use]
    pub fn from_spelling(text: &str) -> Option<Self> {
        [Self::All, Self::Any, Self::None, Self::Count].into_iter().find(|quantifier| quantifier.as_str() == text)
    }

    /// Its spelling.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Any => "any",
            Self::None => "none",
            Self::Count => "count",
        }
    }
}
