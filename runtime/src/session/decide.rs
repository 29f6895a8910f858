//! How a session decides a call: with the monitor, or by `on_error` without it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde_json::Value;

use super::core::{Core, InFlight};
use crate::call::{Args, Call, CallView, Outcome, Status};
use crate::deliberation::{Consent, Posture};
use crate::finding::Finding;
use crate::message::Subjects;
use crate::permit::Admitted;
use crate::refusal::{self, Refusal, RefusalKind};
use crate::sink::{Decided, Happening};
use crate::{Decision, Effect, Mode, Monitor, Ruling, Subject, Time};

/// How a call comes to be decided.
#[derive(Clone, Copy, Debug)]
pub(super) enum Occasion<'a> {
    /// The agent makes it.
    Made,
    /// A person has approved the call with these arguments.
    Approved(&'a Value),
}

/// A call that the contract, or `on_error`, lets run.
struct Passed<F> {
    decision: Decision,
    findings: Vec<Finding>,
    flight: Option<F>,
    ordinal: u64,
    record: Option<u64>,
}

/// What a monitor says of a call, with the arguments that it runs with where they are not the original ones.
type Judgement<F> = (Option<Value>, Result<Ruling<F>, TooDeep>);

/// The contract makes arguments that are nested too deeply.
struct TooDeep;

impl<M: Monitor> Core<M> {
    /// Decides a call.
    pub(super) fn before(&mut self, call: &Call<'_>, at: Time, occasion: Occasion<'_>) -> Result<Admitted, Refusal> {
        self.check(call, at)?;
        let (now, expired) = self.advance(at);
        let mut posture = self.posture(call);
        let Some((args, ruling)) = self.judge(call, now, &mut posture, occasion) else {
            return self.unevaluated(call, now, "the monitor has failed").map_err(|refusal| refusal.also(expired));
        };
        let Ok(mut ruling) = ruling else {
            let text = "the call did not run: its arguments, as the contract changes them, are nested too deeply";
            let refusal = self.refuse(RefusalKind::Blocked, text).also(expired);
            self.write_refused(call, now, RefusalKind::Blocked);
            return Err(refusal);
        };
        let number = self.count();
        let seen = args.as_ref().unwrap_or(&call.args);
        let tool = call.tool.as_ref();
        self.fill(&mut ruling.findings, &Subjects { tool: Some(tool), args: Some(seen), ..Subjects::default() });
        let consent = posture.consent == Consent::Given;
        let stopped = ruling.flight.is_none();
        // Whoever was asked has been counted.
        if !(ruling.decision == Decision::Ask && matches!(occasion, Occasion::Approved(_))) {
            self.counts.add(ruling.decision);
        }
        if stopped {
            self.count_blocked(&ruling.findings);
        }
        let would_stop = ruling.would == Decision::Block || (ruling.would == Decision::Ask && !consent);
        let diverged = self.diverged;
        self.diverged |= would_stop && !stopped;
        let kind = stopped.then(|| self.kind(ruling.decision));
        let record = self.recorder.is_some().then(|| {
            let decided = Decided {
                args: args.as_ref().unwrap_or(&call.args),
                original: args.is_some().then_some(&call.args),
                effect: ruling.effect,
                approved: consent,
                decision: ruling.decision,
                refusal: kind,
                findings: &ruling.findings,
                after_divergence: self.diverged,
                ..Decided::refused(call, number, RefusalKind::Blocked)
            };
            let record = self.write(now, Happening::Decided(decided));
            self.write_departures(now);
            record
        });
        let Some(flight) = ruling.flight else {
            return Err(self.stop(call, args, ruling.decision, ruling.findings, now, record.flatten()).also(expired));
        };
        let mut findings = ruling.findings;
        findings.extend(expired);
        let (decision, flight) = (ruling.decision, Some(flight));
        let passed = Passed { decision, findings, flight, ordinal: number, record: record.flatten() };
        let admitted = self.admit(call, args, consent, passed);
        if record == Some(None) && !self.runs_unrecorded(&admitted) {
            self.diverged = diverged;
            let _ = self.complete(admitted.number, admitted.holder, &Outcome::new(Status::Failed, None), now);
            return Err(self.take_back(admitted));
        }
        Ok(admitted)
    }

    fn judge(
        &mut self,
        call: &Call<'_>,
        now: Time,
        posture: &mut Posture,
        occasion: Occasion<'_>,
    ) -> Option<Judgement<M::Flight>> {
        self.ask(|monitor, context| {
            let view = call.view(now, context);
            let mut rewriting = monitor.rewrite(&view, *posture);
            // Those that the host gave were measured when the call came in.
            if rewriting.args.as_ref().is_some_and(|args| !crate::value::is_shallow(args)) {
                return (None, Err(TooDeep));
            }
            let args = rewriting.args.as_ref().unwrap_or(view.args);
            // An approval is for the arguments that the person saw.
            if matches!(occasion, Occasion::Approved(approved) if approved == args) {
                posture.consent = Consent::Given;
            }
            let ruling = monitor.before(&CallView { args, ..view }, &rewriting, *posture);
            (rewriting.args.take(), Ok(ruling))
        })
    }

