//! Permission to run one call, to be completed with its outcome.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::call::{Call, Outcome};
use crate::finding::Finding;
use crate::session::Shared;
use crate::{Decision, Monitor};

/// Permission to run one call. Complete it with [`crate::Session::after`]; a permit that is dropped counts as an unknown
/// outcome, because nobody knows whether the call ran.
#[must_use = "a permit that is dropped counts as an unknown outcome"]
pub struct Permit<M: Monitor> {
    pub(crate) shared: Arc<Shared<M>>,
    pub(crate) number: u64,
    pub(crate) call: Arc<Call<'static>>,
    pub(crate) decision: Decision,
    pub(crate) findings: Vec<Finding>,
    pub(crate) after_divergence: bool,
    pub(crate) open: bool,
}

impl<M: Monitor> Permit<M> {
    /// The arguments to run the call with.
    #[must_use]
    pub fn args(&self) -> &Value {
        &self.call.args
    }

    /// What the contract decided: `allow` or `alert`, or `ask` for an approved call. What rules in shadow mode would have
    /// decided is in the findings.
    #[must_use]
    pub fn decision(&self) -> Decision {
        self.decision
    }

    /// What rules had to say although the call runs.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Whether an earlier call of the session, or this one, runs in shadow mode although it would have been stopped.
    #[must_use]
    pub fn after_divergence(&self) -> bool {
        self.after_divergence
    }
}

impl<M: Monitor> Drop for Permit<M> {
    fn drop(&mut self) {
        if self.open {
            self.shared.settle(self.number, &Outcome::unknown());
        }
    }
}

impl<M: Monitor> fmt::Debug for Permit<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit")
            .field("tool", &self.call.tool)
            .field("decision", &self.decision)
            .finish_non_exhaustive()
    }
}
