//! Arguments of `test`.

use std::path::PathBuf;

use clap::Args;
use contract_lang::testing::mutate::Operator;

use super::Format;

/// Arguments of `test`.
#[derive(Debug, Args)]
pub struct Test {
    /// The contracts.
    #[arg(default_value = "contract.yaml", value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Only the tests whose names this matches; `*` stands for any text.
    #[arg(long, value_name = "GLOB")]
    pub name: Option<String>,
    /// For people or for programs.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Say what the tests reach: rules, states and steps of automata, outcomes of predicates, commits.
    #[arg(long)]
    pub coverage: bool,
    /// Fail if they reach less than this.
    #[arg(long, value_name = "PERCENT", requires = "coverage", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub min: Option<u8>,
    /// Change the contract in small ways, and say which changes no test notices.
    #[arg(long)]
    pub mutate: bool,
    /// Only changes by this operator.
    #[arg(long, value_name = "OPERATOR", requires = "mutate", value_parser = operator)]
    pub only: Vec<Operator>,
}

impl Test {
    /// The operators of the changes.
    #[must_use]
    pub fn operators(&self) -> Vec<Operator> {
        if self.only.is_empty() { Operator::ALL.to_vec() } else { self.only.clone() }
    }
}

fn operator(text: &str) -> Result<Operator, String> {
    Operator::ALL.iter().copied().find(|operator| operator.as_str() == text).ok_or_else(|| {
        let names: Vec<_> = Operator::ALL.iter().map(|operator| operator.as_str()).collect();
        format!("write one of {}", names.join(", "))
    })
}
