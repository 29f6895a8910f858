//! Values that may be written in two ways.

use contract_runtime::{Decision, Effect};

use super::{At, EffectCase, EffectDecisions, FailureDecisions, OnFailure, Source};
use crate::decode::{Decode, OneOrMany, digits};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::{Span, Spanned};
use crate::syntax::yaml::{Kind, Node, Resolved, Scalar};

/// A decision for every effect, or one for each.
#[derive(Clone, Debug, PartialEq)]
pub enum Decide {
    /// The same for every effect.
    Always(Spanned<Decision>),
    /// By effect.
    ByEffect(EffectDecisions),
}

impl Decode for Decide {
    fn decode(node: &Node, diagnostics: &mut Diagnostics) -> Option<Self> {
        match &node.kind {
            Kind::Mapping(_) => EffectDecisions::decode(node, diagnostics).map(Self::ByEffect),
            _ => Spanned::decode(node, diagnostics).map(Self::Always),
        }
    }
}

/// What becomes of calls when the monitor fails: the same for every effect, or one for each.
#[derive(Clone, Debug, PartialEq)]
pub enum OnError {
    /// The same for every effect.
    Always(Spanned<OnFailure>),
    /// By effect.
    ByEffect(FailureDecisions),
}

impl Decode for OnError {
    fn decode(node: &Node, diagnostics: &mut Diagnostics) -> Option<Self> {
        match &node.kind {
            Kind::Mapping(_) => FailureDecisions::decode(node, diagnostics).map(Self::ByEffect),
            _ => Spanned::decode(node, diagnostics).map(Self::Always),
        }
    }
}

/// The effect of a tool: one, or by argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Effects {
    /// Always the same.
    Always(Spanned<Effect>),
    /// By argument: at least one case.
    Cases(OneOrMany<EffectCase>),
}

impl Decode for Effects {
    fn decode(node: &Node, diagnostics: &mut Diagnostics) -> Option<Self> {
        match &node.kind {
            Kind::Sequence { .. } => OneOrMany::decode(node, diagnostics).map(Self::Cases),
            _ => Spanned::decode(node, diagnostics).map(Self::Always),
        }
    }
}

/// A member of a set, or of the set at a key of a map.
#[derive(Clone, Debug, PartialEq)]
pub enum Member {
    /// A member of a set, or a key of a map.
    Of(Source),
    /// A member of the set at a key of a `map<set<T>>`.
    At(At),
}

impl Decode for Member {
    fn decode(node: &Node, diagnostics: &mut Diagnostics) -> Option<Self> {
        match &node.kind {
            Kind::Mapping(_) => At::decode(node, diagnostics).map(Self::At),
            _ => Source::decode(node, diagnostics).map(Self::Of),
        }
    }
}

/// Any value, kept as it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// The value.
    pub node: Node,
}

impl Value {
    /// Where.
    #[must_use]
    pub fn span(&self) -> Span {
        self.node.span
    }

    /// As JSON. `None` if a number in it would not survive: beyond 64 bits, or with more than 15 significant digits
    /// where it is no integer.
    #[must_use]
    pub fn json(&self) -> Option<serde_json::Value> {
        json(&self.node)
    }

    /// As a truth value.
    ///
    /// # Errors
    /// It is none; the error says so of the words that YAML 1.1 took for one, too.
    pub fn boolean(&self) -> Result<bool, Box<Diagnostic>> {
        let (span, what) = (self.span(), self.node.what());
        let refuse = |message| Diagnostic::new(Code::WrongType, span, message);
        let Kind::Scalar(scalar) = &self.node.kind else {
            return Err(Box::new(refuse(format!("expected `true` or `false`, found {what}"))));
        };
        let meant = match scalar.text.to_ascii_lowercase().as_str() {
            "true" if scalar.resolve() == Resolved::Bool => return Ok(true),
            "false" if scalar.resolve() == Resolved::Bool => return Ok(false),
            "true" | "yes" | "on" | "y" => Some("true"),
            "false" | "no" | "off" | "n" => Some("false"),
            _ => None,
        };
        let diagnostic = refuse(format!("expected `true` or `false`, found {what} `{}`", scalar.text));
        Err(Box::new(match meant {
            Some(meant) => diagnostic.correct(format!("write `{meant}`"), span, meant),
            None => diagnostic,
        }))
    }
}

