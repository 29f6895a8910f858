//! A session: one agent run against one monitor, for hosts with any number of threads.
//!
//! INVARIANT: the monitor is behind one lock, held for the length of a decision and never while a tool runs. The session
//! keeps each call in flight, so that whatever is still open at the end gets the outcome `unknown`.

mod approval;
mod builder;
mod complete;
mod core;
mod decide;
mod notices;
mod recorder;
mod run;
mod settled;
#[cfg(feature = "digest")]
mod snapshot;
mod summary;
#[cfg(test)]
mod tests;
mod tool;

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

pub use self::approval::{Approval, ApprovalRequest, Denial};
pub use self::builder::{OnError, SessionBuilder, StartError};
pub use self::run::RunError;
pub use self::settled::{AfterError, Settled};
#[cfg(feature = "digest")]
pub use self::snapshot::SnapshotError;
pub use self::summary::{Counts, Ended, Summary};
pub use self::tool::Tool;

use self::approval::Void;
use self::core::Core;
use self::decide::Occasion;
use self::settled::Completion;
use crate::call::{Call, Outcome, Status};
use crate::clock::Clock;
use crate::finding::Finding;
use crate::permit::{Admitted, Permit};
use crate::refusal::{self, Refusal, RefusalKind};
use crate::sink::{Answer, Happening, Sink, SinkError};
use crate::{ContractInfo, Monitor, NoticeKind, Retired, Time, Verdict};

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

/// What the clones of a session, and its permits, have in common.
pub(crate) struct Shared<M: Monitor> {
    core: Mutex<Core<M>>,
    info: Arc<ContractInfo>,
    clock: Box<dyn Clock>,
    agent: Option<(String, String)>,
    surface: Option<String>,
    restored: Vec<Finding>,
    sink: Option<Arc<dyn Sink>>,
}

impl<M: Monitor> Session<M> {
    /// Builds a session around a fresh monitor.
    pub fn builder(monitor: M) -> SessionBuilder<M> {
        SessionBuilder::new(monitor)
    }

    /// Decides a call. With a permit it may run, once.
    ///
    /// # Errors
    /// A [`Refusal`], whose text is meant for the model, if the call must not run.
    pub fn before(&self, call: &Call<'_>) -> Result<Permit<M>, Refusal> {
        let now = self.shared.now(call.at);
        let mut core = self.shared.lock();
        let decided = core.before(call, now, Occasion::Made);
        self.permit(core, decided, None)
    }

    /// Takes a person's yes to a call that needs approval. The call is decided afresh, against the state of this moment: an
    /// approval lifts `ask`, never `block`. It is good for one run of exactly this call; if the contract would by now change
    /// its arguments in another way, a person has to look again.
    ///
    /// # Errors
    /// If the request is no longer open, or the call must not run for another reason.
    pub fn approve(&self, request: &ApprovalRequest, approval: Approval) -> Result<Permit<M>, Refusal> {
        let now = self.shared.now(approval.at);
        let mut core = self.shared.lock();
        let closed = core.close(request, Answer::Approved, approval.by.as_deref(), None, now);
        let decided = closed.and_then(|()| core.before(&request.call, now, Occasion::Approved(request.args())));
        self.permit(core, decided, Some(approval))
    }

    /// Takes a person's no to a call that needs approval. Returns the refusal for the model.
    pub fn deny(&self, request: &ApprovalRequest, denial: Denial) -> Refusal {
        let now = self.shared.now(denial.at);
        let mut core = self.shared.lock();
        let reason = denial.reason.as_deref();
        let closed = core.close(request, Answer::Denied, denial.by.as_deref(), reason, now);
        let diverged = core.diverged;
        self.shared.release(core);
        match closed {
            Ok(()) => {
                let reason = reason.map(|reason| format!(": {}", refusal::echo(reason)));
                let why = format!("a person did not approve it{}", reason.unwrap_or_default());
                let text = refusal::stopped(request.tool(), &why);
                Refusal::new(RefusalKind::ApprovalDenied, text, Vec::new(), diverged)
            }
            Err(refusal) => refusal,
        }
    }

