//! The machine of a formula: explore its obligations, colour them, merge those that nothing tells apart.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::colour::colours;
use super::minimize::classes;
use super::{MAX_PATTERNS, TooLarge};
use crate::formula::{Formula, Obligation, Progression};
use crate::mir::Machine;

/// Most obligations of a formula, before minimisation.
const MAX_OBLIGATIONS: usize = 4096;

/// The minimal machine of a formula over the letters that events can have.
///
/// Bit i of a letter is name i of the formula; `width` is how many there are. Letter 0 is no step of the rule and stays
/// in every state, whether or not it is listed. So does a letter that is not listed: no event has it. Colours are over
/// the continuations with listed letters. States are numbered in the order of a breadth-first search by ascending
/// letter, so formulas with one meaning have one machine.
///
/// # Errors
/// If the machine would be larger than a rule's may be.
pub fn construct(formula: &Formula, width: u8, letters: &[u8]) -> Result<Machine, TooLarge> {
    if usize::from(width) > MAX_PATTERNS {
        return Err(TooLarge::Letters);
    }
    let alphabet = 1usize.checked_shl(u32::from(width)).ok_or(TooLarge::Letters)?;
    let letters: BTreeSet<u8> =
        letters.iter().copied().filter(|&letter| letter != 0 && usize::from(letter) < alphabet).collect();

    let graph = explore(formula, &letters)?;
    let colours = colours(&graph);
    let states = classes(&colours, &graph.successors).ok_or(TooLarge::States)?;

    let mut machine =
        Machine { width, initial: 0, colours: vec![], delta: vec![], letters: letters.iter().copied().collect() };
    for ((&state, &colour), successors) in states.iter().zip(&colours).zip(&graph.successors) {
        let first_of_its_class = usize::from(state) == machine.colours.len();
        if first_of_its_class {
            let mut row = vec![state; alphabet];
            for (&letter, &successor) in letters.iter().zip(successors) {
                if let (Some(entry), Some(&state)) = (row.get_mut(usize::from(letter)), states.get(successor)) {
                    *entry = state;
                }
            }
            machine.colours.push(colour);
            machine.delta.extend(row);
        }
    }
    Ok(machine)
}

/// A deterministic automaton; state 0 is initial.
pub(super) struct Graph {
    /// Whether the trace may end in a state.
    pub(super) accepting: Vec<bool>,
    /// The successors of each state, by ascending letter.
    pub(super) successors: Vec<Vec<usize>>,
}

/// All obligations that can remain of a formula, in breadth-first order.
fn explore(formula: &Formula, letters: &BTreeSet<u8>) -> Result<Graph, TooLarge> {
    let mut progression = Progression::default();
    let initial = progression.obligation(formula)?;
    let mut graph = Graph { accepting: vec![], successors: vec![] };
    let mut numbers: BTreeMap<Obligation, usize> = BTreeMap::from([(initial.clone(), 0)]);
    let mut queue = VecDeque::from([initial]);
    while let Some(obligation) = queue.pop_front() {
        graph.accepting.push(progression.holds_on_empty(&obligation));
        let mut successors = Vec::with_capacity(letters.len());
        for &letter in letters {
            let next = progression.progress(&obligation, letter)?;
            let fresh = numbers.len();
            let number = *numbers.entry(next.clone()).or_insert(fresh);
            if number == fresh {
                queue.push_back(next);
            }
            successors.push(number);
        }
        graph.successors.push(successors);
        if numbers.len() > MAX_OBLIGATIONS {
            return Err(TooLarge::Construction);
        }
    }
    Ok(graph)
}

#[cfg(test)]
mod tests {
    use contract_runtime::Colour::{Open, Pending, Satisfied, Violated};

    use super::*;
    use crate::automaton::MAX_STATES;

    fn name(index: u8) -> Formula {
        Formula::name(index)
    }

    #[test]
    fn absence_has_two_states() {
        let machine = construct(&Formula::always(!name(0)), 1, &[1]).unwrap();
        assert_eq!(machine.colours, [Open, Violated]);
        assert_eq!(machine.delta, [0, 1, 1, 1]);
        assert_eq!(machine.letters, [1]);
    }

    #[test]
    fn existence_is_pending_until_it_is_satisfied() {
        let machine = construct(&Formula::eventually(name(0)), 1, &[1]).unwrap();
        assert_eq!(machine.colours, [Pending, Satisfied]);
        assert_eq!(machine.delta, [0, 1, 1, 1]);
    }

