//! Requests to which no answer comes.

use contract_runtime::Monitor;

use crate::mcp::answer;
use crate::mcp::flight::Key;
use crate::mcp::gate::{Action, Gate, lock};
use crate::mcp::message::Id;

impl<M: Monitor> Gate<M> {
    /// The answer to a request that the server will not answer, if it has none. Of a call nobody knows how it ended.
    pub(super) fn give_up(&self, lane: u64, id: &Id, why: &str) -> Option<Vec<u8>> {
        let key = Key { lane, id: id.clone() };
        let mut traffic = lock(&self.traffic);
        // A person need not be asked any more. The request for it is left to expire.
        traffic.held.retain(|_, held| held.key != key);
        let pending = traffic.pending.remove(&key)?;
        drop(traffic);
        Some(self.lost(id, &pending, why))
    }

    /// The answer to a request that did not reach the server, or that it refused: of a call it is known that it did not succeed.
    pub(super) fn fail(&self, lane: u64, id: &Id, why: &str) -> Option<Vec<u8>> {
        match self.server_said(lane, &answer::error(Some(id), answer::UPSTREAM, why)) {
            Action::Forward(answer) => Some(answer.into_owned()),
            _ => None,
        }
    }

    /// Forgets a client: none of its requests will get an answer.
    pub(super) fn leave(&self, lane: u64) {
        let mut traffic = lock(&self.traffic);
        traffic.elicits.remove(&lane);
        traffic.held.retain(|_, held| held.key.lane != lane);
        let gone: Vec<_> = traffic.pending.extract_if(|key, _| key.lane == lane).collect();
        drop(traffic);
        drop(gone);
    }
}
