//! Running machines in tests.

use contract_runtime::Colour;

use crate::mir::Machine;

/// The successor of a state.
pub(crate) fn next(machine: &Machine, state: u8, letter: u8) -> u8 {
    machine.delta[(usize::from(state) << machine.width) | usize::from(letter)]
}

/// The state after a word.
pub(crate) fn state_after(machine: &Machine, word: &[u8]) -> u8 {
    word.iter().fold(machine.initial, |state, &letter| next(machine, state, letter))
}

/// The colour after a word.
pub(crate) fn colour_after(machine: &Machine, word: &[u8]) -> Colour {
    machine.colours[usize::from(state_after(machine, word))]
}
