//! What would make a call allowed that an automaton rule stops: the shortest way from what is known of the state of its key.
//!
//! A breadth-first search over sets of states. A step of it is an event that violates from no state that the key may be in,
//! so that the rule lets it happen whatever the true state is; the goal is a set from each of whose states the stopped call
//! is let through. Only done where a finding is made.
//!
//! That nothing helps is said only if no event at all leads there: results and host events happen whether a rule likes them
//! or not, and those that violate from some of the states are no way to recommend, but may settle what is not known.

use std::collections::BTreeSet;

use crate::belief::mask;
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
    /// The call itself: not all is known of it that the rule reads.
    Unread,
    /// These events of the same key, one after the other.
    Moves(Vec<Move>),
    /// Nothing.
    Never,
}

/// One event on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// An event that matches these patterns.
    Letter {
        /// A bit for each pattern that it matches.
        letter: u8,
        /// Patterns that other events match besides, which would not do.
        without: u8,
    },
    /// An event after which the key is fresh again.
    Fresh,
}

impl Move {
    /// An event with this letter, and any that matches more.
    #[must_use]
    pub const fn letter(letter: u8) -> Self {
        Self::Letter { letter, without: 0 }
    }
}

/// Where the way is to lead, and what it may be made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted<'v> {
    /// The colours: satisfied, open, pending.
    colours: [bool; 3],
    /// Whether there are events, none of the rule's own, after which a key is fresh again.
    fresh: bool,
    /// The letters of several patterns that events can have.
    joint: &'v [u8],
}

impl<'v> Wanted<'v> {
    /// Anything that does not violate.
    #[must_use]
    pub fn anything(of: &'v Vocabulary) -> Self {
        Self { colours: [true; 3], fresh: of.fresh.is_some(), joint: &of.joint }
    }

    /// What the rule decides more mildly, or allows.
    pub(crate) fn milder(than: Decision, rule: &'v RuleInfo, effect: Effect) -> Self {
        let DecisionTable { satisfied, open, pending, .. } = rule.table;
        let colours = [satisfied, open, pending].map(|row| row.get(effect) < than.max(Decision::Alert));
        Self { colours, ..Self::anything(&rule.vocabulary) }
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

/// What may happen on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Steps {
    /// What violates from no state that the key may be in.
    Fine,
    /// Anything: a state from which it violates stays, as in [`crate::belief`].
    Any,
}

impl Machine<'_> {
    /// The shortest way from a set of states to where an event with this letter leads to what is wanted. Of several, the one
    /// whose events match one pattern each, as far as that is possible, and patterns in their order.
    #[cold]
    #[must_use]
    pub fn repair(&self, members: u64, letter: u8, wanted: Wanted<'_>) -> Repair {
        match self.search(members, letter, wanted, Steps::Fine) {
            Repair::Moves(mut moves) => {
                self.tell_apart(members, &mut moves, letter, wanted);
                Repair::Moves(moves)
            }
            Repair::Never if self.search(members, letter, wanted, Steps::Any) != Repair::Never => Repair::Unknown,
            repair => repair,
        }
    }

