//! Saved replies to the MCP request `tools/list`: which tools there are.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::Catalog;
use crate::ast::Contract;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::Span;

/// The tools of all catalogs: of the files that the contract names, and of those that the caller adds. `None` without a
/// catalog, and where one cannot be read: then nothing is known of what is not in it.
pub(super) fn read(
    contract: &Contract,
    catalogs: &[Catalog],
    diagnostics: &mut Diagnostics,
) -> Option<BTreeSet<String>> {
    if contract.catalog.is_empty() && catalogs.is_empty() {
        return None;
    }
    let mut known = BTreeSet::new();
    let mut complete = true;
    let mut take = |name: &str, text: Result<&str, &str>, span: Span| match text.map_err(str::to_owned).and_then(names)
    {
        Ok(names) => known.extend(names),
        Err(why) => {
            complete = false;
            let message = format!("the catalog `{name}` cannot be read: {why}");
            let help = "save the server's reply to `tools/list` there, as JSON; paths are relative to the contract";
            diagnostics.push(Diagnostic::new(Code::Catalog, span, message).help(help));
        }
    };
    for path in &contract.catalog {
        let given = catalogs.iter().find(|catalog| catalog.name == path.value.0);
        let text =
            given.map_or(Err("there is no such file"), |catalog| catalog.text.as_deref().map_err(String::as_str));
        take(&path.value.0, text, path.span);
    }
    let named = |catalog: &&Catalog| contract.catalog.iter().any(|path| path.value.0 == catalog.name);
    for catalog in catalogs.iter().filter(|catalog| !named(catalog)) {
        take(&catalog.name, catalog.text.as_deref().map_err(String::as_str), contract.name.span);
    }
    complete.then_some(known)
}

/// The names in a reply: `{"tools": [{"name": …}]}`, the whole message with its `result`, or the bare list.
fn names(text: &str) -> Result<Vec<String>, String> {
    let reply: Value = serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"))?;
    let list = match &reply {
        Value::Array(list) => Some(list),
        other => other.get("tools").or_else(|| other.get("result")?.get("tools")).and_then(Value::as_array),
    };
    let list = list.ok_or("it has no list of `tools`")?;
    let name = |tool: &Value| tool.get("name").and_then(Value::as_str).map(str::to_owned);
    list.iter().map(name).collect::<Option<_>>().ok_or_else(|| "one of its tools has no `name`".to_owned())
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn a_reply_may_be_saved_whole_or_in_part() {
        for text in [
            r#"[{"name": "a"}, {"name": "b"}]"#,
            r#"{"tools": [{"name": "a"}, {"name": "b"}]}"#,
            r#"{"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "a"}, {"name": "b"}]}}"#,
        ] {
            assert_eq!(names(text).unwrap(), ["a", "b"], "{text}");
        }
        for text in ["", "{", "{}", r#"{"tools": {}}"#, r#"{"tools": [{}]}"#, r#"[{"name": 1}]"#, "3"] {
            assert!(names(text).is_err(), "{text}");
        }
    }
}
