//! Saved replies to the MCP request `tools/list`, and lists of tools in the shapes that other programs save.

use serde_json::Value;

use super::draft::{self, Budget};
use super::{Schema, Tool};

/// The longest text, the most tools, and the most schemas that are looked at.
const MAX_BYTES: usize = 16 * 1024 * 1024;
const MAX_TOOLS: usize = 10_000;
const MAX_SCHEMAS: usize = 200_000;

/// What a file says.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The tools, in file order.
    pub tools: Vec<Tool>,
    /// Whether the server has more tools than are in it: it says `nextCursor`.
    pub is_part: bool,
    /// Whether it has more schemas than are looked at. Nothing is claimed of the others.
    pub is_cut: bool,
}

impl Reply {
    /// Reads a reply: `{"tools": […]}`, with any fields beside it; the whole message, with its `result`; the bare list of
    /// tools; or a list of replies, which are its pages.
    ///
    /// # Errors
    /// If it is none of that.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.len() > MAX_BYTES {
            return Err("it is larger than 16 MiB".to_owned());
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let reply: Value = serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"))?;
        let pages: Vec<&Value> = match &reply {
            Value::Array(list) if list.iter().any(|entry| listed(entry).is_some()) => list.iter().collect(),
            _ => vec![&reply],
        };
        let mut tools = Vec::new();
        let mut budget = Budget(MAX_SCHEMAS);
        for page in &pages {
            let list = listed(page).or(page.as_array()).ok_or("it has no list of `tools`")?;
            if list.len() > MAX_TOOLS.saturating_sub(tools.len()) {
                return Err(format!("it has more than {MAX_TOOLS} tools"));
            }
            for entry in list {
                tools.push(tool(entry, page, &mut budget)?);
            }
        }
        Ok(Self { tools, is_part: pages.last().is_some_and(|page| goes_on(page)), is_cut: budget.0 == 0 })
    }
}

/// The list of tools of a reply.
fn listed(reply: &Value) -> Option<&Vec<Value>> {
    reply.get("tools").or_else(|| reply.get("result")?.get("tools")).and_then(Value::as_array)
}

/// Whether the server has more to say.
fn goes_on(reply: &Value) -> bool {
    let cursor = reply.get("nextCursor").or_else(|| reply.get("result")?.get("nextCursor"));
    cursor.is_some_and(|cursor| !matches!(cursor, Value::Null) && cursor.as_str() != Some(""))
}

fn tool(entry: &Value, page: &Value, budget: &mut Budget) -> Result<Tool, String> {
    // Lists for chat models wrap each tool once more.
    let entry = entry.get("function").filter(|function| function.is_object()).unwrap_or(entry);
    let text = |name: &str| entry.get(name).and_then(Value::as_str).map(str::to_owned);
    let name = text("name").filter(|name| !name.is_empty()).ok_or("one of its tools has no `name`")?;
    let mut schema = |names: &[&str]| {
        let found = names.iter().find_map(|name| entry.get(name)).filter(|found| found.is_object());
        found.map(|found| draft::read(found, budget))
    };
    let input = schema(&["inputSchema", "input_schema", "parameters"]);
    let output = schema(&["outputSchema", "output_schema"]);
    let annotations = entry.get("annotations").and_then(Value::as_object);
    Ok(Tool {
        name,
        server: page.get("server").and_then(Value::as_str).map(str::to_owned),
        title: text("title").or_else(|| annotations?.get("title")?.as_str().map(str::to_owned)),
        description: text("description"),
        annotations: annotations.cloned().unwrap_or_default(),
        input: input.unwrap_or_else(Schema::any),
        output,
    })
}
