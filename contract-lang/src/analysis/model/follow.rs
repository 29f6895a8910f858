//! Follows a session through a space: which abstract states it may be in.
//!
//! What each rule sees of an event is asked of the interpreter itself. That says of which class the event is, so that a session can be
//! followed as exactly as the model tells states apart; and if there is no such class, or no way out of a state, the model is
//! wrong. Tests look for that.

use std::collections::BTreeSet;

use contract_runtime::private::{Delivery, Rewriting, Settlement};
use contract_runtime::{
    CallView, ContractInfo, Decision, Effect, EventView, Finding, Flight as _, Monitor, OutcomeView, Posture, Reason,
    Report, RestoreError, Ruling, Seed, Session, Status, Subject as Blamed, Time, Truth, Verdict, Version,
};
use serde_json::Value;

use super::memory::{Happening, Holds};
use super::scene::{Class, Ending, Moment, Sight};
use super::subject::{Name, Subject};
use super::touch::Touch;
use super::{Model, Space};
use crate::interpret::{Flight, Interpreted, Interpreter, Seen, SeenKey};
use crate::mir::Contract;
use crate::trace::{Body, Line};

/// What happened in a session, and what the rules saw of it.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The tool or host event, and the server.
    name: String,
    server: Option<String>,
    moment: Moment,
    effect: Effect,
    withheld: bool,
    seen: Vec<Seen>,
    /// What was decided, and whether the call ran; `None` for results and host events.
    ruling: Option<(Decision, bool)>,
    /// What rules said of the event itself.
    said: Vec<(usize, Verdict)>,
}

/// A monitor whose session can be followed: it writes down what the rules see.
#[derive(Debug)]
pub struct Follower {
    monitor: Interpreter,
    log: std::sync::Arc<std::sync::Mutex<Vec<Entry>>>,
}

impl Follower {
    /// A fresh monitor.
    #[must_use]
    pub fn new(contract: &Interpreted) -> Self {
        Self { monitor: contract.monitor(), log: std::sync::Arc::default() }
    }

    /// Where it writes what happens.
    #[must_use]
    pub fn log(&self) -> std::sync::Arc<std::sync::Mutex<Vec<Entry>>> {
        std::sync::Arc::clone(&self.log)
    }

    fn note(&self, entry: Entry) {
        if let Ok(mut log) = self.log.lock() {
            log.push(entry);
        }
    }
}

/// What rules said of the event itself.
fn said(findings: &[Finding]) -> Vec<(usize, Verdict)> {
    let of_event = findings.iter().filter(|finding| {
        !matches!(
            finding.reason,
            Reason::Guarded | Reason::Expired | Reason::Ended | Reason::Rewritten | Reason::Rewrite | Reason::Redacted
        )
    });
    let blamed = of_event.filter_map(|finding| match finding.subject {
        Blamed::Rule(rule) => Some((usize::from(rule), finding.verdict)),
        _ => None,
    });
    blamed.collect()
}

impl Monitor for Follower {
    type Flight = Flight;

    fn info(&self) -> &ContractInfo {
        self.monitor.info()
    }

    fn effect(&self, call: &CallView<'_>) -> Effect {
        self.monitor.effect(call)
    }

    fn rewrite(&self, call: &CallView<'_>, posture: Posture) -> Rewriting {
        self.monitor.rewrite(call, posture)
    }

    fn before(&mut self, call: &CallView<'_>, rewriting: &Rewriting, posture: Posture) -> Ruling<Flight> {
        let seen = self.monitor.seen_call(call);
        let ruling = self.monitor.before(call, rewriting, posture);
        self.note(Entry {
            name: call.tool.to_owned(),
            server: call.server.map(str::to_owned),
            moment: Moment::Call,
            effect: ruling.effect,
            withheld: false,
            seen,
            ruling: Some((ruling.decision, ruling.flight.is_some())),
            said: said(&ruling.findings),
        });
        ruling
    }

