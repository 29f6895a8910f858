//! The arguments of `lint`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use contract_lang::diagnostic::{Code, Setting};

/// Arguments of `lint`.
#[derive(Debug, Args)]
pub struct Lint {
    /// The contracts.
    #[arg(default_value = "contract.yaml")]
    pub files: Vec<PathBuf>,
    /// How to show findings.
    #[arg(long, value_enum, default_value_t)]
    pub format: LintFormat,
    /// A list of tools (what an MCP server answers to `tools/list`), besides those that a file names under `catalog:`. May
    /// be given several times.
    #[arg(long, value_name = "TOOLS.JSON")]
    pub catalog: Vec<PathBuf>,
    /// An older list of tools: what the contract names, and the server has under another name since, is reported with the
    /// new name. May be given several times.
    #[arg(long, value_name = "TOOLS.JSON")]
    pub catalog_before: Vec<PathBuf>,
    /// Write a session that shows it for each finding that has one, as traces for `replay`, into this folder.
    #[arg(long, value_name = "DIR")]
    pub witness: Option<PathBuf>,
    /// The level of the findings of a code, such as `IL0411=off`, whatever the contract's `lint` says. May be given several
    /// times.
    #[arg(long, value_name = "CODE=off|note|warning|error", value_parser = level)]
    pub level: Vec<(Code, Setting)>,
    /// Fail for warnings, too.
    #[arg(long, value_name = "warnings", value_enum)]
    pub deny: Option<Deny>,
    /// Correct what can only have been meant one way, in the files themselves. What is shown is what is left.
    #[arg(long)]
    pub fix: bool,
    /// With --fix: print the corrections as a patch, and write nothing.
    #[arg(long, requires = "fix", conflicts_with = "format")]
    pub diff: bool,
}

/// What is not to be found, besides errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Deny {
    /// Warnings.
    Warnings,
}

fn level(text: &str) -> Result<(Code, Setting), String> {
    let (code, setting) = text.split_once('=').unwrap_or((text, ""));
    let code = Code::settable(code).map_err(|error| error.to_string())?;
    let setting = Setting::ALL.into_iter().find(|known| known.as_str() == setting);
    let shape = || format!("write `{}=off`, or `note`, `warning` or `error` for `off`", code.as_str());
    Ok((code, setting.ok_or_else(shape)?))
}

/// How findings are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LintFormat {
    /// With the lines of the file, on standard error.
    #[default]
    Human,
    /// `file:line:column: level[code]: message`.
    Short,
    /// JSON, one object a line.
    Json,
    /// SARIF 2.1.0, for code hosts and editors.
    Sarif,
    /// Annotations in GitHub's checks.
    Github,
}
