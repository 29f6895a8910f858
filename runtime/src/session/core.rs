//! What a session keeps behind its lock, and how each event goes through the monitor.
//!
//! INVARIANT: a panic of the monitor, which is a bug, neither crashes the host nor lets calls through: it is caught, the
//! monitor is not asked again, and from then on `on_error` decides.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde_json::Value;

use super::approval::Requests;
use super::notices::Notices;
use super::recorder::Recorder;
use super::summary::{Counts, Ended, Summary};
use crate::call::{Call, EventView, Outcome};
use crate::context::Context;
use crate::deliberation::{Consent, Posture};
use crate::finding::Finding;
use crate::message::Subjects;
use crate::refusal::{Refusal, RefusalKind};
use crate::sink::Happening;
use crate::{ByEffect, ContractInfo, Decision, Mode, Monitor, Retired, Subject, Time, Verdict};

pub(super) struct Core<M: Monitor> {
    pub(super) monitor: M,
    pub(super) info: Arc<ContractInfo>,
    /// The session's own mode.
    pub(super) mode: Option<Mode>,
    pub(super) on_error: ByEffect<Decision>,
    /// Whether the monitor has panicked.
    pub(super) failed: bool,
    pub(super) context: Context,
    /// The context as the host gave it.
    pub(super) facts: Option<Value>,
    pub(super) latest: Time,
    pub(super) flights: BTreeMap<u64, InFlight<M::Flight>>,
    /// The calls in flight that have an id.
    pub(super) ids: BTreeMap<String, u64>,
    /// Numbers calls and permits.
    pub(super) next: u64,
    pub(super) diverged: bool,
    pub(super) counts: Counts,
    /// How many calls each rule stopped.
    pub(super) blocked: Vec<u64>,
    /// What asks a person; `None` where nobody is there to ask.
    pub(super) requests: Option<Requests>,
    pub(super) summary: Option<Summary>,
    /// What the session is called in records.
    pub(super) name: Option<String>,
    /// How many calls there were, refused ones too.
    pub(super) calls: u64,
    pub(super) recorder: Option<Recorder>,
    /// What was seen that is no call.
    pub(super) notices: Notices,
}

/// A call that runs, until its outcome is known.
pub(super) struct InFlight<F> {
    pub(super) call: Arc<Call<'static>>,
    pub(super) original: Option<Arc<Value>>,
    /// The permit that completes it.
    pub(super) holder: u64,
    pub(super) decision: Decision,
    pub(super) after_divergence: bool,
    /// The number of the call among all of the session.
    pub(super) ordinal: u64,
    /// The entry of its decision, if it is recorded.
    pub(super) record: Option<u64>,
    /// `None` for a call that was not evaluated.
    pub(super) flight: Option<F>,
}

impl<M: Monitor> Core<M> {
    /// Asks the monitor; `None` if it fails, now or earlier.
    pub(super) fn ask<T>(&mut self, question: impl FnOnce(&mut M, &Context) -> T) -> Option<T> {
        if self.failed {
            return None;
        }
        let (monitor, context) = (&mut self.monitor, &self.context);
        let answer = catch_unwind(AssertUnwindSafe(|| question(monitor, context)));
        self.failed = answer.is_err();
        answer.ok()
    }

    /// The time of an event, and what the time that has gone by brought to light.
    pub(super) fn advance(&mut self, at: Time) -> (Time, Vec<Finding>) {
        self.latest = self.latest.max(at);
        let now = self.latest;
        let mut findings = self.ask(|monitor, _| monitor.advance(now)).unwrap_or_default().findings;
        self.fill(&mut findings, &Subjects::default());
        if !findings.is_empty() {
            self.write(now, Happening::Time { findings: &findings });
        }
        self.write_departures(now);
        (now, findings)
    }

    /// Fills the holes of the rules' own messages.
    pub(super) fn fill(&self, findings: &mut [Finding], subjects: &Subjects<'_>) {
        for finding in findings {
            if let Subject::Rule(index) = finding.subject
                && let Some(message) = self.info.rules.get(usize::from(index)).and_then(|rule| rule.message.as_ref())
            {
                finding.message = Some(message.fill(subjects, &finding.key));
            }
        }
    }

    pub(super) fn posture(&self, call: &Call<'_>) -> Posture {
        let consent = if call.approved { Consent::Given } else { Consent::None };
        Posture::new(self.info.mode, self.mode, consent)
    }

