//! What becomes of a message of the server.

use std::borrow::Cow;
use std::hash::BuildHasher;
use std::sync::PoisonError;

use contract_runtime::{Monitor, Outcome, Session, Status};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::flight::{Admitted, Key, MOST_WAITING, Pending, Round, Shown, Task};
use super::gate::{Action, Gate, lock, shown};
use super::guarded::Family;
use super::listing::Looked;
use super::message::{Answer, Id, Message, member};
use super::notice::NoticeKind;
use super::{answer, outcome};
use crate::json as reader;

/// What the client gets to see of a result.
enum Seen {
    AsItCame,
    Instead(Value),
    /// Nothing: what it is told.
    Withheld(String),
}

impl<M: Monitor> Gate<M> {
    /// What becomes of a message of the server.
    pub fn from_server<'m>(&self, bytes: &'m [u8]) -> Action<'m> {
        self.server_said(0, bytes)
    }

    /// What becomes of a message of the server that is for one of several clients that share the session.
    pub(super) fn server_said<'m>(&self, lane: u64, bytes: &'m [u8]) -> Action<'m> {
        let session = self.session.read().unwrap_or_else(PoisonError::into_inner);
        match Message::read(bytes) {
            Err(flaw) => {
                let what =
                    if flaw.is_json { "a message of the server" } else { "output of the server that is no JSON" };
                self.notice(NoticeKind::Noise, format!("{what} was not passed on: {} bytes", bytes.len()), Some(bytes));
                Action::Drop
            }
            Ok(Message::Notification { method, params }) if method.starts_with("notifications/tasks") => {
                self.task_told(&session, bytes, params)
            }
            Ok(Message::Request { .. } | Message::Notification { .. } | Message::Response { id: None, .. }) => {
                Action::Forward(Cow::Borrowed(bytes))
            }
            Ok(Message::Response { id: Some(id), result }) => self.response(&session, bytes, Key { lane, id }, result),
        }
    }

    fn response<'m>(&self, session: &Session<M>, bytes: &'m [u8], key: Key, said: Answer<'m>) -> Action<'m> {
        let pending = {
            let mut traffic = lock(&self.traffic);
            match traffic.pending.remove(&key) {
                // The server has never heard of this one.
                Some(Pending::Undecided) => {
                    traffic.pending.insert(key.clone(), Pending::Undecided);
                    None
                }
                pending => pending,
            }
        };
        let Some(pending) = pending else {
            self.notice(
                NoticeKind::Unasked,
                "an answer to nothing that was asked was not passed on".to_owned(),
                Some(bytes),
            );
            return Action::Drop;
        };
        match (pending, said) {
            (Pending::Tools, Answer::Result(result)) => self.listed(bytes, &key.id, result),
            (Pending::Task(task), said) => self.task_answered(session, bytes, &key.id, &task, said),
            (Pending::Call(admitted), Answer::Result(result)) if self.is_further_round(result) => {
                let state = member(result, "requestState").and_then(|state| serde_json::from_str(state.get()).ok());
                lock(&self.traffic).wait(Round { state, admitted });
                Action::Forward(Cow::Borrowed(bytes))
            }
            (Pending::Call(admitted), Answer::Result(result)) if let Some(task) = task_of(result) => {
                self.task_begun(bytes, &key.id, task, admitted)
            }
            (Pending::Call(admitted), said) => {
                let family = admitted.family;
                let raw = raw(said);
                match self.settle(session, *admitted, said) {
                    Seen::AsItCame => Action::Forward(Cow::Borrowed(bytes)),
                    Seen::Withheld(text) => Action::Forward(Cow::Owned(self.say(&key.id, family, &text))),
                    Seen::Instead(value) => Action::Forward(Cow::Owned(spliced(bytes, raw, &value))),
                }
            }
            (Pending::Tools | Pending::Other | Pending::Undecided, _) => Action::Forward(Cow::Borrowed(bytes)),
        }
    }

    /// Whether the server wants something of the client before the call ends.
    fn is_further_round(&self, result: &RawValue) -> bool {
        member(result, "resultType").is_some_and(|kind| kind.get() == "\"input_required\"")
    }

    /// Completes a call with what the server said.
    fn settle(&self, session: &Session<M>, admitted: Admitted<M>, said: Answer<'_>) -> Seen {
        let Admitted { family, tool, permit, .. } = admitted;
        let raw = raw(said);
        let Ok(result) = reader::tree(&reader::mend(raw.get().as_bytes())) else {
            self.notice(
                NoticeKind::Unreadable,
                format!("the result of `{}` cannot be read in one way", shown(&tool)),
                Some(raw.get().as_bytes()),
            );
            let _ = session.settle(permit, Outcome::unknown());
            return Seen::Withheld(format!(
                "`{}` ran, its result is withheld: it cannot be read in one way only.",
                shown(&tool)
            ));
        };
        let (status, view) = match (said, family) {
            (Answer::Error(_), _) => (Status::Failed, Cow::Owned(json!({ "error": result }))),
            (Answer::Result(_), Family::Tool) => (self.status(&tool, &result), outcome::seen(&result)),
            (Answer::Result(_), _) => (Status::Ok, Cow::Borrowed(&result)),
        };
        let outcome = Outcome::new(status, Some(view.as_ref().clone())).bytes(raw.get().as_bytes());
        let settled = match session.settle(permit, outcome) {
            Ok(settled) => settled,
            Err(error) => return Seen::Withheld(format!("`{}` ran, its result is withheld: {error}.", shown(&tool))),
        };
        if settled.withheld() {
            return Seen::Withheld(settled.text());
        }
        if !settled.redacted() {
            return Seen::AsItCame;
        }
        Seen::Instead(match said {
            Answer::Error(_) => settled
                .value
                .get("error")
                .cloned()
                .filter(Value::is_object)
                .unwrap_or_else(|| json!({ "code": answer::BLOCKED, "message": "[redacted]" })),
            Answer::Result(_) => outcome::shown(&result, &view, &settled.value),
        })
    }

    /// How a call of a tool ended, as far as the server says.
    fn status(&self, tool: &str, result: &Value) -> Status {
        if outcome::is_error(result) {
            return Status::Failed;
        }
        // Who promises structured content and sends none has not said how it ended.
        let is_silent = result.get("structuredContent").is_none() && lock(&self.listing).is_structured(tool);
        if is_silent { Status::Unknown } else { Status::Ok }
    }

    fn listed<'m>(&self, bytes: &'m [u8], id: &Id, result: &RawValue) -> Action<'m> {
        let Ok(value) = reader::tree(&reader::mend(result.get().as_bytes())) else {
            self.notice(NoticeKind::Unreadable, "the list of tools cannot be read in one way".to_owned(), Some(bytes));
            let why = "the server's list of tools was not passed on: it cannot be read in one way only";
            return Action::Forward(Cow::Owned(answer::error(Some(id), answer::UPSTREAM, why)));
        };
        let is_shown = self.settings.shows.as_ref().map(|shows| shows.as_ref() as &dyn Fn(&str) -> bool);
        let Looked { notices, instead, learned } = lock(&self.listing).look(&value, is_shown);
        for (kind, said) in notices {
            self.notice(kind, said, None);
        }
        if let (Some(keep), Some(pins)) = (&self.settings.keep, learned) {
            keep(&pins);
        }
        match instead {
            Some(instead) => Action::Forward(Cow::Owned(spliced(bytes, result, &instead))),
            None => Action::Forward(Cow::Borrowed(bytes)),
        }
    }

    fn task_begun<'m>(&self, bytes: &'m [u8], id: &Id, task: String, admitted: Box<Admitted<M>>) -> Action<'m> {
        let mut traffic = lock(&self.traffic);
        if traffic.tasks.len() >= MOST_WAITING || traffic.tasks.contains_key(&task) {
            drop(traffic);
            let text = format!(
                "`{}` runs as a task that cannot be followed: nobody will know how it ended.",
                shown(&admitted.tool)
            );
            return Action::Forward(Cow::Owned(self.say(id, admitted.family, &text)));
        }
        traffic.tasks.insert(task, Task::Running(admitted));
        Action::Forward(Cow::Borrowed(bytes))
    }

    /// The server has answered a question about a task.
    fn task_answered<'m>(
        &self,
        session: &Session<M>,
        bytes: &'m [u8],
        id: &Id,
        task: &str,
        said: Answer<'m>,
    ) -> Action<'m> {
        let Answer::Result(result) = said else { return Action::Forward(Cow::Borrowed(bytes)) };
        match finished(result) {
            Finished::No => Action::Forward(Cow::Borrowed(bytes)),
            Finished::Cancelled => {
                drop(lock(&self.traffic).tasks.remove(task));
                Action::Forward(Cow::Borrowed(bytes))
            }
            Finished::With(part) => match self.task_done(session, task, part) {
                Ok(None) => Action::Forward(Cow::Borrowed(bytes)),
                Ok(Some(instead)) => Action::Forward(Cow::Owned(spliced_text(bytes, raw(part), &instead))),
                Err(text) => Action::Forward(Cow::Owned(answer::error(Some(id), answer::BLOCKED, &text))),
            },
        }
    }

    /// The server tells of a task without being asked.
    fn task_told<'m>(&self, session: &Session<M>, bytes: &'m [u8], params: Option<&'m RawValue>) -> Action<'m> {
        let Some(params) = params else { return Action::Forward(Cow::Borrowed(bytes)) };
        let task = member(params, "taskId").and_then(|task| serde_json::from_str::<String>(task.get()).ok());
        let part = match (member(params, "result"), member(params, "error")) {
            (Some(result), _) => Answer::Result(result),
            (None, Some(error)) => Answer::Error(error),
            (None, None) => return Action::Forward(Cow::Borrowed(bytes)),
        };
        match task.map(|task| self.task_done(session, &task, part)) {
            Some(Ok(None)) => Action::Forward(Cow::Borrowed(bytes)),
            Some(Ok(Some(instead))) => Action::Forward(Cow::Owned(spliced_text(bytes, raw(part), &instead))),
            // It can be asked for, and is told then what became of it.
            Some(Err(_)) | None => Action::Drop,
        }
    }

    /// What the client may see of the result of a task: `None`, it as it came.
    fn task_done(&self, session: &Session<M>, task: &str, part: Answer<'_>) -> Result<Option<String>, String> {
        let hash = |text: &str| self.hasher.hash_one(text);
        let text = raw(part).get();
        let admitted = {
            let mut traffic = lock(&self.traffic);
            match traffic.tasks.remove(task) {
                Some(Task::Running(admitted)) => admitted,
                Some(Task::Done(then)) => {
                    let now = match &then {
                        Shown::AsItCame(digest) if *digest == hash(text) => Ok(None),
                        Shown::AsItCame(_) => Err("the result of this task is another one than before".to_owned()),
                        Shown::Instead(instead) => Ok(Some(instead.clone())),
                    };
                    traffic.tasks.insert(task.to_owned(), Task::Done(then));
                    return now;
                }
                None => return Err("no such task was started here".to_owned()),
            }
        };
        let seen = match self.settle(session, *admitted, part) {
            Seen::AsItCame => Shown::AsItCame(hash(text)),
            Seen::Instead(value) => Shown::Instead(value.to_string()),
            Seen::Withheld(text) => {
                Shown::Instead(json!({ "content": [outcome::text_block(&text)], "isError": true }).to_string())
            }
        };
        lock(&self.traffic).tasks.insert(task.to_owned(), Task::Done(seen.clone()));
        match seen {
            Shown::AsItCame(_) => Ok(None),
            Shown::Instead(instead) => Ok(Some(instead)),
        }
    }
}

