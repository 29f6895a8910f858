//! What a server says of its tools: pinned, so that a tool stays the one that was looked at, and filtered.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};

use serde_json::{Map, Value};

/// Most tools that are remembered.
const MOST: usize = 10_000;

/// The members of a tool that make it what it is.
const MEMBERS: [&str; 6] = ["name", "title", "description", "inputSchema", "outputSchema", "annotations"];

/// What becomes of tools that a server lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Listed {
    /// A tool whose description changes is reported.
    Report,
    /// And its calls are stopped.
    #[default]
    Block,
}

/// The tools that were listed so far.
#[derive(Debug, Default)]
pub(super) struct Listing {
    hasher: RandomState,
    tools: BTreeMap<String, Pinned>,
}

#[derive(Clone, Debug)]
struct Pinned {
    digest: u64,
    has_output_schema: bool,
    changed: bool,
    #[cfg(feature = "http")]
    mirrored: Vec<Mirrored>,
}

/// An argument that a header mirrors: the name of the header, in lower case, and the path.
#[cfg(feature = "http")]
pub(super) type Mirrored = (String, Vec<String>);

/// What came of a list.
#[derive(Debug, Default)]
pub(super) struct Looked {
    /// The tools that are others than before.
    pub(super) changed: Vec<String>,
    /// The list without the tools that the client is not to see, if there were any.
    pub(super) instead: Option<Value>,
}

impl Listing {
    /// Looks at the result of `tools/list`.
    pub(super) fn look(&mut self, result: &Value, is_shown: &dyn Fn(&str) -> bool) -> Looked {
        let mut looked = Looked::default();
        let Some(tools) = result.get("tools").and_then(Value::as_array) else { return looked };
        for tool in tools {
            let Some(name) = tool.get("name").and_then(Value::as_str) else { continue };
            let digest = self.digest(tool);
            let has_room = self.tools.len() < MOST;
            let has_output_schema = tool.get("outputSchema").is_some_and(Value::is_object);
            match self.tools.get_mut(name) {
                Some(pinned) if pinned.digest == digest => pinned.changed = false,
                Some(pinned) => {
                    #[cfg(feature = "http")]
                    {
                        pinned.mirrored = mirrored(tool);
                    }
                    if !pinned.changed {
                        looked.changed.push(name.to_owned());
                    }
                    pinned.changed = true;
                }
                None if has_room => {
                    let pinned = Pinned {
                        digest,
                        has_output_schema,
                        changed: false,
                        #[cfg(feature = "http")]
                        mirrored: mirrored(tool),
                    };
                    self.tools.insert(name.to_owned(), pinned);
                }
                None => {}
            }
        }
        let name = |tool: &Value| tool.get("name").and_then(Value::as_str).map(str::to_owned);
        if tools.iter().any(|tool| !name(tool).is_some_and(|name| is_shown(&name))) {
            let mut instead = result.clone();
            if let Some(Value::Array(tools)) = instead.get_mut("tools") {
                tools.retain(|tool| name(tool).is_some_and(|name| is_shown(&name)));
            }
            looked.instead = Some(instead);
        }
        looked
    }

    /// Whether a tool is another one than it was when it was listed first.
    pub(super) fn is_changed(&self, tool: &str) -> bool {
        self.tools.get(tool).is_some_and(|pinned| pinned.changed)
    }

    /// The arguments of a tool that headers mirror. `None`: the tool was not listed so far.
    #[cfg(feature = "http")]
    pub(super) fn mirrored(&self, tool: &str) -> Option<&[Mirrored]> {
        self.tools.get(tool).map(|pinned| pinned.mirrored.as_slice())
    }

    /// Whether a tool promises structured content.
    pub(super) fn is_structured(&self, tool: &str) -> bool {
        self.tools.get(tool).is_some_and(|pinned| pinned.has_output_schema)
    }

    fn digest(&self, tool: &Value) -> u64 {
        let members: Map<String, Value> =
            MEMBERS.iter().filter_map(|key| Some(((*key).to_owned(), tool.get(*key)?.clone()))).collect();
        // The members of a `Value` are in order, so this is canonical.
        self.hasher.hash_one(Value::Object(members).to_string())
    }
}

/// Most arguments of a tool that headers mirror, and how deep they may be.
#[cfg(feature = "http")]
const MOST_MIRRORED: (usize, usize) = (64, 8);

/// The arguments that the schema of a tool wants mirrored in headers.
#[cfg(feature = "http")]
fn mirrored(tool: &Value) -> Vec<Mirrored> {
    fn walk(schema: &Value, path: &mut Vec<String>, found: &mut Vec<Mirrored>) {
        let (most, deepest) = MOST_MIRRORED;
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
        for (key, property) in properties {
            if found.len() >= most || path.len() >= deepest {
                return;
            }
            path.push(key.clone());
            if let Some(name) = property.get("x-mcp-header").and_then(Value::as_str) {
                found.push((format!("mcp-param-{}", name.to_ascii_lowercase()), path.clone()));
            }
            walk(property, path, found);
            path.pop();
        }
    }
    let mut found = Vec::new();
    if let Some(schema) = tool.get("inputSchema") {
        walk(schema, &mut Vec::new(), &mut found);
    }
    found
}
