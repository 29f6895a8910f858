//! Minimisation by partition refinement (Moore, "Gedanken-experiments on sequential machines", 1956).
//!
//! Hopcroft's algorithm is faster on large automata; ours have at most 64 classes, hence at most 64 rounds.

use std::collections::BTreeMap;

use contract_runtime::Colour;

use super::MAX_STATES;

/// The class of each state: states are in one class if every continuation gives both the same colours. Classes are
/// numbered by their first member. `None` if there are more than [`MAX_STATES`] classes.
pub(super) fn classes(colours: &[Colour], successors: &[Vec<usize>]) -> Option<Vec<u8>> {
    let (mut classes, mut count) = number(colours.iter());
    loop {
        if count > MAX_STATES {
            return None;
        }
        let class = |state: &usize| classes.get(*state).copied();
        let signatures: Vec<_> = classes
            .iter()
            .zip(successors)
            .map(|(own, next)| (own, next.iter().map(class).collect::<Vec<_>>()))
            .collect();
        let (refined, refined_count) = number(signatures.iter());
        if refined_count == count {
            return classes.into_iter().map(|class| u8::try_from(class).ok()).collect();
        }
        (classes, count) = (refined, refined_count);
    }
}

/// Numbers values in the order of their first occurrence; also how many different ones there are.
fn number<T: Ord>(values: impl Iterator<Item = T>) -> (Vec<usize>, usize) {
    let mut numbers = BTreeMap::new();
    let numbered = values
        .map(|value| {
            let fresh = numbers.len();
            *numbers.entry(value).or_insert(fresh)
        })
        .collect();
    (numbered, numbers.len())
}

#[cfg(test)]
mod tests {
    use contract_runtime::Colour::{Open, Violated};

    use super::*;

    #[test]
    fn states_that_nothing_tells_apart_are_merged() {
        let colours = [Open, Open, Open, Violated];
        let successors = [vec![1, 2], vec![2, 3], vec![1, 3], vec![3, 3]];
        assert_eq!(classes(&colours, &successors), Some(vec![0, 1, 1, 2]));
    }

    #[test]
    fn more_classes_than_a_machine_may_have_are_refused() {
        let colours: Vec<Colour> =
            (0..=MAX_STATES).map(|state| if state == MAX_STATES { Violated } else { Open }).collect();
        let successors: Vec<Vec<usize>> = (1..=MAX_STATES).chain([MAX_STATES]).map(|next| vec![next]).collect();
        assert_eq!(classes(&colours, &successors), None);
    }
}
