//! Bodies of messages, in and out.
//!
//! INVARIANT: no body is kept that is longer than [`LONGEST`], and only a few long ones at a time.

use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Body as _, Bytes, Frame, Incoming, SizeHint};
use tokio::sync::{Semaphore, mpsc};

use crate::mcp::LONGEST;

/// A body from here on is long.
const LONG: usize = 1024 * 1024;

/// How long the other side may be silent in the middle of a body of a request.
const SILENCE: Duration = Duration::from_secs(30);

/// A body that goes out.
#[derive(Debug)]
pub(super) enum Body {
    /// All of it.
    Whole(Bytes),
    /// What comes in time.
    Flow(mpsc::Receiver<Bytes>),
}

impl Body {
    pub(super) const fn empty() -> Self {
        Self::Whole(Bytes::new())
    }
}

impl hyper::body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.get_mut() {
            Self::Whole(bytes) if bytes.is_empty() => Poll::Ready(None),
            Self::Whole(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            Self::Flow(parts) => parts.poll_recv(context).map(|part| part.map(|part| Ok(Frame::data(part)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole(bytes) if bytes.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => SizeHint::with_exact(u64::try_from(bytes.len()).unwrap_or(u64::MAX)),
            Self::Flow(_) => SizeHint::default(),
        }
    }
}

/// Why there is no body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unread {
    TooLong,
    /// Its connection broke, or nothing came for too long.
    Broken,
}

/// The next part of a body.
pub(super) async fn part(body: &mut Incoming) -> Option<Result<Bytes, Unread>> {
    loop {
        match poll_fn(|context| pin!(&mut *body).poll_frame(context)).await? {
            Ok(frame) => {
                if let Ok(part) = frame.into_data() {
                    return Some(Ok(part));
                }
            }
            Err(_) => return Some(Err(Unread::Broken)),
        }
    }
}

/// Reads a whole body of a client, of which few long ones are read at a time.
pub(super) async fn request(body: Incoming, long: &Semaphore) -> Result<Bytes, Unread> {
    whole(body, Some(SILENCE), Some(long)).await
}

/// Reads a whole body of the server, which may take its time.
pub(super) async fn response(body: Incoming) -> Result<Bytes, Unread> {
    whole(body, None, None).await
}

async fn whole(mut body: Incoming, silence: Option<Duration>, long: Option<&Semaphore>) -> Result<Bytes, Unread> {
    let hint = body.size_hint();
    let announced = usize::try_from(hint.lower()).unwrap_or(usize::MAX);
    if announced > LONGEST {
        return Err(Unread::TooLong);
    }
    let mut held = None;
    let mut all: Option<Vec<u8>> = None;
    let mut first = Bytes::new();
    loop {
        let next = match silence {
            Some(silence) => match tokio::time::timeout(silence, part(&mut body)).await {
                Ok(next) => next,
                Err(_) => return Err(Unread::Broken),
            },
            None => part(&mut body).await,
        };
        let Some(next) = next else { break };
        let next = next?;
        let length = all.as_ref().map_or(first.len(), Vec::len).saturating_add(next.len());
        if length > LONGEST {
            return Err(Unread::TooLong);
        }
        if length > LONG
            && held.is_none()
            && let Some(long) = long
        {
            held = long.acquire().await.ok();
        }
        match &mut all {
            Some(all) => all.extend_from_slice(&next),
            // Most bodies come in one part.
            None if first.is_empty() => first = next,
            None => {
                let mut bytes = Vec::with_capacity(length.max(announced.min(LONG)));
                bytes.extend_from_slice(&first);
                bytes.extend_from_slice(&next);
                all = Some(bytes);
            }
        }
    }
    Ok(all.map_or(first, Bytes::from))
}
