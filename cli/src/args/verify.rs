//! Arguments of `verify`.

use std::path::PathBuf;

use clap::Args;
use contract_runtime::journal::{PublicKey, VerifierKey};

use super::Format;
use super::keys::{public_key, verifier_key};

/// Arguments of `verify`.
#[derive(Debug, Args)]
pub struct Verify {
    /// The journal. Its rotated files `JOURNAL.1`, `JOURNAL.2`, … are verified with it.
    pub journal: PathBuf,
    /// A public key, or its file, that is known to be right; something must be signed by it, or by a key that it named. May be given
    /// several times.
    #[arg(long, value_name = "PUB", value_parser = public_key)]
    pub trust: Vec<PublicKey>,
    /// A checkpoint that was kept elsewhere: the journal must continue it.
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// A witness, as `name+hash+key`: it must have cosigned a checkpoint. May be given several times.
    #[arg(long, value_name = "VKEY", value_parser = verifier_key)]
    pub witness: Vec<VerifierKey>,
    /// The journal must have this many records.
    #[arg(long, value_name = "N")]
    pub expect_at_least: Option<u64>,
    /// The contract that all sessions must have used.
    #[arg(long, value_name = "FILE")]
    pub contract: Option<PathBuf>,
    /// The name under which the journal was written, where its file has another now.
    #[arg(long = "as", value_name = "NAME")]
    pub as_name: Option<String>,
    /// For people or for programs.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}
