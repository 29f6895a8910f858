//! The way to the server and back.
//!
//! INVARIANT: what the server says of a request goes through the gate before any of it is seen by the client; streams go on event
//! by event. A redirection never goes on: whoever follows it is past the guard.

use std::borrow::Cow;
use std::sync::Arc;

use contract_runtime::Monitor;
use hyper::body::{Bytes, Incoming};
use hyper::header::{ALT_SVC, CONTENT_ENCODING, CONTENT_TYPE};
use hyper::{HeaderMap, Method, Request, Response, StatusCode};
use tokio::sync::{mpsc, oneshot};

use super::body::{self, Body};
use super::door::{SESSION_ID, back, is_type};
use super::either::{Either, either};
use super::event::{Event, Events};
use super::name::{SessionKey, SessionName};
use super::reply;
use super::service::Service;
use super::upstream::{Failure, Lease};
use super::waiting::Waiting;
use crate::mcp::LONGEST;
use crate::mcp::gate::{Action, Gate, Ticket};
use crate::mcp::message::Message;

/// How many parts of a stream may wait for their client.
const AHEAD: usize = 8;

/// Why a call has no known end.
const UNKNOWN: &str = "nobody knows whether it ran";

/// What a response holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    Message,
    Events,
    Other,
    /// Something that nobody here can read, or should follow.
    Unfit(&'static str),
}

impl Holds {
    fn of(status: StatusCode, headers: &HeaderMap) -> Self {
        if status.is_redirection() || status.is_informational() {
            return Self::Unfit("the server sends the client elsewhere");
        }
        if headers.get(CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity") {
            return Self::Unfit("the server's answer is compressed, although that was not asked for");
        }
        let mut types = headers.get_all(CONTENT_TYPE).iter();
        match (types.next(), types.next()) {
            (_, Some(_)) => Self::Unfit("the server's answer has two types"),
            (Some(value), None) if is_type(value, "application/json") => Self::Message,
            (Some(value), None) if is_type(value, "text/event-stream") => Self::Events,
            _ => Self::Other,
        }
    }
}

