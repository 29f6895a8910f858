//! Plays one trace: finds the session of each line, and says what is wrong with lines that cannot be played.

use std::collections::BTreeMap;
use std::io::{self, BufRead};
use std::sync::Arc;

use contract_lang::interpret::Interpreted;
use contract_runtime::journal::Journal;
use contract_runtime::{Duration, Sink, Time};
use serde_json::Value;

use super::report::Reporter;
use crate::args;
use crate::output::Exit;
use contract_lang::replay::{Running, Terms};
use contract_lang::trace::{Body, Entry, Flaw, Line, Reader};

const SECOND: Duration = Duration::from_nanos(1_000_000_000);

/// Plays a trace.
pub(super) struct Player<'p, 'c> {
    contract: &'p Interpreted,
    args: &'p args::Replay,
    /// The journal that is written.
    journal: Option<&'p Journal>,
    /// The trace's name in messages.
    name: &'p str,
    reporter: Reporter<'p, 'c>,
    running: BTreeMap<String, Running>,
    /// The sessions that have ended, and in which line.
    ended: BTreeMap<String, u64>,
    /// How many sessions began.
    began: u64,
    /// The time of the line before.
    before: Option<Time>,
    exit: Exit,
}

/// A line cannot be played, or what came of it cannot be written.
enum Trouble {
    Flaw(Flaw),
    Output(io::Error),
}

impl From<String> for Trouble {
    fn from(message: String) -> Self {
        Self::Flaw(message.into())
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl<'p, 'c> Player<'p, 'c> {
    pub(super) fn new(
        contract: &'p Interpreted,
        args: &'p args::Replay,
        journal: Option<&'p Journal>,
        name: &'p str,
        reporter: Reporter<'p, 'c>,
    ) -> Self {
        Self {
            contract,
            args,
            journal,
            name,
            reporter,
            running: BTreeMap::new(),
            ended: BTreeMap::new(),
            began: 0,
            before: None,
            exit: Exit::Fine,
        }
    }

    /// Plays all lines that can be played, then ends the sessions. Lines that cannot be played are reported, each.
    pub(super) fn play(mut self, mut trace: Reader<impl BufRead>) -> io::Result<Exit> {
        loop {
            let Entry { number, line } = match trace.next_line() {
                Ok(Some(entry)) => entry,
                Ok(None) => break,
                Err(error) => {
                    self.exit = Exit::Unusable;
                    self.reporter.unreadable(self.name, &error)?;
                    break;
                }
            };
            match line.map_err(Trouble::Flaw).and_then(|line| self.line(number, line)) {
                Ok(()) => {}
                Err(Trouble::Output(error)) => return Err(error),
                Err(Trouble::Flaw(flaw)) => {
                    self.exit = Exit::Unusable;
                    self.reporter.flaw(self.name, number, &flaw)?;
                }
            }
        }
        self.finish()
    }

    fn line(&mut self, number: u64, line: Line) -> Result<(), Trouble> {
        let Line { session: name, at, body } = line;
        if let Some(end) = self.ended.get(&name) {
            return Err(format!("the session `{name}` has ended in line {end}; expected no more of it").into());
        }
        if let Body::Context(facts) = body {
            if self.running.contains_key(&name) {
                return Err(format!("the session `{name}` has begun; expected its context before all else").into());
            }
            let stated = self.time(at);
            self.begin(&name, Some(facts), stated)?;
            return Ok(());
        }
        if let Body::Result(..) = body
            && !self.running.contains_key(&name)
        {
            return Err(format!("nothing is known of the session `{name}`; expected its call before the result").into());
        }
        let stated = self.time(at);
        if !self.running.contains_key(&name) {
            self.begin(&name, None, stated)?;
        }
        if let Body::End = body {
            self.ended.insert(name.clone(), number);
            if let Some(mut running) = self.running.remove(&name) {
                let now = running.advance(stated);
                if now != stated && at.is_some() {
                    self.reporter.backwards(self.name, number, stated, now)?;
                }
                self.end(&name, running)?;
            }
            return Ok(());
        }
        let Some(running) = self.running.get_mut(&name) else { return Ok(()) };
        let now = running.advance(stated);
        if now != stated && at.is_some() {
            self.reporter.backwards(self.name, number, stated, now)?;
        }
        match body {
            Body::Call(call, result) => {
                let decided = running.call(&call, now)?;
                self.reporter.decided(&name, &call, &decided, None)?;
                if let Some(result) = result
                    && let Some(came) = running.result(&call.id, result, now)?
                {
                    self.reporter.came(&name, &came)?;
                }
            }
            Body::Result(id, result) => {
                if let Some(came) = running.result(&id, result, now)? {
                    self.reporter.came(&name, &came)?;
                }
            }
            Body::Event { name: event, value } => {
                let findings = running.event(&event, &value, now)?;
                self.reporter.happened(&name, &event, &findings)?;
            }
            Body::Context(_) | Body::End => {}
        }
        Ok(())
    }

    /// The time of a line: as stated, or one second after the line before.
    fn time(&mut self, at: Option<Time>) -> Time {
        let next = |before: Time| before.checked_add(SECOND).unwrap_or(before);
        let now = at.unwrap_or_else(|| self.before.map_or(self.args.start, next));
        self.before = Some(now);
        now
    }

    fn begin(&mut self, name: &str, context: Option<Value>, at: Time) -> Result<(), String> {
        let terms = Terms {
            contract: self.contract,
            mode: self.args.mode,
            on_error: self.args.on_error(),
            context,
            seed: self.args.seed,
            at,
            recorded: self.journal.map(|journal| (Arc::new(journal.clone()) as Arc<dyn Sink>, name)),
        };
        let running = Running::start(terms, self.began)?;
        self.began = self.began.saturating_add(1);
        self.running.insert(name.to_owned(), running);
        self.reporter.began();
        Ok(())
    }

    fn end(&mut self, name: &str, running: Running) -> io::Result<()> {
        let (came, summary) = running.end();
        came.iter().try_for_each(|came| self.reporter.came(name, came))?;
        if summary.unrecorded > 0 {
            self.exit = Exit::Unusable;
            self.reporter.unrecorded(name, summary.unrecorded)?;
        }
        self.reporter.ended(name, &summary)
    }

    /// Ends the sessions that are left, in the order in which they began.
    fn finish(mut self) -> io::Result<Exit> {
        let mut left: Vec<_> = std::mem::take(&mut self.running).into_iter().collect();
        left.sort_unstable_by_key(|(_, running)| running.order);
        for (name, running) in left {
            if self.args.open {
                self.reporter.left_open(&name, &running.verdicts(), &running.blocked(), &running.retired())?;
            } else {
                self.end(&name, running)?;
            }
        }
        Ok(self.exit)
    }
}
