//! The binary `interlock`, from outside.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "test code")]

mod bad_input;
mod corpus;
mod docs;
mod fmt;
mod replay;
mod run;
mod usage;
