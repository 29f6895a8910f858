//! The command line of Interlock, as a library so that tests can call its parts.
//!
//! INVARIANT: arguments and output only. What a contract means is decided in `contract-lang` and `contract-runtime`.

pub mod args;
mod command;
mod evidence;
mod export;
mod mcp;
mod output;
mod patch;
mod replace;
mod report;

pub use args::Cli;
pub use command::run;
pub use output::{Console, Exit, Stream};
