//! Patterns, predicates and paths as text.

use std::ops::Range;

use crate::decode::{Decode, Key, plain_text, scalar, shorten, wrong_type};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::Span;
use crate::syntax::formula::{self, Formula};
use crate::syntax::origin::Origin;
use crate::syntax::parse;
use crate::syntax::yaml::{Kind, Node, Resolved, Scalar, Style};

/// A pattern, predicate, key path or other expression: its text, and the way from the text back to the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// The text, without the quotes, escapes and indentation of the file.
    pub text: String,
    /// Where it stands, quotes included.
    pub span: Span,
    origin: Origin,
}

impl Source {
    /// A text that stands in the file as it is.
    #[must_use]
    pub fn verbatim(text: impl Into<String>, span: Span) -> Self {
        Self { text: text.into(), span, origin: Origin::verbatim(span) }
    }

    /// The place in the file of a range of the text.
    #[must_use]
    pub fn span_in(&self, range: Range<usize>) -> Span {
        self.origin.span(range, self.span)
    }

    fn of(scalar: &Scalar, diagnostics: &mut Diagnostics) -> Option<Self> {
        if scalar.joined {
            let what = if scalar.style == Style::Folded { "a folded `>` text" } else { "a text over several lines" };
            let message = format!("{what} cannot be an expression: YAML joins its lines, and its columns are lost");
            let help = "write it on one line, or as a block after `|`";
            diagnostics.push(Diagnostic::new(Code::YamlFeature, scalar.span, message).help(help));
            return None;
        }
        let (text, origin) = scalar.expression();
        if text.trim_matches([' ', '\t', '\r', '\n']).is_empty() {
            diagnostics.push(Diagnostic::new(Code::BadValue, scalar.span, "the expression is empty"));
            return None;
        }
        diagnostics.note_expression(scalar.span);
        Some(Self { text: text.to_owned(), span: scalar.span, origin })
    }
}

impl Decode for Source {
    /// Truth values, numbers and `null` are taken by their source text.
    fn decode(node: &Node, diagnostics: &mut Diagnostics) -> Option<Self> {
        const EXPECTED: &str = "an expression";
        match &node.kind {
            Kind::Sequence { expression: Some(text), .. } => {
                diagnostics.note_expression(node.span);
                Some(Self::verbatim(text, node.span))
            }
            Kind::Sequence { flow, items, .. } => refuse_list(node, *flow, items, diagnostics),
            Kind::Mapping(mapping) if mapping.flow => {
                let help = "put the expression in quotes";
                refuse_collection(node, '{', "a mapping", help, diagnostics)
            }
            Kind::Scalar(scalar) if scalar.resolve() == Resolved::Null && scalar.text != "null" => {
                let message = match scalar.text.is_empty() {
                    true => "expected an expression, but there is no value",
                    false => "expected an expression; the null value is spelled `null`",
                };
                diagnostics.push(Diagnostic::new(Code::WrongType, node.span, message));
                None
            }
            _ => Self::of(scalar(node, EXPECTED, diagnostics)?, diagnostics),
        }
    }
}

/// A formula over the names of patterns, as text.
#[derive(Clone, Debug, PartialEq)]
pub struct Temporal(pub Source);

impl Decode for Temporal {
    fn decode(node: &Node, diagnostics: &mut Diagnostics) -> Option<Self> {
        if let Kind::Sequence { items, expression: None, .. } = &node.kind {
            let help = match joined(items) {
                Some(joined) => format!("several formulas are one, joined with `and`: `{joined}`"),
                None => "several formulas are one, joined with `and`".to_owned(),
            };
            diagnostics.push(wrong_type(node, "a formula").help(help));
            return None;
        }
        let source = Source::decode(node, diagnostics)?;
        diagnostics.note_formula(source.span);
        Some(Self(source))
    }
}

/// What says that each of a few short formulas holds.
fn joined(items: &[Node]) -> Option<String> {
    let texts: Vec<_> = items.iter().filter_map(plain_text).filter(|text| text.len() <= 100).collect();
    let are_few = (2..=8).contains(&items.len()) && texts.len() == items.len();
    let formulas: Result<Vec<_>, _> = texts.into_iter().filter(|_| are_few).map(parse::formula).collect();
    let all = formulas.ok().filter(|all| !all.is_empty())?;
    Formula::new(formula::Kind::And(all), 0..0).ok().map(|all| all.to_string())
}

/// A list, where one pattern or condition is expected.
fn refuse_list(node: &Node, flow: bool, items: &[Node], diagnostics: &mut Diagnostics) -> Option<Source> {
    let names: Vec<_> = items.iter().filter_map(plain_text).map(shorten).collect();
    let are_names = (2..=8).contains(&names.len()) && names.len() == items.len();
    let joined = if are_names { names.join(" | ") } else { "a | b".to_owned() };
    let help = format!("several patterns are one, joined with `|`: `{joined}`; conditions are joined with `and`");
    if flow {
        return refuse_collection(node, '[', "a list", &format!("put the expression in quotes; {help}"), diagnostics);
    }
    diagnostics.push(wrong_type(node, "an expression").help(help));
    None
}

/// `[…]` and `{…}` may have been meant as the start of an expression.
fn refuse_collection(
    node: &Node,
    first: char,
    what: &str,
    help: &str,
    diagnostics: &mut Diagnostics,
) -> Option<Source> {
    let message = format!("expected an expression, found {what}: in YAML a value that starts with `{first}` is one");
    diagnostics.push(Diagnostic::new(Code::YamlTrap, node.span, message).help(help));
    None
}

impl Key for Source {
    fn read_key(key: &Scalar, diagnostics: &mut Diagnostics) -> Option<Self> {
        Self::of(key, diagnostics)
    }

    #[cfg(feature = "schema")]
    fn names(_: &mut schemars::SchemaGenerator) -> Option<schemars::Schema> {
        Some(schemars::json_schema!({ "pattern": NOT_BLANK }))
    }
}

#[cfg(feature = "schema")]
const NOT_BLANK: &str = "[^ \\t\\r\\n]";

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Temporal {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Formula".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A formula over the names of `let`.",
            "type": ["string", "number", "boolean", "null"],
            "pattern": NOT_BLANK,
        })
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Source {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Expression".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A pattern, predicate, key path or other expression.",
            "type": ["string", "number", "boolean", "null"],
            "pattern": NOT_BLANK,
        })
    }
}
