//! Plays one trace, and says what comes of its lines and what is wrong with those that cannot be played.

use std::io::{self, BufRead};
use std::sync::Arc;

use contract_lang::interpret::Interpreted;
use contract_lang::replay::{self, Came, Stage, Step};
use contract_lang::trace::{Entry, Flaw, Reader};
use contract_runtime::journal::Journal;
use contract_runtime::{Sink, Summary};

use super::report::Reporter;
use crate::args;
use crate::output::Exit;

/// Plays a trace, and tells what comes of it.
pub(super) struct Player<'p, 'c> {
    player: replay::Player<'p>,
    /// Whether sessions that the trace does not end are left open.
    open: bool,
    /// The trace's name in messages.
    name: &'p str,
    reporter: Reporter<'p, 'c>,
    exit: Exit,
}

impl<'p, 'c> Player<'p, 'c> {
    pub(super) fn new(
        contract: &'p Interpreted,
        args: &'p args::Replay,
        journal: Option<&Journal>,
        name: &'p str,
        reporter: Reporter<'p, 'c>,
    ) -> Self {
        let stage = Stage {
            contract,
            mode: args.mode,
            on_error: args.on_error(),
            seed: args.seed,
            start: args.start,
            journal: journal.map(|journal| Arc::new(journal.clone()) as Arc<dyn Sink>),
        };
        let player = replay::Player::new(stage);
        Self { player, open: args.open, name, reporter, exit: Exit::Fine }
    }

    /// Plays all lines that can be played, then ends the sessions. Lines that cannot be played are reported, each.
    pub(super) fn play(mut self, mut trace: Reader<impl BufRead>) -> io::Result<Exit> {
        let mut steps = Vec::new();
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
            let session = line.as_ref().map(|line| line.session.clone()).unwrap_or_default();
            let played = line.and_then(|line| self.player.play(number, line, &mut steps).map_err(Flaw::from));
            steps.drain(..).try_for_each(|step| self.tell(&session, number, step))?;
            if let Err(flaw) = played {
                self.exit = Exit::Unusable;
                self.reporter.flaw(self.name, number, &flaw)?;
            }
        }
        self.finish()
    }

    fn tell(&mut self, session: &str, number: u64, step: Step) -> io::Result<()> {
        match step {
            Step::Began => {
                self.reporter.began();
                Ok(())
            }
            Step::Backwards { stated, latest } => self.reporter.backwards(self.name, number, stated, latest),
            Step::Decided(call, decided) => self.reporter.decided(session, &call, &decided, None),
            Step::Came(came) => self.reporter.came(session, &came),
            Step::Happened { event, findings } => self.reporter.happened(session, &event, &findings),
            Step::Ended(came, summary) => self.ended(session, &came, &summary),
        }
    }

    fn ended(&mut self, name: &str, came: &[Came], summary: &Summary) -> io::Result<()> {
        came.iter().try_for_each(|came| self.reporter.came(name, came))?;
        if summary.unrecorded > 0 {
            self.exit = Exit::Unusable;
            self.reporter.unrecorded(name, summary.unrecorded)?;
        }
        self.reporter.ended(name, summary)
    }

    /// Ends the sessions that are left.
    fn finish(mut self) -> io::Result<Exit> {
        for (name, running) in self.player.left() {
            if self.open {
                self.reporter.left_open(&name, &running.verdicts(), &running.blocked(), &running.retired())?;
            } else {
                let (came, summary) = running.end();
                self.ended(&name, &came, &summary)?;
            }
        }
        Ok(self.exit)
    }
}
