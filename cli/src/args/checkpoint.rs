//! Arguments of `checkpoint`.

use std::path::PathBuf;

use clap::Args;

use super::Format;

/// Arguments of `checkpoint`.
#[derive(Debug, Args)]
pub struct Checkpoint {
    /// The journal.
    pub journal: PathBuf,
    /// The private key to sign with.
    #[arg(long, value_name = "FILE")]
    pub key: PathBuf,
    /// Where to write the checkpoint; `<journal>.checkpoint` if left out. One that is there must be an earlier one of the same
    /// journal.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// For people or for programs.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}
