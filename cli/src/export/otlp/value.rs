//! Values of the OTLP messages, in the JSON mapping of protocol buffers with the changes that OTLP makes to it: ids in
//! hexadecimal, 64-bit integers as strings, enums as numbers.

use contract_runtime::Time;
use serde_json::{Value, json};

use crate::export::text::shown;

/// Attributes (`repeated KeyValue`), without those that nothing is known of.
#[derive(Debug, Default)]
pub(super) struct Attributes(Vec<Value>);

impl Attributes {
    pub(super) fn text(&mut self, key: &str, value: Option<&str>) -> &mut Self {
        match value {
            Some(value) => self.exact(key, &shown(value)),
            None => self,
        }
    }

    /// A text that is inert as it is.
    pub(super) fn exact(&mut self, key: &str, value: &str) -> &mut Self {
        self.put(key, &json!({ "stringValue": value }))
    }

    pub(super) fn flag(&mut self, key: &str, value: bool) -> &mut Self {
        self.put(key, &json!({ "boolValue": value }))
    }

    pub(super) fn integer(&mut self, key: &str, value: Option<u64>) -> &mut Self {
        match value {
            Some(value) => self.put(key, &json!({ "intValue": value.to_string() })),
            None => self,
        }
    }

    /// A list of texts, unless it is empty.
    pub(super) fn texts(&mut self, key: &str, values: &[&str]) -> &mut Self {
        if values.is_empty() {
            return self;
        }
        let values: Vec<Value> = values.iter().map(|value| json!({ "stringValue": shown(value) })).collect();
        self.put(key, &json!({ "arrayValue": { "values": values } }))
    }

    fn put(&mut self, key: &str, value: &Value) -> &mut Self {
        self.0.push(json!({ "key": key, "value": value }));
        self
    }

    pub(super) fn into_json(self) -> Value {
        Value::Array(self.0)
    }
}

/// A time in nanoseconds since the epoch, before which there is none (`fixed64`).
pub(super) fn nanos(time: Time) -> String {
    u64::try_from(time.as_nanos().max(0)).unwrap_or(u64::MAX).to_string()
}
