//! A session: one agent run against one monitor, for hosts with any number of threads.
//!
//! INVARIANT: the monitor is behind one lock, held for the length of a decision and never while a tool runs. The session
//! keeps each call in flight, so that whatever is still open at the end gets the outcome `unknown`.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::call::{Call, EventView, Outcome, OutcomeView, Status};
use crate::clock::{Clock, SystemClock};
use crate::context::{Context, ContextError};
use crate::deliberation::{Approval, Posture};
use crate::finding::Finding;
use crate::permit::Permit;
use crate::refusal::{self, Refusal, RefusalKind};
use crate::{ContractInfo, Decision, Mode, Monitor, Time, Verdict};

/// One agent run, guarded by one monitor. Cheap to clone; all clones are the same session.
pub struct Session<M: Monitor> {
    shared: Arc<Shared<M>>,
}

impl<M: Monitor> Clone for Session<M> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared) }
    }
}

impl<M: Monitor> fmt::Debug for Session<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("agent", &self.shared.agent).finish_non_exhaustive()
    }
}

pub(crate) struct Shared<M: Monitor> {
    core: Mutex<Core<M>>,
    info: ContractInfo,
    clock: Box<dyn Clock>,
    agent: Option<(String, String)>,
    surface: Option<String>,
}

struct Core<M: Monitor> {
    monitor: M,
    /// The contract's mode, and the session's own.
    mode: (Mode, Option<Mode>),
    context: Context,
    latest: Time,
    flights: BTreeMap<u64, InFlight<M::Flight>>,
    ids: BTreeSet<String>,
    next: u64,
    diverged: bool,
    counts: Counts,
    blocked: Vec<u64>,
    summary: Option<Summary>,
}

struct InFlight<F> {
    call: Arc<Call<'static>>,
    flight: F,
}

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

/// Builds a session.
pub struct SessionBuilder<M: Monitor> {
    monitor: M,
    mode: Option<Mode>,
    context: Option<Value>,
    clock: Box<dyn Clock>,
    agent: Option<(String, String)>,
    surface: Option<String>,
}

impl<M: Monitor> fmt::Debug for SessionBuilder<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionBuilder").field("agent", &self.agent).finish_non_exhaustive()
    }
}

/// Why a session cannot start.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StartError {
    /// The context does not fit the contract's declarations.
    Context(ContextError),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Context(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StartError {}

impl<M: Monitor> SessionBuilder<M> {
    /// Who calls: the agent's name and version. Recorded, never part of a decision.
    #[must_use]
    pub fn agent(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.agent = Some((name.into(), version.into()));
        self
    }

    /// Where the session runs. Recorded, never part of a decision.
    #[must_use]
    pub fn surface(mut self, surface: impl Into<String>) -> Self {
        self.surface = Some(surface.into());
        self
    }

    /// The trusted facts that the contract declares as `context`: a JSON object.
    #[must_use]
    pub fn context(mut self, facts: Value) -> Self {
        self.context = Some(facts);
        self
    }

    /// Overrides the contract's mode.
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = Some(mode);
        self
    }

    /// Where the time of events comes from that carry none. Without it, the computer's clock.
    #[must_use]
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Box::new(clock);
        self
    }

    /// Starts the session.
    ///
    /// # Errors
    /// If the context does not fit the contract's declarations.
    pub fn start(self) -> Result<Session<M>, StartError> {
        let info = self.monitor.info().clone();
        let context = match &self.context {
            Some(facts) => Context::new(&info.context, facts).map_err(StartError::Context)?,
            None => Context::empty(),
        };
        let core = Core {
            mode: (info.mode, self.mode),
            blocked: vec![0; info.rules.len()],
            monitor: self.monitor,
            context,
            latest: Time::MIN,
            flights: BTreeMap::new(),
            ids: BTreeSet::new(),
            next: 0,
            diverged: false,
            counts: Counts::default(),
            summary: None,
        };
        let shared =
            Shared { core: Mutex::new(core), info, clock: self.clock, agent: self.agent, surface: self.surface };
        Ok(Session { shared: Arc::new(shared) })
    }
}

