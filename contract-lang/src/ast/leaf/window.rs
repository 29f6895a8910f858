//! Lengths of time, and of sessions in calls.

use contract_runtime::Duration;

use crate::decode::{Leaf, Refusal, string};
use crate::syntax::yaml::Scalar;

/// A length of time: `500ms`, `30s`, `10m`, `24h`, `7d`. It is longer than nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Window {
    /// In milliseconds.
    pub milliseconds: u64,
}

impl Window {
    /// The same as the runtime counts it.
    #[must_use]
    pub fn duration(self) -> Duration {
        Duration::from_nanos(i128::from(self.milliseconds).saturating_mul(1_000_000))
    }
}

/// A stretch of a session: a length of time, or a number of admitted calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// By the time of the events.
    Time(Window),
    /// So many admitted calls of the session, at least one.
    Calls(u32),
}

const UNITS: [(&str, u64); 5] = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];

const DURATION: &str = "write a whole number and `ms`, `s`, `m`, `h` or `d`, for example `30s`";
const EXTENT: &str = "write a duration, for example `30s`, or a number of calls, for example `5 calls`";
const SIZE: &str = "write a number from 1 to 999999999, without a leading zero";

/// A whole number and the word after it.
fn measure(text: &str) -> Option<(&str, &str)> {
    text.split_at_checked(text.find(|c: char| !c.is_ascii_digit())?)
}

/// The number, where it is neither zero nor long.
fn size(digits: &str) -> Option<u32> {
    digits.parse().ok().filter(|_| !digits.starts_with('0') && digits.len() <= 9)
}

/// Reads a duration; `None` if the text has another shape.
fn window(text: &str) -> Option<Result<Window, Refusal>> {
    let (digits, unit) = measure(text)?;
    let (_, factor) = UNITS.into_iter().find(|(known, _)| *known == unit)?;
    let window = size(digits).map(|size| Window { milliseconds: u64::from(size).saturating_mul(factor) });
    Some(window.ok_or_else(|| refuse(text, Window::EXPECTED, &format!("{SIZE}, and a unit"))))
}

fn refuse(text: &str, expected: &str, help: &str) -> Refusal {
    Refusal::bad_value(format!("`{}` is not {expected}", crate::decode::shorten(text))).help(help)
}

fn text<'s>(scalar: &'s Scalar, expected: &str, help: &str) -> Result<&'s str, Refusal> {
    string(scalar, expected).map_err(|_| Refusal::wrong_type(scalar, expected).help(help))
}

impl Leaf for Window {
    const NAME: &'static str = "Window";
    const EXPECTED: &'static str = "a duration";

    fn read(scalar: &Scalar) -> Result<Self, Refusal> {
        let text = text(scalar, Self::EXPECTED, DURATION)?;
        window(text).unwrap_or_else(|| Err(refuse(text, Self::EXPECTED, DURATION)))
    }

    #[cfg(feature = "schema")]
    fn schema() -> serde_json::Value {
        serde_json::json!({ "type": "string", "pattern": "^[1-9][0-9]{0,8}(ms|s|m|h|d)$" })
    }
}

impl Leaf for Extent {
    const NAME: &'static str = "Extent";
    const EXPECTED: &'static str = "a duration or a number of calls";

    fn read(scalar: &Scalar) -> Result<Self, Refusal> {
        let text = text(scalar, Self::EXPECTED, EXTENT)?;
        if let Some(window) = window(text) {
            return window.map(Self::Time);
        }
        let calls = measure(text).filter(|(_, word)| matches!(*word, " calls" | " call"));
        let (digits, _) = calls.ok_or_else(|| refuse(text, Self::EXPECTED, EXTENT))?;
        size(digits).map(Self::Calls).ok_or_else(|| refuse(text, "a number of calls", SIZE))
    }

    #[cfg(feature = "schema")]
    fn schema() -> serde_json::Value {
        serde_json::json!({ "type": "string", "pattern": "^[1-9][0-9]{0,8}(ms|s|m|h|d| calls?)$" })
    }
}