    /// The sizes of the usual patterns over exclusive letters (Dwyer, Avrunin, Corbett, ICSE 1999; with the empty
    /// trace).
    #[test]
    fn the_usual_patterns_have_the_known_sizes() {
        let (p, q, r) = (|| name(0), || name(1), || name(2));
        let always = Formula::always;
        let eventually = Formula::eventually;
        for (what, formula, colours) in [
            ("response", always(p().implies(Formula::next(eventually(q())))), vec![Open, Pending]),
            (
                "existence after-until",
                always(Formula::all([q(), !r()]).implies((!r()).weak_until(Formula::all([p(), !r()])))),
                vec![Open, Open, Violated],
            ),
            (
                "absence after-until",
                always(Formula::all([q(), !r()]).implies((!p()).weak_until(r()))),
                vec![Open, Open, Violated],
            ),
            ("precedence", (!p()).weak_until(q()), vec![Open, Violated, Satisfied]),
            (
                "chain 1-2",
                eventually(Formula::all([q(), Formula::next(eventually(r()))])).implies((!q()).until(p())),
                vec![Open, Satisfied, Open, Violated],
            ),
            ("absence before", eventually(r()).implies((!p()).until(r())), vec![Open, Open, Satisfied, Violated]),
            (
                "at most two",
                !eventually(Formula::all([
                    p(),
                    Formula::next(eventually(Formula::all([p(), Formula::next(eventually(p()))]))),
                ])),
                vec![Open, Open, Open, Violated],
            ),
        ] {
            let machine = construct(&formula, 3, &[1, 2, 4]).unwrap();
            assert_eq!(machine.colours, colours, "{what}");
        }
    }

    #[test]
    fn letters_that_no_event_has_make_rules_vacuous_or_contradictory() {
        let both = || Formula::all([name(0), name(1)]);
        let vacuous = construct(&Formula::always(!both()), 2, &[1, 2]).unwrap();
        assert_eq!(vacuous.colours, [Satisfied]);
        assert_eq!(construct(&Formula::always(!both()), 2, &[1, 2, 3]).unwrap().colours, [Open, Violated]);
        assert_eq!(construct(&Formula::eventually(both()), 2, &[1, 2]).unwrap().colours, [Violated]);
        assert_eq!(construct(&Formula::eventually(name(0)), 1, &[]).unwrap().colours, [Violated]);
    }

    #[test]
    fn unlisted_letters_stay() {
        let machine = construct(&Formula::always(!name(0)), 2, &[0, 1, 1, 9]).unwrap();
        assert_eq!(machine.letters, [1]);
        assert_eq!(machine.delta, [0, 1, 0, 0, 1, 1, 1, 1]);
    }

    #[test]
    fn permanence_that_progression_cannot_see_is_found() {
        let formula = Formula::all([Formula::always(name(0)), Formula::eventually(Formula::all([!name(0), name(1)]))]);
        assert_eq!(construct(&formula, 2, &[1, 2, 3]).unwrap().colours, [Violated]);
    }

    #[test]
    fn formulas_with_one_meaning_have_one_machine() {
        let (p, q) = (|| name(0), || name(1));
        let written = Formula::any([p().until(q()), Formula::always(p())]);
        let machine = |formula: &Formula| construct(formula, 2, &[1, 2, 3]).unwrap();
        assert_eq!(machine(&written), machine(&p().weak_until(q())));
        assert_ne!(written, p().weak_until(q()));
    }

    #[test]
    fn machines_beyond_the_limits_are_refused() {
        // The machine of `eventually (p and n times next q)` remembers where p was among the last n letters.
        let remembering = |n: u8| {
            let later = (0..n).fold(name(1), |inner, _| Formula::next(inner));
            construct(&Formula::eventually(Formula::all([name(0), later])), 2, &[1, 2, 3])
        };
        assert_eq!(remembering(5).unwrap().colours.len(), 33);
        assert_eq!(remembering(7), Err(TooLarge::States));
        assert_eq!(remembering(14), Err(TooLarge::Construction));
        assert_eq!(construct(&Formula::TRUE, 9, &[1]), Err(TooLarge::Letters));
    }

    #[test]
    fn the_largest_machine_fills_the_limit() {
        let one_hot: Vec<u8> = (0..6).map(|bit| 1 << bit).collect();
        let all = Formula::all((0..6).map(|index| Formula::eventually(name(index))));
        assert_eq!(construct(&all, 6, &one_hot).unwrap().colours.len(), MAX_STATES);
    }
}
