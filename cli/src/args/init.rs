//! The arguments of `init`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

/// Arguments of `init`.
#[derive(Debug, Args)]
pub struct Init {
    /// The name of the contract.
    #[arg(long, default_value = "my-agent", value_parser = name)]
    pub name: String,
    /// Where to write it; `-` is standard output. A file that exists is not overwritten.
    #[arg(short, long, value_name = "FILE", default_value = "contract.yaml")]
    pub output: PathBuf,
    /// A list of tools, what an MCP server answers to `tools/list`: the contract declares them.
    #[arg(long, value_name = "TOOLS.JSON", conflicts_with = "from_server")]
    pub from: Option<PathBuf>,
    /// Run the command after `--`, an MCP server that speaks over its standard input and output, and ask it for its tools.
    #[arg(long, requires = "command")]
    pub from_server: bool,
    /// Where to save what the server answers, so that `lint` can hold the contract against it.
    #[arg(long, value_name = "TOOLS.JSON", requires = "from_server")]
    pub save: Option<PathBuf>,
    /// How long the server may take, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub timeout: u64,
    /// The server, and its arguments.
    #[arg(last = true, value_name = "COMMAND", requires = "from_server")]
    pub command: Vec<OsString>,
}

fn name(text: &str) -> Result<String, String> {
    let is_name = text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    match is_name && text.len() <= 64 {
        true => Ok(text.to_owned()),
        false => Err("write letters, digits, `-` and `_`, a letter first".to_owned()),
    }
}
