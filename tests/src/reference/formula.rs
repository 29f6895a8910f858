//! The automaton rules by their definition: a property of finite words of letters, nothing precomputed but what
//! [`temporal`](super::temporal) knows of formulas.
//!
//! A letter is the set of the rule's patterns that hold at an event, pattern i being bit i.

use std::collections::BTreeSet;
use std::rc::Rc;

use contract_runtime::Verdict;

use super::history::{Meaning, Outcome, Step, World, Worlds};
use super::temporal::Futures;

/// A letter.
pub type Letter = u8;

/// The events that a rule stepped on, without those that would have violated it.
pub type Word = Vec<Letter>;

/// A rule kind with its alphabet.
#[derive(Clone, Debug)]
pub struct Formula {
    /// The rule kind's name.
    pub template: &'static str,
    /// How many patterns.
    pub patterns: usize,
    /// The letters that some event can have, without the empty one. What is to come is made of these.
    pub letters: Vec<Letter>,
    /// Whether a `then` takes the permission that it needs.
    pub consume: bool,
    /// Whether a sequence may start again.
    pub restart: bool,
    /// Which pattern may not be between two others.
    pub forbid: Option<usize>,
    /// Which pattern must be between two others.
    pub needs: Option<usize>,
    /// What its author wrote, and all that words can become under it.
    pub written: Option<Rc<Futures>>,
}

/// Whether a pattern holds.
pub fn holds_in(letter: Letter, pattern: usize) -> bool {
    letter >> pattern & 1 == 1
}

impl Formula {
    /// Whether the rule holds of a session that ended with this word.
    fn holds(&self, word: &[Letter]) -> bool {
        let occurs = |pattern: usize| word.iter().any(|letter| holds_in(*letter, pattern));
        match self.template {
            "must_precede" | "cannot_follow_without" => (0..word.len())
                .filter(|at| holds_in(word[*at], 1))
                .all(|at| (0..at).any(|first| self.permits(word, first, at))),
            // No `call` at or after an `after`.
            "never_after" => word.iter().enumerate().all(|(at, letter)| {
                !holds_in(*letter, 1) || !word.iter().take(at + 1).any(|earlier| holds_in(*earlier, 0))
            }),
            // After each `after` there is a `then`.
            "must_be_followed_by" => word
                .iter()
                .enumerate()
                .all(|(at, letter)| !holds_in(*letter, 0) || word.iter().skip(at + 1).any(|later| holds_in(*later, 1))),
            "mutually_exclusive" => (0..self.patterns).filter(|pattern| occurs(*pattern)).count() <= 1,
            "required_before_session_end" => (0..self.patterns).all(occurs),
            "forbid" => !occurs(0),
            "alternate" => word.iter().zip([0b01, 0b10].iter().cycle()).all(|(letter, turn)| letter == turn),
            "between" => (0..word.len()).all(|at| {
                let forbidden = self.forbid.is_some_and(|forbid| holds_in(word[at], forbid));
                let Some(start) = scope(word, at) else { return true };
                let lacks = |needs: usize| !word[start + 1..at].iter().any(|letter| holds_in(*letter, needs));
                !(forbidden || holds_in(word[at], 1) && self.needs.is_some_and(lacks))
            }),
            "sequence" => {
                let is_first = word.first().is_none_or(|letter| *letter == 1);
                let goes_on = |two: &[Letter]| {
                    (0..self.patterns).all(|step| {
                        let at = first_of(two[0]);
                        let next = if self.restart { (at + 1) % self.patterns } else { at + 1 };
                        !holds_in(two[1], step) || step == at || step == next
                    })
                };
                is_first && word.windows(2).all(goes_on)
            }
            "formula" => matches!(self.colour(word), Verdict::Satisfied | Verdict::Open),
            other => panic!("the reference does not know the rule kind `{other}`"),
        }
    }

    /// Whether the `first` at one place is good for the `then` at another: it is not itself a `then`, nothing has undone it,
    /// and where it is taken by the first `then`, none lies between.
    fn permits(&self, word: &[Letter], first: usize, then: usize) -> bool {
        let undone = |at: usize| holds_in(word[at], 2) || (self.consume && holds_in(word[at], 1));
        holds_in(word[first], 0)
            && !holds_in(word[first], 1)
            && !holds_in(word[first], 2)
            && !(first + 1..then).any(undone)
    }