    fn after(&mut self, call: &CallView<'_>, flight: Flight, outcome: OutcomeView<'_>, posture: Posture) -> Settlement {
        let before = self.monitor.clone();
        let effect = flight.effect();
        let settlement = self.monitor.after(call, flight, outcome, posture);
        let withheld = matches!(settlement.delivery, Delivery::Withheld);
        let seen = before.seen_result(call, effect, &outcome, settlement.status);
        let ending = match settlement.status {
            Status::Ok => Ending::Ok,
            Status::Failed => Ending::Failed,
            Status::Unknown => Ending::Unknown,
        };
        self.note(Entry {
            name: call.tool.to_owned(),
            server: call.server.map(str::to_owned),
            moment: Moment::Result(ending),
            effect,
            withheld,
            seen,
            ruling: None,
            said: said(&settlement.findings),
        });
        settlement
    }

    fn shields(&self, call: &CallView<'_>) -> bool {
        self.monitor.shields(call)
    }

    fn event(&mut self, event: &EventView<'_>) -> Report {
        let seen = self.monitor.seen_event(event);
        let report = self.monitor.event(event);
        self.note(Entry {
            name: event.name.to_owned(),
            server: None,
            moment: Moment::Event,
            effect: Effect::Irreversible,
            withheld: false,
            seen,
            ruling: None,
            said: said(&report.findings),
        });
        report
    }

    fn advance(&mut self, now: Time) -> Report {
        self.monitor.advance(now)
    }

    fn end(&mut self) -> Vec<Finding> {
        self.monitor.end()
    }

    fn verdict(&self, rule: usize) -> Verdict {
        self.monitor.verdict(rule)
    }

    fn seed(&mut self, seed: Seed) {
        self.monitor.seed(seed);
    }

    fn save(&self) -> Value {
        self.monitor.save()
    }

    fn restore(&mut self, saved: &Value, version: Version) -> Result<Vec<Finding>, RestoreError> {
        self.monitor.restore(saved, version)
    }
}

/// Plays a session and says what happened in it. `None` if it cannot be played.
fn play(contract: &Contract, lines: &[Line]) -> Option<Vec<Entry>> {
    let follower = Follower::new(&Interpreted::new(contract.clone()));
    let log = follower.log();
    let context = lines.iter().find_map(|line| match &line.body {
        Body::Context(facts) => Some(facts.clone()),
        _ => None,
    });
    let mut builder = Session::builder(follower).clock(|| Time::EPOCH).seed(Seed::default());
    if let Some(facts) = context {
        builder = builder.context(facts);
    }
    let session = builder.start().ok()?;
    let mut permits = std::collections::BTreeMap::new();
    let mut now = Time::EPOCH;
    for line in lines {
        now = line.at.unwrap_or(now);
        match &line.body {
            Body::Call(call, result) => {
                let permit = session.before(&call.at(now)).ok();
                match (permit, result) {
                    (Some(permit), Some(result)) => {
                        session.settle(permit, result.clone().at(now)).ok()?;
                    }
                    (Some(permit), None) => {
                        permits.insert(call.key().to_owned(), permit);
                    }
                    (None, _) => {}
                }
            }
            Body::Result(id, result) => {
                if let Some(permit) = permits.remove(id) {
                    session.settle(permit, result.clone().at(now)).ok()?;
                }
            }
            Body::Event { name, value } => {
                session.event(name, value, Some(now)).ok()?;
            }
            Body::Context(_) | Body::End => {}
        }
    }
    permits.into_values().for_each(contract_runtime::Permit::detach);
    let entries = log.lock().ok()?;
    Some(entries.clone())
}

impl Space<'_, '_> {
    /// The states that a session may be in after these lines: one set for each key that it names, or one if there is none. `None` if
    /// it cannot be told.
    #[must_use]
    pub fn after(&self, lines: &[Line]) -> Option<Vec<BTreeSet<usize>>> {
        let contract = self.model().contracts.first()?;
        let entries = play(contract, lines)?;
        let keys = self.keys(&entries);
        keys.iter().map(|key| self.follow(&entries, key).ok()).collect()
    }

