//! What a server says of its tools: pinned, so that a tool stays the one that was looked at, and filtered.
//!
//! Without pins from elsewhere, the first list is trusted, to its last page; what comes later is compared with it, whether or not
//! the server said that its list has changed. Until then calls go on as the tools were pinned.
//!
//! INVARIANT: memory is bounded, and what there is no place for is not taken for known.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::confusable::{self, Names};
use super::gate::shown;
use super::notice::NoticeKind;
use super::pins::Pins;

/// Most tools that are remembered, and most bytes of their names.
const MOST: usize = 10_000;
const MOST_BYTES: usize = 4 << 20;

/// What becomes of tools that a server lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Listed {
    /// A tool whose description changes is reported, and one that is new.
    Report,
    /// And its calls are stopped.
    #[default]
    Block,
}

/// The tools that were listed so far.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pins: Pins,
    tools: BTreeMap<String, Tool>,
    names: Names,
    bytes: usize,
    /// Whether tools that were not pinned are strangers: the pins are somebody's choice.
    is_strict: bool,
    /// Whether all tools were listed once, or pinned elsewhere.
    is_complete: bool,
    /// Whether there were more tools than are remembered.
    is_full: bool,
}

#[derive(Clone, Debug, Default)]
struct Tool {
    has_output_schema: bool,
    changed: bool,
    #[cfg(feature = "http")]
    mirrored: Vec<Mirrored>,
}

/// An argument that a header mirrors: the name of the header, in lower case, and the path.
#[cfg(feature = "http")]
pub(super) type Mirrored = (String, Vec<String>);

/// What is to be held against a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doubt {
    /// It is described otherwise than when it was pinned.
    Changed,
    /// It was not there when the tools were pinned.
    New,
    /// There are too many tools to know it.
    Unknown,
}

/// What came of a list.
#[derive(Debug, Default)]
pub(super) struct Looked {
    /// What is worth knowing.
    pub(super) notices: Vec<(NoticeKind, String)>,
    /// The list as the client is to see it, if that is not as it came.
    pub(super) instead: Option<Value>,
    /// The pins, where all tools were seen for the first time.
    pub(super) learned: Option<Pins>,
}

impl Listing {
    /// With the pins of somebody who has looked at the tools; or, where these are to be kept, those of the first list.
    pub(super) fn new(pins: Option<Pins>, keeps: bool) -> Self {
        let is_complete = pins.is_some();
        Self { is_strict: is_complete || keeps, is_complete, pins: pins.unwrap_or_default(), ..Self::default() }
    }

    /// Looks at the result of `tools/list`.
    pub(super) fn look(&mut self, result: &Value, is_shown: Option<&dyn Fn(&str) -> bool>) -> Looked {
        let mut looked = Looked::default();
        let Some(tools) = result.get("tools").and_then(Value::as_array) else { return looked };
        for tool in tools {
            if let Some(name) = tool.get("name").and_then(Value::as_str) {
                self.take(name, tool, &mut looked.notices);
            }
        }
        let cursor = result.get("nextCursor");
        if !self.is_complete && cursor.is_none_or(|cursor| cursor.is_null() || cursor == "") {
            self.is_complete = true;
            looked.learned = Some(self.pins.clone());
        }
        looked.instead = is_shown.and_then(|is_shown| filtered(result, is_shown));
        looked
    }

