//! The meaning of formulas, written a second time: all operators as they are written, evaluated on a whole word.
//!
//! Nothing here uses normal forms, duality or progression, so that tests can hold those against it.

#![expect(clippy::arithmetic_side_effects, reason = "positions of short words")]

use super::Formula;

/// A formula as it is written.
#[derive(Clone, Debug)]
pub(crate) enum Written {
    True,
    False,
    Name(u8),
    Not(Box<Written>),
    And(Vec<Written>),
    Or(Vec<Written>),
    Next(Box<Written>),
    WeakNext(Box<Written>),
    Until(Box<Written>, Box<Written>),
    WeakUntil(Box<Written>, Box<Written>),
    Release(Box<Written>, Box<Written>),
    Eventually(Box<Written>),
    Always(Box<Written>),
    Previous(Box<Written>),
    WeakPrevious(Box<Written>),
    Since(Box<Written>, Box<Written>),
    Trigger(Box<Written>, Box<Written>),
    Once(Box<Written>),
    Historically(Box<Written>),
}

impl Written {
    /// Whether a word satisfies it.
    pub(crate) fn holds(&self, word: &[u8]) -> bool {
        self.holds_at(word, 0)
    }

    /// Whether it holds at position `at`; on the empty word, whether the empty word satisfies it.
    fn holds_at(&self, word: &[u8], at: usize) -> bool {
        match self {
            Self::True => true,
            Self::False => false,
            Self::Name(index) => word.get(at).is_some_and(|letter| letter & (1 << index) != 0),
            Self::Not(inner) => !inner.holds_at(word, at),
            Self::And(members) => members.iter().all(|member| member.holds_at(word, at)),
            Self::Or(members) => members.iter().any(|member| member.holds_at(word, at)),
            Self::Next(inner) => at + 1 < word.len() && inner.holds_at(word, at + 1),
            Self::WeakNext(inner) => at + 1 >= word.len() || inner.holds_at(word, at + 1),
            Self::Until(hold, goal) => (at..word.len())
                .any(|end| goal.holds_at(word, end) && (at..end).all(|before| hold.holds_at(word, before))),
            Self::WeakUntil(hold, goal) => {
                let end = (at..word.len()).find(|&end| goal.holds_at(word, end)).unwrap_or(word.len());
                (at..end).all(|before| hold.holds_at(word, before))
            }
            Self::Release(free, bound) => (at..word.len())
                .all(|end| bound.holds_at(word, end) || (at..end).any(|before| free.holds_at(word, before))),
            Self::Eventually(inner) => (at..word.len()).any(|end| inner.holds_at(word, end)),
            Self::Always(inner) => (at..word.len()).all(|end| inner.holds_at(word, end)),
            Self::Previous(inner) => at > 0 && inner.holds_at(word, at - 1),
            Self::WeakPrevious(inner) => at == 0 || inner.holds_at(word, at - 1),
            Self::Since(hold, start) => past(word, at)
                .any(|from| start.holds_at(word, from) && (from + 1..=at).all(|since| hold.holds_at(word, since))),
            Self::Trigger(free, bound) => past(word, at)
                .all(|from| bound.holds_at(word, from) || (from + 1..=at).any(|since| free.holds_at(word, since))),
            Self::Once(inner) => past(word, at).any(|from| inner.holds_at(word, from)),
            Self::Historically(inner) => past(word, at).all(|from| inner.holds_at(word, from)),
        }
    }

