//! From the verdicts about a result to what the agent may see of it.

use serde_json::Value;

use crate::call::Status;
use crate::finding::{Finding, Reason, Subject};
use crate::redaction::{RedactStep, redact};
use crate::settlement::{Delivery, Settlement};
use crate::single::Admission;
use crate::{Decision, Effect, Posture, RuleInfo, Verdict};

/// Collects what `ensure` and `redact` rules say of one result, before anything else reads it.
#[derive(Debug)]
pub struct Review {
    posture: Posture,
    effect: Effect,
    withheld: bool,
    masked: Option<Value>,
    findings: Vec<Finding>,
}

impl Review {
    /// Of the result of a call with this effect.
    #[must_use]
    #[inline]
    pub fn new(posture: Posture, effect: Effect) -> Self {
        Self { posture, effect, withheld: false, masked: None, findings: Vec::new() }
    }

    /// Takes the verdict of an `ensure` rule: block, and ask for want of anybody to ask, withhold the result.
    pub fn weigh(&mut self, index: u16, rule: &RuleInfo, verdict: Verdict, reason: Reason) {
        let action = rule.table.decide(verdict, self.effect);
        if action == Decision::Allow && verdict < Verdict::Unestablished {
            return;
        }
        self.withheld |= action >= Decision::Ask && self.posture.enforces(rule);
        self.findings.push(Finding::new(Subject::Rule(index), verdict, action, reason));
    }

    /// Takes what a `redact` rule masks of the value as it came.
    pub fn redact(&mut self, index: u16, rule: &RuleInfo, value: Option<&Value>, paths: &[&[RedactStep<'_>]]) {
        let Some(value) = value else { return };
        if self.posture.enforces(rule) {
            if let Some(masked) = redact(self.masked.as_ref().unwrap_or(value), paths) {
                self.masked = Some(masked);
            }
        } else if redact(value, paths).is_some() {
            let finding = Finding::new(Subject::Rule(index), Verdict::Open, Decision::Alert, Reason::Redacted);
            self.findings.push(finding);
        }
    }

    /// Whether the result is withheld: then nothing is committed.
    #[must_use]
    #[inline]
    pub fn withheld(&self) -> bool {
        self.withheld
    }

    /// How the call counts as having ended: what is withheld proves nothing.
    #[must_use]
    #[inline]
    pub fn status(&self, status: Status) -> Status {
        if self.withheld { Status::Unknown } else { status }
    }

    /// What the result means for the memory of an `ensure` rule: nobody approves results.
    #[must_use]
    #[inline]
    pub fn latches(&self) -> Admission {
        Admission { latches: true, counts: true }
    }

    /// What became of the call. `findings` is what rules and commits found after the review.
    #[must_use]
    #[inline]
    pub fn settle(self, status: Status, mut findings: Vec<Finding>) -> Settlement {
        let status = self.status(status);
        let delivery = match self.masked {
            _ if self.withheld => Delivery::Withheld,
            Some(masked) => Delivery::Redacted(masked),
            None => Delivery::AsIs,
        };
        if !self.findings.is_empty() {
            findings.splice(..0, self.findings);
            findings.sort_by_key(|finding| match finding.subject {
                Subject::Rule(index) => u32::from(index),
                _ => u32::MAX,
            });
        }
        Settlement { status, findings, delivery }
    }
}
