//! What would make a call allowed that an automaton rule stops: the shortest way from what is known of the state of its key.
//!
//! A breadth-first search over sets of states. A step of it is an event that violates from no state that the key may be in,
//! so that the rule lets it happen whatever the true state is; the goal is a set from each of whose states the stopped call
//! is let through. Only done where a finding is made.

use std::collections::BTreeSet;

use crate::info::{RuleInfo, Vocabulary};
use crate::machine::Machine;
use crate::{Colour, Decision, DecisionTable, Effect};

/// The most sets that are looked at.
const MOST_SETS: usize = 4096;

/// The most states that are stepped: with large alphabets and little knowledge, sets are too many to look at all.
const MOST_STEPS: usize = 1 << 18;

/// The longest way that helps anybody.
const LONGEST: usize = 16;

/// What would make a call allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Repair {
    /// Nobody knows, or nothing has to happen.
    #[default]
    Unknown,
    /// These events of the same key, one after the other.
    Moves(Vec<Move>),
    /// Nothing.
    Never,
}

/// One event on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// An event with this letter.
    Letter(u8),
    /// An event after which the key is fresh again.
    Fresh,
}

/// Where the way is to lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The colours: satisfied, open, pending.
    colours: [bool; 3],
    /// Whether there are events, none of the rule's own, after which a key is fresh again.
    fresh: bool,
}

impl Wanted {
    /// Anything that does not violate.
    #[must_use]
    pub const fn anything(fresh: bool) -> Self {
        Self { colours: [true; 3], fresh }
    }

    /// What the rule decides more mildly, or allows.
    pub(crate) fn milder(than: Decision, rule: &RuleInfo, effect: Effect) -> Self {
        let DecisionTable { satisfied, open, pending, .. } = rule.table;
        let colours = [satisfied, open, pending].map(|row| row.get(effect) < than.max(Decision::Alert));
        Self { colours, fresh: rule.vocabulary.fresh.is_some() }
    }

    /// Of this, what leaves nothing owed.
    #[must_use]
    pub fn settled(self) -> Self {
        let [satisfied, open, _] = self.colours;
        Self { colours: [satisfied, open, false], ..self }
    }

    fn holds(self, colour: Colour) -> bool {
        let [satisfied, open, pending] = self.colours;
        match colour {
            Colour::Satisfied => satisfied,
            Colour::Open => open,
            Colour::Pending => pending,
            Colour::Violated => false,
        }
    }
}

/// A set of states that can be reached, and how.
struct Reached {
    members: u64,
    /// From which other, by which event; `None` for where the search begins.
    from: Option<(usize, Move)>,
    distance: usize,
}

impl Machine<'_> {
    /// The shortest way from a set of states to where an event with this letter leads to what is wanted. Of several, the one
    /// whose events match one pattern each, as far as that is possible, and patterns in their order.
    #[cold]
    #[must_use]
    pub fn repair(&self, members: u64, letter: u8, wanted: Wanted) -> Repair {
        let mut reached = vec![Reached { members, from: None, distance: 0 }];
        let mut known = BTreeSet::from([members]);
        let mut stepped = 0usize;
        let mut complete = true;
        let mut at = 0;
        while let Some(&Reached { members, distance, .. }) = reached.get(at) {
            if self.each(members, |state| wanted.holds(self.colour(self.next(state, letter)))) {
                let moves = way(&reached, at);
                return if moves.is_empty() { Repair::Unknown } else { Repair::Moves(moves) };
            }
            if distance == LONGEST {
                complete = false;
            } else {
                for by in self.moves(wanted.fresh) {
                    stepped = stepped.saturating_add(members.count_ones() as usize);
                    if let Some(next) = self.after(members, by)
                        && known.insert(next)
                    {
                        reached.push(Reached {
                            members: next,
                            from: Some((at, by)),
                            distance: distance.saturating_add(1),
                        });
                    }
                }
            }
            if reached.len() > MOST_SETS || stepped > MOST_STEPS {
                return Repair::Unknown;
            }
            at = at.saturating_add(1);
        }
        if complete { Repair::Never } else { Repair::Unknown }
    }

    /// What may happen, in order of preference. Letters that no event has lead nowhere, so they are on no way.
    fn moves(&self, fresh: bool) -> impl Iterator<Item = Move> {
        let last = 1u16.checked_shl(u32::from(self.width)).unwrap_or(0).saturating_sub(1).min(255) as u8;
        let one = (1..=last).filter(|letter| letter.is_power_of_two());
        let several = (1..=last).filter(|letter| !letter.is_power_of_two());
        one.chain(several).map(Move::Letter).chain(fresh.then_some(Move::Fresh))
    }

    /// The set after an event; `None` if it violates from one of the states.
    fn after(&self, members: u64, by: Move) -> Option<u64> {
        match by {
            Move::Letter(letter) => {
                let mut next = 0;
                let fine = self.each(members, |state| {
                    let state = self.next(state, letter);
                    next |= mask(state);
                    self.colour(state) != Colour::Violated
                });
                fine.then_some(next)
            }
            // What is owed would be owed for ever.
            Move::Fresh => {
                self.each(members, |state| self.colour(state) != Colour::Pending).then_some(mask(self.initial))
            }
        }
    }

    fn each(&self, members: u64, mut holds: impl FnMut(u8) -> bool) -> bool {
        (0..64).filter(|state| members & mask(*state) != 0).all(&mut holds)
    }
}

