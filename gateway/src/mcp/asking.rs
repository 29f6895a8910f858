//! Calls that a person has to approve: who is asked, how, and what becomes of the call then.
//!
//! INVARIANT: an answer is for the one call that was asked about, and used up by it; whatever is no plain yes is a no; every
//! request of the client gets one answer, also while its call waits.

use std::borrow::Cow;
use std::sync::PoisonError;

use contract_lang::diagnostic::render;
use contract_runtime::{Approval, ApprovalRequest, Denial, Monitor, Permit, Refusal, Seed, Session, Time};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::answer;
use super::desk::{Sought, Standing};
use super::flight::{Admitted, Held, Key, MOST_WAITING, Question};
use super::gate::{Action, Gate, Ticket, lock, shown};
use super::guarded::{Family, Guarded, without};
use super::message::{Answer, INVALID_PARAMS, Id, Malformed, Message, member};
use super::notice::NoticeKind;
use crate::json as reader;

/// The parameters with which a client makes a call again.
const ROUND: [&str; 2] = ["requestState", "inputResponses"];

/// What the guard calls its question among the requests for input.
const QUESTION: &str = "interlock_approval";

/// Where a message of a protocol without sessions says which protocol, and what its client can.
const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// Who says so, for the record, where the client asked its person.
const CLIENTS_USER: &str = "the client's user";

/// Most characters of arguments that a person is shown.
const MOST_SHOWN: usize = 4_000;

/// Most bytes of a message that a person is asked about: more than that nobody reads, and it would be kept.
const LONGEST: usize = 256 * 1024;

/// How a client's person can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// With a request of the guard's own.
    Request,
    /// With the answer to the call: the client makes it again.
    Round,
    /// Not at all.
    None,
}

/// A call about to be asked about.
pub(super) struct Stopped<'r> {
    pub(super) family: Family,
    pub(super) tool: String,
    /// What the session calls it.
    pub(super) call: String,
    /// All of its parameters but the arguments.
    pub(super) rest: Map<String, Value>,
    pub(super) refusal: &'r Refusal,
}

