//! Canonical printing: one spelling for every tree, with no bracket that is not needed.
//!
//! INVARIANT: parsing what is printed gives an equal tree.

use std::fmt::{self, Display, Formatter, Write};

use super::expr::{Expr, Kind, Operator, Path, Step, StepKind};
use super::pattern::{Alternative, Pattern};

/// How tightly an expression binds; an operand that binds less tightly than its place asks is put in brackets.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Implies,
    Or,
    And,
    Not,
    Comparison,
    Sum,
    Product,
    Operand,
}

impl Level {
    fn of(kind: &Kind) -> Self {
        match kind {
            Kind::Implies(..) => Self::Implies,
            Kind::Or(_) => Self::Or,
            Kind::And(_) => Self::And,
            Kind::Not(_) => Self::Not,
            Kind::Binary(Operator::Add | Operator::Subtract, ..) => Self::Sum,
            Kind::Binary(Operator::Multiply, ..) => Self::Product,
            Kind::Binary(..) => Self::Comparison,
            _ => Self::Operand,
        }
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Null => f.write_str("null"),
            Kind::Bool(value) => write!(f, "{value}"),
            Kind::Number(text) | Kind::Duration(text) => f.write_str(text),
            Kind::Text(text) => quote(f, text),
            Kind::List(items) => {
                f.write_char('[')?;
                separated(f, items, ", ", Level::Implies)?;
                f.write_char(']')
            }
            Kind::Path(Path { root, steps: path }) => {
                f.write_str(&root.text)?;
                steps(f, path)
            }
            Kind::Select(value, path) => {
                write!(f, "{value}")?;
                steps(f, path)
            }
            Kind::Not(inner) => {
                f.write_str("not ")?;
                operand(f, inner, Level::Not)
            }
            Kind::And(items) => separated(f, items, " and ", Level::Not),
            Kind::Or(items) => separated(f, items, " or ", Level::And),
            Kind::Implies(left, right) => {
                operand(f, left, Level::Or)?;
                f.write_str(" implies ")?;
                operand(f, right, Level::Implies)
            }
            Kind::Binary(operator, left, right) => {
                let (at_left, at_right) = match Level::of(&self.kind) {
                    Level::Sum => (Level::Sum, Level::Product),
                    Level::Product => (Level::Product, Level::Operand),
                    _ => (Level::Sum, Level::Sum),
                };
                operand(f, left, at_left)?;
                write!(f, " {} ", operator.as_str())?;
                operand(f, right, at_right)
            }
            Kind::Call(name, arguments) => {
                write!(f, "{}(", name.text)?;
                separated(f, arguments, ", ", Level::Implies)?;
                f.write_char(')')
            }
            Kind::Quantified { quantifier, variable, list, body } => {
                write!(f, "{}({} in {list} => {body})", quantifier.as_str(), variable.text)
            }
        }
    }
}

fn operand(f: &mut Formatter<'_>, expr: &Expr, place: Level) -> fmt::Result {
    if Level::of(&expr.kind) < place { write!(f, "({expr})") } else { write!(f, "{expr}") }
}

fn separated(f: &mut Formatter<'_>, items: &[Expr], separator: &str, place: Level) -> fmt::Result {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            f.write_str(separator)?;
        }
        operand(f, item, place)?;
    }
    Ok(())
}

fn steps(f: &mut Formatter<'_>, steps: &[Step]) -> fmt::Result {
    for step in steps {
        match &step.kind {
            StepKind::Field(name) if is_identifier(name) => write!(f, ".{name}")?,
            StepKind::Field(name) => {
                f.write_char('[')?;
                quote(f, name)?;
                f.write_char(']')?;
            }
            StepKind::Index(index) => write!(f, "[{index}]")?,
            StepKind::Dynamic(inner) => write!(f, "[{inner}]")?,
            StepKind::Each => f.write_str("[]")?,
            StepKind::Deep => f.write_str(".**")?,
        }
    }
    Ok(())
}

/// Whether a field of this name is written after a dot.
pub(crate) fn is_identifier(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|each| each.is_ascii_alphanumeric() || each == '_')
}

/// A text as a string of expressions and of the text form.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = quote(&mut out, text);
    out
}

/// In quotes; as `r"…"` where that spares backslashes.
fn quote(f: &mut impl Write, text: &str) -> fmt::Result {
    if text.contains('\\') && !text.chars().any(|each| each == '"' || each.is_control()) {
        return write!(f, "r\"{text}\"");
    }
    f.write_char('"')?;
    for each in text.chars() {
        match each {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            control if (control as u32) < 0x20 => write!(f, "\\u{:04x}", control as u32)?,
            plain => f.write_char(plain)?,
        }
    }
    f.write_char('"')
}

impl Display for Pattern {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, alternative) in self.alternatives.iter().enumerate() {
            if index > 0 {
                f.write_str(" | ")?;
            }
            write!(f, "{alternative}")?;
        }
        Ok(())
    }
}

impl Display for Alternative {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(phase) = self.phase {
            write!(f, "{}(", phase.as_str())?;
        }
        f.write_str(&self.name.text)?;
        if let Some(condition) = &self.condition {
            write!(f, " where {condition}")?;
        }
        if self.phase.is_some() { f.write_char(')') } else { Ok(()) }
    }
}
