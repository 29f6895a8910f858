//! Predicates over numbered atoms, evaluated in Kleene's logic as the interpreter does it.

use std::collections::BTreeSet;

use contract_runtime::Truth;

/// A predicate over atoms.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::analysis::model) enum Formula {
    True,
    False,
    Unknown,
    Atom(usize),
    Not(Box<Formula>),
    And(Vec<Formula>),
    Or(Vec<Formula>),
}

impl Formula {
    pub(in crate::analysis::model) fn of(truth: Truth) -> Self {
        match truth {
            Truth::True => Self::True,
            Truth::False => Self::False,
            Truth::Unknown => Self::Unknown,
        }
    }

    pub(in crate::analysis::model) fn not(self) -> Self {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
            Self::Unknown => Self::Unknown,
            Self::Not(inner) => *inner,
            other => Self::Not(Box::new(other)),
        }
    }

    pub(in crate::analysis::model) fn all(parts: Vec<Self>) -> Self {
        if parts.contains(&Self::False) {
            return Self::False;
        }
        let mut parts: Vec<Self> = parts.into_iter().filter(|part| *part != Self::True).collect();
        match parts.len() {
            0 => Self::True,
            1 => parts.pop().unwrap_or(Self::True),
            _ => Self::And(parts),
        }
    }

    pub(in crate::analysis::model) fn any(parts: Vec<Self>) -> Self {
        if parts.contains(&Self::True) {
            return Self::True;
        }
        let mut parts: Vec<Self> = parts.into_iter().filter(|part| *part != Self::False).collect();
        match parts.len() {
            0 => Self::False,
            1 => parts.pop().unwrap_or(Self::False),
            _ => Self::Or(parts),
        }
    }

    /// Its truth, where `atoms` gives those of the atoms.
    pub(super) fn truth(&self, atoms: &[Truth]) -> Truth {
        match self {
            Self::True => Truth::True,
            Self::False => Truth::False,
            Self::Unknown => Truth::Unknown,
            Self::Atom(atom) => atoms.get(*atom).copied().unwrap_or(Truth::Unknown),
            Self::Not(inner) => !inner.truth(atoms),
            Self::And(parts) => parts.iter().fold(Truth::True, |all, part| all.and(part.truth(atoms))),
            Self::Or(parts) => parts.iter().fold(Truth::False, |any, part| any.or(part.truth(atoms))),
        }
    }

    pub(super) fn atoms(&self, found: &mut BTreeSet<usize>) {
        match self {
            Self::True | Self::False | Self::Unknown => {}
            Self::Atom(atom) => {
                found.insert(*atom);
            }
            Self::Not(inner) => inner.atoms(found),
            Self::And(parts) | Self::Or(parts) => parts.iter().for_each(|part| part.atoms(found)),
        }
    }
}
