//! Key paths, ids and messages, and what they are of, as they are written in contracts.

use contract_lang::mir::{
    Arithmetic, CallFact, Contract, Expr, Literal, Message, Names, Path, Root, RouteKey, Segment, Step, Subject,
};

/// Spells what is written in a contract.
#[derive(Clone, Debug)]
pub(super) struct Speller<'c> {
    contract: &'c Contract,
    /// What the bound variable is: an element of a list, `args.ids[]`.
    element: Option<String>,
}

impl<'c> Speller<'c> {
    pub(super) fn new(contract: &'c Contract) -> Self {
        Self { contract, element: None }
    }

    /// The parts of a key.
    pub(super) fn key(&self, key: &RouteKey) -> String {
        let parts: Vec<_> = match key {
            RouteKey::All => return "every key".to_owned(),
            RouteKey::One(parts) => parts.iter().map(|part| self.text(part)).collect(),
            RouteKey::Each { before, list, component, after } => {
                let element = Self { element: Some(format!("{}[]", self.text(list))), ..self.clone() };
                let parts = before.iter().chain([component]).chain(after);
                parts.map(|part| element.text(part)).collect()
            }
        };
        parts.join(", ")
    }

    /// The text of an expression that is a key, an id or an amount: a path, perhaps in functions that normalise it.
    pub(super) fn text(&self, expr: &Expr) -> String {
        match expr {
            Expr::Path(path) => self.path(path),
            Expr::Select(inner, steps) => format!("{}{}", self.text(inner), self.steps(steps)),
            Expr::Call(function, arguments) => {
                let arguments: Vec<_> = arguments.iter().map(|argument| self.text(argument)).collect();
                format!("{}({})", snake(&format!("{function:?}")), arguments.join(", "))
            }
            Expr::Arithmetic(operator, left, right) => {
                let operator = match operator {
                    Arithmetic::Add => "+",
                    Arithmetic::Subtract => "-",
                    Arithmetic::Multiply => "*",
                };
                format!("({} {operator} {})", self.text(left), self.text(right))
            }
            Expr::Literal(Literal::Text(text)) => format!("{text:?}"),
            Expr::Literal(Literal::Number(number)) => number.to_string(),
            Expr::Literal(Literal::Bool(value)) => value.to_string(),
            Expr::Literal(Literal::Null) => "null".to_owned(),
            // What is left is long, and says what a rule says already.
            _ => "…".to_owned(),
        }
    }

    /// The text of a path.
    pub(super) fn path(&self, path: &Path) -> String {
        let root = match path.root {
            Root::Args => "args".to_owned(),
            Root::Result => "result".to_owned(),
            Root::Event => "event".to_owned(),
            Root::State(cell) => {
                format!("state.{}", self.contract.cells.get(cell).map(|cell| cell.name.as_str()).unwrap_or_default())
            }
            Root::Context(fact) => {
                format!("context.{}", self.contract.context.get(fact).map(|fact| fact.0.as_str()).unwrap_or_default())
            }
            Root::Call(fact) => match fact {
                CallFact::Tool => "call.tool",
                CallFact::Server => "call.server",
                CallFact::Batch => "call.batch",
                CallFact::Agent => "call.agent",
            }
            .to_owned(),
            Root::Variable(slot) => self.element.clone().unwrap_or_else(|| format!("x{slot}")),
        };
        format!("{root}{}", self.steps(&path.steps))
    }

    /// The steps of a path, as they stand after its root.
    pub(super) fn steps(&self, steps: &[Step]) -> String {
        let step = |step: &Step| match step {
            Step::Field(name) if is_name(name) => format!(".{name}"),
            Step::Field(name) => format!("[{name:?}]"),
            Step::Index(index) => format!("[{index}]"),
            Step::Dynamic(inner) => format!("[{}]", self.text(inner)),
            Step::Each => "[]".to_owned(),
            Step::Deep => ".**".to_owned(),
        };
        steps.iter().map(step).collect()
    }

    /// A message with its holes.
    pub(super) fn message(&self, message: &Message) -> String {
        let segment = |segment: &Segment| match segment {
            Segment::Text(text) => text.replace('{', "{{").replace('}', "}}"),
            Segment::Key => "{key}".to_owned(),
            Segment::Tool => "{tool}".to_owned(),
            Segment::Path(path) => format!("{{{}}}", self.path(path)),
        };
        message.segments.iter().map(segment).collect()
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// `PathNorm` as `path_norm`.
fn snake(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// What a key is of.
pub(super) fn subject(subject: &Subject) -> String {
    match subject {
        Subject::Tools(Names { server: Some(server), tool }) => format!("{}::{}", server.as_str(), tool.as_str()),
        Subject::Tools(Names { server: None, tool }) => tool.as_str().to_owned(),
        Subject::Effect(effect) => format!("effect({})", effect.as_str()),
        Subject::Event(name) => format!("event({})", name.as_str()),
    }
}
