//! Trusted facts from the host, declared in the contract, never from the agent.

use std::fmt;

use serde_json::Value;

use crate::info::Text;
use crate::value::{Datum, Est, Type, Val};

/// The values of a contract's declared context facts, by index. A fact that the host did not give is not established.
#[derive(Clone, Debug, Default)]
pub struct Context {
    facts: Vec<Option<Datum>>,
}

/// A context fact that the contract does not declare, or of another type than it declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContextError {
    /// The context is not a JSON object.
    NotAnObject,
    /// No such fact is declared.
    Undeclared {
        /// Its name.
        name: String,
    },
    /// The value is of another type.
    WrongType {
        /// Its name.
        name: String,
        /// The declared type.
        declared: String,
    },
}

impl fmt::Display for ContextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAnObject => f.write_str("the context is not a JSON object"),
            Self::Undeclared { name } => write!(f, "the contract declares no context fact `{}`", name.escape_debug()),
            Self::WrongType { name, declared } => {
                write!(f, "the context fact `{}` is not of its declared type `{declared}`", name.escape_debug())
            }
        }
    }
}

impl std::error::Error for ContextError {}

/// The most bytes of one context fact.
const LARGEST_FACT: usize = 64 * 1024;

impl Context {
    /// No fact is established.
    #[must_use]
    pub fn empty() -> Self {
        Self::default()
    }

    /// The facts of a JSON object, checked against the declarations.
    ///
    /// # Errors
    /// If the value is not an object, or has a fact that is not declared or of another type.
    pub fn new(declared: &[(Text, Type)], value: &Value) -> Result<Self, ContextError> {
        let Value::Object(object) = value else { return Err(ContextError::NotAnObject) };
        let mut facts = vec![None; declared.len()];
        for (name, value) in object {
            let index = declared.iter().position(|(declared, _)| declared == name);
            let slot = index.and_then(|index| Some((facts.get_mut(index)?, &declared.get(index)?.1)));
            let Some((fact, ty)) = slot else { return Err(ContextError::Undeclared { name: name.clone() }) };
            match Datum::from_val(&Val::from_json(value), ty, LARGEST_FACT) {
                Ok(datum) => *fact = Some(datum),
                Err(_) => {
                    return Err(ContextError::WrongType { name: name.clone(), declared: ty.to_string() });
                }
            }
        }
        Ok(Self { facts })
    }

    /// The value of a fact.
    #[must_use]
    pub fn read(&self, index: usize) -> Est<'_> {
        self.facts.get(index)?.as_ref().map(Datum::as_val)
    }
}
