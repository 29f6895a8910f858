//! What is under way between a client and a server.
//!
//! INVARIANT: everything here is bounded. A client that never gets an answer, and a server that never gives one, cost no more
//! than a fixed number of entries.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use contract_runtime::{ApprovalRequest, Monitor, Permit};
use serde_json::Value;

use super::guarded::Family;
use super::message::Id;

/// Names a request: ids are each client's own.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Key {
    /// Which of the clients that share the session; 0 where there is one.
    pub(super) lane: u64,
    pub(super) id: Id,
}

/// Most requests of a client without an answer.
pub(super) const MOST: usize = 10_000;

/// Most calls that wait for a person, for the client's next round, or for a task.
pub(super) const MOST_WAITING: usize = 1_024;

/// A call that the contract admitted, or will decide.
pub(super) struct Admitted<M: Monitor> {
    pub(super) family: Family,
    pub(super) tool: String,
    /// What the session calls it.
    pub(super) call: String,
    pub(super) permit: Permit<M>,
}

/// A request of the client that has no answer so far.
pub(super) enum Pending<M: Monitor> {
    /// The contract is being asked, or a person.
    Undecided,
    /// A call that went to the server.
    Call(Box<Admitted<M>>),
    /// A list of tools.
    Tools,
    /// What became of a task: its id.
    Task(String),
    /// Anything else.
    Other,
}

/// A call that waits for a person's answer, given by the client.
pub(super) struct Held {
    /// The client's request.
    pub(super) key: Key,
    pub(super) message: Vec<u8>,
    pub(super) call: String,
    pub(super) request: ApprovalRequest,
    /// Whether it is no longer the question, because another contract is in force.
    pub(super) is_void: bool,
}

/// A call that was answered with a question to the client's person: the client makes it again, with what the person said.
pub(super) struct Question {
    /// What the client gives back with it.
    pub(super) state: String,
    pub(super) family: Family,
    pub(super) tool: String,
    pub(super) args: Value,
    pub(super) call: String,
    pub(super) request: ApprovalRequest,
}

/// A call whose server wants more from the client first, which then sends it again.
pub(super) struct Round<M: Monitor> {
    pub(super) state: Option<String>,
    pub(super) admitted: Box<Admitted<M>>,
}

/// A call whose result comes later.
pub(super) enum Task<M: Monitor> {
    Running(Box<Admitted<M>>),
    /// It has come: what the client was shown, or the digest of what it was shown as it came.
    Done(Shown),
}

/// What a client was shown of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    AsItCame(u64),
    Instead(String),
}

/// All that is under way.
pub(super) struct Traffic<M: Monitor> {
    pub(super) pending: HashMap<Key, Pending<M>>,
    pub(super) held: BTreeMap<Id, Held>,
    pub(super) rounds: Vec<Round<M>>,
    pub(super) questions: Vec<Question>,
    pub(super) tasks: HashMap<String, Task<M>>,
    /// The clients that can ask their person.
    pub(super) elicits: BTreeSet<u64>,
    /// Why nothing goes on any more.
    pub(super) closed: Option<String>,
    next: u64,
}

impl<M: Monitor> Traffic<M> {
    pub(super) fn new() -> Self {
        Self {
            pending: HashMap::new(),
            held: BTreeMap::new(),
            rounds: Vec::new(),
            questions: Vec::new(),
            tasks: HashMap::new(),
            elicits: BTreeSet::new(),
            closed: None,
            next: 0,
        }
    }

    /// A number that was not used before.
    pub(super) fn number(&mut self) -> u64 {
        self.next = self.next.saturating_add(1);
        self.next
    }

    /// Notes what goes to the server. Returns whether it does: not if its request was answered in the meantime, because the server
    /// is gone or the client wants no answer any more.
    #[must_use]
    pub(super) fn send(&mut self, key: &Key, pending: Pending<M>) -> bool {
        match self.pending.get_mut(key) {
            Some(undecided @ Pending::Undecided) => {
                *undecided = pending;
                true
            }
            _ => false,
        }
    }

    /// Takes the call out that a client sends again: the same call, with the state that the server gave it.
    pub(super) fn resume(&mut self, state: Option<&str>, tool: &str, args: &Value) -> Option<Box<Admitted<M>>> {
        let is_it = |round: &Round<M>| {
            round.state.as_deref() == state
                && round.admitted.tool == tool
                && round.admitted.permit.original_args() == args
        };
        let at = self.rounds.iter().position(is_it)?;
        Some(self.rounds.remove(at).admitted)
    }

    /// Keeps a call for its next round. The oldest makes room: nobody knows how that one ended.
    pub(super) fn wait(&mut self, round: Round<M>) {
        if self.rounds.len() >= MOST_WAITING {
            self.rounds.remove(0);
        }
        self.rounds.push(round);
    }

    /// Keeps a question. The oldest makes room: its call is asked about anew.
    pub(super) fn question(&mut self, question: Question) {
        if self.questions.len() >= MOST_WAITING {
            self.questions.remove(0);
        }
        self.questions.push(question);
    }

    /// Takes the question out that has this state, which is used up with it.
    pub(super) fn asked(&mut self, state: &str) -> Option<Question> {
        let at = self.questions.iter().position(|question| question.state == state)?;
        Some(self.questions.remove(at))
    }

    /// Whether the session knows a call by this name, or will.
    pub(super) fn is_named(&mut self, name: &str) -> bool {
        self.admitted().any(|admitted| admitted.call == name)
            || self.held.values().any(|held| held.call == name)
            || self.questions.iter().any(|question| question.call == name)
    }

    /// Every call that runs, to give it another permit.
    pub(super) fn admitted(&mut self) -> impl Iterator<Item = &mut Admitted<M>> {
        let pending = self.pending.values_mut().filter_map(|pending| match pending {
            Pending::Call(admitted) => Some(admitted.as_mut()),
            _ => None,
        });
        let tasks = self.tasks.values_mut().filter_map(|task| match task {
            Task::Running(admitted) => Some(admitted.as_mut()),
            Task::Done(_) => None,
        });
        pending.chain(self.rounds.iter_mut().map(|round| round.admitted.as_mut())).chain(tasks)
    }
}