fn mask(state: u8) -> u64 {
    1u64.checked_shl(u32::from(state)).unwrap_or(0)
}

/// The events that led to a set.
fn way(reached: &[Reached], mut at: usize) -> Vec<Move> {
    let mut moves = Vec::new();
    while let Some((before, by)) = reached.get(at).and_then(|set| set.from) {
        moves.push(by);
        at = before;
    }
    moves.reverse();
    moves
}

impl Repair {
    /// What a finding says of a call, in a sentence without a full stop for the model; `None` where nothing is known.
    #[must_use]
    pub fn sentence(&self, of: &Vocabulary) -> Option<String> {
        match self {
            Self::Unknown => None,
            Self::Never if of.elusive => None,
            Self::Never => {
                let key = if of.keyed { " for this key" } else { "" };
                Some(format!("nothing in this session makes it allowed{key}"))
            }
            Self::Moves(moves) => {
                let events: Option<Vec<String>> = moves.iter().map(|by| of.event(*by)).collect();
                let key = if of.keyed { " for the same key" } else { "" };
                Some(format!("first let {} happen{key}, then this call is allowed", events?.join(", then ")))
            }
        }
    }
}

impl Vocabulary {
    fn event(&self, by: Move) -> Option<String> {
        let Move::Letter(letter) = by else { return self.fresh.as_ref().map(ToString::to_string) };
        let bits = (0u32..).zip(self.patterns.iter()).filter(|(bit, _)| letter.checked_shr(*bit).unwrap_or(0) & 1 == 1);
        let names: Vec<String> = bits.map(|(_, pattern)| format!("`{pattern}`")).collect();
        match names.as_slice() {
            [] => None,
            [one] => Some(one.clone()),
            _ => Some(format!("an event that is {}", names.join(" and "))),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    const ANYTHING: Wanted = Wanted::anything(false);

    /// `first` (bit 0) before `then` (bit 1), once for each: open, open, violated.
    const CONSUMED: Machine<'static> = Machine {
        width: 2,
        initial: 0,
        colours: &[Colour::Open, Colour::Open, Colour::Violated],
        delta: &[0, 1, 2, 2, 1, 1, 0, 0, 2, 2, 2, 2],
        stricter: &[],
    };

    /// Never `call` (bit 1) after `after` (bit 0).
    const BANNED: Machine<'static> = Machine {
        width: 2,
        initial: 0,
        colours: &[Colour::Open, Colour::Open, Colour::Violated],
        delta: &[0, 1, 0, 2, 1, 1, 2, 2, 2, 2, 2, 2],
        stricter: &[],
    };

    fn vocabulary(keyed: bool) -> Vocabulary {
        let patterns = Cow::Borrowed(&[Cow::Borrowed("ok(look)"), Cow::Borrowed("call(cut)")][..]);
        Vocabulary { patterns, fresh: Some("`event(turn)`".into()), elusive: false, keyed }
    }

    #[test]
    fn what_has_to_happen_first_is_said() {
        let repair = CONSUMED.repair(1, 2, ANYTHING);
        assert_eq!(repair, Repair::Moves(vec![Move::Letter(1)]));
        let said = |keyed| repair.sentence(&vocabulary(keyed)).unwrap();
        assert_eq!(said(false), "first let `ok(look)` happen, then this call is allowed");
        assert_eq!(said(true), "first let `ok(look)` happen for the same key, then this call is allowed");
    }

    #[test]
    fn where_nothing_helps_that_is_said() {
        assert_eq!(BANNED.repair(2, 2, ANYTHING), Repair::Never);
        let said = |keyed| Repair::Never.sentence(&vocabulary(keyed)).unwrap();
        assert_eq!(said(false), "nothing in this session makes it allowed");
        assert_eq!(said(true), "nothing in this session makes it allowed for this key");
        assert_eq!(Repair::Never.sentence(&Vocabulary { elusive: true, ..vocabulary(true) }), None);
        assert_eq!(Repair::Unknown.sentence(&vocabulary(true)), None);
    }

    #[test]
    fn a_fresh_start_is_a_way_out_but_not_while_something_is_owed() {
        let fresh = Wanted::anything(true);
        assert_eq!(BANNED.repair(2, 2, fresh), Repair::Moves(vec![Move::Fresh]));
        let colours = &[Colour::Open, Colour::Pending, Colour::Violated];
        assert_eq!(Machine { colours, ..BANNED }.repair(2, 2, fresh), Repair::Never);
        let moves = Repair::Moves(vec![Move::Fresh, Move::Letter(1), Move::Letter(3)]);
        assert_eq!(
            moves.sentence(&vocabulary(false)).unwrap(),
            "first let `event(turn)`, then `ok(look)`, then an event that is `ok(look)` and `call(cut)` happen, then this \
             call is allowed"
        );
    }

