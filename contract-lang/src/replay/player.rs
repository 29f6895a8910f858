//! Plays the lines of a trace: finds the session of each, and gives a time to lines that state none.
//!
//! INVARIANT: memory does not grow with the trace, but for what is open: sessions, and their calls without a result. Of a
//! session that has ended only the name is kept, so that a line after the end is found.

use std::collections::BTreeMap;
use std::sync::Arc;

use contract_runtime::{Duration, Finding, Mode, OnError, Seed, Sink, Summary, Time};
use serde_json::Value;

use super::{Came, Decided, Running, Terms};
use crate::interpret::Interpreted;
use crate::trace::{Body, Line, RecordedCall};

const SECOND: Duration = Duration::from_nanos(1_000_000_000);

/// How the sessions of a trace are played.
#[derive(Clone)]
#[expect(missing_debug_implementations, reason = "a sink has none")]
pub struct Stage<'s> {
    /// The contract.
    pub contract: &'s Interpreted,
    /// Instead of the contract's mode.
    pub mode: Option<Mode>,
    /// Instead of what the contract says of calls that cannot be decided.
    pub on_error: Option<OnError>,
    /// The secret of the filters of all sessions.
    pub seed: Seed,
    /// The time of the first line, if it states none. Each further one is a second after the line before.
    pub start: Time,
    /// The journal that is written.
    pub journal: Option<Arc<dyn Sink>>,
}

impl<'s> Stage<'s> {
    /// As the contract says it, from the start of 1970, with nothing written.
    #[must_use]
    pub fn new(contract: &'s Interpreted) -> Self {
        let (start, seed) = (Time::from_nanos(0), Seed([0; 16]));
        Self { contract, mode: None, on_error: None, seed, start, journal: None }
    }
}

/// What came of a line. One line may have several.
#[derive(Debug)]
pub enum Step {
    /// Its session began with it.
    Began,
    /// Its time is before the session's latest.
    Backwards {
        /// The time that it states.
        stated: Time,
        /// The session's latest, which counts.
        latest: Time,
    },
    /// Its call was decided.
    Decided(RecordedCall, Decided),
    /// Its result came.
    Came(Came),
    /// Its host event happened.
    Happened {
        /// The name of the event.
        event: String,
        /// What the rules say.
        findings: Vec<Finding>,
    },
    /// Its session ended: what came of the calls in flight, and the summary.
    Ended(Vec<Came>, Summary),
}

/// Plays a trace.
#[expect(missing_debug_implementations, reason = "a sink has none")]
pub struct Player<'s> {
    stage: Stage<'s>,
    running: BTreeMap<String, Running>,
    /// The sessions that have ended, and in which line.
    ended: BTreeMap<String, u64>,
    began: u64,
    /// The time of the line before.
    before: Option<Time>,
}

impl<'s> Player<'s> {
    /// A player that has played nothing.
    #[must_use]
    pub fn new(stage: Stage<'s>) -> Self {
        Self { stage, running: BTreeMap::new(), ended: BTreeMap::new(), began: 0, before: None }
    }

    /// Plays a line; `number` is what messages call it. What came of it is added to `steps`, also what came before an error.
    ///
    /// # Errors
    /// If the line cannot be played: what is wrong with it. The player goes on with the next as if it were not there.
    pub fn play(&mut self, number: u64, line: Line, steps: &mut Vec<Step>) -> Result<(), String> {
        let Line { session: name, at, body } = line;
        if let Some(end) = self.ended.get(&name) {
            return Err(format!("the session `{name}` has ended in line {end}; expected no more of it"));
        }
        if let Body::Context(facts) = body {
            if self.running.contains_key(&name) {
                return Err(format!("the session `{name}` has begun; expected its context before all else"));
            }
            let stated = self.time(at);
            return self.begin(&name, Some(facts), stated, steps);
        }
        if let Body::Result(..) = body
            && !self.running.contains_key(&name)
        {
            return Err(format!("nothing is known of the session `{name}`; expected its call before the result"));
        }
        let stated = self.time(at);
        if !self.running.contains_key(&name) {
            self.begin(&name, None, stated, steps)?;
        }
        let Some(running) = self.running.get_mut(&name) else { return Ok(()) };
        let latest = running.advance(stated);
        if latest != stated && at.is_some() {
            steps.push(Step::Backwards { stated, latest });
        }
        match body {
            Body::Call(call, result) => {
                let decided = running.call(&call, latest)?;
                let id = call.id.clone();
                steps.push(Step::Decided(call, decided));
                if let Some(result) = result {
                    steps.extend(running.result(&id, result, latest)?.map(Step::Came));
                }
            }
            Body::Result(id, result) => steps.extend(running.result(&id, result, latest)?.map(Step::Came)),
            Body::Event { name: event, value } => {
                let findings = running.event(&event, &value, latest)?;
                steps.push(Step::Happened { event, findings });
            }
            Body::End => {
                if let Some(running) = self.running.remove(&name) {
                    let (came, summary) = running.end();
                    steps.push(Step::Ended(came, summary));
                }
                self.ended.insert(name, number);
            }
            Body::Context(_) => {}
        }
        Ok(())
    }

