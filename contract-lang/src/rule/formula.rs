//! `formula: …`, `let: { name: pattern, … }`: what holds of every session, in linear temporal logic on finite traces.
//!
//! ```yaml
//! formula: always(deploy implies once tests_passed) and always(begin implies eventually finish)
//! let:
//!   deploy: call(deploy)
//!   tests_passed: ok(run_tests where result.failed == 0)
//!   begin: ok(begin)
//!   finish: ok(finish)
//! guards: leave
//! ```
//! ```text
//! deploy                          | block | open
//! run_tests → {"failed": 2}       | allow | open
//! deploy                          | block | open
//! run_tests → {"failed": 0}       | allow | open
//! deploy                          | allow | open
//! begin                           | allow | pending
//! leave                           | block | pending
//! end                             |       | violated
//! ```
//!
//! Patterns: those of `let`, in their order, each with its phase. A position is an event that matches at least one of them:
//! `next` is the next such event, and `previous` the one before. The formula is that of [`crate::formula`], with the empty
//! trace; the values of names are the patterns that hold. A session may end where the formula holds of its events.

use super::words::quoted;
use super::{Template, Words};
use crate::ast::{Formula, Rule, Source};
use crate::mir::{Kind, Pattern};
use crate::resolve::lowering::Lowering;
use crate::resolve::role::Role;

impl Template for Formula {
    fn patterns(&self) -> Vec<(&Source, Role)> {
        self.r#let.patterns.iter().map(|(_, source)| (source, Role::NAMED)).collect()
    }

    fn names(&self) -> Vec<&str> {
        self.r#let.patterns.iter().map(|(name, _)| name.value.0.as_str()).collect()
    }

    fn lower(&self, patterns: Option<Vec<Pattern>>, lowering: &mut Lowering<'_, '_>) -> Option<Kind> {
        lowering.written_formula(&self.formula.0, &self.r#let, patterns)
    }

    fn violating(&self) -> std::ops::Range<usize> {
        0..self.r#let.patterns.entries.len()
    }

    /// Which formulas do, their machines tell.
    fn owes(&self) -> bool {
        true
    }

    fn words(&self, _: &Rule) -> Words {
        let names =
            self.r#let.patterns.iter().map(|(name, source)| format!("`{}` is {}", name.value.0, quoted(source)));
        let formula = quoted(&self.formula.0);
        Words {
            says: format!("{formula} must hold, where {}", names.collect::<Vec<_>>().join(", ")),
            advice: format!("do first what {formula} asks for before this call"),
        }
    }
}

#[cfg(test)]
mod tests;
