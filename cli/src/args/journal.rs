//! Arguments of `journal`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Format;

/// What can be done to a journal.
#[derive(Debug, Subcommand)]
pub enum Journal {
    /// Go on after a break that a person accepts, by a record that says so
    ///
    /// The broken files stay as they are, as `JOURNAL.broken-1`. A new journal begins in their place; its second record names
    /// them by their hash, with what is wrong and the reason given, and is signed.
    #[command(
        after_help = "Exit codes: 0 a new journal was begun; 1 the journal holds; 2 it cannot be read, moved or written."
    )]
    Reanchor(Reanchor),
}

/// Arguments of `journal reanchor`.
#[derive(Debug, Args)]
pub struct Reanchor {
    /// The journal.
    pub journal: PathBuf,
    /// Why it is all right to go on, for those who read the new journal.
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
    /// The private key that signs the new journal; without one it is not signed.
    #[arg(long, value_name = "KEY")]
    pub key: Option<PathBuf>,
    /// For people or for programs.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}
