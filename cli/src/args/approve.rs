//! Arguments of `approve`.

use std::path::PathBuf;

use clap::Args;

use super::Format;

/// Arguments of `approve`.
#[derive(Debug, Args)]
pub struct Approve {
    /// The request to answer, by its name. Without it, the requests that wait are listed.
    #[arg(value_name = "REQUEST")]
    pub request: Option<String>,
    /// Say no.
    #[arg(long, requires = "request")]
    pub deny: bool,
    /// Why not: the agent is told.
    #[arg(long, value_name = "TEXT", requires = "deny")]
    pub reason: Option<String>,
    /// Who answers, for the record; who is logged in if left out.
    #[arg(long, value_name = "NAME", requires = "request")]
    pub by: Option<String>,
    /// Sign the answer with this private key (see `interlock keygen`): for guards with `--approver`.
    #[arg(long, value_name = "KEY", requires = "request")]
    pub key: Option<PathBuf>,
    /// The folder that was given to the guard as `--approvals`.
    #[arg(long, value_name = "DIR", default_value = "approvals")]
    pub dir: PathBuf,
    /// For people or for programs.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}