/// What became of a completed call.
#[derive(Clone, Debug)]
pub struct Settled<'v> {
    /// The value that the agent may see.
    pub value: Cow<'v, Value>,
    /// How the call ended, after the contract's `succeeds_when`.
    pub status: Status,
    /// What rules found in the result. It has happened, so it can only be reported.
    pub findings: Vec<Finding>,
}

/// Why an outcome was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AfterError {
    /// The permit is from another session.
    ForeignPermit,
    /// The session has ended; the call counted as `unknown`.
    Ended,
}

impl fmt::Display for AfterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ForeignPermit => "the permit is from another session",
            Self::Ended => "the session has ended; the call counted as unknown",
        })
    }
}

impl std::error::Error for AfterError {}

/// Why [`Session::run`] has no value.
#[derive(Debug)]
#[non_exhaustive]
pub enum RunError<E> {
    /// The call did not run.
    Refused(Refusal),
    /// The tool failed.
    Failed(E),
    /// The tool ran, but its outcome was not taken.
    After(AfterError),
}

impl<E: fmt::Display> fmt::Display for RunError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refusal) => refusal.fmt(f),
            Self::Failed(error) => error.fmt(f),
            Self::After(error) => error.fmt(f),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> std::error::Error for RunError<E> {}

/// What a session came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The verdict of each rule at the end, in file order: satisfied, violated or unestablished.
    pub verdicts: Vec<(String, Verdict)>,
    /// What the end itself found: obligations left open.
    pub findings: Vec<Finding>,
    /// How many calls each rule stopped, in file order, without those that stopped none.
    pub blocked: Vec<(String, u64)>,
    /// How many calls were decided how.
    pub counts: Counts,
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

impl<M: Monitor> Session<M> {
    /// Builds a session around a fresh monitor.
    pub fn builder(monitor: M) -> SessionBuilder<M> {
        SessionBuilder { monitor, mode: None, context: None, clock: Box::new(SystemClock), agent: None, surface: None }
    }

    /// Decides a call. With a permit it may run, once.
    ///
    /// # Errors
    /// A [`Refusal`], whose text is meant for the model, if the call must not run.
    pub fn before(&self, call: &Call<'_>) -> Result<Permit<M>, Refusal> {
        let now = call.at.unwrap_or_else(|| self.shared.clock.now());
        let mut core = self.shared.lock();
        let admitted = core.before(call, now)?;
        drop(core);
        Ok(Permit {
            shared: Arc::clone(&self.shared),
            number: admitted.number,
            call: admitted.call,
            decision: admitted.decision,
            findings: admitted.findings,
            after_divergence: admitted.after_divergence,
            open: true,
        })
    }

