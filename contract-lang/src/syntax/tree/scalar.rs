//! Scalars: their value, their type by the YAML 1.2 core schema, and the way back from the value to the file.

use crate::source::Span;
use crate::syntax::origin::Origin;

/// How a scalar was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Without quotes.
    Plain,
    /// `'…'`
    SingleQuoted,
    /// `"…"`
    DoubleQuoted,
    /// `|`
    Literal,
    /// `>`
    Folded,
}

/// A scalar.
#[derive(Clone, Debug, PartialEq)]
pub struct Scalar {
    /// Its value. For a plain scalar this is the source text: `0755`, `1_000` and long integers are kept as written.
    pub text: String,
    /// How it was written.
    pub style: Style,
    /// Where, quotes included.
    pub span: Span,
    /// Where the parts of its value stand.
    pub origin: Origin,
    /// Whether YAML joined several lines into one, so that columns of the value are not columns of the file.
    pub joined: bool,
    /// Its text as an expression, where that is another than its value: the text form's strings are string literals where
    /// an expression is wanted, and their content elsewhere.
    pub expression: Option<String>,
}

/// The type of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// No value at all, or one of the spellings of null.
    Null,
    /// `true` or `false`, in one of the core schema's spellings.
    Bool,
    /// Something the core schema reads as a number.
    Number,
    /// Everything else.
    Text,
}

impl Scalar {
    /// A text that stands in the file as it is.
    #[must_use]
    pub fn verbatim(text: impl Into<String>, style: Style, span: Span) -> Self {
        let origin = Origin::verbatim(span);
        Self { text: text.into(), style, span, origin, joined: false, expression: None }
    }

    /// The value as an expression, and where its parts stand.
    #[must_use]
    pub fn expression(&self) -> (&str, Origin) {
        match &self.expression {
            Some(written) => (written, Origin::verbatim(self.span)),
            // A `|` block ends with a line break that is not part of the expression.
            None if self.style == Style::Literal => (self.text.trim_end_matches('\n'), self.origin.clone()),
            None => (&self.text, self.origin.clone()),
        }
    }

    /// Its type.
    #[must_use]
    pub fn resolve(&self) -> Resolved {
        match self.text.as_str() {
            _ if self.style != Style::Plain => Resolved::Text,
            "" | "~" | "null" | "Null" | "NULL" => Resolved::Null,
            "true" | "True" | "TRUE" | "false" | "False" | "FALSE" => Resolved::Bool,
            text if is_number(text) => Resolved::Number,
            _ => Resolved::Text,
        }
    }

    /// What it is, in words, with an article.
    #[must_use]
    pub fn what(&self) -> &'static str {
        match self.resolve() {
            Resolved::Null => "no value",
            Resolved::Bool => "a truth value",
            Resolved::Number => "a number",
            Resolved::Text => "a string",
        }
    }
}

/// Whether the core schema reads a plain scalar as a number.
fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    let all = |digits: &str, is: fn(&char) -> bool| !digits.is_empty() && digits.chars().all(|c| is(&c));
    if let Some(digits) = text.strip_prefix("0x") {
        return all(digits, char::is_ascii_hexdigit);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return all(digits, |c| matches!(c, '0'..='7'));
    }
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |part: &str| part.chars().all(|c| c.is_ascii_digit());
    (!whole.is_empty() || !fraction.is_empty())
        && digits(whole)
        && digits(fraction)
        && exponent.is_none_or(|exponent| all(exponent, char::is_ascii_digit))
}
