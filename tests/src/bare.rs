//! A monitor without a session, which does for each call what a session does with its monitor.

use contract_runtime::private::{Decision, OutcomeView, Posture, Status};
use contract_runtime::{CallView, Consent, Context, Finding, Mode, Monitor, Time};
use serde_json::Value;

/// A monitor, and the context of its calls.
#[derive(Debug)]
pub struct Bare<M> {
    monitor: M,
    context: Context,
}

const POSTURE: Posture = Posture { mode: Mode::Enforce, rules: None, consent: Consent::None };

impl<M: Monitor> Bare<M> {
    /// Drives this monitor.
    pub fn new(monitor: M) -> Self {
        Self { monitor, context: Context::empty() }
    }

    /// The monitor.
    pub fn monitor(&self) -> &M {
        &self.monitor
    }

    /// Decides a call and, if it runs, takes its result as a success.
    #[inline]
    pub fn call(&mut self, tool: &str, args: &Value, result: &Value) -> (Decision, Vec<Finding>) {
        let call =
            CallView { tool, server: None, args, batch: None, agent: None, now: Time::EPOCH, context: &self.context };
        let mut findings = self.monitor.advance(Time::EPOCH).findings;
        let rewriting = self.monitor.rewrite(&call, POSTURE);
        let mut ruling = self.monitor.before(&call, &rewriting, POSTURE);
        findings.append(&mut ruling.findings);
        if let Some(flight) = ruling.flight {
            let outcome = OutcomeView { status: Status::Ok, value: Some(result) };
            findings.append(&mut self.monitor.advance(Time::EPOCH).findings);
            findings.append(&mut self.monitor.after(&call, flight, outcome, POSTURE).findings);
        }
        (ruling.decision, findings)
    }
}