    /// Completes a call. Returns the value that the agent may see.
    ///
    /// # Errors
    /// If the permit is from another session, or the session has ended.
    pub fn after<'v>(&self, permit: Permit<M>, outcome: Outcome<'v>) -> Result<Cow<'v, Value>, AfterError> {
        self.settle(permit, outcome).map(|settled| settled.value)
    }

    /// Completes a call. Returns all that became of it.
    ///
    /// # Errors
    /// If the permit is from another session, or the session has ended.
    pub fn settle<'v>(&self, mut permit: Permit<M>, outcome: Outcome<'v>) -> Result<Settled<'v>, AfterError> {
        if !Arc::ptr_eq(&self.shared, &permit.shared) {
            return Err(AfterError::ForeignPermit);
        }
        permit.open = false;
        let (status, findings) = self.shared.settle(permit.number, &outcome).ok_or(AfterError::Ended)?;
        Ok(Settled { value: outcome.value.unwrap_or(Cow::Owned(Value::Null)), status, findings })
    }

    /// Decides a call, runs it, and takes its outcome. An error of the tool is the outcome `failed`, with the error's text
    /// as `{"error": …}`. If the future is dropped while the tool runs, the outcome is `unknown`.
    ///
    /// # Errors
    /// If the call is refused, or the tool fails.
    pub async fn run<E: fmt::Display, F: Future<Output = Result<Value, E>>>(
        &self,
        tool: &str,
        args: Value,
        make: impl FnOnce(Value) -> F,
    ) -> Result<Value, RunError<E>> {
        let permit = self.before(&Call::owned(tool, args)).map_err(RunError::Refused)?;
        let result = make(permit.args().clone()).await;
        self.finish(permit, result)
    }

    /// The same as [`Self::run`] for a tool that blocks the thread.
    ///
    /// # Errors
    /// If the call is refused, or the tool fails.
    pub fn run_blocking<E: fmt::Display>(
        &self,
        tool: &str,
        args: Value,
        make: impl FnOnce(&Value) -> Result<Value, E>,
    ) -> Result<Value, RunError<E>> {
        let permit = self.before(&Call::owned(tool, args)).map_err(RunError::Refused)?;
        let result = make(permit.args());
        self.finish(permit, result)
    }

    fn finish<E: fmt::Display>(&self, permit: Permit<M>, result: Result<Value, E>) -> Result<Value, RunError<E>> {
        let outcome = match &result {
            Ok(value) => Outcome::new(Status::Ok, Some(value.clone())),
            Err(error) => Outcome::new(Status::Failed, Some(serde_json::json!({"error": error.to_string()}))),
        };
        let value = self.after(permit, outcome).map_err(RunError::After)?.into_owned();
        result.map(|_| value).map_err(RunError::Failed)
    }

    /// Takes a host event: a trusted fact that is not a call. Returns what rules found in it.
    ///
    /// # Errors
    /// If the session has ended.
    pub fn event(&self, name: &str, value: &Value, at: Option<Time>) -> Result<Vec<Finding>, Ended> {
        let now = at.unwrap_or_else(|| self.shared.clock.now());
        let mut core = self.shared.lock();
        let core = &mut *core;
        if core.summary.is_some() {
            return Err(Ended);
        }
        let now = core.advance(now);
        let report = core.monitor.event(&EventView { name, value, now, context: &core.context });
        Ok(report.findings)
    }

    /// Ends the session: calls in flight become `unknown`, then every pending obligation is a violation. Ending it again
    /// gives the same summary.
    pub fn end(&self) -> Summary {
        self.shared.lock().end()
    }

    /// The verdict of each rule over the trace so far, in file order.
    #[must_use]
    pub fn verdicts(&self) -> Vec<(String, Verdict)> {
        self.shared.lock().verdicts()
    }

    /// How many calls each rule has stopped so far, in file order, without those that stopped none.
    #[must_use]
    pub fn blocked(&self) -> Vec<(String, u64)> {
        self.shared.lock().blocked()
    }

    /// What the contract says of itself.
    #[must_use]
    pub fn info(&self) -> &ContractInfo {
        &self.shared.info
    }

    /// The agent's name and version, as the host gave them.
    #[must_use]
    pub fn agent(&self) -> Option<(&str, &str)> {
        self.shared.agent.as_ref().map(|(name, version)| (name.as_str(), version.as_str()))
    }

    /// Where the session runs, as the host gave it.
    #[must_use]
    pub fn surface(&self) -> Option<&str> {
        self.shared.surface.as_deref()
    }
}

impl<M: Monitor> Shared<M> {
    fn lock(&self) -> MutexGuard<'_, Core<M>> {
        // A panic elsewhere must not turn into a bypass or a second panic: the monitor is consistent between statements.
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the outcome of a call in flight; `None` if it is not in flight (the session has ended).
    pub(crate) fn settle(&self, number: u64, outcome: &Outcome<'_>) -> Option<(Status, Vec<Finding>)> {
        let now = outcome.at.unwrap_or_else(|| self.clock.now());
        self.lock().settle(number, outcome, now)
    }
}

struct Admitted {
    number: u64,
    call: Arc<Call<'static>>,
    decision: Decision,
    findings: Vec<Finding>,
    after_divergence: bool,
}

impl<M: Monitor> Core<M> {
    fn advance(&mut self, at: Time) -> Time {
        self.latest = self.latest.max(at);
        self.latest
    }