    /// Decides a call without the contract, by `on_error` and the call's effect, because the host's own part failed: the store
    /// of the session, the journal. The result of such a call is not scored.
    ///
    /// # Errors
    /// A [`Refusal`] if the call must not run.
    pub fn unevaluated(&self, call: &Call<'_>, why: &str) -> Result<Permit<M>, Refusal> {
        let now = self.shared.now(call.at);
        let mut core = self.shared.lock();
        let decided = core.check(call, now).and_then(|()| core.unevaluated(call, now, why));
        self.permit(core, decided, None)
    }

    /// Completes a call. Returns the value that the agent may see: the outcome's, with parts masked if the contract says so,
    /// or `{"withheld": "…"}` with a text for the model in place of a result that is withheld.
    ///
    /// # Errors
    /// If the permit is from another session, its call was taken over, or the session has ended.
    pub fn after<'v>(&self, permit: Permit<M>, outcome: Outcome<'v>) -> Result<Cow<'v, Value>, AfterError> {
        self.settle(permit, outcome).map(|settled| settled.value)
    }

    /// Completes a call. Returns all that became of it.
    ///
    /// # Errors
    /// If the permit is from another session, its call was taken over, or the session has ended.
    pub fn settle<'v>(&self, mut permit: Permit<M>, outcome: Outcome<'v>) -> Result<Settled<'v>, AfterError> {
        if !Arc::ptr_eq(&self.shared, &permit.shared) {
            return Err(AfterError::ForeignPermit);
        }
        permit.open = false;
        let completion = self.shared.settle(&permit.admitted, &outcome)?;
        Ok(completion.deliver(outcome.value))
    }

    /// Another permit for a call in flight, by the call's id: after [`Self::builder`] restored the session, or
    /// [`Permit::detach`]. A permit that the call has elsewhere no longer completes it.
    pub fn resume(&self, id: &str) -> Option<Permit<M>> {
        let admitted = self.shared.lock().resume(id)?;
        Some(Permit::new(&self.shared, admitted, None))
    }

    /// Takes a host event: a trusted fact that is not a call. Returns what rules found in it.
    ///
    /// # Errors
    /// If the session has ended.
    pub fn event(&self, name: &str, value: &Value, at: Option<Time>) -> Result<Vec<Finding>, Ended> {
        let now = self.shared.now(at);
        let mut core = self.shared.lock();
        let found = core.event(name, value, now);
        self.shared.release(core);
        found
    }

    /// Takes note of something that a guard saw and that is no call: for the record, and never a part of a decision. `text` says
    /// it in words, with nothing from outside but names, escaped and short; `about` is the bytes that it is about, of which the
    /// record keeps digest and length.
    ///
    /// The first hundred of a kind are recorded one by one, the others are counted.
    ///
    /// # Errors
    /// If the session has ended.
    pub fn notice(&self, kind: NoticeKind, text: &str, about: Option<&[u8]>) -> Result<(), Ended> {
        let now = self.shared.now(None);
        let mut core = self.shared.lock();
        let noticed = core.notice(kind, text, about, now);
        self.shared.release(core);
        noticed
    }

    /// Lets time go by without a call. Returns the deadlines that were missed. Each event does the same by itself.
    ///
    /// # Errors
    /// If the session has ended.
    pub fn advance(&self, at: Time) -> Result<Vec<Finding>, Ended> {
        let mut core = self.shared.lock();
        let found = core.pass(at);
        self.shared.release(core);
        found
    }

    /// Ends the session: calls in flight become `unknown`, then every pending obligation is a violation. Ending it again
    /// gives the same summary.
    pub fn end(&self) -> Summary {
        let mut core = self.shared.lock();
        let mut summary = core.end();
        if !self.shared.release(core) {
            summary.unrecorded = summary.unrecorded.saturating_add(1);
        }
        summary
    }

    /// The session as text, to be taken up by [`SessionBuilder::restore`]: all that the monitor remembers, and the calls in
    /// flight. Requests for approval do not survive.
    ///
    /// # Errors
    /// If the session has ended, the monitor has failed, or a call in flight cannot be written as text.
    #[cfg(feature = "digest")]
    pub fn snapshot(&self) -> Result<String, SnapshotError> {
        self.shared.lock().snapshot()
    }

    /// What the session is called in its sink: what [`SessionBuilder::id`] says, or what the sink calls it.
    #[must_use]
    pub fn id(&self) -> Option<String> {
        self.shared.lock().name.clone()
    }

    /// How many entries the session's [sink](Sink) does not have so far, although it should, and why the last one is missing.
    #[must_use]
    pub fn unrecorded(&self) -> Option<(u64, SinkError)> {
        let core = self.shared.lock();
        let recorder = core.recorder.as_ref()?;
        recorder.error.clone().map(|error| (recorder.missing, error))
    }

    /// Which rules and cells are in doubt because another version of the contract saved the session.
    #[must_use]
    pub fn restored(&self) -> &[Finding] {
        &self.shared.restored
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

    /// How many instances each rule has let go so far, in file order, without those that let none go.
    #[must_use]
    pub fn retired(&self) -> Vec<(String, Retired)> {
        self.shared.lock().retired()
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
    fn now(&self, at: Option<Time>) -> Time {
        at.unwrap_or_else(|| self.clock.now())
    }

    fn lock(&self) -> MutexGuard<'_, Core<M>> {
        // A panic elsewhere must not turn into a bypass or a second panic: the core is consistent between statements.
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the outcome of a call in flight.
    pub(crate) fn settle(&self, admitted: &Admitted, outcome: &Outcome<'_>) -> Result<Completion, AfterError> {
        let now = self.now(outcome.at);
        let mut core = self.lock();
        let completion = core.settle(admitted.number, admitted.holder, outcome, now);
        self.release(core);
        completion
    }

    /// Gives the lock back, and waits until what was recorded under it is safe. Returns whether it is.
    #[inline]
    fn release(&self, mut core: MutexGuard<'_, Core<M>>) -> bool {
        let Some(sink) = &self.sink else { return true };
        let ticket = core.ticket().filter(|ticket| ticket.waits);
        drop(core);
        let Some(Err(error)) = ticket.map(|ticket| recorder::guarded(|| sink.commit(ticket))) else { return true };
        if let Some(recorder) = &mut self.lock().recorder {
            recorder.miss(error);
        }
        false
    }
}

impl<M: Monitor> Session<M> {
    /// The permit for a call that was admitted, once that is on record.
    #[inline]
    fn permit(
        &self,
        core: MutexGuard<'_, Core<M>>,
        decided: Result<Admitted, Refusal>,
        approval: Option<Approval>,
    ) -> Result<Permit<M>, Refusal> {
        let is_safe = self.shared.release(core);
        let admitted = decided?;
        if is_safe { Ok(Permit::new(&self.shared, admitted, approval)) } else { self.unsafe_permit(admitted, approval) }
    }

    /// The same, where nobody knows whether the record is safe.
    #[cold]
    fn unsafe_permit(&self, admitted: Admitted, approval: Option<Approval>) -> Result<Permit<M>, Refusal> {
        let mut core = self.shared.lock();
        if core.runs_unrecorded(&admitted) {
            drop(core);
            return Ok(Permit::new(&self.shared, admitted, approval));
        }
        let now = core.latest;
        // The record may be there: so is this, if it can be.
        let _ = core.settle(admitted.number, admitted.holder, &Outcome::new(Status::Failed, None), now);
        let refusal = core.take_back(admitted);
        self.shared.release(core);
        Err(refusal)
    }
}

impl<M: Monitor> Core<M> {
    /// Closes a request for approval that is answered now, and records the answer.
    fn close(
        &mut self,
        request: &ApprovalRequest,
        answer: Answer,
        by: Option<&str>,
        reason: Option<&str>,
        now: Time,
    ) -> Result<(), Refusal> {
        let now = now.max(self.latest);
        let closed = self.requests.as_mut().map_or(Err(Void::NotOpen), |requests| requests.close(request, now));
        let answer = match closed {
            Ok(()) => answer,
            Err(Void::Expired) => Answer::Expired,
            Err(Void::NotOpen) => Answer::NotOpen,
        };
        let made = self.requests.as_ref().is_some_and(|requests| requests.made(request));
        let request_entry = request.record.filter(|_| made);
        self.write(now, Happening::Answered { request: request_entry, answer, by, reason });
        closed.map_err(|void| {
            let (kind, why) = match void {
                Void::Expired => (RefusalKind::ApprovalExpired, "the time to approve it is over"),
                Void::NotOpen => (RefusalKind::NoSuchRequest, "the request for approval is not open"),
            };
            Refusal::new(kind, refusal::stopped(request.tool(), why), Vec::new(), self.diverged)
        })
    }
}