impl<M: Monitor + 'static> Service<M>
where
    Gate<M>: Send + Sync,
{
    async fn send(
        &self,
        method: Method,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<(Response<Incoming>, Lease), Failure> {
        let mut request = Request::new(Body::Whole(body));
        *request.method_mut() = method;
        *request.headers_mut() = headers;
        self.upstream.send(request).await
    }

    /// Sends a message to the server. `begins`: it begins a session of this name, to which the server may give an id.
    pub(super) async fn forward(
        self: &Arc<Self>,
        mut waiting: Waiting<M>,
        headers: HeaderMap,
        body: Bytes,
        begins: Option<SessionName>,
    ) -> Response<Body> {
        let session = headers.get(&SESSION_ID).cloned();
        let (response, lease) = match self.send(Method::POST, headers, body).await {
            Ok(answered) => answered,
            Err(failure) => return Self::failed(&mut waiting, &failure),
        };
        let (head, body) = response.into_parts();
        if head.status == StatusCode::NOT_FOUND
            && let Some(session) = session.and_then(|session| session.to_str().map(str::to_owned).ok())
        {
            let id = waiting.id.clone();
            let _ = waiting.fail("the server knows no such session");
            self.apart(0, || self.sessions.unbind(&session, "the server has ended the session"));
            return reply::error(
                StatusCode::NOT_FOUND,
                id.as_ref(),
                reply::NO_SESSION,
                "there is no such session; begin a new one",
            );
        }
        if head.status.is_success()
            && let Some(name) = begins
            && let Err(why) = self.begin(&mut waiting, &head.headers, &name)
        {
            let id = waiting.id.clone();
            let _ = waiting.give_up(why);
            return reply::error(StatusCode::BAD_GATEWAY, id.as_ref(), reply::NO_SESSION, why);
        }
        match Holds::of(head.status, &head.headers) {
            Holds::Unfit(why) => Self::unanswered(&mut waiting, why),
            Holds::Events if head.status.is_success() => {
                let (to, from) = mpsc::channel(AHEAD);
                let service = Arc::clone(self);
                tokio::spawn(async move { service.relay(&mut waiting, body, lease, &to).await });
                reply::response(head.status, back_to(head.headers), Body::Flow(from))
            }
            holds => {
                let Ok(body) = body::response(body).await else {
                    return Self::unanswered(
                        &mut waiting,
                        "the connection to the server broke in the middle of its answer",
                    );
                };
                lease.give_back();
                self.whole(&mut waiting, head.status, head.headers, body, holds)
            }
        }
    }

    /// Notes the id that the server gives a session.
    fn begin(&self, waiting: &mut Waiting<M>, headers: &HeaderMap, name: &SessionName) -> Result<(), &'static str> {
        let mut ids = headers.get_all(&SESSION_ID).iter();
        match (ids.next(), ids.next()) {
            (Some(id), None) => {
                let Ok(id) = id.to_str() else { return Err("the server gives the session an id that is not ASCII") };
                if !self.sessions.bind(id, &mut waiting.used, name) {
                    return Err("the server gives the session the id of another one");
                }
                waiting.is_own = false;
                Ok(())
            }
            (None, _) if *self.names.key() == SessionKey::Mcp => Err(
                "the server gives no session an id, so nobody can tell them apart; start the guard with another key, \
                     `--session`",
            ),
            (None, _) => Ok(()),
            _ => Err("the server gives the session two ids"),
        }
    }

    /// The answer where there is no response.
    fn failed(waiting: &mut Waiting<M>, failure: &Failure) -> Response<Body> {
        let id = waiting.id.clone();
        let why = failure.to_string();
        match failure {
            Failure::NotSent(_) => {
                let _ = waiting.fail(&why);
                reply::bad_gateway(id.as_ref(), &why)
            }
            Failure::Lost => Self::unanswered(waiting, &why),
        }
    }

    /// The answer where the server's is none.
    fn unanswered(waiting: &mut Waiting<M>, why: &str) -> Response<Body> {
        let id = waiting.id.clone();
        let _ = waiting.give_up(why);
        reply::bad_gateway(id.as_ref(), &if id.is_some() { format!("{why}: {UNKNOWN}") } else { why.to_owned() })
    }

    /// A response that came as a whole.
    fn whole(
        &self,
        waiting: &mut Waiting<M>,
        status: StatusCode,
        headers: HeaderMap,
        body: Bytes,
        holds: Holds,
    ) -> Response<Body> {
        let is_message = holds == Holds::Message && Message::read(&body).is_ok();
        if is_message {
            let onward = self.seen(waiting, &body);
            let id = waiting.id.clone();
            // What answers another request, or none, is no answer to this one.
            let is_answered = waiting.give_up("the server answered something else").is_none();
            return match onward {
                Some(message) if is_answered => reply::response(status, back_to(headers), Body::Whole(message)),
                _ if id.is_none() && status.is_success() => reply::accepted(),
                _ => reply::bad_gateway(id.as_ref(), &format!("the server answered something else: {UNKNOWN}")),
            };
        }
        if status.is_success() {
            return if waiting.id.is_some() {
                Self::unanswered(waiting, "the server's answer is no message")
            } else {
                // Of what is no answer, only that it was taken is for the client.
                reply::response(status, without_body(headers), Body::empty())
            };
        }
        let why = format!("the server refuses it: {status}");
        // What a server refuses it has not done; what it fails at, perhaps.
        let is_refusal = status.is_client_error() && status != StatusCode::REQUEST_TIMEOUT;
        let _ = if is_refusal { waiting.fail(&why) } else { waiting.give_up(&why) };
        reply::response(status, back_to(headers), Body::Whole(body))
    }

    /// What the client sees of a message of the server.
    fn seen(&self, waiting: &Waiting<M>, message: &Bytes) -> Option<Bytes> {
        self.apart(message.len(), || match waiting.gate().server_said(waiting.lane(), message) {
            Action::Forward(Cow::Borrowed(_)) => Some(message.clone()),
            Action::Forward(Cow::Owned(instead)) => Some(instead.into()),
            _ => None,
        })
    }

    /// Passes events on as they come, until the stream ends or the client is gone.
    async fn relay(
        self: &Arc<Self>,
        waiting: &mut Waiting<M>,
        mut body: Incoming,
        lease: Lease,
        to: &mpsc::Sender<Bytes>,
    ) {
        let mut events = Events::default();
        // Whether the client can come back for what it missed.
        let mut resumes = false;
        let mut is_whole = false;
        // A stream of what the server says by itself has no end of its own.
        let is_own = waiting.id.is_some();
        loop {
            let over = async {
                if is_own {
                    to.closed().await
                } else {
                    let _ = either(to.closed(), self.closed()).await;
                }
            };
            let part = match either(over, body::part(&mut body)).await {
                Either::One(()) => {
                    if resumes {
                        waiting.id = None;
                    }
                    return;
                }
                Either::Other(Some(Ok(part))) => part,
                Either::Other(Some(Err(_))) => break,
                Either::Other(None) => {
                    is_whole = true;
                    break;
                }
            };
            events.push(&part);
            let mut wire = Vec::with_capacity(part.len());
            while let Some(event) = events.next() {
                resumes |= event.has_id;
                wire.extend_from_slice(&self.event(waiting, event));
            }
            if (!wire.is_empty() && to.send(wire.into()).await.is_err()) || events.waiting() > LONGEST {
                break;
            }
        }
        if is_whole {
            lease.give_back();
        }
        if resumes {
            // The answer may come when the client comes back.
            waiting.id = None;
        } else if let Some(answer) = waiting.give_up("the server's answer ends before it is complete") {
            // The client may be gone as well.
            let _ = to.send(Event::of(&answer).into()).await;
        }
    }

    /// An event, as the client sees it.
    fn event(&self, waiting: &Waiting<M>, event: Event) -> Vec<u8> {
        let Some(message) = event.message() else { return event.into_raw() };
        let decided = self.apart(message.len(), || match waiting.gate().server_said(waiting.lane(), message) {
            Action::Forward(Cow::Borrowed(_)) => Ok(()),
            Action::Forward(Cow::Owned(instead)) => Err(Some(instead)),
            _ => Err(None),
        });
        match decided {
            Ok(()) => event.into_raw(),
            Err(instead) => event.with(instead.as_deref()),
        }
    }

    /// Asks the client's person, and goes on when the answer is there.
    pub(super) fn ask(
        self: &Arc<Self>,
        waiting: Waiting<M>,
        headers: HeaderMap,
        ticket: Ticket,
        question: Vec<u8>,
    ) -> Response<Body> {
        let told = waiting.guard().wait(ticket.clone());
        let (to, from) = mpsc::channel(AHEAD);
        let service = Arc::clone(self);
        tokio::spawn(async move { service.asked(waiting, headers, &ticket, question, told, &to).await });
        reply::events(Body::Flow(from))
    }

    async fn asked(
        self: &Arc<Self>,
        mut waiting: Waiting<M>,
        headers: HeaderMap,
        ticket: &Ticket,
        question: Vec<u8>,
        told: oneshot::Receiver<Action<'static>>,
        to: &mpsc::Sender<Bytes>,
    ) {
        let say = async |message: &[u8]| {
            // Without a client there is nobody to tell.
            let _ = to.send(Event::of(message).into()).await;
        };
        say(&question).await;
        let then = match either(to.closed(), told).await {
            Either::One(()) => {
                waiting.guard().forget(ticket);
                return;
            }
            Either::Other(then) => then,
        };
        match then {
            Ok(Action::Forward(message)) => self.resume(&mut waiting, headers, message.into_owned().into(), to).await,
            Ok(Action::Answer(answer)) => {
                waiting.id = None;
                say(&answer).await;
            }
            _ => {
                let id = waiting.id.clone();
                let answer = waiting.give_up("the session has ended");
                let late =
                    || crate::mcp::answer::error(id.as_ref(), crate::mcp::answer::UPSTREAM, "the session has ended");
                say(&answer.unwrap_or_else(late)).await;
            }
        }
    }

    /// Sends a message that waited for a person, and answers in the stream that is open.
    async fn resume(
        self: &Arc<Self>,
        waiting: &mut Waiting<M>,
        mut headers: HeaderMap,
        message: Bytes,
        to: &mpsc::Sender<Bytes>,
    ) {
        waiting.gate().mirror(&message, &mut headers);
        let sent = match either(to.closed(), self.send(Method::POST, headers, message)).await {
            Either::One(()) => return,
            Either::Other(sent) => sent,
        };
        let answer = match sent {
            Err(failure @ Failure::NotSent(_)) => waiting.fail(&failure.to_string()),
            Err(failure @ Failure::Lost) => waiting.give_up(&failure.to_string()),
            Ok((response, lease)) => {
                let (head, body) = response.into_parts();
                match Holds::of(head.status, &head.headers) {
                    Holds::Events if head.status.is_success() => return self.relay(waiting, body, lease, to).await,
                    Holds::Message => match either(to.closed(), body::response(body)).await {
                        Either::One(()) => return,
                        Either::Other(Ok(body)) => {
                            lease.give_back();
                            let onward = self.seen(waiting, &body);
                            let missing = waiting.give_up("the server answered something else");
                            missing.or_else(|| onward.map(|message| message.to_vec()))
                        }
                        Either::Other(Err(_)) => waiting.give_up("the connection to the server broke"),
                    },
                    _ if head.status.is_client_error() => {
                        waiting.fail(&format!("the server refuses it: {}", head.status))
                    }
                    _ => waiting.give_up("the server's answer is no message"),
                }
            }
        };
        if let Some(answer) = answer {
            // Without a client there is nobody to tell.
            let _ = to.send(Event::of(&answer).into()).await;
        }
    }

    /// Passes on a request that is no message: for a stream, or for the end of a session.
    pub(super) async fn pass(
        self: &Arc<Self>,
        mut waiting: Waiting<M>,
        method: Method,
        headers: HeaderMap,
        session: Option<String>,
    ) -> Response<Body> {
        let is_end = method == Method::DELETE;
        let (response, lease) = match self.send(method, headers, Bytes::new()).await {
            Ok(answered) => answered,
            Err(failure) => return reply::bad_gateway(None, &failure.to_string()),
        };
        let (head, body) = response.into_parts();
        let is_over = head.status == StatusCode::NOT_FOUND || (is_end && head.status.is_success());
        if is_over && let Some(session) = session {
            let why = if is_end { "the client has ended the session" } else { "the server has ended the session" };
            self.apart(0, || self.sessions.unbind(&session, why));
        }
        match Holds::of(head.status, &head.headers) {
            Holds::Unfit(why) => reply::bad_gateway(None, why),
            Holds::Events if head.status.is_success() && !is_end => {
                let (to, from) = mpsc::channel(AHEAD);
                let service = Arc::clone(self);
                tokio::spawn(async move { service.relay(&mut waiting, body, lease, &to).await });
                reply::response(head.status, back_to(head.headers), Body::Flow(from))
            }
            // What stands in the place of a stream could hold what the gate must see.
            _ if head.status.is_success() => reply::response(head.status, without_body(head.headers), Body::empty()),
            _ => match body::response(body).await {
                Ok(body) => {
                    lease.give_back();
                    reply::response(head.status, back_to(head.headers), Body::Whole(body))
                }
                Err(_) => reply::bad_gateway(None, "the connection to the server broke in the middle of its answer"),
            },
        }
    }
}

/// The headers of a response, without those that would lead the client past the guard.
fn back_to(headers: HeaderMap) -> HeaderMap {
    let mut headers = back(headers);
    headers.remove(ALT_SVC);
    headers
}

fn without_body(headers: HeaderMap) -> HeaderMap {
    let mut headers = back_to(headers);
    headers.remove(CONTENT_TYPE);
    headers
}
