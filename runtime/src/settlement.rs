//! What a monitor makes of the outcome of a call: what it was, what rules found, what the agent may see.

use serde_json::Value;

use crate::call::Status;
use crate::finding::Finding;

/// What became of a call that ran.
#[derive(Clone, Debug, PartialEq)]
pub struct Settlement {
    /// How it ended, after `succeeds_when`. A call whose result is withheld proves nothing: `unknown`.
    pub status: Status,
    /// What rules found, in rule order, what commits found last.
    pub findings: Vec<Finding>,
    /// What the agent may see of the result.
    pub delivery: Delivery,
}

/// What the agent may see of a result.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Delivery {
    /// All of it.
    #[default]
    AsIs,
    /// This instead.
    Redacted(Value),
    /// Nothing.
    Withheld,
}
