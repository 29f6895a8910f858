//! Permission to run one call, to be completed with its outcome.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::call::{Call, Outcome};
use crate::finding::Finding;
use crate::session::{Approval, Shared};
use crate::{Decision, Monitor};

/// Permission to run one call. Complete it with [`crate::Session::after`]; a permit that is dropped counts as an unknown
/// outcome, because nobody knows whether the call ran.
#[must_use = "a permit that is dropped counts as an unknown outcome"]
pub struct Permit<M: Monitor> {
    pub(crate) shared: Arc<Shared<M>>,
    pub(crate) admitted: Admitted,
    pub(crate) approval: Option<Approval>,
    /// Whether the call still waits for its outcome from here.
    pub(crate) open: bool,
}

/// A call that runs.
pub(crate) struct Admitted {
    /// The call's number in its session, and the number of the permit that completes it.
    pub(crate) number: u64,
    pub(crate) holder: u64,
    /// With the arguments that it runs with.
    pub(crate) call: Arc<Call<'static>>,
    /// The arguments as the agent gave them, if the contract changed them.
    pub(crate) original: Option<Arc<Value>>,
    pub(crate) decision: Decision,
    pub(crate) findings: Vec<Finding>,
    pub(crate) after_divergence: bool,
    pub(crate) evaluated: bool,
}

impl<M: Monitor> Permit<M> {
    pub(crate) fn new(shared: &Arc<Shared<M>>, admitted: Admitted, approval: Option<Approval>) -> Self {
        Self { shared: Arc::clone(shared), admitted, approval, open: true }
    }

    /// The tool.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.admitted.call.tool
    }

    /// The arguments to run the call with: those that the agent gave, or what the contract made of them.
    #[must_use]
    pub fn args(&self) -> &Value {
        &self.admitted.call.args
    }

    /// The arguments as the agent gave them.
    #[must_use]
    pub fn original_args(&self) -> &Value {
        self.admitted.original.as_deref().unwrap_or(&self.admitted.call.args)
    }

    /// Whether the contract changed the arguments.
    #[must_use]
    pub fn rewritten(&self) -> bool {
        self.admitted.original.is_some()
    }

    /// What the contract decided: `allow` or `alert`, or `ask` for an approved call. What rules in shadow mode would have
    /// decided is in the findings.
    #[must_use]
    pub fn decision(&self) -> Decision {
        self.admitted.decision
    }

    /// What rules had to say although the call runs, and what the time that went by brought to light.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.admitted.findings
    }

    /// Whether an earlier call of the session, or this one, runs in shadow mode although it would have been stopped.
    #[must_use]
    pub fn after_divergence(&self) -> bool {
        self.admitted.after_divergence
    }

    /// Whether the contract was evaluated: not if the monitor or the host's store failed, and `on_error` decided. The result
    /// of such a call is not scored.
    #[must_use]
    pub fn evaluated(&self) -> bool {
        self.admitted.evaluated
    }

    /// Who approved the call, if it was by [`crate::Session::approve`].
    #[must_use]
    pub fn approval(&self) -> Option<&Approval> {
        self.approval.as_ref()
    }

    /// Leaves the call in flight without this permit. [`crate::Session::resume`] gives another one, by the call's id.
    pub fn detach(mut self) {
        self.open = false;
    }
}

impl<M: Monitor> Drop for Permit<M> {
    fn drop(&mut self) {
        if self.open {
            // It may have been taken over, or the session may have ended.
            let _ = self.shared.settle(&self.admitted, &Outcome::unknown());
        }
    }
}

impl<M: Monitor> fmt::Debug for Permit<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit")
            .field("tool", &self.admitted.call.tool)
            .field("decision", &self.admitted.decision)
            .finish_non_exhaustive()
    }
}
