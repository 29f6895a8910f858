//! How a session takes the outcome of a call in flight.

use std::collections::btree_map::Entry;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::core::{Core, InFlight};
use super::settled::{AfterError, Completion};
use crate::call::{Call, Outcome, OutcomeView};
use crate::deliberation::Posture;
use crate::finding::Finding;
use crate::message::Subjects;
use crate::permit::Admitted;
use crate::settlement::Delivery;
use crate::sink::{Completed, Happening, Shown};
use crate::{Mode, Monitor, Time, refusal};

/// What a record says of a call that has ended.
pub(super) struct Traced {
    ordinal: u64,
    record: Option<u64>,
    /// How many of the findings are about the result; the others are about the time.
    found: usize,
}

impl<M: Monitor> Core<M> {
    /// Takes the outcome of a call in flight from the permit that holds it, and records it.
    pub(super) fn settle(
        &mut self,
        number: u64,
        holder: u64,
        outcome: &Outcome<'_>,
        at: Time,
    ) -> Result<Completion, AfterError> {
        let (call, completion, ended) = self.complete(number, holder, outcome, at)?;
        if self.recorder.is_some() {
            let Completion { status, delivery, evaluated, .. } = &completion;
            let shown = match delivery {
                Delivery::AsIs => Shown::All,
                Delivery::Redacted(value) => Shown::Redacted(value),
                Delivery::Withheld => Shown::Withheld,
            };
            let completed = Completed {
                call: ended.ordinal,
                decision: ended.record,
                tool: call.names().1,
                status: *status,
                result: outcome.value.as_deref(),
                bytes: outcome.bytes,
                shown,
                findings: completion.findings.get(..ended.found).unwrap_or_default(),
                evaluated: *evaluated,
            };
            self.write(self.latest, Happening::Completed(completed));
            self.write_departures(self.latest);
        }
        Ok(completion)
    }

    /// Takes the outcome of a call in flight from the permit that holds it.
    pub(super) fn complete(
        &mut self,
        number: u64,
        holder: u64,
        outcome: &Outcome<'_>,
        at: Time,
    ) -> Result<(Arc<Call<'static>>, Completion, Traced), AfterError> {
        let absent = if self.summary.is_some() { AfterError::Ended } else { AfterError::TakenOver };
        let Entry::Occupied(held) = self.flights.entry(number) else { return Err(absent) };
        if held.get().holder != holder {
            return Err(absent);
        }
        let InFlight { call, flight, ordinal, record, .. } = held.remove();
        if let Some(id) = call.id.as_deref() {
            self.ids.remove(id);
        }
        let (now, expired) = self.advance(at);
        let posture = self.posture(&call);
        let seen = OutcomeView { status: outcome.status, value: outcome.value.as_deref() };
        let settlement = flight.and_then(|flight| {
            self.ask(|monitor, context| monitor.after(&call.view(now, context), flight, seen, posture))
        });
        let Some(mut settlement) = settlement else {
            let completion = self.unscored(&call, now, outcome, posture, expired);
            return Ok((call, completion, Traced { ordinal, record, found: 0 }));
        };
        let visible = match &settlement.delivery {
            Delivery::AsIs => seen.value,
            Delivery::Redacted(value) => Some(value),
            Delivery::Withheld => None,
        };
        let mut subjects =
            Subjects { tool: Some(&call.tool), args: Some(&call.args), result: visible, ..Subjects::default() };
        self.fill(&mut settlement.findings, &subjects);
        let mut text = String::new();
        if settlement.delivery == Delivery::Withheld {
            text = refusal::withheld(&self.info, &call.tool, &settlement.findings);
            // The host may see what the agent may not.
            subjects.result = seen.value;
            self.fill(&mut settlement.findings, &subjects);
        }
        let mut findings = settlement.findings;
        let found = findings.len();
        findings.extend(expired);
        let (status, delivery) = (settlement.status, settlement.delivery);
        let completion = Completion { status, findings, delivery, evaluated: true, text };
        Ok((call, completion, Traced { ordinal, record, found }))
    }

    /// The completion of a call whose outcome no rule could look at. What should have been masked or withheld is withheld.
    fn unscored(
        &self,
        call: &Call<'_>,
        now: Time,
        outcome: &Outcome<'_>,
        posture: Posture,
        findings: Vec<Finding>,
    ) -> Completion {
        let view = call.view(now, &self.context);
        let shields = || catch_unwind(AssertUnwindSafe(|| self.monitor.shields(&view))).unwrap_or(true);
        let withhold = outcome.value.is_some() && posture.mode == Mode::Enforce && shields();
        let delivery = if withhold { Delivery::Withheld } else { Delivery::AsIs };
        let text = if withhold { refusal::unscored(&call.tool) } else { String::new() };
        Completion { status: outcome.status, findings, delivery, evaluated: false, text }
    }

    /// Gives a call in flight to a new permit.
    pub(super) fn resume(&mut self, id: &str) -> Option<Admitted> {
        let number = *self.ids.get(id)?;
        let flight = self.flights.get_mut(&number)?;
        flight.holder = self.next;
        self.next = self.next.wrapping_add(1);
        Some(Admitted {
            number,
            holder: flight.holder,
            call: Arc::clone(&flight.call),
            original: flight.original.clone(),
            decision: flight.decision,
            findings: Vec::new(),
            after_divergence: flight.after_divergence,
            evaluated: flight.flight.is_some(),
        })
    }
}
