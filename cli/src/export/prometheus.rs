//! Prometheus: the numbers that [`Metrics`] counts of a running session, of those in a journal.

use std::io::{self, Write};

use contract_runtime::journal::record::Finding;
use contract_runtime::{Metrics, Observed};

use super::join::Session;
use super::{Item, Target};

/// Counts a journal.
#[derive(Debug)]
pub(crate) struct Prometheus<W> {
    to: W,
    metrics: Metrics,
}

impl<W: Write> Prometheus<W> {
    pub(crate) fn new(to: W) -> Self {
        Self { to, metrics: Metrics::new() }
    }

    /// Says how large the journal is.
    pub(crate) fn journal(&self, records: u64, bytes: Option<u64>) {
        self.metrics.journal(records, bytes);
    }

    fn findings<'f>(&self, session: &Session, findings: impl Iterator<Item = &'f Finding<'static>>) {
        for finding in findings {
            let found = Observed::Found { rule: &finding.rule, verdict: finding.verdict, action: finding.action };
            self.metrics.observe(session.contract(), found);
        }
    }
}

impl<W: Write> Target for Prometheus<W> {
    fn take(&mut self, item: &Item<'_>) -> io::Result<()> {
        let (session, observed) = match item {
            Item::Started(session) => (session, Observed::Started),
            Item::Ended(session) if session.end.is_some() => (session, Observed::Ended),
            Item::Ended(_) => return Ok(()),
            Item::Event(session) => (session, Observed::Event),
            Item::Missing(count) => {
                self.metrics.missing(*count);
                return Ok(());
            }
            Item::Retired(session, retired) => {
                (session, Observed::Retired { rule: &retired.rule, by: retired.by, count: retired.count })
            }
            Item::Noticed(session, notice) => (session, Observed::Noticed { kind: notice.what, count: notice.count }),
            Item::Answered(session, approval) => (session, Observed::Answered(approval.answer)),
            Item::Found(session, found) => {
                self.findings(session, found.findings.iter());
                return Ok(());
            }
            Item::Call(session, call) => {
                self.findings(session, call.findings().map(|(_, finding)| finding));
                if let Some((_, outcome)) = &call.outcome {
                    let completed = Observed::Completed { tool: &call.decided.tool, status: outcome.status };
                    self.metrics.observe(session.contract(), completed);
                }
                let decided = &call.decided;
                let known = !decided.findings.iter().all(|finding| is_general(&finding.rule));
                let observed = Observed::Decided {
                    tool: &decided.tool,
                    known,
                    decision: decided.decision,
                    refusal: decided.refusal,
                    evaluated: decided.evaluated,
                    after_divergence: decided.after_divergence,
                };
                (session, observed)
            }
        };
        self.metrics.observe(session.contract(), observed);
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.to.write_all(self.metrics.render().as_bytes())?;
        self.to.flush()
    }
}

/// Whether a finding is not from a rule of the contract.
fn is_general(rule: &str) -> bool {
    matches!(rule, "default" | "undeclared") || rule.starts_with("state.")
}

#[cfg(test)]
mod tests;
