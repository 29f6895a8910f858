//! Leaves: what is written as one scalar.

use crate::diagnostic::{Applicability, Code, Diagnostic, nearest_of_all};
use crate::source::Span;
use crate::syntax::yaml::{Resolved, Scalar};

/// A value that is written as one scalar.
pub trait Leaf: Sized {
    /// Its name in the schema.
    const NAME: &'static str;

    /// What is expected, with an article: "a number".
    const EXPECTED: &'static str;

    /// Reads it.
    ///
    /// # Errors
    /// It is something else; the refusal says what is expected.
    fn read(scalar: &Scalar) -> Result<Self, Refusal>;

    /// What stands in for a required leaf that is missing or wrong.
    #[must_use]
    fn recover() -> Option<Self> {
        None
    }

    /// Its JSON schema.
    #[cfg(feature = "schema")]
    fn schema() -> serde_json::Value;
}

/// Why a scalar is not the leaf that is expected.
#[derive(Clone, Debug)]
pub struct Refusal {
    code: Code,
    message: String,
    help: Option<String>,
    replacement: Option<(String, Applicability)>,
}

impl Refusal {
    /// The scalar is of another type.
    #[must_use]
    pub fn wrong_type(scalar: &Scalar, expected: &str) -> Self {
        let message = match scalar.resolve() {
            Resolved::Null => format!("expected {expected}, but there is no value"),
            _ => format!("expected {expected}, found {} `{}`", scalar.what(), scalar.text),
        };
        Self { code: Code::WrongType, message, help: None, replacement: None }
    }

    /// The type is right and the value is not.
    #[must_use]
    pub fn bad_value(message: impl Into<String>) -> Self {
        Self { code: Code::BadValue, message: message.into(), help: None, replacement: None }
    }

    /// Adds advice.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Adds the text that must have been meant.
    #[must_use]
    pub fn replace(self, text: impl Into<String>) -> Self {
        self.meant(text, Applicability::Certain)
    }

    /// Adds a text that was meant, and how sure that is.
    #[must_use]
    pub fn meant(mut self, text: impl Into<String>, applicability: Applicability) -> Self {
        self.replacement = Some((text.into(), applicability));
        self
    }

    /// The diagnostic at a place.
    #[must_use]
    pub fn at(self, span: Span) -> Diagnostic {
        let diagnostic = Diagnostic::new(self.code, span, self.message);
        match (self.help, self.replacement) {
            (None, None) => diagnostic,
            (Some(help), None) => diagnostic.help(help),
            (help, Some((text, applicability))) => {
                let help = help.unwrap_or_else(|| format!("write `{text}`"));
                diagnostic.replace(help, span, text, applicability)
            }
        }
    }
}

/// A scalar that is a string; one that YAML reads as something else is refused with the quotes to add.
pub(crate) fn string<'s>(scalar: &'s Scalar, expected: &str) -> Result<&'s str, Refusal> {
    match scalar.resolve() {
        Resolved::Text => Ok(&scalar.text),
        Resolved::Null if scalar.text.is_empty() => Err(Refusal::wrong_type(scalar, expected)),
        _ => Err(Refusal::wrong_type(scalar, expected)
            .help("put it in quotes to make it a string")
            .replace(crate::syntax::yaml::quote(&scalar.text))),
    }
}

/// A scalar that is one of some words.
pub(crate) fn word<T: Copy>(scalar: &Scalar, expected: &str, words: &[(&str, T)]) -> Result<T, Refusal> {
    let list = || words.iter().map(|(word, _)| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    if scalar.resolve() != Resolved::Text {
        return Err(Refusal::wrong_type(scalar, expected).help(format!("write one of {}", list())));
    }
    if let Some((_, value)) = words.iter().find(|(word, _)| *word == scalar.text) {
        return Ok(*value);
    }
    let refusal = Refusal::bad_value(format!("`{}` is not {expected}", shorten(&scalar.text)));
    Err(match nearest_of_all(&scalar.text, words.iter().map(|(word, _)| *word)) {
        Some((word, applicability)) => refusal.help(format!("did you mean `{word}`?")).meant(word, applicability),
        None => refusal.help(format!("write one of {}", list())),
    })
}

/// A text cut to what fits into a message.
pub(crate) fn shorten(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// The digits of a number before and after its point, read from source text: decimal, no leading zero, no exponent.
///
/// # Errors
/// It is no number, or one in a spelling that contracts do not have; the refusal says how to write it.
pub fn digits(scalar: &Scalar) -> Result<(&str, &str, bool), Refusal> {
    let text = scalar.text.as_str();
    if scalar.resolve() != Resolved::Number {
        let refusal = Refusal::wrong_type(scalar, "a number");
        let plain = text.replace('_', "");
        let fixable = !plain.is_empty() && plain.len() <= 40 && plain.chars().all(|c| c.is_ascii_digit());
        return Err(if fixable { refusal.help("write the digits alone").replace(plain) } else { refusal });
    }
    let refuse = |why: &str| Refusal::bad_value(format!("`{}` {why}", shorten(text)));
    let (negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    if let Some(rest) = unsigned.strip_prefix('+') {
        return Err(refuse("has a sign that says nothing").replace(rest));
    }
    if unsigned.starts_with("0x") || unsigned.starts_with("0o") {
        let value =
            u64::from_str_radix(unsigned.get(2..).unwrap_or_default(), if unsigned.starts_with("0x") { 16 } else { 8 });
        let refusal = refuse("is not a decimal number").help("write numbers in decimal");
        return Err(match value {
            Ok(value) => refusal.replace(value.to_string()),
            Err(_) => refusal,
        });
    }
    if unsigned.to_ascii_lowercase().contains("nan") || unsigned.to_ascii_lowercase().contains("inf") {
        return Err(refuse("is not a number that a contract can mean").help("write a decimal number"));
    }
    if unsigned.contains(['e', 'E']) {
        return Err(refuse("has an exponent").help("write the number out, in decimal"));
    }
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    if whole.is_empty() || (unsigned.contains('.') && fraction.is_empty()) {
        return Err(refuse("has no digit on one side of the point").help("write a digit on both sides, `0.5`"));
    }
    if whole.len() > 1 && whole.starts_with('0') {
        let stripped = whole.trim_start_matches('0');
        let stripped = if stripped.is_empty() { "0" } else { stripped };
        let sign = if negative { "-" } else { "" };
        let point = if fraction.is_empty() { "" } else { "." };
        return Err(refuse("has a leading zero, which some readers take for octal")
            .help("write it without the zero")
            .replace(format!("{sign}{stripped}{point}{fraction}")));
    }
    Ok((whole, fraction, negative))
}
