//! What would make a call allowed that a rule stops, from any state: what a finding says of the state that it is about.

use contract_runtime::private::Wanted;
pub use contract_runtime::private::{Move, Repair};

use crate::info;
use crate::mir::{Kind, Rule};

impl Rule {
    /// The shortest way from a state to where an event with this letter does not violate the rule.
    #[must_use]
    pub fn repair(&self, state: u8, letter: u8) -> Repair {
        self.way(state, letter, |wanted| wanted)
    }

    /// The shortest way from a state to where nothing is owed, so that a call that the rule guards is let through.
    #[must_use]
    pub fn settlement(&self, state: u8) -> Repair {
        self.way(state, 0, |wanted| wanted.settled())
    }

    fn way(&self, state: u8, letter: u8, wanted: impl FnOnce(Wanted<'_>) -> Wanted<'_>) -> Repair {
        let Kind::Automaton { machine, .. } = &self.kind else { return Repair::Unknown };
        let vocabulary = info::vocabulary(self);
        let members = 1u64.checked_shl(u32::from(state)).unwrap_or(0);
        let wanted = wanted(Wanted::anything(&vocabulary));
        match machine.view().repair(members, letter, wanted) {
            Repair::Never if vocabulary.elusive => Repair::Unknown,
            repair => repair,
        }
    }
}