    fn search(&self, members: u64, letter: u8, wanted: Wanted<'_>, steps: Steps) -> Repair {
        let mut reached = vec![Reached { members, from: None, distance: 0 }];
        let mut known = BTreeSet::from([members]);
        let mut stepped = 0usize;
        let mut complete = true;
        let mut at = 0;
        while let Some(&Reached { members, distance, .. }) = reached.get(at) {
            if self.lets(members, letter, wanted) {
                let moves = way(&reached, at);
                return if moves.is_empty() { Repair::Unknown } else { Repair::Moves(moves) };
            }
            if distance == LONGEST {
                complete = false;
            } else {
                for by in self.moves(wanted.fresh) {
                    stepped = stepped.saturating_add(members.count_ones() as usize);
                    if let Some(next) = self.after(members, by, steps)
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

    /// Says of each event on a way what it must not match besides. Larger letters that do as well are left to happen: the
    /// rest of the way is right from all sets that they lead to, hence from their union.
    fn tell_apart(&self, mut members: u64, moves: &mut [Move], letter: u8, wanted: Wanted<'_>) {
        let mut rest = moves;
        while let Some((by, later)) = rest.split_first_mut() {
            let leads = |by: Move| {
                let next = self.after(members, by, Steps::Fine)?;
                let end = later.iter().try_fold(next, |members, by| self.after(members, *by, Steps::Fine))?;
                self.lets(end, letter, wanted).then_some(next)
            };
            let mut next = leads(*by).unwrap_or(0);
            if let Move::Letter { letter: held, without } = by {
                // Ascending, so that what a pattern spoils by itself is laid to that pattern.
                for &larger in wanted.joint.iter().filter(|letter| **letter & *held == *held && **letter != *held) {
                    let more = larger & !*held;
                    match leads(Move::letter(larger)) {
                        Some(members) => next |= members,
                        None if more & *without == 0 => *without |= more & more.wrapping_neg(),
                        None => {}
                    }
                }
            }
            members = next;
            rest = later;
        }
    }

    /// Whether an event with this letter leads to what is wanted from each of the states.
    fn lets(&self, members: u64, letter: u8, wanted: Wanted<'_>) -> bool {
        self.each(members, |state| wanted.holds(self.colour(self.next(state, letter))))
    }

    /// What may happen, in order of preference. Letters that no event has lead nowhere, so they are on no way.
    fn moves(&self, fresh: bool) -> impl Iterator<Item = Move> {
        let last = 1u16.checked_shl(u32::from(self.width)).unwrap_or(0).saturating_sub(1).min(255) as u8;
        let one = (1..=last).filter(|letter| letter.is_power_of_two());
        let several = (1..=last).filter(|letter| !letter.is_power_of_two());
        one.chain(several).map(Move::letter).chain(fresh.then_some(Move::Fresh))
    }

    /// The set after an event; `None` if it may not happen.
    fn after(&self, members: u64, by: Move, steps: Steps) -> Option<u64> {
        match by {
            Move::Letter { letter, .. } => {
                let mut next = 0;
                let fine = self.each(members, |state| {
                    let to = self.next(state, letter);
                    let violates = self.colour(to) == Colour::Violated;
                    next |= mask(if violates { state } else { to });
                    !violates || steps == Steps::Any
                });
                fine.then_some(next)
            }
            // What is owed would be owed for ever.
            Move::Fresh => {
                let fine = self.each(members, |state| self.colour(state) != Colour::Pending);
                (fine || steps == Steps::Any).then_some(mask(self.initial))
            }
        }
    }

    fn each(&self, members: u64, mut holds: impl FnMut(u8) -> bool) -> bool {
        (0..64).filter(|state| members & mask(*state) != 0).all(&mut holds)
    }
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
            Self::Unread => Some("give every argument that the rule reads a value of the right type".to_owned()),
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
        let Move::Letter { letter, without } = by else { return self.fresh.as_ref().map(ToString::to_string) };
        let (names, others) = (self.named(letter), self.named(without));
        let (is, and) = match names.as_slice() {
            [] => return None,
            [one] => (one.clone(), "that does not"),
            _ => (format!("an event that is {}", names.join(" and ")), "and does not"),
        };
        Some(if others.is_empty() { is } else { format!("{is} {and} match {}", others.join(" or ")) })
    }

    fn named(&self, letter: u8) -> Vec<String> {
        let bits = (0u32..).zip(self.patterns.iter()).filter(|(bit, _)| letter.checked_shr(*bit).unwrap_or(0) & 1 == 1);
        bits.map(|(_, pattern)| format!("`{pattern}`")).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    const ANYTHING: Wanted<'static> = Wanted { colours: [true; 3], fresh: false, joint: &[] };

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
        Vocabulary { patterns, fresh: Some("`event(turn)`".into()), elusive: false, keyed, joint: Cow::Borrowed(&[]) }
    }

    #[test]
    fn what_has_to_happen_first_is_said() {
        let repair = CONSUMED.repair(1, 2, ANYTHING);
        assert_eq!(repair, Repair::Moves(vec![Move::letter(1)]));
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
        let fresh = Wanted { fresh: true, ..ANYTHING };
        assert_eq!(BANNED.repair(2, 2, fresh), Repair::Moves(vec![Move::Fresh]));
        let colours = &[Colour::Open, Colour::Pending, Colour::Violated];
        assert_eq!(Machine { colours, ..BANNED }.repair(2, 2, fresh), Repair::Unknown, "it would help, at a price");
        let moves = Repair::Moves(vec![Move::Fresh, Move::letter(1), Move::letter(3)]);
        assert_eq!(
            moves.sentence(&vocabulary(false)).unwrap(),
            "first let `event(turn)`, then `ok(look)`, then an event that is `ok(look)` and `call(cut)` happen, then this \
             call is allowed"
        );
    }

    #[test]
    fn doubt_is_resolved_by_what_is_allowed_in_any_case() {
        assert_eq!(CONSUMED.repair(0b011, 2, ANYTHING), Repair::Moves(vec![Move::letter(1)]));
        assert_eq!(BANNED.repair(0b011, 2, ANYTHING), Repair::Never);
    }

    /// `first` (bit 0) and `second` (bit 1) in turn.
    const IN_TURN: Machine<'static> = Machine {
        width: 2,
        initial: 0,
        colours: &[Colour::Open, Colour::Open, Colour::Violated],
        delta: &[0, 1, 2, 2, 1, 2, 0, 2, 2, 2, 2, 2],
        stricter: &[],
    };

    /// The outcome of the first is not known; a second one may violate, and still settles it.
    #[test]
    fn what_may_violate_is_not_recommended_but_may_help() {
        assert_eq!(IN_TURN.search(0b011, 2, ANYTHING, Steps::Fine), Repair::Never);
        assert_eq!(IN_TURN.repair(0b011, 2, ANYTHING), Repair::Unknown);
    }

    #[test]
    fn an_event_that_must_not_match_more_is_told_apart() {
        let vocabulary = vocabulary(false);
        let said = |machine: Machine<'_>, joint| {
            machine.repair(1, 2, Wanted { joint, ..ANYTHING }).sentence(&vocabulary).unwrap()
        };
        assert_eq!(said(CONSUMED, &[]), "first let `ok(look)` happen, then this call is allowed");
        let apart = "first let `ok(look)` that does not match `call(cut)` happen, then this call is allowed";
        assert_eq!(said(CONSUMED, &[3]), apart);
        // What is both does as well here.
        let both = Machine { delta: &[0, 1, 2, 1, 1, 1, 0, 0, 2, 2, 2, 2], ..CONSUMED };
        assert_eq!(said(both, &[3]), "first let `ok(look)` happen, then this call is allowed");
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
        assert_eq!(owes.repair(2, 0, ANYTHING.settled()), Repair::Moves(vec![Move::letter(2)]));
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
        assert_eq!(moves, [Move::letter(1); 16]);
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

    /// The state after a letter; a state from which it violates stays.
    fn stays(machine: &Machine<'_>, state: u8, letter: u8) -> u8 {
        let next = machine.next(state, letter);
        if machine.colour(next) == Colour::Violated { state } else { next }
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
            let settles = |word: &Vec<u8>| {
                let step = |states: Vec<u8>, letter: &u8| {
                    states.iter().map(|state| stays(&machine, *state, *letter)).collect()
                };
                after(&machine, &word.iter().fold(members.clone(), step), &[letter]).is_some()
            };
            let shortest = (0..=5).find(|length| words(*length).iter().any(helps));
            match machine.repair(set, letter, ANYTHING) {
                Repair::Unknown if shortest.is_some() => assert_eq!(shortest, Some(0)),
                Repair::Unknown => assert!(words(6).iter().any(&settles), "{machine:?} {set}"),
                Repair::Unread => panic!("the letter is known"),
                Repair::Never => {
                    assert_eq!(shortest, None);
                    assert!((0..=5).all(|length| !words(length).iter().any(settles)), "{machine:?} {set}");
                }
                Repair::Moves(moves) => {
                    let letter = |by: &Move| if let Move::Letter { letter, .. } = by { *letter } else { 0 };
                    let word: Vec<u8> = moves.iter().map(letter).collect();
                    assert!(helps(&word), "{machine:?} {set} {word:?}");
                    assert_eq!(word.len(), shortest.unwrap_or(word.len()), "{machine:?} {set} {word:?}");
                }
            }
        }
    }
}
