//! Arguments of `show`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use contract_runtime::Time;
use contract_runtime::journal::record::KINDS;

use super::{Format, time};

/// Arguments of `show`.
#[derive(Debug, Args)]
pub struct Show {
    /// The journal.
    pub journal: PathBuf,
    /// Only these sessions: a name, or a glob such as `s*`. May be given several times, like each of these.
    #[arg(long, value_name = "GLOB")]
    pub session: Vec<String>,
    /// Only sessions of these agents, and calls of these sub-agents.
    #[arg(long, value_name = "GLOB")]
    pub agent: Vec<String>,
    /// Only calls of these tools, as in patterns: `send_*`, `bank::*`.
    #[arg(long, value_name = "GLOB")]
    pub tool: Vec<String>,
    /// Only what these rules had to say something about.
    #[arg(long, value_name = "GLOB")]
    pub rule: Vec<String>,
    /// Only calls that were decided so.
    #[arg(long, value_name = "DECISION", value_parser = PossibleValuesParser::new(["allow", "alert", "ask", "block"]))]
    pub decision: Vec<String>,
    /// Only records of these kinds.
    #[arg(long, value_name = "KIND", value_parser = PossibleValuesParser::new(KINDS.iter().map(|kind| kind.name)))]
    pub kind: Vec<String>,
    /// Only from this time on, such as `2026-01-01T10:00:00Z`.
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub since: Option<Time>,
    /// Only before this time.
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub until: Option<Time>,
    /// Go on with what is written from now on, until stopped.
    #[arg(short, long)]
    pub follow: bool,
    /// For people or for programs.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}
