//! The binary `interlock`, from outside.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "test code"
)]

mod approve;
mod bad_input;
mod corpus;
mod demo;
mod diff;
mod docs;
mod evidence;
mod export;
mod fmt;
mod guard;
mod init;
mod journal;
#[cfg(all(unix, feature = "http"))]
mod listen;
mod recorded;
mod recording;
mod replay;
mod report;
mod run;
mod show;
mod test;
mod usage;
mod verify;
mod witness;
