//! One version in the middle of a session: its monitor, with what a session keeps besides.
//!
//! INVARIANT: it decides as a session does, line by line.

use std::collections::BTreeMap;
use std::rc::Rc;

use contract_runtime::{
    Consent, Context, Delivery, EventView, Mode, Monitor as _, OutcomeView, Posture, Seed, Status, Time,
};
use serde_json::Value;

use super::seen::Seen;
use crate::interpret::{Flight, Interpreted, Interpreter};
use crate::mir::Contract;
use crate::replay::Shown;
use crate::trace::{Recorded, RecordedCall};

/// A version in the middle of a session.
#[derive(Clone)]
pub(super) struct Side<'c> {
    contract: &'c Contract,
    monitor: Interpreter,
    context: Rc<Context>,
    flights: Vec<InFlight>,
}

/// A call that runs.
#[derive(Clone)]
struct InFlight {
    call: Rc<RecordedCall>,
    args: Option<Rc<Value>>,
    flight: Flight,
}

impl<'c> Side<'c> {
    /// A session begins; `None` if it cannot with these facts.
    pub(super) fn begin(contract: &'c Interpreted, facts: Option<&Value>) -> Option<Self> {
        let declared = &contract.info().context;
        let context = facts.map_or_else(|| Ok(Context::empty()), |facts| Context::new(declared, facts)).ok()?;
        let mut monitor = contract.monitor();
        monitor.seed(Seed([0; 16]));
        Some(Self { contract: contract.contract(), monitor, context: Rc::new(context), flights: Vec::new() })
    }

    fn advance(&mut self, now: Time, seen: &mut Seen) {
        let expired = self.monitor.advance(now).findings;
        expired.iter().for_each(|finding| seen.report(self.contract, finding));
    }

    fn posture(&self) -> Posture {
        let mode: Mode = self.contract.mode;
        Posture::new(mode, None, Consent::None)
    }

    /// Makes a call.
    pub(super) fn call(&mut self, call: &Rc<RecordedCall>, now: Time) -> Seen {
        let mut seen = Seen::default();
        self.advance(now, &mut seen);
        let context = Rc::clone(&self.context);
        let rewriting = self.monitor.rewrite(&call.view(&call.args, now, &context), self.posture());
        let args = rewriting.args.clone().map(Rc::new);
        let made = call.view(args.as_deref().unwrap_or(&call.args), now, &context);
        let ruling = self.monitor.before(&made, &rewriting, self.posture());
        seen.decision = Some(ruling.decision);
        seen.decided(self.contract, &ruling.findings);
        if let Some(flight) = ruling.flight {
            seen.runs = true;
            seen.args = args.as_deref().filter(|args| **args != call.args).cloned();
            self.flights.push(InFlight { call: Rc::clone(call), args, flight });
        }
        seen
    }

    /// The result of a call in flight, by its place among them.
    pub(super) fn settle(&mut self, place: usize, result: &Recorded, now: Time) -> Seen {
        let mut seen = Seen::default();
        if place >= self.flights.len() {
            return seen;
        }
        let InFlight { call, args, flight } = self.flights.remove(place);
        self.advance(now, &mut seen);
        let context = Rc::clone(&self.context);
        let made = call.view(args.as_deref().unwrap_or(&call.args), now, &context);
        let outcome = OutcomeView { status: result.status, value: result.value.as_ref() };
        let settlement = self.monitor.after(&made, flight, outcome, self.posture());
        settlement.findings.iter().for_each(|finding| seen.report(self.contract, finding));
        (seen.shown, seen.masked) = match settlement.delivery {
            Delivery::AsIs => (Some(Shown::All), None),
            Delivery::Redacted(value) => (Some(Shown::Redacted), Some(value)),
            Delivery::Withheld => (Some(Shown::Nothing), None),
        };
        seen
    }

    /// A host event.
    pub(super) fn event(&mut self, name: &str, value: &Value, now: Time) -> Seen {
        let mut seen = Seen::default();
        self.advance(now, &mut seen);
        let context = Rc::clone(&self.context);
        let report = self.monitor.event(&EventView { name, value, now, context: &context });
        report.findings.iter().for_each(|finding| seen.report(self.contract, finding));
        seen
    }

    /// The session ends. Nobody knows how the calls in flight ended.
    pub(super) fn end(mut self, now: Time) -> Seen {
        let unknown = Recorded { status: Status::Unknown, value: None };
        let mut seen = Seen::default();
        while !self.flights.is_empty() {
            seen.join(self.settle(0, &unknown, now));
        }
        self.advance(now, &mut seen);
        self.monitor.end().iter().for_each(|finding| seen.report(self.contract, finding));
        seen
    }

    /// What the monitor remembers; `counted` says whether that is how many calls there were, too.
    pub(super) fn memory(&self, counted: bool) -> Memory {
        let mut saved = self.monitor.save();
        let position = saved.get_mut("position").map(Value::take).filter(|_| counted);
        let take = |saved: &mut Value, name| saved.get_mut(name).map(Value::take);
        let rules = match take(&mut saved, "rules") {
            Some(Value::Object(rules)) => rules.into_iter().map(|(id, saved)| (id, saved.to_string())).collect(),
            _ => BTreeMap::new(),
        };
        let cells = match take(&mut saved, "state") {
            Some(Value::Array(cells)) => {
                let names = self.contract.cells.iter().map(|cell| cell.name.clone());
                names.zip(cells).map(|(name, saved)| (name, saved.to_string())).collect()
            }
            _ => BTreeMap::new(),
        };
        let flights = self.flights.iter().map(|flight| format!("{} {}", flight.call.tool, flight.call.args)).collect();
        Memory { rules, cells, flights, position: position.and_then(|position| position.as_u64()) }
    }
}

/// What tells a moment from others, as far as what comes next depends on it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Memory {
    /// Of each rule, by id.
    pub(super) rules: BTreeMap<String, String>,
    /// Of each cell, by name.
    pub(super) cells: BTreeMap<String, String>,
    flights: Vec<String>,
    position: Option<u64>,
}
