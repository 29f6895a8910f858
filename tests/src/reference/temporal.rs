//! Formulas by their meaning: the operators of linear temporal logic on whole words, the empty one included; and what words
//! can become, from what must be known of the rest of a word to tell the values on its beginning.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use contract_runtime::Verdict;

use super::formula::{Letter, Word, holds_in};

/// A formula.
#[derive(Clone, Debug, PartialEq)]
pub enum Temporal {
    /// `true` or `false`.
    Constant(bool),
    /// A pattern.
    Name(usize),
    /// An operator by its word, and what it is about.
    Said(String, Vec<Temporal>),
}

const UNARY: &[&str] =
    &["not", "always", "eventually", "next", "weak_next", "once", "historically", "previous", "weak_previous"];
const BINARY: &[&str] = &["until", "weak_until", "release", "since"];

impl Temporal {
    /// Reads a formula over these names.
    pub fn read(text: &str, names: &[&str]) -> Self {
        let spaced = text.replace('(', " ( ").replace(')', " ) ");
        let mut reader = Reader { words: spaced.split_whitespace().collect(), names };
        let formula = reader.implies();
        assert!(reader.words.is_empty(), "more than a formula: {text}");
        formula
    }

    /// Whether a word satisfies it, by the definition of each operator.
    pub fn holds(&self, word: &[Letter]) -> bool {
        self.holds_at(word, 0)
    }

    /// At a position; the empty word is asked at 0, which is no position of it.
    fn holds_at(&self, word: &[Letter], at: usize) -> bool {
        let (said, parts) = match self {
            Self::Constant(value) => return *value,
            Self::Name(pattern) => return word.get(at).is_some_and(|letter| holds_in(*letter, *pattern)),
            Self::Said(said, parts) => (said.as_str(), parts),
        };
        let first = |at: usize| parts[0].holds_at(word, at);
        let second = |at: usize| parts[1].holds_at(word, at);
        let (mut from_here, mut until_here) = (at..word.len(), 0..word.len().min(at + 1));
        match said {
            "not" => !first(at),
            "and" => first(at) && second(at),
            "or" => first(at) || second(at),
            "implies" => !first(at) || second(at),
            "next" => at + 1 < word.len() && first(at + 1),
            "weak_next" => at + 1 >= word.len() || first(at + 1),
            "always" => from_here.all(first),
            "eventually" => from_here.any(first),
            "until" => from_here.any(|end| second(end) && (at..end).all(first)),
            "weak_until" => from_here.all(first) || (at..word.len()).any(|end| second(end) && (at..end).all(first)),
            "release" => from_here.all(|end| second(end) || (at..end).any(first)),
            "previous" => at > 0 && first(at - 1),
            "weak_previous" => at == 0 || first(at - 1),
            "once" => until_here.any(first),
            "historically" => until_here.all(first),
            "since" => until_here.any(|start| second(start) && (start + 1..=at).all(first)),
            other => panic!("the reference does not know the operator `{other}`"),
        }
    }

    /// How many operators look ahead.
    fn ahead(&self) -> u32 {
        let Self::Said(said, parts) = self else { return 0 };
        parts.iter().map(Self::ahead).sum::<u32>() + u32::from(looks_ahead(said))
    }

    /// The values at all positions of a word that goes on. `rest` says of each operator that looks ahead what it finds there,
    /// and `kept` is told of each that looks back what it finds here when it is asked from there.
    fn values(&self, word: &[Letter], rest: &mut impl FnMut() -> bool, kept: &mut Vec<bool>) -> Vec<bool> {
        let (said, parts) = match self {
            Self::Constant(value) => return vec![*value; word.len()],
            Self::Name(pattern) => return word.iter().map(|letter| holds_in(*letter, *pattern)).collect(),
            Self::Said(said, parts) => (said.as_str(), parts),
        };
        let parts: Vec<Vec<bool>> = parts.iter().map(|part| part.values(word, rest, kept)).collect();
        let each = |at: usize| (parts[0][at], parts.get(1).is_some_and(|second| second[at]));
        if looks_ahead(said) {
            let mut next = rest();
            let mut values: Vec<bool> = (0..word.len())
                .rev()
                .map(|at| {
                    let (first, second) = each(at);
                    let here = next;
                    next = match said {
                        "next" | "weak_next" => first,
                        "always" => first && next,
                        "eventually" => first || next,
                        "release" => second && (first || next),
                        _ => second || (first && next),
                    };
                    if matches!(said, "next" | "weak_next") { here } else { next }
                })
                .collect();
            values.reverse();
            return values;
        }
        let mut before = matches!(said, "weak_previous" | "historically");
        let values = (0..word.len()).map(|at| {
            let (first, second) = each(at);
            let here = before;
            before = match said {
                "previous" | "weak_previous" => first,
                "once" => first || before,
                "historically" => first && before,
                "since" => second || (first && before),
                _ => return value(said, first, second),
            };
            if matches!(said, "previous" | "weak_previous") { here } else { before }
        });
        let values = values.collect();
        if !matches!(said, "not" | "and" | "or" | "implies") {
            kept.push(before);
        }
        values
    }
}