impl<M: Monitor> Gate<M> {
    /// A call that a person has to approve.
    pub(super) fn ask<'m>(
        &self,
        session: &Session<M>,
        bytes: &'m [u8],
        key: &Key,
        params: Option<&RawValue>,
        stopped: Stopped<'_>,
    ) -> Action<'m> {
        let Stopped { family, tool, call, rest, refusal } = stopped;
        let Some(request) = refusal.request() else { return self.stop(&key.id, family, refusal.text()) };
        if bytes.len() > LONGEST {
            let text = format!("{}\nThe call is too long for a person to look at.", refusal.text());
            return self.stop(&key.id, family, &text);
        }
        match self.way(key.lane, &rest) {
            Way::Request => {
                let mut traffic = lock(&self.traffic);
                if traffic.held.len() < MOST_WAITING {
                    let number = traffic.number();
                    let ours = Id::Text(format!("{}{number}", self.settings.prefix));
                    let held = Held {
                        key: key.clone(),
                        message: bytes.to_vec(),
                        call,
                        request: request.clone(),
                        is_void: false,
                    };
                    traffic.held.insert(ours.clone(), held);
                    let question = question(refusal.text(), request.args());
                    return Action::Ask(Ticket(ours.clone()), answer::request(&ours, "elicitation/create", &question));
                }
            }
            Way::Round => {
                let args = request.original_args().clone();
                let question = Question { state: self.state(), family, tool, args, call, request: request.clone() };
                return self.round(key, question, refusal.text());
            }
            Way::None => {}
        }
        let Some(desk) = &self.settings.desk else {
            return self.stop(&key.id, family, &format!("{}\nNobody is there to approve it.", refusal.text()));
        };
        let name = session.id().unwrap_or_default();
        let contract = session.info();
        let sought =
            Sought { session: &name, name: &contract.name, contract: &contract.digest(), request, why: refusal.text() };
        let permit = match desk.ask(&sought) {
            Standing::Granted(by) => {
                session.approve(request, by.map_or_else(Approval::new, |by| Approval::new().by(by)))
            }
            Standing::Denied(by, reason) => Err(denied(session, request, by, reason)),
            Standing::Expired => {
                let text = format!("`{}` did not run: the time to approve it is over.", shown(&tool));
                return self.stop(&key.id, family, &text);
            }
            Standing::Waiting(name) => {
                let text = format!(
                    "{}\nThe request for approval is `{name}`. Make exactly the same call again once a person has approved it.",
                    refusal.text()
                );
                return self.stop(&key.id, family, &text);
            }
            Standing::Failed(why) => {
                self.notice(NoticeKind::NobodyAsked, format!("nobody could be asked to approve a call: {why}"), None);
                return self.stop(&key.id, family, &format!("{}\nNobody could be asked: {why}.", refusal.text()));
            }
        };
        match permit {
            Ok(permit) => self.admit(session, bytes, key, params, Admitted { family, tool, call, permit }),
            Err(refusal) => self.stop(&key.id, family, refusal.text()),
        }
    }

    /// How the client's person can be asked about a call with these parameters.
    fn way(&self, lane: u64, rest: &Map<String, Value>) -> Way {
        if self.settings.desk.as_ref().is_some_and(|desk| desk.is_sole()) {
            return Way::None;
        }
        let meta = rest.get("_meta").and_then(Value::as_object);
        // A protocol without sessions knows no requests of servers.
        if let Some(meta) = meta.filter(|meta| meta.contains_key(VERSION)) {
            let elicits = meta.get(CAPABILITIES).and_then(|all| all.get("elicitation"));
            return if elicits.is_some_and(offers_forms) { Way::Round } else { Way::None };
        }
        if lock(&self.traffic).elicits.contains(&lane) { Way::Request } else { Way::None }
    }

    /// What a client gives back with a call that it makes again: nobody guesses it.
    fn state(&self) -> String {
        let random: String = Seed::random().0.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{}{random}", self.settings.prefix)
    }

    /// Answers a call with a question.
    fn round<'m>(&self, key: &Key, question: Question, why: &str) -> Action<'m> {
        let params = self::question(why, question.request.args());
        let result = json!({
            "resultType": "input_required",
            "inputRequests": { QUESTION: { "method": "elicitation/create", "params": params } },
            "requestState": question.state,
        });
        lock(&self.traffic).question(question);
        Action::Answer(answer::result(&key.id, &result))
    }

    /// A call that a client makes again with an answer to a question of the guard's own; `None`: it is no such call.
    pub(super) fn asked_again<'m>(
        &self,
        session: &Session<M>,
        bytes: &[u8],
        key: &Key,
        family: Family,
        params: Option<&RawValue>,
        guarded: &Guarded,
    ) -> Option<Action<'m>> {
        let state = guarded.rest.get("requestState")?.as_str()?;
        let Some(question) = lock(&self.traffic).asked(state) else {
            let is_ours = !self.settings.prefix.is_empty() && state.starts_with(&self.settings.prefix);
            let why = "the question that it answers is over; make the call again without `requestState`";
            let flaw = || Malformed { code: INVALID_PARAMS, why: why.to_owned(), is_json: true };
            return is_ours.then(|| self.refuse(Some(bytes), Some(&key.id), &flaw()));
        };
        if (question.family, &question.tool, &question.args) != (family, &guarded.tool, &guarded.args) {
            let text = format!("`{}` did not run: the answer is for another call.", shown(&guarded.tool));
            return Some(self.stop(&key.id, family, &text));
        }
        let Some(said) = guarded.rest.get("inputResponses").and_then(|all| all.get(QUESTION)) else {
            let question = Question { state: self.state(), ..question };
            let why = format!("`{}` did not run: a person has to approve it.", shown(&question.tool));
            return Some(self.round(key, question, &why));
        };
        let message = params.and_then(|params| without(bytes, params, &ROUND))?;
        let permit = answered(session, &question.request, said);
        Some(self.then(session, key, &message, question.call, permit))
    }

    pub(super) fn is_held(&self, lane: u64, id: &Id) -> bool {
        lock(&self.traffic).held.get(id).is_some_and(|held| held.key.lane == lane)
    }

    /// The client has answered a request of the guard's own.
    pub(super) fn answered<'m>(&self, session: &Session<M>, bytes: &[u8]) -> Action<'m> {
        let Ok(Message::Response { id: Some(ours), result }) = Message::read(bytes) else { return Action::Drop };
        let Some(held) = lock(&self.traffic).held.remove(&ours) else { return Action::Drop };
        let said = match result {
            Answer::Result(result) => reader::read(result.get().as_bytes()).unwrap_or(Value::Null),
            Answer::Error(_) => Value::Null,
        };
        let then = if held.is_void {
            self.outdated(held)
        } else {
            let permit = answered(session, &held.request, &said);
            self.decided(session, held, permit)
        };
        Action::Answered(Ticket(ours), Box::new(then))
    }

    /// What becomes of a message that waited for a person.
    fn decided(&self, session: &Session<M>, held: Held, permit: Result<Permit<M>, Refusal>) -> Action<'static> {
        let Held { key, message, call, .. } = held;
        let action = self.then(session, &key, &message, call, permit);
        self.once(&key, action)
    }

    /// What becomes of a call about which a person was asked.
    fn then(
        &self,
        session: &Session<M>,
        key: &Key,
        message: &[u8],
        call: String,
        permit: Result<Permit<M>, Refusal>,
    ) -> Action<'static> {
        // It was read before.
        let Ok(Message::Request { method, params, .. }) = Message::read(message) else { return Action::Drop };
        let Ok(Some(family)) = Family::of(&method) else { return Action::Drop };
        match (permit, Guarded::read(family, params)) {
            (Ok(permit), Ok(Guarded { tool, .. })) => {
                match self.admit(session, message, key, params, Admitted { family, tool, call, permit }) {
                    Action::Forward(message) => Action::Forward(Cow::Owned(message.into_owned())),
                    Action::Answer(answer) => Action::Answer(answer),
                    _ => Action::Drop,
                }
            }
            (Err(refusal), _) => self.stop(&key.id, family, refusal.text()),
            (Ok(_), Err(flaw)) => self.refuse(Some(message), Some(&key.id), &flaw),
        }
    }

    /// The answer to a call that a person was asked about under another contract.
    fn outdated(&self, held: Held) -> Action<'static> {
        let Held { key, message, request, .. } = held;
        let family = match Message::read(&message) {
            Ok(Message::Request { method, .. }) => Family::of(&method).ok().flatten(),
            _ => None,
        };
        let text = format!(
            "`{}` did not run: the contract was exchanged while a person was asked. Make the call again.",
            shown(request.tool())
        );
        let action = self.stop(&key.id, family.unwrap_or(Family::Tool), &text);
        self.once(&key, action)
    }

    /// Answers the requests for which no person answered in time, or that are no longer the question because another contract is
    /// in force. To be asked now and then.
    pub fn expire(&self, now: Time) -> Vec<(Ticket, Action<'static>)> {
        let session = self.session.read().unwrap_or_else(PoisonError::into_inner);
        let mut traffic = lock(&self.traffic);
        traffic.questions.retain(|question| question.request.expires() >= now);
        let is_over = |held: &Held| held.is_void || held.request.expires() < now;
        let over: Vec<Id> =
            traffic.held.iter().filter(|(_, held)| is_over(held)).map(|(ours, _)| ours.clone()).collect();
        let over: Vec<(Id, Held)> = over.into_iter().filter_map(|ours| traffic.held.remove_entry(&ours)).collect();
        drop(traffic);
        let each = over.into_iter().map(|(ours, held)| {
            let then = if held.is_void {
                self.outdated(held)
            } else {
                let refusal = session.deny(&held.request, Denial::new().at(now));
                self.decided(&session, held, Err(refusal))
            };
            (Ticket(ours), then)
        });
        each.collect()
    }
}

