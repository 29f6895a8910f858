//! The codes of findings whose level can be set.

use crate::decode::{Leaf, Refusal, string};
use crate::diagnostic::{Applicability, Code};
use crate::syntax::yaml::Scalar;

/// The code of a finding whose level can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding(pub Code);

impl Leaf for Finding {
    const NAME: &'static str = "Finding";
    const EXPECTED: &'static str = "the code of a finding";

    fn read(scalar: &Scalar) -> Result<Self, Refusal> {
        Code::settable(string(scalar, Self::EXPECTED)?).map(Self).map_err(|error| {
            let refusal = Refusal::bad_value(error.message).help(error.help);
            match error.meant {
                Some(meant) => refusal.meant(meant, Applicability::Guess),
                None => refusal,
            }
        })
    }

    #[cfg(feature = "schema")]
    fn schema() -> serde_json::Value {
        let codes = Code::ALL.iter().filter(|code| code.is_settable()).map(|code| code.as_str());
        serde_json::json!({ "type": "string", "enum": codes.collect::<Vec<_>>() })
    }
}
