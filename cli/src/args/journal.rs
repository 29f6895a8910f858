//! Arguments of `journal`.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
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
    /// Go on in a new file now
    ///
    /// The file so far becomes `JOURNAL.1`, `JOURNAL.2` and so on. The new one begins with its last hash, so that one chain goes
    /// through all of them.
    #[command(after_help = "Exit codes: 0 a new file was begun; 2 the journal cannot be continued, or is in use.")]
    Rotate(Rotate),
    /// Let another key sign from here on
    ///
    /// The old key signs a record that names the new one: who trusts the old key can trust the new one.
    #[command(after_help = "Exit codes: 0 the new key signs; 2 the journal cannot be continued, or is in use.")]
    Rekey(Rekey),
}

/// Arguments of `journal rotate`.
#[derive(Debug, Args)]
pub struct Rotate {
    /// The journal.
    pub journal: PathBuf,
    /// The private key that signs the journal; for a journal without one it is left out.
    #[arg(long, value_name = "KEY")]
    pub key: Option<PathBuf>,
}

/// Arguments of `journal rekey`.
#[derive(Debug, Args)]
pub struct Rekey {
    /// The journal.
    pub journal: PathBuf,
    /// The private key that signs it until now.
    #[arg(long, value_name = "KEY")]
    pub key: PathBuf,
    /// The private key that signs it from here on.
    #[arg(long, value_name = "KEY")]
    pub new: PathBuf,
}

/// Arguments of `journal reanchor`.
#[derive(Debug, Args)]
pub struct Reanchor {
    /// The journal.
    pub journal: PathBuf,
    /// Why it is all right to go on, for those who read the new journal.
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    pub reason: String,
    /// The private key that signs the new journal; without one it is not signed.
    #[arg(long, value_name = "KEY")]
    pub key: Option<PathBuf>,
    /// For people or for programs.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}