fn json(node: &Node) -> Option<serde_json::Value> {
    Some(match &node.kind {
        Kind::Broken => return None,
        Kind::Sequence { items, .. } => items.iter().map(json).collect::<Option<Vec<_>>>()?.into(),
        Kind::Mapping(mapping) => {
            let entries = mapping.entries.iter().map(|entry| Some((entry.key.text.clone(), json(&entry.value)?)));
            serde_json::Value::Object(entries.collect::<Option<_>>()?)
        }
        Kind::Scalar(scalar) => match scalar.resolve() {
            Resolved::Null => serde_json::Value::Null,
            Resolved::Bool => (scalar.text == "true").into(),
            Resolved::Text => scalar.text.clone().into(),
            Resolved::Number => number(scalar)?.into(),
        },
    })
}

fn number(scalar: &Scalar) -> Option<serde_json::Number> {
    let (whole, fraction, _) = digits(scalar).ok()?;
    if !scalar.text.contains('.') {
        let signed = scalar.text.parse::<i64>().ok().map(Into::into);
        return signed.or_else(|| scalar.text.parse::<u64>().ok().map(Into::into));
    }
    let significant = whole.len().saturating_add(fraction.len());
    (significant <= 15).then(|| scalar.text.parse().ok().and_then(serde_json::Number::from_f64)).flatten()
}

impl Decode for Value {
    fn decode(node: &Node, diagnostics: &mut Diagnostics) -> Option<Self> {
        check(node, diagnostics).then(|| Self { node: node.clone() })
    }
}

/// Refuses scalars that other readers would read as something else; every one of them.
fn check(node: &Node, diagnostics: &mut Diagnostics) -> bool {
    match &node.kind {
        Kind::Broken => false,
        Kind::Sequence { items, .. } => check_all(items, diagnostics),
        Kind::Mapping(mapping) => check_all(mapping.entries.iter().map(|entry| &entry.value), diagnostics),
        Kind::Scalar(scalar) => match check_scalar(scalar, node.span) {
            Some(problem) => {
                diagnostics.push(problem);
                false
            }
            None => true,
        },
    }
}

fn check_all<'n>(nodes: impl IntoIterator<Item = &'n Node>, diagnostics: &mut Diagnostics) -> bool {
    let mut good = true;
    for node in nodes {
        good &= check(node, diagnostics);
    }
    good
}

fn check_scalar(scalar: &Scalar, span: Span) -> Option<Diagnostic> {
    match (scalar.resolve(), scalar.text.as_str()) {
        (Resolved::Number, _) => digits(scalar).err().map(|refusal| refusal.at(span)),
        (Resolved::Null, "") => Some(Diagnostic::new(Code::WrongType, span, "there is no value")),
        (Resolved::Null, text) if text != "null" => {
            let message = format!("the null value is spelled `null`, not `{text}`");
            Some(Diagnostic::new(Code::BadValue, span, message).correct("write `null`", span, "null"))
        }
        (Resolved::Bool, text) if !matches!(text, "true" | "false") => {
            let lower = text.to_ascii_lowercase();
            let message = format!("truth values are `true` and `false`, not `{text}`");
            Some(Diagnostic::new(Code::BadValue, span, message).correct(format!("write `{lower}`"), span, lower))
        }
        _ => None,
    }
}

#[cfg(feature = "schema")]
mod schema {
    use std::borrow::Cow;

    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

    use super::*;

    impl JsonSchema for Decide {
        fn schema_name() -> Cow<'static, str> {
            "Decide".into()
        }

        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            let word = generator.subschema_for::<Spanned<Decision>>();
            let map = generator.subschema_for::<EffectDecisions>();
            json_schema!({ "description": "One decision, or one for each effect.", "anyOf": [word, map] })
        }
    }

    impl JsonSchema for OnError {
        fn schema_name() -> Cow<'static, str> {
            "OnError".into()
        }

        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            let word = generator.subschema_for::<Spanned<OnFailure>>();
            let map = generator.subschema_for::<FailureDecisions>();
            json_schema!({ "description": "`allow` or `block`, or one for each effect.", "anyOf": [word, map] })
        }
    }

    impl JsonSchema for Effects {
        fn schema_name() -> Cow<'static, str> {
            "Effects".into()
        }

        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            let word = generator.subschema_for::<Spanned<Effect>>();
            let case = generator.subschema_for::<EffectCase>();
            json_schema!({
                "description": "One effect, or a list of cases by argument.",
                "anyOf": [word, { "type": "array", "minItems": 1, "items": case }],
            })
        }
    }

    impl JsonSchema for Member {
        fn schema_name() -> Cow<'static, str> {
            "Member".into()
        }

        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            let of = generator.subschema_for::<Source>();
            let at = generator.subschema_for::<At>();
            json_schema!({ "description": "A member of a set, or of the set at a key of a map.", "anyOf": [of, at] })
        }
    }

    impl JsonSchema for Value {
        fn schema_name() -> Cow<'static, str> {
            "Value".into()
        }

        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            json_schema!({ "description": "Any value of the cell's type." })
        }
    }
}
