//! Arguments of `diff`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Format;

/// Which differences are refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Refused {
    /// What the old version stops, hides or reports, and the new one does not, or perhaps does not.
    #[default]
    Loosened,
    /// What the new version stops, hides or reports, and the old one does not, or perhaps does not.
    Tightened,
    /// Any, and versions that are not proved equal.
    Any,
}

/// Arguments of `diff`.
#[derive(Debug, Args)]
pub struct Diff {
    /// The version before.
    pub old: PathBuf,
    /// The version after.
    pub new: PathBuf,
    /// For people or for programs.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Which differences are exit code 1.
    #[arg(long, value_enum, default_value_t)]
    pub deny: Refused,
    /// Write each session that shows a difference into this folder, as a trace that `replay` reads.
    #[arg(long, value_name = "DIR")]
    pub witness: Option<PathBuf>,
}
