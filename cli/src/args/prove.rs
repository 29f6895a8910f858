//! Arguments of `prove`.

use std::path::PathBuf;

use clap::Args;
use contract_runtime::journal::{PublicKey, VerifierKey};

use super::Format;
use super::keys::{public_key, verifier_key};

/// Arguments of `prove`.
#[derive(Debug, Args)]
pub struct Prove {
    /// The journal.
    #[arg(required_unless_present = "check", conflicts_with = "check")]
    pub journal: Option<PathBuf>,
    /// Prove that this record is in the journal, by its `seq`.
    #[arg(long, value_name = "N", required_unless_present_any = ["from", "check"], conflicts_with_all = ["from", "check"])]
    pub seq: Option<u64>,
    /// Prove, or check, that the journal continues this earlier checkpoint.
    #[arg(long, value_name = "CHECKPOINT")]
    pub from: Option<PathBuf>,
    /// The signed checkpoint to prove it under; `<journal>.checkpoint` if left out.
    #[arg(long, value_name = "FILE", conflicts_with = "check")]
    pub checkpoint: Option<PathBuf>,
    /// Where to write the proof; standard output if left out.
    #[arg(short, long, value_name = "FILE", conflicts_with = "check")]
    pub output: Option<PathBuf>,
    /// Check a proof; the journal is not needed for that.
    #[arg(long, value_name = "PROOF", requires = "trust")]
    pub check: Option<PathBuf>,
    /// The line of the record that the proof is about, in a file, instead of the one in the proof.
    #[arg(long, value_name = "FILE", requires = "check", conflicts_with = "from")]
    pub record: Option<PathBuf>,
    /// A public key that the checkpoint must be signed by: a file, or the key itself. May be given several times; one is enough.
    #[arg(long, value_name = "PUBLIC-KEY", value_parser = public_key, requires = "check")]
    pub trust: Vec<PublicKey>,
    /// A witness that must have signed the checkpoint as well: `name+hash+base64`. May be given several times; all must have.
    #[arg(long, value_name = "VERIFIER-KEY", value_parser = verifier_key, requires = "check")]
    pub witness: Vec<VerifierKey>,
    /// For people or for programs.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}