    /// The word without what no continuation can tell: in some rules only which patterns occurred matters, in others only
    /// the first occurrences, of a ban the first triggers and the last banned calls, of an obligation the last ones.
    fn shortened(&self, word: &[Letter]) -> Word {
        if let Some(futures) = &self.written {
            return futures.shortened(word);
        }
        let first = |at: usize, letter: Letter| !word.iter().take(at).any(|earlier| *earlier == letter);
        let last = |at: usize, letter: Letter| !word.iter().skip(at + 1).any(|later| *later == letter);
        let matters = |at: usize, letter: Letter| match self.template {
            "never_after" => (holds_in(letter, 0) && first(at, letter)) || (holds_in(letter, 1) && last(at, letter)),
            "must_be_followed_by" => last(at, letter),
            _ => first(at, letter),
        };
        match self.template {
            "mutually_exclusive" | "required_before_session_end" | "forbid" => {
                let occurred = word.iter().fold(0, |all, letter| all | letter);
                if occurred == 0 { Word::new() } else { vec![occurred] }
            }
            // Once violated, always violated; and what came before a permission was undone does not matter.
            "must_precede" | "cannot_follow_without" if self.consume || self.patterns > 2 => {
                if !self.holds(word) {
                    return vec![0b10];
                }
                let undone = |letter: &Letter| holds_in(*letter, 2) || (self.consume && holds_in(*letter, 1));
                let since = word.iter().rposition(undone).map_or(0, |at| at + 1);
                word[since..].iter().copied().filter(|letter| holds_in(*letter, 0)).take(1).collect()
            }
            // Once violated, always violated.
            "alternate" | "between" | "sequence" if !self.holds(word) => {
                let violating: &[Letter] = match (self.template, self.forbid) {
                    ("between", Some(forbid)) => &[0b1, 1 << forbid],
                    ("between", None) => &[0b01, 0b10],
                    _ => &[0b10],
                };
                violating.to_vec()
            }
            // Whose turn it is.
            "alternate" => word[word.len() / 2 * 2..].to_vec(),
            // Whether a scope is open, and whether what it needs was there.
            "between" => match (scope(word, word.len()), self.needs) {
                (None, _) => Word::new(),
                (Some(start), Some(needs)) if word[start + 1..].iter().any(|letter| holds_in(*letter, needs)) => {
                    vec![1, 1 << needs]
                }
                (Some(_), _) => vec![1],
            },
            // Which step was reached.
            "sequence" => word.last().map_or(0..0, |letter| 0..first_of(*letter) + 1).map(|step| 1 << step).collect(),
            _ => word
                .iter()
                .copied()
                .enumerate()
                .filter(|(at, letter)| matters(*at, *letter))
                .map(|(_, letter)| letter)
                .collect(),
        }
    }

    fn longer(&self, word: &[Letter], letter: Letter) -> Word {
        let mut longer = word.to_vec();
        longer.push(letter);
        self.shortened(&longer)
    }

    /// Everything that pairs of words can become together.
    fn futures(&self, words: [&[Letter]; 2]) -> BTreeSet<[Word; 2]> {
        let mut found = BTreeSet::new();
        let mut open = vec![words.map(|word| self.shortened(word))];
        while let Some(pair) = open.pop() {
            if found.insert(pair.clone()) {
                open.extend(self.letters.iter().map(|letter| pair.each_ref().map(|word| self.longer(word, *letter))));
            }
        }
        found
    }

    /// The colour, over all continuations, the empty one included.
    pub fn colour(&self, word: &[Letter]) -> Verdict {
        if let Some(futures) = &self.written {
            return futures.colour(word);
        }
        let futures = self.futures([word, word]);
        let good = futures.iter().any(|[future, _]| self.holds(future));
        let bad = futures.iter().any(|[future, _]| !self.holds(future));
        match (self.holds(word), good, bad) {
            (true, _, false) => Verdict::Satisfied,
            (true, _, true) => Verdict::Open,
            (false, true, _) => Verdict::Pending,
            (false, false, _) => Verdict::Violated,
        }
    }

    /// Whether two words are one state: the rule says the same of all their continuations.
    fn alike(&self, one: &[Letter], other: &[Letter]) -> bool {
        if self.written.is_some() {
            return self.shortened(one) == self.shortened(other);
        }
        self.futures([one, other]).iter().all(|[one, other]| self.holds(one) == self.holds(other))
    }

    /// What becomes of a word by a letter: `None` if that violates the rule.
    fn step(&self, word: &[Letter], letter: Letter) -> Option<Word> {
        let longer = if letter == 0 { word.to_vec() } else { self.longer(word, letter) };
        (self.colour(&longer) != Verdict::Violated).then_some(longer)
    }
}

/// Where the scope begins that is open before a place: the first `open` after which there was no `close`.
fn scope(word: &[Letter], at: usize) -> Option<usize> {
    let opens =
        |start: &usize| holds_in(word[*start], 0) && !word[start + 1..at].iter().any(|letter| holds_in(*letter, 1));
    (0..at).find(opens)
}

/// The first pattern of a letter.
fn first_of(letter: Letter) -> usize {
    (0..8).find(|pattern| holds_in(letter, *pattern)).unwrap_or_else(|| panic!("no step has no letter"))
}

fn word(world: &World) -> &Word {
    match world {
        World::Word(word) => word,
        other => panic!("{other:?} is no word"),
    }
}

impl Meaning for Formula {
    fn fresh(&self) -> World {
        World::Word(Word::new())
    }

    /// A word that the event would violate stays as it is.
    fn outcomes(&self, world: &World, letter: Letter, _: &Step, _: i128, _: Option<&String>) -> Vec<Outcome> {
        let stepped = self.step(word(world), letter).map(|word| Outcome::fine(World::Word(word)));
        vec![stepped.unwrap_or_else(|| Outcome::stays(world))]
    }

    fn rest(&self, world: &World, _: i128) -> Verdict {
        self.colour(word(world))
    }

    /// Whether two sets of words are one set of states.
    fn same(&self, these: &Worlds, those: &Worlds, _: i128) -> bool {
        let within = |these: &Worlds, those: &Worlds| {
            these.iter().all(|this| those.iter().any(|that| self.alike(word(this), word(that))))
        };
        within(these, those) && within(those, these)
    }
}
