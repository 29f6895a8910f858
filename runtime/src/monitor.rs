//! The interface of a monitor: what generated code and the interpreter implement, and sessions use.

use crate::finding::{Finding, Report};
use crate::{CallView, ContractInfo, EventView, OutcomeView, Posture, Ruling, Status, Verdict};

/// The monitor of one contract for one session.
///
/// A monitor is deterministic: the same calls, results, events, context and times give the same answers. It never blocks,
/// does no I/O, and does not panic on anything an agent sends.
pub trait Monitor: Send {
    /// What the monitor keeps of a call in flight.
    type Flight: Send;

    /// What the contract says of itself.
    fn info(&self) -> &ContractInfo;

    /// Decides a call, and if it runs, commits to it: counters and slots are reserved before this returns.
    fn before(&mut self, call: &CallView<'_>, posture: Posture) -> Ruling<Self::Flight>;

    /// Takes the outcome of a call that ran. Returns what it was (after `succeeds_when`) and the findings.
    fn after(&mut self, call: &CallView<'_>, flight: Self::Flight, outcome: OutcomeView<'_>) -> (Status, Report);

    /// Takes a host event.
    fn event(&mut self, event: &EventView<'_>) -> Report;

    /// Ends the session: every pending obligation is a violation. Calls in flight have been completed before.
    fn end(&mut self) -> Vec<Finding>;

    /// The verdict of a rule, by index, over the trace so far.
    fn verdict(&self, rule: usize) -> Verdict;
}
