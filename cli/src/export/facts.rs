//! What recorded contracts say of their rules.

use std::collections::BTreeMap;
use std::rc::Rc;

use contract_lang::interpret::Interpreted;
use contract_lang::recall;
use contract_runtime::Severity;
use contract_runtime::journal::Hash;
use contract_runtime::journal::record::{Contract, Finding};

/// How many contracts are remembered. Findings of others have no severity.
const CONTRACTS: usize = 1_000;

/// What a contract says of its rules, as far as it could be read.
#[derive(Debug, Default)]
pub(super) struct Facts {
    rules: BTreeMap<String, Rule>,
}

/// What a contract says of one rule.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) severity: Severity,
    pub(super) title: Option<String>,
    pub(super) says: String,
}

impl Facts {
    /// The rule that a finding is from.
    pub(super) fn rule(&self, finding: &Finding<'_>) -> Option<&Rule> {
        self.rules.get(finding.rule.as_ref())
    }
}

/// The contracts that were recorded so far.
#[derive(Debug, Default)]
pub(super) struct Contracts {
    known: BTreeMap<[u8; 32], Rc<Facts>>,
}

impl Contracts {
    pub(super) fn learn(&mut self, contract: &Contract<'_>) {
        let Hash { .. } = contract.sha256;
        if self.known.len() >= CONTRACTS || self.known.contains_key(&contract.sha256.0) {
            return;
        }
        // The digest names the contract to whoever looks for it: what does not have that digest is another one.
        if contract_runtime::value::sha256(contract.source.as_bytes()) != contract.sha256.0 {
            return;
        }
        let rules = recall(&contract.source).map(|recalled| rules(recalled.contract)).unwrap_or_default();
        self.known.insert(contract.sha256.0, Rc::new(Facts { rules }));
    }

    pub(super) fn get(&self, sha256: &Hash) -> Rc<Facts> {
        self.known.get(&sha256.0).map(Rc::clone).unwrap_or_default()
    }
}

fn rules(contract: contract_lang::mir::Contract) -> BTreeMap<String, Rule> {
    let contract = Interpreted::new(contract);
    let rules = contract.info().rules.iter().map(|rule| {
        let title = rule.title.as_ref().map(ToString::to_string);
        (rule.id.to_string(), Rule { severity: rule.severity, title, says: rule.says.to_string() })
    });
    rules.collect()
}
