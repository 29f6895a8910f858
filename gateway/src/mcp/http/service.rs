//! What becomes of a request.
//!
//! INVARIANT: a message goes to the server only as its session's gate says; every request gets an answer, or its client is gone.

use std::borrow::Cow;
use std::sync::Arc;

use contract_runtime::Monitor;
use hyper::body::{Bytes, Incoming};
use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_REQUEST_HEADERS, ALLOW, HeaderValue, ORIGIN, VARY,
};
use hyper::{HeaderMap, Method, Request, Response, StatusCode};
use tokio::sync::{Semaphore, watch};

use super::body::{self, Body, Unread};
use super::door::{Door, SESSION_ID};
use super::mirror::{Said, is_parameter};
use super::name::{Names, SessionKey, SessionName};
use super::reply;
use super::sessions::{NoSession, Sessions, Use};
use super::upstream::Upstream;
use super::waiting::Waiting;
use crate::mcp::gate::{Action, Gate, Ticket};
use crate::mcp::message::{INVALID_REQUEST, Id, Message};

/// A body from here on is decided about apart from the reactor.
const LARGE: usize = 64 * 1024;

/// All that requests share.
pub(super) struct Service<M: Monitor> {
    pub(super) upstream: Arc<Upstream>,
    pub(super) door: Door,
    pub(super) names: Names,
    pub(super) sessions: Sessions<M>,
    /// Whether decisions wait for a disk.
    pub(super) blocks: bool,
    pub(super) long: Semaphore,
    pub(super) closing: watch::Receiver<bool>,
}

/// What a posted message is, as far as its way goes.
struct Posted {
    id: Option<Id>,
    begins: bool,
    name: Option<SessionName>,
}

/// What the gate says, without the message.
enum Decided {
    AsItCame,
    Instead(Vec<u8>),
    Answer(Vec<u8>),
    Ask(Ticket, Vec<u8>),
    Answered(Ticket, Action<'static>),
    Drop,
}

impl<M: Monitor + 'static> Service<M>
where
    Gate<M>: Send + Sync,
{
    /// Runs what may take a while, or wait for a disk, so that others need not wait for it.
    pub(super) fn apart<T>(&self, size: usize, run: impl FnOnce() -> T) -> T {
        if self.blocks || size > LARGE { tokio::task::block_in_place(run) } else { run() }
    }

    /// Waits until the guard is asked to end.
    pub(super) async fn closed(&self) {
        let mut closing = self.closing.clone();
        // An error is the end, too.
        let _ = closing.wait_for(|closing| *closing).await;
    }

    /// Answers a request.
    pub(super) async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Response<Body> {
        let (head, body) = request.into_parts();
        let key = match self.names.key() {
            SessionKey::Header(name) => Some(name),
            _ => None,
        };
        if let Err((status, why)) = self.door.check(&head.method, &head.uri, &head.headers, key) {
            return reply::error(status, None, INVALID_REQUEST, &why);
        }
        let origin = head.headers.get(ORIGIN).cloned();
        let mut response = match head.method {
            Method::POST => self.post(head.headers, body).await,
            Method::GET | Method::DELETE => self.other(head.method, head.headers).await,
            Method::OPTIONS if origin.is_some() => preflight(&head.headers),
            _ => {
                let mut response = reply::error(
                    StatusCode::METHOD_NOT_ALLOWED,
                    None,
                    INVALID_REQUEST,
                    "there are `POST`, `GET` and `DELETE`",
                );
                response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, POST, DELETE"));
                response
            }
        };
        if let Some(origin) = origin {
            // It was looked at at the door.
            let headers = response.headers_mut();
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("mcp-session-id"));
            headers.append(VARY, HeaderValue::from_static("origin"));
        }
        response
    }

