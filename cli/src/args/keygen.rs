//! Arguments of `keygen`.

use std::path::PathBuf;

use clap::Args;

use super::Format;

/// Arguments of `keygen`.
#[derive(Debug, Args)]
pub struct Keygen {
    /// Where to write the private key; the public one goes to the same name with `.pub`. Neither is ever overwritten.
    #[arg(short, long, value_name = "FILE", default_value = "interlock.key")]
    pub output: PathBuf,
    /// Print the verifier key for the checkpoints of this journal as well, for witnesses and other programs.
    #[arg(long)]
    pub journal: Option<PathBuf>,
    /// For people or for programs.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}
