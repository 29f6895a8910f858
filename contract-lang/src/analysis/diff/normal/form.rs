//! Predicates in a form that equal predicates share: negations at the atoms, connectives flat, sorted and without repetition,
//! and of few atoms the table of their values.
//!
//! Sound in Kleene's strong three-valued logic, in which predicates are evaluated: De Morgan, double negation, commutativity,
//! associativity, idempotence and distributivity hold there, `a or not a` does not.

use std::collections::{BTreeMap, BTreeSet};

use contract_runtime::Truth;

/// Most atoms of which a table is made: 243 rows.
const MOST_ATOMS: usize = 5;

/// A predicate.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    /// `true` or `false`.
    Constant(bool),
    /// What is not taken apart.
    Atom {
        /// In words that equal atoms share.
        text: String,
        /// Whether it is never unknown.
        definite: bool,
        /// False for its negation.
        holds: bool,
    },
    /// Conjunction.
    All(BTreeSet<Form>),
    /// Disjunction.
    Any(BTreeSet<Form>),
}

impl Form {
    /// An atom that may be unknown.
    pub(super) fn atom(text: String) -> Self {
        Self::Atom { text, definite: false, holds: true }
    }

    /// Conjunction.
    pub(super) fn all(parts: impl IntoIterator<Item = Self>) -> Self {
        join(parts, true)
    }

    /// Disjunction.
    pub(super) fn any(parts: impl IntoIterator<Item = Self>) -> Self {
        join(parts, false)
    }

    /// Negation.
    pub(super) fn negated(self) -> Self {
        match self {
            Self::Constant(value) => Self::Constant(!value),
            Self::Atom { text, definite, holds } => Self::Atom { text, definite, holds: !holds },
            Self::All(parts) => Self::Any(parts.into_iter().map(Self::negated).collect()),
            Self::Any(parts) => Self::All(parts.into_iter().map(Self::negated).collect()),
        }
    }

    /// A text that equal predicates share.
    pub(super) fn key(&self) -> String {
        let mut atoms = BTreeMap::new();
        self.atoms(&mut atoms);
        if atoms.len() > MOST_ATOMS {
            return format!("{self:?}");
        }
        let mut atoms: Vec<(&str, bool)> = atoms.into_iter().collect();
        // What makes no difference is left out, so that a predicate and what absorbs to it are one.
        let mut at = 0;
        while let Some(&(atom, definite)) = atoms.get(at) {
            let rest: Vec<_> = atoms.iter().copied().filter(|(other, _)| *other != atom).collect();
            let same = |value| self.table(&rest, &[(atom, value)]);
            let base = same(Truth::True);
            if base == same(Truth::False) && (definite || base == same(Truth::Unknown)) {
                atoms = rest;
            } else {
                at = at.saturating_add(1);
            }
        }
        format!("{:?} {}", atoms, self.table(&atoms, &[]))
    }

    fn atoms<'f>(&'f self, found: &mut BTreeMap<&'f str, bool>) {
        match self {
            Self::Constant(_) => {}
            Self::Atom { text, definite, .. } => {
                found.insert(text, *definite);
            }
            Self::All(parts) | Self::Any(parts) => parts.iter().for_each(|part| part.atoms(found)),
        }
    }

    /// The values for all values of the atoms, the first the slowest. An atom that is given no value makes no difference.
    fn table(&self, atoms: &[(&str, bool)], fixed: &[(&str, Truth)]) -> String {
        let Some(((atom, definite), rest)) = atoms.split_first() else {
            return match self.under(fixed) {
                Truth::True => "t",
                Truth::False => "f",
                Truth::Unknown => "u",
            }
            .to_owned();
        };
        let values = [Truth::True, Truth::False, Truth::Unknown];
        let values = values.into_iter().filter(|value| !definite || *value != Truth::Unknown);
        values.map(|value| self.table(rest, &[fixed, &[(*atom, value)]].concat())).collect()
    }

    fn under(&self, values: &[(&str, Truth)]) -> Truth {
        match self {
            Self::Constant(value) => Truth::of(*value),
            Self::Atom { text, holds, .. } => {
                let known = values.iter().find(|(atom, _)| atom == text);
                let value = known.map_or(Truth::True, |(_, value)| *value);
                if *holds { value } else { !value }
            }
            Self::All(parts) => parts.iter().fold(Truth::True, |all, part| all.and(part.under(values))),
            Self::Any(parts) => parts.iter().fold(Truth::False, |any, part| any.or(part.under(values))),
        }
    }
}

/// Joins predicates: flat, without the constant that changes nothing, and the other constant if it is among them.
fn join(parts: impl IntoIterator<Item = Form>, neutral: bool) -> Form {
    let mut joined = BTreeSet::new();
    for part in parts {
        match part {
            Form::Constant(value) if value == neutral => {}
            Form::Constant(value) => return Form::Constant(value),
            Form::All(parts) if neutral => joined.extend(parts),
            Form::Any(parts) if !neutral => joined.extend(parts),
            other => {
                joined.insert(other);
            }
        }
    }
    match joined.len() {
        0 => Form::Constant(neutral),
        1 => joined.pop_first().unwrap_or(Form::Constant(neutral)),
        _ if neutral => Form::All(joined),
        _ => Form::Any(joined),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn atom(text: &str) -> Form {
        Form::atom(text.to_owned())
    }

    #[test]
    fn the_laws_of_kleene_hold() {
        let (a, b, c) = (|| atom("a"), || atom("b"), || atom("c"));
        let same = |one: Form, other: Form| assert_eq!(one.key(), other.key());
        same(Form::all([a(), b()]).negated(), Form::any([b().negated(), a().negated()]));
        same(Form::all([a(), Form::any([b(), c()])]), Form::any([Form::all([c(), a()]), Form::all([a(), b()])]));
        same(Form::any([a(), Form::all([a(), b()])]), a());
        same(Form::all([a(), Form::Constant(true)]), a());
    }

    #[test]
    fn what_may_be_unknown_is_not_decided() {
        let (a, b) = (|| atom("a"), || atom("b"));
        assert_ne!(Form::any([a(), a().negated()]).key(), Form::Constant(true).key());
        assert_ne!(Form::all([a(), Form::any([b(), b().negated()])]).key(), a().key());
        let definite = |holds| Form::Atom { text: "d".to_owned(), definite: true, holds };
        assert_eq!(Form::any([definite(true), definite(false)]).key(), Form::Constant(true).key());
        assert_ne!(a().key(), b().key());
        assert_ne!(a().key(), a().negated().key());
    }
}
