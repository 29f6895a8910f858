//! What is counted, and how it is written.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Observed;
use super::names::Names;
use super::text::{Exposition, Kind};
use crate::Decision;

type Label = Arc<str>;
type Word = &'static str;

/// The counters.
#[derive(Debug)]
pub(super) struct Tables {
    contracts: Names,
    tools: Names,
    rules: Names,
    /// By contract, tool, decision, and whether after a divergence.
    calls: BTreeMap<(Label, Label, Decision, bool), u64>,
    refusals: BTreeMap<(Label, Word), u64>,
    unevaluated: BTreeMap<Label, u64>,
    outcomes: BTreeMap<(Label, Label, Word), u64>,
    findings: BTreeMap<(Label, Label, Word, Decision), u64>,
    retired: BTreeMap<(Label, Label, Word), u64>,
    approvals: BTreeMap<(Label, Word), u64>,
    events: BTreeMap<Label, u64>,
    notices: BTreeMap<(Label, Word), u64>,
    sessions: BTreeMap<Label, Sessions>,
    missing: u64,
    uncommitted: u64,
    records: Option<u64>,
    bytes: Option<u64>,
    /// How many entries it took as a sink of its own.
    entries: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sessions {
    started: u64,
    ended: u64,
}

impl Tables {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            contracts: Names::new(limit),
            tools: Names::new(limit),
            rules: Names::new(limit),
            calls: BTreeMap::new(),
            refusals: BTreeMap::new(),
            unevaluated: BTreeMap::new(),
            outcomes: BTreeMap::new(),
            findings: BTreeMap::new(),
            retired: BTreeMap::new(),
            approvals: BTreeMap::new(),
            events: BTreeMap::new(),
            notices: BTreeMap::new(),
            sessions: BTreeMap::new(),
            missing: 0,
            uncommitted: 0,
            records: None,
            bytes: None,
            entries: 0,
        }
    }

    /// The number of the next entry.
    pub(super) fn next(&mut self) -> u64 {
        let next = self.entries;
        self.entries = next.saturating_add(1);
        next
    }

    pub(super) fn uncommitted(&mut self) {
        add(&mut self.uncommitted, 1);
    }

    pub(super) fn observe(&mut self, contract: &str, observed: Observed<'_>) {
        let contract = self.contracts.label(contract, true);
        match observed {
            Observed::Started => add(&mut self.sessions.entry(contract).or_default().started, 1),
            Observed::Ended => add(&mut self.sessions.entry(contract).or_default().ended, 1),
            Observed::Noticed { kind, count } => {
                add(self.notices.entry((contract, kind.as_str())).or_default(), count);
            }
            Observed::Event => add(self.events.entry(contract).or_default(), 1),
            Observed::Decided { tool, known, decision, refusal, evaluated, after_divergence } => {
                if let Some(kind) = refusal {
                    add(self.refusals.entry((Arc::clone(&contract), kind.as_str())).or_default(), 1);
                }
                if !evaluated {
                    add(self.unevaluated.entry(Arc::clone(&contract)).or_default(), 1);
                }
                let tool = self.tools.label(tool, known || refusal.is_none());
                add(self.calls.entry((contract, tool, decision, after_divergence)).or_default(), 1);
            }
            Observed::Completed { tool, status } => {
                let tool = self.tools.label(tool, true);
                add(self.outcomes.entry((contract, tool, status.as_str())).or_default(), 1);
            }
            Observed::Found { rule, verdict, action } => {
                let rule = self.rules.label(rule, true);
                add(self.findings.entry((contract, rule, verdict.as_str(), action)).or_default(), 1);
            }
            Observed::Retired { rule, by, count } => {
                let rule = self.rules.label(rule, true);
                add(self.retired.entry((contract, rule, by.as_str())).or_default(), count);
            }
            Observed::Answered(answer) => {
                add(self.approvals.entry((contract, answer.as_str())).or_default(), 1);
            }
        }
    }

    pub(super) fn missing(&mut self, entries: u64) {
        add(&mut self.missing, entries);
    }

    /// Sessions of several threads say how large the journal is, not always in order.
    pub(super) fn journal_is(&mut self, records: u64, bytes: Option<u64>) {
        self.records = self.records.max(Some(records));
        self.bytes = self.bytes.max(bytes);
    }

    pub(super) fn render(&self) -> String {
        let mut out = Exposition::default();
        self.calls(&mut out);
        self.rules(&mut out);
        self.sessions(&mut out);
        self.journal(&mut out);
        let name = "interlock_labels_folded_total";
        out.metric(name, Kind::Counter, "How often a name had no label of its own and was counted as `other`.");
        for (label, names) in [("contract", &self.contracts), ("rule", &self.rules), ("tool", &self.tools)] {
            out.sample(name, &[("label", label)], names.folded);
        }
        out.text
    }

    fn calls(&self, out: &mut Exposition) {
        let name = "interlock_calls_total";
        out.metric(name, Kind::Counter, "Calls that were decided, before and after a divergence of shadow mode apart.");
        for ((contract, tool, decision, after), count) in &self.calls {
            let after = if *after { "true" } else { "false" };
            let labels = [
                ("contract", &**contract),
                ("tool", tool),
                ("decision", decision.as_str()),
                ("after_divergence", after),
            ];
            out.sample(name, &labels, count);
        }
        let name = "interlock_refusals_total";
        out.metric(name, Kind::Counter, "Calls that did not run, by the kind of refusal.");
        for ((contract, kind), count) in &self.refusals {
            out.sample(name, &[("contract", contract), ("kind", kind)], count);
        }
        let name = "interlock_calls_unevaluated_total";
        out.metric(name, Kind::Counter, "Calls that `on_error` decided, because the contract could not be evaluated.");
        for (contract, count) in &self.unevaluated {
            out.sample(name, &[("contract", contract)], count);
        }
        let name = "interlock_outcomes_total";
        out.metric(name, Kind::Counter, "Calls that ended, by how.");
        for ((contract, tool, status), count) in &self.outcomes {
            out.sample(name, &[("contract", contract), ("tool", tool), ("status", status)], count);
        }
    }

    fn rules(&self, out: &mut Exposition) {
        let name = "interlock_findings_total";
        out.metric(name, Kind::Counter, "What rules reported, with what they asked for.");
        for ((contract, rule, verdict, action), count) in &self.findings {
            let labels = [("contract", &**contract), ("rule", rule), ("verdict", verdict), ("action", action.as_str())];
            out.sample(name, &labels, count);
        }
        let name = "interlock_instances_retired_total";
        out.metric(name, Kind::Counter, "Instances that rules let go.");
        for ((contract, rule, by), count) in &self.retired {
            out.sample(name, &[("contract", contract), ("rule", rule), ("by", by)], count);
        }
        let name = "interlock_approvals_total";
        out.metric(name, Kind::Counter, "Answers to requests for approval.");
        for ((contract, answer), count) in &self.approvals {
            out.sample(name, &[("contract", contract), ("answer", answer)], count);
        }
    }

    fn sessions(&self, out: &mut Exposition) {
        let name = "interlock_events_total";
        out.metric(name, Kind::Counter, "Host events.");
        for (contract, count) in &self.events {
            out.sample(name, &[("contract", contract)], count);
        }
        let name = "interlock_notices_total";
        out.metric(name, Kind::Counter, "What guards saw that is no call.");
        for ((contract, kind), count) in &self.notices {
            out.sample(name, &[("contract", contract), ("kind", kind)], *count);
        }
        let name = "interlock_sessions_total";
        out.metric(name, Kind::Counter, "Sessions that began, or were taken up again.");
        for (contract, sessions) in &self.sessions {
            out.sample(name, &[("contract", contract)], sessions.started);
        }
        let name = "interlock_sessions_open";
        out.metric(name, Kind::Gauge, "Sessions that have not ended.");
        for (contract, sessions) in &self.sessions {
            out.sample(name, &[("contract", contract)], sessions.started.saturating_sub(sessions.ended));
        }
    }

    fn journal(&self, out: &mut Exposition) {
        let name = "interlock_records_missing_total";
        out.metric(name, Kind::Counter, "Entries that could not be recorded.");
        out.sample(name, &[], self.missing);
        let name = "interlock_records_unsafe_total";
        out.metric(name, Kind::Counter, "Entries of which nobody knows whether they are on disk.");
        out.sample(name, &[], self.uncommitted);
        if let Some(records) = self.records {
            let name = "interlock_journal_records";
            out.metric(name, Kind::Gauge, "Records in the journal, all its segments together.");
            out.sample(name, &[], records);
        }
        if let Some(bytes) = self.bytes {
            let name = "interlock_journal_bytes";
            out.metric(name, Kind::Gauge, "Size of the journal.");
            out.sample(name, &[], bytes);
        }
    }
}

fn add(counter: &mut u64, count: u64) {
    *counter = counter.saturating_add(count);
}