/// What becomes of a call after a person was asked: only a plain yes is one.
fn answered<M: Monitor>(session: &Session<M>, request: &ApprovalRequest, said: &Value) -> Result<Permit<M>, Refusal> {
    match said.get("action").and_then(Value::as_str) {
        Some("accept") => session.approve(request, Approval::new().by(CLIENTS_USER)),
        Some("decline") => Err(denied(session, request, Some(CLIENTS_USER.to_owned()), None)),
        _ => Err(denied(session, request, None, Some("the question was closed without an answer".to_owned()))),
    }
}

fn denied<M: Monitor>(
    session: &Session<M>,
    request: &ApprovalRequest,
    by: Option<String>,
    reason: Option<String>,
) -> Refusal {
    let denial = by.map_or_else(Denial::new, |by| Denial::new().by(by));
    session.deny(request, reason.map_or(denial.clone(), |reason| denial.reason(reason)))
}

/// Whether a client that elicits can show forms: one that names no modes can, since there were no others.
pub(super) fn offers_forms(elicitation: &Value) -> bool {
    elicitation.as_object().is_some_and(|modes| modes.is_empty() || modes.contains_key("form"))
}

/// The same, of what a client says of itself when it begins.
pub(super) fn elicits(initialize: Option<&RawValue>) -> bool {
    let capabilities = initialize.and_then(|params| member(params, "capabilities"));
    let elicitation = capabilities.and_then(|all| member(all, "elicitation"));
    elicitation.and_then(|raw| serde_json::from_str(raw.get()).ok()).is_some_and(|value: Value| offers_forms(&value))
}

/// What a person is asked. Without a `mode` it is a form, in every version of the protocol.
fn question(why: &str, args: &Value) -> Value {
    let args = args.to_string();
    let length = args.chars().count();
    let cut: String = args.chars().take(MOST_SHOWN).collect();
    let more = if length > MOST_SHOWN {
        format!("\n(These are the first {MOST_SHOWN} of {length} characters.)")
    } else {
        String::new()
    };
    let why: Vec<String> = why.lines().map(render::escape).collect();
    json!({
        "message": format!(
            "{}\nIt would run with: {}{more}\nMay it run, once, in exactly this form? To accept is to approve it.",
            why.join("\n"),
            render::escape(&cut)
        ),
        "requestedSchema": { "type": "object", "properties": {} },
    })
}

#[cfg(test)]
mod tests;
