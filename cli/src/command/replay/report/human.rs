//! The timeline of a replay, for people.

use std::io::{self, Write as _};

use contract_runtime::{Decision, Finding, Reason, Retired, Verdict, explain};

use super::{Close, Recorded, Reporter, Tally, Undecided, clip, costs};
use crate::output::{Console, Stream, some};
use contract_lang::replay::{Came, Decided, Shown};
use contract_lang::trace::RecordedCall;

/// Where the text of a line begins: below the tool's name.
const INDENT: &str = "              ";

const GREEN: &str = "\x1b[32m";
const YELLOW: &str = "\x1b[33m";
const RED: &str = "\x1b[1;31m";
const RESET: &str = "\x1b[0m";

/// A word of five characters, coloured where the stream shows colours.
fn word(out: &Stream<'_>, decision: Decision) -> String {
    let color = match decision {
        Decision::Allow => GREEN,
        Decision::Alert | Decision::Ask => YELLOW,
        Decision::Block => RED,
    };
    let word = decision.as_str();
    if out.styled() { format!("{color}{word:<5}{RESET}") } else { format!("{word:<5}") }
}

/// What was decided when the call was made.
fn said_then(then: Recorded) -> String {
    let ran = if then.ran { "it ran" } else { "it did not run" };
    format!("  (recorded: {}, {ran})", then.decision.as_str())
}

impl Reporter<'_, '_> {
    /// Names the session, where it is not that of the line before.
    fn heading(&mut self, session: &str) -> io::Result<()> {
        if self.shown.as_deref() != Some(session) {
            let of = self.file.map(|file| format!(" of {file}")).unwrap_or_default();
            writeln!(self.console.out, "session {}{of}", clip(session))?;
            self.shown = Some(session.to_owned());
        }
        Ok(())
    }

    fn findings(&mut self, findings: &[Finding]) -> io::Result<()> {
        for finding in findings {
            writeln!(self.console.out, "{INDENT}- {}", clip(&explain(self.contract, finding)))?;
        }
        Ok(())
    }

    pub(super) fn show_decision(
        &mut self,
        session: &str,
        call: &RecordedCall,
        decided: &Decided,
        then: Option<Recorded>,
    ) -> io::Result<()> {
        self.heading(session)?;
        // What time or the call itself ended says nothing of the call.
        let weighed =
            decided.findings.iter().filter(|finding| !matches!(finding.reason, Reason::Expired | Reason::Ended));
        let would = weighed.map(|finding| finding.action).max().unwrap_or(Decision::Allow);
        let note = match decided.decision {
            _ if !decided.evaluated => " (not evaluated)".to_owned(),
            Decision::Ask if call.approved => " (approved)".to_owned(),
            decision if would > decision => format!(" (shadow: would {})", would.as_str()),
            _ => String::new(),
        };
        let word = word(&self.console.out, decided.decision);
        let then = then.map(said_then).unwrap_or_default();
        writeln!(self.console.out, "{:>6}  {word}  {}{note}{then}", decided.index, clip(&call.tool))?;
        if let Some(args) = &decided.rewritten {
            writeln!(self.console.out, "{INDENT} runs with {}", clip(&args.to_string()))?;
        }
        match &decided.refusal {
            Some(refusal) => refusal.lines().try_for_each(|line| writeln!(self.console.out, "{INDENT} {}", clip(line))),
            None => self.findings(&decided.findings),
        }
    }

    pub(super) fn show_undecided(
        &mut self,
        session: &str,
        call: &RecordedCall,
        Undecided { index, why, then }: Undecided<'_>,
    ) -> io::Result<()> {
        self.heading(session)?;
        let then = then.map(said_then).unwrap_or_default();
        writeln!(self.console.out, "{index:>6}  ?????  {}{then}", clip(&call.tool))?;
        writeln!(self.console.out, "{INDENT} undecided: {}", clip(why))
    }

    pub(super) fn show_result(&mut self, session: &str, came: &Came) -> io::Result<()> {
        self.heading(session)?;
        let shown = match came.shown {
            Shown::All => "",
            Shown::Redacted => ", redacted",
            Shown::Nothing => ", withheld",
        };
        let found = if came.findings.is_empty() { "the result" } else { "found in the result" };
        let end = if came.findings.is_empty() { "" } else { ":" };
        writeln!(self.console.out, "{:>6}  {found} ({}{shown}){end}", came.index, came.status.as_str())?;
        self.findings(&came.findings)
    }

    pub(super) fn show_event(&mut self, session: &str, event: &str, findings: &[Finding]) -> io::Result<()> {
        self.heading(session)?;
        writeln!(self.console.out, "        found in the event {}:", clip(event))?;
        self.findings(findings)
    }

    pub(super) fn show_end(&mut self, session: &str, close: &Close<'_>) -> io::Result<()> {
        self.heading(session)?;
        let bad = |verdict| {
            let of = close.verdicts.iter().filter(|(_, found)| *found == verdict).map(|(rule, _)| rule.as_str());
            of.collect::<Vec<_>>().join(", ")
        };
        let said: Vec<_> = [Verdict::Violated, Verdict::Unestablished, Verdict::Pending]
            .into_iter()
            .map(|verdict| (verdict.as_str(), bad(verdict)))
            .filter(|(_, rules)| !rules.is_empty())
            .map(|(verdict, rules)| format!("{verdict}: {rules}"))
            .collect();
        let what = if close.ended { "   end" } else { "  open" };
        let said = if said.is_empty() { "no rule is violated".to_owned() } else { said.join("; ") };
        writeln!(self.console.out, "{what}  {}", clip(&said))?;
        for (rule, retired) in close.retired.iter().filter(|(_, retired)| costs(retired)) {
            let full = if retired.filter_full { ", more than it remembers" } else { "" };
            let Retired { evicted, idle, .. } = retired;
            let line = format!("{rule} retired {evicted} to make room, {idle} for being idle{full}");
            writeln!(self.console.out, "{INDENT}- {}", clip(&line))?;
        }
        self.findings(close.findings)
    }
}

pub(super) fn summary(tally: &Tally, console: &mut Console<'_>) -> io::Result<()> {
    let Tally { allow, alert, ask, block, .. } = tally;
    let (sessions, calls) = (some(tally.sessions, "session"), some(tally.calls, "call"));
    let violations = some(tally.end_violations, "violation");
    let journals =
        tally.journals.map(|of| format!("; {} undecided, {} decided otherwise then", of.undecided, of.differ));
    let journals = journals.unwrap_or_default();
    writeln!(
        console.out,
        "{sessions}, {calls}: {allow} allow, {alert} alert, {ask} ask, {block} block; {violations} at the end{journals}"
    )
}