    fn take(&mut self, name: &str, tool: &Value, notices: &mut Vec<(NoticeKind, String)>) {
        let has_output_schema = tool.get("outputSchema").is_some_and(Value::is_object);
        let is_first = !self.tools.contains_key(name);
        if is_first {
            let bytes = self.bytes.saturating_add(name.len());
            if self.tools.len() >= MOST || bytes > MOST_BYTES {
                if !std::mem::replace(&mut self.is_full, true) {
                    let said = "the server lists more tools than are remembered; calls of the others are stopped";
                    notices.push((NoticeKind::ToolsTooMany, said.to_owned()));
                }
                return;
            }
            self.bytes = bytes;
            self.tools.insert(name.to_owned(), Tool { has_output_schema, ..Tool::default() });
            if let Some(flaw) = confusable::flaw(name) {
                notices.push((NoticeKind::ToolConfusable, format!("the name of the tool `{}` {flaw}", shown(name))));
            }
            if let Some(other) = self.names.take(name) {
                let said = format!("the name of the tool `{}` looks like that of `{}`", shown(name), shown(other));
                notices.push((NoticeKind::ToolConfusable, said));
            }
        }
        let Some(known) = self.tools.get_mut(name) else { return };
        #[cfg(feature = "http")]
        {
            known.mirrored = mirrored(tool);
        }
        match self.pins.tools.get(name).map(|pin| pin.difference(tool)) {
            Some(None) => {
                known.changed = false;
                known.has_output_schema |= has_output_schema;
            }
            Some(Some(difference)) => {
                if !std::mem::replace(&mut known.changed, true) {
                    let said = format!("the server describes `{}` otherwise than before: {difference}", shown(name));
                    notices.push((NoticeKind::ToolChanged, said));
                }
            }
            None => {
                if self.is_complete && is_first {
                    let said = format!("the server has a tool that it did not have before: `{}`", shown(name));
                    notices.push((NoticeKind::ToolNew, said));
                }
                if !(self.is_complete && self.is_strict) {
                    self.pins.add(name, tool);
                }
            }
        }
    }

    /// What is to be held against a tool, so that its calls do not run.
    pub(super) fn doubt(&self, tool: &str) -> Option<Doubt> {
        if self.tools.get(tool).is_some_and(|tool| tool.changed) {
            Some(Doubt::Changed)
        } else if self.is_full && !self.tools.contains_key(tool) {
            Some(Doubt::Unknown)
        } else if self.is_strict && self.is_complete && !self.pins.tools.contains_key(tool) {
            Some(Doubt::New)
        } else {
            None
        }
    }

    /// The arguments of a tool that headers mirror. `None`: the tool was not listed so far.
    #[cfg(feature = "http")]
    pub(super) fn mirrored(&self, tool: &str) -> Option<&[Mirrored]> {
        self.tools.get(tool).map(|pinned| pinned.mirrored.as_slice())
    }

