//! Arguments of `why`.

use std::path::PathBuf;

use clap::Args;

use super::Format;

/// Arguments of `why`.
#[derive(Debug, Args)]
pub struct Why {
    /// The journal.
    pub journal: PathBuf,
    /// The number of the record: of a decision, an outcome, an event, the end of a session.
    pub seq: u64,
    /// The contract, if not the one that is recorded in the journal. It has to be the same version.
    #[arg(long, value_name = "FILE")]
    pub contract: Option<PathBuf>,
    /// For people or for programs.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}
