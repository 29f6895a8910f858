//! From the verdicts about a call to its decision.

use crate::finding::{Finding, Reason, Subject};
use crate::key::{self, Parts};
use crate::single::Admission;
use crate::{Decision, DefaultPolicy, Effect, Mode, RuleInfo, Verdict};

/// Whether a person has allowed the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approval {
    /// Nobody was asked, or has answered.
    None,
    /// Yes: lifts `ask`, never `block`.
    Given,
}

/// How a call is decided: what the session and the person who may have been asked bring along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Posture {
    /// Whether the decisions of the contract are carried out; a rule may have a mode of its own.
    pub mode: Mode,
    /// The mode of all rules, where the session overrides theirs.
    pub rules: Option<Mode>,
    /// Whether a person has allowed the call.
    pub approval: Approval,
}

impl Posture {
    /// The posture in a session of a contract with this mode, which the session may override: `shadow` stops nothing;
    /// `enforce` enforces a contract in shadow mode, and leaves alone rules on trial in one that is enforced.
    #[must_use]
    pub fn new(contract: Mode, session: Option<Mode>, approval: Approval) -> Self {
        let rules = session.filter(|mode| *mode != contract || *mode == Mode::Shadow);
        Self { mode: session.unwrap_or(contract), rules, approval }
    }
}

/// What a monitor says of a call.
#[derive(Clone, Debug)]
pub struct Ruling<F> {
    /// The decision that is carried out: of the rules and defaults that are not in shadow mode.
    pub decision: Decision,
    /// The decision that enforcing all rules would give, those in shadow mode too.
    pub would: Decision,
    /// The effect of the call.
    pub effect: Effect,
    /// What rules have to say, in rule order; empty for a call that is simply allowed.
    pub findings: Vec<Finding>,
    /// Set if the call runs: what the monitor wants back with its outcome.
    pub flight: Option<F>,
}

/// Collects verdicts about one call.
#[derive(Debug)]
pub struct Deliberation {
    posture: Posture,
    effect: Effect,
    enforced: Decision,
    would: Decision,
    findings: Vec<Finding>,
}

impl Deliberation {
    /// About a call with this effect.
    #[must_use]
    #[inline]
    pub fn new(posture: Posture, effect: Effect) -> Self {
        Self { posture, effect, enforced: Decision::Allow, would: Decision::Allow, findings: Vec::new() }
    }

    /// Takes the verdict of a rule.
    #[inline]
    pub fn weigh(&mut self, index: u16, rule: &RuleInfo, verdict: Verdict, reason: Reason, key: Parts<'_>) {
        let action = rule.table.decide(verdict, self.effect);
        if action != Decision::Allow || verdict >= Verdict::Unestablished {
            self.find(index, rule.mode, verdict, action, reason, key);
        }
    }

    #[cold]
    fn find(&mut self, index: u16, mode: Mode, verdict: Verdict, action: Decision, reason: Reason, key: Parts<'_>) {
        self.would = self.would.max(action);
        if self.posture.rules.unwrap_or(mode) == Mode::Enforce {
            self.enforced = self.enforced.max(action);
        }
        let key = key::to_json(key);
        self.findings.push(Finding { subject: Subject::Rule(index), verdict, action, reason, key });
    }

    /// Takes the decision of the contract's default for a call that no rule decides.
    #[inline]
    pub fn fall_back(&mut self, policy: &DefaultPolicy) {
        self.contribute(Subject::Default, Reason::NoPermit, policy.by_effect.get(self.effect));
    }

    /// Takes the decision for a tool that the contract does not know.
    pub fn undeclared(&mut self, action: Decision) {
        self.contribute(Subject::Undeclared, Reason::UnknownTool, action);
    }

    fn contribute(&mut self, subject: Subject, reason: Reason, action: Decision) {
        if action == Decision::Allow {
            return;
        }
        self.would = self.would.max(action);
        if self.posture.mode == Mode::Enforce {
            self.enforced = self.enforced.max(action);
        }
        let finding = Finding { subject, verdict: Verdict::Unestablished, action, reason, key: Vec::new() };
        self.findings.push(finding);
    }

    #[inline]
    fn runs(&self, decision: Decision) -> bool {
        match decision {
            Decision::Allow | Decision::Alert => true,
            Decision::Ask => self.posture.approval == Approval::Given,
            Decision::Block => false,
        }
    }

    /// Whether the call runs.
    #[must_use]
    #[inline]
    pub fn admitted(&self) -> bool {
        self.runs(self.enforced)
    }

    /// What admission means for the memory of an automaton rule: a violation that a person approved is not remembered.
    #[must_use]
    #[inline]
    pub fn admission(&self, rule: &RuleInfo, verdict: Verdict) -> Admission {
        let approved = self.posture.approval == Approval::Given;
        Admission { latches: !(approved && rule.table.decide(verdict, self.effect) == Decision::Ask), counts: true }
    }

    /// What admission means for the memory of a register rule: in shadow mode it does not count what would not have run.
    #[must_use]
    #[inline]
    pub fn register_admission(&self, rule: &RuleInfo, verdict: Verdict) -> Admission {
        let shadow = self.posture.rules.unwrap_or(rule.mode) == Mode::Shadow;
        Admission { counts: !shadow || self.runs(self.would), ..self.admission(rule, verdict) }
    }

    /// The ruling for a call that runs, with findings about what its admission closed.
    #[inline]
    pub fn admit<F>(self, flight: F, closed: Vec<Finding>) -> Ruling<F> {
        let mut ruling = self.conclude(Some(flight));
        ruling.findings.extend(closed);
        ruling
    }

    /// The ruling. `flight` is what the monitor wants back if the call runs.
    #[inline]
    pub fn conclude<F>(self, flight: Option<F>) -> Ruling<F> {
        Ruling { decision: self.enforced, would: self.would, effect: self.effect, findings: self.findings, flight }
    }
}
