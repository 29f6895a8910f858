//! What happens in a session, as it is written down.

use serde_json::Value as Json;

use super::value::Value;

/// A call.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// What names the call in the trace.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// Its server, where there is one.
    pub server: Option<String>,
    /// A JSON object.
    pub args: Json,
    /// How many calls the same model turn made, where known.
    pub batch: Option<u64>,
    /// The sub-agent, where there is one.
    pub agent: Option<String>,
    /// Nanoseconds since 1970.
    pub at: i128,
    /// Whether a person allowed it.
    pub approved: bool,
}

/// How a call ended: said by the host, or found by `succeeds_when`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// A success.
    Ok,
    /// A failure.
    Failed,
    /// Nobody knows.
    Unknown,
}

/// One moment that patterns can match, with what they can read there.
#[derive(Clone, Copy, Debug)]
pub enum Moment<'a> {
    /// Before a call runs.
    Call {
        /// The call.
        call: &'a Call,
        /// Its arguments.
        args: &'a Value,
        /// Its effect.
        effect: contract_runtime::Effect,
    },
    /// After it ran.
    Result {
        /// The call.
        call: &'a Call,
        /// Its arguments.
        args: &'a Value,
        /// Its effect.
        effect: contract_runtime::Effect,
        /// How it ended.
        status: Status,
        /// Its result.
        result: Option<&'a Value>,
    },
    /// Something that the host says.
    Host {
        /// The event's name.
        name: &'a str,
        /// The event's value.
        value: &'a Value,
    },
}
