//! What the journal comes to, as one object for programs.

use serde::Serialize;

use super::standing::Standing;
use super::tally::{Calls, Tally};

/// `report --format json`.
#[derive(Debug, Serialize)]
pub(crate) struct Summary<'a> {
    journal: &'a str,
    report: &'a str,
    standing: &'static str,
    says: &'a str,
    records: u64,
    unreadable: u64,
    sessions: u64,
    sessions_without_end: u64,
    diverged: u64,
    before_divergence: Counts,
    after_divergence: Counts,
    calls_without_outcome: u64,
    not_met_at_end: u64,
    withheld: u64,
    missing: u64,
    recoveries: u64,
    reanchors: u64,
}

/// The calls of one side.
#[derive(Debug, Serialize)]
struct Counts {
    calls: u64,
    allow: u64,
    alert: u64,
    ask: u64,
    block: u64,
    did_not_run: u64,
    ran_anyway: u64,
    failed: u64,
}

impl From<&Calls> for Counts {
    fn from(calls: &Calls) -> Self {
        let Calls { all, allow, alert, ask, block, stopped, let_through, failed, .. } = *calls;
        Self { calls: all, allow, alert, ask, block, did_not_run: stopped, ran_anyway: let_through, failed }
    }
}

impl<'a> Summary<'a> {
    pub(crate) fn new(journal: &'a str, report: &'a str, standing: &'a Standing, tally: &Tally) -> Self {
        Self {
            journal,
            report,
            standing: standing.level.as_str(),
            says: &standing.title,
            records: tally.records,
            unreadable: tally.unreadable,
            sessions: tally.sessions,
            sessions_without_end: tally.unended().0.len() as u64,
            diverged: tally.diverged,
            before_divergence: (&tally.calls.before).into(),
            after_divergence: (&tally.calls.after).into(),
            calls_without_outcome: tally.unfinished().0,
            not_met_at_end: tally.unmet.total,
            withheld: tally.withheld.total,
            missing: tally.missing,
            recoveries: tally.recoveries.total,
            reanchors: tally.reanchors.total,
        }
    }
}
