//! Arguments of `mcp`.

use std::ffi::OsString;
#[cfg(feature = "http")]
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use contract_runtime::journal::PublicKey;
use contract_runtime::{Mode, OnError};
#[cfg(feature = "http")]
use interlock_gateway::mcp::http::SessionKey;

use super::Recording;

/// Arguments of `mcp`.
#[derive(Clone, Debug, Args)]
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
    /// Let calls of a tool run although the server describes it otherwise than when it was looked at, or did not have it then.
    #[arg(long)]
    pub allow_changed_tools: bool,
    /// Where calls wait that a person has to approve whom the client cannot ask (see `interlock approve`).
    #[arg(long, value_name = "DIR")]
    pub approvals: Option<PathBuf>,
    /// Only these people approve, wherever they are: those with the private keys to these public keys, or files with one. The
    /// client is not asked then. May be given several times.
    #[arg(long = "approver", value_name = "KEY", requires = "approvals", value_parser = super::keys::public_key)]
    pub approvers: Vec<PublicKey>,
    /// What the server's tools were when somebody looked at them. A file that is not there is written from the first list.
    #[arg(long, value_name = "FILE")]
    pub pins: Option<PathBuf>,
    /// Leave tools out of the server's lists that the contract can never let run.
    #[arg(long)]
    pub hide_blocked: bool,
    /// The evidence that is left.
    #[command(flatten)]
    pub recording: Recording,
    /// A guard that listens.
    #[cfg(feature = "http")]
    #[command(flatten)]
    pub http: Http,
    /// The server, and its arguments.
    #[arg(last = true, value_name = "COMMAND")]
    #[cfg_attr(not(feature = "http"), arg(required = true))]
    #[cfg_attr(feature = "http", arg(required_unless_present = "listen", conflicts_with = "listen"))]
    pub command: Vec<OsString>,
}

/// Arguments of a guard that listens.
#[cfg(feature = "http")]
#[derive(Clone, Debug, Args)]
pub struct Http {
    /// Listen for clients over HTTP instead of running a server: the path is `/mcp`, and port 0 is any that is free.
    #[arg(long, value_name = "ADDRESS:PORT", requires = "upstream")]
    pub listen: Option<SocketAddr>,
    /// The server, which is reached over HTTP as well.
    #[arg(long, value_name = "URL", requires = "listen")]
    pub upstream: Option<String>,
    /// The certificates by which the server's is checked, in PEM, instead of those that browsers trust.
    #[arg(long, value_name = "FILE", requires = "upstream")]
    pub upstream_ca: Option<PathBuf>,
    /// By what sessions are told apart.
    #[arg(
        long,
        value_name = "mcp|header:NAME|meta:KEY|bearer",
        default_value = "mcp",
        value_parser = SessionKey::parse,
        requires = "listen"
    )]
    pub session: SessionKey,
    /// A name by which clients reach this host, besides those of the address.
    #[arg(long, value_name = "NAME", requires = "listen")]
    pub allow_host: Vec<String>,
    /// The origin of a page that may use the guard.
    #[arg(long, value_name = "ORIGIN", requires = "listen")]
    pub allow_origin: Vec<String>,
    /// Most sessions at a time.
    #[arg(long, value_name = "NUMBER", default_value_t = 1_000, requires = "listen")]
    pub max_sessions: usize,
    /// After how many seconds a session ends that nobody uses.
    #[arg(long, value_name = "SECONDS", default_value_t = 1_800, requires = "listen")]
    pub idle: u64,
    /// How many seconds requests may take to end when the guard is asked to.
    #[arg(long, value_name = "SECONDS", default_value_t = 5, requires = "listen")]
    pub grace: u64,
}

#[cfg(feature = "http")]
impl Http {
    /// A flag that was given, and means nothing to a guard that does not listen. (A command takes the place of `--listen`, so that
    /// no flag can require the one beside the other.)
    #[must_use]
    pub fn in_vain(&self) -> Option<&'static str> {
        let given = [
            (self.upstream.is_some(), "--upstream"),
            (self.upstream_ca.is_some(), "--upstream-ca"),
            (self.session != SessionKey::Mcp, "--session"),
            (!self.allow_host.is_empty(), "--allow-host"),
            (!self.allow_origin.is_empty(), "--allow-origin"),
        ];
        given.into_iter().find_map(|(is_given, flag)| is_given.then_some(flag))
    }
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
