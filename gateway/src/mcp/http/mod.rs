//! A server that is reached over HTTP, with a guard in front of it that is reached over HTTP: MCP's Streamable HTTP, in both eras
//! of the protocol.
//!
//! INVARIANT: each session has a gate of its own, and nothing that a client sends reaches the server but through it. A request of
//! which nobody can tell the session is refused.

mod body;
mod door;
mod either;
mod event;
mod exchange;
mod loss;
mod mirror;
mod name;
mod reply;
mod serve;
mod service;
mod sessions;
mod upstream;
mod waiting;

pub use self::door::PATH;
pub use self::name::{SessionKey, SessionName};
pub use self::serve::{Guarded, Options};
pub use self::upstream::Upstream;
