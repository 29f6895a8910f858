//! The leaves of a contract: words and texts here, names and numbers in their own files.

mod name;
mod number;

pub use name::{CellType, Group, Ident, Name, RuleId};
pub use number::{Amount, Int, MAX_SAFE, Version, Window};

use contract_runtime::{Decision, Effect, Mode, Severity};

use crate::decode::{Leaf, Refusal, string, word};
use crate::syntax::yaml::Scalar;

/// Leaves that are one of some words.
macro_rules! words {
    ($($(#[$doc:meta])* $ty:ty, $name:literal, $expected:literal, [$($value:expr),*];)*) => { $(
        impl Leaf for $ty {
            const NAME: &'static str = $name;
            const EXPECTED: &'static str = $expected;

            fn read(scalar: &Scalar) -> Result<Self, Refusal> {
                word(scalar, Self::EXPECTED, &[$(($value.as_str(), $value)),*])
            }

            #[cfg(feature = "schema")]
            fn schema() -> serde_json::Value {
                serde_json::json!({ "type": "string", "enum": [$($value.as_str()),*] })
            }
        }
    )* };
}

words! {
    Decision, "Decision", "a decision", [Self::Allow, Self::Alert, Self::Ask, Self::Block];
    Effect, "Effect", "an effect", [Self::Read, Self::Write, Self::Irreversible];
    Mode, "Mode", "a mode", [Self::Enforce, Self::Shadow];
    Severity, "Severity", "a severity", [Self::Info, Self::Low, Self::Medium, Self::High, Self::Critical];
    Action, "Action", "an action", [Self::Block, Self::Ask, Self::Alert];
    Count, "Count", "what to count", [Self::All, Self::Succeeded];
    WhenFull, "WhenFull", "what to do when full", [Self::Block];
}

/// What a violation does to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// It does not run.
    Block,
    /// It runs only if a person approves.
    Ask,
    /// It runs, and is reported.
    Alert,
}

impl Action {
    /// Its spelling.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.decision().as_str()
    }

    /// The decision that it stands for.
    #[must_use]
    pub fn decision(self) -> Decision {
        match self {
            Self::Block => Decision::Block,
            Self::Ask => Decision::Ask,
            Self::Alert => Decision::Alert,
        }
    }
}

/// Which calls count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// All that were admitted.
    All,
    /// Those that did not fail.
    Succeeded,
}

impl Count {
    /// Its spelling.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Succeeded => "succeeded",
        }
    }
}

/// What becomes of a call that needs one instance more than there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenFull {
    /// The rule is not established for it.
    Block,
}

impl WhenFull {
    /// Its spelling.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        "block"
    }
}

/// Any text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text(pub String);

impl Leaf for Text {
    const NAME: &'static str = "Text";
    const EXPECTED: &'static str = "a string";

    fn read(scalar: &Scalar) -> Result<Self, Refusal> {
        string(scalar, Self::EXPECTED).map(|text| Self(text.to_owned()))
    }

    #[cfg(feature = "schema")]
    fn schema() -> serde_json::Value {
        serde_json::json!({ "type": "string" })
    }
}