    /// The keys that rules of the focus met; one that nothing meets, if they met none.
    #[must_use]
    pub fn keys(&self, entries: &[Entry]) -> Vec<String> {
        let rules = &self.focus().rules;
        let seen = entries.iter().flat_map(|entry| rules.iter().filter_map(|rule| entry.seen.get(*rule)));
        let mut keys = BTreeSet::new();
        for key in seen.filter_map(|seen| seen.key.as_ref()) {
            match key {
                SeenKey::One(key) => {
                    keys.insert(key.clone());
                }
                SeenKey::Each(each) => keys.extend(each.iter().cloned()),
                SeenKey::All | SeenKey::Unread | SeenKey::Skipped => {}
            }
        }
        if keys.is_empty() { vec![String::new()] } else { keys.into_iter().collect() }
    }

    /// The states that a session may be in, where the model looks at this key.
    ///
    /// # Errors
    /// What happened that cannot happen in the model.
    pub fn follow(&self, entries: &[Entry], key: &str) -> Result<BTreeSet<usize>, String> {
        let mut states = BTreeSet::from([0]);
        for (number, entry) in entries.iter().enumerate() {
            states = self.take(&states, entry, key).map_err(|what| format!("event {number}, {what}: {entry:?}"))?;
        }
        Ok(states)
    }

    fn take(&self, states: &BTreeSet<usize>, entry: &Entry, key: &str) -> Result<BTreeSet<usize>, String> {
        let subject = match self.model().subject_of(entry) {
            Some(subject) => subject,
            // No rule speaks of host events that have no representative.
            None if entry.moment == Moment::Event => return Ok(states.clone()),
            None => return Err("no such tool".to_owned()),
        };
        if self.focus().subjects.binary_search(&subject).is_err() {
            return Ok(states.clone());
        }
        let classes = self.classes().iter().enumerate();
        let classes: Vec<usize> =
            classes.filter(|(_, class)| self.is_of(class, subject, entry, key)).map(|(at, _)| at).collect();
        if classes.is_empty() {
            return Err("no class".to_owned());
        }
        let mut next = BTreeSet::new();
        let mut kept = BTreeSet::new();
        for (state, class) in states.iter().flat_map(|state| classes.iter().map(|class| (*state, *class))) {
            if !self.agrees(state, class, entry) {
                continue;
            }
            kept.insert(state);
            next.extend(self.edges(state).iter().filter(|edge| edge.class == class).map(|edge| edge.to));
        }
        match entry.ruling {
            _ if kept.is_empty() => Err(format!("nothing says that in {states:?}")),
            Some((_, false)) => Ok(kept),
            _ if next.is_empty() => Err(format!("no way out of {kept:?} by {classes:?}")),
            _ => Ok(next),
        }
    }

    /// Whether an event may be of a class.
    fn is_of(&self, class: &Class, subject: usize, entry: &Entry, key: &str) -> bool {
        let [effect, _] = class.effects;
        class.subject == subject
            && class.moment == entry.moment
            // Rules beyond the focus may withhold a result, too.
            && (!class.withheld || entry.withheld)
            && (entry.moment == Moment::Event || effect == entry.effect)
            && self
                .focus()
                .rules
                .iter()
                .zip(&class.sights)
                .all(|(rule, sight)| entry.seen.get(*rule).is_none_or(|seen| matches(*sight, seen, key)))
    }

    /// Whether what was decided and said may be.
    fn agrees(&self, state: usize, class: usize, entry: &Entry) -> bool {
        let [decisions, _] = self.decisions(state, class);
        let decided = entry.ruling.is_none_or(|(decision, _)| decisions.may(decision));
        decided
            && entry.said.iter().all(|(rule, verdict)| {
                self.focus().rules.binary_search(rule).is_err() || self.verdicts(state, class, *rule).may(*verdict)
            })
    }
}

