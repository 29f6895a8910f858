//! What may be said for all tools of a rule at once, or for each by itself.

use super::Source;
use crate::decode::{Decode, Map, OneOrMany};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::syntax::tree::{Kind, Node};

/// The key of a rule: paths, of which several make a composite key.
pub type Per = PerTool<OneOrMany<Source>>;

/// What a rule reads of its events: the same for every tool, or for each its own.
#[derive(Clone, Debug, PartialEq)]
pub enum PerTool<T> {
    /// The same for every tool of the rule.
    Same(T),
    /// By tool.
    ByTool(Map<Source, T>),
}

impl<T: Decode> Decode for PerTool<T> {
    fn decode(node: &Node, diagnostics: &mut Diagnostics) -> Option<Self> {
        match &node.kind {
            Kind::Mapping(mapping) if mapping.entries.is_empty() => {
                let message = "the mapping is empty, and needs a path for each tool of the rule";
                diagnostics.push(Diagnostic::new(Code::BadValue, node.span, message));
                None
            }
            Kind::Mapping(_) => Map::decode(node, diagnostics).map(Self::ByTool),
            _ => T::decode(node, diagnostics).map(Self::Same),
        }
    }
}

#[cfg(feature = "schema")]
impl<T: schemars::JsonSchema> schemars::JsonSchema for PerTool<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("PerTool{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let same = generator.subschema_for::<T>();
        let mut by_tool = generator.subschema_for::<Map<Source, T>>();
        by_tool.insert("minProperties".to_owned(), 1.into());
        schemars::json_schema!({
            "description": "The same for every tool of the rule, or a mapping from tools.",
            "anyOf": [same, by_tool],
        })
    }
}
