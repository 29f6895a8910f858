//! A monitor of a few rules, each for a tool of its own, written by hand.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::deliberation::Deliberation;
use crate::flight::{Note, Notes};
use crate::info::{Message, MessageStep, Root, Segment, Vocabulary};
use crate::redaction::RedactStep;
use crate::register::Receipt;
use crate::review::Review;
use crate::rewriting::{ArgStep, rewrite};
use crate::value::Val;
use crate::{
    ByEffect, CallView, ContractInfo, Decision, DecisionTable, Duration, Effect, EventView, Finding, Mode, Monitor,
    OutcomeView, Posture, Reason, Report, RestoreError, RewriteNote, Rewriting, RuleInfo, Ruling, Settlement, Severity,
    Subject, Time, Truth, Verdict, Version, WhenFull,
};

pub(in crate::session) struct Script {
    info: ContractInfo,
    /// `once`: how often each invoice was paid.
    paid: BTreeMap<String, u64>,
    /// `clamp`: the largest page of `search`.
    pub(in crate::session) page: i64,
    /// `review`: whether the event `lock` has forbidden what a person could approve.
    locked: bool,
    /// `answer`: until when, since the event `question`.
    due: Option<Time>,
}

const ONCE: u16 = 0;
const CLAMP: u16 = 1;
const REVIEW: u16 = 2;
const ANSWER: u16 = 3;
const SECRET: u16 = 4;
const MASK: u16 = 5;

fn rule(id: &'static str, violated: Decision, mode: Mode) -> RuleInfo {
    let message = Message {
        segments: Cow::Owned(vec![
            Segment::Tool,
            Segment::Text(" ".into()),
            Segment::Path(Root::Args, Cow::Owned(vec![MessageStep::Field("invoice".into())])),
            Segment::Text(" ".into()),
            Segment::Path(Root::Result, Cow::Owned(vec![MessageStep::Field("secret".into())])),
        ]),
    };
    RuleInfo {
        id: id.into(),
        title: None,
        severity: Severity::Medium,
        message: matches!(id, "once" | "secret").then_some(message),
        says: format!("{id} holds").into(),
        advice: "".into(),
        vocabulary: Vocabulary::NONE,
        clauses: Cow::Borrowed(&[]),
        tags: Cow::Borrowed(&[]),
        mode,
        table: DecisionTable { violated: ByEffect::all(violated), ..DecisionTable::STANDARD },
        when_full: WhenFull::Block,
        frees: false,
    }
}

impl Script {
    pub(in crate::session) fn new() -> Self {
        Self::of_version("1", Mode::Enforce)
    }

    pub(in crate::session) fn of_version(source: &'static str, mode: Mode) -> Self {
        let rule = |id, violated| rule(id, violated, mode);
        let rules = vec![
            rule("once", Decision::Block),
            rule("clamp", Decision::Block),
            rule("review", Decision::Ask),
            rule("answer", Decision::Block),
            rule("secret", Decision::Block),
            rule("mask", Decision::Block),
        ];
        let info = ContractInfo {
            name: "script".into(),
            mode,
            rules: Cow::Owned(rules),
            context: vec![("user".into(), crate::Type::String)],
            cells: Vec::new(),
            on_error: ByEffect { read: Decision::Allow, write: Decision::Block, irreversible: Decision::Block },
            source: source.into(),
        };
        Self { info, paid: BTreeMap::new(), page: 10, locked: false, due: None }
    }

    fn rule(&self, index: u16) -> &RuleInfo {
        &self.info.rules[usize::from(index)]
    }

    fn invoice(call: &CallView<'_>) -> Option<String> {
        call.args.get("invoice").and_then(Value::as_str).map(str::to_owned)
    }
}

impl Monitor for Script {
    type Flight = Notes<1>;

    fn info(&self) -> &ContractInfo {
        &self.info
    }

    fn effect(&self, call: &CallView<'_>) -> Effect {
        match call.tool {
            "search" | "panic_read" => Effect::Read,
            "panic_effect" => panic!("a bug"),
            _ => Effect::Write,
        }
    }

    fn rewrite(&self, call: &CallView<'_>, posture: Posture) -> Rewriting {
        let limit = call.args.get("limit").and_then(Value::as_i64);
        if call.tool == "deepen" {
            let deep = (0..250).fold(json!(1), |inner, _| Value::Array(vec![inner]));
            return Rewriting { args: Some(deep), notes: Vec::new() };
        }
        if call.tool != "search" && call.tool != "review" || limit.is_none_or(|limit| limit <= self.page) {
            return Rewriting::default();
        }
        if !posture.enforces(self.rule(CLAMP)) {
            let note = RewriteNote { rule: CLAMP, verdict: Verdict::Open, reason: Reason::Rewritten };
            return Rewriting { args: None, notes: vec![note] };
        }
        let mut args = call.args.clone();
        assert!(rewrite(&mut args, &[ArgStep::Field("limit")], &Val::Number(self.page.into())));
        Rewriting { args: Some(args), notes: Vec::new() }
    }

