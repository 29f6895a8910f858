//! Arguments of `mcp`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use contract_runtime::{Mode, OnError};

use super::Recording;

/// Arguments of `mcp`.
#[derive(Debug, Args)]
pub struct Mcp {
    /// The contract. SIGHUP loads it again.
    #[arg(long, value_name = "FILE", default_value = "contract.yaml")]
    pub contract: PathBuf,
    /// What patterns such as `files::read` call the server.
    #[arg(long, value_name = "NAME")]
    pub server: Option<String>,
    /// Who calls, for the record.
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// The trusted facts that the contract declares as `context`, as a JSON object.
    #[arg(long, value_name = "JSON")]
    pub context: Option<String>,
    /// Carry decisions out or only report them, whatever the contract says.
    #[arg(long, value_name = "enforce|shadow", value_parser = super::mode)]
    pub mode: Option<Mode>,
    /// Let calls run that the contract cannot decide because of an error, whatever its `on_error` says.
    #[arg(long, conflicts_with = "fail_closed")]
    pub fail_open: bool,
    /// Stop calls that the contract cannot decide because of an error, also those that read.
    #[arg(long)]
    pub fail_closed: bool,
    /// Answer a blocked call with a JSON-RPC error instead of a tool's result that says so.
    #[arg(long)]
    pub protocol_errors: bool,
    /// Let calls of a tool run although the server describes it otherwise than when it was listed first.
    #[arg(long)]
    pub allow_changed_tools: bool,
    /// The evidence that is left.
    #[command(flatten)]
    pub recording: Recording,
    /// The server, and its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

impl Mcp {
    /// What becomes of calls that cannot be decided, where the command line says so.
    #[must_use]
    pub fn on_error(&self) -> Option<OnError> {
        match (self.fail_open, self.fail_closed) {
            (true, _) => Some(OnError::Open),
            (false, true) => Some(OnError::Closed),
            (false, false) => None,
        }
    }
}

/// Arguments of the command that becomes a server.
#[derive(Debug, Args)]
pub struct Become {
    /// The server, and its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}