    fn before(&mut self, call: &Call<'_>, at: Time) -> Result<Admitted, Refusal> {
        self.check_open(call)?;
        let now = self.advance(at);
        let approval = if call.approved { Approval::Given } else { Approval::None };
        let posture = Posture::new(self.mode.0, self.mode.1, approval);
        let ruling = self.monitor.before(&call.view(now, &self.context), posture);
        let decision = ruling.decision;
        self.count(decision, &ruling.findings);
        let would_stop = ruling.would == Decision::Block || (ruling.would == Decision::Ask && !call.approved);
        self.diverged |= would_stop && ruling.flight.is_some();
        let Some(flight) = ruling.flight else {
            let kind = if decision == Decision::Ask { RefusalKind::NeedsApproval } else { RefusalKind::Blocked };
            let text = refusal::describe(self.monitor.info(), call.tool(), decision, &ruling.findings);
            return Err(Refusal::new(kind, text, ruling.findings, self.diverged));
        };
        let number = self.next;
        self.next = self.next.wrapping_add(1);
        let call = Arc::new(call.clone().into_owned());
        self.ids.extend(call.id.as_deref().map(str::to_owned));
        self.flights.insert(number, InFlight { call: Arc::clone(&call), flight });
        Ok(Admitted { number, call, decision, findings: ruling.findings, after_divergence: self.diverged })
    }

    fn check_open(&self, call: &Call<'_>) -> Result<(), Refusal> {
        let refuse = |kind, text: &str| Err(Refusal::new(kind, text.to_owned(), Vec::new(), self.diverged));
        if self.summary.is_some() {
            return refuse(RefusalKind::Ended, "the call did not run: the session has ended");
        }
        if !crate::value::is_shallow(&call.args) {
            return refuse(RefusalKind::Blocked, "the call did not run: its arguments are nested too deeply");
        }
        if call.id.as_deref().is_some_and(|id| self.ids.contains(id)) {
            return refuse(RefusalKind::DuplicateId, "the call did not run: a call with the same id is in flight");
        }
        Ok(())
    }

    fn count(&mut self, decision: Decision, findings: &[Finding]) {
        let count = match decision {
            Decision::Allow => &mut self.counts.allow,
            Decision::Alert => &mut self.counts.alert,
            Decision::Ask => &mut self.counts.ask,
            Decision::Block => &mut self.counts.block,
        };
        *count = count.saturating_add(1);
        if decision < Decision::Ask {
            return;
        }
        for finding in findings.iter().filter(|finding| finding.action >= Decision::Ask) {
            if let crate::Subject::Rule(index) = finding.subject
                && let Some(blocked) = self.blocked.get_mut(usize::from(index))
            {
                *blocked = blocked.saturating_add(1);
            }
        }
    }

    fn settle(&mut self, number: u64, outcome: &Outcome<'_>, at: Time) -> Option<(Status, Vec<Finding>)> {
        let flight = self.flights.remove(&number)?;
        if let Some(id) = flight.call.id.as_deref() {
            self.ids.remove(id);
        }
        let now = self.advance(at);
        let view = flight.call.view(now, &self.context);
        let outcome = OutcomeView { status: outcome.status, value: outcome.value.as_deref() };
        let (status, report) = self.monitor.after(&view, flight.flight, outcome);
        Some((status, report.findings))
    }

    fn end(&mut self) -> Summary {
        if let Some(summary) = &self.summary {
            return summary.clone();
        }
        let open: Vec<u64> = self.flights.keys().copied().collect();
        for number in open {
            self.settle(number, &Outcome::unknown(), self.latest);
        }
        let findings = self.monitor.end();
        let verdicts = self.verdicts().into_iter().map(|(id, verdict)| (id, verdict.at_end())).collect();
        let summary = Summary { verdicts, findings, blocked: self.blocked(), counts: self.counts };
        self.summary = Some(summary.clone());
        summary
    }

    fn verdicts(&self) -> Vec<(String, Verdict)> {
        let rules = self.monitor.info().rules.iter().enumerate();
        rules.map(|(index, rule)| (rule.id.to_string(), self.monitor.verdict(index))).collect()
    }

    fn blocked(&self) -> Vec<(String, u64)> {
        let rules = self.monitor.info().rules.iter().zip(&self.blocked);
        rules.filter(|(_, count)| **count > 0).map(|(rule, count)| (rule.id.to_string(), *count)).collect()
    }
}
