//! Arguments of `report`.

use std::path::PathBuf;

use clap::Args;
use contract_runtime::journal::PublicKey;

use super::Format;
use super::keys::public_key;

/// Arguments of `report`.
#[derive(Debug, Args)]
pub struct Report {
    /// The journal.
    pub journal: PathBuf,
    /// Where to write the page.
    #[arg(short, long, value_name = "FILE.HTML")]
    pub output: PathBuf,
    /// A public key that you trust: a file, or the key itself. Without one no page says `verified`. May be given several times.
    #[arg(long, value_name = "KEY", value_parser = public_key)]
    pub trust: Vec<PublicKey>,
    /// A checkpoint that was kept elsewhere: only with one can it be seen that records were removed at the end.
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// The name under which the journal was written, where its file has another now.
    #[arg(long = "as", value_name = "NAME")]
    pub as_name: Option<String>,
    /// The most records in the timeline: the latest. Counts are of all records.
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    pub records: usize,
    /// What to print: where the page is and what it begins with, or a summary as JSON.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}