    pub(super) fn refuse(&self, kind: RefusalKind, text: &str) -> Refusal {
        Refusal::new(kind, text.to_owned(), Vec::new(), self.diverged)
    }

    pub(super) fn check_open(&self, call: &Call<'_>) -> Result<(), Refusal> {
        if self.summary.is_some() {
            return Err(self.refuse(RefusalKind::Ended, "the call did not run: the session has ended"));
        }
        if !crate::value::is_shallow(&call.args) {
            return Err(self.refuse(RefusalKind::Blocked, "the call did not run: its arguments are nested too deeply"));
        }
        if call.id.as_deref().is_some_and(|id| self.ids.contains_key(id)) {
            let text = "the call did not run: a call with the same id is in flight";
            return Err(self.refuse(RefusalKind::DuplicateId, text));
        }
        Ok(())
    }

    /// Takes a host event.
    pub(super) fn event(&mut self, name: &str, value: &Value, at: Time) -> Result<Vec<Finding>, Ended> {
        self.check_running()?;
        let (now, expired) = self.advance(at);
        let report = self.ask(|monitor, context| monitor.event(&EventView { name, value, now, context }));
        let mut findings = report.unwrap_or_default().findings;
        self.fill(&mut findings, &Subjects { event: Some(value), ..Subjects::default() });
        self.write(now, Happening::Event { name, value, findings: &findings });
        self.write_departures(now);
        findings.extend(expired);
        Ok(findings)
    }

    /// Lets time go by.
    pub(super) fn pass(&mut self, at: Time) -> Result<Vec<Finding>, Ended> {
        self.check_running()?;
        Ok(self.advance(at).1)
    }

    pub(super) fn check_running(&self) -> Result<(), Ended> {
        if self.summary.is_some() { Err(Ended) } else { Ok(()) }
    }

    /// Ends the session.
    pub(super) fn end(&mut self) -> Summary {
        if let Some(summary) = &self.summary {
            return summary.clone();
        }
        let mut findings = Vec::new();
        let open: Vec<(u64, u64)> = self.flights.iter().map(|(number, flight)| (*number, flight.holder)).collect();
        for (number, holder) in open {
            if let Ok(completion) = self.settle(number, holder, &Outcome::unknown(), self.latest) {
                findings.extend(completion.findings);
            }
        }
        let mut left = self.ask(|monitor, _| monitor.end()).unwrap_or_default();
        self.fill(&mut left, &Subjects::default());
        findings.extend(left);
        let verdicts = self.verdicts().into_iter().map(|(id, verdict)| (id, verdict.at_end())).collect();
        let (blocked, retired) = (self.blocked(), self.retired());
        let mut summary = Summary { verdicts, findings, blocked, retired, counts: self.counts, unrecorded: 0 };
        self.write_notices();
        self.write(self.latest, Happening::End(&summary));
        summary.unrecorded = self.unrecorded();
        self.summary = Some(summary.clone());
        summary
    }

    /// The verdict of each rule; nothing is established once the monitor has failed.
    pub(super) fn verdicts(&mut self) -> Vec<(String, Verdict)> {
        let info = Arc::clone(&self.info);
        let verdict = |(index, rule): (usize, &crate::RuleInfo)| {
            let verdict = self.ask(|monitor, _| monitor.verdict(index)).unwrap_or(Verdict::Unestablished);
            (rule.id.to_string(), verdict)
        };
        info.rules.iter().enumerate().map(verdict).collect()
    }

    /// What each rule let go, without those that let nothing go.
    pub(super) fn retired(&mut self) -> Vec<(String, Retired)> {
        let info = Arc::clone(&self.info);
        let retired = |(index, rule): (usize, &crate::RuleInfo)| {
            let retired = self.ask(|monitor, _| monitor.retired(index)).unwrap_or_default();
            (retired != Retired::default()).then(|| (rule.id.to_string(), retired))
        };
        info.rules.iter().enumerate().filter_map(retired).collect()
    }

    /// How many entries are missing in the session's sink.
    pub(super) fn unrecorded(&self) -> u64 {
        self.recorder.as_ref().map_or(0, |recorder| recorder.missing)
    }

    pub(super) fn blocked(&self) -> Vec<(String, u64)> {
        let rules = self.info.rules.iter().zip(&self.blocked);
        rules.filter(|(_, count)| **count > 0).map(|(rule, count)| (rule.id.to_string(), *count)).collect()
    }
}
