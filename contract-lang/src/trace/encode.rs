//! Lines of a trace as JSON, for whoever writes traces.

use contract_runtime::Status;
use serde_json::{Map, Value, json};

use super::{Body, Line, Recorded, RecordedCall};

impl Line {
    /// The line as an object, which [`Line::decode`] reads as the same line. What has its default value is left out.
    #[must_use]
    pub fn encode(&self) -> Value {
        let mut object = Map::new();
        if self.session != "default" {
            object.insert("session".to_owned(), self.session.as_str().into());
        }
        if let Some(at) = self.at {
            object.insert("at".to_owned(), at.to_string().into());
        }
        let mut insert = |name: &str, value: Value| object.insert(name.to_owned(), value);
        match &self.body {
            Body::Call(call, result) => {
                insert("call", call.encode());
                if let Some(result) = result {
                    insert("result", result.encode());
                }
            }
            Body::Result(id, result) => {
                insert("result_of", id.as_str().into());
                insert("result", result.encode());
            }
            Body::Event { name, value } => {
                insert("event", json!({"name": name, "value": value}));
            }
            Body::Context(facts) => {
                insert("context", facts.clone());
            }
            Body::End => {
                insert("end", true.into());
            }
        }
        object.into()
    }
}

impl RecordedCall {
    fn encode(&self) -> Value {
        let mut object = Map::new();
        let mut insert = |name: &str, value: Value| object.insert(name.to_owned(), value);
        insert("id", self.id.as_str().into());
        insert("tool", self.tool.as_str().into());
        insert("args", self.args.clone());
        if let Some(server) = &self.server {
            insert("server", server.as_str().into());
        }
        if let Some(batch) = self.batch {
            insert("batch", batch.into());
        }
        if let Some(agent) = &self.agent {
            insert("agent", agent.as_str().into());
        }
        if self.approved {
            insert("approved", true.into());
        }
        object.into()
    }
}

impl Recorded {
    fn encode(&self) -> Value {
        let mut object = Map::new();
        let status = match self.status {
            Status::Ok => "ok",
            Status::Failed => "failed",
            Status::Unknown => "unknown",
        };
        object.insert("status".to_owned(), status.into());
        if let Some(value) = &self.value {
            object.insert("value".to_owned(), value.clone());
        }
        object.into()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::Line;

    #[test]
    fn what_is_written_is_read_as_the_same_line() {
        let lines = [
            json!({"call": {"id": "a", "tool": "pay", "args": {"n": 1}}}),
            json!({"session": "s", "at": "2026-01-01T10:00:00Z", "call": {"id": "a", "tool": "pay", "args": {}, "server": "bank",
                "batch": 2, "agent": "helper", "approved": true}, "result": {"status": "ok", "value": null}}),
            json!({"result_of": "a", "result": {"status": "failed", "value": {"error": "no"}}}),
            json!({"result_of": "a", "result": {"status": "unknown"}}),
            json!({"event": {"name": "tick", "value": [1]}}),
            json!({"context": {"user": "u"}}),
            json!({"end": true}),
        ];
        for line in lines {
            let read = Line::decode(line).unwrap();
            let written: Value = read.encode();
            assert_eq!(Line::decode(written.clone()).unwrap(), read, "{written}");
        }
    }
}
