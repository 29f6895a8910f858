//! The sessions that are under way, each with a gate of its own.
//!
//! INVARIANT: a session never sees a message of another one. There is a bound on how many there are; at it, new ones are refused
//! and none is ended early, as an ended session would be a contract that begins anew.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use contract_runtime::{Clock as _, Monitor, Session, SystemClock};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::name::SessionName;
use crate::mcp::gate::{Action, Gate, Settings, Ticket, lock};

/// Starts a session.
pub(super) type Start<M> = Box<dyn Fn(&SessionName) -> Result<Session<M>, String> + Send + Sync>;

/// A session with its gate.
pub(super) struct Guard<M: Monitor> {
    pub(super) gate: Gate<M>,
    number: u64,
    busy: AtomicUsize,
    last: Mutex<Instant>,
    waiting: Mutex<BTreeMap<Ticket, oneshot::Sender<Action<'static>>>>,
}

impl<M: Monitor> Guard<M> {
    /// Where it is told what becomes of a message that waits for a person.
    pub(super) fn wait(&self, ticket: Ticket) -> oneshot::Receiver<Action<'static>> {
        let (tell, told) = oneshot::channel();
        lock(&self.waiting).insert(ticket, tell);
        told
    }

    /// Tells what becomes of a message that waited. It comes back if nobody waits any more.
    pub(super) fn tell(&self, ticket: &Ticket, then: Action<'static>) -> Result<(), Action<'static>> {
        match lock(&self.waiting).remove(ticket) {
            Some(tell) => tell.send(then),
            None => Err(then),
        }
    }

    /// Nobody waits for this any more.
    pub(super) fn forget(&self, ticket: &Ticket) {
        lock(&self.waiting).remove(ticket);
    }

    fn end(&self, why: &str) {
        // Whoever waits is told by the end of the channel.
        lock(&self.waiting).clear();
        drop(self.gate.abandon(why));
        drop(self.gate.end());
    }
}

/// A session in use: it does not end by itself meanwhile.
pub(super) struct Use<M: Monitor> {
    pub(super) guard: Arc<Guard<M>>,
    /// Which of the session's clients it is.
    pub(super) lane: u64,
    /// Whether the client is of this one message only.
    pub(super) is_single: bool,
}

impl<M: Monitor> Use<M> {
    fn new(guard: &Arc<Guard<M>>, lane: u64, is_single: bool) -> Self {
        guard.busy.fetch_add(1, Ordering::AcqRel);
        Self { guard: Arc::clone(guard), lane, is_single }
    }
}

impl<M: Monitor> Drop for Use<M> {
    fn drop(&mut self) {
        if self.is_single {
            self.guard.gate.leave(self.lane);
        }
        *lock(&self.guard.last) = Instant::now();
        self.guard.busy.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A session of the protocol, by the id that the server gave it.
struct Bound<M: Monitor> {
    guard: Arc<Guard<M>>,
    name: SessionName,
    lane: u64,
}

struct Table<M: Monitor> {
    all: BTreeMap<u64, Arc<Guard<M>>>,
    by_name: BTreeMap<SessionName, Arc<Guard<M>>>,
    by_id: BTreeMap<String, Bound<M>>,
}

/// All sessions.
pub(super) struct Sessions<M: Monitor> {
    table: Mutex<Table<M>>,
    /// Held while a session is started, so that none is started twice.
    starting: Mutex<()>,
    next: AtomicU64,
    most: usize,
    start: Start<M>,
    settings: Box<dyn Fn() -> Settings + Send + Sync>,
}

/// Why there is no session.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NoSession {
    TooMany,
    /// It cannot be started.
    Failed(String),
}

impl<M: Monitor> Sessions<M> {
    pub(super) fn new(most: usize, start: Start<M>, settings: Box<dyn Fn() -> Settings + Send + Sync>) -> Self {
        Self {
            table: Mutex::new(Table { all: BTreeMap::new(), by_name: BTreeMap::new(), by_id: BTreeMap::new() }),
            starting: Mutex::new(()),
            next: AtomicU64::new(1),
            most,
            start,
            settings,
        }
    }

