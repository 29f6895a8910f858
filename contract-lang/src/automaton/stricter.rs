//! Which states may be forgotten without forgiving anything: inclusion of the languages of bad sessions.

use contract_runtime::Colour;

use crate::mir::Machine;

/// One set of states per state `b`: the states `s` from which being taken for `b` is only stricter. Every word that is bad from
/// `s` is bad from `b` too, where a word is bad if a session that goes on with it and ends is violated.
///
/// The pairs of which that is not true are those from which some word leads `s` to a state where a session must not end, and
/// `b` to one where it may. They are found backwards, each once: O(|Q|²·|Σ|).
pub(super) fn stricter(machine: &Machine) -> Vec<u64> {
    let bad = |colour: &Colour| matches!(colour, Colour::Pending | Colour::Violated);
    let all = set(machine.colours.iter().map(|_| true));
    let fine = set(machine.colours.iter().map(|colour| !bad(colour)));
    let sources: Vec<Vec<u64>> = machine.letters.iter().map(|&letter| sources(machine, letter)).collect();

    let mut search = Search { found: vec![0; machine.colours.len()], queue: Vec::new() };
    for (state, colour) in (0u8..).zip(&machine.colours) {
        if bad(colour) {
            search.find(state, fine);
        }
    }
    while let Some((forgotten, taken_for)) = search.queue.pop() {
        for sources in &sources {
            let of = |state: u8| sources.get(usize::from(state)).copied().unwrap_or(0);
            members(of(forgotten)).for_each(|source| search.find(source, of(taken_for)));
        }
    }
    let more_lenient = |b: u8| set(search.found.iter().map(|found| found & bit(b) != 0));
    (0u8..).zip(&machine.colours).map(|(b, _)| all & !more_lenient(b)).collect()
}

/// For each state, the states that the letter leads to it.
fn sources(machine: &Machine, letter: u8) -> Vec<u64> {
    let mut sources = vec![0; machine.colours.len()];
    for (state, row) in (0u8..).zip(machine.delta.chunks(1 << machine.width)) {
        let next = row.get(usize::from(letter)).and_then(|&next| sources.get_mut(usize::from(next)));
        if let Some(next) = next {
            *next |= bit(state);
        }
    }
    sources
}

/// The pairs found: of each first component, the second ones; and those whose sources were not looked at.
struct Search {
    found: Vec<u64>,
    queue: Vec<(u8, u8)>,
}

impl Search {
    fn find(&mut self, forgotten: u8, taken_for: u64) {
        if let Some(found) = self.found.get_mut(usize::from(forgotten)) {
            let new = taken_for & !*found;
            *found |= new;
            self.queue.extend(members(new).map(|taken_for| (forgotten, taken_for)));
        }
    }
}

fn bit(state: u8) -> u64 {
    1u64.checked_shl(u32::from(state)).unwrap_or(0)
}

fn set(members: impl Iterator<Item = bool>) -> u64 {
    (0u8..).zip(members).fold(0, |set, (state, is_member)| if is_member { set | bit(state) } else { set })
}

fn members(mut set: u64) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let state = u8::try_from(set.trailing_zeros()).ok().filter(|_| set != 0)?;
        set &= set.wrapping_sub(1);
        Some(state)
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::arithmetic_side_effects, reason = "test code")]

    use super::*;
    use crate::automaton::construct;
    use crate::automaton::walk::next;
    use crate::formula::Formula;
    use crate::formula::oracle::{Random, Written};

    fn is_bad(machine: &Machine, state: u8, word: &[u8]) -> bool {
        let end = word.iter().fold(state, |state, &letter| next(machine, state, letter));
        matches!(machine.colours[usize::from(end)], Colour::Pending | Colour::Violated)
    }

    #[test]
    fn to_forget_a_permission_is_stricter_and_to_forget_a_ban_is_not() {
        let (first, then) = (|| Formula::name(0), || Formula::name(1));
        let precedence = construct(&(!then()).weak_until(first()), 2, &[1, 2]).unwrap();
        assert_eq!(precedence.colours, [Colour::Open, Colour::Satisfied, Colour::Violated]);
        assert_eq!(stricter(&precedence), [0b011, 0b010, 0b111]);
        let ban = construct(&Formula::always(first().implies(Formula::always(!then()))), 2, &[1, 2]).unwrap();
        assert_eq!(ban.colours, [Colour::Open, Colour::Open, Colour::Violated]);
        assert_eq!(stricter(&ban), [0b001, 0b011, 0b111]);
    }

    /// A machine with arbitrary successors; what is violated stays so.
    fn random_machine(random: &mut Random) -> Machine {
        let states = u8::try_from(2 + random.below(3)).unwrap();
        let mut colours: Vec<Colour> = (0..states)
            .map(|_| {
                [Colour::Satisfied, Colour::Open, Colour::Pending, Colour::Violated]
                    [usize::try_from(random.below(4)).unwrap()]
            })
            .collect();
        colours[0] = Colour::Open;
        let mut delta = Vec::new();
        for (state, colour) in (0u8..).zip(&colours) {
            for letter in 0..4 {
                let stays = letter == 0 || *colour == Colour::Violated;
                let to = u8::try_from(random.below(u64::from(states))).unwrap();
                delta.push(if stays { state } else { to });
            }
        }
        Machine { width: 2, initial: 0, colours, delta, letters: vec![1, 2], stricter: vec![] }
    }

    #[test]
    fn it_is_inclusion_of_the_bad_words() {
        let mut random = Random(7);
        let mut machines: Vec<Machine> = (0..150).map(|_| random_machine(&mut random)).collect();
        for _ in 0..150 {
            let formula = Written::random(&mut random, 2, 3).formula();
            machines.push(construct(&formula, 2, &[1, 2]).unwrap());
        }
        // Long enough to tell apart what two pairs of states say.
        for machine in machines.iter().filter(|machine| machine.colours.len() <= 4) {
            let states = machine.colours.len();
            let words = crate::formula::oracle::words(&machine.letters, 9);
            for b in 0..states {
                for s in 0..states {
                    let (b, s) = (u8::try_from(b).unwrap(), u8::try_from(s).unwrap());
                    let included = words.iter().all(|word| !is_bad(machine, s, word) || is_bad(machine, b, word));
                    let said = stricter(machine)[usize::from(b)] & bit(s) != 0;
                    assert_eq!(said, included, "{s} taken for {b}: {machine:?}");
                }
            }
        }
    }
}
