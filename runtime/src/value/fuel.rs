//! A bound on the work of one predicate evaluation: arguments and results are chosen by the agent, so their size must not
//! decide how long a decision takes.

use std::cell::Cell;

/// What is left of the budget of one predicate evaluation.
///
/// INVARIANT: a spend that fails leaves nothing, so that every later one fails too; the operations of this module answer
/// "not established" from then on.
#[derive(Debug)]
pub struct Fuel(Cell<u32>);

impl Fuel {
    /// The budget of one predicate evaluation, in steps.
    pub const BUDGET: u32 = 65_536;

    /// A full budget.
    #[must_use]
    pub const fn new() -> Self {
        Self(Cell::new(Self::BUDGET))
    }

    /// Takes `steps` from the budget, or all that is left. False if it did not suffice.
    pub fn spend(&self, steps: u32) -> bool {
        let left = self.0.get().checked_sub(steps);
        self.0.set(left.unwrap_or(0));
        left.is_some()
    }

    /// Pays for an operation that is linear in `bytes`: one step, and one for every 256 bytes.
    pub(super) fn spend_on(&self, bytes: usize) -> bool {
        self.spend(u32::try_from(bytes / 256).unwrap_or(u32::MAX).saturating_add(1))
    }
}

impl Default for Fuel {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exhausted_budget_stays_exhausted() {
        let fuel = Fuel::new();
        assert!(fuel.spend(Fuel::BUDGET - 1));
        assert!(!fuel.spend(2));
        assert!(!fuel.spend(1));
    }

    #[test]
    fn linear_work_costs_a_step_for_every_256_bytes() {
        let fuel = Fuel::new();
        assert!(fuel.spend_on(256 * (Fuel::BUDGET as usize - 1)));
        assert!(!fuel.spend(1));
    }
}