    async fn post(self: &Arc<Self>, headers: HeaderMap, body: Incoming) -> Response<Body> {
        let body = match body::request(body, &self.long).await {
            Ok(body) => body,
            Err(Unread::TooLong) => {
                let why = "the message was not passed on: it is longer than 64 MiB";
                return reply::error(StatusCode::PAYLOAD_TOO_LARGE, None, INVALID_REQUEST, why);
            }
            Err(Unread::Broken) => {
                let why = "the message was not passed on: it has no end";
                return reply::error(StatusCode::REQUEST_TIMEOUT, None, INVALID_REQUEST, why);
            }
        };
        let posted = match self.read(&headers, &body) {
            Ok(posted) => posted,
            Err(refused) => return *refused,
        };
        let used = match self.session(&headers, &posted) {
            Ok(used) => used,
            Err(refused) => return *refused,
        };
        let gives_id = posted.begins && !headers.contains_key(&SESSION_ID);
        let is_own = gives_id && *self.names.key() == SessionKey::Mcp;
        let mut waiting = Waiting::new(self, used, is_own);
        if headers.keys().any(is_parameter)
            && let Ok(message) = Message::read(&body)
            && let Err(why) = waiting.gate().check_parameters(&Said::of(&message), &headers)
        {
            return reply::error(StatusCode::BAD_REQUEST, posted.id.as_ref(), reply::MISMATCH, &why);
        }
        let decided = self.apart(body.len(), || match waiting.gate().client_said(waiting.lane(), &body) {
            Action::Forward(Cow::Borrowed(_)) => Decided::AsItCame,
            Action::Forward(Cow::Owned(message)) => Decided::Instead(message),
            Action::Answer(answer) => Decided::Answer(answer),
            Action::Ask(ticket, question) => Decided::Ask(ticket, question),
            Action::Answered(ticket, then) => Decided::Answered(ticket, *then),
            Action::Drop => Decided::Drop,
        });
        let mut headers = super::door::onward(headers);
        let begins = gives_id.then(|| posted.name.unwrap_or(SessionName::unnamed()));
        match decided {
            Decided::AsItCame => {
                waiting.id = posted.id;
                self.forward(waiting, headers, body, begins).await
            }
            Decided::Instead(message) => {
                waiting.id = posted.id;
                waiting.gate().mirror(&message, &mut headers);
                self.forward(waiting, headers, message.into(), begins).await
            }
            Decided::Answer(answer) => {
                // What is no request that can be answered is one that is refused as a whole.
                let is_refused = posted.id.is_none() || answer.starts_with(br#"{"jsonrpc":"2.0","id":null"#);
                reply::message(if is_refused { StatusCode::BAD_REQUEST } else { StatusCode::OK }, answer)
            }
            Decided::Ask(ticket, question) => {
                waiting.id = posted.id;
                self.ask(waiting, headers, ticket, question)
            }
            Decided::Answered(ticket, then) => {
                if let Err(Action::Forward(message)) = waiting.guard().tell(&ticket, then) {
                    // Whoever waited is gone in this moment. The call was admitted and will not run.
                    if let Ok(Message::Request { id, .. }) = Message::read(&message) {
                        self.apart(0, || waiting.gate().give_up(waiting.lane(), &id, "its client is gone"));
                    }
                }
                reply::accepted()
            }
            Decided::Drop if posted.id.is_some() => reply::bad_gateway(posted.id.as_ref(), "the session has ended"),
            Decided::Drop => reply::accepted(),
        }
    }

    /// Reads what its way depends on.
    fn read(&self, headers: &HeaderMap, body: &Bytes) -> Result<Posted, Box<Response<Body>>> {
        let message = Message::read(body).map_err(|flaw| {
            let why = format!("the message was not passed on: {}", flaw.why);
            reply::error(StatusCode::BAD_REQUEST, None, flaw.code, &why)
        })?;
        let said = Said::of(&message);
        let id = match &message {
            Message::Request { id, .. } => Some(id.clone()),
            _ => None,
        };
        if let Err(why) = said.check(headers) {
            return Err(Box::new(reply::error(StatusCode::BAD_REQUEST, id.as_ref(), reply::MISMATCH, &why)));
        }
        let name = self
            .names
            .of(headers, said.params)
            .map_err(|why| reply::error(StatusCode::BAD_REQUEST, id.as_ref(), reply::NO_SESSION, &why))?;
        let begins = id.is_some() && said.method == Some("initialize");
        Ok(Posted { id, begins, name })
    }

    /// The session of a request.
    fn session(&self, headers: &HeaderMap, posted: &Posted) -> Result<Use<M>, Box<Response<Body>>> {
        let id = posted.id.as_ref();
        if let Some(used) = self.bound(headers, id, posted.name.as_ref())? {
            return Ok(used);
        }
        let started = match &posted.name {
            Some(name) => self.apart(0, || self.sessions.by_name(name)),
            None if *self.names.key() == SessionKey::Mcp && posted.begins => self.apart(0, || self.sessions.unnamed()),
            None => {
                let why = format!(
                    "nobody can tell which session this is: sessions are told apart by {}{}",
                    self.names.key(),
                    match self.names.key() {
                        SessionKey::Mcp => {
                            "; for a protocol without sessions start the guard with another key, `--session`"
                        }
                        _ => "",
                    }
                );
                return Err(Box::new(reply::error(StatusCode::BAD_REQUEST, id, reply::NO_SESSION, &why)));
            }
        };
        started.map_err(|error| {
            Box::new(match error {
                NoSession::TooMany => reply::error(
                    StatusCode::SERVICE_UNAVAILABLE,
                    id,
                    reply::NO_SESSION,
                    "there are too many sessions; one ends when it was idle for some time",
                ),
                NoSession::Failed(why) => {
                    let why = format!("the session cannot be started: {why}");
                    reply::error(StatusCode::INTERNAL_SERVER_ERROR, id, reply::NO_SESSION, &why)
                }
            })
        })
    }

    /// The session that the server has given an id, if the request has one.
    fn bound(
        &self,
        headers: &HeaderMap,
        id: Option<&Id>,
        name: Option<&SessionName>,
    ) -> Result<Option<Use<M>>, Box<Response<Body>>> {
        let Some(session) = headers.get(&SESSION_ID) else { return Ok(None) };
        let found = session.to_str().ok().and_then(|session| self.sessions.by_id(session));
        let Some((used, began)) = found else {
            let why = "there is no such session; begin a new one";
            return Err(Box::new(reply::error(StatusCode::NOT_FOUND, id, reply::NO_SESSION, why)));
        };
        if name.is_some_and(|name| *name != began) {
            let why = format!("{} is another one than when the session began", self.names.key());
            return Err(Box::new(reply::error(StatusCode::BAD_REQUEST, id, reply::NO_SESSION, &why)));
        }
        Ok(Some(used))
    }

    /// A stream of what the server says by itself, or the end of a session.
    async fn other(self: &Arc<Self>, method: Method, headers: HeaderMap) -> Response<Body> {
        let refuse = |why: &str| reply::error(StatusCode::BAD_REQUEST, None, reply::NO_SESSION, why);
        let name = match self.names.of(&headers, None) {
            Ok(name) => name,
            Err(why) => return refuse(&why),
        };
        let used = match (self.bound(&headers, None, name.as_ref()), &name) {
            (Err(refused), _) => return *refused,
            (Ok(Some(used)), _) => used,
            (Ok(None), Some(name)) if method == Method::GET => match self.apart(0, || self.sessions.by_name(name)) {
                Ok(used) => used,
                Err(_) => return reply::error(StatusCode::SERVICE_UNAVAILABLE, None, reply::NO_SESSION, "no session"),
            },
            _ => return refuse("nobody can tell which session this is"),
        };
        let session = headers.get(&SESSION_ID).and_then(|id| id.to_str().ok()).map(str::to_owned);
        let waiting = Waiting::new(self, used, false);
        self.pass(waiting, method, super::door::onward(headers), session).await
    }
}

fn preflight(headers: &HeaderMap) -> Response<Body> {
    let mut response = reply::response(StatusCode::NO_CONTENT, HeaderMap::new(), Body::empty());
    response.headers_mut().insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST, DELETE"));
    if let Some(wanted) = headers.get(ACCESS_CONTROL_REQUEST_HEADERS) {
        response.headers_mut().insert(ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
    }
    response
}