    fn number(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// The session that the server has given an id, and what it was named when it began.
    pub(super) fn by_id(&self, id: &str) -> Option<(Use<M>, SessionName)> {
        let table = lock(&self.table);
        let bound = table.by_id.get(id)?;
        Some((Use::new(&bound.guard, bound.lane, false), bound.name.clone()))
    }

    /// The session of a name, for one message of a client that is not known otherwise. The first message starts it. May block.
    pub(super) fn by_name(&self, name: &SessionName) -> Result<Use<M>, NoSession> {
        let find = || lock(&self.table).by_name.get(name).map(|guard| Use::new(guard, self.number(), true));
        if let Some(found) = find() {
            return Ok(found);
        }
        let _starting = lock(&self.starting);
        if let Some(found) = find() {
            return Ok(found);
        }
        let guard = self.open(name)?;
        let mut table = lock(&self.table);
        table.by_name.insert(name.clone(), Arc::clone(&guard));
        Ok(Use::new(&guard, self.number(), true))
    }

    /// A session that the server will give an id. May block.
    pub(super) fn unnamed(&self) -> Result<Use<M>, NoSession> {
        let _starting = lock(&self.starting);
        let guard = self.open(&SessionName::unnamed())?;
        Ok(Use::new(&guard, self.number(), true))
    }

    fn open(&self, name: &SessionName) -> Result<Arc<Guard<M>>, NoSession> {
        if lock(&self.table).all.len() >= self.most {
            return Err(NoSession::TooMany);
        }
        let session = (self.start)(name).map_err(NoSession::Failed)?;
        let number = self.number();
        let guard = Arc::new(Guard {
            gate: Gate::new(session, (self.settings)()),
            number,
            busy: AtomicUsize::new(0),
            last: Mutex::new(Instant::now()),
            waiting: Mutex::new(BTreeMap::new()),
        });
        lock(&self.table).all.insert(number, Arc::clone(&guard));
        Ok(guard)
    }

    /// Notes the id that the server gave a session. Returns whether it may: not the id of another one.
    #[must_use]
    pub(super) fn bind(&self, id: &str, used: &mut Use<M>, name: &SessionName) -> bool {
        let mut table = lock(&self.table);
        if table.by_id.contains_key(id) || table.by_id.len() >= self.most {
            return false;
        }
        let bound = Bound { guard: Arc::clone(&used.guard), name: name.clone(), lane: used.lane };
        table.by_id.insert(id.to_owned(), bound);
        used.is_single = false;
        true
    }

    /// The protocol's session with this id is over. A session that has no other name ends with it. May block.
    pub(super) fn unbind(&self, id: &str, why: &str) {
        let bound = lock(&self.table).by_id.remove(id);
        let Some(bound) = bound else { return };
        if bound.name.as_str().is_none() {
            self.end(&bound.guard, why);
        } else {
            bound.guard.gate.leave(bound.lane);
        }
    }

    /// Ends a session. May block.
    pub(super) fn end(&self, guard: &Arc<Guard<M>>, why: &str) {
        let mut table = lock(&self.table);
        Self::remove(&mut table, guard);
        drop(table);
        guard.end(why);
    }

    fn remove(table: &mut Table<M>, guard: &Arc<Guard<M>>) {
        table.all.remove(&guard.number);
        table.by_name.retain(|_, other| other.number != guard.number);
        table.by_id.retain(|_, other| other.guard.number != guard.number);
    }

    /// Ends sessions that nobody has used for some time. May block.
    pub(super) fn sweep(&self, idle: Duration) {
        let mut table = lock(&self.table);
        let is_idle =
            |guard: &Arc<Guard<M>>| guard.busy.load(Ordering::Acquire) == 0 && lock(&guard.last).elapsed() >= idle;
        let over: Vec<_> = table.all.values().filter(|guard| is_idle(guard)).map(Arc::clone).collect();
        over.iter().for_each(|guard| Self::remove(&mut table, guard));
        drop(table);
        over.iter().for_each(|guard| guard.end("the session was idle for too long"));
    }

    /// Answers questions that nobody answered in time. May block.
    pub(super) fn expire(&self) {
        for guard in self.all() {
            if lock(&guard.waiting).is_empty() {
                continue;
            }
            for (ticket, then) in guard.gate.expire(SystemClock.now()) {
                // Whoever does not wait any more has given up already.
                let _ = guard.tell(&ticket, then);
            }
        }
    }

    /// Every session.
    pub(super) fn all(&self) -> Vec<Arc<Guard<M>>> {
        lock(&self.table).all.values().map(Arc::clone).collect()
    }

    /// Ends every session. May block.
    pub(super) fn end_all(&self, why: &str) {
        for guard in self.all() {
            self.end(&guard, why);
        }
    }
}
