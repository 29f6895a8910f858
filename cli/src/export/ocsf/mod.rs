//! OCSF 1.9 (Open Cybersecurity Schema Framework), JSON lines: API Activity (class 6003) with the profile `ai_operation` for
//! each call, Detection Finding (class 2004) for what was stopped and for violations.
//!
//! Source: the schema at `ocsf/ocsf-schema`, 1.9.0. INVARIANT: an event's attestation is over the event itself, as the profile
//! `record_integrity` demands; the hash of the journal's record, which is not over the event, is `raw_data_hash`.

mod activity;
mod attestation;
mod common;
mod finding;
#[cfg(test)]
mod tests;

use std::io::{self, Write};

use serde_json::Value;

use self::attestation::Chain;
use super::{Item, Target, is_alarm};
use crate::output::inert;

/// Makes events.
#[derive(Debug)]
pub(crate) struct Ocsf<W> {
    to: W,
    content: bool,
    chain: Chain,
}

impl<W: Write> Ocsf<W> {
    /// With captured content, or without.
    pub(crate) fn new(to: W, content: bool) -> Self {
        Self { to, content, chain: Chain::default() }
    }

    fn event(&mut self, mut event: Value) -> io::Result<()> {
        self.chain.attest(&mut event);
        self.to.write_all(inert(&event.to_string()).as_bytes())?;
        self.to.write_all(b"\n")
    }
}

impl<W: Write> Target for Ocsf<W> {
    fn take(&mut self, item: &Item<'_>) -> io::Result<()> {
        match item {
            Item::Call(session, call) => {
                self.event(activity::of(session, call, self.content))?;
                let mut number = 0_u64;
                for (place, found) in call.findings().filter(|(_, found)| is_alarm(found)) {
                    self.event(finding::of_call(session, call, place, found, number))?;
                    number = number.saturating_add(1);
                }
                // Stopped by no rule: by `on_error`, an id that is in use, the end of the session.
                if number == 0 && !call.decided.ran {
                    self.event(finding::without_rule(session, call))?;
                }
                Ok(())
            }
            Item::Found(session, found) => {
                let mut number = 0_u64;
                for finding in found.findings.iter().filter(|finding| is_alarm(finding)) {
                    self.event(finding::of_session(session, found, finding, number))?;
                    number = number.saturating_add(1);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn finish(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