/// How far a task is.
enum Finished<'m> {
    No,
    Cancelled,
    With(Answer<'m>),
}

/// What an answer about a task says: `tasks/get` has the result inside, `tasks/result` is the result.
fn finished(result: &RawValue) -> Finished<'_> {
    let status = member(result, "status").and_then(|status| serde_json::from_str::<String>(status.get()).ok());
    match (status.as_deref(), member(result, "result"), member(result, "error")) {
        (Some("cancelled"), None, None) => Finished::Cancelled,
        (Some(_), Some(inner), _) => Finished::With(Answer::Result(inner)),
        (Some(_), None, Some(error)) => Finished::With(Answer::Error(error)),
        (Some(_), None, None) => Finished::No,
        (None, ..) => Finished::With(Answer::Result(result)),
    }
}

/// The task that a call became.
fn task_of(result: &RawValue) -> Option<String> {
    let task = member(result, "task").unwrap_or(result);
    let is_task =
        member(result, "task").is_some() || member(result, "resultType").is_some_and(|kind| kind.get() == "\"task\"");
    let id = member(task, "taskId").filter(|_| is_task)?;
    serde_json::from_str(id.get()).ok()
}

fn raw<'m>(said: Answer<'m>) -> &'m RawValue {
    match said {
        Answer::Result(raw) | Answer::Error(raw) => raw,
    }
}

/// The message with another value in place of a part of it.
fn spliced(message: &[u8], part: &RawValue, value: &Value) -> Vec<u8> {
    spliced_text(message, part, &value.to_string())
}

fn spliced_text(message: &[u8], part: &RawValue, text: &str) -> Vec<u8> {
    super::guarded::replaced(message, part, text).unwrap_or_default()
}
