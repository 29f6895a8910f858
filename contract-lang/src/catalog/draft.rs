//! Reads JSON Schema, as MCP servers write it: what 2020-12 and draft-07 have in common, with `$ref` within the document.
//!
//! INVARIANT: what comes out allows at least what the JSON Schema allows. A keyword that is not read here can only exclude
//! more, so it is left out; what cannot be resolved, or is larger than is looked at, allows everything.

use serde_json::{Map, Value};

use super::{Kinds, Others, Property, Schema};

/// How deep schemas may nest, references included.
const MAX_DEPTH: usize = 32;

/// Most alternatives of one schema, and most listed values.
const MAX_PARTS: usize = 64;
const MAX_VALUES: usize = 1_000;

/// How many more schemas are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget(pub(super) usize);

/// Reads a document.
pub(super) fn read(document: &Value, budget: &mut Budget) -> Schema {
    let dialect = document.get("$schema").and_then(Value::as_str).unwrap_or_default();
    let is_old = dialect.contains("draft-0");
    Reader { document, is_old, budget, within: Vec::new() }.schema(document, 0)
}

struct Reader<'d, 'b> {
    document: &'d Value,
    /// Whether what stands beside a reference counts for nothing, as until draft-07.
    is_old: bool,
    budget: &'b mut Budget,
    /// The references that are being followed: one within itself is not.
    within: Vec<&'d str>,
}

impl<'d> Reader<'d, '_> {
    fn schema(&mut self, schema: &'d Value, depth: usize) -> Schema {
        let keywords = match schema {
            Value::Bool(false) => return Schema::of(Kinds::NONE),
            Value::Object(keywords) => keywords,
            _ => return Schema::any(),
        };
        let Some(left) = self.budget.0.checked_sub(1) else { return Schema::any() };
        self.budget.0 = left;
        if depth >= MAX_DEPTH {
            return Schema::any();
        }
        let depth = depth.saturating_add(1);
        let reference = keywords.get("$ref").and_then(Value::as_str);
        let referred = reference.map(|reference| self.reference(reference, depth));
        let found = match referred {
            Some(referred) if self.is_old => return referred,
            Some(referred) => self.own(keywords, depth).and(referred),
            None => self.own(keywords, depth),
        };
        self.combined(found, keywords, depth)
    }

    fn reference(&mut self, reference: &'d str, depth: usize) -> Schema {
        let target = reference.strip_prefix('#').and_then(|pointer| self.document.pointer(pointer));
        let Some(target) = target.filter(|_| !self.within.contains(&reference)) else { return Schema::any() };
        self.within.push(reference);
        let found = self.schema(target, depth);
        self.within.pop();
        found
    }

    /// What `allOf`, `anyOf` and `oneOf` exclude besides.
    fn combined(&mut self, mut found: Schema, keywords: &'d Map<String, Value>, depth: usize) -> Schema {
        let parts = |name: &str| keywords.get(name).and_then(Value::as_array).map_or([].as_slice(), Vec::as_slice);
        for part in parts("allOf").iter().take(MAX_PARTS) {
            found = found.and(self.schema(part, depth));
        }
        for parts in [parts("anyOf"), parts("oneOf")] {
            if parts.len() > MAX_PARTS {
                continue;
            }
            if let Some(one) = parts.iter().map(|part| self.schema(part, depth)).reduce(Schema::or) {
                found = found.and(one);
            }
        }
        found
    }

    /// What the keywords of the schema itself say.
    fn own(&mut self, keywords: &'d Map<String, Value>, depth: usize) -> Schema {
        let mut found = Schema::of(kinds(keywords));
        if let Some(values) = values(keywords) {
            found.kinds = found.kinds.and(values.iter().map(Kinds::of).fold(Kinds::NONE, Kinds::or));
            found.values = Some(values);
        }
        let listed = keywords.get("properties").and_then(Value::as_object);
        for (name, schema) in listed.into_iter().flatten() {
            let schema = self.schema(schema, depth);
            found.properties.insert(name.clone(), Property { required: false, schema });
        }
        let required = keywords.get("required").and_then(Value::as_array);
        for name in required.into_iter().flatten().filter_map(Value::as_str) {
            let unlisted = || Property { required: true, schema: Schema::any() };
            found.properties.entry(name.to_owned()).or_insert_with(unlisted).required = true;
        }
        let has_patterns =
            keywords.get("patternProperties").is_some_and(|patterns| patterns != &Value::Object(Map::new()));
        found.others = match keywords.get("additionalProperties") {
            _ if has_patterns => Others::Welcome,
            Some(Value::Bool(false)) => Others::Forbidden,
            Some(_) => Others::Welcome,
            None if listed.is_some_and(|listed| !listed.is_empty()) => Others::Unlisted,
            None => Others::Welcome,
        };
        // Elements that are given by position are not told apart.
        let items = keywords.get("items").filter(|items| !items.is_array() && !keywords.contains_key("prefixItems"));
        found.items = items.map(|items| Box::new(self.schema(items, depth)));
        found
    }
}

fn kinds(keywords: &Map<String, Value>) -> Kinds {
    // A word that is not known may be of a dialect that is not read here.
    let named = |name: &Value| name.as_str().and_then(Kinds::named).unwrap_or(Kinds::ANY);
    let kinds = match keywords.get("type") {
        None => Kinds::ANY,
        Some(Value::Array(names)) => names.iter().map(named).fold(Kinds::NONE, Kinds::or),
        Some(name) => named(name),
    };
    match keywords.get("nullable") {
        Some(Value::Bool(true)) => kinds.or(Kinds::NULL),
        _ => kinds,
    }
}

/// The values that `enum` and `const` list, if that are not too many.
fn values(keywords: &Map<String, Value>) -> Option<Vec<Value>> {
    let listed = match (keywords.get("const"), keywords.get("enum")) {
        (Some(value), _) => vec![value.clone()],
        (None, Some(Value::Array(values))) if values.len() <= MAX_VALUES => values.clone(),
        _ => return None,
    };
    let is_nullable = keywords.get("nullable") == Some(&Value::Bool(true));
    Some(listed.into_iter().chain(is_nullable.then_some(Value::Null)).collect())
}
