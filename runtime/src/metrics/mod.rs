//! Numbers about running sessions, for Prometheus: a sink that counts what passes through it.
//!
//! INVARIANT: memory and series are bounded, whatever names agents invent; nothing but names of contracts, rules and tools
//! becomes a label; calls before and after a divergence are counted apart.

mod names;
mod tables;
mod text;

use std::sync::{Arc, Mutex, PoisonError};

use self::tables::Tables;
use crate::sink::{Answer, Cause, Entry, Happening, Sink, SinkError, Ticket};
use crate::{Decision, Finding, NoticeKind, RefusalKind, Status, Subject, Verdict};

/// Counts what sessions do. Its clones count together; the host serves what [`render`](Self::render) says.
///
/// It is a [`Sink`] by itself, and one [`over`](Self::over) another: `SessionBuilder::journal` takes both.
#[derive(Clone, Debug)]
pub struct Metrics {
    tables: Arc<Mutex<Tables>>,
}

/// Something that is counted.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Observed<'a> {
    /// A session began, or was taken up again.
    Started,
    /// A session ended.
    Ended,
    /// A host event.
    Event,
    /// A call was decided.
    Decided {
        /// The tool.
        tool: &'a str,
        /// Whether the contract speaks of the tool: others get no label before they ran.
        known: bool,
        /// The decision.
        decision: Decision,
        /// Why it does not run; `None` if it runs.
        refusal: Option<RefusalKind>,
        /// Whether the contract was evaluated.
        evaluated: bool,
        /// Whether a call of the session ran in shadow mode before, although it would have been stopped.
        after_divergence: bool,
    },
    /// A call that ran has ended.
    Completed {
        /// The tool.
        tool: &'a str,
        /// How.
        status: Status,
    },
    /// A rule reported something.
    Found {
        /// The rule.
        rule: &'a str,
        /// Its verdict.
        verdict: Verdict,
        /// What it asked for.
        action: Decision,
    },
    /// A rule let instances go.
    Retired {
        /// The rule.
        rule: &'a str,
        /// Why.
        by: Cause,
        /// How many.
        count: u64,
    },
    /// A request for approval was answered.
    Answered(Answer),
    /// A guard saw something that is no call.
    Noticed {
        /// What kind of thing.
        kind: NoticeKind,
        /// How many of them.
        count: u64,
    },
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

impl Metrics {
    /// How many different tools, rules and contracts have labels of their own: the others share the label `other`.
    pub const LABELS: usize = 200;

    /// Nothing counted yet.
    #[must_use]
    pub fn new() -> Self {
        Self::with_labels(Self::LABELS)
    }

    /// The same with another limit than [`Self::LABELS`].
    #[must_use]
    pub fn with_labels(limit: usize) -> Self {
        Self { tables: Arc::new(Mutex::new(Tables::new(limit))) }
    }

    /// A sink that hands on to another what it has counted. What that one refuses counts as missing.
    pub fn over<S: Sink>(&self, sink: S) -> Metered<S> {
        Metered { metrics: self.clone(), sink }
    }

    /// Counts something, of a session under this contract.
    pub fn observe(&self, contract: &str, observed: Observed<'_>) {
        self.with(|tables| tables.observe(contract, observed));
    }

    /// Counts entries that were not recorded.
    pub fn missing(&self, entries: u64) {
        self.with(|tables| tables.missing(entries));
    }

    /// Says how large the journal is: its records, and its bytes if they are known. The last word counts.
    pub fn journal(&self, records: u64, bytes: Option<u64>) {
        self.with(|tables| tables.journal_is(records, bytes));
    }

    /// The numbers in the text format of Prometheus, version 0.0.4: to be served as `text/plain; version=0.0.4`.
    #[must_use]
    pub fn render(&self) -> String {
        self.with(|tables| tables.render())
    }

    fn with<T>(&self, of: impl FnOnce(&mut Tables) -> T) -> T {
        // Counters are whole whenever the lock is free.
        of(&mut self.tables.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn entry(&self, entry: &Entry<'_>) {
        let contract: &str = &entry.contract.name;
        self.with(|tables| {
            tables.observe_entry(contract, entry);
            for finding in findings(entry) {
                let rule = finding.id(entry.contract);
                let found = Observed::Found { rule: &rule, verdict: finding.verdict, action: finding.action };
                tables.observe(contract, found);
            }
        });
    }
}

impl Tables {
    fn observe_entry(&mut self, contract: &str, entry: &Entry<'_>) {
        let observed = match &entry.what {
            Happening::Start(_) => Observed::Started,
            Happening::Decided(decided) => Observed::Decided {
                tool: decided.tool,
                known: decided.findings.iter().any(|finding| matches!(finding.subject, Subject::Rule(_))),
                decision: decided.decision,
                refusal: decided.refusal,
                evaluated: decided.evaluated,
                after_divergence: decided.after_divergence,
            },
            Happening::Completed(completed) => Observed::Completed { tool: completed.tool, status: completed.status },
            Happening::Event { .. } => Observed::Event,
            Happening::Time { .. } => return,
            Happening::Retired { rule, by, count, .. } => {
                let rule = entry.contract.rules.get(usize::from(*rule)).map(|rule| rule.id.as_ref());
                Observed::Retired { rule: rule.unwrap_or_default(), by: *by, count: *count }
            }
            Happening::Answered { answer, .. } => Observed::Answered(*answer),
            Happening::Notice { kind, count, .. } => Observed::Noticed { kind: *kind, count: *count },
            Happening::End(_) => Observed::Ended,
        };
        self.observe(contract, observed);
    }
}

fn findings<'a>(entry: &Entry<'a>) -> &'a [Finding] {
    match entry.what {
        Happening::Decided(decided) => decided.findings,
        Happening::Completed(completed) => completed.findings,
        Happening::Event { findings, .. } | Happening::Time { findings } => findings,
        Happening::End(summary) => &summary.findings,
        Happening::Start(_) | Happening::Retired { .. } | Happening::Answered { .. } | Happening::Notice { .. } => &[],
    }
}

impl Sink for Metrics {
    fn record(&self, entry: &Entry<'_>) -> Result<Ticket, SinkError> {
        self.entry(entry);
        Ok(Ticket { seq: self.with(Tables::next), waits: false })
    }

    fn commit(&self, _: Ticket) -> Result<(), SinkError> {
        Ok(())
    }
}

/// A sink whose entries are counted: see [`Metrics::over`].
#[derive(Clone, Debug)]
pub struct Metered<S> {
    metrics: Metrics,
    sink: S,
}

impl<S: Sink> Sink for Metered<S> {
    fn record(&self, entry: &Entry<'_>) -> Result<Ticket, SinkError> {
        let recorded = self.sink.record(entry);
        // A start that was not recorded is handed over again.
        if recorded.is_ok() || !matches!(entry.what, Happening::Start(_)) {
            self.metrics.entry(entry);
        }
        match &recorded {
            Ok(ticket) => self.metrics.journal(ticket.seq.saturating_add(1), None),
            Err(_) => self.metrics.missing(1),
        }
        recorded
    }

    fn name(&self) -> String {
        self.sink.name()
    }

    fn commit(&self, ticket: Ticket) -> Result<(), SinkError> {
        let committed = self.sink.commit(ticket);
        if committed.is_err() {
            self.metrics.with(|tables| tables.uncommitted());
        }
        committed
    }
}

#[cfg(test)]
mod tests;
