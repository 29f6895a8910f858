//! The machine of a formula: explore its obligations, colour them, merge those that nothing tells apart.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::colour::colours;
use super::minimize::classes;
use super::stricter::stricter;
use super::{MAX_PATTERNS, TooLarge};
use crate::formula::{Formula, Progression, Remainder};
use crate::mir::Machine;

/// Most states before minimisation.
const MAX_EXPLORED: usize = 4096;

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
    let mut progression = Progression::default();
    let initial = progression.start(formula)?;
    build(&mut progression, initial, width, letters)
}

/// The minimal machine of a rule that is given by its steps, for what no short formula says. Otherwise the same as
/// [`construct`].
///
/// # Errors
/// If the machine would be larger than a rule's may be.
pub fn construct_steps<S: Steps>(steps: S, width: u8, letters: &[u8]) -> Result<Machine, TooLarge> {
    let initial = steps.initial();
    build(&mut Stepping(steps), initial, width, letters)
}

/// A deterministic automaton, by its steps.
pub trait Steps {
    /// Its states.
    type State: Ord + Clone;

    /// The state of an empty trace.
    fn initial(&self) -> Self::State;

    /// The state after an event whose letter is this.
    fn step(&self, state: &Self::State, letter: u8) -> Self::State;

    /// Whether the trace may end in a state.
    fn may_end(&self, state: &Self::State) -> bool;
}

/// What is explored. The steps of a formula are looked up in a table that grows.
trait Source {
    type State: Ord + Clone;
    fn next(&mut self, state: &Self::State, letter: u8) -> Result<Self::State, TooLarge>;
    fn may_end(&self, state: &Self::State) -> bool;
}

impl Source for Progression {
    type State = Remainder;

    fn next(&mut self, state: &Remainder, letter: u8) -> Result<Remainder, TooLarge> {
        Ok(self.progress(state, letter)?)
    }

    fn may_end(&self, state: &Remainder) -> bool {
        self.holds_on_empty(state)
    }
}

struct Stepping<S>(S);

impl<S: Steps> Source for Stepping<S> {
    type State = S::State;

    fn next(&mut self, state: &S::State, letter: u8) -> Result<S::State, TooLarge> {
        Ok(self.0.step(state, letter))
    }

    fn may_end(&self, state: &S::State) -> bool {
        self.0.may_end(state)
    }
}

fn build<S: Source>(source: &mut S, initial: S::State, width: u8, letters: &[u8]) -> Result<Machine, TooLarge> {
    if usize::from(width) > MAX_PATTERNS {
        return Err(TooLarge::Letters);
    }
    let alphabet = 1usize.checked_shl(u32::from(width)).ok_or(TooLarge::Letters)?;
    let letters: BTreeSet<u8> =
        letters.iter().copied().filter(|&letter| letter != 0 && usize::from(letter) < alphabet).collect();

    let graph = explore(source, initial, &letters)?;
    let colours = colours(&graph);
    let states = classes(&colours, &graph.successors).ok_or(TooLarge::States)?;

    let mut machine = Machine {
        width,
        initial: 0,
        colours: vec![],
        delta: vec![],
        letters: letters.iter().copied().collect(),
        stricter: vec![],
    };
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
    machine.stricter = stricter(&machine);
    Ok(machine)
}

/// A deterministic automaton; state 0 is initial.
pub(super) struct Graph {
    /// Whether the trace may end in a state.
    pub(super) accepting: Vec<bool>,
    /// The successors of each state, by ascending letter.
    pub(super) successors: Vec<Vec<usize>>,
}

/// All states that can be reached, in breadth-first order.
fn explore<S: Source>(source: &mut S, initial: S::State, letters: &BTreeSet<u8>) -> Result<Graph, TooLarge> {
    let mut graph = Graph { accepting: vec![], successors: vec![] };
    let mut numbers: BTreeMap<S::State, usize> = BTreeMap::from([(initial.clone(), 0)]);
    let mut queue = VecDeque::from([initial]);
    while let Some(state) = queue.pop_front() {
        graph.accepting.push(source.may_end(&state));
        let mut successors = Vec::with_capacity(letters.len());
        for &letter in letters {
            let next = source.next(&state, letter)?;
            let fresh = numbers.len();
            let number = *numbers.entry(next.clone()).or_insert(fresh);
            if number == fresh {
                queue.push_back(next);
            }
            successors.push(number);
        }
        graph.successors.push(successors);
        if numbers.len() > MAX_EXPLORED {
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

    /// At most so many occurrences of pattern 0.
    struct AtMost(u8);

    impl Steps for AtMost {
        type State = u8;

        fn initial(&self) -> u8 {
            0
        }

        fn step(&self, state: &u8, letter: u8) -> u8 {
            state.saturating_add(letter & 1).min(self.0.saturating_add(1))
        }

        fn may_end(&self, state: &u8) -> bool {
            *state <= self.0
        }
    }

    #[test]
    fn steps_and_formulas_with_one_meaning_have_one_machine() {
        let machine = construct_steps(AtMost(0), 2, &[1, 2, 3]).unwrap();
        assert_eq!(machine, construct(&Formula::always(!name(0)), 2, &[1, 2, 3]).unwrap());
        assert_eq!(construct_steps(AtMost(62), 1, &[1]).unwrap().colours.len(), MAX_STATES);
        assert_eq!(construct_steps(AtMost(63), 1, &[1]), Err(TooLarge::States));
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
