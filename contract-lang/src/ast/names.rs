//! The names of a formula.

use super::{Ident, Source};
use crate::decode::{Decode, Map, shorten, wrong_type};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::{Span, Spanned};
use crate::syntax::yaml::{Kind, Mapping, Node, Resolved};

/// The names of a formula, and the patterns that they stand for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Names {
    /// Name and pattern, in file order.
    pub patterns: Map<Spanned<Ident>, Source>,
    /// Whether they could not be read at all. That was reported, and any name may be one of them.
    pub unread: bool,
}

impl Decode for Names {
    fn decode(node: &Node, diagnostics: &mut Diagnostics) -> Option<Self> {
        let Kind::Mapping(mapping) = &node.kind else {
            if !matches!(node.kind, Kind::Broken) {
                let help = "write `name: pattern` pairs: `let: { p: call(tool), q: ok(tool) }`";
                diagnostics.push(wrong_type(node, "the names of the formula with their patterns").help(help));
            }
            return None;
        };
        let (bare, pairs): (Vec<_>, Vec<_>) = mapping.entries.iter().cloned().partition(|entry| is_empty(&entry.value));
        for entry in &bare {
            let name = shorten(&entry.key.text);
            let help = format!("`let` has `name: pattern` pairs: `{name}: call(tool)`");
            let message = format!("the name `{name}` has no pattern");
            diagnostics.push(Diagnostic::new(Code::WrongType, entry.key.span, message).help(help));
        }
        let kind = Kind::Mapping(Mapping { entries: pairs, flow: mapping.flow });
        let mut patterns = Map::decode(&Node { span: node.span, kind }, diagnostics)?;
        patterns.broken.extend(bare.into_iter().map(|entry| entry.key.text));
        Some(Self { patterns, unread: false })
    }

    fn absent() -> Option<Self> {
        Some(Self::default())
    }

    fn recover(_: Span) -> Option<Self> {
        Some(Self { unread: true, ..Self::default() })
    }
}

/// Whether there is no value at all.
fn is_empty(value: &Node) -> bool {
    matches!(&value.kind, Kind::Scalar(scalar) if scalar.text.is_empty() && scalar.resolve() == Resolved::Null)
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Names {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Names".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Map::<Spanned<Ident>, Source>::json_schema(generator)
    }
}
