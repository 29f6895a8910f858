//! How a session writes down what happens in it.
//!
//! INVARIANT: what could not be recorded is counted, and never changes what the contract decides. A session without a sink does
//! nothing here.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::core::Core;
use crate::call::Call;
use crate::permit::Admitted;
use crate::refusal::{self, Refusal, RefusalKind};
use crate::sink::{Cause, Decided, Entry, Happening, Sink, SinkError, Start, Ticket};
use crate::{ByEffect, Decision, Effect, Finding, Flight, Mode, Monitor, Time};

/// Where a session writes, and what of it is missing there.
pub(super) struct Recorder {
    pub(super) sink: Arc<dyn Sink>,
    pub(super) agent: Option<(String, String)>,
    pub(super) surface: Option<String>,
    pub(super) parent: Option<String>,
    pub(super) resumed: bool,
    /// Whether the start of the session is recorded.
    pub(super) started: bool,
    /// How many entries are missing, and why the last one is.
    pub(super) missing: u64,
    pub(super) error: Option<SinkError>,
    /// What is to be committed when the lock is given back: it stands for all before it.
    pub(super) pending: Option<Ticket>,
}

/// What a sink answers. One that panics has not recorded.
pub(super) fn guarded<T>(answer: impl FnOnce() -> Result<T, SinkError>) -> Result<T, SinkError> {
    catch_unwind(AssertUnwindSafe(answer)).unwrap_or_else(|_| Err(SinkError::new("the sink panicked")))
}

impl Recorder {
    pub(super) fn new(sink: Arc<dyn Sink>, resumed: bool) -> Self {
        Self {
            sink,
            agent: None,
            surface: None,
            parent: None,
            resumed,
            started: false,
            missing: 0,
            error: None,
            pending: None,
        }
    }

    /// Hands over an entry. Returns its number.
    fn take(&mut self, entry: &Entry<'_>) -> Option<u64> {
        match guarded(|| self.sink.record(entry)) {
            Ok(ticket) => {
                self.wait_for(ticket);
                Some(ticket.seq)
            }
            Err(error) => {
                self.miss(error);
                None
            }
        }
    }

    fn wait_for(&mut self, ticket: Ticket) {
        let waits = ticket.waits || self.pending.is_some_and(|before| before.waits);
        self.pending = Some(Ticket { waits, ..ticket });
    }

    pub(super) fn miss(&mut self, error: SinkError) {
        self.missing = self.missing.saturating_add(1);
        self.error = Some(error);
    }
}

impl<'a> Decided<'a> {
    /// That the call does not run, and nothing more.
    pub(super) fn refused(call: &'a Call<'_>, number: u64, kind: RefusalKind) -> Self {
        let (server, tool) = call.names();
        Self {
            call: number,
            tool,
            server,
            id: call.id.as_deref(),
            agent: call.agent.as_deref(),
            batch: call.batch,
            args: &call.args,
            original: None,
            bytes: call.bytes.as_deref(),
            effect: Effect::Irreversible,
            approved: call.approved,
            decision: Decision::Block,
            refusal: Some(kind),
            findings: &[],
            evaluated: true,
            after_divergence: false,
        }
    }
}

impl<M: Monitor> Core<M> {
    /// Records what happened. Returns the number of the entry.
    pub(super) fn write(&mut self, at: Time, what: Happening<'_>) -> Option<u64> {
        self.begin(at)?;
        let entry = Entry { session: self.name.as_deref(), contract: &self.info, at, what };
        self.recorder.as_mut()?.take(&entry)
    }

    /// Records the start of the session, unless that is done. Where it fails, it is tried again before the next entry.
    pub(super) fn begin(&mut self, at: Time) -> Option<()> {
        let recorder = self.recorder.as_mut()?;
        if recorder.started {
            return Some(());
        }
        let start = Start {
            agent: recorder.agent.as_ref().map(|(name, version)| (name.as_str(), version.as_str())),
            surface: recorder.surface.as_deref(),
            parent: recorder.parent.as_deref(),
            context: self.facts.as_ref(),
            mode: self.mode.unwrap_or(self.info.mode),
            resumed: recorder.resumed,
        };
        let entry = Entry { session: self.name.as_deref(), contract: &self.info, at, what: Happening::Start(start) };
        match guarded(|| recorder.sink.record(&entry)) {
            Ok(ticket) => {
                recorder.started = true;
                recorder.wait_for(ticket);
                self.name.get_or_insert_with(|| format!("s{}", ticket.seq));
                Some(())
            }
            Err(error) => {
                recorder.miss(error);
                None
            }
        }
    }

    /// Records the start of the session, and what was in doubt when it was taken up.
    ///
    /// # Errors
    /// If that is not safe, unless every call runs all the same.
    pub(super) fn open_record(&mut self, at: Time, restored: &[Finding]) -> Result<(), SinkError> {
        self.ask(|monitor, _| monitor.watch_departures());
        let at = at.max(self.latest);
        self.begin(at);
        if !restored.is_empty() {
            self.write(at, Happening::Time { findings: restored });
        }
        let ticket = self.ticket();
        let Some(recorder) = &mut self.recorder else { return Ok(()) };
        if let Some(Err(error)) =
            ticket.filter(|ticket| ticket.waits).map(|ticket| guarded(|| recorder.sink.commit(ticket)))
        {
            recorder.miss(error);
        }
        let ByEffect { read, write, irreversible } = self.on_error;
        match &recorder.error {
            Some(error) if read.max(write).max(irreversible) >= Decision::Ask => Err(error.clone()),
            _ => Ok(()),
        }
    }

    /// Records which instances were let go.
    pub(super) fn write_departures(&mut self, at: Time) {
        if self.recorder.is_none() {
            return;
        }
        for departed in self.ask(|monitor, _| monitor.departures()).unwrap_or_default() {
            for by in [Cause::Idle, Cause::Evicted, Cause::Closed] {
                let (count, keys) = departed.by(by);
                if count > 0 {
                    self.write(at, Happening::Retired { rule: departed.rule, by, count, keys });
                }
            }
        }
    }

    /// What is to be committed before anything comes of what was just done.
    pub(super) fn ticket(&mut self) -> Option<Ticket> {
        self.recorder.as_mut()?.pending.take()
    }

    /// What becomes of a call that was admitted, and is not recorded: it runs if `on_error` says so, or if nothing is stopped.
    /// What could not be evaluated has been through that.
    pub(super) fn runs_unrecorded(&self, admitted: &Admitted) -> bool {
        let flight = self.flights.get(&admitted.number).and_then(|flight| flight.flight.as_ref());
        let effect = flight.map_or(Effect::Irreversible, Flight::effect);
        !admitted.evaluated
            || self.on_error.get(effect) < Decision::Ask
            || self.posture(&admitted.call).mode == Mode::Shadow
    }

    /// The refusal of a call that was admitted, and is taken back because it could not be recorded.
    pub(super) fn take_back(&mut self, admitted: Admitted) -> Refusal {
        self.counts.take_back(admitted.decision);
        let text = refusal::stopped(&admitted.call.tool, "it could not be recorded, and only what is recorded may run");
        Refusal::new(RefusalKind::Unrecorded, text, admitted.findings, self.diverged).unevaluated()
    }
}
