//! From the verdicts about a call to its decision.

use serde_json::Value;

use crate::finding::{Finding, Reason, States, Subject};
use crate::repair::{Repair, Wanted};
use crate::rewriting::Rewriting;
use crate::single::Admission;
use crate::{Decision, DefaultPolicy, Effect, Mode, RuleInfo, Truth, Verdict, WhenFull};

/// Whether a person has allowed the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consent {
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
    pub consent: Consent,
}

impl Posture {
    /// The posture in a session of a contract with this mode, which the session may override: `shadow` stops nothing;
    /// `enforce` enforces a contract in shadow mode, and leaves alone rules on trial in one that is enforced.
    #[must_use]
    pub fn new(contract: Mode, session: Option<Mode>, consent: Consent) -> Self {
        let rules = session.filter(|mode| *mode != contract || *mode == Mode::Shadow);
        Self { mode: session.unwrap_or(contract), rules, consent }
    }

    /// Whether what the rule says is carried out.
    #[must_use]
    #[inline]
    pub fn enforces(&self, rule: &RuleInfo) -> bool {
        self.rules.unwrap_or(rule.mode) == Mode::Enforce
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

/// What is said of a finding besides the verdict, made only where there is one.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// The components of the key to report.
    pub key: Vec<Value>,
    /// What would make the call allowed.
    pub repair: Repair,
    /// The states of the rule's automaton.
    pub states: Option<States>,
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

    /// Takes what the `rewrite` rules have to say.
    #[inline]
    pub fn rewritten(&mut self, rewriting: &Rewriting, rules: &[RuleInfo]) {
        for note in &rewriting.notes {
            let Some(rule) = rules.get(usize::from(note.rule)) else { continue };
            match note.reason {
                Reason::Rewritten => {
                    let finding = Finding::new(Subject::Rule(note.rule), note.verdict, Decision::Alert, note.reason);
                    self.find(rule, finding, &Repair::Unknown);
                }
                reason => self.weigh(note.rule, rule, note.verdict, reason, Vec::new),
            }
        }
    }

    /// Takes the verdict of a rule that looks at one call. The key is made only for a finding.
    #[inline]
    pub fn weigh(
        &mut self,
        index: u16,
        rule: &RuleInfo,
        verdict: Verdict,
        reason: Reason,
        key: impl FnOnce() -> Vec<Value>,
    ) {
        self.weigh_state(index, rule, verdict, reason, |_| About { key: key(), repair: Repair::Unread, states: None });
    }

    /// Takes the verdict of a rule that remembers. The key, and the way to what is wanted instead, are made only for a
    /// finding.
    #[inline]
    pub fn weigh_state(
        &mut self,
        index: u16,
        rule: &RuleInfo,
        verdict: Verdict,
        reason: Reason,
        about: impl FnOnce(Wanted<'_>) -> About,
    ) {
        let action = match (reason, rule.when_full) {
            (Reason::InstancesFull, WhenFull::Alert) => Decision::Alert,
            _ => rule.table.decide(verdict, self.effect),
        };
        if action != Decision::Allow || verdict >= Verdict::Unestablished {
            let About { key, repair, states } = about(Wanted::milder(action, rule, self.effect));
            let finding = Finding::new(Subject::Rule(index), verdict, action, reason);
            self.find(rule, finding.with_key(key).with_states(states), &repair);
        }
    }

    /// Takes the verdict of a `no_flow` rule; `source` is the tool that the value came from.
    #[inline]
    pub fn weigh_flow(
        &mut self,
        index: u16,
        rule: &RuleInfo,
        verdict: Verdict,
        reason: Reason,
        source: Option<String>,
    ) {
        let action = rule.table.decide(verdict, self.effect);
        if action != Decision::Allow || verdict >= Verdict::Unestablished {
            let finding = Finding { source, ..Finding::new(Subject::Rule(index), verdict, action, reason) };
            self.find(rule, finding, &Repair::Unread);
        }
    }

    /// Takes what a rule guards: `after` is its verdict after the call, if that may be one of those that it guards while an
    /// obligation is pending; `doubt` says why that is not known, if it is not.
    pub fn guard(
        &mut self,
        index: u16,
        rule: &RuleInfo,
        matches: Truth,
        (after, doubt): (Verdict, Option<Reason>),
        about: impl FnOnce(Wanted<'_>) -> About,
    ) {
        let (verdict, row) = match (matches, after, doubt) {
            (Truth::True, Verdict::Pending, None) => (Verdict::Pending, Verdict::Violated),
            (Truth::True | Truth::Unknown, Verdict::Pending | Verdict::Unestablished, _) => {
                (Verdict::Unestablished, Verdict::Unestablished)
            }
            _ => return,
        };
        let action = rule.table.decide(row, self.effect);
        let finding = Finding::new(Subject::Rule(index), verdict, action, doubt.unwrap_or(Reason::Guarded));
        let About { key, repair, states } = about(Wanted::milder(action, rule, self.effect).settled());
        self.find(rule, finding.with_key(key).with_states(states), &repair);
    }

    #[cold]
    fn find(&mut self, rule: &RuleInfo, mut finding: Finding, repair: &Repair) {
        // A call that cannot be read is only to blame where the rule itself is not established.
        let unread = (finding.verdict, finding.reason) == (Verdict::Unestablished, Reason::Rule);
        if *repair != Repair::Unread || unread {
            finding.help = repair.sentence(&rule.vocabulary);
        }
        self.would = self.would.max(finding.action);
        if self.posture.enforces(rule) {
            self.enforced = self.enforced.max(finding.action);
        }
        self.findings.push(finding);
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
        self.findings.push(Finding::new(subject, Verdict::Unestablished, action, reason));
    }

    #[inline]
    fn runs(&self, decision: Decision) -> bool {
        match decision {
            Decision::Allow | Decision::Alert => true,
            Decision::Ask => self.posture.consent == Consent::Given,
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
        let approved = self.posture.consent == Consent::Given;
        Admission { latches: !(approved && rule.table.decide(verdict, self.effect) == Decision::Ask), counts: true }
    }

    /// What admission means for the memory of a register rule: in shadow mode it does not count what would not have run.
    #[must_use]
    #[inline]
    pub fn register_admission(&self, rule: &RuleInfo, verdict: Verdict) -> Admission {
        Admission { counts: self.posture.enforces(rule) || self.runs(self.would), ..self.admission(rule, verdict) }
    }

    /// The ruling for a call that runs, with findings about what its admission closed.
    #[inline]
    pub fn admit<F>(self, flight: F, closed: Vec<Finding>) -> Ruling<F> {
        let mut ruling = self.conclude(Some(flight));
        if !closed.is_empty() {
            ruling.findings.extend(closed);
        }
        ruling
    }

    /// The ruling. `flight` is what the monitor wants back if the call runs.
    #[inline]
    pub fn conclude<F>(self, flight: Option<F>) -> Ruling<F> {
        Ruling { decision: self.enforced, would: self.would, effect: self.effect, findings: self.findings, flight }
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use serde_json::json;

    use super::*;
    use crate::info::Vocabulary;
    use crate::{ByEffect, DecisionTable, RewriteNote, Severity};

    fn rule(mode: Mode, when_full: WhenFull) -> RuleInfo {
        RuleInfo {
            id: "r".into(),
            title: None,
            severity: Severity::Medium,
            message: None,
            says: "".into(),
            advice: "".into(),
            vocabulary: Vocabulary::NONE,
            clauses: Cow::Borrowed(&[]),
            tags: Cow::Borrowed(&[]),
            mode,
            table: DecisionTable { violated: ByEffect::all(Decision::Ask), ..DecisionTable::STANDARD },
            when_full,
            frees: false,
        }
    }

    fn deliberate(think: impl FnOnce(&mut Deliberation)) -> Ruling<()> {
        let posture = Posture::new(Mode::Enforce, None, Consent::None);
        let mut deliberation = Deliberation::new(posture, Effect::Write);
        think(&mut deliberation);
        deliberation.conclude(None)
    }

    #[test]
    fn a_guarded_call_is_stopped_while_an_obligation_is_or_may_be_open() {
        use Verdict::{Open, Pending, Unestablished, Violated};
        let rule = rule(Mode::Enforce, WhenFull::Block);
        let cases = [
            (Truth::True, Pending, Some((Pending, Decision::Ask))),
            (Truth::Unknown, Pending, Some((Unestablished, Decision::Block))),
            (Truth::True, Unestablished, Some((Unestablished, Decision::Block))),
            (Truth::Unknown, Unestablished, Some((Unestablished, Decision::Block))),
            (Truth::False, Pending, None),
            (Truth::True, Open, None),
            (Truth::True, Violated, None),
        ];
        for (matches, after, expected) in cases {
            let ruling = deliberate(|deliberation| {
                deliberation
                    .guard(0, &rule, matches, (after, None), |_| About { key: vec![json!(1)], ..About::default() })
            });
            let found = ruling.findings.first().map(|finding| (finding.verdict, finding.action));
            assert_eq!(found, expected, "{matches:?} {after:?}");
            assert_eq!(ruling.decision, expected.map_or(Decision::Allow, |(_, action)| action));
            assert!(
                ruling.findings.iter().all(|finding| finding.reason == Reason::Guarded && finding.key == [json!(1)])
            );
        }
    }

    #[test]
    fn an_instance_too_many_may_be_an_alert_whatever_the_table_says() {
        for (when_full, action) in [(WhenFull::Block, Decision::Block), (WhenFull::Alert, Decision::Alert)] {
            let rule = rule(Mode::Enforce, when_full);
            let weigh = |reason| {
                deliberate(|thought| thought.weigh(0, &rule, Verdict::Unestablished, reason, Vec::new)).decision
            };
            assert_eq!(weigh(Reason::InstancesFull), action);
            assert_eq!(weigh(Reason::UnreadableKey), Decision::Block);
        }
    }

    #[test]
    fn a_key_is_made_only_for_a_finding() {
        let rule = rule(Mode::Enforce, WhenFull::Block);
        deliberate(|thought| thought.weigh(0, &rule, Verdict::Open, Reason::Rule, || panic!("nobody asked")));
    }

    #[test]
    fn a_rewrite_that_could_not_be_made_is_decided_by_its_rule() {
        let rules = [rule(Mode::Enforce, WhenFull::Block), rule(Mode::Shadow, WhenFull::Block)];
        let notes = vec![
            RewriteNote { rule: 0, verdict: Verdict::Unestablished, reason: Reason::Rewrite },
            RewriteNote { rule: 1, verdict: Verdict::Open, reason: Reason::Rewritten },
        ];
        let ruling = deliberate(|thought| thought.rewritten(&Rewriting { args: None, notes }, &rules));
        assert_eq!(ruling.decision, Decision::Block);
        let found: Vec<_> = ruling.findings.iter().map(|found| (found.verdict, found.action)).collect();
        assert_eq!(found, [(Verdict::Unestablished, Decision::Block), (Verdict::Open, Decision::Alert)]);
    }
}
