//! Sessions as text, and back.
//!
//! INVARIANT: what another version of the contract saved is not taken for established. A text that no session could have
//! saved is refused as a whole; nothing is guessed from parts of it.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde_json::{Value, json};

use super::core::{Core, InFlight};
use super::summary::Counts;
use crate::call::Call;
use crate::finding::Finding;
use crate::flight::{Flight, Note};
use crate::monitor::{RestoreError, Version};
use crate::register::Receipt;
use crate::{ContractInfo, Decimal, Decision, Effect, Monitor, Time, Truth};

/// The version of the format.
const FORMAT: u64 = 1;

/// Why a session cannot be saved.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SnapshotError {
    /// It has ended.
    Ended,
    /// The monitor has failed, and what it remembers is not to be trusted.
    Failed,
    /// The arguments of a call in flight are nested so deeply that their text could not be read back.
    TooDeep {
        /// The tool.
        tool: String,
    },
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ended => f.write_str("the session has ended"),
            Self::Failed => f.write_str("the monitor has failed, and its state cannot be trusted"),
            Self::TooDeep { tool } => {
                let tool = tool.escape_debug();
                write!(f, "the arguments of `{tool}`, which is in flight, are nested too deeply to be saved")
            }
        }
    }
}

impl std::error::Error for SnapshotError {}

impl<M: Monitor> Core<M> {
    /// The session as text.
    pub(super) fn snapshot(&mut self) -> Result<String, SnapshotError> {
        if self.summary.is_some() {
            return Err(SnapshotError::Ended);
        }
        self.write_notices();
        let monitor = self.ask(|monitor, _| monitor.save()).ok_or(SnapshotError::Failed)?;
        let flights = self.flights.iter().map(|(number, flight)| save_flight(&self.info, *number, flight));
        let Counts { allow, alert, ask, block } = self.counts;
        let blocked: BTreeMap<String, u64> = self.blocked().into_iter().collect();
        let saved = json!({
            "format": FORMAT,
            "contract": self.info.name,
            "digest": self.info.digest(),
            "context": self.facts,
            "latest": self.latest.to_string(),
            "next": self.next,
            "calls": self.calls,
            "name": self.name,
            "sink": self.sink_name(),
            "diverged": self.diverged,
            "counts": [allow, alert, ask, block],
            "blocked": blocked,
            "flights": flights.collect::<Result<Vec<_>, _>>()?,
            "monitor": monitor,
        });
        Ok(saved.to_string())
    }

    /// Takes up a session that was saved. Returns what is in doubt.
    pub(super) fn restore(mut self, saved: &str) -> Result<(Self, Vec<Finding>), RestoreError> {
        let saved: Value =
            serde_json::from_str(saved).map_err(|error| RestoreError::new(format!("it is no JSON: {error}")))?;
        if saved.get("format").and_then(Value::as_u64) != Some(FORMAT) {
            return Err(RestoreError::new(format!("it is not of format {FORMAT}")));
        }
        let digest = saved.get("digest").and_then(Value::as_str).ok_or_else(|| wrong("digest"))?;
        let version = if digest == self.info.digest() { Version::Same } else { Version::Other };
        let monitor = saved.get("monitor").ok_or_else(|| wrong("monitor"))?;
        let restored = catch_unwind(AssertUnwindSafe(|| self.monitor.restore(monitor, version)));
        let findings = restored.map_err(|_| RestoreError::new("the monitor failed to take up its state"))??;
        self.load(&saved, version)?;
        Ok((self, findings))
    }

    fn sink_name(&self) -> Option<String> {
        self.recorder.as_ref().map(|recorder| recorder.sink.name())
    }

    /// Takes up all but what the monitor remembers.
    fn load(&mut self, saved: &Value, version: Version) -> Result<(), RestoreError> {
        let member = |name: &'static str| saved.get(name).ok_or_else(|| wrong(name));
        self.latest = load_time(member("latest")?).ok_or_else(|| wrong("latest"))?;
        self.next = member("next")?.as_u64().ok_or_else(|| wrong("next"))?;
        self.calls = member("calls")?.as_u64().ok_or_else(|| wrong("calls"))?;
        let sink = text(member("sink")?).ok_or_else(|| wrong("sink"))?;
        let name = text(member("name")?).ok_or_else(|| wrong("name"))?;
        // Names and numbers of another sink mean nothing in this one.
        let same_sink = sink == self.sink_name();
        if self.name.is_none() && same_sink {
            self.name = name;
        }
        self.diverged = member("diverged")?.as_bool().ok_or_else(|| wrong("diverged"))?;
        self.counts = load_counts(member("counts")?).ok_or_else(|| wrong("counts"))?;
        let blocked = member("blocked")?.as_object().ok_or_else(|| wrong("blocked"))?;
        for (rule, count) in self.info.rules.iter().zip(&mut self.blocked) {
            *count = match blocked.get(rule.id.as_ref()) {
                Some(saved) => saved.as_u64().ok_or_else(|| wrong("blocked"))?,
                None => 0,
            };
        }
        if self.facts.is_none() {
            self.facts = Some(member("context")?.clone()).filter(|facts| !facts.is_null());
        }
        for saved in member("flights")?.as_array().ok_or_else(|| wrong("flights"))? {
            let (number, mut flight) = load_flight(&self.info, saved, version).ok_or_else(|| wrong("flights"))?;
            flight.record = flight.record.filter(|_| same_sink);
            let doubled = flight.call.id.as_ref().and_then(|id| self.ids.insert(id.to_string(), number)).is_some();
            if number >= self.next || doubled || self.flights.insert(number, flight).is_some() {
                return Err(wrong("flights"));
            }
        }
        Ok(())
    }
}

fn wrong(member: &str) -> RestoreError {
    RestoreError::new(format!("its `{member}` is not what a session saves"))
}