    /// The normal form.
    pub(crate) fn formula(&self) -> Formula {
        match self {
            Self::True => Formula::TRUE,
            Self::False => Formula::FALSE,
            Self::Name(index) => Formula::name(*index),
            Self::Not(inner) => !inner.formula(),
            Self::And(members) => Formula::all(members.iter().map(Self::formula)),
            Self::Or(members) => Formula::any(members.iter().map(Self::formula)),
            Self::Next(inner) => Formula::next(inner.formula()),
            Self::WeakNext(inner) => Formula::weak_next(inner.formula()),
            Self::Until(hold, goal) => hold.formula().until(goal.formula()),
            Self::WeakUntil(hold, goal) => hold.formula().weak_until(goal.formula()),
            Self::Release(free, bound) => free.formula().release(bound.formula()),
            Self::Eventually(inner) => Formula::eventually(inner.formula()),
            Self::Always(inner) => Formula::always(inner.formula()),
            Self::Previous(inner) => Formula::previous(inner.formula()),
            Self::WeakPrevious(inner) => Formula::weak_previous(inner.formula()),
            Self::Since(hold, start) => hold.formula().since(start.formula()),
            Self::Trigger(free, bound) => free.formula().trigger(bound.formula()),
            Self::Once(inner) => Formula::once(inner.formula()),
            Self::Historically(inner) => Formula::historically(inner.formula()),
        }
    }

    /// A random formula over names `0..names`, at most `depth` operators deep.
    pub(crate) fn random(random: &mut Random, names: u8, depth: u8) -> Self {
        let choice = if depth == 0 { random.below(6) } else { random.below(22) };
        let mut inner = || Self::random(random, names, depth.saturating_sub(1));
        match choice {
            4 => Self::True,
            5 => Self::False,
            6 => Self::Not(Box::new(inner())),
            7 => Self::And(vec![inner(), inner()]),
            8 => Self::Or(vec![inner(), inner()]),
            9 => Self::Next(Box::new(inner())),
            10 => Self::WeakNext(Box::new(inner())),
            11 => Self::Until(Box::new(inner()), Box::new(inner())),
            12 => Self::WeakUntil(Box::new(inner()), Box::new(inner())),
            13 => Self::Release(Box::new(inner()), Box::new(inner())),
            14 => Self::Eventually(Box::new(inner())),
            15 => Self::Always(Box::new(inner())),
            16 => Self::Previous(Box::new(inner())),
            17 => Self::WeakPrevious(Box::new(inner())),
            18 => Self::Since(Box::new(inner()), Box::new(inner())),
            19 => Self::Trigger(Box::new(inner()), Box::new(inner())),
            20 => Self::Once(Box::new(inner())),
            21 => Self::Historically(Box::new(inner())),
            _ => Self::Name(u8::try_from(random.below(u64::from(names))).unwrap()),
        }
    }
}

/// The positions of a word up to one of them; on the empty word there are none.
fn past(word: &[u8], at: usize) -> impl Iterator<Item = usize> {
    (0..=at).filter(|position| *position < word.len())
}

/// A small generator (SplitMix64), so that a failing test fails again.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}

/// All words over some letters, up to a length, the empty word first.
pub(crate) fn words(letters: &[u8], length: usize) -> Vec<Vec<u8>> {
    let mut words = vec![vec![]];
    let mut from = 0;
    for _ in 0..length {
        let to = words.len();
        for at in from..to {
            for &letter in letters {
                let mut word = words[at].clone();
                word.push(letter);
                words.push(word);
            }
        }
        from = to;
    }
    words
}

#[test]
fn the_empty_word_has_the_values_that_the_language_gives_it() {
    let name = || Box::new(Written::Name(0));
    for (formula, value) in [
        (Written::Name(0), false),
        (Written::Not(name()), true),
        (Written::Next(name()), false),
        (Written::Until(name(), name()), false),
        (Written::Eventually(name()), false),
        (Written::WeakNext(name()), true),
        (Written::WeakUntil(name(), name()), true),
        (Written::Release(name(), name()), true),
        (Written::Always(name()), true),
        (Written::Previous(Box::new(Written::True)), false),
        (Written::WeakPrevious(name()), true),
        (Written::Since(name(), Box::new(Written::True)), false),
        (Written::Trigger(name(), Box::new(Written::False)), true),
        (Written::Once(Box::new(Written::True)), false),
        (Written::Historically(name()), true),
    ] {
        assert_eq!(formula.holds(&[]), value, "{formula:?}");
    }
}