/// Whether a rule that sees this has that sight.
fn matches(sight: Sight, seen: &Seen, key: &str) -> bool {
    match sight {
        Sight::Says(verdicts) => match seen.says {
            Some(verdict) => verdicts.may(verdict),
            // Of the other rules about single events only what they say is known.
            None => seen.holds.is_empty() && (verdicts.may_be_silent() || verdicts == super::Verdicts::ANY),
        },
        Sight::Nothing => {
            let quiet = [seen.guard, seen.close, seen.reset].iter().all(|truth| *truth == Truth::False);
            seen.says.is_none() && quiet && seen.holds.iter().flatten().all(|truth| *truth == Truth::False)
        }
        Sight::Steps(steps) => {
            steps.happening == happening(steps.happening, seen)
                && steps.guard == Holds::from(seen.guard)
                && steps.close == Holds::from(seen.close)
                && steps.reset == Holds::from(seen.reset)
                && steps.touch == touch(seen.key.as_ref(), key)
        }
    }
}

fn happening(like: Happening, seen: &Seen) -> Happening {
    match like {
        Happening::Letters(_) => {
            let letters = |reading: usize| {
                seen.holds.iter().zip([1_u8, 2, 4, 8, 16, 32, 64, 128]).fold((0, 0), |(must, may), (holds, bit)| {
                    match holds.get(reading) {
                        Some(Truth::True) => (must | bit, may),
                        Some(Truth::Unknown) => (must, may | bit),
                        _ => (must, may),
                    }
                })
            };
            Happening::Letters([letters(0), letters(1)])
        }
        Happening::Holds(_) => {
            let mut all = [Holds::No; 3];
            for (slot, [first, second]) in all.iter_mut().zip(&seen.holds) {
                *slot = if first == second { Holds::from(*first) } else { Holds::Perhaps };
            }
            Happening::Holds(all)
        }
    }
}

fn touch(seen: Option<&SeenKey>, key: &str) -> Touch {
    match seen {
        None => Touch::Whole,
        Some(SeenKey::One(one)) if one == key => Touch::This,
        Some(SeenKey::One(_)) => Touch::Other,
        Some(SeenKey::Each(each)) if each.iter().any(|one| one == key) => Touch::With,
        Some(SeenKey::Each(_)) => Touch::Without,
        Some(SeenKey::All) => Touch::All,
        Some(SeenKey::Unread) => Touch::Unread,
        Some(SeenKey::Skipped) => Touch::Skipped,
    }
}

impl Model<'_> {
    /// The representative of what an entry is of.
    fn subject_of(&self, entry: &Entry) -> Option<usize> {
        let is_event = entry.moment == Moment::Event;
        let name = |subject: &Subject| match subject {
            Subject::Tool { name, .. } if !is_event => Some(name.clone()),
            Subject::Event(name) if is_event => Some(name.clone()),
            _ => None,
        };
        let wanted = self.known(self.subjects.iter().filter_map(name), &entry.name)?;
        let server = |subject: &Subject| match subject {
            Subject::Tool { name, server } if *name == wanted => server.clone(),
            _ => None,
        };
        let servers = self.subjects.iter().filter_map(server);
        let server = entry.server.as_deref().and_then(|name| self.known(servers, name));
        let subject = if is_event { Subject::Event(wanted) } else { Subject::Tool { name: wanted, server } };
        self.subjects.binary_search(&subject).ok()
    }

    /// The representative of a name among some.
    fn known(&self, names: impl Iterator<Item = Name>, wanted: &str) -> Option<Name> {
        let names: BTreeSet<Name> = names.collect();
        let literal = names.iter().find(|name| name.literal.as_deref() == Some(wanted));
        let globs: BTreeSet<_> = names.iter().flat_map(|name| &name.globs).collect();
        let matching: BTreeSet<_> = globs.into_iter().filter(|glob| glob.matches(wanted)).cloned().collect();
        let unnamed = || names.iter().find(|name| name.literal.is_none() && name.globs == matching);
        literal.or_else(unnamed).cloned()
    }
}
