//! The leaves of a contract: words and texts here, names and numbers in their own files.

mod finding;
mod name;
mod number;
mod window;

pub use finding::Finding;
pub use name::{CellType, Group, Ident, Name, RuleId};
pub use number::{Amount, Int, MAX_SAFE, Version};
pub use window::{Extent, Window};

use contract_runtime::{Decision, Effect, Mode, Severity, Status, Verdict};

use crate::decode::{Leaf, Refusal, string, word};
use crate::diagnostic::Setting;
use crate::syntax::yaml::{Resolved, Scalar};

/// Words that only contracts have.
macro_rules! spelled {
    ($($(#[$doc:meta])* enum $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)* })*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$variant_doc])* $variant,)* }

        impl $name {
            /// Its spelling.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }
    )* };
}

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
    WhenFull, "WhenFull", "what to do when full", [Self::Block, Self::Alert, Self::Evict];
    Missing, "Missing", "what to do where there is no key", [Self::Block, Self::Skip];
    Otherwise, "Otherwise", "what to do with a result", [Self::Withhold, Self::Alert];
    Setting, "Level", "a level", [Self::Off, Self::Note, Self::Warning, Self::Error];
    OnFailure, "OnFailure", "what to do when the monitor fails", [Self::Allow, Self::Block];
    Status, "Status", "an outcome", [Self::Ok, Self::Failed, Self::Unknown];
    Verdict, "FinalVerdict", "the verdict of a session that has ended", [Self::Satisfied, Self::Violated, Self::Unestablished];
    Seen, "Seen", "how much the agent sees", [Self::Whole, Self::Redacted, Self::Withheld];
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

spelled! {
    /// Which calls count.
    enum Count {
        /// All that were admitted.
        All = "all",
        /// Those that did not fail.
        Succeeded = "succeeded",
    }

    /// What becomes of a call that needs one instance more than there may be.
    enum WhenFull {
        /// The rule is not established for it.
        Block = "block",
        /// It runs, and is reported.
        Alert = "alert",
        /// Another key's instance makes room: of that key it is not known exactly any more what happened to it.
        Evict = "evict",
    }

    /// What becomes of an event whose key path leads nowhere.
    enum Missing {
        /// The rule is not established for it.
        Block = "block",
        /// The rule leaves it out.
        Skip = "skip",
    }

    /// What becomes of a result for which an `ensure` does not hold.
    enum Otherwise {
        /// The agent does not get it.
        Withhold = "withhold",
        /// The agent gets it, and it is reported.
        Alert = "alert",
    }

    /// How much of a result the agent sees.
    enum Seen {
        /// All of it.
        Whole = "whole",
        /// Parts are masked.
        Redacted = "redacted",
        /// It is withheld.
        Withheld = "withheld",
    }

    /// What becomes of a call when the monitor itself, or the host's store, fails.
    enum OnFailure {
        /// It runs, unevaluated.
        Allow = "allow",
        /// It does not run.
        Block = "block",
    }
}

impl Leaf for bool {
    const NAME: &'static str = "Bool";
    const EXPECTED: &'static str = "`true` or `false`";

    fn read(scalar: &Scalar) -> Result<Self, Refusal> {
        let meant = match (scalar.resolve(), scalar.text.to_ascii_lowercase().as_str()) {
            (Resolved::Bool, _) if scalar.text == "true" => return Ok(true),
            (Resolved::Bool, _) if scalar.text == "false" => return Ok(false),
            // The words that YAML 1.1 took for one, too.
            (_, "true" | "yes" | "on" | "y") => "true",
            (_, "false" | "no" | "off" | "n") => "false",
            _ => return Err(Refusal::wrong_type(scalar, Self::EXPECTED)),
        };
        Err(Refusal::wrong_type(scalar, Self::EXPECTED).replace(meant))
    }

    #[cfg(feature = "schema")]
    fn schema() -> serde_json::Value {
        serde_json::json!({ "type": "boolean" })
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
