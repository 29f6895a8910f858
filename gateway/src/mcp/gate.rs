//! What becomes of a message: the decision, without I/O.
//!
//! INVARIANT: a call goes to the server only with a permit, once, with the arguments that the contract saw; every request of the
//! client gets one answer; what is passed on is passed on byte for byte. A lock is held for looking things up, never while the
//! contract decides or a record is written.

use std::borrow::Cow;
use std::fmt;
use std::hash::RandomState;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use contract_runtime::{Monitor, RefusalKind, Session, Summary};
use serde_json::Value;
use serde_json::value::RawValue;

use super::answer;
use super::asking::{self, Stopped};
use super::desk::Desk;
use super::flight::{Admitted, Key, MOST, Pending, Traffic};
use super::guarded::{Family, Guarded};
use super::listing::{Doubt, Listed, Listing};
use super::message::{Id, Malformed, Message, member};
use super::notice::{Notice, NoticeKind};
use super::pins::Pins;
use crate::json as reader;

/// What becomes of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action<'m> {
    /// It goes to the other side: as it came, unless the contract changes it.
    Forward(Cow<'m, [u8]>),
    /// It does not go on; this is its answer.
    Answer(Vec<u8>),
    /// It waits until the client answers this request of the guard's own.
    Ask(Ticket, Vec<u8>),
    /// It was the answer to such a request; this becomes of the message that waited.
    Answered(Ticket, Box<Action<'static>>),
    /// It goes nowhere.
    Drop,
}

/// Names a request of the guard's own.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ticket(pub(super) Id);

/// A choice by name: which tools a client gets to see, for one.
pub type Choice = Box<dyn Fn(&str) -> bool + Send + Sync>;

/// Who keeps the pins of the tools that a server listed first.
pub type Keeper = Box<dyn Fn(&Pins) + Send + Sync>;

/// Who is told what was seen that is no call.
pub type Observer = Box<dyn Fn(&Notice) + Send + Sync>;

/// How a gate treats what is for its operator to choose.
#[derive(Default)]
pub struct Settings {
    /// The server's name, as patterns know it.
    pub server: Option<String>,
    /// Whether a block is a JSON-RPC error instead of a tool's result.
    pub protocol_errors: bool,
    /// Which of `resources/read` and `prompts/get` the contract decides, as calls of tools of these names; without it neither.
    /// Asked for each request, since another contract may be in force.
    pub decides: Option<Choice>,
    /// What becomes of calls of a tool that is described otherwise than before.
    pub listed: Listed,
    /// What the tools were when somebody looked at them. Without it, the first list is trusted.
    pub pins: Option<Pins>,
    /// Who keeps the pins of the first list, where there were none.
    pub keep: Option<Keeper>,
    /// Whether calls of a tool run that is not among the pins, where these are somebody's choice: given, or kept. Asked by name,
    /// for each call; without it they do not.
    pub strangers: Option<Choice>,
    /// The tools that the client gets to see; without it all of them.
    pub shows: Option<Choice>,
    /// Where a person is asked whom the client cannot ask.
    pub desk: Option<Box<dyn Desk>>,
    /// Who is told what was seen that is no call.
    pub notices: Option<Observer>,
    /// What the ids of the guard's own requests begin with: something that no server comes upon.
    pub prefix: String,
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings").field("server", &self.server).field("listed", &self.listed).finish_non_exhaustive()
    }
}

/// A guard between one client and one server.
pub struct Gate<M: Monitor> {
    pub(super) session: RwLock<Session<M>>,
    /// The same session, for notes: these are taken while the lock above is held.
    records: Mutex<Session<M>>,
    pub(super) settings: Settings,
    pub(super) traffic: Mutex<Traffic<M>>,
    pub(super) listing: Mutex<Listing>,
    pub(super) hasher: RandomState,
}

