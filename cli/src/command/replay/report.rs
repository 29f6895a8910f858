//! What a replay prints: a timeline for people, or JSON lines.

mod human;
mod lines;

use std::io::{self, Write as _};

use contract_lang::diagnostic::render;
use contract_runtime::{ContractInfo, Decision, Finding, Retired, Summary, Time, Verdict};

use crate::args::Format;
use crate::output::Console;
use contract_lang::replay::{Came, Decided, Shown};
use contract_lang::trace::{Flaw, RecordedCall};

/// Most characters of a message that may repeat text of a trace.
const LONGEST_MESSAGE: usize = 400;

/// How much happened, over all traces.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) sessions: u64,
    pub(super) calls: u64,
    pub(super) allow: u64,
    pub(super) alert: u64,
    pub(super) ask: u64,
    pub(super) block: u64,
    /// How often a rule was violated at the end of a session.
    pub(super) end_violations: u64,
    /// Whether a call did not run.
    stopped: bool,
    /// What came of journals, where there was one.
    pub(super) journals: Option<Journals>,
}

/// What came of the calls of journals.
#[derive(Clone, Copy, Default)]
pub(super) struct Journals {
    /// How many cannot be decided.
    pub(super) undecided: u64,
    /// How many were decided otherwise then.
    pub(super) differ: u64,
}

/// A call that cannot be decided.
#[derive(Clone, Copy, Debug)]
pub(super) struct Undecided<'u> {
    /// The position among the session's calls.
    pub(super) index: u64,
    pub(super) why: &'u str,
    pub(super) then: Option<Recorded>,
}

/// What was decided when a call was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Recorded {
    pub(super) decision: Decision,
    pub(super) ran: bool,
}

impl Recorded {
    /// Whether a replay comes to the same.
    pub(super) fn agrees(self, decided: &Decided) -> bool {
        self.decision == decided.decision && self.ran == decided.runs
    }
}

fn bump(count: &mut u64) {
    *count = count.saturating_add(1);
}

impl Tally {
    /// Whether the traces do not hold: a call was stopped, or a rule is violated at an end.
    pub(super) fn fails(&self) -> bool {
        self.stopped || self.end_violations > 0
    }

    fn decided(&mut self, decided: &Decided) {
        bump(&mut self.calls);
        bump(match decided.decision {
            Decision::Allow => &mut self.allow,
            Decision::Alert => &mut self.alert,
            Decision::Ask => &mut self.ask,
            Decision::Block => &mut self.block,
        });
        self.stopped |= !decided.runs;
    }

    fn ended(&mut self, verdicts: &[(String, Verdict)]) {
        verdicts
            .iter()
            .filter(|(_, verdict)| *verdict == Verdict::Violated)
            .for_each(|_| bump(&mut self.end_violations));
    }
}

/// Prints what comes of one trace.
pub(super) struct Reporter<'p, 'c> {
    contract: &'p ContractInfo,
    format: Format,
    /// The trace's name, where there are several.
    file: Option<&'p str>,
    console: &'p mut Console<'c>,
    tally: &'p mut Tally,
    /// The session of the line before, for people.
    shown: Option<String>,
}

/// The end of a session, or where it stands if it is left open.
struct Close<'a> {
    ended: bool,
    findings: &'a [Finding],
    verdicts: &'a [(String, Verdict)],
    blocked: &'a [(String, u64)],
    retired: &'a [(String, Retired)],
}

impl<'p, 'c> Reporter<'p, 'c> {
    pub(super) fn new(
        contract: &'p ContractInfo,
        format: Format,
        file: Option<&'p str>,
        console: &'p mut Console<'c>,
        tally: &'p mut Tally,
    ) -> Self {
        Self { contract, format, file, console, tally, shown: None }
    }

    pub(super) fn began(&mut self) {
        bump(&mut self.tally.sessions);
    }

    /// A decision; `then`: what was decided when the call was made, where that is something else.
    pub(super) fn decided(
        &mut self,
        session: &str,
        call: &RecordedCall,
        decided: &Decided,
        then: Option<Recorded>,
    ) -> io::Result<()> {
        self.tally.decided(decided);
        if then.is_some() {
            bump(&mut self.tally.journals.get_or_insert_default().differ);
        }
        match self.format {
            Format::Json => self.decision_line(session, call, decided, then),
            Format::Human => self.show_decision(session, call, decided, then),
        }
    }

