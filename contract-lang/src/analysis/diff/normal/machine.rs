//! Machines by what they do: the patterns in the order of their texts, the states in the order of a breadth-first search.

use std::collections::VecDeque;

use crate::mir::Machine;

/// A text that machines share which do the same over the same patterns. `patterns` are the texts of the patterns.
pub(super) fn key(machine: &Machine, patterns: &[String]) -> String {
    let mut order: Vec<usize> = (0..patterns.len()).collect();
    order.sort_by_key(|&at| patterns.get(at));
    let sorted: Vec<&str> = order.iter().filter_map(|&at| patterns.get(at)).map(String::as_str).collect();
    let renamed = |letter: u8| {
        let bits = (0u32..).zip(&order).filter(|(_, from)| bit(letter, **from));
        bits.fold(0u8, |all, (to, _)| all | 1u8.checked_shl(to).unwrap_or(0))
    };
    let mut letters: Vec<(u8, u8)> = machine.letters.iter().map(|&letter| (renamed(letter), letter)).collect();
    letters.sort_unstable();
    let mut numbers: Vec<u8> = vec![machine.initial];
    let mut queue = VecDeque::from([machine.initial]);
    let mut rows = Vec::new();
    while let Some(state) = queue.pop_front() {
        let colour = machine.colours.get(usize::from(state));
        let mut row = Vec::new();
        for &(_, letter) in &letters {
            let next = machine.next(state, letter);
            let number = numbers.iter().position(|known| *known == next).unwrap_or_else(|| {
                numbers.push(next);
                queue.push_back(next);
                numbers.len().saturating_sub(1)
            });
            row.push(number);
        }
        rows.push((colour, row));
    }
    let letters: Vec<u8> = letters.into_iter().map(|(renamed, _)| renamed).collect();
    format!("{sorted:?} {letters:?} {rows:?}")
}

fn bit(letter: u8, at: usize) -> bool {
    u32::try_from(at).ok().and_then(|at| letter.checked_shr(at)).is_some_and(|shifted| shifted & 1 == 1)
}

impl Machine {
    /// The successor of a state.
    fn next(&self, state: u8, letter: u8) -> u8 {
        let row = usize::from(state).checked_shl(u32::from(self.width)).unwrap_or(usize::MAX);
        self.delta.get(row | usize::from(letter)).copied().unwrap_or(state)
    }
}