    /// Hands out the sessions that have not ended, in the order in which they began.
    #[must_use]
    pub fn left(&mut self) -> Vec<(String, Running)> {
        let mut left: Vec<_> = std::mem::take(&mut self.running).into_iter().collect();
        left.sort_unstable_by_key(|(_, running)| running.order);
        left
    }

    /// The time of a line: as stated, or one second after the line before.
    fn time(&mut self, at: Option<Time>) -> Time {
        let next = |before: Time| before.checked_add(SECOND).unwrap_or(before);
        let now = at.unwrap_or_else(|| self.before.map_or(self.stage.start, next));
        self.before = Some(now);
        now
    }

    fn begin(&mut self, name: &str, context: Option<Value>, at: Time, steps: &mut Vec<Step>) -> Result<(), String> {
        let Stage { contract, mode, on_error, seed, ref journal, .. } = self.stage;
        let recorded = journal.clone().map(|journal| (journal, name));
        let terms = Terms { contract, mode, on_error, context, seed, at, recorded };
        let running = Running::start(terms, self.began)?;
        self.began = self.began.saturating_add(1);
        self.running.insert(name.to_owned(), running);
        steps.push(Step::Began);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Options, check};

    fn contract() -> Interpreted {
        let text = "version: 1\nname: a\ntools: { pay: { effect: write } }\n\
                    rules: [{ id: once, at_most_n_times: { call: pay, n: 1 } }]\n";
        Interpreted::new(check("a.yaml", text.as_bytes(), &Options::default()).contract.unwrap())
    }

    #[test]
    fn a_line_that_cannot_be_played_is_as_if_it_were_not_there() {
        let contract = contract();
        let mut player = Player::new(Stage::new(&contract));
        let mut play = |number, line| {
            let mut steps = Vec::new();
            let played = player.play(number, Line::decode(line).unwrap(), &mut steps);
            (steps, played)
        };
        let pay = |id: &str| json!({"call": {"id": id, "tool": "pay", "args": {}}});
        let (steps, played) = play(1, pay("a"));
        assert!(matches!(steps[..], [Step::Began, Step::Decided(..)]) && played.is_ok());
        let (steps, played) = play(2, pay("a"));
        assert!(steps.is_empty() && played.unwrap_err().contains("in flight"));
        let (steps, _) = play(3, json!({"result_of": "a", "result": {}}));
        assert!(matches!(steps[..], [Step::Came(_)]));
        let (steps, _) = play(4, json!({"at": "1969-01-01T00:00:00Z", "call": {"id": "b", "tool": "pay", "args": {}}}));
        let [Step::Backwards { .. }, Step::Decided(_, decided)] = &steps[..] else { panic!("{steps:?}") };
        assert!(!decided.runs);
        let (steps, _) = play(5, json!({"end": true}));
        assert!(matches!(steps[..], [Step::Ended(..)]), "it states no time, so none runs backwards");
        assert!(play(6, pay("c")).1.unwrap_err().contains("has ended in line 5"));
        let _ = play(7, json!({"session": "z", "event": {"name": "x"}}));
        let _ = play(8, json!({"session": "y", "event": {"name": "x"}}));
        let left: Vec<_> = player.left().into_iter().map(|(name, _)| name).collect();
        assert_eq!(left, ["z", "y"]);
    }
}