fn load_time(saved: &Value) -> Option<Time> {
    Time::parse(saved.as_str()?)
}

fn load_counts(saved: &Value) -> Option<Counts> {
    match saved.as_array()?.as_slice() {
        [allow, alert, ask, block] => {
            Some(Counts { allow: allow.as_u64()?, alert: alert.as_u64()?, ask: ask.as_u64()?, block: block.as_u64()? })
        }
        _ => None,
    }
}

fn save_flight<F: Flight>(info: &ContractInfo, number: u64, in_flight: &InFlight<F>) -> Result<Value, SnapshotError> {
    let InFlight { call, original, decision, after_divergence, flight, ordinal, record, holder: _ } = in_flight;
    // As texts, so that arguments may be nested as deeply as JSON texts are.
    let text = |args: &Value| {
        let text = args.to_string();
        match serde_json::from_str::<Value>(&text) {
            Ok(_) => Ok(text),
            Err(_) => Err(SnapshotError::TooDeep { tool: call.tool.to_string() }),
        }
    };
    let notes = |flight: &F| flight.notes().iter().filter_map(|note| save_note(info, note)).collect::<Value>();
    Ok(json!({
        "number": number,
        "tool": call.tool,
        "server": call.server,
        "args": text(&call.args)?,
        "original": original.as_deref().map(text).transpose()?,
        "id": call.id,
        "agent": call.agent,
        "batch": call.batch,
        "approved": call.approved,
        "decision": decision.as_str(),
        "after_divergence": after_divergence,
        "call": ordinal,
        "record": record,
        "effect": flight.as_ref().map(|flight| flight.effect().as_str()),
        "notes": flight.as_ref().map(notes),
    }))
}

/// A call in flight that was saved. Another version of the contract wants nothing back for it: of what it knows nothing, it
/// can return nothing.
fn load_flight<F: Flight>(info: &ContractInfo, saved: &Value, version: Version) -> Option<(u64, InFlight<F>)> {
    let json = |saved: &Value| serde_json::from_str::<Value>(saved.as_str()?).ok();
    let mut call = Call::owned(saved.get("tool")?.as_str()?.to_owned(), json(saved.get("args")?)?);
    call.server = text(saved.get("server")?)?.map(Into::into);
    call.id = text(saved.get("id")?)?.map(Into::into);
    call.agent = text(saved.get("agent")?)?.map(Into::into);
    call.batch = match saved.get("batch")? {
        Value::Null => None,
        batch => Some(u32::try_from(batch.as_u64()?).ok()?),
    };
    call.approved = saved.get("approved")?.as_bool()?;
    let original = match saved.get("original")? {
        Value::Null => None,
        original => Some(Arc::new(json(original)?)),
    };
    let flight = match saved.get("effect")? {
        Value::Null => None,
        effect => {
            let notes = saved.get("notes")?.as_array()?.iter().map(|note| load_note(info, note));
            let notes = match version {
                Version::Same => notes.collect::<Option<Vec<_>>>()?,
                Version::Other => Vec::new(),
            };
            Some(F::new(load_effect(effect)?, &notes))
        }
    };
    let number = saved.get("number")?.as_u64()?;
    let in_flight = InFlight {
        call: Arc::new(call),
        original,
        holder: number,
        decision: load_decision(saved.get("decision")?)?,
        after_divergence: saved.get("after_divergence")?.as_bool()?,
        ordinal: saved.get("call")?.as_u64()?,
        record: match saved.get("record")? {
            Value::Null => None,
            record => Some(record.as_u64()?),
        },
        flight,
    };
    Some((number, in_flight))
}

fn text(saved: &Value) -> Option<Option<String>> {
    match saved {
        Value::Null => Some(None),
        Value::String(text) => Some(Some(text.clone())),
        _ => None,
    }
}

fn load_effect(saved: &Value) -> Option<Effect> {
    let saved = saved.as_str()?;
    [Effect::Read, Effect::Write, Effect::Irreversible].into_iter().find(|effect| effect.as_str() == saved)
}

fn load_decision(saved: &Value) -> Option<Decision> {
    let saved = saved.as_str()?;
    [Decision::Allow, Decision::Alert, Decision::Ask, Decision::Block].into_iter().find(|one| one.as_str() == saved)
}

/// A note by the id of its rule; `None` where there is nothing to return.
fn save_note(info: &ContractInfo, note: &Note) -> Option<Value> {
    let rule = info.rules.get(usize::from(note.rule))?;
    let Receipt { counted, at, amount } = note.receipt;
    Some(json!({
        "rule": rule.id,
        "counted": match counted {
            Truth::True => Some(true),
            Truth::False => Some(false),
            Truth::Unknown => None,
        },
        "at": at.to_string(),
        "amount": amount.map(|amount| amount.to_string()),
        "epoch": note.epoch,
        "slots": note.slots,
    }))
}

fn load_note(info: &ContractInfo, saved: &Value) -> Option<Note> {
    let id = saved.get("rule")?.as_str()?;
    let rule = info.rules.iter().position(|rule| rule.id == id)?;
    let receipt = Receipt {
        counted: match saved.get("counted")? {
            Value::Bool(true) => Truth::True,
            Value::Bool(false) => Truth::False,
            Value::Null => Truth::Unknown,
            _ => return None,
        },
        at: load_time(saved.get("at")?)?,
        amount: match text(saved.get("amount")?)? {
            Some(amount) => Some(Decimal::parse(&amount)?),
            None => None,
        },
    };
    let slots = u32::try_from(saved.get("slots")?.as_u64()?).ok()?;
    Some(Note { rule: u16::try_from(rule).ok()?, receipt, epoch: saved.get("epoch")?.as_u64()?, slots })
}
