//! Arguments of `demo`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// How fast the demonstration goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Speed {
    /// With time to read.
    Slow,
    /// At once.
    #[default]
    Instant,
}

/// Arguments of `demo`.
#[derive(Debug, Args)]
pub struct Demo {
    /// Where to write: a folder that is not there yet, or has no journal. A fresh temporary one if left out.
    #[arg(long)]
    pub dir: Option<PathBuf>,
    /// With time to read each step, or at once.
    #[arg(long, value_enum, default_value_t)]
    pub speed: Speed,
}