    fn admit(&mut self, call: &Call<'_>, args: Option<Value>, consent: bool, passed: Passed<M::Flight>) -> Admitted {
        let Passed { decision, findings, flight, ordinal, record } = passed;
        let number = self.next;
        self.next = self.next.wrapping_add(1);
        let mut call = Call { bytes: None, ..call.clone() }.into_owned();
        call.approved = consent;
        let original = args.map(|args| std::mem::replace(&mut call.args, Args::Shared(Arc::new(args))).share());
        let call = Arc::new(call);
        if let Some(id) = call.id.as_deref() {
            self.ids.insert(id.to_owned(), number);
        }
        let after_divergence = self.diverged;
        let evaluated = flight.is_some();
        let in_flight = InFlight {
            call: Arc::clone(&call),
            original: original.clone(),
            holder: number,
            decision,
            after_divergence,
            ordinal,
            record,
            flight,
        };
        self.flights.insert(number, in_flight);
        Admitted { number, holder: number, call, original, decision, findings, after_divergence, evaluated }
    }

    /// The refusal of a call that the contract stops.
    fn stop(
        &mut self,
        call: &Call<'_>,
        args: Option<Value>,
        decision: Decision,
        findings: Vec<Finding>,
        now: Time,
        record: Option<u64>,
    ) -> Refusal {
        let text = refusal::describe(&self.info, call.tool(), decision, &findings);
        if decision != Decision::Ask {
            return Refusal::new(RefusalKind::Blocked, text, findings, self.diverged);
        }
        match &mut self.requests {
            Some(requests) => {
                let mut call = call.clone().into_owned();
                call.approved = false;
                let request = requests.open(Arc::new(call), args, now, record);
                Refusal::new(RefusalKind::NeedsApproval, text, findings, self.diverged).with_request(request)
            }
            None => {
                let text = format!("{text}\nNobody is there to approve it.");
                Refusal::new(RefusalKind::NobodyToAsk, text, findings, self.diverged)
            }
        }
    }

    /// What is to be said of a call that the contract stops.
    fn kind(&self, decision: Decision) -> RefusalKind {
        match (decision, &self.requests) {
            (Decision::Ask, Some(_)) => RefusalKind::NeedsApproval,
            (Decision::Ask, None) => RefusalKind::NobodyToAsk,
            _ => RefusalKind::Blocked,
        }
    }

    /// The number of the next call.
    fn count(&mut self) -> u64 {
        let number = self.calls;
        self.calls = self.calls.saturating_add(1);
        number
    }

    /// Whether a call can be looked at.
    pub(super) fn check(&mut self, call: &Call<'_>, at: Time) -> Result<(), Refusal> {
        self.check_open(call).inspect_err(|refusal| self.write_refused(call, self.latest.max(at), refusal.kind()))
    }

    /// Records that a call was refused that the contract has not decided.
    fn write_refused(&mut self, call: &Call<'_>, now: Time, kind: RefusalKind) {
        let number = self.count();
        if self.recorder.is_none() {
            return;
        }
        let mut decided = Decided { after_divergence: self.diverged, ..Decided::refused(call, number, kind) };
        if crate::value::is_shallow(&call.args) {
            decided.effect = self.effect(call, now);
        }
        self.write(now, Happening::Decided(decided));
    }

    /// Decides a call without the monitor.
    pub(super) fn unevaluated(&mut self, call: &Call<'_>, now: Time, why: &str) -> Result<Admitted, Refusal> {
        let effect = self.effect(call, now);
        let number = self.count();
        let decision = self.on_error.get(effect);
        let stops = decision >= Decision::Ask;
        let shadow = self.posture(call).mode == Mode::Shadow;
        let refusal = (stops && !shadow).then_some(RefusalKind::Blocked);
        let decision = match refusal {
            Some(_) => Decision::Block,
            None if stops => Decision::Allow,
            None => decision,
        };
        self.counts.add(decision);
        self.diverged |= stops && shadow;
        let decided = Decided {
            effect,
            decision,
            refusal,
            evaluated: false,
            after_divergence: self.diverged,
            ..Decided::refused(call, number, RefusalKind::Blocked)
        };
        let record = self.write(now.max(self.latest), Happening::Decided(decided));
        if refusal.is_some() {
            let why = format!("the contract could not be evaluated ({})", refusal::echo(why));
            let text = refusal::stopped(call.tool(), &why);
            return Err(Refusal::new(RefusalKind::Blocked, text, Vec::new(), self.diverged).unevaluated());
        }
        let passed = Passed { decision, findings: Vec::new(), flight: None, ordinal: number, record };
        Ok(self.admit(call, None, call.approved, passed))
    }

    /// The effect of a call, as far as the monitor can still say.
    fn effect(&self, call: &Call<'_>, now: Time) -> Effect {
        let view = call.view(now, &self.context);
        catch_unwind(AssertUnwindSafe(|| self.monitor.effect(&view))).unwrap_or(Effect::Irreversible)
    }

    fn count_blocked(&mut self, findings: &[Finding]) {
        for finding in findings.iter().filter(|finding| finding.action >= Decision::Ask) {
            if let Subject::Rule(index) = finding.subject
                && let Some(blocked) = self.blocked.get_mut(usize::from(index))
            {
                *blocked = blocked.saturating_add(1);
            }
        }
    }
}
