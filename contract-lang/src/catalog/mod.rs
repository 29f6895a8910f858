//! What MCP servers say of their tools: their names, and the schemas of arguments and results.
//!
//! A catalog is a saved reply to `tools/list`. It is the word of a server, and nothing that a contract rests on: it tells the
//! author what a rule gets to see. Texts and annotations are untrusted; nothing is decided by them.

mod draft;
mod kinds;
mod known;
pub(crate) mod lint;
mod reply;
mod schema;

use serde_json::{Map, Value};

pub use self::kinds::Kinds;
pub use self::known::Known;
pub use self::reply::Reply;
pub use self::schema::{Hop, Others, Place, Property, Schema};

/// A tool as its server describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// The name of the server, where the file says it.
    pub server: Option<String>,
    /// A title for people. Untrusted.
    pub title: Option<String>,
    /// What it is for. Untrusted.
    pub description: Option<String>,
    /// What the server says of its effects. Untrusted.
    pub annotations: Map<String, Value>,
    /// Its arguments.
    pub input: Schema,
    /// Its result, where the server says something of it.
    pub output: Option<Schema>,
}

#[cfg(test)]
mod tests;
