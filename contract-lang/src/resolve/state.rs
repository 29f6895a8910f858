//! The cells of trusted state: their bounds, and the values that they start with.

use contract_runtime::private::Datum;
use contract_runtime::{Decimal, Type};

use super::resolver::pointless;
use crate::ast::{Cell, Ident, Value};
use crate::decode::Map;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::info;
use crate::mir::{Literal, StateCell};
use crate::source::Spanned;
use crate::syntax::yaml::{Kind, Node, Resolved};

const MAX: usize = 10_000;
const MAX_BYTES: usize = 256;
const MAX_BYTES_OF_A_VALUE: usize = 64 * 1024;

/// All cells, in file order: none is left out, so that a mistake in one does not make its readers wrong.
pub(super) fn cells(written: &Map<Spanned<Ident>, Cell>, diagnostics: &mut Diagnostics) -> Vec<StateCell> {
    written.iter().map(|(name, cell)| resolve(&name.value.0, cell, diagnostics)).collect()
}

fn resolve(name: &str, written: &Cell, diagnostics: &mut Diagnostics) -> StateCell {
    // The decoder accepts nothing but types.
    let ty = Type::parse(&written.r#type.value.0).unwrap_or(Type::Json);
    if let Some(max) = written.max.filter(|_| !ty.is_collection()) {
        let message = format!("`max` counts members, and `{ty}` is a single value");
        diagnostics.push(pointless(max.span, message, "`max_bytes` bounds the size of a value"));
    }
    let size = |given: Option<u64>, otherwise: usize| {
        given.map_or(otherwise, |given| usize::try_from(given).unwrap_or(usize::MAX))
    };
    let mut cell = StateCell {
        name: name.to_owned(),
        max: size(written.max.map(|max| max.value.get()), MAX),
        max_bytes: size(written.max_bytes.map(|max| max.value.get()), largest(&ty)),
        ty,
        initial: None,
        fresh: written.fresh.map(|window| window.value.duration()),
    };
    cell.initial = written.initial.as_ref().and_then(|value| initial(value, &cell, diagnostics));
    cell
}

fn largest(ty: &Type) -> usize {
    match ty {
        Type::Json | Type::String => MAX_BYTES_OF_A_VALUE,
        Type::Map(value) if **value == Type::Json => MAX_BYTES_OF_A_VALUE,
        _ => MAX_BYTES,
    }
}

fn initial(written: &Value, cell: &StateCell, diagnostics: &mut Diagnostics) -> Option<Literal> {
    let mut refuse = |code: Code, message: String, help: &str| {
        diagnostics.push(Diagnostic::new(code, written.span(), message).help(help));
        None
    };
    let ty = &cell.ty;
    let Some(literal) = literal(&written.node, written, ty) else {
        let message = format!("the initial value is not of the type `{ty}`");
        return refuse(Code::TypeMismatch, message, expectation(ty));
    };
    match Datum::from_val(&info::constant(&literal), ty, cell.max_bytes) {
        Ok(Datum::Set(set)) if set.members.len() > cell.max => {}
        Ok(Datum::Map(map)) if map.entries.len() > cell.max => {}
        Ok(_) => return Some(literal),
        Err(contract_runtime::value::Unfit::TooLarge) => {
            let message = format!("the initial value is larger than {} bytes", cell.max_bytes);
            return refuse(Code::BadValue, message, "give the cell a larger `max_bytes`");
        }
        Err(contract_runtime::value::Unfit::WrongType) => {
            let message = format!("the initial value is not of the type `{ty}`");
            return refuse(Code::TypeMismatch, message, expectation(ty));
        }
    }
    refuse(
        Code::BadValue,
        format!("the initial value has more than {} members", cell.max),
        "give the cell a larger `max`",
    )
}

fn expectation(ty: &Type) -> &'static str {
    match ty {
        Type::Bool => "write `true` or `false`, or leave `initial` out: then the cell is not established",
        Type::Int => "write a whole number, or leave `initial` out: then the cell is not established",
        Type::Decimal => "write an exact decimal number, or leave `initial` out: then the cell is not established",
        Type::String => "write a string, or leave `initial` out: then the cell is not established",
        Type::Time => "write a time with its offset, such as \"2026-01-01T00:00:00Z\"",
        Type::Json => "write a value whose numbers JSON keeps exactly: integers of 64 bits, or at most 15 digits",
        Type::Set(_) => "write a list of members; `[]` is an empty set",
        Type::Map(_) => "write a mapping; `{}` is an empty map",
    }
}

/// A value that was written, if it is of the type. Numbers are read from their source text.
fn literal(node: &Node, written: &Value, ty: &Type) -> Option<Literal> {
    let json = || written.json().map(Literal::Json);
    match (ty, &node.kind) {
        (Type::Json, _) => json(),
        (Type::Map(_), Kind::Sequence { items, .. }) if items.is_empty() => {
            Some(Literal::Json(serde_json::Value::Object(serde_json::Map::new())))
        }
        (Type::Map(_), Kind::Mapping(_)) => json(),
        (Type::Set(member), Kind::Sequence { items, .. }) => {
            items.iter().map(|item| literal(item, written, member)).collect::<Option<_>>().map(Literal::List)
        }
        (_, Kind::Scalar(scalar)) => match (ty, scalar.resolve()) {
            (Type::Bool, Resolved::Bool) => Some(Literal::Bool(scalar.text == "true")),
            (Type::Int | Type::Decimal, Resolved::Number) => {
                let number = Decimal::parse(&scalar.text)?;
                (*ty == Type::Decimal || number.is_integer()).then_some(Literal::Number(number))
            }
            (Type::String | Type::Time, Resolved::Text) => Some(Literal::Text(scalar.text.clone())),
            _ => None,
        },
        _ => None,
    }
}
