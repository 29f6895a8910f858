//! Arguments of `doctor`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::Format;

/// Arguments of `doctor`.
#[derive(Debug, Args)]
pub struct Doctor {
    /// The configuration of a client, as JSON: its servers are checked, each started as the client starts it.
    #[arg(long, value_name = "FILE", conflicts_with = "command")]
    pub config: Option<PathBuf>,
    /// Only this server of the configuration. May be given several times.
    #[arg(long = "server", value_name = "NAME", requires = "config")]
    pub servers: Vec<String>,
    /// How long a server may take for all of its answers, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub timeout: u64,
    /// For people or for programs.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// What the client starts: the guard with its options, `--`, the server and its arguments.
    #[arg(last = true, required_unless_present = "config", value_name = "COMMAND")]
    pub command: Vec<OsString>,
}