impl<M: Monitor> fmt::Debug for Gate<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gate").field("settings", &self.settings).finish_non_exhaustive()
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic elsewhere must not turn into a bypass or a second panic: what is under way is consistent between statements.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<M: Monitor> Gate<M> {
    /// A gate in front of a server, for one session.
    #[must_use]
    pub fn new(session: Session<M>, mut settings: Settings) -> Self {
        let listing = Listing::new(settings.pins.take(), settings.keep.is_some());
        Self {
            records: Mutex::new(session.clone()),
            session: RwLock::new(session),
            settings,
            traffic: Mutex::new(Traffic::new()),
            listing: Mutex::new(listing),
            hasher: RandomState::new(),
        }
    }

    /// The session, of the contract that is in force now.
    #[must_use]
    pub fn session(&self) -> Session<M> {
        self.session.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What becomes of a message of the client.
    pub fn from_client<'m>(&self, bytes: &'m [u8]) -> Action<'m> {
        self.client_said(0, bytes)
    }

    /// What becomes of a message of one of several clients that share the session: the ids of each are its own.
    pub(super) fn client_said<'m>(&self, lane: u64, bytes: &'m [u8]) -> Action<'m> {
        // As long as this is held, the contract stays the same.
        let session = self.session.read().unwrap_or_else(PoisonError::into_inner);
        match Message::read(bytes) {
            Err(flaw) => self.refuse(Some(bytes), None, &flaw),
            Ok(Message::Request { id, method, params }) => {
                self.request(&session, bytes, Key { lane, id }, &method, params)
            }
            Ok(Message::Notification { method, params }) => self.notification(lane, bytes, &method, params),
            Ok(Message::Response { id, .. }) if id.as_ref().is_some_and(|id| self.is_held(lane, id)) => {
                self.answered(&session, bytes)
            }
            Ok(Message::Response { .. }) => self.unguarded(bytes, None),
        }
    }

    /// What becomes of bytes of the client that are no message, as a transport found: too many, or in broken frames.
    pub fn reject(&self, why: &str) -> Action<'static> {
        self.refuse(None, None, &Malformed::request(why))
    }

    /// What becomes of bytes of the server that are no message, as a transport found.
    pub fn skip(&self, why: &str) {
        self.notice(NoticeKind::Noise, format!("output of the server was not passed on: {why}"), None);
    }

    /// Whether requests of the client have no answer so far.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        !lock(&self.traffic).pending.is_empty()
    }

    fn request<'m>(
        &self,
        session: &Session<M>,
        bytes: &'m [u8],
        key: Key,
        method: &str,
        params: Option<&RawValue>,
    ) -> Action<'m> {
        let family = match Family::of(method) {
            Ok(family) => family.filter(|family| self.decides(*family)),
            Err(flaw) => return self.refuse(Some(bytes), Some(&key.id), &flaw),
        };
        {
            let mut traffic = lock(&self.traffic);
            if traffic.pending.contains_key(&key) {
                // An answer with this id would be taken for that of the first one.
                let why = format!("the id {} is in use by a request that has no answer so far", key.id);
                drop(traffic);
                return self.refuse(Some(bytes), None, &Malformed::request(why));
            }
            if let Some(why) = &traffic.closed {
                return Action::Answer(answer::error(Some(&key.id), answer::UPSTREAM, why));
            }
            if traffic.pending.len() >= MOST {
                return Action::Answer(answer::error(
                    Some(&key.id),
                    answer::UPSTREAM,
                    "too many requests have no answer so far",
                ));
            }
            traffic.pending.insert(key.clone(), Pending::Undecided);
        }
        let action = match family {
            Some(family) => self.guarded(session, bytes, &key, family, params),
            None => self.plain(bytes, &key, method, params),
        };
        self.once(&key, action)
    }

    fn decides(&self, family: Family) -> bool {
        family == Family::Tool || self.settings.decides.as_ref().is_some_and(|decides| decides(family.method()))
    }

    /// A request that no contract decides.
    fn plain<'m>(&self, bytes: &'m [u8], key: &Key, method: &str, params: Option<&RawValue>) -> Action<'m> {
        let mut pending = Pending::Other;
        match method {
            "initialize" => {
                let mut traffic = lock(&self.traffic);
                if asking::elicits(params) {
                    traffic.elicits.insert(key.lane);
                } else {
                    traffic.elicits.remove(&key.lane);
                }
            }
            "tools/list" => pending = Pending::Tools,
            "tasks/get" | "tasks/result" | "tasks/cancel" => {
                let task = params.and_then(|params| member(params, "taskId"));
                let Some(task) = task.and_then(|task| serde_json::from_str::<String>(task.get()).ok()) else {
                    return self.refuse(
                        Some(bytes),
                        Some(&key.id),
                        &Malformed::request(format!("`{method}` needs a string `taskId`")),
                    );
                };
                // What a task came to is for whoever started it, through this gate: nothing else is known of its call.
                if !lock(&self.traffic).tasks.contains_key(&task) {
                    return self.refuse(
                        Some(bytes),
                        Some(&key.id),
                        &Malformed::request("no such task was started here"),
                    );
                }
                pending = Pending::Task(task);
            }
            _ => {}
        }
        let action = self.unguarded(bytes, Some(&key.id));
        if matches!(action, Action::Forward(_)) && !lock(&self.traffic).send(key, pending) {
            return Action::Drop;
        }
        action
    }

    /// Bytes that go on if nobody can read them in two ways.
    fn unguarded<'m>(&self, bytes: &'m [u8], id: Option<&Id>) -> Action<'m> {
        match reader::check(&reader::mend(bytes)) {
            Ok(()) => Action::Forward(Cow::Borrowed(bytes)),
            Err(why) => self.refuse(Some(bytes), id, &Malformed::request(format!("it has {why}"))),
        }
    }

    /// A request that the contract decides.
    fn guarded<'m>(
        &self,
        session: &Session<M>,
        bytes: &'m [u8],
        key: &Key,
        family: Family,
        params: Option<&RawValue>,
    ) -> Action<'m> {
        let mut guarded = match Guarded::read(family, params) {
            Ok(guarded) => guarded,
            Err(flaw) => return self.refuse(Some(bytes), Some(&key.id), &flaw),
        };
        let state = guarded.rest.get("requestState").and_then(Value::as_str);
        if state.is_some() || guarded.rest.contains_key("inputResponses") {
            let resumed = lock(&self.traffic).resume(state, &guarded.tool, &guarded.args);
            if let Some(admitted) = resumed {
                return self.admit(session, bytes, key, params, *admitted);
            }
            if let Some(action) = self.asked_again(session, bytes, key, family, params, &guarded) {
                return action;
            }
        }
        if let Some((kind, why)) = self.doubted(family, &guarded.tool) {
            let text = format!("`{}` did not run: {why}.", shown(&guarded.tool));
            self.notice(kind, format!("a call was stopped: {text}"), Some(bytes));
            return self.stop(&key.id, family, &text);
        }
        let call = self.name(&key.id);
        let received = params.filter(|_| family == Family::Tool).and_then(|params| member(params, "arguments"));
        match session.before(&guarded.call(call.clone(), self.settings.server.as_deref(), received)) {
            Ok(permit) => {
                let Guarded { tool, .. } = guarded;
                self.admit(session, bytes, key, params, Admitted { family, tool, call, permit })
            }
            Err(refusal) if refusal.kind() == RefusalKind::NeedsApproval => {
                let Guarded { tool, rest, .. } = guarded;
                self.ask(session, bytes, key, params, Stopped { family, tool, call, rest, refusal: &refusal })
            }
            Err(refusal) => self.stop(&key.id, family, refusal.text()),
        }
    }

    /// Why a call of a tool does not run, whatever the contract says: what its server says of it.
    fn doubted(&self, family: Family, tool: &str) -> Option<(NoticeKind, &'static str)> {
        if self.settings.listed == Listed::Report || family != Family::Tool {
            return None;
        }
        match lock(&self.listing).doubt(tool)? {
            Doubt::Changed => {
                Some((NoticeKind::ToolChanged, "the server describes it otherwise than when it was looked at"))
            }
            Doubt::New if self.settings.strangers.as_ref().is_some_and(|admits| admits(tool)) => None,
            Doubt::New => Some((NoticeKind::ToolNew, "it was not among the tools when they were looked at")),
            Doubt::Unknown => Some((NoticeKind::ToolsTooMany, "the server has too many tools to know this one")),
        }
    }

    /// What the session calls a request: its id, if no call has that name.
    fn name(&self, id: &Id) -> String {
        let mut traffic = lock(&self.traffic);
        let number = traffic.number();
        let name = match id {
            Id::Number(number) => number.to_string(),
            Id::Text(text) => text.clone(),
        };
        if traffic.is_named(&name) { format!("{name}#{number}") } else { name }
    }

    /// A call that runs: the message goes on, with the arguments that the contract made of it.
    pub(super) fn admit<'m>(
        &self,
        session: &Session<M>,
        bytes: &'m [u8],
        key: &Key,
        params: Option<&RawValue>,
        admitted: Admitted<M>,
    ) -> Action<'m> {
        let message = if admitted.permit.rewritten() {
            let (old, new) = (admitted.permit.original_args(), admitted.permit.args());
            match params.and_then(|params| admitted.family.with_arguments(bytes, params, old, new)) {
                Some(message) => Cow::Owned(message),
                None => {
                    let text = format!(
                        "`{}` did not run: its request cannot be changed as the contract says.",
                        shown(&admitted.tool)
                    );
                    let _ = session.settle(
                        admitted.permit,
                        contract_runtime::Outcome::new(contract_runtime::Status::Failed, None),
                    );
                    return self.stop(&key.id, admitted.family, &text);
                }
            }
        } else {
            Cow::Borrowed(bytes)
        };
        if lock(&self.traffic).send(key, Pending::Call(Box::new(admitted))) {
            Action::Forward(message)
        } else {
            Action::Drop
        }
    }

    /// Nothing, if a request was answered in the meantime: because the server is gone, or because it was cancelled.
    pub(super) fn once<'m>(&self, key: &Key, action: Action<'m>) -> Action<'m> {
        let is_answer = matches!(action, Action::Answer(_));
        if is_answer && lock(&self.traffic).pending.remove(key).is_none() { Action::Drop } else { action }
    }

    fn notification<'m>(&self, lane: u64, bytes: &'m [u8], method: &str, params: Option<&RawValue>) -> Action<'m> {
        match Family::of(method) {
            Ok(Some(family)) if !self.decides(family) => {}
            Ok(None) => {}
            Ok(Some(_)) | Err(_) => {
                self.notice(
                    NoticeKind::CallWithoutId,
                    format!("a `{}` without an id was not passed on", shown(method)),
                    Some(bytes),
                );
                return Action::Drop;
            }
        }
        if method == "notifications/cancelled"
            && let Some(id) = params.and_then(|params| member(params, "requestId"))
            && let Some(id) = Id::read(id)
        {
            let key = Key { lane, id };
            let mut traffic = lock(&self.traffic);
            if traffic.held.iter().any(|(_, held)| held.key == key) {
                // The server never heard of it. Its request is left to expire.
                traffic.held.retain(|_, held| held.key != key);
                traffic.pending.remove(&key);
                return Action::Drop;
            }
            // Nobody knows how it ended. No answer will come, and one that comes all the same is not what was asked for.
            let cancelled = traffic.pending.remove(&key);
            drop(traffic);
            drop(cancelled);
        }
        self.unguarded(bytes, None)
    }

    /// Says that bytes are no message that can go on.
    pub(super) fn refuse<'m>(&self, bytes: Option<&[u8]>, id: Option<&Id>, flaw: &Malformed) -> Action<'m> {
        self.notice(NoticeKind::Refused, format!("a message was not passed on: {}", flaw.why), bytes);
        let why = format!("the message was not passed on: {}", flaw.why);
        Action::Answer(answer::error(id, flaw.code, &why))
    }

    /// Says that a call does not run.
    pub(super) fn stop<'m>(&self, id: &Id, family: Family, text: &str) -> Action<'m> {
        Action::Answer(self.say(id, family, text))
    }

    /// The answer to a call, in place of what the server would say, or has said.
    pub(super) fn say(&self, id: &Id, family: Family, text: &str) -> Vec<u8> {
        if self.settings.protocol_errors || family != Family::Tool {
            answer::error(Some(id), answer::BLOCKED, text)
        } else {
            answer::failed(id, text)
        }
    }

    /// Notes something that is no call, in the record of the session and for whoever operates the guard.
    pub(super) fn notice(&self, kind: NoticeKind, text: String, about: Option<&[u8]>) {
        let session = lock(&self.records).clone();
        // After the end nothing is recorded.
        let _ = session.notice(kind, &text, about);
        if let Some(notices) = &self.settings.notices {
            notices(&Notice { kind, text });
        }
    }

    /// Gives an answer to every request that has none: the server is gone, or the guard itself cannot go on. Of calls that
    /// went to the server nobody knows how they ended. Nothing is passed on any more.
    pub fn abandon(&self, why: &str) -> Vec<Vec<u8>> {
        let mut traffic = lock(&self.traffic);
        traffic.closed.get_or_insert_with(|| why.to_owned());
        traffic.held.clear();
        traffic.questions.clear();
        let mut pending: Vec<(Key, Pending<M>)> = traffic.pending.drain().collect();
        drop(traffic);
        pending.sort_by(|(one, _), (two, _)| one.cmp(two));
        pending.iter().map(|(key, pending)| self.lost(&key.id, pending, why)).collect()
    }

    /// The answer to a request that the server will not answer.
    pub(super) fn lost(&self, id: &Id, pending: &Pending<M>, why: &str) -> Vec<u8> {
        match pending {
            Pending::Call(admitted) => {
                let text = format!("`{}`: nobody knows whether it ran: {why}.", shown(&admitted.tool));
                self.say(id, admitted.family, &text)
            }
            _ => answer::error(Some(id), answer::UPSTREAM, why),
        }
    }

    /// Goes on with another contract. `start` gets the session as text, and starts one that takes it up; if it cannot, all stays
    /// as it is.
    ///
    /// # Errors
    /// What `start` says, or why the session cannot be saved.
    pub fn exchange<E: fmt::Display>(&self, start: impl FnOnce(&str) -> Result<Session<M>, E>) -> Result<(), String> {
        let mut session = self.session.write().unwrap_or_else(PoisonError::into_inner);
        let saved = session.snapshot().map_err(|error| error.to_string())?;
        let new = start(&saved).map_err(|error| error.to_string())?;
        let mut traffic = lock(&self.traffic);
        for admitted in traffic.admitted() {
            if let Some(permit) = new.resume(&admitted.call) {
                std::mem::replace(&mut admitted.permit, permit).detach();
            }
        }
        // What a person was asked under the old contract is no longer the question: `expire` says so.
        traffic.held.values_mut().for_each(|held| held.is_void = true);
        traffic.questions.clear();
        *lock(&self.records) = new.clone();
        *session = new;
        Ok(())
    }

    /// Ends the session.
    pub fn end(&self) -> Summary {
        self.session().end()
    }
}

/// A name from the other side, inert and short.
pub(super) fn shown(name: &str) -> String {
    let mut shown: String = name.chars().take(100).flat_map(char::escape_debug).collect();
    if name.chars().nth(100).is_some() {
        shown.push('…');
    }
    shown
}
