//! Every short run of one cell, in which each uncertain event is settled in every way.

use super::*;

/// A state in which some events are uncertain, and those that it may truly be.
struct Runs<C> {
    uncertain: C,
    settled: Vec<C>,
}

/// An event of the alphabet: which patterns hold, and which value it has.
type Letter = ([Truth; 3], usize);

/// The ways in which chance may settle an event.
fn settle(([first, second, third], value): Letter) -> Vec<Letter> {
    let ways = |truth| if truth == Truth::Unknown { vec![Truth::True, Truth::False] } else { vec![truth] };
    let values = if value == 0 { vec![1, 2, 3, 4] } else { vec![value] };
    let mut settled = Vec::new();
    for first in ways(first) {
        for second in ways(second) {
            for third in ways(third) {
                settled.extend(values.iter().map(|value| ([first, second, third], *value)));
            }
        }
    }
    settled
}

fn descend<C: Driven>(rule: C::Rule<'_>, read: Read, letters: &[Letter], at: i128, depth: u32, runs: &Runs<C>) {
    if depth == 0 {
        return;
    }
    for letter in letters {
        let step = |letter: Letter| C::make(letter.0, at, read(letter.1));
        let said = runs.uncertain.look(rule, &step(*letter));
        let mut next = Runs { uncertain: runs.uncertain.clone(), settled: Vec::new() };
        next.uncertain.step(rule, &step(*letter));
        for letter in settle(*letter) {
            for cell in &runs.settled {
                let truly = cell.look(rule, &step(letter));
                assert!(
                    !contradicts(ALL, said, truly),
                    "{said:?} of {truly:?} for {letter:?}: {:#?} {cell:#?}",
                    runs.uncertain
                );
                let mut cell = cell.clone();
                cell.step(rule, &step(letter));
                if !next.settled.contains(&cell) {
                    next.settled.push(cell);
                }
            }
        }
        descend(rule, read, letters, at + 4, depth - 1, &next);
    }
}

fn all_runs<C: Driven>(rule: C::Rule<'_>, read: Read, letters: &[Letter], depth: u32) {
    let fresh = C::fresh(rule);
    descend(rule, read, letters, 0, depth, &Runs { uncertain: fresh.clone(), settled: vec![fresh] });
}

const T: Truth = Truth::True;
const F: Truth = Truth::False;
const U: Truth = Truth::Unknown;

#[test]
fn different_values() {
    let letters: Vec<Letter> =
        (1..5).flat_map(|value| [([T, F, F], value), ([U, F, F], value)]).chain([([T, F, F], 0)]).collect();
    all_runs::<Distinct>(2, id, &letters, 5);
    all_runs::<Distinct>(1, id, &letters, 4);
}

#[test]
fn open_ids() {
    let holds = [[T, F, F], [U, F, F], [F, T, F], [F, U, F], [T, U, F]];
    let letters: Vec<Letter> =
        (1..3).flat_map(|value| holds.map(|holds| (holds, value))).chain([([T, F, F], 0), ([F, T, F], 0)]).collect();
    all_runs::<OpenIds>(1, id, &letters, 4);
    all_runs::<OpenIds>(2, id, &letters, 4);
    let letters: Vec<Letter> = holds.map(|holds| (holds, 1)).to_vec();
    all_runs::<OpenIds>(1, nothing, &letters, 6);
    all_runs::<OpenIds>(2, nothing, &letters, 6);
}

#[test]
fn times() {
    let holds = [[T, F, F], [U, F, F], [F, T, F], [F, U, F], [F, F, T], [T, U, F], [F, F, U]];
    let letters: Vec<Letter> = holds.map(|holds| (holds, 1)).to_vec();
    all_runs::<Permission>(PermissionRule { expires: TEN, consume: true }, nothing, &letters, 5);
    all_runs::<Permission>(PermissionRule { expires: TEN, consume: false }, nothing, &letters, 5);
    all_runs::<Rate>(RateLimit { limit: 2, window: TEN }, nothing, &letters[..4], 6);
    all_runs::<Deadline>(TEN, nothing, &letters[..4], 6);
    all_runs::<WindowTotal>(TotalLimit { limit: Decimal::from(2u32), window: TEN }, amount, &letters[..4], 6);
}