    /// A call that cannot be decided.
    pub(super) fn undecided(&mut self, session: &str, call: &RecordedCall, undecided: Undecided<'_>) -> io::Result<()> {
        bump(&mut self.tally.calls);
        bump(&mut self.tally.journals.get_or_insert_default().undecided);
        match self.format {
            Format::Json => self.undecided_line(session, call, undecided),
            Format::Human => self.show_undecided(session, call, undecided),
        }
    }

    /// Says whether a journal holds.
    pub(super) fn verified(&mut self, sentence: &str) -> io::Result<()> {
        writeln!(self.console.err, "{sentence}")
    }

    /// The traces are journals.
    pub(super) fn of_journal(&mut self) {
        self.tally.journals.get_or_insert_default();
    }

    /// What rules found in a result, and whether they let the agent see it.
    pub(super) fn came(&mut self, session: &str, came: &Came) -> io::Result<()> {
        match self.format {
            _ if came.findings.is_empty() && came.shown == Shown::All => Ok(()),
            Format::Json => self.result_line(session, came),
            Format::Human => self.show_result(session, came),
        }
    }

    /// What rules found in a host event.
    pub(super) fn happened(&mut self, session: &str, event: &str, findings: &[Finding]) -> io::Result<()> {
        match self.format {
            _ if findings.is_empty() => Ok(()),
            Format::Json => self.event_line(session, event, findings),
            Format::Human => self.show_event(session, event, findings),
        }
    }

    pub(super) fn ended(&mut self, session: &str, summary: &Summary) -> io::Result<()> {
        let Summary { findings, verdicts, blocked, retired, .. } = summary;
        self.close(session, &Close { ended: true, findings, verdicts, blocked, retired })
    }

    pub(super) fn left_open(
        &mut self,
        session: &str,
        verdicts: &[(String, Verdict)],
        blocked: &[(String, u64)],
        retired: &[(String, Retired)],
    ) -> io::Result<()> {
        self.close(session, &Close { ended: false, findings: &[], verdicts, blocked, retired })
    }

    fn close(&mut self, session: &str, close: &Close<'_>) -> io::Result<()> {
        self.tally.ended(close.verdicts);
        match self.format {
            Format::Json => self.end_line(session, close),
            Format::Human => self.show_end(session, close),
        }
    }

    /// Says what is wrong with a line.
    pub(super) fn flaw(&mut self, trace: &str, number: u64, flaw: &Flaw) -> io::Result<()> {
        let column = flaw.column.map(|column| format!(":{column}")).unwrap_or_default();
        writeln!(self.console.err, "{trace}:{number}{column}: error: {}", clip(&flaw.message))
    }

    /// Says that a line's time is before the session's latest.
    pub(super) fn backwards(&mut self, trace: &str, number: u64, stated: Time, latest: Time) -> io::Result<()> {
        let what = format!("the time {stated} is before the session's latest, and counts as {latest}");
        writeln!(self.console.err, "{trace}:{number}: warning: {what}")
    }

    /// Says that the journal does not have all of a session.
    pub(super) fn unrecorded(&mut self, session: &str, missing: u64) -> io::Result<()> {
        let session = clip(session);
        writeln!(
            self.console.err,
            "error: {missing} records of the session `{session}` could not be written to the journal"
        )
    }

    /// Says that the rest of a trace cannot be read.
    pub(super) fn unreadable(&mut self, trace: &str, error: &io::Error) -> io::Result<()> {
        writeln!(self.console.err, "error: cannot read the trace `{trace}`: {error}")
    }
}

/// Whether what a rule let go may cost a decision. Closing is what the contract asks for.
fn costs(retired: &Retired) -> bool {
    retired.evicted > 0 || retired.idle > 0
}

/// A text in which hidden characters can be seen, cut where it is long.
fn clip(text: &str) -> String {
    let mut shown: String = text.chars().take(LONGEST_MESSAGE).collect();
    if text.chars().nth(LONGEST_MESSAGE).is_some() {
        shown.push('…');
    }
    render::escape(&shown)
}

/// The last line.
pub(super) fn summary(tally: &Tally, format: Format, console: &mut Console<'_>) -> io::Result<()> {
    match format {
        Format::Json => lines::summary(tally, console),
        Format::Human => human::summary(tally, console),
    }
}