    #[test]
    fn doubt_is_resolved_by_what_is_allowed_in_any_case() {
        assert_eq!(CONSUMED.repair(0b011, 2, ANYTHING), Repair::Moves(vec![Move::Letter(1)]));
        assert_eq!(BANNED.repair(0b011, 2, ANYTHING), Repair::Never);
    }

    #[test]
    fn what_is_owed_is_to_be_done_first() {
        let owes = Machine {
            width: 2,
            initial: 0,
            colours: &[Colour::Open, Colour::Pending],
            delta: &[0, 1, 0, 1, 1, 1, 0, 1],
            stricter: &[],
        };
        assert_eq!(owes.repair(2, 0, ANYTHING.settled()), Repair::Moves(vec![Move::Letter(2)]));
        assert_eq!(owes.repair(2, 0, ANYTHING), Repair::Unknown, "nothing has to happen");
    }

    #[test]
    fn a_way_that_is_too_long_is_not_known() {
        let colours = [&[Colour::Open; 63][..], &[Colour::Violated]].concat();
        // Letter 1 counts; letter 2 violates unless all has been counted.
        let delta: Vec<u8> = (0..64u8)
            .flat_map(|state| match state {
                62 => [62; 4],
                63 => [63; 4],
                _ => [state, state + 1, 63, 63],
            })
            .collect();
        let machine = Machine { width: 2, initial: 0, colours: &colours, delta: &delta, stricter: &[] };
        assert_eq!(machine.repair(1, 2, ANYTHING), Repair::Unknown);
        let Repair::Moves(moves) = machine.repair(1 << 46, 2, ANYTHING) else { panic!() };
        assert_eq!(moves, [Move::Letter(1); 16]);
    }

    #[test]
    fn hostile_machines_are_given_up_in_time() {
        // Letter l sends state s to s xor l: every subset of 63 states turns into many others.
        let colours = [&[Colour::Open; 63][..], &[Colour::Violated]].concat();
        let next = |state: u8, letter: u8| if letter == 255 { 63 } else { state.wrapping_mul(letter | 1) % 63 };
        let delta: Vec<u8> = (0..64u8).flat_map(|state| (0..=255).map(move |letter| next(state, letter))).collect();
        let machine = Machine { width: 8, initial: 0, colours: &colours, delta: &delta, stricter: &[] };
        assert!(matches!(machine.repair(u64::MAX >> 1, 255, ANYTHING), Repair::Unknown | Repair::Never));
    }

    /// The set after a word; `None` if a letter of it violates from some member.
    fn after(machine: &Machine<'_>, members: &[u8], word: &[u8]) -> Option<Vec<u8>> {
        word.iter().try_fold(members.to_vec(), |members, letter| {
            let next: Vec<u8> = members.iter().map(|state| machine.next(*state, *letter)).collect();
            next.iter().all(|state| machine.colour(*state) != Colour::Violated).then_some(next)
        })
    }

    fn words(length: usize) -> Vec<Vec<u8>> {
        (0..length).fold(vec![vec![]], |words, _| {
            words.iter().flat_map(|word| (1..4).map(move |letter| [&word[..], &[letter]].concat())).collect()
        })
    }

    /// Against all words, on machines that a simple generator makes.
    #[test]
    fn the_way_is_a_shortest_one() {
        let mut seed = 1u64;
        let mut below = |bound: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((seed >> 33) % bound) as u8
        };
        let colours = [Colour::Open, Colour::Pending, Colour::Satisfied, Colour::Open, Colour::Violated];
        for _ in 0..500 {
            let mut delta: Vec<u8> = (0..16).map(|_| below(5)).collect();
            delta.extend([4; 4]);
            let machine = Machine { width: 2, initial: 0, colours: &colours, delta: &delta, stricter: &[] };
            let (set, letter) = (u64::from(below(15)) + 1, below(3) + 1);
            let members: Vec<u8> = (0..4).filter(|state| set & mask(*state) != 0).collect();
            let helps = |word: &Vec<u8>| {
                after(&machine, &members, word).is_some_and(|now| after(&machine, &now, &[letter]).is_some())
            };
            let shortest = (0..=5).find(|length| words(*length).iter().any(helps));
            match machine.repair(set, letter, ANYTHING) {
                Repair::Unknown => assert_eq!(shortest, Some(0)),
                Repair::Never => assert_eq!(shortest, None),
                Repair::Moves(moves) => {
                    let letter = |by: &Move| if let Move::Letter(letter) = by { *letter } else { 0 };
                    let word: Vec<u8> = moves.iter().map(letter).collect();
                    assert!(helps(&word), "{machine:?} {set} {word:?}");
                    assert_eq!(word.len(), shortest.unwrap_or(word.len()), "{machine:?} {set} {word:?}");
                }
            }
        }
    }
}
