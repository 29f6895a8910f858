//! Properties of constructed machines, over random formulas, against the meaning of formulas.

#![expect(clippy::arithmetic_side_effects, reason = "small counts")]

use std::collections::BTreeSet;

use contract_runtime::Colour;

use super::construct;
use super::walk::{colour_after, next, state_after};
use crate::formula::oracle::{Random, Written, words};
use crate::mir::Machine;

/// Formulas with their machine and the letters of it.
fn samples(seed: u64, count: usize) -> impl Iterator<Item = (Written, Machine)> {
    let mut random = Random(seed);
    std::iter::repeat_with(move || {
        let names = u8::try_from(1 + random.below(3)).unwrap();
        let written = Written::random(&mut random, names, 4);
        let all = (1u8 << names) - 1;
        let letters: BTreeSet<u8> = (0..3).map(|_| u8::try_from(1 + random.below(u64::from(all))).unwrap()).collect();
        let letters: Vec<u8> = letters.into_iter().collect();
        let machine = construct(&written.formula(), names, &letters).unwrap();
        (written, machine)
    })
    .take(count)
}

/// The words that a test looks at: all up to a length that tells all states apart, as far as that is affordable.
fn length(machine: &Machine) -> usize {
    machine.colours.len().min(5)
}

fn accepts(colour: Colour) -> bool {
    matches!(colour, Colour::Satisfied | Colour::Open)
}

/// For each state, a shortest word that leads to it.
fn access_words(machine: &Machine) -> Vec<Vec<u8>> {
    let mut found: Vec<Option<Vec<u8>>> = vec![None; machine.colours.len()];
    found[usize::from(machine.initial)] = Some(vec![]);
    let mut queue = vec![machine.initial];
    let mut at = 0;
    while at < queue.len() {
        let state = queue[at];
        at += 1;
        for &letter in &machine.letters {
            let successor = next(machine, state, letter);
            if found[usize::from(successor)].is_none() {
                let mut word = found[usize::from(state)].clone().unwrap();
                word.push(letter);
                found[usize::from(successor)] = Some(word);
                queue.push(successor);
            }
        }
    }
    assert!(queue.is_sorted(), "states are numbered in breadth-first order");
    found.into_iter().map(|word| word.expect("every state is reachable")).collect()
}

#[test]
fn a_trace_may_end_exactly_where_the_formula_holds() {
    for (written, machine) in samples(1, 600) {
        for word in words(&machine.letters, length(&machine)) {
            let colour = colour_after(&machine, &word);
            assert_eq!(accepts(colour), written.holds(&word), "{written:?} on {word:?}: {colour:?}");
        }
    }
}

#[test]
fn permanent_colours_are_permanent_and_the_others_are_not() {
    for (written, machine) in samples(2, 300) {
        for (state, access) in access_words(&machine).iter().enumerate() {
            let continuations = words(&machine.letters, machine.colours.len().min(6));
            let values: BTreeSet<bool> =
                continuations.iter().map(|more| written.holds(&[access.as_slice(), more].concat())).collect();
            let colour = machine.colours[state];
            match colour {
                Colour::Satisfied => assert_eq!(values, BTreeSet::from([true]), "{written:?} after {access:?}"),
                Colour::Violated => assert_eq!(values, BTreeSet::from([false]), "{written:?} after {access:?}"),
                Colour::Open | Colour::Pending => {
                    assert_eq!(values.len(), 2, "{written:?} after {access:?}: {colour:?}");
                }
            }
        }
    }
}

/// Table filling: a pair is told apart if the colours differ or a letter leads to a pair that is told apart.
#[test]
fn no_two_states_are_equivalent() {
    for (written, machine) in samples(3, 600) {
        let states = 0..u8::try_from(machine.colours.len()).unwrap();
        let pairs: BTreeSet<(u8, u8)> = states.clone().flat_map(|a| (0..a).map(move |b| (a, b))).collect();
        let colour = |state: u8| machine.colours[usize::from(state)];
        let mut apart: BTreeSet<(u8, u8)> = pairs.iter().copied().filter(|&(a, b)| colour(a) != colour(b)).collect();
        loop {
            let further: Vec<(u8, u8)> = pairs
                .iter()
                .copied()
                .filter(|pair| !apart.contains(pair))
                .filter(|&(a, b)| {
                    machine.letters.iter().any(|&letter| {
                        let (a, b) = (next(&machine, a, letter), next(&machine, b, letter));
                        apart.contains(&(a.max(b), a.min(b)))
                    })
                })
                .collect();
            if further.is_empty() {
                break;
            }
            apart.extend(further);
        }
        assert_eq!(apart, pairs, "{written:?}");
    }
}

#[test]
fn machines_are_complete_and_letters_that_are_not_listed_stay() {
    for (written, machine) in samples(4, 300) {
        assert_eq!(machine.delta.len(), machine.colours.len() << machine.width, "{written:?}");
        for state in 0..u8::try_from(machine.colours.len()).unwrap() {
            for letter in 0..(1u8 << machine.width) {
                let successor = next(&machine, state, letter);
                assert!(usize::from(successor) < machine.colours.len());
                assert!(machine.letters.contains(&letter) || successor == state);
            }
        }
    }
}

#[test]
fn a_formula_and_its_double_negation_have_one_machine_and_the_negation_has_the_dual_colours() {
    for (written, machine) in samples(5, 300) {
        let build = |written: &Written| construct(&written.formula(), machine.width, &machine.letters).unwrap();
        let negated = Written::Not(Box::new(written));
        let dual = build(&negated);
        assert_eq!(dual.delta, machine.delta);
        for word in words(&machine.letters, 3) {
            assert_eq!(state_after(&dual, &word), state_after(&machine, &word));
            let mirrored = match colour_after(&dual, &word) {
                Colour::Satisfied => Colour::Violated,
                Colour::Open => Colour::Pending,
                Colour::Pending => Colour::Open,
                Colour::Violated => Colour::Satisfied,
            };
            assert_eq!(mirrored, colour_after(&machine, &word));
        }
        assert_eq!(build(&Written::Not(Box::new(negated))), machine);
    }
}
