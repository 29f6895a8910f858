//! The contracts of a journal: which were in force, and what their rules say.

use contract_lang::mir::{self, Rule};
use contract_lang::recall;
use contract_runtime::journal::record;
use contract_runtime::value::sha256;

/// The most contracts that are told apart.
const MOST: usize = 64;

/// The most contracts whose rules are named and drawn.
const MOST_READ: usize = 16;

/// A contract, by its place among those of the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Number(usize);

impl Number {
    /// Of a session whose contract is not known.
    pub(super) const UNKNOWN: Self = Self(usize::MAX);
}

/// A contract that sessions used.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) name: String,
    pub(super) sha256: record::Hash,
    pub(super) sessions: u64,
    pub(super) reading: Reading,
}

/// What came of reading the contract's text.
#[derive(Clone, Debug)]
pub(super) enum Reading {
    /// The journal does not hold it.
    Missing,
    /// There were too many.
    Skipped,
    /// It is not the text that the digest names, or this version does not read it.
    Unreadable,
    /// It was read.
    Read(Box<mir::Contract>),
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Contracts {
    known: Vec<Known>,
    read: usize,
}

impl Contracts {
    /// A contract's text was recorded.
    pub(super) fn record(&mut self, contract: &record::Contract<'_>) {
        let Some(number) = self.number(&contract.name, contract.sha256) else { return };
        let skip = self.read >= MOST_READ;
        let Some(known) = self.known.get_mut(number) else { return };
        if matches!(known.reading, Reading::Read(_)) {
            return;
        }
        if skip {
            known.reading = Reading::Skipped;
            return;
        }
        self.read = self.read.saturating_add(1);
        let same = sha256(contract.source.as_bytes()) == contract.sha256.0;
        let recalled = Some(&contract.source).filter(|_| same).and_then(|source| recall(source));
        known.reading = recalled.map_or(Reading::Unreadable, |recalled| Reading::Read(Box::new(recalled.contract)));
    }

    /// A session uses a contract.
    pub(super) fn used(&mut self, id: &record::ContractId<'_>) -> Number {
        let Some(number) = self.number(&id.name, id.sha256) else { return Number::UNKNOWN };
        if let Some(known) = self.known.get_mut(number) {
            known.sessions = known.sessions.saturating_add(1);
        }
        Number(number)
    }

    fn number(&mut self, name: &str, sha256: record::Hash) -> Option<usize> {
        if let Some(number) = self.known.iter().position(|known| known.sha256 == sha256) {
            return Some(number);
        }
        let number = self.known.len();
        if number >= MOST {
            return None;
        }
        self.known.push(Known { name: super::kept(name), sha256, sessions: 0, reading: Reading::Missing });
        Some(number)
    }

    pub(super) fn all(&self) -> &[Known] {
        &self.known
    }

    pub(super) fn name(&self, number: Number) -> Option<&str> {
        self.known.get(number.0).map(|known| known.name.as_str())
    }

    /// A rule of a contract.
    pub(super) fn rule(&self, number: Number, id: &str) -> Option<&Rule> {
        let Reading::Read(contract) = &self.known.get(number.0)?.reading else { return None };
        contract.rules.iter().find(|rule| rule.id == id)
    }
}
