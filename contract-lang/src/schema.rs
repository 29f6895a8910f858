//! The JSON schema of contracts, for editors.
//!
//! It comes from the types that the decoder fills, so the two accept the same documents; a property test holds them to
//! it. What JSON cannot tell apart (how a number is spelled, whether a mapping was written twice) the decoder alone
//! refuses. Errors for people come from the decoder, too: a schema cannot say "did you mean".

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use crate::ast::Contract;
use crate::decode::{Key, Leaf, Map, OneOrMany, RuleKind, TwoOrMore};
use crate::source::Spanned;

/// The version of JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draft {
    /// Draft 2020-12.
    Draft2020,
    /// Draft 07, which all editors know.
    Draft7,
}

/// The schema of contract files.
#[must_use]
pub fn schema(draft: Draft) -> Value {
    let mut settings = match draft {
        Draft::Draft2020 => SchemaSettings::draft2020_12(),
        Draft::Draft7 => SchemaSettings::draft07(),
    };
    // Before the transforms of the draft: those may move a `$ref` out of the `anyOf` that is looked for here.
    settings.transforms.insert(0, Box::new(RecursiveTransform(without_null)));
    let mut schema = settings.into_generator().into_root_schema_for::<Contract>();
    RecursiveTransform(on_one_line).transform(&mut schema);
    schema.to_value()
}

/// The committed form of the schema.
#[must_use]
pub fn text(draft: Draft) -> String {
    format!("{:#}\n", sorted(schema(draft)))
}

/// With its keys in order, whether or not some crate of the build makes `serde_json` keep the order of insertion.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields: BTreeMap<_, _> = fields.into_iter().map(|(key, value)| (key, sorted(value))).collect();
            fields.into_iter().collect()
        }
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        scalar => scalar,
    }
}

/// A field that may be left out must still not be null: `title:` with nothing after it is a slip of the pen.
///
/// Undoes what schemars does for `Option`, and only that: an expression may be `null`, and says so among other types.
fn without_null(schema: &mut Schema) {
    let mut was_nullable = false;
    if let Some(Value::Array(choices)) = schema.get_mut("anyOf") {
        choices.retain(|choice| *choice != json!({ "type": "null" }));
        if let [single] = choices.as_mut_slice() {
            let single = single.take();
            schema.remove("anyOf");
            if let Value::Object(single) = single {
                for (key, value) in single {
                    schema.ensure_object().entry(key).or_insert(value);
                }
            }
        }
    }
    if let Some(Value::Array(types)) = schema.get_mut("type")
        && let [single, null] = types.as_mut_slice()
        && *null == "null"
    {
        let single = single.take();
        schema.insert("type".to_owned(), single);
        was_nullable = true;
    }
    if let Some(Value::Array(words)) = schema.get_mut("enum").filter(|_| was_nullable) {
        words.retain(|word| !word.is_null());
    }
}

/// Descriptions are running text.
fn on_one_line(schema: &mut Schema) {
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = text.replace('\n', " ");
    }
}

/// Adds a property, unless it is there: kinds that share a field describe it alike.
pub(crate) fn property(name: &str, schema: Schema, record: &mut Schema) {
    let properties = record.ensure_object().entry("properties").or_insert_with(|| json!({}));
    if let Value::Object(properties) = properties {
        properties.entry(name).or_insert_with(|| schema.to_value());
    }
}

/// Adds the fields of a kind of rule to those of the rule; what the kind requires is required where the kind is named.
pub(crate) fn spread(kind: &str, mut fields: Schema, rule: &mut Schema) {
    if let Some(Value::Object(properties)) = fields.remove("properties") {
        for (name, field) in properties {
            property(&name, Schema::try_from(field).unwrap_or_default(), rule);
        }
    }
    let required = fields.remove("required").unwrap_or_else(|| json!([]));
    let needed: Vec<Value> =
        required.as_array().into_iter().flatten().filter(|name| **name != *kind).cloned().collect();
    if !needed.is_empty() {
        // `if … then` and not another `oneOf`: editors then name the field that is missing.
        condition(rule, json!({ "if": { "required": [kind] }, "then": { "required": needed } }));
    }
}

fn condition(rule: &mut Schema, condition: Value) {
    let all = rule.ensure_object().entry("allOf").or_insert_with(|| json!([]));
    if let Value::Array(all) = all {
        all.push(condition);
    }
}

/// Exactly one of the kinds; a field that only some kinds have, only with one of these.
pub(crate) fn exactly_one(rule: &mut Schema, kinds: &[RuleKind]) {
    let one: Vec<_> = kinds.iter().map(|kind| json!({ "title": kind.name, "required": [kind.name] })).collect();
    rule.insert("oneOf".to_owned(), one.into());
    let owned = kinds.iter().flat_map(|kind| kind.beside.iter().chain(kind.with).filter(|name| **name != kind.name));
    for field in owned.collect::<BTreeSet<_>>() {
        let homes = kinds.iter().filter(|kind| kind.has(field)).map(|kind| json!({ "required": [kind.name] }));
        let homes: Vec<_> = homes.collect();
        condition(rule, json!({ "if": { "required": [field] }, "then": { "anyOf": homes } }));
    }
}

/// At least one of some fields.
pub(crate) fn at_least_one(schema: &mut Schema, fields: &[&str]) {
    let any: Vec<_> = fields.iter().map(|field| json!({ "title": field, "required": [field] })).collect();
    schema.insert("anyOf".to_owned(), any.into());
}

impl<T: Leaf> JsonSchema for Spanned<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        T::NAME.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        Schema::try_from(T::schema()).unwrap_or_default()
    }
}

impl<K: Key, V: JsonSchema> JsonSchema for Map<K, V> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("MapOf{}", V::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = json_schema!({ "type": "object", "additionalProperties": generator.subschema_for::<V>() });
        if let Some(names) = K::names(generator) {
            schema.insert("propertyNames".to_owned(), names.to_value());
        }
        schema
    }
}

impl<T: JsonSchema> JsonSchema for OneOrMany<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("OneOrMany{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<T>();
        json_schema!({ "anyOf": [one.clone(), { "type": "array", "minItems": 1, "items": one }] })
    }
}

impl<T: JsonSchema> JsonSchema for TwoOrMore<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("TwoOrMore{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "minItems": 2, "items": generator.subschema_for::<T>() })
    }
}

#[cfg(test)]
mod tests;
