//! How a session decides a call: with the monitor, or by `on_error` without it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde_json::Value;

use super::core::{Core, InFlight};
use crate::call::{Args, Call, CallView};
use crate::deliberation::{Consent, Posture};
use crate::finding::Finding;
use crate::message::Subjects;
use crate::permit::Admitted;
use crate::refusal::{self, Refusal, RefusalKind};
use crate::{Decision, Effect, Mode, Monitor, Ruling, Subject, Time};

/// How a call comes to be decided.
#[derive(Clone, Copy, Debug)]
pub(super) enum Occasion<'a> {
    /// The agent makes it.
    Made,
    /// A person has approved the call with these arguments.
    Approved(&'a Value),
}

/// What a monitor says of a call, with the arguments that it runs with where they are not the original ones.
type Judgement<F> = (Option<Value>, Result<Ruling<F>, TooDeep>);

/// The contract makes arguments that are nested too deeply.
struct TooDeep;

impl<M: Monitor> Core<M> {
    /// Decides a call.
    pub(super) fn before(&mut self, call: &Call<'_>, at: Time, occasion: Occasion<'_>) -> Result<Admitted, Refusal> {
        self.check_open(call)?;
        let (now, expired) = self.advance(at);
        let mut posture = self.posture(call);
        let Some((args, ruling)) = self.judge(call, now, &mut posture, occasion) else {
            return self.unevaluated(call, now, "the monitor has failed").map_err(|refusal| refusal.also(expired));
        };
        let Ok(mut ruling) = ruling else {
            let text = "the call did not run: its arguments, as the contract changes them, are nested too deeply";
            return Err(self.refuse(RefusalKind::Blocked, text).also(expired));
        };
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
        self.diverged |= would_stop && !stopped;
        let Some(flight) = ruling.flight else {
            return Err(self.stop(call, args, ruling.decision, ruling.findings, now).also(expired));
        };
        let mut findings = ruling.findings;
        findings.extend(expired);
        Ok(self.admit(call, args, consent, ruling.decision, findings, Some(flight)))
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

    fn admit(
        &mut self,
        call: &Call<'_>,
        args: Option<Value>,
        consent: bool,
        decision: Decision,
        findings: Vec<Finding>,
        flight: Option<M::Flight>,
    ) -> Admitted {
        let number = self.next;
        self.next = self.next.wrapping_add(1);
        let mut call = call.clone().into_owned();
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
    ) -> Refusal {
        let text = refusal::describe(&self.info, call.tool(), decision, &findings);
        if decision != Decision::Ask {
            return Refusal::new(RefusalKind::Blocked, text, findings, self.diverged);
        }
        match &mut self.requests {
            Some(requests) => {
                let mut call = call.clone().into_owned();
                call.approved = false;
                let request = requests.open(Arc::new(call), args, now);
                Refusal::new(RefusalKind::NeedsApproval, text, findings, self.diverged).with_request(request)
            }
            None => {
                let text = format!("{text}\nNobody is there to approve it.");
                Refusal::new(RefusalKind::NobodyToAsk, text, findings, self.diverged)
            }
        }
    }

    /// Decides a call without the monitor.
    pub(super) fn unevaluated(&mut self, call: &Call<'_>, now: Time, why: &str) -> Result<Admitted, Refusal> {
        let effect = self.effect(call, now);
        let decision = self.on_error.get(effect);
        let stops = decision >= Decision::Ask;
        let shadow = self.posture(call).mode == Mode::Shadow;
        if stops && !shadow {
            self.counts.add(Decision::Block);
            let why = format!("the contract could not be evaluated ({})", refusal::echo(why));
            let text = refusal::stopped(call.tool(), &why);
            return Err(Refusal::new(RefusalKind::Blocked, text, Vec::new(), self.diverged).unevaluated());
        }
        let decision = if stops { Decision::Allow } else { decision };
        self.counts.add(decision);
        self.diverged |= stops;
        Ok(self.admit(call, None, call.approved, decision, Vec::new(), None))
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
