//! What a session came to.

use std::fmt;

use crate::finding::Finding;
use crate::{Decision, Retired, Verdict};

/// How many calls were decided how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Allowed.
    pub allow: u64,
    /// Allowed with an alert.
    pub alert: u64,
    /// Sent to a person, approved ones included.
    pub ask: u64,
    /// Blocked.
    pub block: u64,
}

impl Counts {
    pub(super) fn add(&mut self, decision: Decision) {
        let count = match decision {
            Decision::Allow => &mut self.allow,
            Decision::Alert => &mut self.alert,
            Decision::Ask => &mut self.ask,
            Decision::Block => &mut self.block,
        };
        *count = count.saturating_add(1);
    }

    /// A call that was to run does not. Whoever was asked has been asked.
    pub(super) fn take_back(&mut self, decision: Decision) {
        let count = match decision {
            Decision::Allow => &mut self.allow,
            Decision::Alert => &mut self.alert,
            Decision::Ask | Decision::Block => return,
        };
        *count = count.saturating_sub(1);
        self.block = self.block.saturating_add(1);
    }
}

/// What a session came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The verdict of each rule at the end, in file order: satisfied, violated or unestablished.
    pub verdicts: Vec<(String, Verdict)>,
    /// What the end itself found: in calls that were in flight, and obligations left open.
    pub findings: Vec<Finding>,
    /// How many calls each rule stopped, in file order, without those that stopped none.
    pub blocked: Vec<(String, u64)>,
    /// How many instances each rule let go, in file order, without those that let none go.
    pub retired: Vec<(String, Retired)>,
    /// How many calls were decided how.
    pub counts: Counts,
    /// How many entries the session's [sink](crate::Sink) does not have, although it should.
    pub unrecorded: u64,
}

/// The session has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended;

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the session has ended")
    }
}

impl std::error::Error for Ended {}
