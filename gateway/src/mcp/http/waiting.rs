//! A request on its way.
//!
//! INVARIANT: however the way ends, the session knows: a request whose client goes before its answer came is settled as one of
//! which nobody knows how it ended.

use std::sync::Arc;

use contract_runtime::Monitor;

use super::service::Service;
use super::sessions::{Guard, Use};
use crate::mcp::gate::Gate;
use crate::mcp::message::Id;

/// A request on its way, with its session.
pub(super) struct Waiting<M: Monitor + 'static>
where
    Gate<M>: Send + Sync,
{
    service: Arc<Service<M>>,
    pub(super) used: Use<M>,
    /// The request, until it has its answer.
    pub(super) id: Option<Id>,
    /// Whether the session is over if it gets no id.
    pub(super) is_own: bool,
}

impl<M: Monitor + 'static> Waiting<M>
where
    Gate<M>: Send + Sync,
{
    pub(super) fn new(service: &Arc<Service<M>>, used: Use<M>, is_own: bool) -> Self {
        Self { service: Arc::clone(service), used, id: None, is_own }
    }

    pub(super) fn guard(&self) -> &Guard<M> {
        &self.used.guard
    }

    pub(super) fn gate(&self) -> &Gate<M> {
        &self.used.guard.gate
    }

    pub(super) fn lane(&self) -> u64 {
        self.used.lane
    }

    /// The answer to the request, if it has none: nobody knows how it ended.
    pub(super) fn give_up(&mut self, why: &str) -> Option<Vec<u8>> {
        let id = self.id.take()?;
        self.service.apart(0, || self.gate().give_up(self.lane(), &id, why))
    }

    /// The answer to the request, if it has none: the server did not do it.
    pub(super) fn fail(&mut self, why: &str) -> Option<Vec<u8>> {
        let id = self.id.take()?;
        self.service.apart(0, || self.gate().fail(self.lane(), &id, why))
    }
}

impl<M: Monitor + 'static> Drop for Waiting<M>
where
    Gate<M>: Send + Sync,
{
    fn drop(&mut self) {
        self.give_up("its client is gone");
        if self.is_own {
            self.service.apart(0, || self.service.sessions.end(&self.used.guard, "the session did not begin"));
        }
    }
}