fn value(said: &str, first: bool, second: bool) -> bool {
    match said {
        "not" => !first,
        "and" => first && second,
        "or" => first || second,
        "implies" => !first || second,
        other => panic!("the reference does not know the operator `{other}`"),
    }
}

fn looks_ahead(said: &str) -> bool {
    matches!(said, "next" | "weak_next" | "always" | "eventually" | "until" | "weak_until" | "release")
}

/// Reads a formula from the left.
struct Reader<'t> {
    words: VecDeque<&'t str>,
    names: &'t [&'t str],
}

impl Reader<'_> {
    fn takes(&mut self, among: &[&str]) -> Option<String> {
        let next = self.words.front().filter(|word| among.contains(word))?;
        let word = (*next).to_owned();
        self.words.pop_front();
        Some(word)
    }

    fn implies(&mut self) -> Temporal {
        let left = self.or();
        match self.takes(&["implies"]) {
            Some(word) => Temporal::Said(word, vec![left, self.implies()]),
            None => left,
        }
    }

    fn or(&mut self) -> Temporal {
        let mut left = self.and();
        while let Some(word) = self.takes(&["or"]) {
            left = Temporal::Said(word, vec![left, self.and()]);
        }
        left
    }

    fn and(&mut self) -> Temporal {
        let mut left = self.temporal();
        while let Some(word) = self.takes(&["and"]) {
            left = Temporal::Said(word, vec![left, self.temporal()]);
        }
        left
    }

    fn temporal(&mut self) -> Temporal {
        let left = self.unary();
        match self.takes(BINARY) {
            Some(word) => Temporal::Said(word, vec![left, self.temporal()]),
            None => left,
        }
    }

    fn unary(&mut self) -> Temporal {
        if let Some(word) = self.takes(UNARY) {
            return Temporal::Said(word, vec![self.unary()]);
        }
        match self.words.pop_front() {
            Some("(") => {
                let inner = self.implies();
                assert_eq!(self.words.pop_front(), Some(")"), "a bracket is open");
                inner
            }
            Some("true") => Temporal::Constant(true),
            Some("false") => Temporal::Constant(false),
            word => {
                let at = self.names.iter().position(|name| Some(*name) == word);
                Temporal::Name(at.unwrap_or_else(|| panic!("{word:?} is no name")))
            }
        }
    }
}

/// All that words can become under a formula.
///
/// Two words are told apart by what they leave of the formula: for all that the rest of a word can mean to those operators
/// that look ahead, the value of the formula at the beginning, and what the operators that look back find when they are asked
/// from the rest. Words that leave the same have the same value with every rest (by induction over subformulas: a value on the
/// rest depends on the rest and on what is found in the word; a value on the word on the word and on what is found in the
/// rest), and there are finitely many things to leave.
#[derive(Debug)]
pub struct Futures {
    /// A shortest word of each sort.
    words: Vec<Word>,
    /// What each sort becomes by a letter.
    next: Vec<BTreeMap<Letter, usize>>,
    /// The verdict on each sort.
    colours: Vec<Verdict>,
    /// The first sort that nothing that is to come tells from this one.
    first: Vec<usize>,
}

impl Futures {
    /// Of a formula, where words are made of these letters. Remembered, because it is asked for at each event.
    pub fn of(text: &str, names: &[&str], letters: &[Letter]) -> Rc<Self> {
        type Known = BTreeMap<(String, Vec<String>, Vec<Letter>), Rc<Futures>>;
        thread_local!(static KNOWN: RefCell<Known> = const { RefCell::new(BTreeMap::new()) });
        let key = (text.to_owned(), names.iter().map(|name| (*name).to_owned()).collect(), letters.to_vec());
        let known = KNOWN.with_borrow(|known| known.get(&key).cloned());
        known.unwrap_or_else(|| {
            let futures = Rc::new(Self::new(&Temporal::read(text, names), letters));
            KNOWN.with_borrow_mut(|known| known.insert(key, Rc::clone(&futures)));
            futures
        })
    }

