//! The guard over HTTP, between a raw client and a server that the test is.

#![cfg(feature = "http")]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "test code"
)]

mod approvals;
mod eras;
mod faults;
mod network;
mod sessions;
mod streams;
