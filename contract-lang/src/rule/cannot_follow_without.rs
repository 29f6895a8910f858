//! `cannot_follow_without: { call, without, consume?, expires?, void_on? }`: [`must_precede`](super::must_precede), read
//! from the dependent action.
//!
//! ```yaml
//! cannot_follow_without: { call: merge, without: review where result.approved, void_on: ok(push) }
//! ```
//! ```text
//! review → {"approved": false}  | allow | open
//! merge                         | block | open
//! review → {"approved": true}   | allow | open
//! merge                         | allow | open
//! push                          | allow | open
//! merge                         | block | open
//! end                           |       | satisfied
//! ```
//!
//! Patterns: `[without, call]`, and `void_on`, if given. Formula: `!call W (without and !call)`. An event that is both
//! violates where nothing that is only `without` came before.

use super::must_precede::{Prerequisite, is_set};
use super::words::{first, proof, quoted};
use super::{Template, Words};
use crate::ast::{CannotFollowWithout, Rule, Source};
use crate::mir::{Kind, Pattern};
use crate::resolve::lowering::Lowering;
use crate::resolve::role::Role;

impl CannotFollowWithout {
    fn prerequisite(&self) -> Prerequisite<'_> {
        Prerequisite {
            first: &self.without,
            then: &self.call,
            consume: is_set(self.consume),
            expires: self.expires.map(|window| window.value),
            void_on: self.void_on.as_ref(),
        }
    }
}

impl Template for CannotFollowWithout {
    fn patterns(&self) -> Vec<(&Source, Role)> {
        self.prerequisite().patterns()
    }

    fn names(&self) -> Vec<&str> {
        vec!["without", "call", "void_on"]
    }

    fn lower(&self, patterns: Option<Vec<Pattern>>, lowering: &mut Lowering<'_, '_>) -> Option<Kind> {
        self.prerequisite().lower(patterns?, lowering)
    }

    fn violating(&self) -> std::ops::Range<usize> {
        1..2
    }

    fn words(&self, rule: &Rule) -> Words {
        let limits = self.prerequisite().limits();
        Words {
            says: format!("{} is not allowed before {}{limits}", quoted(&self.call), proof(&self.without)),
            advice: first(&self.without, rule),
        }
    }
}
