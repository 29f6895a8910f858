//! Arguments of `export`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use contract_runtime::journal::PublicKey;

use super::keys::public_key;

/// A form to export to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Target {
    /// Spans for OpenTelemetry, in OTLP/JSON, after its conventions for generative AI.
    Otlp,
    /// Security events in OCSF 1.9: API Activity, and Detection Finding for what was stopped or violated.
    Ocsf,
    /// Counters in the text format of Prometheus.
    Prometheus,
}

/// Arguments of `export`.
#[derive(Debug, Args)]
pub struct Export {
    /// The journal.
    pub journal: PathBuf,
    /// What to export to.
    #[arg(long, value_enum, value_name = "FORM")]
    pub to: Target,
    /// Where to write it; standard output if left out.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Where a collector takes spans over HTTP, such as `http://127.0.0.1:4318/v1/traces`, for `--to otlp`.
    #[cfg(feature = "http")]
    #[arg(long, value_name = "URL", conflicts_with = "output")]
    pub endpoint: Option<String>,
    /// A public key that signs the journal: a file, or the key in base64. May be given several times; then one of them must have
    /// signed.
    #[arg(long, value_name = "KEY", value_parser = public_key)]
    pub trust: Vec<PublicKey>,
    /// Export arguments and results, too, where the journal holds them.
    #[arg(long)]
    pub content: bool,
    /// Export a journal that does not verify, as far as it can be read.
    #[arg(long)]
    pub unverified: bool,
}
