//! Calls that a person has to approve: the requests, the answers, and which requests are open.
//!
//! INVARIANT: a request is answered once. Nothing is reserved while a person thinks; at most so many requests wait at a time,
//! and each for so long at most, so that an agent that asks without end costs nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::call::Call;
use crate::{Duration, Time};

/// How many requests wait at a time; with one more the oldest has expired.
const MOST: usize = 1_024;

/// How long a request waits, unless the session's builder says otherwise.
pub(crate) const WINDOW: Duration = Duration::from_nanos(600 * 1_000_000_000);

/// A call that needs a person's approval: of exactly this call, for one run. See [`crate::Session::approve`].
#[derive(Clone, Debug)]
pub struct ApprovalRequest {
    pub(super) session: Arc<()>,
    pub(super) number: u64,
    /// As the agent made it.
    pub(super) call: Arc<Call<'static>>,
    /// The arguments that it would run with, if the contract changed them.
    pub(super) rewritten: Option<Arc<Value>>,
    pub(super) expires: Time,
    /// The entry of the decision that asks, if it is recorded.
    pub(super) record: Option<u64>,
}

impl PartialEq for ApprovalRequest {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.session, &other.session) && self.number == other.number
    }
}

impl ApprovalRequest {
    /// The tool.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.call.tool
    }

    /// The server that has the tool, if the host gave it.
    #[must_use]
    pub fn server(&self) -> Option<&str> {
        self.call.server.as_deref()
    }

    /// The sub-agent that calls, if the host gave it.
    #[must_use]
    pub fn agent(&self) -> Option<&str> {
        self.call.agent.as_deref()
    }

    /// The host's id of the call, if it gave one.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.call.id.as_deref()
    }

    /// The arguments that the call would run with: what the person has to see.
    #[must_use]
    pub fn args(&self) -> &Value {
        self.rewritten.as_deref().unwrap_or(&self.call.args)
    }

    /// The arguments as the agent gave them.
    #[must_use]
    pub fn original_args(&self) -> &Value {
        &self.call.args
    }

    /// Until when it may be answered.
    #[must_use]
    pub fn expires(&self) -> Time {
        self.expires
    }
}

/// A person's yes to a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Approval {
    pub(super) by: Option<String>,
    pub(super) at: Option<Time>,
}

impl Approval {
    /// Yes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Who says so. Recorded, never part of a decision.
    #[must_use]
    pub fn by(mut self, person: impl Into<String>) -> Self {
        self.by = Some(person.into());
        self
    }

    /// When. Without it the session's clock says.
    #[must_use]
    pub fn at(mut self, at: Time) -> Self {
        self.at = Some(at);
        self
    }
}

/// A person's no to a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Denial {
    pub(super) by: Option<String>,
    pub(super) reason: Option<String>,
    pub(super) at: Option<Time>,
}

impl Denial {
    /// No.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Who says so. Recorded.
    #[must_use]
    pub fn by(mut self, person: impl Into<String>) -> Self {
        self.by = Some(person.into());
        self
    }

    /// Why: words for the model.
    #[must_use]
    pub fn reason(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    /// When. Without it the session's clock says.
    #[must_use]
    pub fn at(mut self, at: Time) -> Self {
        self.at = Some(at);
        self
    }
}

/// Why an answer does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Void {
    /// It is too late.
    Expired,
    /// The request is another session's, or was answered before.
    NotOpen,
}

/// The requests of a session that wait for an answer.
#[derive(Debug)]
pub(super) struct Requests {
    session: Arc<()>,
    window: Duration,
    /// Until when each waits.
    open: BTreeMap<u64, Time>,
    next: u64,
    /// Requests before this one had to make room, if they were not answered.
    crowded_out: u64,
}

impl Requests {
    pub(super) fn new(window: Duration) -> Self {
        Self { session: Arc::new(()), window, open: BTreeMap::new(), next: 0, crowded_out: 0 }
    }

    /// Opens a request.
    pub(super) fn open(
        &mut self,
        call: Arc<Call<'static>>,
        rewritten: Option<Value>,
        now: Time,
        record: Option<u64>,
    ) -> ApprovalRequest {
        let expires = now.checked_add(self.window).unwrap_or(Time::MAX);
        let number = self.next;
        self.next = self.next.saturating_add(1);
        self.open.insert(number, expires);
        if self.open.len() > MOST
            && let Some((oldest, _)) = self.open.pop_first()
        {
            self.crowded_out = oldest.saturating_add(1);
        }
        let rewritten = rewritten.map(Arc::new);
        ApprovalRequest { session: Arc::clone(&self.session), number, call, rewritten, expires, record }
    }

    /// Whether a request is one of this session.
    pub(super) fn made(&self, request: &ApprovalRequest) -> bool {
        Arc::ptr_eq(&self.session, &request.session)
    }

    /// Closes a request that is answered now.
    pub(super) fn close(&mut self, request: &ApprovalRequest, now: Time) -> Result<(), Void> {
        if !self.made(request) {
            return Err(Void::NotOpen);
        }
        match self.open.remove(&request.number) {
            Some(expires) if now <= expires => Ok(()),
            Some(_) => Err(Void::Expired),
            None if request.number < self.crowded_out => Err(Void::Expired),
            None => Err(Void::NotOpen),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn at(second: i128) -> Time {
        Time::from_nanos(second.saturating_mul(1_000_000_000))
    }

    #[test]
    fn requests_are_answered_once_and_in_time() {
        let mut requests = Requests::new(WINDOW);
        let call = Arc::new(Call::owned("pay", json!({})));
        let [one, two] = [0, 1].map(|_| requests.open(Arc::clone(&call), None, at(0), None));
        assert_eq!(requests.close(&one, at(600)), Ok(()));
        assert_eq!(requests.close(&one, at(600)), Err(Void::NotOpen));
        assert_eq!(requests.close(&two, at(601)), Err(Void::Expired));
        assert_eq!(Requests::new(WINDOW).close(&one, at(0)), Err(Void::NotOpen));
    }

    #[test]
    fn the_oldest_request_makes_room() {
        let mut requests = Requests::new(WINDOW);
        let call = Arc::new(Call::owned("pay", json!({})));
        let all: Vec<_> = (0..1_025).map(|_| requests.open(Arc::clone(&call), None, at(0), None)).collect();
        assert_eq!(requests.close(&all[0], at(0)), Err(Void::Expired));
        assert_eq!(requests.close(&all[1], at(0)), Ok(()));
        assert_eq!(requests.open.len(), 1_023);
    }
}