    /// Whether a tool promises structured content.
    pub(super) fn is_structured(&self, tool: &str) -> bool {
        self.tools.get(tool).is_some_and(|tool| tool.has_output_schema)
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

/// The list without what the client is not to see. Another client may see more of it, so nobody may keep it for all.
fn filtered(result: &Value, is_shown: &dyn Fn(&str) -> bool) -> Option<Value> {
    let name = |tool: &Value| tool.get("name").and_then(Value::as_str).is_some_and(is_shown);
    let tools = result.get("tools").and_then(Value::as_array)?;
    let hides = !tools.iter().all(name);
    let is_public = result.get("cacheScope").is_some_and(|scope| scope != "private");
    if !hides && !is_public {
        return None;
    }
    let mut instead = result.clone();
    if let Some(Value::Array(tools)) = instead.get_mut("tools") {
        tools.retain(name);
    }
    if let Some(scope) = instead.get_mut("cacheScope") {
        *scope = json!("private");
    }
    Some(instead)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(tools: &[(&str, &str)]) -> Value {
        let tool = |(name, about): &(&str, &str)| json!({"name": name, "description": about, "inputSchema": {}});
        json!({ "tools": tools.iter().map(tool).collect::<Vec<_>>() })
    }

    fn kinds(looked: &Looked) -> Vec<NoticeKind> {
        looked.notices.iter().map(|(kind, _)| *kind).collect()
    }

    #[test]
    fn a_changed_tool_is_in_doubt_until_it_is_as_it_was() {
        let mut listing = Listing::new(None, false);
        assert_eq!(kinds(&listing.look(&list(&[("t", "a")]), None)), []);
        assert_eq!(listing.doubt("t"), None);
        assert_eq!(kinds(&listing.look(&list(&[("t", "b")]), None)), [NoticeKind::ToolChanged]);
        assert_eq!(listing.doubt("t"), Some(Doubt::Changed));
        // It is told once.
        assert_eq!(kinds(&listing.look(&list(&[("t", "c")]), None)), []);
        listing.look(&list(&[("t", "a")]), None);
        assert_eq!(listing.doubt("t"), None);
        // Twice in one list, in two ways: one of them is not the pinned one.
        let mut listing = Listing::new(None, false);
        assert_eq!(kinds(&listing.look(&list(&[("t", "a"), ("t", "b")]), None)), [NoticeKind::ToolChanged]);
        assert_eq!(listing.doubt("t"), Some(Doubt::Changed));
    }

    #[test]
    fn the_first_list_ends_with_its_last_page() {
        let mut listing = Listing::new(None, true);
        let mut page = list(&[("a", "")]);
        page["nextCursor"] = json!("2");
        assert!(listing.look(&page, None).learned.is_none());
        let looked = listing.look(&list(&[("b", "")]), None);
        assert_eq!(kinds(&looked), []);
        let learned = looked.learned.unwrap();
        assert_eq!(learned.tools.keys().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(kinds(&listing.look(&list(&[("c", "")]), None)), [NoticeKind::ToolNew]);
        assert_eq!((listing.doubt("a"), listing.doubt("c")), (None, Some(Doubt::New)));
    }

    #[test]
    fn pins_from_elsewhere_are_held_against_the_first_list() {
        let pins = Pins::of_list(&list(&[("a", "x"), ("b", "x")]).to_string(), None);
        let mut listing = Listing::new(pins, false);
        // Before any list, too.
        assert_eq!((listing.doubt("a"), listing.doubt("z")), (None, Some(Doubt::New)));
        let looked = listing.look(&list(&[("a", "x"), ("b", "y"), ("c", "")]), None);
        assert_eq!(kinds(&looked), [NoticeKind::ToolChanged, NoticeKind::ToolNew]);
        assert!(looked.notices[0].1.ends_with("`description` was `x` and is `y`"), "{:?}", looked.notices);
        assert_eq!((listing.doubt("b"), listing.doubt("c")), (Some(Doubt::Changed), Some(Doubt::New)));
    }

    #[test]
    fn a_flood_of_tools_is_not_taken_for_known() {
        let mut listing = Listing::new(None, false);
        let names: Vec<String> = (0..MOST + 5).map(|n| format!("t{n}")).collect();
        let tools: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
        let looked = listing.look(&list(&tools), None);
        assert_eq!(kinds(&looked).iter().filter(|kind| **kind == NoticeKind::ToolsTooMany).count(), 1);
        assert_eq!((listing.doubt("t1"), listing.doubt("t10003")), (None, Some(Doubt::Unknown)));
        let long = "x".repeat(MOST_BYTES + 1);
        let mut listing = Listing::new(None, false);
        listing.look(&list(&[(&long, "")]), None);
        assert_eq!(listing.doubt(&long), Some(Doubt::Unknown));
    }

    #[test]
    fn a_filtered_list_is_for_this_client_alone() {
        let mut listing = Listing::new(None, false);
        let mut all = list(&[("a", ""), ("b", "")]);
        all["cacheScope"] = json!("public");
        all["ttlMs"] = json!(5);
        let instead = listing.look(&all, Some(&|name| name == "a")).instead.unwrap();
        assert_eq!(instead["tools"].as_array().unwrap().len(), 1);
        assert_eq!((&instead["cacheScope"], &instead["ttlMs"]), (&json!("private"), &json!(5)));
        // All may be seen: by this client.
        assert_eq!(listing.look(&all, Some(&|_| true)).instead.unwrap()["cacheScope"], "private");
        assert!(listing.look(&list(&[("a", "")]), Some(&|_| true)).instead.is_none());
        assert!(listing.look(&all, None).instead.is_none());
    }
}
