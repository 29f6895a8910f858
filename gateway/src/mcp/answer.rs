//! The messages that a guard makes itself.

use serde_json::{Value, json};

use super::message::Id;
use super::outcome::text_block;

/// What a JSON-RPC error calls itself: the contract blocks the call.
pub(crate) const BLOCKED: i64 = -32010;

/// What a JSON-RPC error calls itself: the server is gone, or did not answer as it must.
pub(crate) const UPSTREAM: i64 = -32011;

/// An answer with an error. `None` as the id is `null`: nobody knows what is answered.
pub(crate) fn error(id: Option<&Id>, code: i64, message: &str) -> Vec<u8> {
    let id = id.map_or_else(|| "null".to_owned(), Id::to_string);
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{}}}}}"#, Value::from(message))
        .into_bytes()
}

/// An answer with the result of a tool that says why there is none.
pub(crate) fn failed(id: &Id, text: &str) -> Vec<u8> {
    result(id, &json!({ "content": [text_block(text)], "isError": true }))
}

/// An answer with a result.
pub(crate) fn result(id: &Id, result: &Value) -> Vec<u8> {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#).into_bytes()
}

/// A request of the guard's own to the client.
pub(crate) fn request(id: &Id, method: &str, params: &Value) -> Vec<u8> {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{},"params":{params}}}"#, Value::from(method)).into_bytes()
}
