//! Numbers, read from their source text.

use crate::decode::{Leaf, Refusal, digits};
use crate::diagnostic::Applicability;
use crate::syntax::yaml::{Resolved, Scalar};

/// The largest integer that every JSON reader keeps exactly.
pub const MAX_SAFE: u64 = 9_007_199_254_740_991;

/// The version of the contract language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version;

impl Leaf for Version {
    const NAME: &'static str = "Version";
    const EXPECTED: &'static str = "the version of the contract language, 1";

    fn read(scalar: &Scalar) -> Result<Self, Refusal> {
        match integer(scalar)? {
            Some(1) => Ok(Self),
            _ => {
                let message = format!("version `{}` of the contract language is not known", scalar.text);
                Err(Refusal::bad_value(message).meant("1", Applicability::Guess))
            }
        }
    }

    fn recover() -> Option<Self> {
        Some(Self)
    }

    #[cfg(feature = "schema")]
    fn schema() -> serde_json::Value {
        serde_json::json!({ "const": 1 })
    }
}

/// An integer from source text; `None` if it does not fit.
fn integer(scalar: &Scalar) -> Result<Option<i128>, Refusal> {
    if scalar.resolve() != Resolved::Number {
        return digits(scalar).map(|_| None);
    }
    let (whole, fraction, negative) = digits(scalar)?;
    // JSON does not tell `1.0` from `1`, so neither do we.
    if fraction.chars().any(|c| c != '0') {
        return Err(Refusal::bad_value(format!("`{}` is not a whole number", scalar.text)));
    }
    let value = whole.parse::<i128>().ok();
    Ok(value.map(|value| if negative { value.saturating_neg() } else { value }))
}

/// A whole number between two bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Int<const MIN: u64, const MAX: u64>(u64);

impl<const MIN: u64, const MAX: u64> Int<MIN, MAX> {
    /// The number.
    #[must_use]
    pub fn get(self) -> u64 {
        self.0
    }
}

impl<const MIN: u64, const MAX: u64> Leaf for Int<MIN, MAX> {
    const NAME: &'static str = "Int";
    const EXPECTED: &'static str = "a whole number";

    fn read(scalar: &Scalar) -> Result<Self, Refusal> {
        let value = integer(scalar)?;
        match value.and_then(|value| u64::try_from(value).ok()).filter(|value| (MIN..=MAX).contains(value)) {
            Some(value) => Ok(Self(value)),
            None => {
                let small = value.is_some_and(|value| value < i128::from(MIN));
                let size = if small { "small" } else { "large" };
                let message = format!("`{}` is too {size}", crate::decode::shorten(&scalar.text));
                Err(Refusal::bad_value(message).help(format!("write a whole number from {MIN} to {MAX}")))
            }
        }
    }

    #[cfg(feature = "schema")]
    fn schema() -> serde_json::Value {
        serde_json::json!({ "type": "integer", "minimum": MIN, "maximum": MAX })
    }
}

/// An exact decimal of at least zero: at most 10^18, and at most 18 digits after the point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Amount {
    /// Its digits, as written: `500`, `0.25`.
    pub text: String,
}

impl Leaf for Amount {
    const NAME: &'static str = "Amount";
    const EXPECTED: &'static str = "a number";

    fn read(scalar: &Scalar) -> Result<Self, Refusal> {
        const MOST: u128 = 1_000_000_000_000_000_000;
        let (whole, fraction, negative) = digits(scalar)?;
        let shown = crate::decode::shorten(&scalar.text);
        let fraction = fraction.trim_end_matches('0');
        let nothing = fraction.is_empty() && whole == "0";
        if negative && !nothing {
            return Err(Refusal::bad_value(format!("`{shown}` is below zero")).help("write a limit of at least 0"));
        }
        if whole.parse::<u128>().map_or(true, |value| value > MOST || (value == MOST && !fraction.is_empty())) {
            return Err(Refusal::bad_value(format!("`{shown}` is too large")).help(format!("write at most {MOST}")));
        }
        if fraction.len() > 18 {
            let message = format!("`{shown}` has more than 18 digits after the point");
            return Err(Refusal::bad_value(message).help("write at most 18"));
        }
        let point = if fraction.is_empty() { "" } else { "." };
        Ok(Self { text: format!("{whole}{point}{fraction}") })
    }

    #[cfg(feature = "schema")]
    fn schema() -> serde_json::Value {
        serde_json::json!({ "type": "number", "minimum": 0, "maximum": 1_000_000_000_000_000_000_u64 })
    }
}
