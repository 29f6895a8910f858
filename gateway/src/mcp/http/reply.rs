//! Responses of the guard's own.

use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use hyper::{HeaderMap, Response, StatusCode};

use super::body::Body;
use crate::mcp::answer;
use crate::mcp::message::Id;

/// What a JSON-RPC error calls itself: headers say something else than the message.
pub(super) const MISMATCH: i64 = -32020;

/// What a JSON-RPC error calls itself: nobody can tell which session it is.
pub(super) const NO_SESSION: i64 = -32012;

/// A response with these parts.
pub(super) fn response(status: StatusCode, headers: HeaderMap, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

/// A response with a message.
pub(super) fn message(status: StatusCode, message: Vec<u8>) -> Response<Body> {
    let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
    response(status, headers, Body::Whole(message.into()))
}

/// A response with an error.
pub(super) fn error(status: StatusCode, id: Option<&Id>, code: i64, why: &str) -> Response<Body> {
    message(status, answer::error(id, code, why))
}

/// The server is gone, or did not answer as it must.
pub(super) fn bad_gateway(id: Option<&Id>, why: &str) -> Response<Body> {
    error(StatusCode::BAD_GATEWAY, id, answer::UPSTREAM, why)
}

/// Nothing more is to be said.
pub(super) fn accepted() -> Response<Body> {
    response(StatusCode::ACCEPTED, HeaderMap::new(), Body::empty())
}

/// A response that brings events.
pub(super) fn events(body: Body) -> Response<Body> {
    let headers = HeaderMap::from_iter([
        (CONTENT_TYPE, HeaderValue::from_static("text/event-stream")),
        (CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform")),
    ]);
    response(StatusCode::OK, headers, body)
}
