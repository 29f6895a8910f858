//! Which of two things happens first.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

/// The first of two to come.
#[derive(Debug)]
pub(super) enum Either<A, B> {
    One(A),
    Other(B),
}

/// Waits for one of two. If both are there, the one counts.
pub(super) async fn either<A, B>(one: impl Future<Output = A>, other: impl Future<Output = B>) -> Either<A, B> {
    let mut one = pin!(one);
    let mut other = pin!(other);
    poll_fn(|context| {
        if let Poll::Ready(one) = one.as_mut().poll(context) {
            return Poll::Ready(Either::One(one));
        }
        other.as_mut().poll(context).map(Either::Other)
    })
    .await
}
