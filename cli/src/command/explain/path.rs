//! Key paths and what they are of, as they are written in contracts.

use contract_lang::mir::{CallFact, Contract, Expr, Literal, Names, Path, Root, Step, Subject};

/// The text of an expression that is a key: a path, perhaps in functions that normalise it.
pub(super) fn text(contract: &Contract, expr: &Expr) -> String {
    match expr {
        Expr::Path(path) => whole(contract, path),
        Expr::Select(inner, steps) => format!("{}{}", text(contract, inner), walk(contract, steps)),
        Expr::Call(function, arguments) => {
            let arguments: Vec<_> = arguments.iter().map(|argument| text(contract, argument)).collect();
            format!("{}({})", snake(&format!("{function:?}")), arguments.join(", "))
        }
        Expr::Literal(Literal::Text(text)) => format!("{text:?}"),
        Expr::Literal(Literal::Number(number)) => number.to_string(),
        Expr::Literal(Literal::Bool(value)) => value.to_string(),
        Expr::Literal(Literal::Null) => "null".to_owned(),
        // Keys have no other expressions.
        _ => "…".to_owned(),
    }
}

fn whole(contract: &Contract, path: &Path) -> String {
    let root = match path.root {
        Root::Args => "args".to_owned(),
        Root::Result => "result".to_owned(),
        Root::Event => "event".to_owned(),
        Root::State(cell) => {
            format!("state.{}", contract.cells.get(cell).map(|cell| cell.name.as_str()).unwrap_or_default())
        }
        Root::Context(fact) => {
            format!("context.{}", contract.context.get(fact).map(|(name, _)| name.as_str()).unwrap_or_default())
        }
        Root::Call(fact) => match fact {
            CallFact::Tool => "call.tool",
            CallFact::Server => "call.server",
            CallFact::Batch => "call.batch",
            CallFact::Agent => "call.agent",
        }
        .to_owned(),
        Root::Variable(slot) => format!("x{slot}"),
    };
    format!("{root}{}", walk(contract, &path.steps))
}

fn walk(contract: &Contract, steps: &[Step]) -> String {
    let step = |step: &Step| match step {
        Step::Field(name) if is_name(name) => format!(".{name}"),
        Step::Field(name) => format!("[{name:?}]"),
        Step::Index(index) => format!("[{index}]"),
        Step::Dynamic(inner) => format!("[{}]", text(contract, inner)),
        Step::Each => "[]".to_owned(),
        Step::Deep => ".**".to_owned(),
    };
    steps.iter().map(step).collect()
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