    fn new(formula: &Temporal, letters: &[Letter]) -> Self {
        let ahead = formula.ahead();
        assert!(ahead <= 12, "too many operators look ahead");
        let left = |word: &[Letter]| -> Vec<bool> {
            let mut left = vec![word.is_empty()];
            for rest in 0..1u32 << ahead {
                let mut asked = 0;
                let mut found = || {
                    asked += 1;
                    rest >> (asked - 1) & 1 == 1
                };
                let mut kept = Vec::new();
                let values = formula.values(word, &mut found, &mut kept);
                left.extend(values.first());
                left.extend(kept);
            }
            left
        };
        let mut words = vec![Word::new()];
        let mut sorts = BTreeMap::from([(left(&[]), 0)]);
        let mut next = Vec::new();
        while next.len() < words.len() {
            let word = words[next.len()].clone();
            let mut becomes = BTreeMap::new();
            for letter in letters {
                let longer = [word.as_slice(), &[*letter]].concat();
                let sort = *sorts.entry(left(&longer)).or_insert_with(|| {
                    words.push(longer);
                    words.len() - 1
                });
                becomes.insert(*letter, sort);
            }
            next.push(becomes);
        }
        let good: Vec<bool> = words.iter().map(|word| formula.holds(word)).collect();
        let (can_hold, can_fail) =
            (reaching(&good, &next), reaching(&good.iter().map(|good| !good).collect::<Vec<_>>(), &next));
        let colour = |sort: usize| match (good[sort], can_hold[sort], can_fail[sort]) {
            (true, _, false) => Verdict::Satisfied,
            (true, _, true) => Verdict::Open,
            (false, true, _) => Verdict::Pending,
            (false, false, _) => Verdict::Violated,
        };
        let colours = (0..words.len()).map(colour).collect();
        let first = told_apart(&good, &next);
        Self { words, next, colours, first }
    }

    fn sort(&self, word: &[Letter]) -> usize {
        word.iter().fold(0, |sort, letter| self.next[sort][letter])
    }

    /// A word with the same future, the same for all of them.
    pub fn shortened(&self, word: &[Letter]) -> Word {
        self.words[self.first[self.sort(word)]].clone()
    }

    /// The colour of a word.
    pub fn colour(&self, word: &[Letter]) -> Verdict {
        self.colours[self.sort(word)]
    }
}

/// Those from which some of these are reached.
fn reaching(these: &[bool], next: &[BTreeMap<Letter, usize>]) -> Vec<bool> {
    let mut reaching = these.to_vec();
    loop {
        let further: Vec<usize> =
            (0..next.len()).filter(|at| !reaching[*at] && next[*at].values().any(|next| reaching[*next])).collect();
        if further.is_empty() {
            return reaching;
        }
        further.into_iter().for_each(|at| reaching[at] = true);
    }
}

/// For each, the first that no word tells from it.
fn told_apart(good: &[bool], next: &[BTreeMap<Letter, usize>]) -> Vec<usize> {
    let mut first: Vec<usize> = vec![0; good.len()];
    let mut count = 1;
    loop {
        let mut seen = BTreeMap::new();
        let finer: Vec<usize> = (0..good.len())
            .map(|at| {
                let after: Vec<usize> = next[at].values().map(|next| first[*next]).collect();
                *seen.entry((first[at], good[at], after)).or_insert(at)
            })
            .collect();
        first = finer;
        if seen.len() == count {
            return first;
        }
        count = seen.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 3] = ["p", "q", "r"];

    fn read(text: &str) -> Temporal {
        Temporal::read(text, &NAMES)
    }

    /// All words up to a length.
    fn words(letters: &[Letter], length: usize) -> Vec<Word> {
        let mut words = vec![Word::new()];
        let mut from = 0;
        for _ in 0..length {
            let longer: Vec<Word> = words[from..]
                .iter()
                .flat_map(|word| letters.iter().map(|letter| [word.as_slice(), &[*letter]].concat()))
                .collect();
            from = words.len();
            words.extend(longer);
        }
        words
    }

    #[test]
    fn operators_bind_as_they_are_said_to() {
        for (text, brackets) in [
            ("always p implies q", "(always p) implies q"),
            ("p until q until r and p", "(p until (q until r)) and p"),
            ("p or q and r", "p or (q and r)"),
            ("p implies q implies r", "p implies (q implies r)"),
            ("not p since q", "(not p) since q"),
        ] {
            assert_eq!(read(text), read(brackets), "{text}");
        }
    }

    #[test]
    fn the_empty_word_is_a_word() {
        for (text, holds) in [
            ("p", false),
            ("not p", true),
            ("eventually true", false),
            ("always false", true),
            ("weak_next false", true),
            ("previous true", false),
            ("weak_previous false", true),
            ("historically false", true),
            ("once true", false),
            ("p since true", false),
            ("false weak_until false", true),
            ("false until true", false),
        ] {
            assert_eq!(read(text).holds(&[]), holds, "{text}");
        }
    }

    #[test]
    fn what_words_leave_is_their_future() {
        let letters = [1, 2, 4, 3];
        for text in [
            "always(p implies once q)",
            "p until q",
            "eventually(p and next(q and weak_next r))",
            "always(p implies eventually(q and previous r))",
            "not p weak_until (q and previous(eventually r))",
            "historically(p or next q) or always(r release p)",
            "once(p until (q since r))",
            "always(q and once p implies (not r) since p)",
        ] {
            let formula = read(text);
            let futures = Futures::of(text, &NAMES, &letters);
            for word in words(&letters, 5) {
                let accepted = matches!(futures.colour(&word), Verdict::Satisfied | Verdict::Open);
                assert_eq!(accepted, formula.holds(&word), "{text} {word:?}");
                assert_eq!(formula.holds(&futures.shortened(&word)), formula.holds(&word), "{text} {word:?}");
            }
        }
    }
}
