//! The automaton rules by their definition: a property of finite words of letters, nothing precomputed.
//!
//! A letter is the set of the rule's patterns that hold at an event, pattern i being bit i.

use std::collections::BTreeSet;

use contract_runtime::Verdict;

/// A letter.
pub type Letter = u8;

/// The events that a rule stepped on, without those that would have violated it.
pub type Word = Vec<Letter>;

/// A rule kind with its alphabet.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    /// The rule kind's name.
    pub template: &'static str,
    /// How many patterns.
    pub patterns: usize,
    /// The letters that some event can have, without the empty one. What is to come is made of these.
    pub letters: Vec<Letter>,
}

fn holds_in(letter: Letter, pattern: usize) -> bool {
    letter >> pattern & 1 == 1
}

impl Formula {
    /// Whether the rule holds of a session that ended with this word.
    fn holds(&self, word: &[Letter]) -> bool {
        let occurs = |pattern: usize| word.iter().any(|letter| holds_in(*letter, pattern));
        match self.template {
            // Before each `then` there was a `first` that was not itself a `then`.
            "must_precede" | "cannot_follow_without" => word.iter().enumerate().all(|(at, letter)| {
                !holds_in(*letter, 1)
                    || word.iter().take(at).any(|earlier| holds_in(*earlier, 0) && !holds_in(*earlier, 1))
            }),
            // No `call` at or after an `after`.
            "never_after" => word.iter().enumerate().all(|(at, letter)| {
                !holds_in(*letter, 1) || !word.iter().take(at + 1).any(|earlier| holds_in(*earlier, 0))
            }),
            "mutually_exclusive" => (0..self.patterns).filter(|pattern| occurs(*pattern)).count() <= 1,
            "required_before_session_end" => (0..self.patterns).all(occurs),
            "forbid" => !occurs(0),
            other => panic!("the reference does not know the rule kind `{other}`"),
        }
    }

    /// The word without what no continuation can tell: in some rules only which patterns occurred matters, in others only
    /// the first occurrences, and of a ban the first triggers and the last banned calls.
    fn shortened(&self, word: &[Letter]) -> Word {
        let first = |at: usize, letter: Letter| !word.iter().take(at).any(|earlier| *earlier == letter);
        let last = |at: usize, letter: Letter| !word.iter().skip(at + 1).any(|later| *later == letter);
        let matters = |at: usize, letter: Letter| match self.template {
            "never_after" => (holds_in(letter, 0) && first(at, letter)) || (holds_in(letter, 1) && last(at, letter)),
            _ => first(at, letter),
        };
        match self.template {
            "mutually_exclusive" | "required_before_session_end" | "forbid" => {
                let occurred = word.iter().fold(0, |all, letter| all | letter);
                if occurred == 0 { Word::new() } else { vec![occurred] }
            }
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
        self.futures([one, other]).iter().all(|[one, other]| self.holds(one) == self.holds(other))
    }

    /// What becomes of a word by a letter: `None` if that violates the rule.
    fn step(&self, word: &[Letter], letter: Letter) -> Option<Word> {
        let longer = if letter == 0 { word.to_vec() } else { self.longer(word, letter) };
        (self.colour(&longer) != Verdict::Violated).then_some(longer)
    }
}

/// The words that the events of an instance may have made.
pub type Words = BTreeSet<Word>;

/// The word of no event.
pub fn empty() -> Words {
    Words::from([Word::new()])
}

impl Formula {
    /// The words after one more event with one of these letters. A word that it would violate stays as it is.
    pub fn after(&self, words: &Words, letters: &BTreeSet<Letter>) -> Words {
        let each = words.iter().flat_map(|word| letters.iter().map(move |letter| (word, *letter)));
        each.map(|(word, letter)| self.step(word, letter).unwrap_or_else(|| word.clone())).collect()
    }

    /// The verdict that one more event with one of these letters would give.
    pub fn look_ahead(&self, words: &Words, letters: &BTreeSet<Letter>) -> Verdict {
        let each = words.iter().flat_map(|word| letters.iter().map(move |letter| (word, *letter)));
        let stepped: Vec<Option<Word>> = each.map(|(word, letter)| self.step(word, letter)).collect();
        let violated = stepped.iter().filter(|word| word.is_none()).count();
        match violated {
            0 => stepped.iter().flatten().map(|word| self.colour(word)).max().unwrap_or(Verdict::Satisfied),
            all if all == stepped.len() => Verdict::Violated,
            _ => Verdict::Unestablished,
        }
    }

    /// The verdict at rest.
    pub fn verdict(&self, words: &Words) -> Verdict {
        self.look_ahead(words, &BTreeSet::from([0]))
    }

    /// Whether two sets of words are one set of states.
    pub fn same(&self, these: &Words, those: &Words) -> bool {
        let within =
            |these: &Words, those: &Words| these.iter().all(|this| those.iter().any(|that| self.alike(this, that)));
        within(these, those) && within(those, these)
    }
}