    fn before(&mut self, call: &CallView<'_>, rewriting: &Rewriting, posture: Posture) -> Ruling<Notes<1>> {
        assert!(!call.tool.starts_with("panic") || call.tool == "panic_after", "a bug");
        let effect = self.effect(call);
        let mut deliberation = Deliberation::new(posture, effect);
        deliberation.rewritten(rewriting, &self.info.rules);
        let invoice = Self::invoice(call);
        let once = match &invoice {
            Some(invoice) if call.tool == "pay" && self.paid.contains_key(invoice) => Verdict::Violated,
            None if call.tool == "pay" => Verdict::Unestablished,
            _ => Verdict::Open,
        };
        let key = || invoice.iter().map(|invoice| json!(invoice)).collect();
        deliberation.weigh(ONCE, self.rule(ONCE), once, Reason::Rule, key);
        if call.tool == "review" {
            let decision = DecisionTable { violated: ByEffect::all(Decision::Block), ..self.rule(REVIEW).table };
            let table = if self.locked { decision } else { self.rule(REVIEW).table };
            let rule = RuleInfo { table, ..self.rule(REVIEW).clone() };
            deliberation.weigh(REVIEW, &rule, Verdict::Violated, Reason::Rule, Vec::new);
        }
        if !deliberation.admitted() {
            return deliberation.conclude(None);
        }
        let mut flight = Notes::new(effect);
        if let Some(invoice) = invoice.filter(|_| call.tool == "pay") {
            self.paid.insert(invoice, 1);
            let receipt = Receipt { counted: Truth::True, at: call.now, amount: None };
            flight.keep(Note { rule: ONCE, receipt, epoch: 1, slots: 0 });
        }
        deliberation.admit(flight, Vec::new())
    }

    fn after(
        &mut self,
        call: &CallView<'_>,
        flight: Notes<1>,
        outcome: OutcomeView<'_>,
        posture: Posture,
    ) -> Settlement {
        assert!(call.tool != "panic_after", "a bug");
        let mut review = Review::new(posture, flight.effect());
        if outcome.value.is_some_and(|value| value.get("secret").is_some()) {
            review.weigh(SECRET, self.rule(SECRET), Verdict::Violated, Reason::Clause(0));
        }
        review.redact(MASK, self.rule(MASK), outcome.value, &[&[RedactStep::Deep, RedactStep::Field("ssn")]]);
        let status = review.status(outcome.status);
        if status == crate::Status::Failed && flight.note(ONCE).receipt.counted == Truth::True {
            self.paid.remove(&Self::invoice(call).unwrap_or_default());
        }
        review.settle(status, Vec::new())
    }

    fn shields(&self, call: &CallView<'_>) -> bool {
        call.tool == "panic_after"
    }

    fn event(&mut self, event: &EventView<'_>) -> Report {
        match event.name {
            "lock" => self.locked = true,
            "question" => self.due = event.now.checked_add(Duration::from_nanos(10_000_000_000)),
            "panic" => panic!("a bug"),
            _ => {}
        }
        Report::default()
    }

    fn advance(&mut self, now: Time) -> Report {
        let due = self.due.take_if(|due| *due < now);
        let finding = |_| Finding::new(Subject::Rule(ANSWER), Verdict::Violated, Decision::Alert, Reason::Expired);
        Report { findings: due.map(finding).into_iter().collect() }
    }

    fn end(&mut self) -> Vec<Finding> {
        let finding = |_| Finding::new(Subject::Rule(ANSWER), Verdict::Violated, Decision::Alert, Reason::Ended);
        self.due.take().map(finding).into_iter().collect()
    }

    fn verdict(&self, rule: usize) -> Verdict {
        if rule == usize::from(ANSWER) && self.due.is_some() { Verdict::Pending } else { Verdict::Open }
    }

    fn save(&self) -> Value {
        json!({ "paid": self.paid, "locked": self.locked })
    }

    fn restore(&mut self, saved: &Value, version: Version) -> Result<Vec<Finding>, RestoreError> {
        let wrong = || RestoreError::new("it is no state of the script");
        let paid = saved.get("paid").and_then(Value::as_object).ok_or_else(wrong)?;
        self.locked = saved.get("locked").and_then(Value::as_bool).ok_or_else(wrong)?;
        self.paid = paid.keys().map(|invoice| (invoice.clone(), 1)).collect();
        let changed = Finding::new(Subject::Rule(ONCE), Verdict::Unestablished, Decision::Alert, Reason::Changed);
        Ok(if version == Version::Same { Vec::new() } else { vec![changed] })
    }
}
