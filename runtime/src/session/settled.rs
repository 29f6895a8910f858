//! What became of a completed call.

use std::borrow::Cow;
use std::fmt;

use serde_json::{Value, json};

use crate::call::Status;
use crate::finding::Finding;
use crate::settlement::Delivery;

/// What became of a completed call.
#[derive(Clone, Debug)]
pub struct Settled<'v> {
    /// The value that the agent may see. In place of a result that is withheld: `{"withheld": "…"}`, with a text for the
    /// model.
    pub value: Cow<'v, Value>,
    /// How the call ended, after the contract's `succeeds_when`.
    pub status: Status,
    /// What rules found in the result, and what the time that went by brought to light.
    pub findings: Vec<Finding>,
    /// Whether the result was scored: not if the monitor failed, before the call or at its result.
    pub evaluated: bool,
    pub(super) shown: Shown,
}

/// How much of a result the agent may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    AsIs,
    Redacted,
    Withheld,
}

impl Settled<'_> {
    /// Whether the result is withheld: the call ran, and the agent must not see what came of it.
    #[must_use]
    pub fn withheld(&self) -> bool {
        self.shown == Shown::Withheld
    }

    /// Whether parts of the result are masked.
    #[must_use]
    pub fn redacted(&self) -> bool {
        self.shown == Shown::Redacted
    }
}

/// What the session makes of an outcome, before it is put together with the host's value.
#[derive(Debug)]
pub(crate) struct Completion {
    pub(super) status: Status,
    pub(super) findings: Vec<Finding>,
    pub(super) delivery: Delivery,
    pub(super) evaluated: bool,
    /// For the model, if the result is withheld.
    pub(super) text: String,
}

impl Completion {
    pub(super) fn deliver(self, value: Option<Cow<'_, Value>>) -> Settled<'_> {
        let Self { status, findings, delivery, evaluated, text } = self;
        let (value, shown) = match delivery {
            Delivery::AsIs => (value.unwrap_or(Cow::Owned(Value::Null)), Shown::AsIs),
            Delivery::Redacted(value) => (Cow::Owned(value), Shown::Redacted),
            Delivery::Withheld => (Cow::Owned(json!({ "withheld": text })), Shown::Withheld),
        };
        Settled { value, status, findings, evaluated, shown }
    }
}

/// Why an outcome was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AfterError {
    /// The permit is from another session.
    ForeignPermit,
    /// Another permit of the same call took over, by [`crate::Session::resume`].
    TakenOver,
    /// The session has ended; the call counted as `unknown`.
    Ended,
}

impl fmt::Display for AfterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ForeignPermit => "the permit is from another session",
            Self::TakenOver => "another permit has taken over the call",
            Self::Ended => "the session has ended; the call counted as unknown",
        })
    }
}

impl std::error::Error for AfterError {}
