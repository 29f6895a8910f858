//! The Model Context Protocol, as a client of a server that runs as a child and speaks JSON-RPC in lines.
//!
//! INVARIANT: a server may be broken or hostile. Lines, messages and pages are bounded, everything ends at a deadline, and the
//! child is ended and reaped whatever happens.

mod child;
mod client;
mod error;

pub(crate) use self::client::{Answer, Client};
pub(crate) use self::error::McpError;
